"""The KV cache: bytes per token, per request, for the whole batch."""

from derive.formula import formula

formula(
    "kappa",
    r"\kappa",
    "byte/token",
    section="kv",
    is_="c_kv * L * H_kv * d_head * w_kv",
    name=("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    reason=(
        "one K and one V vector per layer and KV head",
        "每层、每个 KV 头各存一个 K 与一个 V 向量",
    ),
    sources=("kipply2022", "gqa2023"),
    example=(
        {"L": "64", "H_kv": "64", "d_head": "128 element/token", "w_kv": "2 byte/element"},
        "2097152 byte/token",
    ),
)

formula(
    "KV_request",
    r"\mathrm{KV}_{\mathrm{req}}",
    "byte/request",
    section="kv",
    is_="kappa * T",
    name=("live KV-cache bytes of one request", "单请求有效占用的 KV cache 字节数"),
    reason=("every token of the context keeps its K and V", "上下文中的每个 token 都保留其 K 与 V"),
    sources=("kipply2022",),
    example=({"kappa": "2097152 byte/token", "T": "2048 token/request"}, "4 GiB/request"),
)

formula(
    "KV_total",
    r"\mathrm{KV}_{\mathrm{tot}}",
    "byte",
    section="kv",
    is_="b * T * kappa",
    name=("KV-cache bytes of the batch", "整批的 KV cache 字节数"),
    reason=(
        "each request reads its own cache; no other request shares it",
        "每个请求读自己的 KV cache，同批请求不共享",
    ),
    sources=("kipply2022", "vllm2023"),
    example=(
        {"b": "8 request", "T": "4096 token/request", "kappa": "2097152 byte/token"},
        "64 GiB",
    ),
)
