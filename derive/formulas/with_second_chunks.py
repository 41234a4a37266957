"""Prefill in chunks to the second order: each pass reads the weights again and has its own launches."""

import derive.formulas.second_prefill
import derive.formulas.with_prefill_times  # noqa: F401
from derive.formula import formula

formula(
    "W_pre_last", r"W_{\mathrm{pre}}^{\mathrm{last}}", "byte",
    section="second", switch="T_chunk",
    of="W_pre", at={"tokens_pre": "T_last"}, held=("tokens_pre", "T_last"),
    name=("weight bytes that the last pass of prefill streams", "最后一次 prefill 前向流式读取的权重字节数"),
    reason=("as in a full chunk, with the experts that the tokens of the last one hit", "同满块，专家按最后一块的 token 命中计"),
    sources=("sarathi2024",),
    example=({"W_stream": "139 GB", "T_chunk": "512 token"}, "139 GB"),
)  # fmt: skip

formula(
    "tokens_pre_chunk", "k", "token",
    section="second", instead_of="tokens_pre",
    is_="T_pass",
    name=("tokens of one prefill pass", "一次 prefill 前向的 token 数"),
    reason=("a chunk of one prompt", "单个请求的一块"),
    sources=("sarathi2024",),
    example=({"T_pass": "512 token"}, "512 token"),
)  # fmt: skip

formula(
    "Q_pre_chunk", "q", "byte",
    section="second", instead_of="Q_pre",
    is_="(N_pass - 1) * W_pre + W_pre_last + N_pass * KV_seen",
    exists=("b_pre <= one_request", ("chunks part one prompt; several prompts in one pass are not modelled with them: leave prompts at 1",
                                     "分块按单个请求计；一次前向含多个请求时不与分块同时建模：prompts 请保持为 1")),
    name=("bytes that the prefill of b_pre prompts reads", "b_pre 个请求 prefill 读取的字节数"),
    reason=("every pass reads the weights again, and the KV of the prompt so far; the last chunk may hit fewer experts",
            "每次前向都要重读权重，并读取该输入已写入的 KV；最后一块命中的专家可能较少"),
    sources=("sarathi2024",),
    example=({"N_pass": "4", "W_pre": "139 GB", "W_pre_last": "139 GB", "KV_seen": "0.25 GB", "b_pre": "1 request"}, "557 GB"),
)  # fmt: skip

formula(
    "t_launch_pre_chunk", "t", "s",
    section="second", instead_of="t_launch_pre",
    is_="N_pass * L * t_launch",
    name=("time of the kernel launches of prefill", "prefill 的 kernel 启动时间"),
    reason=("the kernels of every layer start and drain in each pass", "每次前向中，每层 kernel 各启动与收尾一次"),
    sources=("nv-cuda-graphs", "sarathi2024"),
    example=({"N_pass": "4", "L": "80", "t_launch": "5 µs"}, "1.6 ms"),
)  # fmt: skip

formula(
    "t_bubble_chunk", "t", "s",
    section="second", instead_of="t_bubble",
    is_="t_ops_pre * (DP * (1 + (PP - 1) * T_pass / (one_request * T_new)) - 1)",
    exists=("b_pre <= one_request", ("chunks part one prompt; several prompts in one pass are not modelled with them: leave prompts at 1",
                                     "分块按单个请求计；一次前向含多个请求时不与分块同时建模：prompts 请保持为 1")),
    name=("time in which stages and groups of prefill stand idle", "prefill 中各级与各组空闲的时间"),
    reason=("the chunks of the prompt follow each other through the stages as micro-batches: the last stage waits for PP − 1 turns of "
            "a full chunk, taken with the attention of the mean one; groups without a prompt wait",
            "各块作为微批依次经过各级：最后一级要等 PP − 1 个满块的节拍（注意力按各块均值计）；没有请求的组则等待"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"t_ops_pre": "100 ms", "DP": "1", "T_pass": "500 token", "T_new": "2000 token/request", "PP": "2", "b_pre": "1 request"},
             "25 ms"),
)  # fmt: skip

formula(
    "t_turn_pre", r"t_{\mathrm{turn}}^{\mathrm{pre}}", "s",
    section="second",
    is_="(t_ops_pre + t_bubble) * T_pass / (one_request * T_new + (PP - 1) * T_pass)",
    name=("time of the operations of a full chunk in its turn at peak", "峰值速率下一个满块在一个节拍内的运算时间"),
    reason=("its part of all operations by tokens: attention is taken as that of the mean chunk, a later one has more",
            "按 token 数分摊全部运算：注意力按各块均值计，靠后的块实际更多"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"t_ops_pre": "100 ms", "t_bubble": "25 ms", "T_pass": "500 token", "T_new": "2000 token/request", "PP": "2"}, "25 ms"),
)  # fmt: skip

formula(
    "TTFT_ideal_chunk", "t", "s",
    section="second", instead_of="TTFT_ideal",
    is_="(N_pass - 1) * max(t_turn_pre, (W_pre + KV_seen) / (g * B_peak)) "
        "+ max(t_turn_pre * T_last / T_pass, (W_pre_last + KV_seen) / (g * B_peak))",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("each pass takes its operations, or the bytes that it reads if these take longer; without collectives and with every "
            "device at work",
            "每次前向各取自身运算时间与读取字节的时间中较长者；不计集合通信，并设全部设备都在工作"),
    sources=("pope2022", "sarathi2024"),
    example=({"N_pass": "4", "t_turn_pre": "25 ms", "T_last": "100 token", "T_pass": "500 token", "W_pre": "119 GB",
              "W_pre_last": "119 GB", "KV_seen": "1 GB", "g": "4 device", "B_peak": "3 TB/s/device"}, "85 ms"),
)  # fmt: skip

formula(
    "TTFT_second_chunk", "t", "s",
    section="second", instead_of="TTFT_second",
    is_="(N_pass - 1) * max(t_turn_pre, (W_pre + KV_seen + KV_fill * T_pass / (one_request * T_new)) / (g * B_peak)) "
        "+ max(t_turn_pre * T_last / T_pass, (W_pre_last + KV_seen + KV_fill * T_last / (one_request * T_new)) / (g * B_peak)) "
        "+ t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that each pass writes, kernel launches and collectives",
            "理想值，另计每次前向写入的 KV cache、kernel 启动与集合通信"),
    sources=("pope2022", "sarathi2024"),
    example=({"N_pass": "4", "t_turn_pre": "25 ms", "T_last": "100 token", "T_pass": "500 token", "W_pre": "119 GB",
              "W_pre_last": "118.9 GB", "KV_seen": "1 GB", "KV_fill": "1.6 GB", "T_new": "1600 token/request", "g": "4 device",
              "B_peak": "3 TB/s/device", "t_over_pre": "15 ms"}, "100 ms"),
)  # fmt: skip

formula(
    "TTFT_exp_chunk", "t", "s",
    section="second", instead_of="TTFT_exp",
    is_="(N_pass - 1) * max(t_turn_pre / MFU, (W_pre + KV_seen + KV_fill * T_pass / (one_request * T_new)) / (g * MBU * B_peak)) "
        "+ max(t_turn_pre * T_last / T_pass / MFU, (W_pre_last + KV_seen + KV_fill * T_last / (one_request * T_new)) / (g * MBU * B_peak)) "
        "+ t_over_pre",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    sources=("databricks2023", "sarathi2024"),
    example=({"N_pass": "4", "t_turn_pre": "25 ms", "T_last": "100 token", "T_pass": "500 token", "W_pre": "119 GB",
              "W_pre_last": "118.9 GB", "KV_seen": "1 GB", "KV_fill": "1.6 GB", "T_new": "1600 token/request", "g": "4 device",
              "B_peak": "3 TB/s/device", "t_over_pre": "15 ms", "MFU": "0.5", "MBU": "0.5"}, "185 ms"),
)  # fmt: skip
