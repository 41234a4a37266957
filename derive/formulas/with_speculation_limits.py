"""Speculative decoding: against plain decoding, and the memory that a draft model takes."""

import derive.formulas.with_speculation  # noqa: F401
from derive.formula import formula

formula(
    "t_plain", r"t_{\mathrm{plain}}", "s",
    section="step", switch="alpha",
    of="t_step_eff", at={"n": "one_token"},
    calibre="reachable",
    name=("time of a decode step without speculation", "不启用投机解码时一步的时间"),
    reason=("the same replica, one token of each request", "同一副本，每个请求一个 token"),
    sources=("leviathan2022", "chen2023"),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "W_read": "144 GB", "T": "1500 token/request",
              "kappa": "1 MB/token", "g": "4 device", "P_peak": "989.5 TFLOP/s/device", "B_peak": "3 TB/s/device",
              "MFU": "0.5", "MBU": "0.5", "alpha": "0.5"}, "26 ms"),
)  # fmt: skip

formula(
    "TPOT_plain", r"\mathrm{TPOT}_{\mathrm{plain}}", "s*request/token",
    section="step",
    is_="t_plain / one_token",
    calibre="reachable",
    name=("TPOT without speculation", "不启用投机解码时的 TPOT"),
    reason=("each request gets one token a step", "每个请求每步得到一个 token"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_plain": "20 ms"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "gain_spec", r"s_{\mathrm{spec}}", "",
    section="step",
    is_="TPOT_plain / TPOT",
    calibre="reachable",
    name=("speed-up by speculation", "投机解码的加速比"),
    reason=("below 1 it costs more than it yields", "小于 1 时得不偿失"),
    sources=("leviathan2022", "chen2023"),
    example=({"TPOT_plain": "30 ms*request/token", "TPOT": "20 ms*request/token"}, "1.5"),
)  # fmt: skip

formula(
    "b_spec", r"b_{\mathrm{spec}}", "request",
    section="batch",
    solve=("t_round", "n_gain / one_token * t_plain", "b"),
    calibre="reachable",
    name=("batch at which speculation no longer helps", "投机解码不再有收益的批大小"),
    reason=("a round takes as long as plain decoding needs for the tokens it yields: verification reaches the compute roof at a batch n times smaller, and from there its time grows with the batch",
            "一轮的时间等于普通 decode 产出同样 token 所需的时间：校验到达算力屋顶的批大小只有普通 decode 的 1/n，此后其时间随批大小增长"),
    sources=("leviathan2022", "chen2023"),
    example=({"F_tok": "140 GFLOP/token", "W_read": "140 GB", "g": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5", "T": "1 token/request", "kappa": "1 byte/token",
              "alpha": "0.5", "n": "3 token/request", "k_draft": "2 token/request"}, "292 request"),
)  # fmt: skip

formula(
    "M_free_draft", "m", "byte",
    section="memory", instead_of="M_free",
    is_="g * (M_frac * M_dev - M_other) - W - W_draft",
    name=("memory left for the KV cache", "留给 KV cache 的显存"),
    reason=("the usable share of the devices, less what the runtime, the weights and those of the draft model take",
            "各设备可用显存，减去运行时占用、权重与草稿模型的权重"),
    sources=("vllm2023", "leviathan2022"),
    example=({"g": "2 device", "M_frac": "0.9", "M_dev": "80 GB/device", "M_other": "2 GB/device", "W": "100 GB",
              "W_draft": "2 GB"}, "38 GB"),
)  # fmt: skip

formula(
    "g_min_draft", "g", "device",
    section="memory", instead_of="g_min",
    is_="ceil((W + W_draft) / (M_frac * M_dev - M_other))",
    name=("devices that hold the weights alone", "仅容纳权重所需的设备数"),
    reason=("weight bytes, those of the draft model included, over the usable memory of one device, rounded up",
            "权重字节数（含草稿模型）除以单设备可用显存，向上取整"),
    sources=("kipply2022", "leviathan2022"),
    example=({"W": "143 GB", "W_draft": "2 GB", "M_frac": "0.9", "M_dev": "80 GB/device",
              "M_other": "0 byte/device"}, "3 device"),
)  # fmt: skip

formula(
    "g_fit_draft", "g", "device",
    section="memory", instead_of="g_fit",
    is_="ceil((W + W_draft + b * T * (kappa + kappa_draft)) / (M_frac * M_dev - M_other))",
    name=("devices that hold the weights and this batch", "容纳权重与本批请求所需的设备数"),
    reason=("weights and KV cache of the model and of the draft model, for b requests at T",
            "目标模型与草稿模型的权重，以及 b 个请求在上下文 T 时二者的 KV cache"),
    sources=("kipply2022", "leviathan2022"),
    example=({"W": "140 GB", "W_draft": "2 GB", "b": "1 request", "T": "1000 token/request", "kappa": "1 MB/token",
              "kappa_draft": "1 MB/token", "M_frac": "0.9", "M_dev": "80 GB/device",
              "M_other": "0 byte/device"}, "2 device"),
)  # fmt: skip

formula(
    "tokens_max_draft", "k", "token",
    section="memory", instead_of="tokens_max",
    is_="max(0, M_free / (kappa + kappa_draft))",
    name=("tokens the KV cache holds", "KV cache 能容纳的 token 数"),
    reason=("the free memory over the bytes of a token in both caches; not rounded", "剩余显存除以每 token 在两份 KV cache 中的字节数；不取整"),
    sources=("vllm2023", "leviathan2022"),
    example=({"M_free": "16 GB", "kappa": "1.5 MB/token", "kappa_draft": "0.5 MB/token"}, "8000 token"),
)  # fmt: skip

formula(
    "b_max_draft", "b", "request",
    section="memory", instead_of="b_max",
    is_="max(0, floor(M_free / (T * (kappa + kappa_draft))))",
    name=("requests that fit in memory", "显存可容纳的请求数"),
    reason=("whole requests only, each with its full context in both caches", "只计整数个请求，每个在两份 KV cache 中都带完整上下文"),
    sources=("vllm2023", "leviathan2022"),
    example=({"M_free": "17 GB", "T": "1000 token/request", "kappa": "1.5 MB/token",
              "kappa_draft": "0.5 MB/token"}, "8 request"),
)  # fmt: skip

formula(
    "b_max_reserved_draft", "b", "request",
    section="memory", instead_of="b_max_reserved",
    is_="max(0, floor(M_free / (KV_reserved + kappa_draft * T_rsv)))",
    name=("requests that fit as an engine reserves", "按引擎预留口径可容纳的请求数"),
    reason=("whole requests only, each with what the engine sets aside for it in both caches",
            "只计整数个请求，每个按引擎在两份 KV cache 中为其预留的显存计"),
    sources=("vllm2023", "leviathan2022"),
    example=({"M_free": "17 GB", "KV_reserved": "1.5 GB/request", "kappa_draft": "0.5 MB/token",
              "T_rsv": "1000 token/request"}, "8 request"),
)  # fmt: skip
