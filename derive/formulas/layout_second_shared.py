"""The second order of several prompts on groups that share experts: a turn reads what all its prompts hit."""

import derive.formulas.layout_second
import derive.formulas.layout_shared  # noqa: F401
from derive.formula import formula

formula(
    "N_end_pre_chunk", "n", "",
    section="second", instead_of="N_end_pre", switch="N_par",
    is_="b_pre / one_request",
    exists=("b_pre <= one_request", ("chunks part one prompt; several prompts in one pass are not modelled with them: leave prompts at 1",
                                     "分块按单个请求计；一次前向含多个请求时不与分块同时建模：prompts 请保持为 1")),
    name=("prompts in the last turn of prefill that share one copy of the experts", "prefill 的最后一个节拍中共用一份专家的请求数"),
    reason=("chunks part one prompt, which is in prefill alone", "分块按单个请求计，此时只有这一个请求在 prefill"),
    sources=("sarathi2024",),
    example=({"b_pre": "1 request", "N_par": "4"}, "1"),
)  # fmt: skip

formula(
    "W_end_pre", r"W_{\mathrm{end}}^{\mathrm{pre}}", "byte",
    section="second", switch="N_par",
    is_="N_exp * w_exp * (1 - pow(1 - k_exp / E, tokens_pre * N_end_pre / (one_request * one_token)))",
    name=("bytes of the routed experts that the last turn of prefill reads", "prefill 的最后一个节拍读取的路由专家字节数"),
    reason=("the experts that the tokens of the prompts of this turn hit which share a copy", "该节拍中共用一份专家的各请求，其 token 所命中的专家"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "40 Gparam", "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "tokens_pre": "1 token", "N_end_pre": "2",
              "N_par": "2"}, "17.5 GB"),
)  # fmt: skip

formula(
    "W_end_pre_two", "w", "byte",
    section="second", instead_of="W_end_pre", switch="N_par",
    is_="((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, tokens_pre * N_end_pre / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, tokens_pre * N_end_pre / (one_request * one_token)))) * w_exp",
    name=("bytes of the routed experts that the last turn of prefill reads", "prefill 的最后一个节拍读取的路由专家字节数"),
    reason=("the experts that the tokens of the prompts of this turn hit which share a copy; by the number of experts of a layer",
            "该节拍中共用一份专家的各请求，其 token 所命中的专家；按各层的专家数分别计"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "50 Gparam", "N_exp2": "10 Gparam", "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "E2": "4",
              "k_exp2": "3", "tokens_pre": "1 token", "N_end_pre": "2", "N_par": "2"}, "26.875 GB"),
)  # fmt: skip

formula(
    "W_pre_dev_experts", "w", "byte/device",
    section="second", instead_of="W_pre_dev", switch="N_par",
    is_="(W_stream - W_hit) / TP + (W_turn - (PP - (PP - 1) * min(1, N_turn - PP)) / N_turn * (W_turn - W_end_pre)) / g_exp",
    name=("weight bytes one device streams for one pass of prefill, summed over the stages", "单设备为一次 prefill 前向流式读取的权重字节数（各级之和）"),
    reason=("its share of what is no routed expert, and of the experts that the prompts of all groups hit which share a copy; the "
            "mean of N_turn turns, of which the last, perhaps with a prompt in some groups only, may read fewer; where it is the "
            "only one, in all PP stages",
            "路由专家以外的部分中它的一份，加上共用一份专家的各组请求所命中的专家中它的一份；按 N_turn 个节拍平均，"
            "最后一个节拍可能只有部分组有请求，读取的专家较少；若只有这一个节拍，则在全部 PP 级上均如此"),
    sources=("megatron2021", "gshard2020"),
    example=({"W_stream": "40 GB", "W_hit": "20 GB", "W_turn": "80 GB", "W_end_pre": "40 GB", "PP": "2", "N_turn": "4", "TP": "1 device",
              "g_exp": "10 device", "N_par": "20"}, "27 GB/device"),
)  # fmt: skip
