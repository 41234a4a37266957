"""Prefill to the second order where a replica has several stages or groups."""

import derive.formulas.layout_prefill
import derive.formulas.with_second_prefill  # noqa: F401
from derive.formula import formula

formula(
    "tokens_pre_layout", "k", "token",
    section="second", instead_of="tokens_pre",
    is_="one_request * T_in",
    name=("tokens of one prefill pass", "一次 prefill 前向的 token 数"), reason=("one prompt: those of a group follow each other through the stages as micro-batches", "单个请求：组内各请求作为微批依次流过各级"),
    sources=("gpipe2018",),
    example=({"T_in": "2000 token/request"}, "2000 token"),
)  # fmt: skip

formula(
    "tokens_pre_found_layout", "k", "token",
    section="second", instead_of="tokens_pre",
    is_="one_request * T_new",
    name=("tokens of one prefill pass", "一次 prefill 前向的 token 数"),
    reason=("what the prefix cache does not hold of one prompt; those of a group follow each other through the stages",
            "单个请求中前缀缓存未命中的 token；组内各请求依次流过各级"),
    sources=("gpipe2018", "radix2023"),
    example=({"T_new": "500 token/request"}, "500 token"),
)  # fmt: skip

formula(
    "N_turn", r"N_{\mathrm{turn}}", "",
    section="second", switch="N_par",
    is_="ceil(b_pre / one_request / DP) + PP - 1",
    name=("turns of a stage until the last of b_pre prompts is through", "最后一个请求走完 prefill 所需的级节拍数"),
    reason=("the groups share the prompts; PP − 1 turns fill and drain the stages", "各组分摊请求；流水线的充满与排空需 PP − 1 个节拍"),
    sources=("gpipe2018",),
    example=({"b_pre": "4 request", "PP": "2", "DP": "2", "N_par": "4"}, "3"),
)  # fmt: skip

formula(
    "N_turn_chunk", "k", "",
    section="second", instead_of="N_turn", switch="N_par",
    is_="N_pass + PP - 1",
    name=("turns of a stage until the last of b_pre prompts is through", "最后一个请求走完 prefill 所需的级节拍数"),
    reason=("the chunks of one prompt follow each other through the stages", "单个请求的各块依次流过各级"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"N_pass": "4", "PP": "2", "N_par": "2"}, "5"),
)  # fmt: skip

formula(
    "W_pre_dev", r"W_{\mathrm{pre},\mathrm{dev}}", "byte/device",
    section="second", switch="N_par",
    is_="W_pre / TP",
    name=("weight bytes one device streams for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向流式读取的权重字节数（各级之和）"),
    reason=("the devices of a stage share its layers", "级内各设备分担该级的层"),
    sources=("megatron2021", "gpipe2018"),
    example=({"W_pre": "139 GB", "TP": "2 device", "N_par": "2"}, "69.5 GB/device"),
)  # fmt: skip

formula(
    "W_pre_dev_chunk_experts", "w", "byte/device",
    section="second", instead_of="W_pre_dev", switch="N_par",
    is_="(W_stream - W_hit) / TP + (W_pre - W_stream + W_hit) / g_exp",
    name=("weight bytes one device streams for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向流式读取的权重字节数（各级之和）"),
    reason=("the devices of a stage share its layers; the experts that a chunk hits are spread over EP ranks, or over TP where that "
            "is more",
            "级内各设备分担该级的层；一块命中的专家分布到 EP 个 rank（TP 更大时按 TP）"),
    sources=("sarathi2024", "gshard2020"),
    example=({"W_stream": "40 GB", "W_hit": "20 GB", "W_pre": "100 GB", "TP": "1 device", "g_exp": "8 device",
              "N_par": "8"}, "30 GB/device"),
)  # fmt: skip

formula(
    "Q_pre_dev", r"Q_{\mathrm{pre},\mathrm{dev}}", "byte/device",
    section="second", switch="N_par",
    is_="W_pre_dev",
    name=("bytes one device reads for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向读取的字节数（各级之和）"),
    reason=("the weights; nothing is cached before", "只有权重；此前没有缓存"),
    sources=("gpipe2018",),
    example=({"W_pre_dev": "70 GB/device", "N_par": "2"}, "70 GB/device"),
)  # fmt: skip

formula(
    "Q_pre_dev_found", "q", "byte/device",
    section="second", instead_of="Q_pre_dev", switch="N_par",
    is_="W_pre_dev + PP * KV_hit * kappa_dev / kappa",
    name=("bytes one device reads for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向读取的字节数（各级之和）"),
    reason=("the weights, and what it keeps of the prefix of one prompt", "权重，以及其保存的单个请求的前缀 KV"),
    sources=("gpipe2018", "radix2023"),
    example=({"W_pre_dev": "70 GB/device", "PP": "2", "KV_hit": "8 GB", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "2"}, "74 GB/device"),
)  # fmt: skip

formula(
    "Q_pre_dev_chunk", "q", "byte/device",
    section="second", instead_of="Q_pre_dev", switch="N_par",
    is_="W_pre_dev + PP * KV_seen * kappa_dev / kappa",
    name=("bytes one device reads for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向读取的字节数（各级之和）"),
    reason=("the weights again in each pass, and what it keeps of the prompt so far", "每次前向重读权重，以及其保存的该输入已写入的 KV"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"W_pre_dev": "70 GB/device", "PP": "2", "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "2"}, "74 GB/device"),
)  # fmt: skip


formula(
    "KV_fill_dev", r"\mathrm{KV}_{\mathrm{write},\mathrm{dev}}^{\mathrm{pre}}", "byte/device",
    section="second", switch="N_par",
    is_="PP * KV_fill * one_request / b_pre * kappa_dev / kappa",
    name=("KV-cache bytes one device writes for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向写入的 KV cache 字节数（各级之和）"),
    reason=("its part of the cache of one prompt, copies included", "单个请求的 KV cache 中其保存的部分，含副本"),
    sources=("kipply2022", "gpipe2018"),
    example=({"PP": "2", "KV_fill": "16 GB", "b_pre": "2 request", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "2"}, "4 GB/device"),
)  # fmt: skip

formula(
    "KV_fill_dev_chunk", "k", "byte/device",
    section="second", instead_of="KV_fill_dev", switch="N_par",
    is_="PP * KV_fill * T_pass / (b_pre * T_new) * kappa_dev / kappa",
    name=("KV-cache bytes one device writes for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向写入的 KV cache 字节数（各级之和）"),
    reason=("its part of the cache of a full chunk, copies included", "一个满块的 KV cache 中其保存的部分，含副本"),
    sources=("kipply2022", "sarathi2024"),
    example=({"PP": "2", "KV_fill": "16 GB", "b_pre": "1 request", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "T_pass": "500 token", "T_new": "2000 token/request", "N_par": "2"}, "2 GB/device"),
)  # fmt: skip


formula(
    "Q_pre_layout", "q", "byte",
    section="second", instead_of="Q_pre",
    is_="b_pre / one_request * W_pre",
    name=("bytes that the prefill of b_pre prompts reads", "b_pre 个请求 prefill 读取的字节数"),
    reason=("every prompt is a pass of its own and reads the weights; experts that groups read together counted for each prompt, copies "
            "on several devices not counted",
            "每个请求各为一次前向，各读一遍权重；各组共读的专家按每个请求各计一遍，不计多设备上的副本"),
    sources=("gpipe2018",),
    example=({"b_pre": "2 request", "W_pre": "139 GB"}, "278 GB"),
)  # fmt: skip

formula(
    "Q_pre_found_layout", "q", "byte",
    section="second", instead_of="Q_pre",
    is_="b_pre / one_request * (W_pre + KV_hit)",
    name=("bytes that the prefill of b_pre prompts reads", "b_pre 个请求 prefill 读取的字节数"),
    reason=("every prompt is a pass of its own and reads the weights and the KV of its prefix; experts that groups read together "
            "counted for each prompt, copies on several devices not counted",
            "每个请求各为一次前向，各读一遍权重与自己的前缀 KV；各组共读的专家按每个请求各计一遍，不计多设备上的副本"),
    sources=("gpipe2018", "radix2023"),
    example=({"b_pre": "2 request", "W_pre": "139 GB", "KV_hit": "1 GB"}, "280 GB"),
)  # fmt: skip

# --- what is sent and launched, turn by turn -------------------------------------------------------


formula(
    "t_comm_pre_layout", "t", "s",
    section="second", instead_of="t_comm_pre",
    is_="c_ring * L * (TP - one_device) / TP * N_turn / PP * tokens_pre * d_model * w_act / (B_link * one_device)",
    name=("ring all-reduce time of the prefill of b_pre prompts", "b_pre 个请求 prefill 的 ring all-reduce 时间"),
    reason=("in each turn a stage sends for its layers and one prompt of each group: a prompt alone waits for every layer; not "
            "overlapped with computing; a model of the ring, not a bound",
            "每个节拍中，每一级为自己的层与每组的一个请求做通信：单个请求要等完每一层；按不与计算重叠计；这是 ring 的模型而非界"),
    sources=("pope2022", "gpipe2018"),
    example=({"L": "80", "g": "4 device", "PP": "2", "DP": "1", "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device", "N_par": "2", "N_turn": "2", "tokens_pre": "2048 token"}, "11.9304647111 ms"),
)  # fmt: skip

formula(
    "t_comm_pre_chunk_layout", "t", "s",
    section="second", instead_of="t_comm_pre",
    is_="c_ring * L * (TP - one_device) / TP * (one_request * T_new + (PP - 1) * T_pass) / PP * d_model * w_act / (B_link * one_device)",
    name=("ring all-reduce time of the prefill of b_pre prompts", "b_pre 个请求 prefill 的 ring all-reduce 时间"),
    reason=("in each turn a stage sends for its layers and one chunk: all chunks pass the last stage, after PP − 1 turns of a full "
            "one; not overlapped with computing; a model of the ring, not a "
            "bound",
            "每个节拍中，每一级为自己的层与一块做通信：全部块经过最后一级，此前有 PP − 1 个满块的节拍；按不与计算重叠计；这是 ring 的模型而非界"),
    sources=("pope2022", "sarathi2024"),
    example=({"L": "80", "g": "4 device", "PP": "2", "DP": "1", "d_model": "8192 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device", "N_par": "2", "T_new": "2048 token/request", "T_pass": "512 token"}, "7.45654044444 ms"),
)  # fmt: skip


formula(
    "t_a2a_pre_layout", "t", "s",
    section="second", instead_of="t_a2a_pre",
    is_="c_a2a * L_exp * k_exp / E * (E - E / EP) * N_turn / PP * tokens_pre * d_model * w_act / (TP * B_link)",
    name=("transfer time of the expert all-to-alls of prefill", "prefill 中专家 all-to-all 的传输时间"),
    reason=("in each turn a stage sends for its layers and one prompt of each group: the devices of a group send its tokens",
            "每个节拍中，每一级为自己的层与每组的一个请求做通信：由组内设备发送该请求的 token"),
    sources=("gshard2020", "gpipe2018"),
    example=({"L": "60", "E": "64", "EP": "8", "k_exp": "8", "g": "8 device", "PP": "1", "DP": "8", "d_model": "7000 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device", "N_par": "8", "N_turn": "1", "tokens_pre": "8 token"}, "209.066667 µs"),
)  # fmt: skip

formula(
    "t_a2a_pre_chunk_layout", "t", "s",
    section="second", instead_of="t_a2a_pre",
    is_="c_a2a * L_exp * k_exp / E * (E - E / EP) * (one_request * T_new + (PP - 1) * T_pass) / PP * d_model * w_act / (TP * B_link)",
    name=("transfer time of the expert all-to-alls of prefill", "prefill 中专家 all-to-all 的传输时间"),
    reason=("in each turn a stage sends for its layers and one chunk of each group", "每个节拍中，每一级为自己的层与每组的一块做通信"),
    sources=("gshard2020", "sarathi2024"),
    example=({"L": "60", "E": "64", "EP": "8", "k_exp": "8", "g": "8 device", "PP": "1", "DP": "8", "d_model": "7000 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device", "N_par": "8", "T_new": "8 token/request", "T_pass": "2 token"}, "209.066667 µs"),
)  # fmt: skip

formula(
    "t_send_pre", r"t_{\mathrm{send}}^{\mathrm{pre}}", "s",
    section="second", switch="N_par",
    is_="min(1, PP - 1) * (N_turn - 1) * tokens_pre * d_model * w_act / (B_link * one_device)",
    name=("time of prefill to hand prompts from stage to stage", "prefill 中各级间传递的时间"),
    reason=("between two turns the hidden state of a pass crosses the link to the next stage", "相邻两个节拍之间，一次前向的隐藏状态经链路传到下一级"),
    reading=("Nothing with one stage.", "只有一级时为零。"),
    sources=("gpipe2018",),
    example=({"PP": "2", "N_turn": "2", "tokens_pre": "2048 token", "d_model": "8192 element/token", "w_act": "2 byte/element",
              "B_link": "450 GB/s/device", "N_par": "2"}, "74.5654044444 µs"),
)  # fmt: skip

formula(
    "t_send_pre_chunk", "t", "s",
    section="second", instead_of="t_send_pre", switch="N_par",
    is_="min(1, PP - 1) * ((N_turn - 2) * T_pass + T_last) * d_model * w_act / (B_link * one_device)",
    name=("time of prefill to hand prompts from stage to stage", "prefill 中各级间传递的时间"),
    reason=("between two turns the hidden state of a chunk crosses the link to the next stage, at the end that of the last chunk",
            "相邻两个节拍之间，一块的隐藏状态经链路传到下一级，末次为最后一块"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"PP": "2", "N_turn": "3", "T_pass": "1500 token", "T_last": "548 token", "d_model": "8192 element/token", "w_act": "2 byte/element",
              "B_link": "450 GB/s/device", "N_par": "2"}, "74.5654044444 µs"),
)  # fmt: skip

formula(
    "t_launch_pre_layout", "t", "s",
    section="second", instead_of="t_launch_pre",
    is_="N_turn / PP * L * t_launch",
    name=("time of the kernel launches of prefill", "prefill 的 kernel 启动时间"),
    reason=("in each turn the kernels of a stage's layers start and drain once", "每个节拍中，每级各层的 kernel 各启动与收尾一次"),
    sources=("nv-cuda-graphs", "gpipe2018"),
    example=({"N_turn": "3", "PP": "2", "L": "80", "t_launch": "5 µs"}, "600 µs"),
)  # fmt: skip

formula(
    "t_over_pre_layout", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="t_launch_pre + t_comm_pre + t_send_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, all-reduces, and the hand-over from stage to stage, none of it "
            "overlapped",
            "每层 kernel 的启动与收尾、all-reduce 以及各级间的传递，均按不重叠计"),
    sources=("nv-cuda-graphs", "hazy2025", "gpipe2018"),
    example=({"t_launch_pre": "400 µs", "t_comm_pre": "100 ms", "t_send_pre": "75 µs"}, "100.475 ms"),
)  # fmt: skip

formula(
    "t_over_pre_layout_experts", "t", "s",
    section="second", instead_of="t_over_pre",
    is_="t_launch_pre + t_comm_pre + t_a2a_pre + t_send_pre",
    name=("time of prefill in which nothing is computed", "prefill 中不做运算的时间"),
    reason=("the kernels of every layer start and drain, all-reduces, all-to-alls, and the hand-over from stage to stage, none "
            "of it overlapped",
            "每层 kernel 的启动与收尾、all-reduce、all-to-all 以及各级间的传递，均按不重叠计"),
    sources=("nv-cuda-graphs", "gshard2020", "gpipe2018"),
    example=({"t_launch_pre": "400 µs", "t_comm_pre": "100 ms", "t_a2a_pre": "10 ms", "t_send_pre": "100 µs"}, "110.5 ms"),
)  # fmt: skip

# --- idle stages and groups, and the sums ----------------------------------------------------------


formula(
    "N_end_pre", r"N_{\mathrm{end}}^{\mathrm{pre}}", "",
    section="second", switch="N_par",
    is_="ceil((b_pre / one_request - DP * (N_turn - PP)) * g_exp / (TP * DP))",
    name=("prompts in the last turn of prefill that share one copy of the experts", "prefill 的最后一个节拍中共用一份专家的请求数"),
    reason=("N_turn − PP turns before it had a prompt in every group; the rest is parted evenly over the copies, and the fullest "
            "counts",
            "此前 N_turn − PP 个节拍中每组各有一个请求；余下的平均分到各份专家，按最满的一份计"),
    sources=("gpipe2018", "gshard2020"),
    example=({"b_pre": "13 request", "DP": "8", "PP": "2", "N_turn": "3", "g_exp": "4 device", "TP": "1 device", "N_par": "16"},
             "3"),
)  # fmt: skip

formula(
    "t_bubble_layout_experts", "t", "s",
    section="second", instead_of="t_bubble",
    is_="(N_turn * (F_matmul_pre + F_att_pre) * one_request / b_pre - (PP - (PP - 1) * min(1, N_turn - PP)) * F_routed * tokens_pre "
        "* (1 - min(N_end_pre, g_exp / TP) / (g_exp / TP))) / (PP * TP * P_peak) - t_ops_pre",
    name=("time in which stages and groups of prefill stand idle", "prefill 中各级与各组空闲的时间"),
    reason=("as without experts, but in the last turn, which passes all PP stages where it is the only one, the ranks of groups "
            "without a prompt compute the experts that they hold",
            "与无专家时相同，但在最后一个节拍中，没有请求的组也会计算其持有的专家；若只有这一个节拍，则在全部 PP 级上均如此"),
    sources=("gpipe2018", "gshard2020"),
    example=({"N_turn": "2", "PP": "2", "F_matmul_pre": "390 TFLOP", "F_att_pre": "10 TFLOP", "b_pre": "1 request",
              "F_routed": "20 GFLOP/token", "tokens_pre": "10000 token", "N_end_pre": "1", "g_exp": "4 device", "TP": "2 device",
              "P_peak": "1000 TFLOP/s/device", "t_ops_pre": "50 ms", "N_par": "4"}, "100 ms"),
)  # fmt: skip

formula(
    "t_bubble_chunk_layout_experts", "t", "s",
    section="second", instead_of="t_bubble",
    is_="(1 + (PP - 1) * T_pass / (one_request * T_new)) / PP * (F_matmul_pre + F_att_pre - F_routed * one_request * T_new * (1 - 1 / "
        "(g_exp / TP))) / (TP * P_peak) - t_ops_pre",
    name=("time in which stages and groups of prefill stand idle", "prefill 中各级与各组空闲的时间"), reason=("as without experts, but the ranks of groups without a prompt compute the experts that they hold", "与无专家时相同，但没有请求的组也会计算其持有的专家"),
    sources=("gpipe2018", "gshard2020"),
    example=({"PP": "2", "T_pass": "2500 token", "F_matmul_pre": "390 TFLOP", "F_att_pre": "10 TFLOP",
              "F_routed": "20 GFLOP/token", "T_new": "10000 token/request", "g_exp": "4 device", "TP": "2 device",
              "P_peak": "1000 TFLOP/s/device", "t_ops_pre": "50 ms", "N_par": "4"}, "43.75 ms"),
)  # fmt: skip

formula(
    "TTFT_ideal_layout", "t", "s",
    section="second", instead_of="TTFT_ideal",
    is_="max(t_ops_pre + t_bubble, N_turn / PP * Q_pre_dev / B_peak)",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("their operations with stages and groups that stand idle, or the bytes that a device reads turn by turn; without "
            "collectives",
            "取其运算时间（含各级、各组的空闲）与单设备逐节拍读取字节的时间中较长者；不计集合通信"),
    sources=("pope2022", "gpipe2018"),
    example=({"t_ops_pre": "500 ms", "t_bubble": "100 ms", "N_turn": "3", "PP": "2", "Q_pre_dev": "60 GB/device",
              "B_peak": "3 TB/s/device"}, "600 ms"),
)  # fmt: skip

formula(
    "TTFT_second_layout", "t", "s",
    section="second", instead_of="TTFT_second",
    is_="max(t_ops_pre + t_bubble, N_turn / PP * (Q_pre_dev + KV_fill_dev) / B_peak) + t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that is written, kernel launches, collectives and the hand-over from stage to stage",
            "理想值，另计写入 KV cache、kernel 启动、集合通信与各级间的传递"),
    sources=("pope2022", "gpipe2018"),
    example=({"t_ops_pre": "500 ms", "t_bubble": "100 ms", "N_turn": "3", "PP": "2", "Q_pre_dev": "60 GB/device",
              "KV_fill_dev": "1 GB/device", "B_peak": "3 TB/s/device", "t_over_pre": "50 ms"}, "650 ms"),
)  # fmt: skip

formula(
    "TTFT_exp_layout", "t", "s",
    section="second", instead_of="TTFT_exp",
    is_="max((t_ops_pre + t_bubble) / MFU, N_turn / PP * (Q_pre_dev + KV_fill_dev) / (MBU * B_peak)) + t_over_pre",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    sources=("databricks2023", "gpipe2018"),
    example=({"t_ops_pre": "500 ms", "t_bubble": "100 ms", "N_turn": "3", "PP": "2", "Q_pre_dev": "60 GB/device",
              "KV_fill_dev": "1 GB/device", "B_peak": "3 TB/s/device", "t_over_pre": "50 ms", "MFU": "0.5", "MBU": "0.5"},
             "1.25 s"),
)  # fmt: skip
