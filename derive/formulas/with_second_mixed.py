"""A step that decodes and carries a chunk of prefill, to the second order."""

import derive.formulas.with_mixed
import derive.formulas.with_second
import derive.formulas.with_second_prefill  # noqa: F401
from derive.formula import formula

formula(
    "t_link_chunk", r"t_{\mathrm{link}}^{\mathrm{chk}}", "s",
    section="second", switch="T_chunk",
    is_="(t_over_pre - t_launch_pre) / N_pass",
    name=("time on the links that chunks add to a mixed step", "各块给混合步增加的互联通信时间"),
    reason=("what prefill sends, less its kernel launches: those of the step serve the chunk as well; of the mean chunk",
            "prefill 的通信时间，不含 kernel 启动（该块与这一步共用启动）；按平均的一块计"),
    reading=("Nothing on one device.", "单个设备时为零。"),
    sources=("sarathi2024", "pope2022"),
    example=({"t_over_pre": "10 ms", "t_launch_pre": "2 ms", "N_pass": "4", "T_chunk": "512 token"}, "2 ms"),
)  # fmt: skip

formula(
    "t_mix_exp", r"t_{\mathrm{mix}}^{\mathrm{exp}}", "s",
    section="second",
    is_="max((t_ops + t_ops_pre / N_pass) / MFU, "
        "(W_stream_dev + KV_dev + Q_more_dev + (Q_mix - Q_step + KV_fill / N_pass) / g) / (MBU * B_peak)) "
        "+ t_over + t_link_chunk",
    calibre="reachable",
    exists=("b_pre <= one_request", ("chunks part one prompt; several prompts in one pass are not modelled with them: leave prompts at 1",
                                     "分块按单个请求计；一次前向含多个请求时不与分块同时建模：prompts 请保持为 1")),
    name=("expected time of a mixed step, second order at reachable rates", "混合步的预期时间（二阶，可达速率）"),
    reason=("the decode step and the mean chunk together: operations, bytes with what the chunk adds, launches once, and "
            "collectives of both",
            "decode 步与平均的一块合计：运算、字节（含该块所增）、一次 kernel 启动，以及两者的集合通信"),
    sources=("sarathi2024", "pope2022"),
    example=({"t_ops": "1 ms", "t_ops_pre": "80 ms", "N_pass": "4", "W_stream_dev": "35 GB/device", "KV_dev": "1 GB/device",
              "Q_more_dev": "0 byte/device", "Q_mix": "146 GB", "Q_step": "144 GB", "KV_fill": "0 byte", "g": "4 device",
              "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "t_over": "500 µs", "t_link_chunk": "2 ms",
              "b_pre": "1 request"}, "44.5 ms"),
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
    is_="N_pass * t_mix_exp",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on as many steps of b decoding requests; no queue of prompts",
            "各块依次搭载在 b 个请求的 decode 步上；不计输入排队"),
    sources=("sarathi2024",),
    example=({"N_pass": "4", "t_mix_exp": "45 ms"}, "180 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_exp_spec", "t", "s",
    section="second", instead_of="TTFT_mix_exp",
    is_="N_pass * (t_mix_exp + t_round - t_step_eff)",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on as many rounds of b decoding requests; no queue of prompts", "各块依次搭载在 b 个请求的投机解码轮次上；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "t_mix_exp": "45 ms", "t_round": "22 ms", "t_step_eff": "20 ms"}, "188 ms"),
)  # fmt: skip

formula(
    "TTFT_mix_exp_draft", "t", "s",
    section="second", instead_of="TTFT_mix_exp",
    is_="N_pass * (t_mix_exp + k_draft / one_token * (t_draft_exp + t_draft_over))",
    calibre="reachable",
    name=("expected time to first token of a prompt that shares its steps with decode", "与 decode 共用各步的请求的预期首 token 延迟"),
    reason=("its chunks ride on as many rounds of b decoding requests, drafts with their launches and collectives counted; no queue "
            "of prompts",
            "各块依次搭载在 b 个请求的投机解码轮次上，计入起草及其 kernel 启动与集合通信；不计输入排队"),
    sources=("sarathi2024", "leviathan2022"),
    example=({"N_pass": "4", "t_mix_exp": "45 ms", "k_draft": "4 token/request", "t_draft_exp": "0.4 ms",
              "t_draft_over": "0.1 ms"}, "188 ms"),
)  # fmt: skip
