"""On which side of the ridge a prompt is prefilled where a replica has several stages or groups.

What one device computes of a prompt over what it reads for it: the two terms of `t_prefill`. Experts that are
spread over more ranks than a group has devices divide operations and bytes unlike the other weights.
"""

import derive.formulas.layout_prefill  # noqa: F401
from derive.formula import formula

formula(
    "I_prefill_layout", "i", "FLOP/byte",
    section="intensity", instead_of="I_prefill", switch="N_par",
    is_="F_one * one_request * T_in / W_one",
    name=("arithmetic intensity of prefill", "prefill 阶段的算术强度"),
    reason=("what one device computes of a prompt over the weight bytes that it reads for it; experts that are spread over several "
            "groups divide the two unlike; KV traffic neglected",
            "单设备为一个请求完成的运算与读取的权重字节之比；专家分布到多个组时，二者的切分比例不同；忽略 KV 读写"),
    sources=("kipply2022", "gshard2020"),
    example=({"F_one": "10 GFLOP/token/device", "T_in": "2000 token/request", "W_one": "40 GB/device", "N_par": "8"}, "500 FLOP/byte"),
)  # fmt: skip

formula(
    "I_prefill_found_layout", "i", "FLOP/byte",
    section="intensity", instead_of="I_prefill", switch="N_par",
    is_="F_one * one_request * T_new / (W_one + PP * KV_hit * kappa_dev / kappa)",
    name=("arithmetic intensity of prefill", "prefill 阶段的算术强度"),
    reason=("what one device computes of the tokens that the prefix cache does not hold, over the weights and the KV of the prefix that "
            "it reads, copies included",
            "单设备对前缀缓存未命中的 token 完成的运算，与其读取的权重及前缀 KV（含副本）字节之比"),
    sources=("radix2023", "gpipe2018"),
    example=({"F_one": "10 GFLOP/token/device", "T_new": "2000 token/request", "W_one": "30 GB/device", "PP": "2", "KV_hit": "20 GB",
              "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "N_par": "8"}, "500 FLOP/byte"),
)  # fmt: skip

formula(
    "I_prefill_chunk_layout", "i", "FLOP/byte",
    section="intensity", instead_of="I_prefill", switch="N_par",
    is_="F_one * T_pass / (W_one + PP * KV_seen * kappa_dev / kappa)",
    name=("arithmetic intensity of prefill", "prefill 阶段的算术强度"),
    reason=("what one device computes of a full chunk, over the weights and the KV of the prompt so far that it reads for it, copies "
            "included",
            "单设备为一个满块完成的运算，与其为该块读取的权重及该输入已写入的 KV（含副本）字节之比"),
    sources=("sarathi2024", "gpipe2018"),
    example=({"F_one": "10 GFLOP/token/device", "T_pass": "2000 token", "W_one": "30 GB/device", "PP": "2", "KV_seen": "20 GB",
              "kappa_dev": "20000 byte/token/device", "kappa": "80000 byte/token", "N_par": "8"}, "500 FLOP/byte"),
)  # fmt: skip
