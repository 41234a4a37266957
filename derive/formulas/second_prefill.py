"""Prefill to the second order: matrix products, causal attention, the bubble of a pipeline."""

import derive.formulas.second_attention  # noqa: F401
from derive.formula import formula

formula(
    "F_matmul_pre", r"F_{\mathrm{mm}}^{\mathrm{pre}}", "FLOP",
    section="second",
    is_="c_op * (N_mat - N_head) * b_pre * T_in + c_op * N_head * b_pre * one_token",
    name=("matrix operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的矩阵乘运算量"),
    reason=("every token passes every matrix, but the output head is needed for the last position of each prompt only",
            "每个 token 都经过全部矩阵，但输出头只用于每个请求的末位置"),
    sources=("kaplan2020", "jax-book"),
    example=({"N_mat": "71 Gparam", "N_head": "1 Gparam", "b_pre": "2 request", "T_in": "1000 token/request"},
             "280.004 TFLOP"),
)  # fmt: skip

formula(
    "F_att_pre", r"F_{\mathrm{att}}^{\mathrm{pre}}", "FLOP",
    section="second",
    is_="F_att_whole",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("every token of the prompts is computed", "计算输入的全部 token"),
    sources=("palm2022", "jax-book"),
    example=({"F_att_whole": "44 TFLOP"}, "44 TFLOP"),
)  # fmt: skip

formula(
    "tokens_pre", r"k_{\mathrm{pre}}", "token",
    section="second",
    is_="b_pre * T_in",
    name=("tokens of one prefill pass", "一次 prefill 前向的 token 数"),
    reason=("all tokens of b_pre prompts", "b_pre 个请求的全部输入 token"),
    sources=("pope2022",),
    example=({"b_pre": "2 request", "T_in": "1000 token/request"}, "2000 token"),
)  # fmt: skip

formula(
    "W_pre", r"W_{\mathrm{pre}}", "byte",
    section="second",
    is_="W_stream",
    name=("weight bytes that one pass of prefill streams", "一次 prefill 前向流式读取的权重字节数"),
    reason=("all weights once for the whole pass, but the tables that are looked up", "整批共用，除只查表的部分外读一遍全部权重"),
    sources=("jax-book",),
    example=({"W_stream": "139 GB"}, "139 GB"),
)  # fmt: skip

formula(
    "W_pre_experts", "w", "byte",
    section="second", instead_of="W_pre",
    is_="W_stream - W_hit + N_exp * w_exp * (1 - pow(1 - k_exp / E, tokens_pre / (one_request * one_token)))",
    name=("weight bytes that one pass of prefill streams", "一次 prefill 前向流式读取的权重字节数"),
    reason=("the experts that its tokens hit, and the rest without the tables that are looked up",
            "其 token 命中的专家，以及其余部分（只查表的除外）"),
    sources=("pope2022",),
    example=({"W_stream": "22 GB", "W_hit": "20 GB", "N_exp": "40 Gparam", "w_exp": "1 byte/param", "E": "8",
              "k_exp": "2", "tokens_pre": "1 token"}, "12 GB"),
)  # fmt: skip

formula(
    "W_pre_two", "w", "byte",
    section="second", instead_of="W_pre",
    is_="W_stream - W_hit + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, tokens_pre / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, tokens_pre / (one_request * one_token)))) * w_exp",
    name=("weight bytes that one pass of prefill streams", "一次 prefill 前向流式读取的权重字节数"),
    reason=("the experts that its tokens hit, by the number of experts of a layer, and the rest without the tables that are "
            "looked up",
            "其 token 命中的专家（按各层的专家数分别计），以及其余部分（只查表的除外）"),
    sources=("pope2022",),
    example=({"W_stream": "22 GB", "W_hit": "20 GB", "N_exp": "50 Gparam", "N_exp2": "10 Gparam",
              "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "E2": "4", "k_exp2": "3", "tokens_pre": "1 token"},
             "19.5 GB"),
)  # fmt: skip

formula(
    "Q_pre", r"Q_{\mathrm{pre}}", "byte",
    section="second",
    is_="W_pre",
    name=("bytes that the prefill of b_pre prompts reads", "b_pre 个请求 prefill 读取的字节数"),
    reason=("one pass reads the weights once; nothing is cached before it", "一次前向读一遍权重；此前没有缓存"),
    sources=("jax-book",),
    example=({"W_pre": "139 GB"}, "139 GB"),
)  # fmt: skip

formula(
    "KV_fill", r"\mathrm{KV}_{\mathrm{write}}^{\mathrm{pre}}", "byte",
    section="second",
    of="KV_write", at={"b": "b_pre", "n": "T_in"},
    name=("KV-cache bytes that the prefill of b_pre prompts writes", "b_pre 个请求 prefill 写入的 KV cache 字节数"),
    reason=("as in a decode step, for every token of the prompts; copies on several devices not counted",
            "与 decode 步相同，按输入的全部 token 计；不计多设备上的副本"),
    sources=("kipply2022",),
    example=({"b_pre": "2 request", "T_in": "1000 token/request", "kappa": "320 kB/token"}, "640 MB"),
)  # fmt: skip

formula(
    "t_ops_pre", r"t_{\mathrm{ops}}^{\mathrm{pre}}", "s",
    section="second",
    is_="(F_matmul_pre + F_att_pre) / (g * P_peak)",
    name=("time of the operations of prefill at peak", "峰值速率下 prefill 的运算时间"),
    reason=("matrix products and attention, shared by all devices", "矩阵乘与注意力，由全部设备分担"),
    sources=("kaplan2020", "palm2022"),
    example=({"F_matmul_pre": "3.9 PFLOP", "F_att_pre": "0.1 PFLOP", "g": "4 device", "P_peak": "1000 TFLOP/s/device"},
             "1 s"),
)  # fmt: skip

formula(
    "TTFT_ideal", r"\mathrm{TTFT}_{\mathrm{ideal}}", "s",
    section="second",
    is_="max(t_ops_pre, Q_pre / (g * B_peak))",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("their operations, or the bytes that are read if these take longer; without collectives and with every device "
            "at work",
            "取其运算时间与读取字节的时间中较长者；不计集合通信，并设全部设备都在工作"),
    sources=("pope2022", "jax-book"),
    example=({"t_ops_pre": "500 ms", "Q_pre": "120 GB", "g": "4 device", "B_peak": "3 TB/s/device"}, "500 ms"),
)  # fmt: skip

formula(
    "t_bubble", r"t_{\mathrm{bub}}", "s",
    section="second",
    is_="t_ops_pre * (DP * (ceil(b_pre / DP) + (PP - 1) * one_request) / b_pre - 1)",
    name=("time in which stages and groups of prefill stand idle", "prefill 中各级与各组空闲的时间"),
    reason=("the prompts of a group follow each other through its stages as micro-batches; PP − 1 turns fill and drain the "
            "pipeline, and groups without a prompt wait",
            "每组的请求作为微批依次经过各级；流水线的充满与排空需 PP − 1 个节拍，没有请求的组则等待"),
    reading=("Nothing with one stage and one group.", "只有一级一组时为零。"),
    sources=("gpipe2018",),
    example=({"t_ops_pre": "100 ms", "DP": "1", "b_pre": "4 request", "PP": "2"}, "25 ms"),
)  # fmt: skip

formula(
    "t_launch_pre", r"t_{\mathrm{launch}}^{\mathrm{pre}}", "s",
    section="second",
    is_="L * t_launch",
    name=("time of the kernel launches of prefill", "prefill 的 kernel 启动时间"),
    reason=("the kernels of every layer start and drain once", "每层 kernel 各启动与收尾一次"),
    sources=("nv-cuda-graphs", "hazy2025"),
    example=({"L": "80", "t_launch": "5 µs"}, "400 µs"),
)  # fmt: skip

formula(
    "t_over_pre", r"t_{\mathrm{over}}^{\mathrm{pre}}", "s",
    section="second",
    is_="t_launch_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain", "每层 kernel 的启动与收尾"),
    sources=("nv-cuda-graphs", "hazy2025"),
    example=({"t_launch_pre": "400 µs"}, "400 µs"),
)  # fmt: skip

formula(
    "t_over_pre_group", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="t_launch_pre + t_comm_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, and all-reduces that do not overlap", "每层 kernel 的启动与收尾，以及不重叠的 all-reduce"),
    sources=("nv-cuda-graphs", "hazy2025", "pope2022"),
    example=({"t_launch_pre": "400 µs", "t_comm_pre": "100 ms"}, "100.4 ms"),
)  # fmt: skip

formula(
    "t_over_pre_experts", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="t_launch_pre + t_comm_pre + t_a2a_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, and all-reduces and all-to-alls that do not overlap",
            "每层 kernel 的启动与收尾，以及不重叠的 all-reduce 与 all-to-all"),
    sources=("nv-cuda-graphs", "hazy2025", "gshard2020"),
    example=({"t_launch_pre": "400 µs", "t_comm_pre": "100 ms", "t_a2a_pre": "10 ms"}, "110.4 ms"),
)  # fmt: skip

formula(
    "TTFT_second", r"\mathrm{TTFT}_{2}", "s",
    section="second",
    is_="max(t_ops_pre, (Q_pre + KV_fill) / (g * B_peak)) + t_bubble + t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that is written, idle stages, kernel launches and collectives", "理想值，另计写入 KV cache、各级空闲、kernel 启动与集合通信"),
    sources=("pope2022", "gpipe2018"),
    example=({"t_ops_pre": "500 ms", "Q_pre": "119 GB", "KV_fill": "1 GB", "g": "4 device", "B_peak": "3 TB/s/device", "t_bubble": "50 ms",
              "t_over_pre": "100 ms"}, "650 ms"),
)  # fmt: skip

formula(
    "TTFT_exp", r"\mathrm{TTFT}_{\mathrm{exp}}", "s",
    section="second",
    is_="max(t_ops_pre / MFU, (Q_pre + KV_fill) / (g * MBU * B_peak)) + t_bubble / MFU + t_over_pre",
    calibre="reachable",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    reading=("An MFU that was measured end to end already holds overheads of its own run: then this is an upper figure.",
             "端到端实测的 MFU 已含其自身的开销，此时该值偏高。"),
    sources=("databricks2023", "pope2022"),
    example=({"t_ops_pre": "500 ms", "Q_pre": "119 GB", "KV_fill": "1 GB", "g": "4 device", "B_peak": "3 TB/s/device", "t_bubble": "50 ms",
              "t_over_pre": "100 ms", "MFU": "0.5", "MBU": "0.5"}, "1.2 s"),
)  # fmt: skip

formula(
    "share_over_pre", r"\sigma_{\mathrm{over}}^{\mathrm{pre}}", "",
    section="second",
    is_="1 - F_matmul_pre / (F_tok * b_pre * T_in)",
    name=("operations that the first order counts too much in prefill", "一阶模型在 prefill 中多计的运算占比"),
    reason=("tables are looked up, norms scale, and the output head is needed for the last position of a prompt only",
            "词表只查表、归一化只做缩放，输出头也只用于每个请求的末位置"),
    sources=("kaplan2020", "jax-book"),
    example=({"F_matmul_pre": "95 TFLOP", "F_tok": "50 GFLOP/token", "b_pre": "2 request", "T_in": "1000 token/request"},
             "0.05"),
)  # fmt: skip
