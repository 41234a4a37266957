"""A step that decodes and carries a chunk of prefill, where devices do not share all evenly."""

import derive.formulas.layout
import derive.formulas.layout_prefill
import derive.formulas.with_mixed  # noqa: F401
from derive.formula import formula

formula(
    "F_mix_layout", "f", "FLOP",
    section="step", instead_of="F_mix",
    is_="F_tok * (b * n + DP * T_pass)",
    name=("operations of a mixed step", "混合步的运算量"),
    reason=("the tokens of the decoding requests, and in each group a chunk of a prompt of its own, which one of its "
            "micro-batches carries",
            "正在 decode 的请求的 token，加上每组各自一个请求的一块输入（由该组的一个微批携带）"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "n": "1 token/request", "DP": "2", "T_pass": "246 token"},
             "70 TFLOP"),
)  # fmt: skip

formula(
    "t_mix_layout", "t", "s",
    section="step", instead_of="t_mix",
    is_="max(F_mix / (g * MFU * P_peak), (PP * W_read_dev + KV_dev + KV_seen * kappa_dev / kappa) / (MBU * B_peak))",
    name=("time of a mixed step", "混合步的时间"),
    reason=("a turn of every stage in which one micro-batch carries the chunk: a device reads what it reads for decode, copies "
            "included, and its part of the KV of the prompt so far",
            "各级走完一轮，其中一个微批携带该块：设备读取 decode 所需的部分（含副本），以及该输入已写入 KV 中自己保存的部分"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"F_mix": "70 TFLOP", "g": "4 device", "PP": "2", "W_read_dev": "35 GB/device", "KV_dev": "3 GB/device",
              "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "75 ms"),
)  # fmt: skip


formula(
    "t_mix_layout_experts", "t", "s",
    section="step", instead_of="t_mix",
    is_="max(F_mix / (g * MFU * P_peak), (PP * W_read_dev + KV_dev + KV_seen * kappa_dev / kappa "
        "+ N_exp * w_exp * (1 - E_hit / E) * " + "(1 - pow(1 - k_exp / E, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))"
        + " / (PP * max(TP, EP * one_device))) / (MBU * B_peak))",
    name=("time of a mixed step", "混合步的时间"), reason=("the same with the experts that the chunk hits and decode does not, read by the one micro-batch that carries it; groups that share experts each bring a chunk", "同上，另加该块命中而 decode 未命中的专家，由携带它的那个微批读取；共用专家的各组各带一块"),
    sources=("sarathi2024", "gshard2020"),
    example=({"F_mix": "70 TFLOP", "g": "4 device", "PP": "2", "DP": "1", "EP": "1", "W_read_dev": "30 GB/device",
              "KV_dev": "3 GB/device", "N_exp": "40 Gparam", "w_exp": "2 byte/param", "E": "8", "k_exp": "2", "E_hit": "4",
              "T_pass": "1 token", "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "70 ms"),
)  # fmt: skip

formula(
    "t_mix_layout_two", "t", "s",
    section="step", instead_of="t_mix",
    is_="max(F_mix / (g * MFU * P_peak), (PP * W_read_dev + KV_dev + KV_seen * kappa_dev / kappa "
        "+ ((N_exp - N_exp2) * (1 - E_hit / E) * " + "(1 - pow(1 - k_exp / E, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))"
        + " + N_exp2 * (1 - E_hit2 / E2) * " + "(1 - pow(1 - k_exp2 / E2, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))"
        + ") * w_exp / (PP * max(TP, EP * one_device))) / (MBU * B_peak))",
    name=("time of a mixed step", "混合步的时间"), reason=("the same with the experts that the chunk hits and decode does not, read by the one micro-batch that carries it; groups that share experts each bring a chunk", "同上，另加该块命中而 decode 未命中的专家，由携带它的那个微批读取；共用专家的各组各带一块"),
    sources=("sarathi2024", "gshard2020"),
    example=({"F_mix": "70 TFLOP", "g": "4 device", "PP": "2", "DP": "1", "EP": "1", "W_read_dev": "30 GB/device",
              "KV_dev": "3 GB/device", "N_exp": "44 Gparam", "N_exp2": "4 Gparam", "w_exp": "2 byte/param", "E": "8",
              "k_exp": "2", "E_hit": "4", "E2": "4", "k_exp2": "2", "E_hit2": "2", "T_pass": "1 token", "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"},
             "70.5 ms"),
)  # fmt: skip

formula(
    "t_add_layout", "t", "s",
    section="ttft", instead_of="t_add",
    is_="N_pass * (t_mix - t_step_eff) / DP",
    calibre="reachable",
    name=("time that one prompt adds to the steps it rides on", "单个请求的 prefill 给所搭载各步增加的时间"),
    reason=("what prefill costs a busy replica, whose groups each carry a prompt of their own in the same steps",
            "prefill 对忙碌副本的实际开销；各组在同样的各步中各带一个自己的请求"),
    sources=("sarathi2024", "megatron2021"),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_step_eff": "25 ms", "DP": "2"}, "30 ms"),
)  # fmt: skip
