"""Prefill to the second order: matrix products, causal attention, the bubble of a pipeline."""

import derive.formulas.second_decode  # noqa: F401
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
    is_="c_att * L * H_q * d_head * b_pre * T_in * (T_in + one_token) / 2",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("the causal mask leaves n (n + 1) / 2 pairs of a prompt of n tokens", "因果掩码下，n 个 token 的输入只剩 n (n + 1) / 2 对"),
    sources=("palm2022", "jax-book"),
    example=({"L": "80", "H_q": "64", "d_head": "128 element/token", "b_pre": "8 request", "T_in": "2048 token/request"},
             "44.00193994752 TFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_flat", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2)",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("all layers see every earlier token",
            "各层都看到此前的全部 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2"}, "10 MFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_window", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2)",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("layers with a window see at most its length",
            "有窗口的层至多看到窗口长度"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request"}, "17 MFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_windows", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2 "
        "+ a_win2 * min(T_in, T_win2) * (T_in + T_in - min(T_in, T_win2) + one_token) / 2)",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("layers with a window see at most its length",
            "有窗口的层至多看到各自的窗口长度"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request",
              "a_win2": "1 MFLOP*request/token^2", "T_win2": "1 token/request"}, "21 MFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_compressed", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="b_pre * ((a_pre + a_cmp + a_cmp2) * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2)",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("compressed entries of all earlier tokens, and at most a window of tokens",
            "此前全部 token 的压缩条目，以及至多一个窗口的 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_cmp": "1 MFLOP*request/token^2", "a_cmp2": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request"}, "37 MFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_sparse", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="b_pre * (a_pre * T_in * (T_in + one_token) / 2 "
        "+ a_pick * min(T_in, T_pick) * (T_in + T_in - min(T_in, T_pick) + one_token) / 2)",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("the indexer scores every earlier token, attention works on those it picks",
            "索引器对此前的每个 token 打分，注意力只处理选出的 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_pick": "1 MFLOP*request/token^2", "T_pick": "3 token/request"}, "19 MFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_compressed_sparse", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="b_pre * ((a_pre + a_cmp + a_cmp2) * T_in * (T_in + one_token) / 2 "
        "+ a_win * min(T_in, T_win) * (T_in + T_in - min(T_in, T_win) + one_token) / 2 "
        "+ a_pick * min(T_in, T_pick) * (T_in + T_in - min(T_in, T_pick) + one_token) / 2)",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("the indexer scores every entry; attention works on those it picks and on a window of tokens",
            "索引器对每个条目打分；注意力只处理选出的条目与一个窗口的 token"),
    sources=("palm2022",),
    example=({"b_pre": "1 request", "T_in": "4 token/request", "a_pre": "1 MFLOP*request/token^2",
              "a_cmp": "1 MFLOP*request/token^2", "a_cmp2": "1 MFLOP*request/token^2",
              "a_win": "1 MFLOP*request/token^2", "T_win": "2 token/request",
              "a_pick": "1 MFLOP*request/token^2", "T_pick": "3 token/request"}, "46 MFLOP"),
)  # fmt: skip

formula(
    "W_pre", r"W_{\mathrm{pre}}", "byte",
    section="second",
    is_="W_stream",
    name=("weight bytes that the prefill of b_pre prompts streams", "b_pre 个请求 prefill 流式读取的权重字节数"),
    reason=("all weights once for the whole pass, but the tables that are looked up", "整批共用，除只查表的部分外读一遍全部权重"),
    sources=("jax-book",),
    example=({"W_stream": "139 GB"}, "139 GB"),
)  # fmt: skip

formula(
    "W_pre_experts", "w", "byte",
    section="second", instead_of="W_pre",
    is_="W_stream - W_hit + N_exp * w_exp * (1 - pow(1 - k_exp / E, b_pre * T_in / (one_request * one_token)))",
    name=("weight bytes that the prefill of b_pre prompts streams", "b_pre 个请求 prefill 流式读取的权重字节数"),
    reason=("the experts that its tokens hit, and the rest without the tables that are looked up",
            "其 token 命中的专家，以及其余部分（只查表的除外）"),
    sources=("pope2022",),
    example=({"W_stream": "22 GB", "W_hit": "20 GB", "N_exp": "40 Gparam", "w_exp": "1 byte/param", "E": "8",
              "k_exp": "2", "b_pre": "1 request", "T_in": "1 token/request"}, "12 GB"),
)  # fmt: skip

formula(
    "W_pre_two", "w", "byte",
    section="second", instead_of="W_pre",
    is_="W_stream - W_hit + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, b_pre * T_in / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, b_pre * T_in / (one_request * one_token)))) * w_exp",
    name=("weight bytes that the prefill of b_pre prompts streams", "b_pre 个请求 prefill 流式读取的权重字节数"),
    reason=("the experts that its tokens hit, by the number of experts of a layer, and the rest without the tables that are "
            "looked up",
            "其 token 命中的专家（按各层的专家数分别计），以及其余部分（只查表的除外）"),
    sources=("pope2022",),
    example=({"W_stream": "22 GB", "W_hit": "20 GB", "N_exp": "50 Gparam", "N_exp2": "10 Gparam",
              "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "E2": "4", "k_exp2": "3", "b_pre": "1 request",
              "T_in": "1 token/request"}, "19.5 GB"),
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
    is_="max(t_ops_pre, W_pre / (g * B_peak))",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("their operations, or one reading of the weights if that takes longer; without collectives and with every device "
            "at work",
            "取其运算时间与读一遍权重的时间中较长者；不计集合通信，并设全部设备都在工作"),
    sources=("pope2022", "jax-book"),
    example=({"t_ops_pre": "500 ms", "W_pre": "120 GB", "g": "4 device", "B_peak": "3 TB/s/device"}, "500 ms"),
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
    "t_over_pre", r"t_{\mathrm{over}}^{\mathrm{pre}}", "s",
    section="second",
    is_="L * t_launch",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain", "每层 kernel 的启动与收尾"),
    sources=("nv-cuda-graphs", "hazy2025"),
    example=({"L": "80", "t_launch": "5 µs"}, "400 µs"),
)  # fmt: skip

formula(
    "t_over_pre_group", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="L * t_launch + t_comm_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, and all-reduces that do not overlap", "每层 kernel 的启动与收尾，以及不重叠的 all-reduce"),
    sources=("nv-cuda-graphs", "hazy2025", "pope2022"),
    example=({"L": "80", "t_launch": "5 µs", "t_comm_pre": "100 ms"}, "100.4 ms"),
)  # fmt: skip

formula(
    "t_over_pre_experts", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="L * t_launch + t_comm_pre + t_a2a_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, and all-reduces and all-to-alls that do not overlap",
            "每层 kernel 的启动与收尾，以及不重叠的 all-reduce 与 all-to-all"),
    sources=("nv-cuda-graphs", "hazy2025", "gshard2020"),
    example=({"L": "80", "t_launch": "5 µs", "t_comm_pre": "100 ms", "t_a2a_pre": "10 ms"}, "110.4 ms"),
)  # fmt: skip

formula(
    "TTFT_second", r"\mathrm{TTFT}_{2}", "s",
    section="second",
    is_="max(t_ops_pre, W_pre / (g * B_peak)) + t_bubble + t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with idle stages, kernel launches and collectives", "理想值，另计各级空闲、kernel 启动与集合通信"),
    sources=("pope2022", "gpipe2018"),
    example=({"t_ops_pre": "500 ms", "W_pre": "120 GB", "g": "4 device", "B_peak": "3 TB/s/device", "t_bubble": "50 ms",
              "t_over_pre": "100 ms"}, "650 ms"),
)  # fmt: skip

formula(
    "TTFT_exp", r"\mathrm{TTFT}_{\mathrm{exp}}", "s",
    section="second",
    is_="max(t_ops_pre / MFU, W_pre / (g * MBU * B_peak)) + t_bubble / MFU + t_over_pre",
    calibre="reachable",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    reading=("An MFU that was measured end to end already holds overheads of its own run: then this is an upper figure.",
             "端到端实测的 MFU 已含其自身的开销，此时该值偏高。"),
    sources=("databricks2023", "pope2022"),
    example=({"t_ops_pre": "500 ms", "W_pre": "120 GB", "g": "4 device", "B_peak": "3 TB/s/device", "t_bubble": "50 ms",
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
