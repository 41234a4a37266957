"""A step that decodes and carries a chunk of prefill, where devices do not share all evenly."""

import derive.formulas.layout
import derive.formulas.layout_prefill
import derive.formulas.with_mixed  # noqa: F401
from derive.formula import formula

formula(
    "F_mix_layout", "f", "FLOP",
    section="step", instead_of="F_mix",
    is_="F_tok * PP * DP * (ceil(b / (PP * DP)) * n + T_pass)",
    name=("operations of a mixed step", "混合步的运算量"),
    reason=("each of PP · DP micro-batches carries a chunk beside its decoding requests; all counted as full as the fullest, which "
            "paces them",
            "PP · DP 个微批各在其正在 decode 的请求之外携带一块输入；均按最满的微批计，由它决定节拍"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "n": "1 token/request", "PP": "2", "DP": "2", "T_pass": "123 token"},
             "70 TFLOP"),
)  # fmt: skip

formula(
    "t_mix_layout", "t", "s",
    section="step", instead_of="t_mix",
    is_="max(F_mix / (g * MFU * P_peak), (PP * W_read_dev + KV_dev + PP * KV_seen * kappa_dev / kappa) / (MBU * B_peak))",
    name=("time of a mixed step", "混合步的时间"),
    reason=("PP turns of a stage, in each of which a micro-batch carries a chunk: a device reads what it reads for decode, copies "
            "included, and in each turn its part of the KV of a prompt so far",
            "一级走完 PP 个节拍，每拍由一个微批携带一块：设备读取 decode 所需的部分（含副本），每拍另读该输入已写入 KV 中自己保存的部分"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"F_mix": "70 TFLOP", "g": "4 device", "PP": "2", "W_read_dev": "35 GB/device", "KV_dev": "3 GB/device",
              "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "75 ms"),
)  # fmt: skip


formula(
    "t_mix_layout_experts", "t", "s",
    section="step", instead_of="t_mix",
    is_="max(F_mix / (g * MFU * P_peak), (PP * W_read_dev + KV_dev + PP * KV_seen * kappa_dev / kappa "
        "+ N_exp * w_exp * (1 - E_hit / E) * " + "(1 - pow(1 - k_exp / E, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))"
        + " / max(TP, EP * one_device)) / (MBU * B_peak))",
    name=("time of a mixed step", "混合步的时间"), reason=("the same with the experts that a chunk hits and decode does not, read in each turn; groups that share experts each bring a chunk", "同上，每个节拍另加该块命中而 decode 未命中的专家；共用专家的各组各带一块"),
    sources=("sarathi2024", "gshard2020"),
    example=({"F_mix": "70 TFLOP", "g": "4 device", "PP": "2", "DP": "1", "EP": "1", "W_read_dev": "30 GB/device",
              "KV_dev": "3 GB/device", "N_exp": "40 Gparam", "w_exp": "2 byte/param", "E": "8", "k_exp": "2", "E_hit": "4",
              "T_pass": "1 token", "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "70 ms"),
)  # fmt: skip

formula(
    "t_mix_layout_two", "t", "s",
    section="step", instead_of="t_mix",
    is_="max(F_mix / (g * MFU * P_peak), (PP * W_read_dev + KV_dev + PP * KV_seen * kappa_dev / kappa "
        "+ ((N_exp - N_exp2) * (1 - E_hit / E) * " + "(1 - pow(1 - k_exp / E, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))"
        + " + N_exp2 * (1 - E_hit2 / E2) * " + "(1 - pow(1 - k_exp2 / E2, T_pass * ceil(min(DP, EP * one_device / TP)) / (one_request * one_token)))"
        + ") * w_exp / max(TP, EP * one_device)) / (MBU * B_peak))",
    name=("time of a mixed step", "混合步的时间"), reason=("the same with the experts that a chunk hits and decode does not, read in each turn; groups that share experts each bring a chunk", "同上，每个节拍另加该块命中而 decode 未命中的专家；共用专家的各组各带一块"),
    sources=("sarathi2024", "gshard2020"),
    example=({"F_mix": "70 TFLOP", "g": "4 device", "PP": "2", "DP": "1", "EP": "1", "W_read_dev": "30 GB/device",
              "KV_dev": "3 GB/device", "N_exp": "44 Gparam", "N_exp2": "4 Gparam", "w_exp": "2 byte/param", "E": "8",
              "k_exp": "2", "E_hit": "4", "E2": "4", "k_exp2": "2", "E_hit2": "2", "T_pass": "1 token", "KV_seen": "8 GB", "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"},
             "70.5 ms"),
)  # fmt: skip

formula(
    "t_add_layout", "t", "s",
    section="ttft", instead_of="t_add",
    is_="((N_pass - 1) * (t_mix - t_step_eff) + t_last - t_step_eff) / (PP * DP)",
    calibre="reachable",
    name=("time that one prompt adds to the steps it rides on", "单个请求的 prefill 给所搭载各步增加的时间"),
    reason=("what prefill costs where steps of decode are there for every chunk; a step carries PP · DP of them, and each turn "
            "is taken at its own pace",
            "每一块都有 decode 步可搭载时 prefill 的实际开销；每一步携带 PP · DP 块，每拍按自己的时间计"),
    reading=("With stages the longest turn paces the whole ring of PP micro-batches: a part-full last chunk then saves time only "
             "if the scheduler puts equal chunks in one step. A request brings few steps of decode to a full batch; where its "
             "chunks are more than these, t_load is what it takes.",
             "有流水级时，PP 个微批轮转，由最长的一拍决定节拍：只有调度器把等长的块排进同一步，不满的最后一块才省得下时间。"
             "批满时单个请求分摊到的 decode 步很少；块数多于这些步时，实际占用的时间是 t_load。"),
    sources=("sarathi2024", "megatron2021"),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_last": "35 ms", "t_step_eff": "25 ms", "PP": "1", "DP": "2"}, "27.5 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_layout", "t", "s",
    section="ttft", instead_of="TTFT_mix",
    is_="(N_pass + PP - 2) / PP * t_mix + t_last / PP",
    calibre="reachable",
    name=("time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的首 token 延迟"),
    reason=("its chunks ride on successive micro-batches of one group through the stages, in N_pass + PP − 1 turns, of which a step "
            "has PP; the last chunk paces its own last turn alone; no queue of prompts",
            "各块依次搭载在同一组相继的微批上流过各级，共 N_pass + PP − 1 个节拍，一步含 PP 个节拍；最后一块只决定自己的最后一拍；不计输入排队"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"N_pass": "4", "PP": "2", "t_mix": "40 ms", "t_last": "30 ms"}, "95 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_layout_spec", "t", "s",
    section="ttft", instead_of="TTFT_mix",
    is_="(N_pass + PP - 2) / PP * t_mix + t_last / PP + (N_pass + PP - 1) / PP * (t_round - t_step_eff)",
    calibre="reachable",
    name=("time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的首 token 延迟"),
    reason=("its chunks ride on successive micro-batches of one group through the stages, in N_pass + PP − 1 turns, of which a round "
            "has PP; the last chunk paces its own last turn alone; no queue of prompts",
            "各块依次搭载在同一组相继的微批上流过各级，共 N_pass + PP − 1 个节拍，一轮投机解码含 PP 个节拍；最后一块只决定自己的最后一拍；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "PP": "2", "t_mix": "40 ms", "t_last": "30 ms", "t_round": "22 ms", "t_step_eff": "20 ms"}, "100 ms"),
)  # fmt: skip
