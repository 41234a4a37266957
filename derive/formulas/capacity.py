"""Memory: what is left for the KV cache, how many requests fit, how many devices are needed."""

import derive.formulas.kv_cache
import derive.formulas.weights  # noqa: F401
from derive.formula import formula

formula(
    "M_free",
    r"M_{\mathrm{free}}",
    "byte",
    section="memory",
    is_="g * (M_frac * M_dev - M_other) - W",
    name=("memory left for the KV cache", "留给 KV cache 的显存"),
    reason=(
        "the usable share of the devices, less what the runtime and the weights take",
        "各设备可用显存，减去运行时占用与权重",
    ),
    sources=("vllm2023",),
    example=(
        {
            "g": "2 device",
            "M_frac": "0.9",
            "M_dev": "80 GB/device",
            "M_other": "2 GB/device",
            "W": "100 GB",
        },
        "40 GB",
    ),
)

formula(
    "tokens_max",
    r"K_{\max}",
    "token",
    section="memory",
    is_="max(0, M_free / kappa)",
    name=("tokens the KV cache holds", "KV cache 能容纳的 token 数"),
    reason=(
        "the free memory over the bytes of a token; not rounded",
        "剩余显存除以每 token 字节数；不取整",
    ),
    sources=("vllm2023", "kipply2022"),
    example=({"M_free": "16 GB", "kappa": "2097152 byte/token"}, "7629.39453125 token"),
)

formula(
    "b_max",
    r"b_{\max}",
    "request",
    section="memory",
    is_="max(0, floor(M_free / (T * kappa)))",
    name=("requests that fit in memory", "显存可容纳的请求数"),
    reason=(
        "whole requests only, each with its full context",
        "只计整数个请求，每个都带完整上下文",
    ),
    sources=("vllm2023",),
    example=(
        {"M_free": "16 GB", "T": "2048 token/request", "kappa": "2097152 byte/token"},
        "3 request",
    ),
)

formula(
    "T_rsv",
    r"T_{\mathrm{rsv}}",
    "token/request",
    section="memory",
    is_="ceil(T / T_block) * T_block",
    name=("tokens an engine reserves for one request", "引擎为单请求预留的 token 数"),
    reason=(
        "memory is set aside in whole blocks, the last one only partly filled",
        "显存按整块预留，最后一块只占用一部分",
    ),
    sources=("vllm2023", "vllm-cache-config"),
    example=(
        {"T": "2050 token/request", "T_block": "16 token/request"},
        "2064 token/request",
    ),
)

formula(
    "KV_reserved",
    r"\mathrm{KV}_{\mathrm{rsv}}",
    "byte/request",
    section="memory",
    is_="kappa * T_rsv",
    name=(
        "KV-cache bytes an engine reserves for one request",
        "引擎为单请求预留的 KV cache 字节数",
    ),
    reason=(
        "every token of the reserved blocks takes its bytes, used or not",
        "所预留的块中每个 token 都占字节，无论是否用到",
    ),
    reading=(
        "Never less than the live bytes KV_request; engines admit requests by it.",
        "不小于有效占用的 KV_request；引擎按它决定能否接纳请求。",
    ),
    sources=("vllm2023", "vllm-cache-config"),
    example=(
        {"kappa": "2097152 byte/token", "T_rsv": "2064 token/request"},
        "4.03125 GiB/request",
    ),
)

formula(
    "b_max_reserved",
    r"b_{\max}^{\mathrm{rsv}}",
    "request",
    section="memory",
    is_="max(0, floor(M_free / KV_reserved))",
    name=("requests that fit as an engine reserves", "按引擎预留口径可容纳的请求数"),
    reason=(
        "whole requests only, each with what the engine sets aside for it",
        "只计整数个请求，每个按引擎为其预留的显存计",
    ),
    sources=("vllm2023",),
    example=({"M_free": "16 GB", "KV_reserved": "4 GB/request"}, "4 request"),
)

formula(
    "g_min",
    r"g_{\min}",
    "device",
    section="memory",
    is_="ceil(W / (M_frac * M_dev - M_other))",
    exists=(
        "M_other < M_frac * M_dev",
        (
            "nothing is left of a device's memory once the runtime has its share",
            "运行时占用后，单设备已无可用显存",
        ),
    ),
    name=("devices that hold the weights alone", "仅容纳权重所需的设备数"),
    reason=(
        "weight bytes over the usable memory of one device, rounded up",
        "权重字节数除以单设备可用显存，向上取整",
    ),
    sources=("kipply2022",),
    example=(
        {"W": "810 GB", "M_frac": "0.9", "M_dev": "80 GB/device", "M_other": "0 byte/device"},
        "12 device",
    ),
)

formula(
    "g_fit",
    r"g_{\mathrm{fit}}",
    "device",
    section="memory",
    is_="ceil((W + b * T * kappa) / (M_frac * M_dev - M_other))",
    exists=(
        "M_other < M_frac * M_dev",
        (
            "nothing is left of a device's memory once the runtime has its share",
            "运行时占用后，单设备已无可用显存",
        ),
    ),
    name=("devices that hold the weights and this batch", "容纳权重与本批请求所需的设备数"),
    reason=(
        "the same with the KV cache of b requests at T",
        "同上，另加 b 个请求在上下文 T 时的 KV cache",
    ),
    reading=(
        "The scenario fits when g is at least this; past as many devices as KV heads copies of them add to it.",
        "设备数不少于它，本场景才放得下；设备多于 KV 头数后，KV 头的副本还会增加所需。",
    ),
    sources=("kipply2022",),
    example=(
        {
            "W": "140 GB",
            "b": "8 request",
            "T": "2000 token/request",
            "kappa": "1 MB/token",
            "M_frac": "0.9",
            "M_dev": "80 GB/device",
            "M_other": "0 byte/device",
        },
        "3 device",
    ),
)
