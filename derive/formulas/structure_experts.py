"""Models whose layers have experts in two numbers: each kind of layer by its own share."""

import derive.formulas.structure  # noqa: F401
from derive.formula import formula

formula(
    "E_hit2", r"E_{\mathrm{hit},2}", "",
    section="bytes",
    is_="E2 * (1 - pow(1 - k_exp2 / E2, b * n / (one_request * one_token)))",
    name=("the same in layers with another number of experts", "同上，另一种专家数的层"),
    reason=("each of the b n tokens misses a given expert of such a layer with probability 1 − k/E; uniform, "
            "independent routing",
            "b n 个 token 各以 1 − k/E 的概率不选中这类层的某个专家；假设路由均匀且独立"),
    sources=("pope2022", "jax-book"),
    example=({"E2": "8", "k_exp2": "2", "b": "3 request", "n": "1 token/request"}, "4.625"),
)  # fmt: skip

formula(
    "W_experts_two", "W", "byte",
    section="bytes", instead_of="W_read",
    is_="N_fix * w_fix + ((N_exp - N_exp2) * E_hit / E + N_exp2 * E_hit2 / E2) * w_exp",
    name=("weight bytes one forward pass reads", "一次前向读取的权重字节数"),
    reason=("everything but the routed experts, and of these the share that the pass hits, by the number of experts of "
            "a layer",
            "除路由专家外的全部，加上该次前向命中的那部分专家，按各层的专家数分别计"),
    sources=("pope2022", "jax-book"),
    example=({"N_fix": "2 Gparam", "N_exp": "50 Gparam", "N_exp2": "10 Gparam", "E_hit": "4", "E": "8",
              "E_hit2": "3", "E2": "4", "w_fix": "2 byte/param", "w_exp": "0.5 byte/param"}, "17.75 GB"),
)  # fmt: skip

formula(
    "W_prefill_two", "W", "byte",
    section="ttft", instead_of="W_prefill",
    is_="N_fix * w_fix + ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, one_request * T_in / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, one_request * T_in / (one_request * one_token)))) * w_exp",
    name=("weight bytes the prefill of one prompt reads", "单个请求 prefill 读取的权重字节数"),
    reason=("the same for a pass of T_in tokens", "同上，一次前向含 T_in 个 token"),
    sources=("pope2022",),
    example=({"N_fix": "2 Gparam", "N_exp": "50 Gparam", "N_exp2": "10 Gparam", "E": "8", "k_exp": "2", "E2": "4",
              "k_exp2": "3", "T_in": "1 token/request", "w_fix": "2 byte/param", "w_exp": "1 byte/param"},
             "21.5 GB"),
)  # fmt: skip

formula(
    "TTFT_burst_two", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="max(F_tok * b * T_in / (g * MFU * P_peak), (N_fix * w_fix "
        "+ ((N_exp - N_exp2) * (1 - pow(1 - k_exp / E, b * T_in / (one_request * one_token))) "
        "+ N_exp2 * (1 - pow(1 - k_exp2 / E2, b * T_in / (one_request * one_token)))) * w_exp) / (g * MBU * B_peak))",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("their operations share one replica; the experts that their tokens hit are read once",
            "共用一个副本的算力；它们的 token 命中的专家只读一遍"),
    sources=("databricks2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "b": "1 request", "T_in": "1 token/request", "g": "1 device",
              "N_fix": "2 Gparam", "N_exp": "50 Gparam", "N_exp2": "10 Gparam", "E": "8", "k_exp": "2", "E2": "4",
              "k_exp2": "3", "w_fix": "2 byte/param", "w_exp": "1 byte/param", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5"}, "21.5 ms"),
)  # fmt: skip
