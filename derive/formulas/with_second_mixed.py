"""A step that decodes and carries a chunk of prefill, to the second order."""

import derive.formulas.with_mixed
import derive.formulas.with_second
import derive.formulas.with_second_prefill  # noqa: F401
from derive.formula import formula

formula(
    "t_link_token", r"t_{\mathrm{link}}^{\mathrm{tok}}", "s/token",
    section="second", switch="T_chunk",
    is_="(t_over_pre - t_launch_pre) / (one_request * T_new)",
    name=("time on the links that one token of a chunk adds to a mixed step", "块中每个 token 给混合步增加的互联通信时间"),
    reason=("what prefill sends, less its kernel launches: those of the step serve the chunk as well",
            "prefill 的通信时间，不含 kernel 启动（该块与这一步共用启动）"),
    reading=("Nothing on one device.", "单个设备时为零。"),
    sources=("sarathi2024", "pope2022"),
    example=({"t_over_pre": "10 ms", "t_launch_pre": "2 ms", "T_new": "2000 token/request", "T_chunk": "512 token"}, "4 µs/token"),
)  # fmt: skip

formula(
    "t_link_chunk", r"t_{\mathrm{link}}^{\mathrm{chk}}", "s",
    section="second", switch="T_chunk",
    is_="t_link_token * T_pass",
    name=("time on the links that chunks add to a mixed step", "各块给混合步增加的互联通信时间"),
    reason=("that of a full chunk", "按满块计"),
    reading=("Nothing on one device.", "单个设备时为零。"),
    sources=("sarathi2024", "pope2022"),
    example=({"t_link_token": "4 µs/token", "T_pass": "500 token", "T_chunk": "512 token"}, "2 ms"),
)  # fmt: skip

formula(
    "t_mix_exp", r"t_{\mathrm{mix}}^{\mathrm{exp}}", "s",
    section="second",
    is_="max((t_ops + t_ops_pre * T_pass / (one_request * T_new)) / MFU, "
        "(W_stream_dev + KV_dev + Q_more_dev + (Q_mix - Q_step + KV_fill * T_pass / (one_request * T_new)) / g) / (MBU * B_peak)) "
        "+ t_over + t_link_chunk",
    calibre="reachable",
    exists=("b_pre <= one_request", ("chunks part one prompt; several prompts in one pass are not modelled with them: leave prompts at 1",
                                     "分块按单个请求计；一次前向含多个请求时不与分块同时建模：prompts 请保持为 1")),
    name=("expected time of a mixed step, second order at reachable rates", "混合步的预期时间（二阶，可达速率）"),
    reason=("the decode step and a full chunk together, with the attention of the mean one: operations, bytes with what the chunk "
            "adds, launches once, and collectives of both",
            "decode 步与一个满块合计（注意力按各块均值计）：运算、字节（含该块所增）、一次 kernel 启动，以及两者的集合通信"),
    sources=("sarathi2024", "pope2022"),
    example=({"t_ops": "1 ms", "t_ops_pre": "80 ms", "T_pass": "500 token", "T_new": "2000 token/request", "W_stream_dev": "35 GB/device", "KV_dev": "1 GB/device",
              "Q_more_dev": "0 byte/device", "Q_mix": "146 GB", "Q_step": "144 GB", "KV_fill": "0 byte", "g": "4 device",
              "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "t_over": "500 µs", "t_link_chunk": "2 ms",
              "b_pre": "1 request"}, "44.5 ms"),
)  # fmt: skip

formula(
    "t_last_exp", r"t_{\mathrm{last}}^{\mathrm{exp}}", "s",
    section="second",
    of="t_mix_exp", at={"T_pass": "T_last"}, held=("T_pass", "T_last", "t_link_token"),
    calibre="reachable",
    name=("expected time of the mixed step that carries the last chunk", "携带最后一块的混合步的预期时间"),
    reason=("the last chunk is what is left of the prompt", "最后一块只是输入的余数"),
    sources=("sarathi2024",),
    example=({"t_ops": "1 ms", "t_ops_pre": "80 ms", "T_last": "500 token", "T_new": "2000 token/request", "W_stream_dev": "35 GB/device",
              "KV_dev": "1 GB/device", "Q_more_dev": "0 byte/device", "Q_mix": "146 GB", "Q_step": "144 GB", "KV_fill": "0 byte",
              "g": "4 device", "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "t_over": "500 µs", "t_link_token": "4 µs/token",
              "T_chunk": "512 token", "b_pre": "1 request"}, "44.5 ms"),
)  # fmt: skip

formula(
    "TPOT_mix_exp", r"\mathrm{TPOT}_{\mathrm{mix}}^{\mathrm{exp}}", "s*request/token",
    section="second",
    is_="t_mix_exp / n",
    calibre="reachable",
    name=("expected TPOT while a prompt is prefilled", "prefill 进行期间的预期 TPOT"),
    reason=("every step then carries a chunk", "此时每一步都带一块 prefill"),
    sources=("sarathi2024",),
    example=({"t_mix_exp": "44.5 ms", "n": "1 token/request"}, "44.5 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_mix_exp_spec", "t", "s*request/token",
    section="second", instead_of="TPOT_mix_exp",
    is_="(t_mix_exp + t_round - t_step_eff) / n_gain",
    calibre="reachable",
    name=("expected TPOT while a prompt is prefilled", "prefill 进行期间的预期 TPOT"),
    reason=("every verification pass then carries a chunk; drafts take their time as before", "此时每次校验前向都带一块 prefill；起草时间不变"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"t_mix_exp": "33 ms", "t_round": "22 ms", "t_step_eff": "20 ms", "alpha": "0.5",
              "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_mix_exp_draft", "t", "s*request/token",
    section="second", instead_of="TPOT_mix_exp",
    is_="(t_mix_exp + k_draft / one_token * (t_draft_exp + t_draft_over)) / n_gain",
    calibre="reachable",
    name=("expected TPOT while a prompt is prefilled", "prefill 进行期间的预期 TPOT"),
    reason=("every verification pass then carries a chunk; drafts take their time as before, launches and collectives included",
            "此时每次校验前向都带一块 prefill；起草时间不变（含其 kernel 启动与集合通信）"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"t_mix_exp": "33 ms", "t_draft_exp": "0.9 ms", "t_draft_over": "0.1 ms", "alpha": "0.5",
              "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TTFT_mix_exp", r"\mathrm{TTFT}_{\mathrm{mix}}^{\mathrm{exp}}", "s",
    section="second",
    is_="(N_pass - 1) * t_mix_exp + t_last_exp",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on as many steps of b decoding requests; no queue of prompts",
            "各块依次搭载在 b 个请求的 decode 步上；不计输入排队"),
    sources=("sarathi2024",),
    example=({"N_pass": "4", "t_mix_exp": "45 ms", "t_last_exp": "35 ms"}, "170 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_exp_spec", "t", "s",
    section="second", instead_of="TTFT_mix_exp",
    is_="(N_pass - 1) * t_mix_exp + t_last_exp + N_pass * (t_round - t_step_eff)",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on as many rounds of b decoding requests; no queue of prompts", "各块依次搭载在 b 个请求的投机解码轮次上；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "t_mix_exp": "45 ms", "t_last_exp": "35 ms", "t_round": "22 ms", "t_step_eff": "20 ms"}, "178 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_exp_draft", "t", "s",
    section="second", instead_of="TTFT_mix_exp",
    is_="(N_pass - 1) * t_mix_exp + t_last_exp + N_pass * k_draft / one_token * (t_draft_exp + t_draft_over)",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on as many rounds of b decoding requests, drafts with their launches and collectives counted; no queue "
            "of prompts",
            "各块依次搭载在 b 个请求的投机解码轮次上，计入起草及其 kernel 启动与集合通信；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "t_mix_exp": "45 ms", "t_last_exp": "35 ms", "k_draft": "4 token/request", "t_draft_exp": "0.4 ms",
              "t_draft_over": "0.1 ms"}, "178 ms"),
)  # fmt: skip
