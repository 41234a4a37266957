"""Times of prefill with a prefix cache or in chunks, for dense models and for experts."""

import derive.formulas.with_prefill  # noqa: F401
from derive.formula import formula

formula(
    "W_prefill_found", "W", "byte",
    section="ttft", instead_of="W_prefill",
    is_="N_fix * w_fix + N_exp * w_exp * (1 - pow(1 - k_exp / E, T_new / one_token))",
    name=("weight bytes the prefill of one prompt reads", "单个请求 prefill 读取的权重字节数"),
    reason=("experts that the tokens hit which the prefix cache does not hold", "仅前缀缓存未命中的 token 选中的专家"),
    sources=("radix2023", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "T_new": "1 token/request"}, "14 GB"),
)  # fmt: skip

formula(
    "W_prefill_chunk", "W", "byte",
    section="ttft", instead_of="W_prefill",
    is_="N_fix * w_fix + N_exp * w_exp * (1 - pow(1 - k_exp / E, T_pass / (one_request * one_token)))",
    name=("weight bytes one chunk of prefill reads", "prefill 一块读取的权重字节数"),
    reason=("experts that the tokens of a chunk hit", "一块内的 token 选中的专家"),
    sources=("sarathi2024", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "T_pass": "1 token"}, "14 GB"),
)  # fmt: skip

formula(
    "W_prefill_found_two", "W", "byte",
    section="ttft", instead_of="W_prefill",
    is_="N_fix * w_fix + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, T_new / one_token)) + N_exp2 * (1 - pow(1 - k_exp2 / E2, T_new / one_token))) * w_exp",
    name=("weight bytes the prefill of one prompt reads", "单个请求 prefill 读取的权重字节数"),
    reason=("experts that the tokens hit which the prefix cache does not hold", "仅前缀缓存未命中的 token 选中的专家"),
    sources=("radix2023", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "50 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "N_exp2": "10 Gparam", "E2": "4", "k_exp2": "3",
              "T_new": "1 token/request"}, "21.5 GB"),
)  # fmt: skip

formula(
    "W_prefill_chunk_two", "W", "byte",
    section="ttft", instead_of="W_prefill",
    is_="N_fix * w_fix + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, T_pass / (one_request * one_token))) + N_exp2 * (1 - pow(1 - k_exp2 / E2, T_pass / (one_request * one_token)))) * w_exp",
    name=("weight bytes one chunk of prefill reads", "prefill 一块读取的权重字节数"),
    reason=("experts that the tokens of a chunk hit", "一块内的 token 选中的专家"),
    sources=("sarathi2024", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "50 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "N_exp2": "10 Gparam", "E2": "4", "k_exp2": "3", "T_pass": "1 token"}, "21.5 GB"),
)  # fmt: skip

formula(
    "W_last", r"W_{\mathrm{last}}", "byte",
    section="ttft", switch="T_chunk",
    is_="N_fix * w_fix + N_exp * w_exp * (1 - pow(1 - k_exp / E, T_last / (one_request * one_token)))",
    name=("weight bytes the last chunk of prefill reads", "prefill 最后一块读取的权重字节数"),
    reason=("experts that its tokens hit, perhaps fewer than those of a full chunk", "其 token 选中的专家，可能少于满块"),
    sources=("sarathi2024", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "T_last": "1 token", "T_chunk": "512 token"}, "14 GB"),
)  # fmt: skip

formula(
    "W_last_two", "W", "byte",
    section="ttft", instead_of="W_last", switch="T_chunk",
    is_="N_fix * w_fix + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, T_last / (one_request * one_token))) + N_exp2 * (1 - pow(1 - k_exp2 / E2, T_last / (one_request * one_token)))) * w_exp",
    name=("weight bytes the last chunk of prefill reads", "prefill 最后一块读取的权重字节数"),
    reason=("experts that its tokens hit, by the number of experts of a layer", "其 token 选中的专家，按各层的专家数分别计"),
    sources=("sarathi2024", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "50 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "N_exp2": "10 Gparam", "E2": "4", "k_exp2": "3", "T_last": "1 token",
              "T_chunk": "512 token"}, "21.5 GB"),
)  # fmt: skip

formula(
    "TTFT_found", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_tok * one_request * T_new / (g * MFU * P_peak), (W_read + KV_hit) / (g * MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt on an idle replica: only what the prefix cache does not hold is computed; the KV of the prefix is read",
            "空闲副本上的单个请求：只计算前缀缓存未命中的部分，并读取前缀的 KV"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "2000 token/request", "g": "1 device", "W_read": "140 GB",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3.35 TB/s/device", "MFU": "0.5", "MBU": "0.6",
              "KV_hit": "0 GB"}, "560 ms"),
)  # fmt: skip

formula(
    "TTFT_chunk", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="(N_pass - 1) * max(F_tok * T_pass / (g * MFU * P_peak), (W_read + KV_seen) / (g * MBU * B_peak)) "
        "+ max(F_tok * T_last / (g * MFU * P_peak), (W_read + KV_seen) / (g * MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt in chunks on an idle replica: the same operations, but every pass reads the weights again, and each pass is "
            "paced by the slower of its own operations and bytes; the last chunk may be part full",
            "空闲副本上的单个请求，分块 prefill：运算量不变，但每次前向都要重读权重，且各取自身运算与搬运中较慢者；最后一块可能不满"),
    sources=("sarathi2024", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "500 token", "T_last": "100 token", "g": "1 device", "W_read": "139 GB",
              "KV_seen": "1 GB", "N_pass": "4", "MFU": "0.5", "MBU": "0.7", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.5 TB/s/device"}, "500 ms"),
)  # fmt: skip

formula(
    "t_prefill_found", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_new / (g * P_peak), (W_read + KV_hit) / (g * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("one prompt on an idle replica: only what the prefix cache does not hold is computed; the KV of the prefix is read",
            "空闲副本上的单个请求：只计算前缀缓存未命中的部分，并读取前缀的 KV"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "2000 token/request", "g": "1 device", "W_read": "140 GB",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3.35 TB/s/device", "KV_hit": "0 GB"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_chunk", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="(N_pass - 1) * max(F_tok * T_pass / (g * P_peak), (W_read + KV_seen) / (g * B_peak)) "
        "+ max(F_tok * T_last / (g * P_peak), (W_read + KV_seen) / (g * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("one prompt in chunks on an idle replica: the same operations, but every pass reads the weights again, and each pass is "
            "paced by the slower of its own operations and bytes; the last chunk may be part full",
            "空闲副本上的单个请求，分块 prefill：运算量不变，但每次前向都要重读权重，且各取自身运算与搬运中较慢者；最后一块可能不满"),
    sources=("sarathi2024", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "500 token", "T_last": "100 token", "g": "1 device", "W_read": "139 GB",
              "KV_seen": "1 GB", "N_pass": "4", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.5 TB/s/device"}, "250 ms"),
)  # fmt: skip

formula(
    "TTFT_found_experts", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_tok * one_request * T_new / (g * MFU * P_peak), (W_prefill + KV_hit) / (g * MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt on an idle replica: only what the prefix cache does not hold is computed; the KV of the prefix is read",
            "空闲副本上的单个请求：只计算前缀缓存未命中的部分，并读取前缀的 KV"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "2000 token/request", "g": "1 device", "W_prefill": "140 GB",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3.35 TB/s/device", "MFU": "0.5", "MBU": "0.6",
              "KV_hit": "0 GB"}, "560 ms"),
)  # fmt: skip

formula(
    "TTFT_chunk_experts", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="(N_pass - 1) * max(F_tok * T_pass / (g * MFU * P_peak), (W_prefill + KV_seen) / (g * MBU * B_peak)) "
        "+ max(F_tok * T_last / (g * MFU * P_peak), (W_last + KV_seen) / (g * MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt in chunks on an idle replica: the same operations, but every pass reads the weights again, and each pass is "
            "paced by the slower of its own operations and bytes; the last chunk may be part full",
            "空闲副本上的单个请求，分块 prefill：运算量不变，但每次前向都要重读权重，且各取自身运算与搬运中较慢者；最后一块可能不满"),
    sources=("sarathi2024", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "500 token", "T_last": "100 token", "g": "1 device", "W_prefill": "139 GB",
              "W_last": "139 GB", "KV_seen": "1 GB", "N_pass": "4", "MFU": "0.5", "MBU": "0.7", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.5 TB/s/device"}, "500 ms"),
)  # fmt: skip

formula(
    "t_prefill_found_experts", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_new / (g * P_peak), (W_prefill + KV_hit) / (g * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("one prompt on an idle replica: only what the prefix cache does not hold is computed; the KV of the prefix is read",
            "空闲副本上的单个请求：只计算前缀缓存未命中的部分，并读取前缀的 KV"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "2000 token/request", "g": "1 device", "W_prefill": "140 GB",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3.35 TB/s/device", "KV_hit": "0 GB"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_chunk_experts", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="(N_pass - 1) * max(F_tok * T_pass / (g * P_peak), (W_prefill + KV_seen) / (g * B_peak)) "
        "+ max(F_tok * T_last / (g * P_peak), (W_last + KV_seen) / (g * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("one prompt in chunks on an idle replica: the same operations, but every pass reads the weights again, and each pass is "
            "paced by the slower of its own operations and bytes; the last chunk may be part full",
            "空闲副本上的单个请求，分块 prefill：运算量不变，但每次前向都要重读权重，且各取自身运算与搬运中较慢者；最后一块可能不满"),
    sources=("sarathi2024", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "500 token", "T_last": "100 token", "g": "1 device", "W_prefill": "139 GB",
              "W_last": "139 GB", "KV_seen": "1 GB", "N_pass": "4", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.5 TB/s/device"}, "250 ms"),
)  # fmt: skip

formula(
    "TTFT_burst_turns", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="b / one_request * TTFT",
    calibre="reachable",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("they are prefilled one after the other, so the last waits for all", "逐个 prefill，最后一个要等全部算完"),
    sources=("databricks2023",),
    example=({"b": "8 request", "TTFT": "560 ms"}, "4.48 s"),
)  # fmt: skip

formula(
    "share_comm_prefill_found", "s", "",
    section="second", instead_of="share_comm_prefill",
    is_="c_ring * L * (TP - one_device) / TP * one_request * T_new * d_model * w_act / (B_link * one_device) / t_prefill",
    name=("all-reduce transfer over the prefill time at peak", "all-reduce 传输时间与峰值 prefill 时间之比"),
    reason=("two ring all-reduces a layer for every token that prefill computes, not overlapped with computing",
            "prefill 实际计算的每个 token 在每层都要做两次 ring all-reduce，按不与计算重叠计"),
    sources=("pope2022", "jax-book"),
    example=({"L": "80", "TP": "4 device", "T_new": "2048 token/request", "d_model": "8192 element/token",
              "w_act": "2 byte/element", "B_link": "450 GB/s/device", "t_prefill": "73 ms"}, "0.2451"),
)  # fmt: skip
