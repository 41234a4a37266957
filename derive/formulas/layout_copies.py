"""Prefill where the devices of one stage of one group are more than the KV heads.

Such devices share weights and operations evenly, but each keeps a whole KV head at least: what it reads and
writes of the cache of a prompt is its own copy.
"""

import derive.formulas.parallelism
import derive.formulas.second_prefill
import derive.formulas.with_prefill_times  # noqa: F401
from derive.formula import formula

formula(
    "t_prefill_found_copies", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_new / (g * P_peak), (W_read / g + KV_hit * kappa_dev / kappa) / B_peak)",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("only what the prefix cache does not hold is computed; a device reads its share of the weights, and what it keeps of the "
            "KV of the prefix, copies of heads included",
            "只计算前缀缓存未命中的部分；每个设备读取权重中自己的一份，以及自己保存的前缀 KV（含 KV 头的副本）"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "200 token/request", "g": "4 device", "W_read": "140 GB", "KV_hit": "10 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "4 TB/s/device"}, "10 ms"),
)  # fmt: skip

formula(
    "t_prefill_found_copies_experts", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_new / (g * P_peak), (W_prefill / g + KV_hit * kappa_dev / kappa) / B_peak)",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("the same with the weights of the experts that its tokens hit", "同上，权重只计其 token 命中的专家"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "200 token/request", "g": "4 device", "W_prefill": "140 GB", "KV_hit": "10 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "4 TB/s/device"}, "10 ms"),
)  # fmt: skip

formula(
    "TTFT_found_copies", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_tok * one_request * T_new / (g * MFU * P_peak), (W_read / g + KV_hit * kappa_dev / kappa) / (MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt on an idle replica: only what the prefix cache does not hold is computed; a device reads its share of the "
            "weights, and what it keeps of the KV of the prefix, copies of heads included",
            "空闲副本上的单个请求：只计算前缀缓存未命中的部分；每个设备读取权重中自己的一份，以及自己保存的前缀 KV（含 KV 头的副本）"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "200 token/request", "g": "4 device", "W_read": "140 GB", "KV_hit": "10 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "4 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "20 ms"),
)  # fmt: skip

formula(
    "TTFT_found_copies_experts", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_tok * one_request * T_new / (g * MFU * P_peak), (W_prefill / g + KV_hit * kappa_dev / kappa) / (MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("the same with the weights of the experts that its tokens hit", "同上，权重只计其 token 命中的专家"),
    sources=("radix2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "200 token/request", "g": "4 device", "W_prefill": "140 GB", "KV_hit": "10 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "4 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "20 ms"),
)  # fmt: skip

# --- the second order ------------------------------------------------------------------------------

formula(
    "TTFT_second_copies", "t", "s",
    section="second", instead_of="TTFT_second",
    is_="max(t_ops_pre, (W_pre / g + KV_fill * kappa_dev / kappa) / B_peak) + t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that a device writes, copies of heads included, kernel launches and collectives",
            "理想值，另计每个设备写入的 KV cache（含 KV 头的副本）、kernel 启动与集合通信"),
    sources=("pope2022", "gqa2023"),
    example=({"t_ops_pre": "10 ms", "W_pre": "120 GB", "g": "4 device", "KV_fill": "20 GB", "kappa_dev": "40000 byte/token/device",
              "kappa": "80000 byte/token", "B_peak": "2 TB/s/device", "t_over_pre": "5 ms"}, "25 ms"),
)  # fmt: skip

formula(
    "TTFT_exp_copies", "t", "s",
    section="second", instead_of="TTFT_exp",
    is_="max(t_ops_pre / MFU, (W_pre / g + KV_fill * kappa_dev / kappa) / (MBU * B_peak)) + t_over_pre",
    calibre="reachable",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    sources=("databricks2023", "gqa2023"),
    example=({"t_ops_pre": "10 ms", "W_pre": "120 GB", "g": "4 device", "KV_fill": "20 GB", "kappa_dev": "40000 byte/token/device",
              "kappa": "80000 byte/token", "B_peak": "2 TB/s/device", "t_over_pre": "5 ms", "MFU": "0.5", "MBU": "0.5"}, "45 ms"),
)  # fmt: skip

formula(
    "TTFT_ideal_found_copies", "t", "s",
    section="second", instead_of="TTFT_ideal",
    is_="max(t_ops_pre, (W_pre / g + b_pre / one_request * KV_hit * kappa_dev / kappa) / B_peak)",
    name=("ideal TTFT of b_pre prompts, second order at peak", "b_pre 个请求的理想 TTFT（二阶，峰值速率）"),
    reason=("their operations, or the bytes that a device reads if these take longer: its share of the weights, and what it keeps of "
            "the prefixes, copies of heads included; without collectives",
            "取其运算时间与单设备读取字节的时间中较长者：权重中自己的一份，以及自己保存的各请求前缀 KV（含 KV 头的副本）；不计集合通信"),
    sources=("pope2022", "radix2023"),
    example=({"t_ops_pre": "10 ms", "W_pre": "120 GB", "g": "4 device", "b_pre": "2 request", "KV_hit": "10 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "B_peak": "2 TB/s/device"}, "20 ms"),
)  # fmt: skip

formula(
    "TTFT_second_found_copies", "t", "s",
    section="second", instead_of="TTFT_second",
    is_="max(t_ops_pre, (W_pre / g + (b_pre / one_request * KV_hit + KV_fill) * kappa_dev / kappa) / B_peak) + t_over_pre",
    name=("TTFT of b_pre prompts, second order at peak, overheads counted", "峰值速率下 b_pre 个请求的二阶 TTFT（计入开销）"),
    reason=("the ideal, with the KV cache that a device writes, copies of heads included, kernel launches and collectives",
            "理想值，另计每个设备写入的 KV cache（含 KV 头的副本）、kernel 启动与集合通信"),
    sources=("pope2022", "radix2023"),
    example=({"t_ops_pre": "10 ms", "W_pre": "120 GB", "g": "4 device", "b_pre": "2 request", "KV_hit": "10 GB", "KV_fill": "8 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "B_peak": "2 TB/s/device",
              "t_over_pre": "5 ms"}, "27 ms"),
)  # fmt: skip

formula(
    "TTFT_exp_found_copies", "t", "s",
    section="second", instead_of="TTFT_exp",
    is_="max(t_ops_pre / MFU, (W_pre / g + (b_pre / one_request * KV_hit + KV_fill) * kappa_dev / kappa) / (MBU * B_peak)) "
        "+ t_over_pre",
    calibre="reachable",
    name=("expected TTFT of b_pre prompts, second order at reachable rates", "b_pre 个请求的预期 TTFT（二阶，可达速率）"),
    reason=("the same at the share of each peak that is reachable; overheads added in full", "同上，各按峰值中可达的比例；开销全部相加"),
    sources=("databricks2023", "radix2023"),
    example=({"t_ops_pre": "10 ms", "W_pre": "120 GB", "g": "4 device", "b_pre": "2 request", "KV_hit": "10 GB", "KV_fill": "8 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "B_peak": "2 TB/s/device",
              "t_over_pre": "5 ms", "MFU": "0.5", "MBU": "0.5"}, "49 ms"),
)  # fmt: skip
