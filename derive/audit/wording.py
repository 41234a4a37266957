"""Verdicts and severities in both languages."""

from derive.text import Text

VERDICT_WORDS = {
    "unit_error": Text("unit error", "单位错误"),
    "exceeds_bound": Text("beyond the physical bound", "超出物理上限"),
    "infeasible": Text("infeasible", "不可行"),
    "contradicted": Text("contradicted", "与事实不符"),
    "ambiguous": Text("ambiguous", "有歧义"),
    "unverifiable": Text("unverifiable", "无法核实"),
    "consistent": Text("consistent", "相符"),
}
SEVERITY_WORDS = {
    "error": Text("error", "错误"),
    "warning": Text("warning", "警告"),
    "info": Text("note", "提示"),
}
