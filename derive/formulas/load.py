"""The offered load: requests in flight, devices, power, what a token of the prompt and one of the answer cost."""

import derive.formulas.capacity
import derive.formulas.fleet  # noqa: F401
from derive.formula import formula

formula(
    "in_flight",
    r"N_{\mathrm{flight}}",
    "request",
    section="fleet",
    is_="arrival * E2E",
    calibre="reachable",
    name=("requests in flight in the fleet", "整个集群的在途请求数"),
    reason=(
        "Little's law: arrivals a second times the seconds that a request stays, on average; no queue counted",
        "利特尔定律：每秒到达数乘以请求停留的秒数，取平均；未计排队",
    ),
    sources=("little1961",),
    example=({"arrival": "2 request/s", "E2E": "5 s"}, "10 request"),
)

formula(
    "b_load",
    r"b_{\mathrm{load}}",
    "request",
    section="fleet",
    is_="in_flight / replicas",
    calibre="reachable",
    name=("requests in flight on one replica", "单副本的在途请求数"),
    reason=(
        "the fleet's over its replicas, spread evenly",
        "集群的在途请求均摊到各副本",
    ),
    reading=(
        "Below b the replicas are not as full as the batch that they are sized by; above it they must hold more.",
        "小于 b，说明副本没有规划所用的批大小那样满；大于 b，则须容纳更多请求。",
    ),
    sources=("little1961",),
    example=({"in_flight": "12 request", "replicas": "3"}, "4 request"),
)

formula(
    "g_fleet",
    r"g_{\mathrm{fleet}}",
    "device",
    section="fleet",
    is_="replicas * g",
    calibre="reachable",
    name=("devices of the fleet", "集群的设备总数"),
    reason=("every replica takes g devices", "每个副本占 g 个设备"),
    sources=("little1961",),
    example=({"replicas": "3", "g": "4 device"}, "12 device"),
)

formula(
    "power_fleet",
    r"P_{\mathrm{fleet}}",
    "W",
    section="fleet",
    is_="g_fleet * TDP * PUE",
    calibre="reachable",
    name=("power of the fleet at TDP", "集群功率（按 TDP）"),
    reason=(
        "every device at its thermal design power, times what the site draws for each watt of it; hosts, "
        "switches and storage are not counted",
        "所有设备按热设计功耗计，再乘以机房每瓦设备功耗对应的总功耗；未计主机、交换机与存储",
    ),
    sources=("greengrid2012",),
    example=({"g_fleet": "12 device", "TDP": "700 W/device", "PUE": "1.25"}, "10.5 kW"),
)

formula(
    "cost_in",
    r"c_{\mathrm{in}}",
    "USD/token",
    section="fleet",
    is_="g * price * TTFT / one_request / T_in",
    calibre="reachable",
    name=("cost per input token", "每输入 token 成本"),
    reason=(
        "the device time of prefill over the tokens of the prompt, replica always busy; the prompt alone in its pass",
        "prefill 占用的设备时间分摊到输入 token（副本始终繁忙，单请求独占一次前向）",
    ),
    reading=(
        "The split is by device time: T_in of these and T_out of cost_out make up the whole request.",
        "按设备时间拆分：T_in 个输入 token 与 T_out 个输出 token 的成本之和即整个请求的成本。",
    ),
    sources=("databricks2023",),
    example=(
        {
            "g": "4 device",
            "price": "3.6 USD/hour/device",
            "TTFT": "100 ms",
            "T_in": "1000 token/request",
        },
        "0.4 USD/Mtoken",
    ),
)

formula(
    "cost_out",
    r"c_{\mathrm{out}}",
    "USD/token",
    section="fleet",
    is_="g * price * (T_out - one_token) * TPOT / b / T_out",
    calibre="reachable",
    name=(
        "cost per output token, prefill charged to the input",
        "每输出 token 成本（prefill 计入输入）",
    ),
    reason=(
        "the device time of decode, shared by the batch, over the tokens of the answer; the first of them comes from prefill",
        "decode 占用的设备时间由同批请求分摊，再分摊到输出 token；其中首个 token 来自 prefill",
    ),
    sources=("databricks2023",),
    example=(
        {
            "g": "4 device",
            "price": "3.6 USD/hour/device",
            "T_out": "100 token/request",
            "TPOT": "20 ms*request/token",
            "b": "8 request",
        },
        "9.9 USD/Mtoken",
    ),
)
