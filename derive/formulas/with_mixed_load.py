"""What a prompt in chunks takes of a busy replica, and the fleet that follows.

A request brings (T_out - 1) / b steps of decode to a batch of b. Where its chunks are more than these,
every step of a busy replica carries a chunk, and the batch beside it falls below b.
"""

import derive.formulas.fleet
import derive.formulas.load
import derive.formulas.with_mixed  # noqa: F401
from derive.formula import formula

formula(
    "b_mix", r"b_{\mathrm{mix}}", "request",
    section="ttft",
    is_="min(b, one_request * (T_out - one_token) / n * PP * DP / N_pass)",
    name=("requests that decode in a step of a busy replica", "忙碌副本的一步中正在 decode 的请求数"),
    reason=("at most PP · DP chunks ride on a step: while one prompt passes, as many steps go by as its chunks take, and in these the "
            "tokens of one answer must be decoded",
            "一步最多携带 PP · DP 块：每处理一个输入要走过其各块所占的步数，而这些步内须解码一个请求的全部输出"),
    reading=("Below b, chunks bound the replica: its batch does not fill.", "小于 b 时副本受块数限制，批填不满。"),
    sources=("little1961", "sarathi2024"),
    example=({"b": "33 request", "T_out": "65 token/request", "n": "1 token/request", "PP": "1", "DP": "1", "N_pass": "16"},
             "4 request"),
)  # fmt: skip

formula(
    "b_mix_experts", "b", "request",
    section="ttft", instead_of="b_mix",
    is_="min(b, ceil(one_request * (T_out - one_token) / n * PP * DP / N_pass))",
    name=("requests that decode in a step of a busy replica", "忙碌副本的一步中正在 decode 的请求数"),
    reason=("the same, rounded up: experts are hit by whole requests", "同上，向上取整：命中专家的是整数个请求"),
    sources=("little1961", "sarathi2024"),
    example=({"b": "33 request", "T_out": "64 token/request", "n": "1 token/request", "PP": "1", "DP": "1", "N_pass": "16"},
             "4 request"),
)  # fmt: skip

formula(
    "b_mix_spec", "b", "request",
    section="ttft", instead_of="b_mix",
    is_="min(b, one_request * (T_out - one_token) / n_gain * PP * DP / N_pass)",
    name=("requests that decode in a step of a busy replica", "忙碌副本的一步中正在 decode 的请求数"),
    reason=("at most PP · DP chunks ride on a round, which yields n_gain tokens of a request",
            "一轮最多携带 PP · DP 块，每个请求产出 n_gain 个 token"),
    sources=("leviathan2022", "sarathi2024"),
    example=({"b": "33 request", "T_out": "113 token/request", "alpha": "0.5", "k_draft": "2 token/request", "PP": "1", "DP": "1",
              "N_pass": "16"}, "4 request"),
)  # fmt: skip

formula(
    "b_mix_spec_experts", "b", "request",
    section="ttft", instead_of="b_mix",
    is_="min(b, ceil(one_request * (T_out - one_token) / n_gain * PP * DP / N_pass))",
    name=("requests that decode in a step of a busy replica", "忙碌副本的一步中正在 decode 的请求数"),
    reason=("at most PP · DP chunks ride on a round, which yields n_gain tokens of a request; rounded up: experts are hit by whole "
            "requests",
            "一轮最多携带 PP · DP 块，每个请求产出 n_gain 个 token；向上取整：命中专家的是整数个请求"),
    sources=("leviathan2022", "sarathi2024"),
    example=({"b": "33 request", "T_out": "112 token/request", "alpha": "0.5", "k_draft": "2 token/request", "PP": "1", "DP": "1",
              "N_pass": "16"}, "4 request"),
)  # fmt: skip

formula(
    "t_mix_busy", r"t_{\mathrm{mix}}^{\mathrm{busy}}", "s",
    section="ttft",
    of="t_mix", at={"b": "b_mix"}, held=("b_mix",),
    calibre="reachable",
    name=("time of a mixed step of a busy replica", "忙碌副本的一个混合步的时间"),
    reason=("with the requests that decode there", "按其中正在 decode 的请求数计"),
    sources=("sarathi2024",),
    example=({"F_tok": "140 GFLOP/token", "b_mix": "4 request", "n": "1 token/request", "T_pass": "496 token", "W_read": "140 GB",
              "T": "2000 token/request", "kappa": "500 kB/token", "KV_seen": "1 GB", "g": "1 device",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "140 ms"),
)  # fmt: skip

formula(
    "t_last_busy", r"t_{\mathrm{last}}^{\mathrm{busy}}", "s",
    section="ttft",
    of="t_last", at={"b": "b_mix"}, held=("b_mix",),
    calibre="reachable",
    name=("time of a busy replica's step that carries the last chunk", "忙碌副本中携带最后一块的一步的时间"),
    reason=("with the requests that decode there", "按其中正在 decode 的请求数计"),
    sources=("sarathi2024",),
    example=({"F_tok": "140 GFLOP/token", "b_mix": "4 request", "n": "1 token/request", "T_last": "496 token", "W_read": "140 GB",
              "T": "2000 token/request", "kappa": "500 kB/token", "KV_seen": "1 GB", "g": "1 device",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "140 ms"),
)  # fmt: skip

formula(
    "t_load", r"t_{\mathrm{load}}", "s",
    section="ttft",
    is_="max(t_add, ((N_pass - 1) * t_mix_busy + t_last_busy) / (PP * DP) - one_request * (T_out - one_token) * TPOT / b)",
    calibre="reachable",
    name=("time that one prompt takes of a busy replica beyond decode", "单个请求的 prefill 在 decode 之外占用忙碌副本的时间"),
    reason=("where a request has steps of decode for all its chunks, what these add to them; else every step carries a chunk, and the "
            "request takes as many steps as its chunks, less what is counted as its decode",
            "请求分摊到的 decode 步足够搭载全部块时，只计增加的时间；否则每一步都带一块，请求占用与块数相应的步数，再减去已计入 decode 的时间"),
    reading=("Replicas, cost and energy go by it.", "副本数、成本与能耗按它计。"),
    sources=("little1961", "sarathi2024"),
    example=({"t_add": "60 ms", "N_pass": "16", "t_mix_busy": "18 ms", "t_last_busy": "17 ms", "PP": "1", "DP": "1",
              "T_out": "65 token/request", "TPOT": "20 ms*request/token", "b": "32 request"}, "247 ms"),
)  # fmt: skip

formula(
    "t_load_spec", "t", "s",
    section="ttft", instead_of="t_load",
    is_="max(t_add, ((N_pass - 1) * t_mix_busy + t_last_busy + N_pass * (t_round - t_step_eff)) / (PP * DP) "
        "- one_request * (T_out - one_token) * TPOT / b)",
    calibre="reachable",
    name=("time that one prompt takes of a busy replica beyond decode", "单个请求的 prefill 在 decode 之外占用忙碌副本的时间"),
    reason=("where a request has rounds of speculation for all its chunks, what these add to them; else every round carries a chunk, "
            "and the request takes as many rounds as its chunks, less what is counted as its decode; drafts take their time at b",
            "请求分摊到的投机解码轮次足够搭载全部块时，只计增加的时间；否则每一轮都带一块，请求占用与块数相应的轮次，再减去已计入 decode 的时间；"
            "起草时间按 b 计"),
    sources=("leviathan2022", "sarathi2024"),
    example=({"t_add": "60 ms", "N_pass": "16", "t_mix_busy": "18 ms", "t_last_busy": "17 ms", "PP": "1", "DP": "1",
              "t_round": "22 ms", "t_step_eff": "20 ms", "T_out": "65 token/request", "TPOT": "20 ms*request/token",
              "b": "32 request"}, "279 ms"),
)  # fmt: skip

formula(
    "replicas_mixed", "r", "",
    section="fleet", instead_of="replicas",
    is_="ceil(arrival * (t_load / one_request + (T_out - one_token) * TPOT / b) / headroom)",
    calibre="reachable",
    name=("replicas for the offered load", "承接到达率所需的副本数"),
    reason=("busy time a request takes of a replica, its chunks on steps of decode where there are any, times the arrival rate (Little's law), with headroom, rounded up",
            "每个请求占用副本的忙时（其各块尽量搭载在 decode 步上）乘以到达率（利特尔定律），计入余量后向上取整"),
    sources=("little1961", "sarathi2024"),
    example=({"t_load": "100 ms", "T_out": "101 token/request", "TPOT": "20 ms*request/token", "b": "10 request",
              "arrival": "5 request/s", "headroom": "0.7"}, "3"),
)  # fmt: skip

formula(
    "cost_token_mixed", "c", "USD/token",
    section="fleet", instead_of="cost_token",
    is_="g * price * (t_load / one_request + (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("cost per output token, prefill included", "每输出 token 成本（含 prefill）"),
    reason=("device time that a whole request adds over its output tokens", "整个请求增加的设备时间分摊到输出 token"),
    sources=("databricks2023", "sarathi2024"),
    example=({"t_load": "100 ms", "T_out": "101 token/request", "TPOT": "20 ms*request/token", "b": "10 request",
              "g": "4 device", "price": "3.6 USD/hour/device"}, "0.00001188118811881188 USD/token"),
)  # fmt: skip

formula(
    "energy_token_mixed", "e", "J/token",
    section="fleet", instead_of="energy_token",
    is_="g * TDP * (t_load / one_request + (T_out - one_token) * TPOT / b) / T_out",
    calibre="reachable",
    name=("energy per output token at TDP", "每输出 token 能耗（按 TDP）"),
    reason=("the same device time at the thermal design power: an upper figure", "同样的设备时间乘以热设计功耗：偏高估计"),
    sources=("databricks2023", "sarathi2024"),
    example=({"t_load": "100 ms", "T_out": "101 token/request", "TPOT": "20 ms*request/token", "b": "10 request",
              "g": "4 device", "TDP": "700 W/device"}, "8.3168 J/token"),
)  # fmt: skip

formula(
    "share_prefill_mixed", "s", "",
    section="fleet", instead_of="share_prefill",
    is_="arrival * t_load / one_request / replicas",
    calibre="reachable",
    name=("share of a replica's time that prefill takes", "prefill 占副本时间的比例"),
    reason=("the time that its chunks take beyond that of decode alone", "各块在纯 decode 之外占用的时间"),
    sources=("sarathi2024",),
    example=({"arrival": "2 request/s", "t_load": "150 ms", "replicas": "3"}, "0.1"),
)  # fmt: skip

formula(
    "cost_in_mixed", "c", "USD/token",
    section="fleet", instead_of="cost_in",
    is_="g * price * t_load / one_request / T_in",
    calibre="reachable",
    name=("cost per input token", "每输入 token 成本"),
    reason=("the device time that the chunks of a prompt take beyond that of decode alone, over the tokens of the prompt",
            "各块在纯 decode 之外占用的设备时间，分摊到输入 token"),
    sources=("databricks2023", "sarathi2024"),
    example=({"g": "4 device", "price": "3.6 USD/hour/device", "t_load": "500 ms",
              "T_in": "2000 token/request"}, "1 USD/Mtoken"),
)  # fmt: skip
