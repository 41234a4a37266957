"""What a derivation is made of: named steps, each with the checks that were run on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from derive.expression.tree import Node
from derive.text import Text

# Every rule has a name in both languages; a step of another rule cannot be made.
RULES = {
    "definition": Text("definition", "定义"),
    "equation": Text("equation", "方程"),
    "insert": Text("insert", "代入定义"),
    "fix": Text("fix", "取定"),
    "substitute": Text("substitute", "代换"),
    "cancel": Text("cancel", "约分"),
    "divide": Text("divide through", "同除"),
    "limit": Text("limit", "取极限"),
    "solve": Text("solve for", "求解"),
    "search": Text("search", "搜索"),
    "derivative": Text("derivative", "求导"),
    "case": Text("case of max/min", "分支判断"),
    "values": Text("insert values", "代入数值"),
    "compute": Text("compute", "计算"),
    "convert": Text("convert unit", "换算单位"),
    "round": Text("round", "取近似"),
}


@dataclass(frozen=True)
class Check:
    """One check that was run: by whom, and what it found."""

    by: str  # sympy | points | pint | recomputed
    found: str


@dataclass(frozen=True)
class Step:
    """`left relation right`, by a named rule, for a reason.

    `claim` is the equality that must be proved, once the symbols of `held` are fixed; `before` is
    the form shown to the left of it, with the factors of `struck` struck out.
    """

    rule: str
    left: Node
    right: Node
    relation: str = "="
    reason: Text | None = None
    before: Node | None = None
    struck: tuple[str, ...] = ()
    claim: tuple[Node, Node] | None = None
    held: tuple[tuple[str, Node], ...] = ()
    kept: tuple[str, ...] = ()
    checks: tuple[Check, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(self.rule)

    def checked(self, *checks: Check) -> Step:
        """The same step with its checks."""
        return replace(self, checks=self.checks + checks)


class Disproved(Exception):
    """A step's check failed: the program is wrong, nothing may be printed."""
