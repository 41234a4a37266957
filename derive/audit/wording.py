"""Verdicts and severities in both languages."""

from derive.text import Text, same

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
# how grave a verdict is, of a finding or of a whole claim
GRAVE = {
    "unit_error": "error", "exceeds_bound": "error", "infeasible": "error", "contradicted": "error",
    "ambiguous": "warning", "unverifiable": "warning", "consistent": "info",
}  # fmt: skip
# words that carry no condition: not understanding them says nothing
FUNCTION_WORDS = frozenset({
    "a", "an", "the", "i", "e", "i.e.", "e.g.", "s", "we", "you", "our", "your", "it", "its",
    "this", "that", "and", "or", "of", "in", "on", "at", "to", "for", "with", "by", "as", "is",
    "are", "was", "be", "gives", "give", "does", "do", "has", "have", "的", "了", "和", "与", "在",
    "是", "为", "有", "一个", "个", "能", "可", "可以", "我们", "我", "你", "其",
    "该",
    "这", "那", "也", "就", "都",
})  # fmt: skip
# what the words around a figure say of it: kind of the lexicon -> what it says -> in both languages
CONDITION_WORDS = {
    "sparsity": {"dense": Text("dense", "稠密"), "with_sparsity": Text("with sparsity", "带稀疏")},
    "scope": {
        "device": Text("per device", "单设备"), "node": Text("per node", "整机"),
        "rack": Text("per rack", "整柜"), "pod": Text("per pod", "整个集群"),
    },
    "direction": {"one": Text("one direction", "单向"), "both": Text("both directions", "双向")},
    "user": {"one": Text("one user", "单用户"), "all": Text("all users together", "全部用户合计")},
    "calibre": {"peak": Text("peak", "峰值"), "achieved": Text("achieved", "实测")},
    "tokens": {
        "both": Text("input and output tokens", "输入加输出 token"),
        "output": Text("output tokens", "输出 token"), "input": Text("input tokens", "输入 token"),
    },
}  # fmt: skip


def condition(kind: str, says: str) -> Text:
    """A condition in both languages; a precision is its own name."""
    return CONDITION_WORDS.get(kind, {}).get(says) or same(says.upper())
