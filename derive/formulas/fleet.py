"""The fleet: replicas, cost and energy per output token."""

import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "replicas",
    r"R_{\mathrm{rep}}",
    "",
    section="fleet",
    is_="ceil(arrival * (TTFT / one_request + (T_out - one_token) * TPOT / b) / headroom)",
    calibre="reachable",
    name=("replicas for the offered load", "承接到达率所需的副本数"),
    reason=(
        "busy time a request takes of a replica times the arrival rate (Little's law), with headroom, rounded up",
        "每个请求占用副本的忙时乘以到达率（利特尔定律），计入余量后向上取整",
    ),
    sources=("little1961",),
    example=(
        {
            "arrival": "2 request/s",
            "TTFT": "100 ms",
            "T_out": "101 token/request",
            "TPOT": "20 ms*request/token",
            "b": "8 request",
            "headroom": "0.7",
        },
        "1",
    ),
)

formula(
    "cost_token",
    r"c_{\mathrm{tok}}",
    "USD/token",
    section="fleet",
    is_="g * price * (TTFT / one_request + (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("cost per output token, prefill included", "每输出 token 成本（含 prefill）"),
    reason=(
        "device time of a whole request over its output tokens",
        "整个请求占用的设备时间分摊到输出 token",
    ),
    sources=("databricks2023",),
    example=(
        {
            "g": "4 device",
            "price": "3.6 USD/hour/device",
            "TTFT": "100 ms",
            "T_out": "101 token/request",
            "TPOT": "20 ms*request/token",
            "b": "10 request",
        },
        "0.00001188118811881188 USD/token",
    ),
)

formula(
    "cost_token_decode",
    r"c_{\mathrm{tok}}^{\mathrm{dec}}",
    "USD/token",
    section="fleet",
    is_="g * price / X",
    calibre="reachable",
    name=("cost per output token, decode alone", "每输出 token 成本（仅 decode）"),
    reason=(
        "price of the replica's time over its decode throughput",
        "副本单位时间价格除以 decode 吞吐",
    ),
    sources=("databricks2023",),
    example=(
        {"g": "4 device", "price": "3.6 USD/hour/device", "X": "400 token/s"},
        "0.00001 USD/token",
    ),
)

formula(
    "energy_token",
    r"e_{\mathrm{tok}}",
    "J/token",
    section="fleet",
    is_="g * TDP * (TTFT / one_request + (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("energy per output token at TDP", "每输出 token 能耗（按 TDP）"),
    reason=(
        "the same device time at the thermal design power: an upper figure",
        "同样的设备时间乘以热设计功耗：偏高估计",
    ),
    sources=("databricks2023",),
    example=(
        {
            "g": "4 device",
            "TDP": "700 W/device",
            "TTFT": "100 ms",
            "T_out": "101 token/request",
            "TPOT": "20 ms*request/token",
            "b": "10 request",
        },
        "8.3168 J/token",
    ),
)

formula(
    "cost_fleet",
    r"c_{\mathrm{fleet}}",
    "USD/token",
    section="fleet",
    is_="replicas * g * price / (arrival * T_out)",
    calibre="reachable",
    name=(
        "cost per output token of the fleet at the offered load",
        "按到达率计，整个集群的每输出 token 成本",
    ),
    reason=(
        "every device of the fleet is paid for, busy or not; over the tokens that the load asks for",
        "集群的全部设备都要付费，无论忙闲；分摊到负载所需的 token",
    ),
    sources=("little1961",),
    example=(
        {
            "replicas": "3",
            "g": "4 device",
            "price": "3.6 USD/hour/device",
            "arrival": "2 request/s",
            "T_out": "300 token/request",
        },
        "20 USD/Mtoken",
    ),
)

formula(
    "share_prefill",
    r"\sigma_{\mathrm{prefill}}",
    "",
    section="fleet",
    is_="arrival * TTFT / one_request / replicas",
    calibre="reachable",
    name=("share of a replica's time that prefill takes", "prefill 占副本时间的比例"),
    reason=(
        "while it prefills, the decode steps of the others wait, unless prefill is chunked or apart",
        "做 prefill 时其他请求的 decode 要等待，除非分块 prefill 或 PD 分离",
    ),
    sources=("databricks2023",),
    example=({"arrival": "2 request/s", "TTFT": "150 ms", "replicas": "3"}, "0.1"),
)
