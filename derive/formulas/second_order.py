"""What the first-order model leaves out, each as a formula, so that its size can be stated."""

import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "F_att",
    r"F_{\mathrm{att}}",
    "FLOP/token",
    section="second",
    is_="c_att * L * H_q * d_head * T",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=(
        "scores against T keys and the weighted sum of T values, in every layer and query head",
        "每层、每个查询头都要对 T 个键打分并对 T 个值加权求和",
    ),
    sources=("palm2022", "jax-book"),
    example=(
        {"L": "80", "H_q": "64", "d_head": "128 element/token", "T": "1000 token/request"},
        "2.62144 GFLOP/token",
    ),
)

formula(
    "share_att",
    r"\sigma_{\mathrm{att}}",
    "",
    section="second",
    is_="F_att / F_tok",
    name=("attention operations over weight operations, decode", "decode 注意力运算与权重运算之比"),
    reason=(
        "the operations 2N per token leaves out, at context T",
        "上下文为 T 时“每 token 2N”未计入的运算",
    ),
    sources=("palm2022",),
    example=({"F_att": "2 GFLOP/token", "F_tok": "100 GFLOP/token"}, "0.02"),
)

formula(
    "share_att_prefill",
    r"\sigma_{\mathrm{att}}^{\mathrm{pre}}",
    "",
    section="second",
    is_="c_att * L * H_q * d_head * T_in / 2 / F_tok",
    name=(
        "attention operations over weight operations, prefill",
        "prefill 注意力运算与权重运算之比",
    ),
    reason=(
        "a token of the prompt sees half of it on average (causal mask)",
        "因果掩码下，输入 token 平均只看到一半输入",
    ),
    sources=("palm2022",),
    example=(
        {
            "L": "80",
            "H_q": "64",
            "d_head": "128 element/token",
            "T_in": "2000 token/request",
            "F_tok": "131072000000 FLOP/token",
        },
        "0.02",
    ),
)

formula(
    "I_wall_att",
    r"I_{\mathrm{decode},\infty}^{\mathrm{att}}",
    "FLOP/byte",
    section="second",
    is_="(F_tok + F_att) * n / (kappa * T)",
    name=("KV wall with attention operations counted", "计入注意力运算的 KV 墙"),
    reason=(
        "an endless batch, with the operations on the KV cache itself",
        "批大小趋于无穷，并计入对 KV cache 本身的运算",
    ),
    reading=(
        "The verdict on the wall must hold with these operations too.",
        "关于 KV 墙的结论，计入这部分运算后仍须成立。",
    ),
    sources=("jax-book",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "F_att": "4 GFLOP/token",
            "n": "1 token/request",
            "kappa": "320 kB/token",
            "T": "2000 token/request",
        },
        "225 FLOP/byte",
    ),
)

formula(
    "share_embedding",
    r"\sigma_{\mathrm{emb}}",
    "",
    section="second",
    is_="N_emb / N",
    name=("input embedding table over all parameters", "输入嵌入表占全部参数的比例"),
    reason=(
        "decode looks up one row of it and does not read it whole",
        "decode 只查其中一行，不会读完整张表",
    ),
    sources=("jax-book",),
    example=({"N_emb": "1 Gparam", "N": "50 Gparam"}, "0.02"),
)

formula(
    "W_stream",
    r"W_{\mathrm{stream}}",
    "byte",
    section="second",
    is_="(N - N_emb) * w",
    name=("weight bytes a decode step really streams", "decode 一步真正流式读取的权重字节数"),
    reason=(
        "all weights but the input embedding table; what “beats the bound” is judged against",
        "除输入嵌入表外的全部权重；判断“是否突破下限”以它为准",
    ),
    sources=("jax-book",),
    example=({"N": "50 Gparam", "N_emb": "1 Gparam", "w": "2 byte/param"}, "98 GB"),
)

formula(
    "t_comm",
    r"t_{\mathrm{comm}}",
    "s",
    section="second",
    is_="c_ring * L * (g - one_device) / g * b * n * d_model * w_act / (B_link * one_device)",
    exists=("one_device < g", ("one device: there is no all-reduce", "单个设备：没有 all-reduce")),
    name=(
        "all-reduce time of one decode step, transfer alone",
        "一个 decode 步的 all-reduce 传输时间",
    ),
    reason=(
        "two ring all-reduces a layer under tensor parallelism; the fixed latency of each is not in it",
        "张量并行下每层两次 ring all-reduce；不含每次的固定时延",
    ),
    sources=("pope2022", "jax-book"),
    example=(
        {
            "L": "80",
            "g": "4 device",
            "b": "8 request",
            "n": "1 token/request",
            "d_model": "8192 element/token",
            "w_act": "2 byte/element",
            "B_link": "450 GB/s/device",
        },
        "69.9050666667 µs",
    ),
)

formula(
    "share_comm",
    r"\sigma_{\mathrm{comm}}",
    "",
    section="second",
    is_="t_comm / t_step",
    name=("all-reduce transfer over the step time at peak", "all-reduce 传输时间与峰值步时间之比"),
    reason=("what tensor parallelism adds at least", "张量并行至少增加的部分"),
    sources=("pope2022",),
    example=({"t_comm": "1 ms", "t_step": "10 ms"}, "0.1"),
)

formula(
    "share_comm_prefill",
    r"\sigma_{\mathrm{comm}}^{\mathrm{pre}}",
    "",
    section="second",
    is_="c_ring * L * (g - one_device) / g * one_request * T_in * d_model * w_act / (B_link * one_device) / t_prefill",
    exists=("one_device < g", ("one device: there is no all-reduce", "单个设备：没有 all-reduce")),
    name=(
        "all-reduce transfer over the prefill time at peak",
        "all-reduce 传输时间与峰值 prefill 时间之比",
    ),
    reason=(
        "two ring all-reduces a layer for every token of the prompt, not overlapped with computing",
        "输入的每个 token 在每层都要做两次 ring all-reduce，按不与计算重叠计",
    ),
    sources=("pope2022", "jax-book"),
    example=(
        {
            "L": "80",
            "g": "4 device",
            "T_in": "2048 token/request",
            "d_model": "8192 element/token",
            "w_act": "2 byte/element",
            "B_link": "450 GB/s/device",
            "t_prefill": "73 ms",
        },
        "0.2451",
    ),
)

formula(
    "t_latency",
    r"t_{\mathrm{lat}}",
    "s",
    section="second",
    is_="c_ar * L * t_hop",
    exists=("one_device < g", ("one device: there is no all-reduce", "单个设备：没有 all-reduce")),
    name=(
        "fixed latency of the all-reduces of one decode step",
        "一个 decode 步中 all-reduce 的固定时延",
    ),
    reason=(
        "two collectives in every layer, each with its latency",
        "每层两次集合通信，每次都有固定时延",
    ),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "t_hop": "10 µs", "g": "4 device"}, "1.6 ms"),
)

formula(
    "TTFT_burst",
    r"\mathrm{TTFT}_{\mathrm{burst}}",
    "s",
    section="ttft",
    is_="max(F_tok * b * T_in / (g * MFU * P_peak), W_read / (g * MBU * B_peak))",
    calibre="reachable",
    name=(
        "first token of the last of b prompts that arrive together",
        "b 个请求同时到达时，最后一个的首 token 延迟",
    ),
    reason=(
        "their operations share one replica, so the last waits for all",
        "它们共用一个副本的算力，最后一个要等全部算完",
    ),
    sources=("databricks2023",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "b": "8 request",
            "T_in": "2000 token/request",
            "g": "1 device",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.6",
        },
        "4.48 s",
    ),
)
