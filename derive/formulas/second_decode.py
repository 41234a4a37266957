"""A decode step to the second order: what it really moves and computes, and what it waits for."""

import derive.formulas.collectives  # noqa: F401
from derive.formula import formula

formula(
    "t_ops", r"t_{\mathrm{ops}}", "s",
    section="second",
    is_="(c_op * N_mat + F_att) * b * n / (g * P_peak)",
    name=("time of a step's operations at peak, attention counted", "峰值速率下一步的运算时间（计入注意力）"),
    reason=("matrix products and attention alone: lookups and scales multiply nothing", "只计矩阵乘与注意力：查表与缩放不做乘法"),
    sources=("kaplan2020", "jax-book"),
    example=({"N_mat": "70 Gparam", "F_att": "4 GFLOP/token", "b": "8 request", "n": "1 token/request", "g": "4 device",
              "P_peak": "1000 TFLOP/s/device"}, "0.288 ms"),
)  # fmt: skip

formula(
    "TPOT_ideal", r"\mathrm{TPOT}_{\mathrm{ideal}}", "s*request/token",
    section="second",
    is_="max(t_ops, (PP * W_stream_dev + KV_dev) / B_peak) / n",
    name=("ideal TPOT, second order at peak", "理想 TPOT（二阶，峰值速率）"),
    reason=("the weights that a step streams and the KV cache that it reads, at peak rates and without collectives; a token "
            "passes all stages, so only tensor parallelism shortens its reading of the weights",
            "一步流式读取的权重与 KV cache，按峰值速率、不计集合通信；token 须经过所有级，因此只有张量并行能缩短其读权重的时间"),
    reading=("No software goes below it while every step reads these bytes; groups with fewer requests than the fullest are faster.",
             "只要每步都读这些字节，任何软件都快不过它；请求少于最满一组的组更快。"),
    sources=("pope2022", "jax-book"),
    example=({"t_ops": "1 ms", "PP": "1", "W_stream_dev": "30 GB/device", "KV_dev": "3 GB/device",
              "B_peak": "3 TB/s/device", "n": "1 token/request"}, "11 ms*request/token"),
)  # fmt: skip

formula(
    "KV_write", r"\mathrm{KV}_{\mathrm{write}}", "byte",
    section="second",
    is_="b * n * kappa",
    name=("KV-cache bytes one decode step writes", "一个 decode 步写入的 KV cache 字节数"),
    reason=("each new token leaves its K and V", "每个新 token 写入自己的 K 与 V"),
    sources=("kipply2022",),
    example=({"b": "8 request", "n": "1 token/request", "kappa": "320 kB/token"}, "2.56 MB"),
)  # fmt: skip

formula(
    "KV_write_flat", "k", "byte",
    section="second", instead_of="KV_write",
    is_="b * n * e_full * w_kv",
    name=("KV-cache bytes one decode step writes", "一个 decode 步写入的 KV cache 字节数"),
    reason=("the elements that a token adds in all layers", "每个 token 在所有层中增加的元素"),
    sources=("gqa2023",),
    example=({"b": "8 request", "n": "1 token/request", "e_full": "10000 element/token", "w_kv": "2 byte/element"}, "160 kB"),
)  # fmt: skip

formula(
    "KV_write_window", "k", "byte",
    section="second", instead_of="KV_write",
    is_="b * n * (e_full + e_win) * w_kv + b * S_kv",
    name=("KV-cache bytes one decode step writes", "一个 decode 步写入的 KV cache 字节数"),
    reason=("the elements that a token adds in all layers, and each constant state anew", "每个 token 在所有层中增加的元素，并重写各常量状态"),
    sources=("gqa2023",),
    example=({"b": "8 request", "n": "1 token/request", "e_full": "9000 element/token", "e_win": "1000 element/token", "w_kv": "2 byte/element", "S_kv": "10 kB/request"}, "240 kB"),
)  # fmt: skip

formula(
    "KV_write_windows", "k", "byte",
    section="second", instead_of="KV_write",
    is_="b * n * (e_full + e_win + e_win2) * w_kv + b * S_kv",
    name=("KV-cache bytes one decode step writes", "一个 decode 步写入的 KV cache 字节数"),
    reason=("the elements that a token adds in all layers, and each constant state anew", "每个 token 在所有层中增加的元素，并重写各常量状态"),
    sources=("gqa2023",),
    example=({"b": "8 request", "n": "1 token/request", "e_full": "8000 element/token", "e_win": "1000 element/token", "e_win2": "1000 element/token", "w_kv": "2 byte/element", "S_kv": "10 kB/request"}, "240 kB"),
)  # fmt: skip

formula(
    "KV_write_compressed", "k", "byte",
    section="second", instead_of="KV_write",
    is_="b * n * (e_full + e_win + e_cmp + e_cmp2) * w_kv",
    name=("KV-cache bytes one decode step writes", "一个 decode 步写入的 KV cache 字节数"),
    reason=("the elements that a token adds in all layers, and its share of each compressed entry", "每个 token 在所有层中增加的元素，及其在各压缩条目中的份额"),
    sources=("gqa2023",),
    example=({"b": "8 request", "n": "1 token/request", "e_full": "7000 element/token", "e_win": "1000 element/token", "e_cmp": "1000 element/token", "e_cmp2": "1000 element/token", "w_kv": "2 byte/element"}, "160 kB"),
)  # fmt: skip

formula(
    "KV_write_state", "k", "byte",
    section="second", instead_of="KV_write",
    is_="b * n * e_full * w_kv + b * S_kv",
    name=("KV-cache bytes one decode step writes", "一个 decode 步写入的 KV cache 字节数"),
    reason=("the elements that a token adds, and the constant state of each request anew", "每个 token 增加的元素，并重写每个请求的常量状态"),
    sources=("mamba2023",),
    example=({"b": "8 request", "n": "1 token/request", "e_full": "10000 element/token", "w_kv": "2 byte/element",
              "S_kv": "10 kB/request"}, "240 kB"),
)  # fmt: skip

formula(
    "Q_act", r"Q_{\mathrm{act}}", "byte",
    section="second",
    is_="c_act * L * b * n * d_model * w_act",
    name=("activation bytes one decode step moves", "一个 decode 步搬运的激活字节数"),
    reason=("the hidden state of each token goes in and out of both halves of a layer; what lies between stays in caches: a "
            "lower figure",
            "每个 token 的隐藏状态进出每层的两半；中间结果留在片上缓存：偏低"),
    sources=("jax-book",),
    example=({"L": "80", "b": "8 request", "n": "1 token/request", "d_model": "8192 element/token",
              "w_act": "2 byte/element"}, "41.94304 MB"),
)  # fmt: skip

formula(
    "Q_more_dev", r"Q_{\mathrm{more},\mathrm{dev}}", "byte/device",
    section="second",
    is_="KV_write * kappa_dev / kappa / DP + Q_act / (PP * DP * one_device)",
    name=("bytes that one device writes or moves besides", "单设备另外写入与搬运的字节数"),
    reason=("the KV cache of the new tokens, copies included, and activations, which every device of a tensor-parallel group "
            "moves",
            "新 token 的 KV cache（含副本）与激活，后者在张量并行组内每个设备都要搬运"),
    sources=("jax-book",),
    example=({"KV_write": "8 MB", "kappa_dev": "40 kB/token/device", "kappa": "320 kB/token", "DP": "1", "PP": "1",
              "Q_act": "40 MB"}, "41 MB/device"),
)  # fmt: skip

formula(
    "t_over", r"t_{\mathrm{over}}", "s",
    section="second",
    is_="L * t_launch",
    name=("time of a step in which no bytes stream", "一步中不搬运显存数据的时间"),
    reason=("the kernels of every layer start and drain", "每层 kernel 的启动与收尾"),
    sources=("nv-cuda-graphs", "hazy2025"),
    example=({"L": "80", "t_launch": "5 µs"}, "400 µs"),
)  # fmt: skip

formula(
    "t_over_group", "t", "s",
    section="second", instead_of="t_over",
    is_="L * t_launch + t_link",
    name=("time of a step in which no bytes stream", "一步中不搬运显存数据的时间"),
    reason=("the kernels of every layer start and drain, and devices wait for each other", "每层 kernel 的启动与收尾，以及设备间的相互等待"),
    sources=("nv-cuda-graphs", "hazy2025", "pope2022"),
    example=({"L": "80", "t_launch": "5 µs", "t_link": "100 µs"}, "500 µs"),
)  # fmt: skip

formula(
    "TPOT_second", r"\mathrm{TPOT}_{2}", "s*request/token",
    section="second",
    is_="(max(t_ops, (PP * W_stream_dev + KV_dev + Q_more_dev) / B_peak) + t_over) / n",
    name=("TPOT of the second order at peak, overheads counted", "峰值速率下的二阶 TPOT（计入开销）"),
    reason=("the ideal, with what is written besides, kernel launches and collectives", "理想值，另计写入、kernel 启动与集合通信"),
    sources=("pope2022", "jax-book"),
    example=({"t_ops": "1 ms", "PP": "1", "W_stream_dev": "30 GB/device", "KV_dev": "2 GB/device",
              "Q_more_dev": "1 GB/device", "B_peak": "3 TB/s/device", "t_over": "500 µs", "n": "1 token/request"},
             "11.5 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_exp", r"\mathrm{TPOT}_{\mathrm{exp}}", "s*request/token",
    section="second",
    is_="(max(t_ops / MFU, (PP * W_stream_dev + KV_dev + Q_more_dev) / (MBU * B_peak)) + t_over) / n",
    calibre="reachable",
    name=("expected TPOT, second order at reachable rates", "预期 TPOT（二阶，可达速率）"),
    reason=("the same bytes and operations at the share of each peak that is reachable; overheads added in full",
            "同样的字节与运算，各按峰值中可达的比例；开销全部相加"),
    reading=("An MBU that was measured end to end already holds overheads of its own run: then this is an upper figure.",
             "端到端实测的 MBU 已含其自身的开销，此时该值偏高。"),
    sources=("databricks2023", "pope2022"),
    example=({"t_ops": "1 ms", "PP": "1", "W_stream_dev": "30 GB/device", "KV_dev": "2 GB/device",
              "Q_more_dev": "1 GB/device", "B_peak": "3 TB/s/device", "t_over": "500 µs", "MFU": "0.5", "MBU": "0.5",
              "n": "1 token/request"}, "22.5 ms*request/token"),
)  # fmt: skip

formula(
    "share_kv_window", r"\sigma_{\mathrm{win}}", "",
    section="second",
    is_="b * e_win * min(T, T_win) * w_kv / KV_read",
    name=("layers with a window over the KV-cache bytes read", "有窗口的层占 KV cache 读取字节的比例"),
    reason=("they keep at most the window", "这类层至多保留窗口长度"),
    sources=("gqa2023",),
    example=({"b": "8 request", "e_win": "1000 element/token", "T": "4000 token/request", "T_win": "1000 token/request",
              "w_kv": "2 byte/element", "KV_read": "160 MB"}, "0.1"),
)  # fmt: skip

formula(
    "share_kv_window_again", "s", "",
    section="second", instead_of="share_kv_window",
    is_="b * (e_win + e_again_win) * min(T, T_win) * w_kv / KV_read",
    name=("layers with a window over the KV-cache bytes read", "有窗口的层占 KV cache 读取字节的比例"),
    reason=("they keep at most the window, and each reads it, shared or not", "这类层至多保留窗口长度；无论是否共享，每层各读一遍"),
    sources=("gqa2023",),
    example=({"b": "8 request", "e_win": "1000 element/token", "e_again_win": "1000 element/token",
              "T": "4000 token/request", "T_win": "1000 token/request", "w_kv": "2 byte/element", "KV_read": "160 MB"},
             "0.2"),
)  # fmt: skip

formula(
    "share_kv_window_two", "s", "",
    section="second", instead_of="share_kv_window",
    is_="b * (e_win * min(T, T_win) + e_win2 * min(T, T_win2)) * w_kv / KV_read",
    name=("layers with a window over the KV-cache bytes read", "有窗口的层占 KV cache 读取字节的比例"),
    reason=("they keep at most their window", "这类层至多保留各自的窗口长度"),
    sources=("gqa2023",),
    example=({"b": "8 request", "e_win": "1000 element/token", "e_win2": "500 element/token", "T": "4000 token/request",
              "T_win": "1000 token/request", "T_win2": "2000 token/request", "w_kv": "2 byte/element",
              "KV_read": "160 MB"}, "0.2"),
)  # fmt: skip

formula(
    "share_kv_state", r"\sigma_{\mathrm{st}}", "",
    section="second",
    is_="b * S_kv / KV_read",
    name=("constant states over the KV-cache bytes read", "常量状态占 KV cache 读取字节的比例"),
    reason=("a state is read whole in every step, at any context", "无论上下文多长，每步都要读出整个状态"),
    sources=("mamba2023",),
    example=({"b": "8 request", "S_kv": "2 MB/request", "KV_read": "160 MB"}, "0.1"),
)  # fmt: skip

formula(
    "share_write", r"\sigma_{\mathrm{wr}}", "",
    section="second",
    is_="KV_write / (W_stream + KV_read)",
    name=("KV-cache bytes written over the bytes read", "写入的 KV cache 字节与读取字节之比"),
    reason=("each new token is written once, and every token is read in each step", "每个新 token 只写一次，而每步都要读全部 token"),
    sources=("kipply2022",),
    example=({"KV_write": "2 MB", "W_stream": "95 GB", "KV_read": "5 GB"}, "0.00002"),
)  # fmt: skip

formula(
    "share_act", r"\sigma_{\mathrm{act}}", "",
    section="second",
    is_="Q_act / (W_stream + KV_read)",
    name=("activation bytes over the bytes read", "激活字节与读取字节之比"),
    reason=("the hidden state of a few tokens beside all the weights; a lower figure", "少量 token 的隐藏状态相对于全部权重；偏低"),
    sources=("jax-book",),
    example=({"Q_act": "50 MB", "W_stream": "95 GB", "KV_read": "5 GB"}, "0.0005"),
)  # fmt: skip

formula(
    "share_launch", r"\sigma_{\mathrm{launch}}", "",
    section="second",
    is_="L * t_launch / (TPOT_ideal * n)",
    name=("kernel-launch floor over the ideal step", "kernel 启动下限与理想步时间之比"),
    reason=("the kernels of every layer start and drain", "每层 kernel 的启动与收尾"),
    sources=("nv-cuda-graphs", "hazy2025"),
    example=({"L": "80", "t_launch": "5 µs", "TPOT_ideal": "10 ms*request/token", "n": "1 token/request"}, "0.04"),
)  # fmt: skip
