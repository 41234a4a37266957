"""A step that decodes and carries chunks of prefill, to the second order, where devices do not share all evenly.

A step is PP turns of each stage, in each of which a micro-batch carries a chunk; the DP groups each bring one.
"""

import derive.formulas.layout_mixed
import derive.formulas.layout_second
import derive.formulas.with_second_mixed  # noqa: F401
from derive.formula import formula

formula(
    "t_link_token_layout", "t", "s/token",
    section="second", instead_of="t_link_token", switch="T_chunk",
    is_="PP * t_comm_pre / (one_request * T_new + (PP - 1) * T_pass) + min(1, PP - 1) * PP * d_model * w_act / (B_link * one_device)",
    name=("time on the links that one token of a chunk adds to a mixed step", "块中每个 token 给混合步增加的互联通信时间"),
    reason=("in each of PP turns a stage sends for its layers and one chunk, and hands the chunk to the next stage; not overlapped "
            "with computing",
            "PP 个节拍的每一拍，每一级为自己的层与一块做通信，并把该块传到下一级；按不与计算重叠计"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"PP": "2", "T_new": "2000 token/request", "t_comm_pre": "10 ms", "T_pass": "500 token", "d_model": "8000 element/token",
              "w_act": "2 byte/element", "B_link": "400 GB/s/device", "T_chunk": "512 token"}, "8.08 µs/token"),
)  # fmt: skip

formula(
    "t_link_token_layout_experts", "t", "s/token",
    section="second", instead_of="t_link_token", switch="T_chunk",
    is_="PP * (t_comm_pre + t_a2a_pre) / (one_request * T_new + (PP - 1) * T_pass) + min(1, PP - 1) * PP * d_model * w_act / (B_link * one_device)",
    name=("time on the links that one token of a chunk adds to a mixed step", "块中每个 token 给混合步增加的互联通信时间"),
    reason=("in each of PP turns a stage sends for its layers and one chunk, to other experts as well, and hands the chunk to the "
            "next stage; not overlapped with computing",
            "PP 个节拍的每一拍，每一级为自己的层与一块做通信（含发往各专家），并把该块传到下一级；按不与计算重叠计"),
    sources=("sarathi2024", "gshard2020"),
    example=({"PP": "2", "T_new": "2000 token/request", "t_comm_pre": "10 ms", "t_a2a_pre": "5 ms", "T_pass": "500 token",
              "d_model": "8000 element/token", "w_act": "2 byte/element", "B_link": "400 GB/s/device", "T_chunk": "512 token"}, "12.08 µs/token"),
)  # fmt: skip

formula(
    "t_mix_exp_layout", "t", "s",
    section="second", instead_of="t_mix_exp",
    is_="max((t_ops + PP * DP * t_ops_pre * T_pass / (one_request * T_new)) / MFU, "
        "(PP * W_stream_dev + KV_dev + Q_more_dev + PP * (KV_seen + KV_fill * T_pass / (one_request * T_new)) * kappa_dev / kappa) / (MBU * B_peak)) "
        "+ t_over + t_link_chunk",
    calibre="reachable",
    name=("expected time of a mixed step, second order at reachable rates", "混合步的预期时间（二阶，可达速率）"),
    reason=("PP turns of the fullest micro-batch, each with a full chunk and the attention of the mean one: a device computes its part of PP · DP chunks, reads in "
            "each turn the KV of the prompt so far that it keeps and writes that of the chunk, copies included; launches once, and "
            "collectives of both",
            "最满的微批走完 PP 个节拍，每拍各带一个满块（注意力按各块均值计）：设备分担 PP · DP 块的运算，每拍读取该输入已写入 KV 中自己保存的部分，"
            "并写入该块的 KV（均含副本）；另计一次 kernel 启动，以及两者的集合通信"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"t_ops": "1 ms", "PP": "2", "DP": "2", "t_ops_pre": "40 ms", "T_pass": "500 token", "T_new": "2000 token/request", "W_stream_dev": "15 GB/device",
              "KV_dev": "1 GB/device", "Q_more_dev": "0 byte/device", "KV_seen": "7 GB", "KV_fill": "4 GB",
              "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "B_peak": "3 TB/s/device", "MFU": "0.5",
              "MBU": "0.5", "t_over": "500 µs", "t_link_chunk": "4 ms"}, "86.5 ms"),
)  # fmt: skip

formula(
    "t_mix_exp_layout_experts", "t", "s",
    section="second", instead_of="t_mix_exp",
    is_="max((t_ops + PP * DP * t_ops_pre * T_pass / (one_request * T_new)) / MFU, "
        "(PP * W_stream_dev + KV_dev + Q_more_dev + PP * (KV_seen + KV_fill * T_pass / (one_request * T_new)) * kappa_dev / kappa "
        "+ N_exp * w_exp * (1 - E_hit / E) * (1 - pow(1 - k_exp / E, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token))) "
        "/ max(TP, EP * one_device)) / (MBU * B_peak)) + t_over + t_link_chunk",
    calibre="reachable",
    name=("expected time of a mixed step, second order at reachable rates", "混合步的预期时间（二阶，可达速率）"),
    reason=("the same with the experts that a chunk hits and decode does not, read in each turn; groups that share experts each "
            "bring a chunk",
            "同上，每个节拍另加该块命中而 decode 未命中的专家；共用专家的各组各带一块"),
    sources=("sarathi2024", "gshard2020"),
    example=({"t_ops": "1 ms", "g": "2 device", "PP": "2", "DP": "1", "EP": "1", "t_ops_pre": "8 ms", "T_new": "4 token/request",
              "W_stream_dev": "10 GB/device", "KV_dev": "1 GB/device", "Q_more_dev": "0 byte/device", "KV_seen": "7 GB",
              "KV_fill": "4 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "N_exp": "40 Gparam",
              "w_exp": "2 byte/param", "E": "8", "k_exp": "2", "E_hit": "4", "T_pass": "1 token", "B_peak": "5 TB/s/device",
              "MFU": "0.5", "MBU": "0.5", "t_over": "500 µs", "t_link_chunk": "4 ms"}, "18.5 ms"),
)  # fmt: skip

formula(
    "t_mix_exp_layout_two", "t", "s",
    section="second", instead_of="t_mix_exp",
    is_="max((t_ops + PP * DP * t_ops_pre * T_pass / (one_request * T_new)) / MFU, "
        "(PP * W_stream_dev + KV_dev + Q_more_dev + PP * (KV_seen + KV_fill * T_pass / (one_request * T_new)) * kappa_dev / kappa "
        "+ ((N_exp - N_exp2) * (1 - E_hit / E) * (1 - pow(1 - k_exp / E, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token))) "
        "+ N_exp2 * (1 - E_hit2 / E2) * (1 - pow(1 - k_exp2 / E2, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))) "
        "* w_exp / max(TP, EP * one_device)) / (MBU * B_peak)) + t_over + t_link_chunk",
    calibre="reachable",
    name=("expected time of a mixed step, second order at reachable rates", "混合步的预期时间（二阶，可达速率）"),
    reason=("the same with the experts that a chunk hits and decode does not, by the number of experts of a layer, read in each "
            "turn; groups that share experts each bring a chunk",
            "同上，每个节拍另加该块命中而 decode 未命中的专家，按各层的专家数分别计；共用专家的各组各带一块"),
    sources=("sarathi2024", "gshard2020"),
    example=({"t_ops": "1 ms", "g": "2 device", "PP": "2", "DP": "1", "EP": "1", "t_ops_pre": "8 ms", "T_new": "4 token/request",
              "W_stream_dev": "9 GB/device", "KV_dev": "1 GB/device", "Q_more_dev": "0 byte/device", "KV_seen": "7 GB",
              "KV_fill": "4 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "N_exp": "44 Gparam",
              "N_exp2": "4 Gparam", "w_exp": "2 byte/param", "E": "8", "k_exp": "2", "E_hit": "4", "E2": "4", "k_exp2": "2",
              "E_hit2": "2", "T_pass": "1 token", "B_peak": "5 TB/s/device", "MFU": "0.5", "MBU": "0.5", "t_over": "500 µs",
              "t_link_chunk": "4 ms"}, "18.5 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_exp_layout", "t", "s",
    section="second", instead_of="TTFT_mix_exp",
    is_="(N_pass + PP - 2) / PP * t_mix_exp + t_last_exp / PP",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on successive micro-batches of one group through the stages, in N_pass + PP − 1 turns, of which a step "
            "has PP; no queue of prompts",
            "各块依次搭载在同一组相继的微批上流过各级，共 N_pass + PP − 1 个节拍，一步含 PP 个节拍；不计输入排队"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_pass": "4", "PP": "2", "t_mix_exp": "40 ms", "t_last_exp": "30 ms"}, "95 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_exp_layout_draft", "t", "s",
    section="second", instead_of="TTFT_mix_exp",
    is_="(N_pass + PP - 2) / PP * t_mix_exp + t_last_exp / PP "
        "+ (N_pass + PP - 1) / PP * k_draft / one_token * (t_draft_exp + t_draft_over)",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on successive micro-batches of one group through the stages, in N_pass + PP − 1 turns, of which a round "
            "of speculation with its drafts has PP; no queue of prompts",
            "各块依次搭载在同一组相继的微批上流过各级，共 N_pass + PP − 1 个节拍，一轮投机解码（含起草）含 PP 个节拍；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "PP": "2", "t_mix_exp": "40 ms", "t_last_exp": "30 ms", "k_draft": "4 token/request", "t_draft_exp": "0.4 ms",
              "t_draft_over": "0.1 ms"}, "100 ms"),
)  # fmt: skip
