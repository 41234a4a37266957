"""Models that are not uniform: experts, windows, latents. Variants stand in for the plain formulas."""

import derive.formulas.second_order  # noqa: F401
from derive.formula import formula

formula(
    "E_hit", r"E_{\mathrm{hit}}", "",
    section="bytes",
    is_="E * (1 - pow(1 - k_exp / E, b * n / (one_request * one_token)))",
    name=("experts of a layer that one forward pass reads", "一次前向中每层被读取的专家数"),
    reason=("each of the b n tokens misses a given expert with probability 1 − k/E; uniform, independent routing",
            "b n 个 token 各以 1 − k/E 的概率不选中某个专家；假设路由均匀且独立"),
    reading=("One token reads k experts, a large batch reads all: bytes follow neither the active nor the total "
             "parameters.",
             "单个 token 读 k 个专家，大批量读全部：字节数既不随激活参数，也不随总参数。"),
    sources=("pope2022", "jax-book"),
    example=({"E": "8", "k_exp": "2", "b": "3 request", "n": "1 token/request"}, "4.625"),
)  # fmt: skip

formula(
    "W_experts", "W", "byte",
    section="bytes", instead_of="W_read",
    is_="(N_fix + N_exp * E_hit / E) * w",
    name=("weight bytes one forward pass reads", "一次前向读取的权重字节数"),
    reason=("everything but the routed experts, and of these the share that the pass hits",
            "除路由专家外的全部，加上该次前向命中的那部分专家"),
    sources=("pope2022", "jax-book"),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E_hit": "4", "E": "8", "w": "2 byte/param"}, "44 GB"),
)  # fmt: skip

formula(
    "W_prefill", r"W_{\mathrm{prefill}}", "byte",
    section="ttft",
    is_="(N_fix + N_exp * (1 - pow(1 - k_exp / E, one_request * T_in / (one_request * one_token)))) * w",
    name=("weight bytes the prefill of one prompt reads", "单个请求 prefill 读取的权重字节数"),
    reason=("the same for a pass of T_in tokens", "同上，一次前向含 T_in 个 token"),
    sources=("pope2022",),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E": "8", "k_exp": "2", "T_in": "1 token/request",
              "w": "2 byte/param"}, "24 GB"),
)  # fmt: skip

formula(
    "t_prefill_experts", "t", "s",
    section="ttft", instead_of="t_prefill",
    is_="max(F_tok * one_request * T_in / (g * P_peak), W_prefill / (g * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=("its operations, or the reading of the experts that its tokens hit", "其运算时间，或读取其 token 命中专家的时间"),
    sources=("kipply2022",),
    example=({"F_tok": "140 GFLOP/token", "T_in": "2000 token/request", "g": "1 device", "W_prefill": "140 GB",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3.35 TB/s/device"}, "280 ms"),
)  # fmt: skip

formula(
    "TTFT_experts", "t", "s",
    section="ttft", instead_of="TTFT",
    is_="max(F_tok * one_request * T_in / (g * MFU * P_peak), W_prefill / (g * MBU * B_peak))",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=("one prompt on an idle replica: no queue, no batching", "空闲副本上的单个请求：不排队、不拼批"),
    sources=("databricks2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "T_in": "2000 token/request", "g": "1 device", "W_prefill": "140 GB",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3.35 TB/s/device", "MFU": "0.5", "MBU": "0.6"},
             "560 ms"),
)  # fmt: skip

formula(
    "TTFT_burst_experts", "t", "s",
    section="ttft", instead_of="TTFT_burst",
    is_="max(F_tok * b * T_in / (g * MFU * P_peak), (N_fix + N_exp) * w / (g * MBU * B_peak))",
    name=("first token of the last of b prompts", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("their operations share one replica; so many tokens read every expert", "共用一个副本的算力；如此多的 token 会读到全部专家"),
    sources=("databricks2023",),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "T_in": "2000 token/request", "g": "1 device",
              "N_fix": "20 Gparam", "N_exp": "50 Gparam", "w": "2 byte/param", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3.35 TB/s/device", "MFU": "0.5", "MBU": "0.6"}, "4.48 s"),
)  # fmt: skip

formula(
    "kappa_flat", "k", "byte/token",
    section="kv", instead_of="kappa",
    is_="e_full * w_kv",
    name=("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    reason=("the elements that a token adds in all layers, counted by kind of layer", "各类层中每 token 增加的元素数之和"),
    sources=("gqa2023",),
    example=({"e_full": "35136 element/token", "w_kv": "2 byte/element"}, "70272 byte/token"),
)  # fmt: skip

formula(
    "kappa_window", "k", "byte/token",
    section="kv", instead_of="kappa",
    is_="((e_full * T + e_win * min(T, T_win)) * w_kv + S_kv) / T",
    name=("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    reason=("mean over the context: layers with a window keep min(T, window) tokens, states are constant",
            "按上下文取平均：有窗口的层只保留 min(T, 窗口) 个 token，状态为常量"),
    sources=("gqa2023",),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "T": "4000 token/request",
              "T_win": "1000 token/request", "w_kv": "2 byte/element", "S_kv": "0 byte/request"}, "4000 byte/token"),
)  # fmt: skip

formula(
    "F_att_flat", "f", "FLOP/token",
    section="second", instead_of="F_att",
    is_="a_full * T",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=("the operations of each kind of layer on each token of the context", "各类层对上下文中每个 token 的运算之和"),
    sources=("palm2022",),
    example=({"a_full": "4997120 FLOP*request/token^2", "T": "1000 token/request"}, "4.99712 GFLOP/token"),
)  # fmt: skip

formula(
    "F_att_window", "f", "FLOP/token",
    section="second", instead_of="F_att",
    is_="a_full * T + a_win * min(T, T_win)",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=("layers with a window attend to min(T, window) tokens", "有窗口的层只关注 min(T, 窗口) 个 token"),
    sources=("palm2022",),
    example=({"a_full": "1000000 FLOP*request/token^2", "a_win": "2000000 FLOP*request/token^2",
              "T": "4000 token/request", "T_win": "1000 token/request"}, "6 GFLOP/token"),
)  # fmt: skip

formula(
    "share_att_prefill_flat", "s", "",
    section="second", instead_of="share_att_prefill",
    is_="a_pre * T_in / 2 / F_tok",
    name=("attention operations over weight operations, prefill", "prefill 注意力运算与权重运算之比"),
    reason=("a token of the prompt sees half of it on average (causal mask)", "因果掩码下，输入 token 平均只看到一半输入"),
    sources=("palm2022",),
    example=({"a_pre": "2 MFLOP*request/token^2", "T_in": "2000 token/request", "F_tok": "100 GFLOP/token"}, "0.02"),
)  # fmt: skip

formula(
    "share_att_prefill_window", "s", "",
    section="second", instead_of="share_att_prefill",
    is_="(a_pre * T_in / 2 + a_win * (min(T_in, T_win) - min(T_in, T_win) ^ 2 / T_in / 2)) / F_tok",
    name=("attention operations over weight operations, prefill", "prefill 注意力运算与权重运算之比"),
    reason=("the mean over the prompt of the tokens each one sees, at most a window of them",
            "输入中各 token 可见 token 数的平均，窗口层至多为窗口长度"),
    sources=("palm2022",),
    example=({"a_pre": "2 MFLOP*request/token^2", "a_win": "0 FLOP*request/token^2", "T_in": "2000 token/request",
              "T_win": "100 token/request", "F_tok": "100 GFLOP/token"}, "0.02"),
)  # fmt: skip

formula(
    "W_stream_experts", "W", "byte",
    section="second", instead_of="W_stream",
    is_="W_read - N_emb * w",
    name=("weight bytes a decode step really streams", "decode 一步真正流式读取的权重字节数"),
    reason=("what the pass reads, less the input embedding table", "该次前向读取的权重，减去输入嵌入表"),
    sources=("jax-book",),
    example=({"W_read": "44 GB", "N_emb": "1 Gparam", "w": "2 byte/param"}, "42 GB"),
)  # fmt: skip

formula(
    "I_att", r"I_{\mathrm{att}}", "FLOP/byte",
    section="wall",
    is_="F_att * n / (T * kappa)",
    name=("attention intensity", "注意力的算术强度"),
    reason=("attention operations per byte of KV cache, both per token of context", "每字节 KV cache 对应的注意力运算量，二者均按每上下文 token 计"),
    reading=("At or above the ridge there is no KV wall at any context.", "达到或超过脊点时，任何上下文长度下都没有 KV 墙。"),
    sources=("gqa2023", "jax-book"),
    example=({"F_att": "6.039797760 GFLOP/token", "n": "1 token/request", "T": "2304 token/request",
              "kappa": "327680 byte/token"}, "8 FLOP/byte"),
)  # fmt: skip

formula(
    "T_wall_att", r"T_{\mathrm{wall}}^{\mathrm{att}}", "token/request",
    section="wall",
    solve=("I_wall_att", "I_ridge", "T"),
    closed="F_tok * n / (I_ridge * kappa - c_att * L * H_q * d_head * n)",
    exists=("I_att < I_ridge", ("attention does as many operations per byte as the ridge asks for: no KV wall",
                                "注意力每字节的运算量已达脊点：不存在 KV 墙")),
    name=("context of the KV wall, attention operations counted", "计入注意力运算时 KV 墙对应的上下文长度"),
    reason=("the same equation with the operations on the KV cache", "同一方程，计入对 KV cache 的运算"),
    sources=("jax-book",),
    example=({"F_tok": "140 GFLOP/token", "kappa": "327680 byte/token", "I_ridge": "300 FLOP/byte", "L": "80",
              "H_q": "64", "d_head": "128 element/token", "I_att": "8 FLOP/byte"}, "1463.17155 token/request"),
)  # fmt: skip
