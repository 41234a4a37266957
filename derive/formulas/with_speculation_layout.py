"""A draft model where a replica has several groups or stages, or holds copies of KV heads.

A data-parallel group drafts for its own requests alone, on a copy that its TP · PP devices share.
"""

import derive.formulas.layout
import derive.formulas.with_second
import derive.formulas.with_speculation_copies
import derive.formulas.with_speculation_limits  # noqa: F401
from derive.formula import formula

# --- time --------------------------------------------------------------------------------------

formula(
    "t_draft_layout", "t", "s",
    section="step", instead_of="t_draft",
    is_="max(c_op * N_draft * ceil(b / DP) * one_token / (TP * PP * MFU * P_peak), "
        "(W_draft / (TP * PP) + ceil(b / DP) * T * kappa_draft_dev) / (MBU * B_peak))",
    calibre="reachable",
    name=("time to draft one token of each request", "为每个请求起草一个 token 的时间"),
    reason=("a decode step of the draft model for the whole requests of the fullest group, split over the devices of that group: "
            "every group reads a copy of its own, every device what it keeps of the cache",
            "草稿模型为请求最多的一组（按整数个请求）做一个 decode 步，由该组的设备切分；各组各读自己的副本，每个设备读自己保存的 KV cache"),
    reading=("A small model split over many devices reaches less than MBU: an optimistic figure.",
             "小模型切分到多个设备后达不到 MBU：偏乐观的估计。"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_draft": "1 Gparam", "b": "19 request", "PP": "1", "DP": "2", "TP": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "W_draft": "2 GB", "T": "1000 token/request",
              "kappa_draft": "100 kB/token"}, "2 ms"),
)  # fmt: skip

formula(
    "t_draft_peak_layout", "t", "s",
    section="second", instead_of="t_draft_peak",
    is_="max(c_op * N_mat_draft * ceil(b / DP) * one_token / (TP * PP * P_peak), "
        "(N_mat_draft * w_draft / (TP * PP) + ceil(b / DP) * T * kappa_draft_dev) / B_peak)",
    name=("time to draft one token of each request at peak rates", "峰值速率下为每个请求起草一个 token 的时间"),
    reason=("a decode step of the draft model for the whole requests of the fullest group, split over the devices of that group, "
            "without its input table, which is looked up; no launches, no collectives",
            "草稿模型为请求最多的一组（按整数个请求）做一个 decode 步，由该组的设备切分，不含只查表的输入嵌入表；"
            "不计 kernel 启动与集合通信"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_mat_draft": "1 Gparam", "w_draft": "2 byte/param", "b": "19 request", "PP": "1", "DP": "2", "TP": "1 device",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device", "T": "1000 token/request",
              "kappa_draft": "100 kB/token"}, "1 ms"),
)  # fmt: skip

formula(
    "t_draft_exp_layout", "t", "s",
    section="second", instead_of="t_draft_exp",
    is_="max(c_op * N_mat_draft * ceil(b / DP) * one_token / (TP * PP * MFU * P_peak), "
        "(N_mat_draft * w_draft / (TP * PP) + ceil(b / DP) * T * kappa_draft_dev) / (MBU * B_peak))",
    calibre="reachable",
    name=("time to draft one token of each request at reachable rates, second order", "可达速率下为每个请求起草一个 token 的时间（二阶）"),
    reason=("the same at the share of each peak that is reachable", "同上，各按峰值中可达的比例"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_mat_draft": "1 Gparam", "w_draft": "2 byte/param", "b": "19 request", "PP": "1", "DP": "2", "TP": "1 device",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device", "T": "1000 token/request",
              "kappa_draft": "100 kB/token", "MFU": "0.5", "MBU": "0.5"}, "2 ms"),
)  # fmt: skip

formula(
    "bytes_per_token_laid_draft", "q", "byte/token",
    section="bytes", instead_of="bytes_per_token",
    is_="(Q_laid + k_draft / one_token * (min(b / one_request, DP) * W_draft + b * T * kappa_draft_dev * TP * PP)) / (b * n_gain)",
    name=("bytes moved per token", "每 token 搬运的字节数"),
    reason=("with speculation: the bytes that all devices move in a round, shared by the tokens it yields; every group that has "
            "requests reads its copy of the draft model for each drafted token, and the draft's cache on every device that keeps it",
            "启用投机解码：全部设备一轮搬运的字节由该轮产出的 token 分摊；每起草一个 token，有请求的各组各读一遍自己的草稿模型副本，"
            "各设备读自己保存的草稿 KV cache"),
    sources=("leviathan2022", "chen2023"),
    example=({"Q_laid": "127 GB", "b": "8 request", "DP": "2", "W_draft": "2 GB", "T": "1000 token/request",
              "kappa_draft": "312500 byte/token", "alpha": "0.5", "k_draft": "2 token/request"}, "10 GB/token"),
)  # fmt: skip

# --- memory ------------------------------------------------------------------------------------

formula(
    "M_free_layout_draft", "m", "byte",
    section="memory", instead_of="M_free",
    is_="g * (M_frac * M_dev - M_other - W_dev - W_draft / (TP * PP))",
    name=("memory left for the KV cache", "留给 KV cache 的显存"),
    reason=("the usable share of each device, less what the runtime, its weights and its part of the draft model take, copies "
            "included",
            "各设备可用显存，减去运行时占用、其上的权重与分得的草稿模型（含副本）"),
    sources=("vllm2023", "leviathan2022"),
    example=({"g": "4 device", "M_frac": "0.9", "M_dev": "80 GB/device", "M_other": "2 GB/device", "W_dev": "50 GB/device",
              "W_draft": "4 GB", "PP": "1", "DP": "2"}, "72 GB"),
)  # fmt: skip

formula(
    "tokens_max_layout_draft", "k", "token",
    section="memory", instead_of="tokens_max",
    is_="max(0, DP * M_free / (g * (kappa_dev + kappa_draft_dev)))",
    name=("tokens the KV cache holds", "KV cache 能容纳的 token 数"),
    reason=("each group holds what one of its devices has memory for, in both caches; not rounded",
            "每组能容纳的数量取决于其单个设备的显存，两份 KV cache 都计；不取整"),
    sources=("vllm2023", "leviathan2022"),
    example=({"DP": "2", "M_free": "16 GB", "g": "4 device", "kappa_dev": "0.9 MB/token/device", "kappa_draft": "0.2 MB/token",
              "TP": "2 device", "PP": "1"}, "8000 token"),
)  # fmt: skip

formula(
    "b_max_layout_draft", "b", "request",
    section="memory", instead_of="b_max",
    is_="max(0, DP * floor(M_free / (g * T * (kappa_dev + kappa_draft_dev))))",
    name=("requests that fit in memory", "显存可容纳的请求数"),
    reason=("whole requests of each group, each with its full context in both caches", "每组只计整数个请求，每个在两份 KV cache 中都带完整上下文"),
    sources=("vllm2023", "leviathan2022"),
    example=({"DP": "2", "M_free": "17 GB", "g": "4 device", "T": "1000 token/request", "kappa_dev": "0.9 MB/token/device",
              "kappa_draft": "0.2 MB/token", "TP": "2 device", "PP": "1"}, "8 request"),
)  # fmt: skip

formula(
    "b_max_reserved_layout_draft", "b", "request",
    section="memory", instead_of="b_max_reserved",
    is_="max(0, DP * floor(M_free / (g * (KV_reserved * kappa_dev / kappa + kappa_draft_dev * T_rsv))))",
    name=("requests that fit as an engine reserves", "按引擎预留口径可容纳的请求数"),
    reason=("whole requests of each group, each with what the engine sets aside for it on one device in both caches",
            "每组只计整数个请求，每个按引擎在单设备的两份 KV cache 中为其预留的显存计"),
    sources=("vllm2023", "leviathan2022"),
    example=({"DP": "2", "M_free": "17 GB", "g": "4 device", "KV_reserved": "1.8 GB/request", "kappa_dev": "1 MB/token/device",
              "kappa": "2 MB/token", "kappa_draft": "0.2 MB/token", "T_rsv": "1000 token/request", "TP": "2 device",
              "PP": "1"}, "8 request"),
)  # fmt: skip

formula(
    "g_min_layout_draft", "g", "device",
    section="memory", instead_of="g_min",
    is_="PP * DP * ceil((W_dev + W_draft / (TP * PP)) * TP / (M_frac * M_dev - M_other))",
    name=("devices that hold the weights alone", "仅容纳权重所需的设备数"),
    reason=("the weights of a stage and its part of the draft model over the usable memory of one device, rounded up, in every "
            "stage of every group; copies as laid out here",
            "一级的权重与其分得的草稿模型除以单设备可用显存，向上取整，每组的每一级都需这么多；副本数按此处的并行方式"),
    sources=("kipply2022", "leviathan2022"),
    example=({"W_dev": "99 GB/device", "W_draft": "4 GB", "g": "8 device", "PP": "2", "DP": "2", "M_frac": "0.9",
              "M_dev": "80 GB/device", "M_other": "0 byte/device"}, "12 device"),
)  # fmt: skip

formula(
    "g_fit_layout_draft", "g", "device",
    section="memory", instead_of="g_fit",
    is_="PP * DP * ceil((W_dev + W_draft / (TP * PP) + ceil(b / DP) * T * (kappa_dev + kappa_draft_dev)) * TP "
        "/ (M_frac * M_dev - M_other))",
    name=("devices that hold the weights and this batch", "容纳权重与本批请求所需的设备数"),
    reason=("the same with both KV caches of b requests at T, whole requests in each group; copies as laid out here",
            "同上，另加 b 个请求在上下文 T 时的两份 KV cache，每组按整数个请求计；副本数按此处的并行方式"),
    sources=("kipply2022", "leviathan2022"),
    example=({"W_dev": "34 GB/device", "W_draft": "2 GB", "b": "9 request", "DP": "2", "PP": "1", "T": "2000 token/request",
              "kappa_dev": "0.9 MB/token/device", "kappa_draft": "0.2 MB/token", "g": "4 device", "M_frac": "0.9",
              "M_dev": "80 GB/device", "M_other": "0 byte/device"}, "4 device"),
)  # fmt: skip
