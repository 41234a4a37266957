"""One forward pass, of which prefill and decode are two cases."""

import derive.formulas.kv_cache
import derive.formulas.roofline
import derive.formulas.weights  # noqa: F401
from derive.formula import formula

formula(
    "F_tok",
    r"F_{\mathrm{tok}}",
    "FLOP/token",
    section="intensity",
    is_="c_op * N_act",
    name=("operations per token", "每 token 运算量"),
    reason=(
        "each active parameter takes one multiply and one add; attention operations left out",
        "每个激活参数一乘一加；未计注意力运算",
    ),
    sources=("kipply2022", "kaplan2020"),
    example=({"N_act": "70 Gparam"}, "140 GFLOP/token"),
)

formula(
    "F_step",
    r"F_{\mathrm{step}}",
    "FLOP",
    section="intensity",
    is_="F_tok * b * n",
    name=("operations of one forward pass", "一次前向的运算量"),
    reason=("b requests bring n new tokens each", "b 个请求各带来 n 个新 token"),
    sources=("kipply2022",),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "n": "1 token/request"}, "1120 GFLOP"),
)

formula(
    "Q_step",
    r"Q_{\mathrm{step}}",
    "byte",
    section="bytes",
    is_="W_read + b * T * kappa",
    name=("bytes one forward pass moves", "一次前向搬运的字节数"),
    reason=(
        "weights once for the batch, the KV cache once for each request",
        "权重整批只读一遍，KV cache 每个请求各读一遍",
    ),
    sources=("kipply2022", "pope2022"),
    example=(
        {"W_read": "140 GB", "b": "8 request", "T": "2000 token/request", "kappa": "1 MB/token"},
        "156 GB",
    ),
)

formula(
    "bytes_per_token",
    r"q_{\mathrm{tok}}",
    "byte/token",
    section="bytes",
    is_="Q_step / (b * n)",
    name=("bytes moved per output token", "每输出 token 搬运的字节数"),
    reason=(
        "the bytes of a step shared by the tokens it yields",
        "一步搬运的字节由该步产出的 token 分摊",
    ),
    reading=("The line every launch document fills first.", "容量文档首先要填的一栏。"),
    sources=("databricks2023",),
    example=({"Q_step": "156 GB", "b": "8 request", "n": "1 token/request"}, "19.5 GB/token"),
)

formula(
    "I_step",
    r"I_{\mathrm{step}}",
    "FLOP/byte",
    section="intensity",
    is_="F_step / Q_step",
    name=("arithmetic intensity of a forward pass", "一次前向的算术强度"),
    reason=(
        "operations per byte moved; both phases are cases of it",
        "每搬运一字节完成的运算；prefill 与 decode 都是它的特例",
    ),
    sources=("williams2009",),
    example=({"F_step": "1120 GFLOP", "Q_step": "140 GB"}, "8 FLOP/byte"),
)

formula(
    "P_attain",
    r"P_{\mathrm{attain}}",
    "FLOP/s/device",
    section="ridge",
    is_="min(P_peak, I_step * B_peak)",
    name=("attainable compute", "可达算力"),
    reason=(
        "the lower of the two roofs at the intensity of the step",
        "该步算术强度下两条屋顶中较低的一条",
    ),
    sources=("williams2009",),
    example=(
        {"P_peak": "312 TFLOP/s/device", "B_peak": "2039 GB/s/device", "I_step": "1 FLOP/byte"},
        "2.039 TFLOP/s/device",
    ),
)

formula(
    "I_prefill",
    r"I_{\mathrm{prefill}}",
    "FLOP/byte",
    section="intensity",
    of="I_step",
    at={"b": "one_request", "n": "T_in", "T": "0"},
    held=("kappa",),
    closed="F_tok * one_request * T_in / W_read",
    dense=True,
    name=("arithmetic intensity of prefill", "prefill 阶段的算术强度"),
    reason=(
        "one prompt brings all its tokens at once; KV traffic neglected",
        "一个请求一次带来全部输入 token；忽略 KV 读写",
    ),
    sources=("kipply2022",),
    example=(
        {"F_tok": "140 GFLOP/token", "T_in": "2048 token/request", "W_read": "140 GB"},
        "2048 FLOP/byte",
    ),
)

formula(
    "I_decode",
    r"I_{\mathrm{decode}}",
    "FLOP/byte",
    section="intensity",
    of="I_step",
    at={"n": "one_token"},
    held=("W_read",),
    name=("arithmetic intensity of decode", "decode 阶段的算术强度"),
    reason=("each request brings one token", "每个请求只带来一个 token"),
    sources=("kipply2022", "mindgap2025"),
    example=({"F_tok": "140 GFLOP/token", "b": "8 request", "Q_step": "140 GB"}, "8 FLOP/byte"),
)

formula(
    "I_decode_1",
    r"I_{\mathrm{decode},1}",
    "FLOP/byte",
    section="intensity",
    of="I_decode",
    at={"b": "one_request", "T": "0"},
    held=("kappa",),
    closed="F_tok * one_request * one_token / W_read",
    dense=True,
    name=(
        "arithmetic intensity of decode, one request, no context",
        "单请求、无上下文时 decode 的算术强度",
    ),
    reason=(
        "the lower end: one token pays for all the weights",
        "下限：一个 token 独自承担全部权重搬运",
    ),
    sources=("kipply2022",),
    example=({"F_tok": "140 GFLOP/token", "W_read": "140 GB"}, "1 FLOP/byte"),
)

formula(
    "I_decode_inf",
    r"I_{\mathrm{decode},\infty}",
    "FLOP/byte",
    section="wall",
    limit=("I_decode", "b"),
    held=("W_read",),
    closed="F_tok * n / (kappa * T)",
    name=(
        "KV wall: intensity of decode at an endless batch",
        "KV 墙：批大小趋于无穷时 decode 的算术强度",
    ),
    reason=(
        "weights are shared by the batch, KV is not: what is left is KV traffic alone; weight bytes held",
        "权重由整批分摊，KV 不能分摊：极限下只剩 KV 搬运；权重字节数保持不变",
    ),
    reading=(
        "Where it lies below the ridge, no batch makes decode compute-bound.",
        "若它低于脊点，任何批大小都不能使 decode 进入算力侧。",
    ),
    sources=("mindgap2025", "jax-book"),
    example=(
        {"F_tok": "140 GFLOP/token", "kappa": "2097152 byte/token", "T": "2048 token/request"},
        "32.596290111542 FLOP/byte",
    ),
)
