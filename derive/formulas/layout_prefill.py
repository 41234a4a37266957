"""Prefill where a replica has several stages or groups: one prompt passes them alone, others beside it.

A prompt runs on the TP devices of one group, through its stages one after another; what it takes of the
whole replica is less, since every stage and every group can work on a prompt of its own.
"""

import derive.formulas.parallelism
import derive.formulas.with_prefill_times  # noqa: F401
from derive.formula import formula

formula(
    "F_routed", r"F_{\mathrm{exp}}", "FLOP/token",
    section="ttft", switch="N_par",
    is_="c_op * N_exp * k_exp / E",
    name=("operations of one token in the routed experts", "单个 token 在路由专家中的运算量"),
    reason=("k of E experts in each such layer", "这类层中每层选中 E 个专家里的 k 个"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "40 Gparam", "k_exp": "2", "E": "8", "N_par": "2"}, "20 GFLOP/token"),
)  # fmt: skip

formula(
    "F_routed_two", "f", "FLOP/token",
    section="ttft", instead_of="F_routed", switch="N_par",
    is_="c_op * ((N_exp - N_exp2) * k_exp / E + N_exp2 * k_exp2 / E2)",
    name=("operations of one token in the routed experts", "单个 token 在路由专家中的运算量"),
    reason=("k of the experts of each such layer, by the number of experts of a layer", "这类层中每层选中 k 个专家，按各层的专家数分别计"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "50 Gparam", "N_exp2": "10 Gparam", "k_exp": "2", "E": "8", "k_exp2": "3", "E2": "4",
              "N_par": "2"}, "35 GFLOP/token"),
)  # fmt: skip

formula(
    "g_exp", r"g_{\mathrm{exp}}", "device",
    section="ttft", switch="N_par",
    is_="max(TP, EP * one_device)",
    name=("devices of a stage over which the routed experts are spread", "一级内分布路由专家的设备数"),
    reason=("EP ranks, or the TP devices of a group where these are more", "EP 个 rank；组内 TP 个设备更多时按 TP"),
    sources=("gshard2020", "megatron2021"),
    example=({"TP": "2 device", "EP": "8", "N_par": "4"}, "8 device"),
)  # fmt: skip

formula(
    "F_one", r"F_{1}", "FLOP/token/device",
    section="ttft", switch="N_par",
    is_="F_tok / TP",
    name=("operations of one prompt's token on one device, summed over the stages", "单个请求的一个 token 在单设备上的运算量（各级之和）"),
    reason=("the devices of a stage share each layer; the stages take their layers one after another",
            "级内各设备分担每一层；各级依次执行自己的层"),
    sources=("megatron2021", "gpipe2018"),
    example=({"F_tok": "140 GFLOP/token", "g": "8 device", "PP": "2", "DP": "2", "N_par": "4"}, "70 GFLOP/token/device"),
)  # fmt: skip

formula(
    "F_one_experts", "f", "FLOP/token/device",
    section="ttft", instead_of="F_one", switch="N_par",
    is_="(F_tok - F_routed) / TP + F_routed / g_exp",
    name=("operations of one prompt's token on one device, summed over the stages", "单个请求的一个 token 在单设备上的运算量（各级之和）"),
    reason=("the devices of a stage share each layer; experts that are spread over more ranks than a group has are computed "
            "there, taken as evenly hit, since the ranks of idle groups hold them",
            "级内各设备分担每一层；专家分布的 rank 多于组内设备时在那些 rank 上计算（空闲组的 rank 也持有专家），按均匀命中计"),
    sources=("megatron2021", "gshard2020"),
    example=({"F_tok": "30 GFLOP/token", "F_routed": "20 GFLOP/token", "TP": "1 device", "g_exp": "8 device",
              "N_par": "8"}, "12.5 GFLOP/token/device"),
)  # fmt: skip

formula(
    "W_one", r"W_{1}", "byte/device",
    section="ttft", switch="N_par",
    is_="PP * W_read_dev",
    name=("weight bytes one device reads for one prompt, summed over the stages", "单个请求的一次前向中单设备读取的权重字节数（各级之和）"),
    reason=("each stage reads its part after the one before it", "各级依次读取自己的部分"),
    sources=("megatron2021", "gpipe2018"),
    example=({"PP": "2", "W_read_dev": "35 GB/device", "N_par": "2"}, "70 GB/device"),
)  # fmt: skip

formula(
    "W_rest", r"W_{\mathrm{rest}}", "byte",
    section="ttft", switch="N_par",
    is_="N_fix * w_fix",
    name=("weight bytes besides the routed experts", "路由专家以外的权重字节数"),
    reason=("every prompt reads all of them", "每个请求都要读全部"),
    sources=("gshard2020",),
    example=({"N_fix": "10 Gparam", "w_fix": "2 byte/param", "N_par": "2"}, "20 GB"),
)  # fmt: skip

formula(
    "W_one_experts", "w", "byte/device",
    section="ttft", instead_of="W_one", switch="N_par",
    is_="W_rest / TP + (W_prefill - W_rest) / g_exp",
    name=("weight bytes one device reads for one prompt, summed over the stages", "单个请求的一次前向中单设备读取的权重字节数（各级之和）"),
    reason=("each stage reads its part after the one before it; the experts that the prompt hits are spread over EP ranks, or "
            "over TP where that is more",
            "各级依次读取自己的部分；该请求命中的专家分布到 EP 个 rank（TP 更大时按 TP）"),
    sources=("megatron2021", "gshard2020"),
    example=({"W_rest": "20 GB", "W_prefill": "100 GB", "TP": "1 device", "g_exp": "8 device", "N_par": "8"},
             "30 GB/device"),
)  # fmt: skip

formula(
    "W_one_last", r"W_{1,\mathrm{last}}", "byte/device",
    section="ttft", switch="T_chunk",
    is_="W_one",
    name=("weight bytes one device reads for the last chunk, summed over the stages", "单设备为最后一块读取的权重字节数（各级之和）"),
    reason=("a chunk reads all weights, however short it is", "一块无论多短都要读全部权重"),
    sources=("megatron2021", "sarathi2024"),
    example=({"W_one": "70 GB/device", "T_chunk": "512 token"}, "70 GB/device"),
)  # fmt: skip

formula(
    "W_one_last_experts", "w", "byte/device",
    section="ttft", instead_of="W_one_last", switch="T_chunk",
    is_="W_rest / TP + (W_last - W_rest) / g_exp",
    name=("weight bytes one device reads for the last chunk, summed over the stages", "单设备为最后一块读取的权重字节数（各级之和）"),
    reason=("the experts that the last chunk hits are spread over EP ranks, or over TP where that is more",
            "最后一块命中的专家分布到 EP 个 rank（TP 更大时按 TP）"),
    sources=("sarathi2024", "gshard2020"),
    example=({"W_rest": "20 GB", "W_last": "100 GB", "TP": "1 device", "g_exp": "8 device", "T_chunk": "512 token"},
             "30 GB/device"),
)  # fmt: skip

formula(
    "t_prefill_layout", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_one * one_request * T_in / P_peak, W_one / B_peak)",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"), reason=("one prompt on an idle replica: it passes the stages one after another, on the devices of one group; other groups help at most with the experts that they hold", "空闲副本上的单个请求：在一个组的设备上依次经过各级；其他组至多分担其持有的专家"),
    sources=("pope2022", "gpipe2018"),
    example=({"F_one": "70 GFLOP/token/device", "T_in": "2000 token/request", "W_one": "70 GB/device", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device"}, "140 ms"),
)  # fmt: skip

formula(
    "TTFT_layout", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_one * one_request * T_in / (MFU * P_peak), W_one / (MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"), reason=("one prompt on an idle replica: it passes the stages one after another, on the devices of one group; other groups help at most with the experts that they hold", "空闲副本上的单个请求：在一个组的设备上依次经过各级；其他组至多分担其持有的专家"),
    reading=("More stages or groups serve more prompts, they do not bring the first token of one prompt forward.",
             "增加级或组可服务更多请求，却不会让单个请求的首 token 提前。"),
    sources=("pope2022", "gpipe2018"),
    example=({"F_one": "70 GFLOP/token/device", "T_in": "2000 token/request", "W_one": "70 GB/device", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "280 ms"),
)  # fmt: skip

formula(
    "t_prefill_found_layout", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_one * one_request * T_new / P_peak, (W_one + PP * KV_hit * kappa_dev / kappa) / B_peak)",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"), reason=("the same for what the prefix cache does not hold; a device reads the KV of the prefix that it keeps, copies included", "同上，只计前缀缓存未命中的部分；每个设备读取自己保存的那部分前缀 KV，含副本"),
    sources=("radix2023", "gpipe2018"),
    example=({"F_one": "70 GFLOP/token/device", "T_new": "1000 token/request", "W_one": "70 GB/device", "PP": "2",
              "KV_hit": "80 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device"}, "70 ms"),
)  # fmt: skip

formula(
    "TTFT_found_layout", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_one * one_request * T_new / (MFU * P_peak), (W_one + PP * KV_hit * kappa_dev / kappa) / (MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"), reason=("the same for what the prefix cache does not hold; a device reads the KV of the prefix that it keeps, copies included", "同上，只计前缀缓存未命中的部分；每个设备读取自己保存的那部分前缀 KV，含副本"),
    sources=("radix2023", "gpipe2018"),
    example=({"F_one": "70 GFLOP/token/device", "T_new": "500 token/request", "W_one": "70 GB/device", "PP": "2",
              "KV_hit": "80 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "110 ms"),
)  # fmt: skip

formula(
    "t_prefill_chunk_layout", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="(N_pass + PP - 2) * max(F_one * T_pass / (PP * P_peak), (W_one / PP + KV_seen * kappa_dev / kappa) / B_peak) "
        "+ max(F_one * T_last / (PP * P_peak), (W_one_last / PP + KV_seen * kappa_dev / kappa) / B_peak)",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("the chunks of one prompt follow each other through the stages: N_pass + PP − 1 turns, in each of which a stage reads its "
            "weights again; the last chunk, perhaps part full, paces its own last turn alone",
            "单个请求的各块依次流过各级：共 N_pass + PP − 1 个节拍，每个节拍中每一级都要重读自己的权重；最后一块可能不满，只决定自己的最后一拍"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_pass": "4", "PP": "2", "F_one": "70 GFLOP/token/device", "T_pass": "500 token", "T_last": "100 token",
              "W_one": "30 GB/device", "W_one_last": "26 GB/device", "KV_seen": "20 GB", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device"}, "79 ms"),
)  # fmt: skip

formula(
    "TTFT_chunk_layout", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="(N_pass + PP - 2) * max(F_one * T_pass / (PP * MFU * P_peak), (W_one / PP + KV_seen * kappa_dev / kappa) / (MBU * B_peak)) "
        "+ max(F_one * T_last / (PP * MFU * P_peak), (W_one_last / PP + KV_seen * kappa_dev / kappa) / (MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("the chunks of one prompt follow each other through the stages: N_pass + PP − 1 turns, in each of which a stage reads its "
            "weights again; the last chunk, perhaps part full, paces its own last turn alone",
            "单个请求的各块依次流过各级：共 N_pass + PP − 1 个节拍，每个节拍中每一级都要重读自己的权重；最后一块可能不满，只决定自己的最后一拍"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_pass": "4", "PP": "2", "F_one": "70 GFLOP/token/device", "T_pass": "500 token", "T_last": "100 token",
              "W_one": "30 GB/device", "W_one_last": "26 GB/device", "KV_seen": "20 GB", "kappa_dev": "20000 byte/token/device",
              "kappa": "80000 byte/token", "MFU": "0.5", "MBU": "0.5", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device"}, "158 ms"),
)  # fmt: skip

formula(
    "share_comm_prefill_chunk_layout", "s", "",
    section="second", instead_of="share_comm_prefill",
    is_="c_ring * L * (TP - one_device) / TP * (one_request * T_new + (PP - 1) * T_pass) / PP * d_model * w_act "
        "/ (B_link * one_device) / t_prefill",
    name=("all-reduce transfer over the prefill time at peak", "all-reduce 传输时间与峰值 prefill 时间之比"),
    reason=("two ring all-reduces a layer for every token that prefill computes, those of a stage while the others send theirs, "
            "PP − 1 turns of a full chunk until the last stage begins; "
            "not overlapped with computing",
            "prefill 实际计算的每个 token 在每层都要做两次 ring all-reduce，各级同时传输，最后一级开始前另有 PP − 1 个满块的节拍；按不与计算重叠计"),
    sources=("pope2022", "sarathi2024"),
    example=({"L": "80", "TP": "4 device", "T_new": "2048 token/request", "T_pass": "2048 token", "PP": "2", "B_link": "450 GB/s/device",
              "d_model": "8192 element/token", "w_act": "2 byte/element", "t_prefill": "73 ms"}, "0.2451"),
)  # fmt: skip

# --- what a prompt takes of the whole replica ------------------------------------------------------


formula(
    "t_busy", r"t_{\mathrm{busy}}", "s",
    section="ttft",
    is_="TTFT / N_par",
    calibre="reachable",
    name=("time that one prompt takes of the whole replica", "单个请求的 prefill 占用整个副本的时间"),
    reason=("PP · DP prompts are in prefill side by side, one in each stage of each group: a stage takes the next prompt after "
            "1/PP of TTFT, and groups do not wait for each other",
            "PP · DP 个请求可同时 prefill，每组的每一级各一个：一级在 TTFT 的 1/PP 之后即可接下一个请求，各组互不等待"),
    reading=("Replicas, cost and energy go by it; a single prompt waits for TTFT.", "副本数、成本与能耗按它计；单个请求等待的仍是 TTFT。"),
    sources=("gpipe2018", "megatron2021"),
    example=({"TTFT": "560 ms", "N_par": "4"}, "140 ms"),
)  # fmt: skip


formula(
    "t_busy_chunk", "t", "s",
    section="ttft", instead_of="t_busy", switch="N_par",
    is_="(N_pass - 1) * max(F_tok * T_pass / (g * MFU * P_peak), (W_read / g + KV_seen * kappa_dev / kappa / DP) / (MBU * B_peak)) "
        "+ max(F_tok * T_last / (g * MFU * P_peak), (W_read / g + KV_seen * kappa_dev / kappa / DP) / (MBU * B_peak))",
    name=("time that one prompt takes of the whole replica", "单个请求的 prefill 占用整个副本的时间"),
    reason=("with a chunk in every stage of every group all devices are at work: operations and bytes of each chunk over those of the "
            "whole replica, the slower of the two for each",
            "每组的每一级都有一块时全部设备都在工作：每一块的运算与字节由整个副本分担，各取较慢者"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "500 token", "T_last": "100 token", "g": "4 device", "W_read": "140 GB", "N_pass": "2",
              "KV_seen": "40 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "DP": "2",
              "N_par": "2", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "80 ms"),
)  # fmt: skip

formula(
    "TTFT_burst_layout", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="TTFT + (ceil(b / one_request / DP) - 1) * DP * t_busy",
    calibre="reachable",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("the groups share the prompts, and those of a group follow each other through its stages without a gap: the last has "
            "ceil(b/DP) − 1 others before it",
            "各组分摊请求，组内请求不间断地依次流过各级：最后一个之前还有 ceil(b/DP) − 1 个"),
    sources=("gpipe2018", "megatron2021"),
    example=({"b": "5 request", "DP": "2", "TTFT": "400 ms", "t_busy": "100 ms"}, "800 ms"),
)  # fmt: skip
