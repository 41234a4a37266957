"""First-order formulas where devices do not share all evenly: stages, groups, copies of KV heads."""

import derive.formulas.second_prefill  # noqa: F401
from derive.formula import formula

formula(
    "t_step_layout", "t", "s",
    section="step", instead_of="t_step",
    is_="max(F_step / (g * P_peak), (PP * W_read_dev + KV_dev) / B_peak)",
    name=("time of one decode step at peak rates", "峰值速率下一个 decode 步的时间"),
    reason=("the slower of operations and movement; a token passes every stage, and a device reads copies as well",
            "运算与搬运中较慢者；token 须经过每一级，设备也要读自己的副本"),
    sources=("williams2009", "pope2022"),
    example=({"F_step": "1120 GFLOP", "g": "4 device", "P_peak": "989.5 TFLOP/s/device", "PP": "2",
              "W_read_dev": "18 GB/device", "KV_dev": "3 GB/device", "B_peak": "3 TB/s/device"}, "13 ms"),
)  # fmt: skip

formula(
    "t_step_eff_layout", "t", "s",
    section="step", instead_of="t_step_eff",
    is_="max(F_step / (g * MFU * P_peak), (PP * W_read_dev + KV_dev) / (MBU * B_peak))",
    name=("time of one decode step at reachable rates", "可达速率下一个 decode 步的时间"),
    reason=("the same two times at the share of each peak that is reachable", "同样两个时间，各按峰值中可达的比例计算"),
    sources=("databricks2023", "pope2022"),
    example=({"F_step": "1120 GFLOP", "g": "4 device", "P_peak": "989.5 TFLOP/s/device", "PP": "2",
              "W_read_dev": "18 GB/device", "KV_dev": "3 GB/device", "B_peak": "3 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "26 ms"),
)  # fmt: skip

formula(
    "W_laid", r"W_{\mathrm{lay}}", "byte",
    section="bytes", switch="N_mb",
    is_="min(b / one_request, PP * DP) * W_read",
    name=("weight bytes that all devices read in a step of this layout", "该并行方式下全部设备一步读取的权重字节数"),
    reason=("every micro-batch reads the weights of its stage again, every group its own copy; of b requests there are at most "
            "b micro-batches",
            "每个微批都要重读所在级的权重，每组各读自己的一份；b 个请求至多构成 b 个微批"),
    sources=("pope2022", "gpipe2018"),
    example=({"b": "3 request", "PP": "2", "DP": "1", "W_read": "72 GB", "N_mb": "2"}, "144 GB"),
)  # fmt: skip

formula(
    "KV_laid", r"\mathrm{KV}_{\mathrm{lay}}", "byte",
    section="bytes", switch="N_mb",
    is_="KV_read * kappa_dev / kappa * TP * PP",
    name=("KV-cache bytes that all devices read in a step of this layout", "该并行方式下全部设备一步读取的 KV cache 字节数"),
    reason=("each request's own cache once on every device of its group that keeps a part of it, copies included",
            "每个请求自己的 KV cache 由组内保存它的每个设备各读自己的部分，含副本"),
    sources=("pope2022",),
    example=({"KV_read": "12 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "g": "4 device", "PP": "2",
              "DP": "1", "N_mb": "2"}, "12 GB"),
)  # fmt: skip

formula(
    "Q_laid", r"Q_{\mathrm{lay}}", "byte",
    section="bytes", switch="N_mb",
    is_="W_laid + KV_laid",
    name=("bytes that all devices move in a step of this layout", "该并行方式下全部设备一步搬运的字节数"),
    reason=("weights as often as micro-batches read them, the KV cache of each request on every device that keeps it",
            "权重按各微批重读的次数计，KV cache 按保存它的每个设备计"),
    reading=("Q_step counts every byte once: the least that a step can move in any layout.",
             "Q_step 只把每个字节计一次：是任何并行方式下一步搬运量的下限。"),
    sources=("pope2022", "gpipe2018"),
    example=({"W_laid": "144 GB", "KV_laid": "12 GB", "N_mb": "2"}, "156 GB"),
)  # fmt: skip

formula(
    "M_free_layout", "m", "byte",
    section="memory", instead_of="M_free",
    is_="g * (M_frac * M_dev - M_other - W_dev)",
    name=("memory left for the KV cache", "留给 KV cache 的显存"),
    reason=("the usable share of each device, less what the runtime and its weights take, copies included",
            "各设备可用显存，减去运行时占用与其上的权重（含副本）"),
    sources=("vllm2023",),
    example=({"g": "2 device", "M_frac": "0.9", "M_dev": "80 GB/device", "M_other": "2 GB/device",
              "W_dev": "50 GB/device"}, "40 GB"),
)  # fmt: skip

formula(
    "tokens_max_layout", "k", "token",
    section="memory", instead_of="tokens_max",
    is_="max(0, DP * M_free / (g * kappa_dev))",
    name=("tokens the KV cache holds", "KV cache 能容纳的 token 数"),
    reason=("each group holds what one of its devices has memory for; not rounded", "每组能容纳的数量取决于其单个设备的显存；不取整"),
    sources=("vllm2023",),
    example=({"DP": "2", "M_free": "16 GB", "g": "4 device", "kappa_dev": "1 MB/token/device"}, "8000 token"),
)  # fmt: skip

formula(
    "b_max_layout", "b", "request",
    section="memory", instead_of="b_max",
    is_="max(0, DP * floor(M_free / (g * T * kappa_dev)))",
    name=("requests that fit in memory", "显存可容纳的请求数"),
    reason=("whole requests of each group, each with its full context on every device that keeps a part of it",
            "每组只计整数个请求，每个请求在保存其一部分的各设备上都带完整上下文"),
    sources=("vllm2023",),
    example=({"DP": "2", "M_free": "17 GB", "g": "4 device", "T": "1000 token/request", "kappa_dev": "1 MB/token/device"},
             "8 request"),
)  # fmt: skip

formula(
    "b_max_reserved_layout", "b", "request",
    section="memory", instead_of="b_max_reserved",
    is_="max(0, DP * floor(M_free * kappa / (g * KV_reserved * kappa_dev)))",
    name=("requests that fit as an engine reserves", "按引擎预留口径可容纳的请求数"),
    reason=("whole requests of each group, each with what the engine sets aside for it on one device",
            "每组只计整数个请求，每个按引擎在单设备上为其预留的显存计"),
    sources=("vllm2023",),
    example=({"DP": "2", "M_free": "17 GB", "kappa": "2 MB/token", "g": "4 device", "KV_reserved": "2 GB/request",
              "kappa_dev": "1 MB/token/device"}, "8 request"),
)  # fmt: skip

formula(
    "g_min_layout", "g", "device",
    section="memory", instead_of="g_min",
    is_="PP * DP * ceil(W_dev * TP / (M_frac * M_dev - M_other))",
    name=("devices that hold the weights alone", "仅容纳权重所需的设备数"),
    reason=("the weights of a stage over the usable memory of one device, rounded up, in every stage of every group; copies as laid "
            "out here",
            "一级的权重除以单设备可用显存，向上取整，每组的每一级都需这么多；副本数按此处的并行方式"),
    sources=("kipply2022",),
    example=({"W_dev": "100 GB/device", "g": "8 device", "PP": "2", "DP": "2", "M_frac": "0.9", "M_dev": "80 GB/device",
              "M_other": "0 byte/device"}, "12 device"),
)  # fmt: skip

formula(
    "g_fit_layout", "g", "device",
    section="memory", instead_of="g_fit",
    is_="PP * DP * ceil((W_dev + ceil(b / DP) * T * kappa_dev) * TP / (M_frac * M_dev - M_other))",
    name=("devices that hold the weights and this batch", "容纳权重与本批请求所需的设备数"),
    reason=("the same with the KV cache of b requests at T, whole requests in each group; copies as laid out here",
            "同上，另加 b 个请求在上下文 T 时的 KV cache，每组按整数个请求计；副本数按此处的并行方式"),
    sources=("kipply2022",),
    example=({"W_dev": "35 GB/device", "b": "9 request", "PP": "1", "DP": "2", "T": "2000 token/request",
              "kappa_dev": "1 MB/token/device", "g": "4 device", "M_frac": "0.9", "M_dev": "80 GB/device",
              "M_other": "0 byte/device"}, "4 device"),
)  # fmt: skip
