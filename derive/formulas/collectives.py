"""What devices send each other: all-reduces of tensor parallelism, all-to-alls of experts, stages."""

import derive.formulas.parallelism  # noqa: F401
from derive.formula import formula

formula(
    "t_ring", r"t_{\mathrm{ring}}", "s",
    section="second",
    is_="c_ring * L * (TP - one_device) / TP * b / (PP * DP) * n * d_model * w_act / (B_link * one_device)",
    name=("transfer time of the ring all-reduces that one token waits for", "单个 token 所等待的 ring all-reduce 传输时间"),
    reason=("two ring all-reduces a layer over the devices that share it, for the requests of one micro-batch; a model of the "
            "ring, not a bound: in-network reduction moves less",
            "每层在共享该层的设备间做两次 ring all-reduce，数据为一个微批的请求；这是 ring 的模型而非界：网内归约搬运更少"),
    reading=("Nothing where TP is one device.", "TP 为 1 个设备时为零。"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "g": "4 device", "PP": "1", "DP": "1", "b": "8 request", "n": "1 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"}, "69.9050666667 µs"),
)  # fmt: skip

formula(
    "t_comm", r"t_{\mathrm{comm}}", "s",
    section="second",
    is_="t_ring",
    exists=("one_device < TP", ("no tensor parallelism: there is no all-reduce", "没有张量并行：不存在 all-reduce")),
    name=("all-reduce time of one decode step, transfer alone", "一个 decode 步的 all-reduce 传输时间"),
    reason=("two ring all-reduces a layer under tensor parallelism; the fixed latency of each is not in it",
            "张量并行下每层两次 ring all-reduce；不含每次的固定时延"),
    sources=("pope2022", "jax-book"),
    example=({"t_ring": "70 µs", "g": "4 device", "PP": "1", "DP": "1"}, "70 µs"),
)  # fmt: skip

formula(
    "share_comm", r"\sigma_{\mathrm{comm}}", "",
    section="second",
    is_="t_comm / t_step",
    name=("all-reduce transfer over the step time at peak", "all-reduce 传输时间与峰值步时间之比"),
    reason=("what tensor parallelism adds at least", "张量并行至少增加的部分"),
    sources=("pope2022",),
    example=({"t_comm": "1 ms", "t_step": "10 ms"}, "0.1"),
)  # fmt: skip

formula(
    "share_comm_prefill", r"\sigma_{\mathrm{comm}}^{\mathrm{pre}}", "",
    section="second",
    is_="c_ring * L * (TP - one_device) / TP * one_request * T_in * d_model * w_act / (B_link * one_device) / t_prefill",
    exists=("one_device < TP", ("no tensor parallelism: there is no all-reduce", "没有张量并行：不存在 all-reduce")),
    name=("all-reduce transfer over the prefill time at peak", "all-reduce 传输时间与峰值 prefill 时间之比"),
    reason=("two ring all-reduces a layer for every token of the prompt, not overlapped with computing",
            "输入的每个 token 在每层都要做两次 ring all-reduce，按不与计算重叠计"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "g": "4 device", "PP": "1", "DP": "1", "T_in": "2048 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device",
              "t_prefill": "73 ms"}, "0.2451"),
)  # fmt: skip

formula(
    "t_latency", r"t_{\mathrm{lat}}", "s",
    section="second",
    is_="c_ar * L * t_hop",
    exists=("one_device < TP", ("no tensor parallelism: there is no all-reduce", "没有张量并行：不存在 all-reduce")),
    name=("fixed latency of the all-reduces of one decode step", "一个 decode 步中 all-reduce 的固定时延"),
    reason=("two collectives in every layer, each with its latency", "每层两次集合通信，每次都有固定时延"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "t_hop": "10 µs", "g": "4 device", "PP": "1", "DP": "1"}, "1.6 ms"),
)  # fmt: skip

formula(
    "t_comm_pre", r"t_{\mathrm{comm}}^{\mathrm{pre}}", "s",
    section="second",
    of="t_ring",
    at={"b": "b_pre", "n": "T_in"},
    name=("ring all-reduce time of the prefill of b_pre prompts", "b_pre 个请求 prefill 的 ring all-reduce 时间"),
    reason=("the same for a pass over whole prompts, not overlapped with computing; a model of the ring, not a bound",
            "同上，一次前向含完整输入，按不与计算重叠计；这是 ring 的模型而非界"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "g": "4 device", "PP": "1", "DP": "1", "b_pre": "8 request", "T_in": "2048 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "143.165576533 ms"),
)  # fmt: skip

formula(
    "t_a2a", r"t_{\mathrm{a2a}}", "s",
    section="second",
    is_="c_a2a * L_exp * k_exp / E * (E - E / EP) * b * n * d_model * w_act / (g * B_link)",
    name=("transfer time of the expert all-to-alls of one decode step", "一个 decode 步中专家 all-to-all 的传输时间"),
    reason=("every token goes to k of E experts and back, of which E − E/EP are on other ranks; the ranks share the tokens evenly; in every "
            "layer with experts, a copy for each expert: an upper figure",
            "每个 token 发往 E 个专家中的 k 个再收回，其中 E − E/EP 个在其他 rank；各 rank 均分 token；含专家的每一层各一次，每个专家各发一份：偏高"),
    reading=("Nothing where EP is one.", "EP 为 1 时为零。"),
    sources=("gshard2020",),
    example=({"L_exp": "60", "E": "64", "EP": "8", "k_exp": "8", "b": "64 request", "n": "1 token/request", "g": "8 device", "d_model": "7000 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "209.066667 µs"),
)  # fmt: skip

formula(
    "t_a2a_pre", r"t_{\mathrm{a2a}}^{\mathrm{pre}}", "s",
    section="second",
    of="t_a2a",
    at={"b": "b_pre", "n": "T_in"},
    name=("transfer time of the expert all-to-alls of prefill", "prefill 中专家 all-to-all 的传输时间"),
    reason=("the same for a pass over whole prompts", "同上，一次前向含完整输入"),
    sources=("gshard2020",),
    example=({"L_exp": "60", "E": "64", "EP": "8", "k_exp": "8", "b_pre": "1 request", "T_in": "64 token/request", "g": "8 device", "d_model": "7000 element/token", "w_act": "2 byte/element",
              "B_link": "450 GB/s/device"}, "209.066667 µs"),
)  # fmt: skip

formula(
    "t_send", r"t_{\mathrm{send}}", "s",
    section="second",
    is_="(PP - 1) * b / (PP * DP) * n * d_model * w_act / (B_link * one_device)",
    name=("time to hand a micro-batch from stage to stage", "微批在各级间传递的时间"),
    reason=("the hidden state of its tokens crosses PP − 1 links", "其 token 的隐藏状态经过 PP − 1 段链路"),
    sources=("gpipe2018",),
    example=({"PP": "2", "DP": "1", "b": "8 request", "n": "1 token/request", "d_model": "8000 element/token",
              "w_act": "2 byte/element", "B_link": "50 GB/s/device"}, "1.28 µs"),
)  # fmt: skip

formula(
    "t_wait", r"t_{\mathrm{wait}}", "s",
    section="second",
    is_="(c_ar * L * min(1, TP / one_device - 1) + PP - 1) * t_hop",
    name=("fixed latency of everything a decode step sends", "一个 decode 步中全部通信的固定时延"),
    reason=("two collectives a layer where TP is above one, and one hand-over between stages",
            "TP 大于 1 时每层两次集合通信，另加各级间的传递"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "t_hop": "10 µs", "g": "8 device", "PP": "2", "DP": "1"}, "1.61 ms"),
)  # fmt: skip

formula(
    "t_wait_experts", "t", "s",
    section="second", instead_of="t_wait",
    is_="(c_ar * L * min(1, TP / one_device - 1) + c_a2a * L_exp * min(1, EP - 1) + PP - 1) * t_hop",
    name=("fixed latency of everything a decode step sends", "一个 decode 步中全部通信的固定时延"),
    reason=("two all-reduces a layer where TP is above one, two all-to-alls a layer with experts where EP is, and one hand-over "
            "between stages",
            "TP 大于 1 时每层两次 all-reduce，EP 大于 1 时含专家的每层两次 all-to-all，另加各级间的传递"),
    sources=("pope2022", "gshard2020"),
    example=({"L": "60", "L_exp": "50", "t_hop": "10 µs", "g": "8 device", "PP": "1", "DP": "4", "EP": "8"}, "2.2 ms"),
)  # fmt: skip

formula(
    "t_link", r"t_{\mathrm{link}}", "s",
    section="second",
    is_="t_ring + t_send",
    name=("time of a decode step on the links", "一个 decode 步用于互联通信的时间"),
    reason=("transfers, not overlapped with computing; the fixed latency of each is not given (t_hop) and not counted",
            "各项传输，按不与计算重叠计；每次的固定时延（t_hop）未给出，未计入"),
    sources=("pope2022",),
    example=({"t_ring": "70 µs", "t_send": "5 µs"}, "75 µs"),
)  # fmt: skip

formula(
    "t_link_waits", "t", "s",
    section="second", instead_of="t_link",
    is_="t_ring + t_send + t_wait",
    name=("time of a decode step on the links", "一个 decode 步用于互联通信的时间"),
    reason=("transfers and the fixed latency of each, not overlapped with computing", "各项传输及其固定时延，按不与计算重叠计"),
    sources=("pope2022",),
    example=({"t_ring": "70 µs", "t_send": "5 µs", "t_wait": "1.6 ms"}, "1675 µs"),
)  # fmt: skip

formula(
    "t_link_experts", "t", "s",
    section="second", instead_of="t_link",
    is_="t_ring + t_a2a + t_send",
    name=("time of a decode step on the links", "一个 decode 步用于互联通信的时间"),
    reason=("transfers, not overlapped with computing; the fixed latency of each is not given (t_hop) and not counted",
            "各项传输，按不与计算重叠计；每次的固定时延（t_hop）未给出，未计入"),
    sources=("pope2022", "gshard2020"),
    example=({"t_ring": "70 µs", "t_a2a": "20 µs", "t_send": "5 µs"}, "95 µs"),
)  # fmt: skip

formula(
    "t_link_experts_waits", "t", "s",
    section="second", instead_of="t_link",
    is_="t_ring + t_a2a + t_send + t_wait",
    name=("time of a decode step on the links", "一个 decode 步用于互联通信的时间"),
    reason=("transfers and the fixed latency of each, not overlapped with computing", "各项传输及其固定时延，按不与计算重叠计"),
    sources=("pope2022", "gshard2020"),
    example=({"t_ring": "70 µs", "t_a2a": "20 µs", "t_send": "5 µs", "t_wait": "2.4 ms"}, "2495 µs"),
)  # fmt: skip
