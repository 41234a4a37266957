"""Weights: how many bytes they are and how many a forward pass reads."""

from derive.formula import formula

formula(
    "W",
    "W",
    "byte",
    section="bytes",
    is_="N * w",
    name=("weight bytes", "权重字节数"),
    reason=("every parameter is stored once, at the stored precision", "每个参数按存储精度存一份"),
    sources=("kipply2022",),
    example=({"N": "70 Gparam", "w": "2 byte/param"}, "140 GB"),
)

formula(
    "W_read",
    r"W_{\mathrm{read}}",
    "byte",
    section="bytes",
    is_="W",
    name=("weight bytes one forward pass reads", "一次前向读取的权重字节数"),
    reason=(
        "first order, dense model: all weights once for the whole batch, the input embedding "
        "table included, which decode does not read",
        "一阶近似、稠密模型：整批共用、全部权重读一遍；含输入嵌入表（decode 实际不读）",
    ),
    sources=("kipply2022", "pope2022"),
    example=({"W": "140 GB"}, "140 GB"),
)
