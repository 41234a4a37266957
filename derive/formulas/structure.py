"""Models that are not uniform: experts, windows, latents. Variants stand in for the plain formulas."""

import derive.formulas.capacity
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
    "w_fix", r"w_{\mathrm{fix}}", "byte/param",
    section="bytes",
    is_="w * r_fix",
    name=("bytes that store one parameter outside the routed experts", "路由专家以外每个参数的存储字节数"),
    reason=("a recipe may leave attention, tables and router in a wider format than the experts",
            "量化方案可能让注意力、词表与路由器使用比专家更宽的格式"),
    sources=("jax-book",),
    example=({"w": "1 byte/param", "r_fix": "2"}, "2 byte/param"),
)  # fmt: skip

formula(
    "w_exp", r"w_{\mathrm{exp}}", "byte/param",
    section="bytes",
    is_="w * r_exp",
    name=("bytes that store one parameter of the routed experts", "路由专家每个参数的存储字节数"),
    reason=("the experts hold most parameters: the mean is close to theirs", "参数大多在专家中，均值与之接近"),
    sources=("jax-book",),
    example=({"w": "1 byte/param", "r_exp": "0.5"}, "0.5 byte/param"),
)  # fmt: skip

formula(
    "w_side", r"w_{\mathrm{side}}", "byte/param",
    section="bytes",
    is_="w * r_side",
    name=("bytes that store one parameter of the towers", "图像、音频塔每个参数的存储字节数"),
    reason=("recipes mostly leave the towers for images and sound as they are", "量化方案大多不改动图像、音频塔"),
    sources=("jax-book",),
    example=({"w": "1 byte/param", "r_side": "2"}, "2 byte/param"),
)  # fmt: skip

formula(
    "W_parts_tower", "W", "byte",
    section="bytes", instead_of="W",
    is_="N_fix * w_fix + N_exp * w_exp + N_side * w_side",
    name=("weight bytes", "权重字节数"),
    reason=("the routed experts, the towers and the rest, each at its own bytes per parameter",
            "路由专家、图像与音频塔及其余部分，各按其每参数字节数"),
    sources=("kipply2022",),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "N_side": "1 Gparam", "w_fix": "2 byte/param",
              "w_exp": "0.5 byte/param", "w_side": "2 byte/param"}, "26 GB"),
)  # fmt: skip

formula(
    "W_parts", "W", "byte",
    section="bytes", instead_of="W",
    is_="N_fix * w_fix + N_exp * w_exp",
    name=("weight bytes", "权重字节数"),
    reason=("the routed experts and the rest, each at its own bytes per parameter", "路由专家与其余部分，各按其每参数字节数"),
    sources=("kipply2022",),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "w_fix": "2 byte/param", "w_exp": "0.5 byte/param"}, "24 GB"),
)  # fmt: skip

formula(
    "W_experts", "W", "byte",
    section="bytes", instead_of="W_read",
    is_="N_fix * w_fix + N_exp * w_exp * E_hit / E",
    name=("weight bytes one forward pass reads", "一次前向读取的权重字节数"),
    reason=("everything but the routed experts, and of these the share that the pass hits",
            "除路由专家外的全部，加上该次前向命中的那部分专家"),
    sources=("pope2022", "jax-book"),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E_hit": "4", "E": "8", "w_fix": "2 byte/param",
              "w_exp": "0.5 byte/param"}, "14 GB"),
)  # fmt: skip

formula(
    "W_tower", "W", "byte",
    section="bytes", instead_of="W_read",
    is_="W - N_side * w_side",
    name=("weight bytes one forward pass reads", "一次前向读取的权重字节数"),
    reason=("everything but the towers for images or sound: tokens of text do not pass them",
            "除图像、音频塔外的全部：文本 token 不经过它们"),
    sources=("kipply2022", "pope2022"),
    example=({"W": "16 GB", "N_side": "0.5 Gparam", "w_side": "2 byte/param"}, "15 GB"),
)  # fmt: skip

formula(
    "W_prefill", r"W_{\mathrm{prefill}}", "byte",
    section="ttft",
    is_="N_fix * w_fix + N_exp * w_exp * (1 - pow(1 - k_exp / E, one_request * T_in / (one_request * one_token)))",
    name=("weight bytes the prefill of one prompt reads", "单个请求 prefill 读取的权重字节数"),
    reason=("the same for a pass of T_in tokens", "同上，一次前向含 T_in 个 token"),
    sources=("pope2022",),
    example=({"N_fix": "2 Gparam", "N_exp": "40 Gparam", "E": "8", "k_exp": "2", "T_in": "1 token/request",
              "w_fix": "2 byte/param", "w_exp": "1 byte/param"}, "14 GB"),
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
    is_="max(F_tok * b * T_in / (g * MFU * P_peak), (N_fix * w_fix + N_exp * w_exp "
        "* (1 - pow(1 - k_exp / E, b * T_in / (one_request * one_token)))) / (g * MBU * B_peak))",
    name=("first token of the last of b prompts that arrive together", "b 个请求同时到达时，最后一个的首 token 延迟"),
    reason=("their operations share one replica; the experts that their tokens hit are read once",
            "共用一个副本的算力；它们的 token 命中的专家只读一遍"),
    sources=("databricks2023", "pope2022"),
    example=({"F_tok": "140 GFLOP/token", "b": "2 request", "T_in": "1 token/request", "g": "1 device",
              "N_fix": "2 Gparam", "N_exp": "64 Gparam", "E": "8", "k_exp": "2", "w_fix": "2 byte/param",
              "w_exp": "1 byte/param", "P_peak": "1000 TFLOP/s/device", "B_peak": "2 TB/s/device", "MFU": "0.5",
              "MBU": "0.5"}, "32 ms"),
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
    "kappa_state", "k", "byte/token",
    section="kv", instead_of="kappa",
    is_="(e_full * T * w_kv + S_kv) / T",
    name=("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    reason=("mean over the context: layers with attention keep every token, the states of the others are constant",
            "按上下文取平均：注意力层保留每个 token，其余层的状态为常量"),
    sources=("gqa2023",),
    example=({"e_full": "1000 element/token", "T": "4000 token/request", "w_kv": "2 byte/element",
              "S_kv": "8 MB/request"}, "4000 byte/token"),
)  # fmt: skip

formula(
    "kappa_windows", "k", "byte/token",
    section="kv", instead_of="kappa",
    is_="((e_full * T + e_win * min(T, T_win) + e_win2 * min(T, T_win2)) * w_kv + S_kv) / T",
    name=("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    reason=("mean over the context: each layer with a window keeps min(T, its window) tokens, states are constant",
            "按上下文取平均：有窗口的层只保留 min(T, 该层窗口) 个 token，状态为常量"),
    sources=("gqa2023",),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "e_win2": "8000 element/token",
              "T": "4000 token/request", "T_win": "1000 token/request", "T_win2": "2000 token/request",
              "w_kv": "2 byte/element", "S_kv": "8 MB/request"}, "14000 byte/token"),
)  # fmt: skip

formula(
    "kappa_compressed", "k", "byte/token",
    section="kv", instead_of="kappa",
    is_="(e_full * T + e_win * min(T, T_win) + e_cmp * floor(T / T_cmp) * T_cmp "
        "+ e_cmp2 * floor(T / T_cmp2) * T_cmp2) * w_kv / T",
    name=("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    reason=("mean over the context: the last tokens as they are, and one entry for each whole run of older ones",
            "按上下文取平均：最近的 token 原样保留，每满一段 token 另存一个压缩条目"),
    sources=("config-deepseek-v4-flash",),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "e_cmp": "500 element/token",
              "e_cmp2": "100 element/token", "T": "4002 token/request", "T_win": "1000 token/request",
              "T_cmp": "4 token/request", "T_cmp2": "100 token/request", "w_kv": "2 byte/element"},
             "5198.4008 byte/token"),
)  # fmt: skip

formula(
    "KV_reserved_state", "k", "byte/request",
    section="memory", instead_of="KV_reserved",
    is_="e_full * T_rsv * w_kv + S_kv",
    name=("KV-cache bytes an engine reserves for one request", "引擎为单请求预留的 KV cache 字节数"),
    reason=("whole blocks, and the state; an engine whose blocks are as large as a state needs a larger T_block",
            "按整块预留，另加状态；若引擎的块与状态同大，应取更大的 T_block"),
    sources=("vllm2023", "vllm-cache-config"),
    example=({"e_full": "1000 element/token", "T_rsv": "4016 token/request",
              "w_kv": "2 byte/element", "S_kv": "1 MB/request"}, "9.032 MB/request"),
)  # fmt: skip

formula(
    "KV_reserved_window", "k", "byte/request",
    section="memory", instead_of="KV_reserved",
    is_="(e_full + e_win) * T_rsv * w_kv + S_kv",
    name=("KV-cache bytes an engine reserves for one request", "引擎为单请求预留的 KV cache 字节数"),
    reason=("whole blocks, and every layer in full, as one pool for all layers does; an engine with a pool for "
            "each kind of layer needs less",
            "按整块预留，且各层都按完整上下文计（全部层共用一个池）；按层类型分池的引擎所需更少"),
    sources=("vllm-kv-interface", "vllm-cache-config"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "T_rsv": "4016 token/request", "w_kv": "2 byte/element", "S_kv": "1 MB/request"},
             "41.16 MB/request"),
)  # fmt: skip

formula(
    "KV_reserved_windows", "k", "byte/request",
    section="memory", instead_of="KV_reserved",
    is_="(e_full + e_win + e_win2) * T_rsv * w_kv + S_kv",
    name=("KV-cache bytes an engine reserves for one request", "引擎为单请求预留的 KV cache 字节数"),
    reason=("whole blocks, and every layer in full, as one pool for all layers does; an engine with a pool for "
            "each kind of layer needs less",
            "按整块预留，且各层都按完整上下文计（全部层共用一个池）；按层类型分池的引擎所需更少"),
    sources=("vllm-kv-interface", "vllm-cache-config"),
    example=({"e_full": "1000 element/token", "e_win": "3000 element/token", "e_win2": "1000 element/token",
              "T_rsv": "4016 token/request", "w_kv": "2 byte/element",
              "S_kv": "1 MB/request"}, "41.16 MB/request"),
)  # fmt: skip

formula(
    "KV_reserved_compressed", "k", "byte/request",
    section="memory", instead_of="KV_reserved",
    is_="((e_full + e_win) * T_rsv "
        "+ e_cmp * ceil(T_rsv / T_cmp) * T_cmp "
        "+ e_cmp2 * ceil(T_rsv / T_cmp2) * T_cmp2) * w_kv",
    name=("KV-cache bytes an engine reserves for one request", "引擎为单请求预留的 KV cache 字节数"),
    reason=("whole blocks with every entry that they may hold, and every layer in full, as one pool for all layers "
            "does; an engine with a pool for each kind of layer needs less",
            "按整块及块内可能的全部条目预留，且各层都按完整上下文计（全部层共用一个池）；按层类型分池的引擎所需更少"),
    sources=("vllm-kv-interface", "vllm-cache-config"),
    example=({"e_full": "1000 element/token", "e_win": "4000 element/token", "e_cmp": "500 element/token",
              "e_cmp2": "100 element/token", "T_rsv": "4016 token/request",
              "T_cmp": "4 token/request", "T_cmp2": "100 token/request", "w_kv": "2 byte/element"},
             "44.996 MB/request"),
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
    "F_att_windows", "f", "FLOP/token",
    section="second", instead_of="F_att",
    is_="a_full * T + a_win * min(T, T_win) + a_win2 * min(T, T_win2)",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=("layers with a window attend to min(T, their window) tokens", "有窗口的层只关注 min(T, 该层窗口) 个 token"),
    sources=("palm2022",),
    example=({"a_full": "1000000 FLOP*request/token^2", "a_win": "2000000 FLOP*request/token^2",
              "a_win2": "3000000 FLOP*request/token^2", "T": "4000 token/request", "T_win": "1000 token/request",
              "T_win2": "2000 token/request"}, "12 GFLOP/token"),
)  # fmt: skip

formula(
    "F_att_compressed", "f", "FLOP/token",
    section="second", instead_of="F_att",
    is_="a_full * T + a_win * min(T, T_win) + a_cmp * floor(T / T_cmp) * T_cmp + a_cmp2 * floor(T / T_cmp2) * T_cmp2",
    name=("attention operations of one decode token", "decode 单个 token 的注意力运算量"),
    reason=("the last tokens and every compressed entry; an indexer that picks some of them needs fewer",
            "最近的 token 与全部压缩条目；由索引器选取其中一部分时更少"),
    sources=("config-deepseek-v4-flash",),
    example=({"a_full": "1000000 FLOP*request/token^2", "a_win": "2000000 FLOP*request/token^2",
              "a_cmp": "500000 FLOP*request/token^2", "a_cmp2": "10000 FLOP*request/token^2",
              "T": "4002 token/request", "T_win": "1000 token/request", "T_cmp": "4 token/request",
              "T_cmp2": "100 token/request"}, "8.042 GFLOP/token"),
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
    "share_att_prefill_windows", "s", "",
    section="second", instead_of="share_att_prefill",
    is_="(a_pre * T_in / 2 + a_win * (min(T_in, T_win) - min(T_in, T_win) ^ 2 / T_in / 2) "
        "+ a_win2 * (min(T_in, T_win2) - min(T_in, T_win2) ^ 2 / T_in / 2)) / F_tok",
    name=("attention operations over weight operations, prefill", "prefill 注意力运算与权重运算之比"),
    reason=("the mean over the prompt of the tokens each one sees, at most a window of them",
            "输入中各 token 可见 token 数的平均，窗口层至多为窗口长度"),
    sources=("palm2022",),
    example=({"a_pre": "2 MFLOP*request/token^2", "a_win": "1 MFLOP*request/token^2",
              "a_win2": "1 MFLOP*request/token^2", "T_in": "2000 token/request", "T_win": "1000 token/request",
              "T_win2": "2000 token/request", "F_tok": "75 GFLOP/token"}, "0.05"),
)  # fmt: skip

formula(
    "share_att_prefill_compressed", "s", "",
    section="second", instead_of="share_att_prefill",
    is_="((a_pre + a_cmp + a_cmp2) * T_in / 2 "
        "+ a_win * (min(T_in, T_win) - min(T_in, T_win) ^ 2 / T_in / 2)) / F_tok",
    name=("attention operations over weight operations, prefill", "prefill 注意力运算与权重运算之比"),
    reason=("the mean over the prompt of what each token sees: half of the compressed entries, at most a window of tokens",
            "输入中各 token 可见内容的平均：压缩条目的一半，token 至多为窗口长度"),
    sources=("palm2022",),
    example=({"a_pre": "1 MFLOP*request/token^2", "a_win": "2 MFLOP*request/token^2",
              "a_cmp": "0.75 MFLOP*request/token^2", "a_cmp2": "0.25 MFLOP*request/token^2",
              "T_in": "2000 token/request", "T_win": "1000 token/request", "F_tok": "70 GFLOP/token"}, "0.05"),
)  # fmt: skip

formula(
    "W_stream_parts", "W", "byte",
    section="second", instead_of="W_stream",
    is_="W_read - s_idle * W",
    name=("weight bytes a decode step really streams", "decode 一步真正流式读取的权重字节数"),
    reason=("what the pass reads, less the tables that are looked up", "该次前向读取的权重，减去只查表的部分"),
    sources=("jax-book",),
    example=({"W_read": "44 GB", "s_idle": "0.04", "W": "50 GB"}, "42 GB"),
)  # fmt: skip

formula(
    "share_embedding_parts", "s", "",
    section="second", instead_of="share_embedding",
    is_="s_idle * W / W_read",
    name=("bytes of tables that are looked up over the weight bytes counted", "只查表的字节占已计入权重字节的比例"),
    reason=("a step looks up one row for each token", "每个 token 只查其中一行"),
    sources=("jax-book",),
    example=({"s_idle": "0.04", "W": "50 GB", "W_read": "40 GB"}, "0.05"),
)  # fmt: skip

formula(
    "W_stream_experts", "W", "byte",
    section="second", instead_of="W_stream",
    is_="W_read - s_idle * N_fix * w_fix",
    name=("weight bytes a decode step really streams", "decode 一步真正流式读取的权重字节数"),
    reason=("what the pass reads, less the tables that are looked up, at the bytes of the parts outside the experts",
            "该次前向读取的权重，减去只查表的部分（按路由专家以外部分的字节数计）"),
    sources=("jax-book",),
    example=({"W_read": "44 GB", "s_idle": "0.1", "N_fix": "10 Gparam", "w_fix": "2 byte/param"}, "42 GB"),
)  # fmt: skip

formula(
    "share_embedding_experts", "s", "",
    section="second", instead_of="share_embedding",
    is_="s_idle * N_fix * w_fix / W_read",
    name=("bytes of tables that are looked up over the weight bytes counted", "只查表的字节占已计入权重字节的比例"),
    reason=("a step looks up one row for each token", "每个 token 只查其中一行"),
    sources=("jax-book",),
    example=({"s_idle": "0.1", "N_fix": "10 Gparam", "w_fix": "2 byte/param", "W_read": "40 GB"}, "0.05"),
)  # fmt: skip

formula(
    "share_lookup", r"\sigma_{\mathrm{look}}", "",
    section="second",
    is_="(N_act - N_mat) / N_mat",
    name=("parameters counted in F_tok that multiply nothing", "F_tok 中计入但不参与矩阵乘的参数占比"),
    reason=("tables are looked up and norms scale: no matrix product; negative where a matrix is used "
            "several times for one token",
            "词表只查表、归一化只做缩放，都不是矩阵乘；若同一矩阵对一个 token 多次使用，则为负值"),
    sources=("kaplan2020",),
    example=({"N_act": "51 Gparam", "N_mat": "50 Gparam"}, "0.02"),
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
