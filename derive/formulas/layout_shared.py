"""Prefill of groups that share experts: a turn reads them once for all, and a part-full turn ends sooner.

In a turn of a stage each group has one prompt. A prompt runs on the devices of its own group but for the
routed experts, which are spread over the EP ranks of several groups and serve the prompts of all of them.
"""

import derive.formulas.layout_prefill
import derive.formulas.second_prefill  # noqa: F401
from derive.formula import formula

formula(
    "W_turn", r"W_{\mathrm{turn}}", "byte",
    section="ttft", switch="N_par",
    is_="N_exp * w_exp * (1 - pow(1 - k_exp / E, tokens_pre * ceil(g_exp / TP) / (one_request * one_token)))",
    name=("bytes of the routed experts that a turn of prefill reads with a prompt in every group",
          "每组各有一个请求时，prefill 一个节拍读取的路由专家字节数"),
    reason=("one reading serves the tokens of all groups that share a copy of the experts", "共用一份专家的各组，其 token 共用一遍读取"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "40 Gparam", "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "tokens_pre": "1 token",
              "g_exp": "2 device", "TP": "1 device", "N_par": "2"}, "17.5 GB"),
)  # fmt: skip

formula(
    "W_turn_two", "w", "byte",
    section="ttft", instead_of="W_turn", switch="N_par",
    is_="((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, tokens_pre * ceil(g_exp / TP) / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, tokens_pre * ceil(g_exp / TP) / (one_request * one_token)))) * w_exp",
    name=("bytes of the routed experts that a turn of prefill reads with a prompt in every group",
          "每组各有一个请求时，prefill 一个节拍读取的路由专家字节数"),
    reason=("one reading serves the tokens of all groups that share a copy of the experts; by the number of experts of a layer",
            "共用一份专家的各组，其 token 共用一遍读取；按各层的专家数分别计"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "50 Gparam", "N_exp2": "10 Gparam", "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "E2": "4",
              "k_exp2": "3", "tokens_pre": "1 token", "g_exp": "2 device", "TP": "1 device", "N_par": "2"}, "26.875 GB"),
)  # fmt: skip

# --- what a prompt takes of the whole replica ------------------------------------------------------

formula(
    "t_busy_experts", "t", "s",
    section="ttft", instead_of="t_busy", switch="N_par",
    is_="max(F_tok * one_request * T_in / (g * MFU * P_peak), (W_rest / TP + W_turn / g_exp) / (PP * DP) / (MBU * B_peak))",
    name=("time that one prompt takes of the whole replica", "单个请求的 prefill 占用整个副本的时间"),
    reason=("with a prompt in every stage of every group all devices are at work; one turn of all stages finishes DP prompts, and "
            "a device reads its share of its stage and of the experts that these prompts hit",
            "每组的每一级都有请求时全部设备都在工作；各级的一个节拍完成 DP 个请求，设备读取本级权重中自己的一份以及这些请求命中的专家"),
    sources=("gpipe2018", "gshard2020"),
    example=({"F_tok": "140 GFLOP/token", "T_in": "500 token/request", "g": "4 device", "PP": "1", "DP": "4", "W_rest": "40 GB",
              "W_turn": "80 GB", "g_exp": "4 device", "N_par": "4", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "0.3 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "100 ms"),
)  # fmt: skip

formula(
    "t_busy_found_experts", "t", "s",
    section="ttft", instead_of="t_busy", switch="N_par",
    is_="max(F_tok * one_request * T_new / (g * MFU * P_peak), "
        "((W_rest / TP + W_turn / g_exp) / (PP * DP) + KV_hit * kappa_dev / kappa / DP) / (MBU * B_peak))",
    name=("time that one prompt takes of the whole replica", "单个请求的 prefill 占用整个副本的时间"),
    reason=("the same for what the prefix cache does not hold; in a turn a device reads what it keeps of the prefix of one prompt, too",
            "同上，只计前缀缓存未命中的部分；设备在每个节拍中还要读取自己保存的单个请求的前缀 KV"),
    sources=("gpipe2018", "radix2023"),
    example=({"F_tok": "140 GFLOP/token", "T_new": "500 token/request", "g": "4 device", "PP": "1", "DP": "4",
              "W_rest": "40 GB", "W_turn": "80 GB", "g_exp": "4 device", "KV_hit": "20 GB",
              "kappa_dev": "80000 byte/token/device", "kappa": "80000 byte/token", "N_par": "4",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "0.4 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "100 ms"),
)  # fmt: skip

# --- a burst, whose last turn is part full ---------------------------------------------------------

formula(
    "N_end", r"N_{\mathrm{end}}", "",
    section="ttft", switch="N_par",
    is_="ceil((b / one_request - DP * (ceil(b / one_request / DP) - 1)) * g_exp / (TP * DP))",
    name=("prompts in the last turn of a burst that share one copy of the experts", "突发的最后一个节拍中共用一份专家的请求数"),
    reason=("what is left of b prompts when every group had its turns, parted evenly over the copies; the fullest counts",
            "各组轮满之后余下的请求，平均分到各份专家，按最满的一份计"),
    sources=("gshard2020",),
    example=({"b": "13 request", "DP": "8", "g_exp": "4 device", "TP": "1 device", "N_par": "8"}, "3"),
)  # fmt: skip

formula(
    "W_end", r"W_{\mathrm{end}}", "byte",
    section="ttft", switch="N_par",
    is_="N_exp * w_exp * (1 - pow(1 - k_exp / E, tokens_pre * N_end / (one_request * one_token)))",
    name=("bytes of the routed experts that the last turn of a burst reads", "突发的最后一个节拍读取的路由专家字节数"),
    reason=("the experts that the tokens of these prompts hit", "这些请求的 token 所命中的专家"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "40 Gparam", "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "tokens_pre": "1 token", "N_end": "2",
              "N_par": "2"}, "17.5 GB"),
)  # fmt: skip

formula(
    "W_end_two", "w", "byte",
    section="ttft", instead_of="W_end", switch="N_par",
    is_="((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, tokens_pre * N_end / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, tokens_pre * N_end / (one_request * one_token)))) * w_exp",
    name=("bytes of the routed experts that the last turn of a burst reads", "突发的最后一个节拍读取的路由专家字节数"),
    reason=("the experts that the tokens of these prompts hit, by the number of experts of a layer", "这些请求的 token 所命中的专家，按各层的专家数分别计"),
    sources=("gshard2020", "pope2022"),
    example=({"N_exp": "50 Gparam", "N_exp2": "10 Gparam", "w_exp": "1 byte/param", "E": "8", "k_exp": "2", "E2": "4",
              "k_exp2": "3", "tokens_pre": "1 token", "N_end": "2", "N_par": "2"}, "26.875 GB"),
)  # fmt: skip

formula(
    "F_end", r"F_{\mathrm{end}}", "FLOP/token/device",
    section="ttft", switch="N_par",
    is_="(F_tok - F_routed) / TP + min(N_end, g_exp / TP) * F_routed / g_exp",
    name=("operations of one device for a token of each prompt in the last turn of a burst, summed over the stages",
          "突发的最后一个节拍中，每个请求各一个 token 时单设备的运算量（各级之和）"),
    reason=("a group computes its own prompt but for the routed experts, whose ranks compute those of all prompts that share them",
            "每组计算自己的请求，路由专家除外：专家所在的各 rank 要为共用它们的全部请求计算"),
    sources=("gshard2020", "megatron2021"),
    example=({"F_tok": "30 GFLOP/token", "F_routed": "20 GFLOP/token", "TP": "1 device", "N_end": "4", "g_exp": "8 device",
              "N_par": "8"}, "20 GFLOP/token/device"),
)  # fmt: skip

formula(
    "t_end", r"t_{\mathrm{end}}", "s",
    section="ttft", switch="N_par",
    is_="max(F_end * one_request * T_in / (PP * MFU * P_peak), "
        "(W_rest / TP + W_end / g_exp) / (PP * MBU * B_peak))",
    calibre="reachable",
    name=("time that a stage takes for the last turn of a burst", "突发的最后一个节拍在一级上的时间"),
    reason=("its operations, or its own weights and the experts that are hit; a stage has 1/PP of both",
            "其运算时间，或读取本组权重与所命中专家的时间；每级承担二者的 1/PP"),
    sources=("gpipe2018", "gshard2020"),
    example=({"T_in": "2000 token/request", "F_end": "20 GFLOP/token/device", "TP": "1 device",
              "g_exp": "8 device", "PP": "2", "W_rest": "20 GB", "W_end": "80 GB", "N_par": "16",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "40 ms"),
)  # fmt: skip

formula(
    "t_end_found", "t", "s",
    section="ttft", instead_of="t_end", switch="N_par",
    is_="max(F_end * one_request * T_new / (PP * MFU * P_peak), "
        "((W_rest / TP + W_end / g_exp) / PP + KV_hit * kappa_dev / kappa) / (MBU * B_peak))",
    calibre="reachable",
    name=("time that a stage takes for the last turn of a burst", "突发的最后一个节拍在一级上的时间"),
    reason=("the same for what the prefix cache does not hold; a device reads what it keeps of the prefix of one prompt, too",
            "同上，只计前缀缓存未命中的部分；设备还要读取自己保存的单个请求的前缀 KV"),
    sources=("gpipe2018", "radix2023"),
    example=({"T_new": "500 token/request", "F_end": "20 GFLOP/token/device", "TP": "1 device",
              "g_exp": "8 device", "PP": "2", "W_rest": "20 GB", "W_end": "80 GB", "KV_hit": "10 GB",
              "kappa_dev": "40000 byte/token/device", "kappa": "80000 byte/token", "N_par": "16",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "20 ms"),
)  # fmt: skip

formula(
    "TTFT_burst_layout_experts", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="(ceil(b / one_request / DP) - 1) * DP * t_busy + t_end "
        "+ (PP - 1) * max(t_end, min(1, ceil(b / one_request / DP) - 1) * DP * t_busy)",
    calibre="reachable",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("the groups share the prompts: ceil(b/DP) − 1 turns with a prompt in every group, DP · t_busy each, and a last one with "
            "what is left; PP − 1 more of the longest until it is through",
            "各组分摊请求：ceil(b/DP) − 1 个节拍中每组各有一个请求，每拍 DP · t_busy，最后一拍为余下的请求；"
            "流过各级还需 PP − 1 个最长的节拍"),
    sources=("gpipe2018", "gshard2020"),
    example=({"b": "9 request", "PP": "2", "DP": "8", "t_busy": "20 ms", "t_end": "100 ms"}, "420 ms"),
)  # fmt: skip
