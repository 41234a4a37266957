"""Chunked prefill mixed with decode: a step that carries both, and what a prompt then costs."""

import derive.formulas.with_prefill
import derive.formulas.with_speculation  # noqa: F401
from derive.formula import formula

formula(
    "F_mix", r"F_{\mathrm{mix}}", "FLOP",
    section="step",
    is_="F_tok * (b * n + T_pass)",
    name=("operations of a mixed step", "混合步的运算量"),
    reason=("the tokens of the decoding requests and a chunk of one prompt", "正在 decode 的请求的 token，加一个请求的一块输入"),
    sources=("sarathi2024",),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "n": "1 token/request", "T_pass": "492 token"}, "70 TFLOP"),
)  # fmt: skip

formula(
    "W_mix", r"W_{\mathrm{mix}}", "byte",
    section="step", switch="T_chunk",
    is_="N_fix * w_fix + N_exp * w_exp * (1 - pow(1 - k_exp / E, (b * n + T_pass) / (one_request * one_token)))",
    name=("weight bytes a mixed step reads", "混合步读取的权重字节数"),
    reason=("the experts that the tokens of decode and of the chunk hit together", "decode 与该块的 token 一起命中的专家"),
    sources=("sarathi2024", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "b": "1 request", "n": "1 token/request", "T_pass": "1 token",
              "T_chunk": "1 token"}, "21.5 GB"),
)  # fmt: skip

formula(
    "W_mix_two", "w", "byte",
    section="step", instead_of="W_mix",
    is_="N_fix * w_fix + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, (b * n + T_pass) / (one_request * one_token))) + N_exp2 * (1 - pow(1 - k_exp2 / E2, (b * n + T_pass) / (one_request * one_token)))) * w_exp",
    name=("weight bytes a mixed step reads", "混合步读取的权重字节数"),
    reason=("the experts that the tokens of decode and of the chunk hit together, by the number of experts of a layer",
            "decode 与该块的 token 一起命中的专家，按各层的专家数分别计"),
    sources=("sarathi2024", "pope2022"),
    example=({"N_fix": "2 Gparam", "N_exp": "50 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "N_exp2": "10 Gparam", "E2": "4", "k_exp2": "3", "b": "1 request",
              "n": "1 token/request", "T_pass": "1 token"}, "30.875 GB"),
)  # fmt: skip

formula(
    "Q_mix", r"Q_{\mathrm{mix}}", "byte",
    section="step",
    is_="Q_step + KV_seen",
    name=("bytes a mixed step moves", "混合步搬运的字节数"),
    reason=("those of the decode step, whose weights serve the chunk as well, and the KV of the prompt so far",
            "decode 步的字节数（权重由该块共用），加上该输入已写入的 KV"),
    sources=("sarathi2024",),
    example=({"Q_step": "156 GB", "KV_seen": "0.5 GB"}, "156.5 GB"),
)  # fmt: skip

formula(
    "Q_mix_experts", "q", "byte",
    section="step", instead_of="Q_mix",
    is_="Q_step - W_read + W_mix + KV_seen",
    name=("bytes a mixed step moves", "混合步搬运的字节数"),
    reason=("the KV of the decode step and of the prompt so far, and the experts that all tokens of the step hit",
            "decode 步与该输入已写入的 KV，加上本步全部 token 命中的专家"),
    sources=("sarathi2024",),
    example=({"Q_step": "56 GB", "W_read": "40 GB", "W_mix": "90 GB", "KV_seen": "0.5 GB"}, "106.5 GB"),
)  # fmt: skip

formula(
    "t_mix", r"t_{\mathrm{mix}}", "s",
    section="step",
    is_="max(F_mix / (g * MFU * P_peak), Q_mix / (g * MBU * B_peak))",
    calibre="reachable",
    name=("time of a mixed step", "混合步的时间"),
    reason=("the chunk fills the compute that memory-bound decode leaves idle; beyond that it lengthens the step",
            "该块先填满受带宽限制的 decode 所闲置的算力；再多就会拉长这一步"),
    sources=("sarathi2024",),
    example=({"F_mix": "70 TFLOP", "Q_mix": "156 GB", "g": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "140 ms"),
)  # fmt: skip

formula(
    "t_last", r"t_{\mathrm{last}}", "s",
    section="step",
    of="t_mix", at={"T_pass": "T_last"}, held=("T_pass", "T_last"),
    calibre="reachable",
    name=("time of the mixed step that carries the last chunk", "携带最后一块的混合步的时间"),
    reason=("the last chunk is what is left of the prompt: it brings fewer tokens than a full one, and its step is shorter",
            "最后一块只是输入的余数：token 少于满块，所在的步也更短"),
    sources=("sarathi2024",),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "n": "1 token/request", "T_last": "492 token", "Q_mix": "156 GB",
              "g": "1 device", "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "140 ms"),
)  # fmt: skip

formula(
    "TPOT_mix", r"\mathrm{TPOT}_{\mathrm{mix}}", "s*request/token",
    section="step",
    is_="t_mix / n",
    calibre="reachable",
    name=("TPOT while a prompt is prefilled", "prefill 进行期间的 TPOT"),
    reason=("every step then carries a chunk", "此时每一步都带一块 prefill"),
    reading=("Hold this one against the target where prompts arrive all the time; TPOT is that of decode alone.",
             "请求持续到达时，应以它与目标对照；TPOT 只计纯 decode。"),
    sources=("sarathi2024",),
    example=({"t_mix": "40 ms", "n": "1 token/request"}, "40 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_mix_spec", "t", "s*request/token",
    section="step", instead_of="TPOT_mix",
    is_="(t_mix + t_round - t_step_eff) / n_gain",
    calibre="reachable",
    name=("TPOT while a prompt is prefilled", "prefill 进行期间的 TPOT"),
    reason=("every verification pass then carries a chunk; drafts take their time as before", "此时每次校验前向都带一块 prefill；起草时间不变"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"t_mix": "33 ms", "t_round": "22 ms", "t_step_eff": "20 ms", "alpha": "0.5",
              "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TTFT_mix", r"\mathrm{TTFT}_{\mathrm{mix}}", "s",
    section="ttft",
    is_="(N_pass - 1) * t_mix + t_last",
    calibre="reachable",
    name=("time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的首 token 延迟"),
    reason=("its chunks ride on as many steps of b decoding requests, the last one perhaps part full; no queue of prompts",
            "各块依次搭载在 b 个请求的 decode 步上，最后一块可能不满；不计输入排队"),
    sources=("sarathi2024",),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_last": "30 ms"}, "150 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_spec", "t", "s",
    section="ttft", instead_of="TTFT_mix",
    is_="(N_pass - 1) * t_mix + t_last + N_pass * (t_round - t_step_eff)",
    calibre="reachable",
    name=("time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的首 token 延迟"),
    reason=("its chunks ride on as many rounds of b decoding requests, the last one perhaps part full; no queue of prompts",
            "各块依次搭载在 b 个请求的投机解码轮次上，最后一块可能不满；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_last": "30 ms", "t_round": "22 ms", "t_step_eff": "20 ms"}, "158 ms"),
)  # fmt: skip

formula(
    "t_add", r"t_{\mathrm{add}}", "s",
    section="ttft",
    is_="(N_pass - 1) * (t_mix - t_step_eff) + t_last - t_step_eff",
    calibre="reachable",
    name=("time that one prompt adds to the steps it rides on", "单个请求的 prefill 给所搭载各步增加的时间"),
    reason=("what prefill costs where steps of decode are there for every chunk: the weights are read for decode anyway",
            "每一块都有 decode 步可搭载时 prefill 的实际开销：权重本来就要为 decode 读取"),
    reading=("A request brings few steps of decode to a full batch; where its chunks are more than these, t_load is what it takes.",
             "批满时单个请求分摊到的 decode 步很少；块数多于这些步时，实际占用的时间是 t_load。"),
    sources=("sarathi2024",),
    example=({"N_pass": "4", "t_mix": "40 ms", "t_last": "35 ms", "t_step_eff": "25 ms"}, "55 ms"),
)  # fmt: skip

formula(
    "T_chunk_slo", r"C_{\mathrm{SLO}}", "token",
    section="step", switch="T_chunk",
    largest=("TPOT_mix", "target_TPOT", "T_chunk"),
    calibre="reachable",
    name=("largest chunk that keeps the TPOT target", "满足 TPOT 目标的最大块长"),
    reason=("a longer chunk lengthens the step that carries it; the largest whole number of tokens at or below the target",
            "块越长，带着它的那一步越久；取不超过目标的最大整数个 token"),
    sources=("sarathi2024",),
    example=({"F_tok": "140 GFLOP/token", "b": "50 request", "T_new": "2000 token/request", "Q_step": "60 GB",
              "kappa": "1 byte/token", "g": "4 device", "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device",
              "MFU": "0.5", "MBU": "0.5", "target_TPOT": "28 ms*request/token", "T_chunk": "512 token"}, "350 token"),
)  # fmt: skip
