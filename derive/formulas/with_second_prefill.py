"""Prefill to the second order with a prefix cache, or on devices of its own."""

import derive.formulas.second_prefill
import derive.formulas.with_disaggregation_times  # noqa: F401
from derive.formula import formula

# --- prefix cache: what it holds is neither multiplied, sent nor written again -------------------

formula(
    "F_matmul_pre_found", "f", "FLOP",
    section="second", instead_of="F_matmul_pre",
    is_="c_op * (N_mat - N_head) * b_pre * T_new + c_op * N_head * b_pre * one_token",
    name=("matrix operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的矩阵乘运算量"),
    reason=("only tokens that the prefix cache does not hold pass the matrices; the output head is needed for the last position "
            "of each prompt",
            "只有前缀缓存未命中的 token 经过矩阵；输出头只用于每个请求的末位置"),
    sources=("kaplan2020", "radix2023"),
    example=({"N_mat": "71 Gparam", "N_head": "1 Gparam", "b_pre": "2 request", "T_new": "1000 token/request"},
             "280.004 TFLOP"),
)  # fmt: skip

formula(
    "F_att_hit", r"F_{\mathrm{att}}^{\mathrm{hit}}", "FLOP",
    section="second", switch="hit",
    of="F_att_whole", at={"T_in": "T_hit"}, held=("T_hit",),
    name=("attention operations that the prefix cache spares b_pre prompts", "前缀缓存为 b_pre 个请求省去的注意力运算量"),
    reason=("tokens of the prefix among themselves: h (h + 1) / 2 pairs where all earlier tokens are seen",
            "前缀内部各 token 之间的注意力：若能看到此前全部 token，即 h (h + 1) / 2 对"),
    sources=("palm2022", "radix2023"),
    example=({"L": "80", "H_q": "64", "d_head": "128 element/token", "b_pre": "8 request", "T_hit": "2048 token/request",
              "hit": "0.5"}, "44.00193994752 TFLOP"),
)  # fmt: skip

formula(
    "F_att_pre_found", "f", "FLOP",
    section="second", instead_of="F_att_pre",
    is_="F_att_whole - F_att_hit",
    name=("attention operations of the prefill of b_pre prompts", "b_pre 个请求 prefill 的注意力运算量"),
    reason=("new tokens against the prefix and against each other: the pairs of the whole prompt without those within the "
            "prefix",
            "新 token 对前缀及彼此之间的注意力：整个输入的对数减去前缀内部的对数"),
    reading=("New tokens stand at the end of the prompt and see the longest contexts: half of the tokens cost three quarters of "
             "the pairs.",
             "新 token 位于输入末尾，面对的上下文最长：计算一半的 token 仍需四分之三的对数。"),
    sources=("palm2022", "radix2023"),
    example=({"F_att_whole": "44 TFLOP", "F_att_hit": "11 TFLOP"}, "33 TFLOP"),
)  # fmt: skip

formula(
    "tokens_pre_found", "k", "token",
    section="second", instead_of="tokens_pre",
    is_="b_pre * T_new",
    name=("tokens of one prefill pass", "一次 prefill 前向的 token 数"),
    reason=("those of b_pre prompts that the prefix cache does not hold", "b_pre 个请求中前缀缓存未命中的 token"),
    sources=("radix2023",),
    example=({"b_pre": "2 request", "T_new": "500 token/request"}, "1000 token"),
)  # fmt: skip

formula(
    "Q_pre_found", "q", "byte",
    section="second", instead_of="Q_pre",
    is_="W_pre + b_pre / one_request * KV_hit",
    name=("bytes that the prefill of b_pre prompts reads", "b_pre 个请求 prefill 读取的字节数"),
    reason=("the weights once, and the KV of each prompt's prefix once", "权重读一遍，另加每个请求的前缀 KV 各读一遍"),
    sources=("radix2023",),
    example=({"W_pre": "139 GB", "b_pre": "2 request", "KV_hit": "0.5 GB"}, "140 GB"),
)  # fmt: skip

formula(
    "KV_fill_found", "k", "byte",
    section="second", instead_of="KV_fill",
    of="KV_write", at={"b": "b_pre", "n": "T_new"},
    name=("KV-cache bytes that the prefill of b_pre prompts writes", "b_pre 个请求 prefill 写入的 KV cache 字节数"),
    reason=("only tokens that are computed leave their K and V; copies on several devices not counted",
            "只有实际计算的 token 写入 K 与 V；不计多设备上的副本"),
    sources=("kipply2022", "radix2023"),
    example=({"b_pre": "2 request", "T_new": "1000 token/request", "kappa": "320 kB/token"}, "640 MB"),
)  # fmt: skip

formula(
    "t_comm_pre_found", "t", "s",
    section="second", instead_of="t_comm_pre",
    of="t_ring", at={"b": "b_pre", "n": "T_new"},
    name=("ring all-reduce time of the prefill of b_pre prompts", "b_pre 个请求 prefill 的 ring all-reduce 时间"),
    reason=("the same for the tokens that prefill computes, not overlapped with computing; a model of the ring, not a bound",
            "同上，按 prefill 实际计算的 token 计，不与计算重叠；这是 ring 的模型而非界"),
    sources=("pope2022", "radix2023"),
    example=({"L": "80", "g": "4 device", "PP": "1", "DP": "1", "b_pre": "8 request", "T_new": "2048 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "143.165576533 ms"),
)  # fmt: skip

formula(
    "t_a2a_pre_found", "t", "s",
    section="second", instead_of="t_a2a_pre",
    of="t_a2a", at={"b": "b_pre", "n": "T_new"},
    name=("transfer time of the expert all-to-alls of prefill", "prefill 中专家 all-to-all 的传输时间"),
    reason=("the same for the tokens that prefill computes", "同上，按 prefill 实际计算的 token 计"),
    sources=("gshard2020", "radix2023"),
    example=({"L": "60", "E": "64", "EP": "8", "k_exp": "8", "b_pre": "1 request", "T_new": "64 token/request", "g": "8 device",
              "d_model": "7000 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"}, "209.066667 µs"),
)  # fmt: skip

formula(
    "share_over_pre_found", "s", "",
    section="second", instead_of="share_over_pre",
    is_="1 - F_matmul_pre / (F_tok * b_pre * T_new)",
    name=("operations that the first order counts too much in prefill", "一阶模型在 prefill 中多计的运算占比"),
    reason=("of the tokens that prefill computes: tables are looked up, norms scale, and the output head is needed for the last "
            "position of a prompt only",
            "按 prefill 实际计算的 token 计：词表只查表、归一化只做缩放，输出头也只用于每个请求的末位置"),
    sources=("kaplan2020", "radix2023"),
    example=({"F_matmul_pre": "95 TFLOP", "F_tok": "50 GFLOP/token", "b_pre": "2 request", "T_new": "1000 token/request"},
             "0.05"),
)  # fmt: skip

# --- on devices of its own: these share every layer, and hand the KV cache over -------------------

formula(
    "t_ops_pre_apart", "t", "s",
    section="second", instead_of="t_ops_pre",
    is_="(F_matmul_pre + F_att_pre) / (g_pre * P_peak)",
    name=("time of the operations of prefill at peak", "峰值速率下 prefill 的运算时间"),
    reason=("matrix products and attention, shared by the devices that only prefill", "矩阵乘与注意力，由只做 prefill 的设备分担"),
    sources=("kaplan2020", "distserve2024"),
    example=({"F_matmul_pre": "3.9 PFLOP", "F_att_pre": "0.1 PFLOP", "g_pre": "4 device", "P_peak": "1000 TFLOP/s/device"},
             "1 s"),
)  # fmt: skip

formula(
    "t_bubble_apart", "t", "s",
    section="second", instead_of="t_bubble",
    is_="0 * t_ops_pre",
    name=("time in which stages and groups of prefill stand idle", "prefill 中各级与各组空闲的时间"),
    reason=("the devices of prefill are taken as one stage of one group: none waits", "prefill 侧的设备按一级一组计：没有等待"),
    sources=("gpipe2018", "distserve2024"),
    example=({"t_ops_pre": "100 ms"}, "0 s"),
)  # fmt: skip

formula(
    "t_comm_pre_apart", "t", "s",
    section="second", instead_of="t_comm_pre",
    is_="c_ring * L * (g_pre - one_device) / g_pre * b_pre * T_in * d_model * w_act / (B_link * one_device)",
    name=("ring all-reduce time of the prefill of b_pre prompts", "b_pre 个请求 prefill 的 ring all-reduce 时间"),
    reason=("two ring all-reduces a layer among the devices that only prefill, not overlapped with computing; a model of the "
            "ring, not a bound",
            "只做 prefill 的各设备之间每层两次 ring all-reduce，按不与计算重叠计；这是 ring 的模型而非界"),
    sources=("pope2022", "distserve2024"),
    example=({"L": "80", "g_pre": "4 device", "b_pre": "8 request", "T_in": "2048 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "143.165576533 ms"),
)  # fmt: skip

formula(
    "t_comm_pre_found_apart", "t", "s",
    section="second", instead_of="t_comm_pre",
    is_="c_ring * L * (g_pre - one_device) / g_pre * b_pre * T_new * d_model * w_act / (B_link * one_device)",
    name=("ring all-reduce time of the prefill of b_pre prompts", "b_pre 个请求 prefill 的 ring all-reduce 时间"),
    reason=("two ring all-reduces a layer among the devices that only prefill, for the tokens that they compute; a model of the "
            "ring, not a bound",
            "只做 prefill 的各设备之间每层两次 ring all-reduce，按其实际计算的 token 计；这是 ring 的模型而非界"),
    sources=("pope2022", "distserve2024"),
    example=({"L": "80", "g_pre": "4 device", "b_pre": "8 request", "T_new": "2048 token/request",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "143.165576533 ms"),
)  # fmt: skip

formula(
    "t_a2a_pre_apart", "t", "s",
    section="second", instead_of="t_a2a_pre",
    is_="0 * t_comm_pre",
    name=("transfer time of the expert all-to-alls of prefill", "prefill 中专家 all-to-all 的传输时间"),
    reason=("the devices of prefill are taken to share every expert: no token is sent to another", "prefill 侧的设备按共同切分每个专家计：没有 token 发往别处"),
    sources=("gshard2020", "distserve2024"),
    example=({"t_comm_pre": "100 ms"}, "0 s"),
)  # fmt: skip

formula(
    "t_over_pre_apart", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="t_launch_pre + t_comm_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, and all-reduces among the devices of prefill",
            "每层 kernel 的启动与收尾，以及 prefill 侧各设备之间的 all-reduce"),
    sources=("nv-cuda-graphs", "pope2022", "distserve2024"),
    example=({"t_launch_pre": "400 µs", "t_comm_pre": "100 ms"}, "100.4 ms"),
)  # fmt: skip

formula(
    "t_over_pre_alone", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="t_launch_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain; one device has none to wait for",
            "每层 kernel 的启动与收尾；单个设备无须等待其他设备"),
    sources=("nv-cuda-graphs", "distserve2024"),
    example=({"t_launch_pre": "400 µs"}, "400 µs"),
)  # fmt: skip

formula(
    "TTFT_ideal_apart", "t", "s",
    section="second", instead_of="TTFT_ideal",
    is_="max(t_ops_pre, Q_pre / (g_pre * B_peak)) + b_pre / one_request * t_move",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("on the devices that only prefill, and their KV caches handed over one after the other; without collectives",
            "由只做 prefill 的设备完成，再逐个传输 KV cache；不计集合通信"),
    reading=("Nothing of the hand-over overlaps with computing; an engine that sends layer by layer hides a part of it.",
             "传输按不与计算重叠计；按层传输的引擎可隐藏其中一部分。"),
    sources=("pope2022", "distserve2024"),
    example=({"t_ops_pre": "500 ms", "Q_pre": "120 GB", "g_pre": "4 device", "B_peak": "3 TB/s/device",
              "b_pre": "2 request", "t_move": "10 ms"}, "520 ms"),
)  # fmt: skip

formula(
    "TTFT_second_apart", "t", "s",
    section="second", instead_of="TTFT_second",
    is_="max(t_ops_pre, (Q_pre + KV_fill) / (g_pre * B_peak)) + t_over_pre + b_pre / one_request * t_move",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that is written, kernel launches and collectives of the devices that only prefill",
            "理想值，另计写入 KV cache，以及只做 prefill 的设备上的 kernel 启动与集合通信"),
    sources=("pope2022", "distserve2024"),
    example=({"t_ops_pre": "500 ms", "Q_pre": "119 GB", "KV_fill": "1 GB", "g_pre": "4 device", "B_peak": "3 TB/s/device",
              "t_over_pre": "100 ms", "b_pre": "2 request", "t_move": "10 ms"}, "620 ms"),
)  # fmt: skip

formula(
    "TTFT_exp_apart", "t", "s",
    section="second", instead_of="TTFT_exp",
    is_="max(t_ops_pre / MFU, (Q_pre + KV_fill) / (g_pre * MBU * B_peak)) + t_over_pre + b_pre / one_request * t_move",
    calibre="reachable",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads and the hand-over added in full",
            "同上，各按峰值中可达的比例；开销与传输全部相加"),
    sources=("databricks2023", "distserve2024"),
    example=({"t_ops_pre": "500 ms", "Q_pre": "119 GB", "KV_fill": "1 GB", "g_pre": "4 device", "B_peak": "3 TB/s/device",
              "t_over_pre": "100 ms", "b_pre": "2 request", "t_move": "10 ms", "MFU": "0.5", "MBU": "0.5"}, "1.12 s"),
)  # fmt: skip
