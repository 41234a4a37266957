"""Levers: each elasticity by exact logarithmic derivatives, without any algebra program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.tree import (
    Binary,
    Call,
    Measure,
    Name,
    Negative,
    Node,
    Number,
    Power,
    children,
)
from derive.formula import letters
from derive.text import Text, tr
from derive.units import Quantity, Unit, show
from derive.verify.inputs import lowest
from derive.verify.say import quoted
from derive.verify.shown import agrees
from derive.verify.texts import Broken, NoValue, read
from derive.verify.values import Ledger, Values, in_units_of

# what somebody can change: inputs, none of them derived
TARGETS = ("TPOT", "TTFT")
PULLED = frozenset(
    (
        "B_peak",
        "P_peak",
        "MBU",
        "MFU",
        "g",
        "w",
        "w_kv",
        "H_kv",
        "b",
        "T",
        "T_in",
        "N_act",
        "alpha",
        "w_draft",
        "g_pre",
        "B_pd",
    )
)


def check_levers(ledger: Ledger) -> Iterator[Text]:
    """Every row of the table."""
    for row in ledger.record["levers"]:
        name, target = quoted(row["lever"]), quoted(row["target"])
        try:
            if not holds(ledger, row):
                yield tr("lever {lever} of {target} does not hold", lever=name, target=target)
        except (Broken, NoValue) as error:
            yield tr("lever {lever} of {target}: {why}", lever=name, target=target, why=error.why)


def holds(ledger: Ledger, row: Mapping[str, Any]) -> bool:
    """The recorded expression has the value recorded, shown and derived again."""
    tree, branch = read(row["tree"]), read(row["branch"])
    lever, target = row["lever"], Name(row["target"])
    texts = row["tree"] == plain(tree) and row["branch"] == plain(branch)
    if (
        lever not in PULLED
        or row["target"] not in TARGETS
        or not texts
        or row["latex"] != latex(tree, letters)
        or target.id not in ledger.trees
    ):
        return False
    value = ledger.here.quantity(tree, Unit()).value
    if row["exact"] != lowest(value) or row["shown"] != percent(value / 100):
        return False
    if not agrees(row["shown"].replace("−", "-"), Quantity(value / 100, Unit())):
        return False
    if not opens(ledger, target, branch) or not ledger.here.equal(branch, target):
        return False
    if slope(target, lever, ledger.here) != value:
        return False
    if not row["checks"] or any(
        c["found"] not in ("proved", "difference quotient") for c in row["checks"]
    ):
        return False
    return all(slope(branch, lever, p) == p.quantity(tree, Unit()).value for p in ledger.nearby)


def opens(ledger: Ledger, node: Node, branch: Node) -> bool:
    """Whether a branch is a formula with symbols replaced by theirs and each max by an argument."""
    if node == branch:
        return True
    if isinstance(node, Name):
        inner = ledger.trees.get(node.id) if node.id not in ledger.given else None
        return inner is not None and opens(ledger, inner, branch)
    if isinstance(node, Call) and node.function in ("max", "min"):
        return any(opens(ledger, part, branch) for part in node.args)
    same = type(node) is type(branch) and all(
        getattr(node, key, None) == getattr(branch, key, None)
        for key in ("op", "function", "exponent", "value", "quantity")
    )
    parts = children(node), children(branch)
    return (
        same
        and len(parts[0]) == len(parts[1]) > 0
        and all(opens(ledger, a, b) for a, b in zip(*parts, strict=True))
    )


def percent(value: Fraction) -> str:
    """A share as tables print it."""
    shown = show(Quantity(value * 100, Unit()), 3)
    return f"{'' if shown.exact else '≈ '}{shown.number} %".replace("-", "−")


def slope(node: Node, lever: str, values: Values) -> Fraction:
    """The percent answer of a tree to one percent of a symbol: d ln tree / d ln symbol."""
    match node:
        case Name(id=name):
            if name == lever:
                return Fraction(1)
            below = values.ledger.trees.get(name)
            if below is None or name in values.given or lever not in values.ledger.reach[name]:
                return Fraction(0)
            return slope(below, lever, values)
        case Number() | Measure():
            return Fraction(0)
        case Negative(inner=inner):
            return slope(inner, lever, values)
        case Power(base=base, exponent=exponent):
            return exponent * slope(base, lever, values)
        case Binary(op="*", left=left, right=right):
            return slope(left, lever, values) + slope(right, lever, values)
        case Binary(op="/", left=left, right=right):
            return slope(left, lever, values) - slope(right, lever, values)
        case Binary(op=op, left=left, right=right):
            signs = ((left, 1), (right, 1 if op == "+" else -1))
            parts = [(part, sign * slope(part, lever, values)) for part, sign in signs]
            # a sum that the lever does not move may be nought: no more chunks than one
            moved = [(values.of(part), way) for part, way in parts if way]
            return sum((share(p, values.of(node)) * way for p, way in moved), Fraction(0))
        case Call(function="pow", args=(base, exponent)) if not slope(exponent, lever, values):
            times = values.quantity(exponent, Unit()).value
            return times * slope(base, lever, values)
        case Call(function="floor" | "ceil", args=(inner,)) if not slope(inner, lever, values):
            return Fraction(0)
        case Call(function="max" | "min", args=args):
            return slope(next(a for a in args if values.equal(a, node)), lever, values)
    raise Broken(tr("{text} has no slope", text=quoted(plain(node))))


def share(part: Any, whole: Any) -> Fraction:
    """A part over the whole."""
    if whole.magnitude == 0:
        raise NoValue(tr("a divisor is zero"))
    return in_units_of(whole, part) / Fraction(whole.magnitude)
