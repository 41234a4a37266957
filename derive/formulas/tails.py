"""Lengths given as a distribution: what the longest of its quantiles asks for."""

import derive.formulas.capacity
import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "TTFT_tail",
    r"\mathrm{TTFT}_{\mathrm{tail}}",
    "s",
    section="ttft",
    of="TTFT",
    at={"T_in": "T_in_tail"},
    calibre="reachable",
    name=("TTFT of a prompt at the highest quantile", "最高分位输入的 TTFT"),
    reason=(
        "the same formula for the longest prompt that the distribution names, on an idle replica",
        "同一公式，取分布给出的最长输入，按空闲副本计",
    ),
    sources=("databricks2023",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "T_in_tail": "2000 token/request",
            "g": "1 device",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.6",
        },
        "560 ms",
    ),
)

formula(
    "b_max_tail",
    r"b_{\max}^{\mathrm{tail}}",
    "request",
    section="memory",
    of="b_max",
    at={"T": "T_tail"},
    name=(
        "requests that fit when all of them are at the highest quantile",
        "全部请求都取最高分位长度时可容纳的请求数",
    ),
    reason=(
        "the worst case of memory: no eviction happens while no more than these run",
        "显存的最坏情形：不超过此数便不会驱逐请求",
    ),
    sources=("vllm2023",),
    example=(
        {"M_free": "16 GB", "T_tail": "2048 token/request", "kappa": "2097152 byte/token"},
        "3 request",
    ),
)

formula(
    "g_fit_tail",
    r"g_{\mathrm{fit}}^{\mathrm{tail}}",
    "device",
    section="memory",
    of="g_fit",
    at={"T": "T_tail"},
    exists=(
        "M_other < M_frac * M_dev",
        (
            "nothing is left of a device's memory once the runtime has its share",
            "运行时占用后，单设备已无可用显存",
        ),
    ),
    name=(
        "devices that hold this batch with every request at the highest quantile",
        "本批请求都取最高分位长度时所需的设备数",
    ),
    reason=(
        "weights and a batch in its worst case of memory",
        "权重加上显存最坏情形下的一批请求",
    ),
    sources=("kipply2022",),
    example=(
        {
            "W": "140 GB",
            "b": "8 request",
            "T_tail": "2000 token/request",
            "kappa": "1 MB/token",
            "M_frac": "0.9",
            "M_dev": "80 GB/device",
            "M_other": "0 byte/device",
        },
        "3 device",
    ),
)
