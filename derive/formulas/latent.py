"""A latent cache under tensor parallelism: it has no heads to split, so each device holds all of it."""

import derive.formulas.capacity
import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "b_max_tp",
    r"b_{\max}^{\mathrm{TP}}",
    "request",
    section="memory",
    is_="max(0, floor(M_free / (KV_request * g_tp / one_device)))",
    name=(
        "requests that fit under tensor parallelism",
        "张量并行下显存可容纳的请求数",
    ),
    reason=(
        "each device of a group holds the whole latent cache of a request",
        "组内每个设备都存一整份请求的潜向量 KV cache",
    ),
    reading=(
        "b_max stores every byte once, which no layout does: a bound; name a layout (TP, DP, EP) for its own figure.",
        "b_max 按每个字节只存一份计，任何并行方式都做不到，是一个界；指定并行方式（TP、DP、EP）可得其自身数值。",
    ),
    sources=("sglang2024",),
    example=(
        {"M_free": "160 GB", "KV_request": "2 GB/request", "g_tp": "8 device"},
        "10 request",
    ),
)

formula(
    "TPOT_tp",
    r"\mathrm{TPOT}^{\mathrm{TP}}",
    "s*request/token",
    section="step",
    is_="max(F_step / (g * MFU * P_peak), (W_read + (Q_step - W_read) * g_tp / one_device) / (g * MBU * B_peak)) / n",
    calibre="reachable",
    name=(
        "time per output token under tensor parallelism",
        "张量并行下的每输出 token 时间",
    ),
    reason=(
        "each device of a group reads the whole latent cache of the batch",
        "组内每个设备都读整批的潜向量 KV cache",
    ),
    reading=(
        "TPOT reads every byte once, which no layout does: a bound; name a layout (TP, DP, EP) for its own figure.",
        "TPOT 按每个字节只读一遍计，任何并行方式都做不到，是一个界；指定并行方式（TP、DP、EP）可得其自身数值。",
    ),
    sources=("sglang2024",),
    example=(
        {
            "F_step": "1 TFLOP",
            "W_read": "80 GB",
            "Q_step": "90 GB",
            "g_tp": "8 device",
            "g": "8 device",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "1 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.5",
            "n": "1 token/request",
        },
        "40 ms*request/token",
    ),
)
