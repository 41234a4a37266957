"""Experts where stages or groups split the batch: each pass meets the tokens of a micro-batch alone."""

import derive.formulas.layout
import derive.formulas.parallelism  # noqa: F401
from derive.formula import formula

formula(
    "E_hit_layout", "E", "",
    section="bytes", instead_of="E_hit",
    # b · (groups that share a copy) / (PP · DP): whole requests, the fullest micro-batches pace the others
    is_="E * (1 - pow(1 - k_exp / E, ceil(b * max(TP, EP * one_device) / g) * n / (one_request * one_token)))",
    name=("experts of a layer that one forward pass reads", "一次前向中每层被读取的专家数"),
    reason=("a pass brings one of PP micro-batches, of the groups whose ranks share a copy of the experts (EP / TP of DP "
            "groups, one at least); each of its tokens misses a given expert with probability 1 − k/E; uniform, independent "
            "routing",
            "一次前向只含 PP 个微批之一，来自共享同一份专家的各组（DP 组中的 EP / TP 组，至少一组）；其中每个 token 各以 1 − k/E "
            "的概率不选中某个专家；假设路由均匀且独立"),
    reading=("A step is PP such passes through each stage: small micro-batches hit fewer experts in a pass and more in all.",
             "一步在每一级上是 PP 次这样的前向：微批越小，单次命中的专家越少，合计读取的越多。"),
    sources=("pope2022", "gshard2020"),
    example=({"E": "8", "k_exp": "2", "b": "12 request", "n": "1 token/request", "g": "8 device", "PP": "2", "DP": "4",
              "EP": "2"}, "4.625"),
)  # fmt: skip

formula(
    "E_hit2_layout", "E", "",
    section="bytes", instead_of="E_hit2",
    is_="E2 * (1 - pow(1 - k_exp2 / E2, ceil(b * max(TP, EP * one_device) / g) * n / (one_request * one_token)))",
    name=("the same in layers with another number of experts", "同上，另一种专家数的层"),
    reason=("each token of the micro-batch misses a given expert of such a layer with probability 1 − k/E; uniform, "
            "independent routing",
            "微批中的每个 token 各以 1 − k/E 的概率不选中这类层的某个专家；假设路由均匀且独立"),
    sources=("pope2022", "gshard2020"),
    example=({"E2": "8", "k_exp2": "2", "b": "6 request", "n": "1 token/request", "g": "8 device", "PP": "2", "DP": "1",
              "EP": "1"}, "4.625"),
)  # fmt: skip

formula(
    "W_read_dev_layout", "w", "byte/device",
    section="parallel", instead_of="W_read_dev",
    is_="N_fix * w_fix / (TP * PP) + W_hit / (max(TP, EP * one_device) * PP)",
    name=("weight bytes one device reads in a forward pass", "单设备一次前向读取的权重字节数"),
    reason=("its share of what is no routed expert, and of the experts that its micro-batch hits, which are spread over EP ranks, "
            "or over TP where that is more, taken as evenly hit",
            "路由专家以外的部分中它的一份，加上其微批命中的专家中它的一份：专家分布到 EP 个 rank（TP 更大时按 TP），按均匀命中计"),
    sources=("pope2022", "gshard2020"),
    example=({"N_fix": "20 Gparam", "w_fix": "1 byte/param", "W_hit": "40 GB", "g": "8 device", "PP": "1", "DP": "8",
              "EP": "8"}, "25 GB/device"),
)  # fmt: skip

formula(
    "W_laid_experts", "w", "byte",
    section="bytes", instead_of="W_laid",
    is_="min(b / one_request, PP * DP) * N_fix * w_fix + min(b / one_request, g / max(TP, EP * one_device)) * W_hit",
    name=("weight bytes that all devices read in a step of this layout", "该并行方式下全部设备一步读取的权重字节数"),
    reason=("every micro-batch reads the weights besides the routed experts, and micro-batches that share a copy of the experts "
            "read those that they hit once, all counted as full as the fullest",
            "每个微批都要读路由专家以外的权重；共用一份专家的各微批把所命中的专家读一遍，均按最满的微批计"),
    sources=("pope2022", "gshard2020"),
    example=({"b": "1 request", "PP": "1", "DP": "8", "EP": "8", "g": "8 device", "N_fix": "20 Gparam", "w_fix": "1 byte/param",
              "W_hit": "40 GB", "N_mb": "8"}, "60 GB"),
)  # fmt: skip
