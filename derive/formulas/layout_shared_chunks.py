"""Prefill in chunks of groups that share experts: turn by turn, the last chunk perhaps part full."""

import derive.formulas.layout_shared
import derive.formulas.with_prefill  # noqa: F401
from derive.formula import formula

formula(
    "t_turn_busy", r"t_{\mathrm{turn}}^{\mathrm{busy}}", "s",
    section="ttft", switch="N_par",
    is_="max(DP * F_tok * T_pass / (g * MFU * P_peak), "
        "((W_rest / TP + W_turn / g_exp) / PP + KV_seen * kappa_dev / kappa) / (MBU * B_peak))",
    calibre="reachable",
    name=("time of a turn of prefill with a full chunk in every group", "每组各有一个满块时 prefill 一个节拍的时间"),
    reason=("all devices compute the DP chunks of each stage; a device reads its share of its stage, of the experts that these chunks hit, "
            "and of the KV of a prompt so far",
            "每一级的 DP 块由全部设备分担运算；设备读取本级权重中自己的一份、这些块命中的专家以及该输入已写入的 KV"),
    sources=("sarathi2024", "gshard2020"),
    example=({"F_tok": "140 GFLOP/token", "T_pass": "500 token", "g": "4 device", "PP": "1", "DP": "4", "W_rest": "40 GB",
              "W_turn": "80 GB", "g_exp": "4 device", "KV_seen": "20 GB", "kappa_dev": "80000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "4", "P_peak": "1000 TFLOP/s/device", "B_peak": "0.4 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "400 ms"),
)  # fmt: skip

formula(
    "t_turn_busy_last", r"t_{\mathrm{turn},\mathrm{last}}^{\mathrm{busy}}", "s",
    section="ttft", switch="N_par",
    of="t_turn_busy", at={"T_pass": "T_last"}, held=("T_pass", "T_last"),
    calibre="reachable",
    name=("time of a turn of prefill with the last chunk in every group", "每组各有最后一块时 prefill 一个节拍的时间"),
    reason=("the last chunk has what is left of the prompt, and may hit fewer experts", "最后一块为输入的余数，命中的专家也可能较少"),
    sources=("sarathi2024", "gshard2020"),
    example=({"F_tok": "140 GFLOP/token", "T_last": "500 token", "g": "4 device", "PP": "1", "DP": "4", "W_rest": "40 GB",
              "W_turn": "80 GB", "g_exp": "4 device", "KV_seen": "20 GB", "kappa_dev": "80000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "4", "P_peak": "1000 TFLOP/s/device", "B_peak": "0.4 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "400 ms"),
)  # fmt: skip

formula(
    "t_busy_chunk_experts", "t", "s",
    section="ttft", instead_of="t_busy", switch="N_par",
    is_="((N_pass - 1) * t_turn_busy + t_turn_busy_last) / DP",
    name=("time that one prompt takes of the whole replica", "单个请求的 prefill 占用整个副本的时间"),
    reason=("with a chunk in every stage of every group all devices are at work; N_pass turns of all stages finish DP prompts",
            "每组的每一级都有一块时全部设备都在工作；各级经 N_pass 个节拍完成 DP 个请求"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"N_pass": "4", "t_turn_busy": "50 ms", "t_turn_busy_last": "10 ms", "DP": "2", "N_par": "2"}, "80 ms"),
)  # fmt: skip

formula(
    "t_turn_end", r"t_{\mathrm{turn}}^{\mathrm{end}}", "s",
    section="ttft", switch="N_par",
    is_="max(F_end * T_pass / (PP * MFU * P_peak), "
        "((W_rest / TP + W_end / g_exp) / PP + KV_seen * kappa_dev / kappa) / (MBU * B_peak))",
    calibre="reachable",
    name=("time of a turn of a full chunk for the last prompts of a burst", "突发的最后几个请求的一个满块节拍的时间"),
    reason=("its operations, or its own weights, the experts that are hit and the KV of the prompt so far; a stage has 1/PP of all",
            "其运算时间，或读取本组权重、所命中专家与该输入已写入 KV 的时间；每级承担 1/PP"),
    sources=("sarathi2024", "gshard2020"),
    example=({"T_pass": "500 token", "F_end": "20 GFLOP/token/device", "TP": "1 device", "g_exp": "8 device", "PP": "2",
              "W_rest": "20 GB", "W_end": "80 GB", "KV_seen": "10 GB", "kappa_dev": "40000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "16", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "20 ms"),
)  # fmt: skip

formula(
    "t_turn_end_last", r"t_{\mathrm{turn},\mathrm{last}}^{\mathrm{end}}", "s",
    section="ttft", switch="N_par",
    of="t_turn_end", at={"T_pass": "T_last"}, held=("T_pass", "T_last"),
    calibre="reachable",
    name=("time of a turn of the last chunk for the last prompts of a burst", "突发的最后几个请求的最后一块的节拍时间"),
    reason=("the last chunk has what is left of the prompt, and may hit fewer experts", "最后一块为输入的余数，命中的专家也可能较少"),
    sources=("sarathi2024", "gshard2020"),
    example=({"T_last": "500 token", "F_end": "20 GFLOP/token/device", "TP": "1 device", "g_exp": "8 device", "PP": "2",
              "W_rest": "20 GB", "W_end": "80 GB", "KV_seen": "10 GB", "kappa_dev": "40000 byte/token/device",
              "kappa": "80000 byte/token", "N_par": "16", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "20 ms"),
)  # fmt: skip

formula(
    "t_end_chunk", "t", "s",
    section="ttft", instead_of="t_end", switch="N_par",
    is_="(N_pass - 1) * t_turn_end + t_turn_end_last",
    calibre="reachable",
    name=("time that a stage takes for the last turn of a burst", "突发的最后一个节拍在一级上的时间"),
    reason=("the same for all chunks of a prompt, each of which reads the weights again and the KV of the prompt so far",
            "同上，计一个请求的全部各块；每一块都要重读权重以及该输入已写入的 KV"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"N_pass": "4", "t_turn_end": "50 ms", "t_turn_end_last": "10 ms", "N_par": "2"}, "160 ms"),
)  # fmt: skip

formula(
    "TTFT_burst_chunk_layout_experts", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="(ceil(b / one_request / DP) - 1) * DP * t_busy + t_end "
        "+ (PP - 1) * max(t_turn_end, min(1, ceil(b / one_request / DP) - 1) * t_turn_busy)",
    calibre="reachable",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("the same where the chunks of a group's prompts follow each other through its stages: PP − 1 more turns of one chunk "
            "until the last is through",
            "同上，组内各请求的各块依次流过各级：最后一块流过各级还需 PP − 1 个单块的节拍"),
    sources=("gpipe2018", "sarathi2024"),
    example=({"b": "9 request", "PP": "2", "DP": "8", "t_busy": "20 ms", "t_end": "100 ms", "t_turn_end": "25 ms",
              "t_turn_busy": "40 ms"}, "300 ms"),
)  # fmt: skip
