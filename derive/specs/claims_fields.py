"""The keys of a file of claims."""

from __future__ import annotations

from derive.specs.fields import Field
from derive.text import Text

_says = Text("the figure as printed, words around it included", "所印数值，含其前后文字")
_expects = Text(
    "verdict that a test expects; never used in judging", "测试所期待的结论，不参与判定"
)
CLAIM = (
    Field("id", "text", Text("name of the claim", "论断的标识")),
    Field("text", "text", Text("the claim in words", "论断原文")),
    Field("paraphrases", "texts", Text("the same claim in other words", "同一论断的其他说法")),
    Field("subject", "text", Text("hardware and model it speaks of", "所述硬件与模型")),
    Field("quantity", "text", Text("symbol of the notation, a role, or an expression", "符号、角色名或表达式")),
    Field("value", "text", _says),
    Field("printed", "text", _says),
    Field("given", "pairs", Text("symbol or product of symbols: its quantity", "符号或符号之积：其数值与单位")),
    Field("conditions", "words", Text("precision, sparsity, scope and the like", "精度、稀疏、范围等口径")),
    Field("formula", "text", Text("a formula, plain or LaTeX", "公式，纯文本或 LaTeX")),
    Field("source", "words", Text("where it was said", "出处")),
    Field("note", "text", Text("remark", "备注")),
    Field("exact", "text", Text("the value by exact arithmetic, for readers", "精确值，供读者参考")),
    Field("reads_as", "text", Text("the quantity that the text stands for", "原文所表示的数值")),
    Field("expect", "words", _expects),
    Field("verdict", "words", _expects),
)  # fmt: skip
CLAIMS = (
    Field("id", "id", Text("name of this file", "文件名，即标识")),
    Field("title", "bilingual", Text("title of the collection", "标题")),
    *(
        Field(key, "entries", Text("claims to audit", "待审计的论断"), fields=CLAIM)
        for key in ("claims", "cases", "figures")
    ),
)
