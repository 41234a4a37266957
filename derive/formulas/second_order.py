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
