"""Why a result moved between two scenarios: the factors of the branch that decides in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Point, Undefined
from derive.derivation.resolve import depends
from derive.derivation.steps import Disproved
from derive.derivation.stored import crossings, trees
from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.expression.tree import Binary, Call, Name, Node, Power, names, substitute
from derive.formula import standing_in
from derive.study.bind import Bound
from derive.study.results import Result
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

EXPLAINED = ("TTFT", "TPOT", "b_max", "cost_token")
OPENED = {"TPOT": ("t_step_eff",), "TPOT_tp": ("t_step_eff",)}  # where the roofs stand inside
ROOFS = {"P_peak": "compute", "B_peak": "memory"}
SWITCHES = ("k_draft", "hit", "T_chunk", "g_pre")  # one input of each switch of a scenario
BUSY = plain(parse("TTFT / one_request + (T_out - one_token) * TPOT / b"))


@dataclass(frozen=True)
class Side:
    """What decides a result in one scenario: a product of factors, and what stands beside it."""

    roof: str
    factors: dict[str, tuple[int, Fraction]]  # text of a factor: its power, its value
    inside: dict[str, dict[str, Fraction]]  # symbols of those factors that are sums
    beside: dict[str, Fraction]  # symbols of the arguments of max that do not decide
    value: Fraction  # before it is rounded to whole numbers
    inputs: dict[str, Fraction]
    model: str


def side(bound: Bound, name: str) -> Side | None:
    """The deciding branch of a result; None where it has no value or is searched."""
    with standing_in(bound.variants):
        point = bound.typical
        if name in point.given or name in crossings():
            return None
        try:
            tree = substitute(trees()[name], {n: trees()[n] for n in OPENED.get(name, ())})
            chosen, beside = branch(tree, point)
            factors = {
                plain(node): (power, point.value(node)) for node, power in product(chosen, 1)
            }
            sums = {
                plain(node): {n: point.get(n) for n in names(node)}
                for node, _ in product(chosen, 1)
                if not isinstance(node, Name)
            }
            others = {n: point.get(n) for node in beside for n in names(node)}
            model = bound.scenario.model.id
            return Side(
                roof(chosen), factors, sums, others, point.value(chosen), point.given, model
            )
        except (Absent, Undefined):
            return None


def branch(node: Node, point: Point) -> tuple[Node, list[Node]]:
    """A tree with the argument of each max and min that decides, unrounded; and the others."""
    if isinstance(node, Call) and node.function in ("floor", "ceil"):
        return branch(node.args[0], point)
    if isinstance(node, Call) and node.function in ("max", "min"):
        choose = max if node.function == "max" else min
        chosen = choose(node.args, key=point.value)
        inner, beside = branch(chosen, point)
        return inner, [*beside, *(a for a in node.args if a is not chosen)]
    if isinstance(node, Binary):
        (left, one), (right, two) = branch(node.left, point), branch(node.right, point)
        return Binary(node.op, left, right), [*one, *two]
    return node, []


def product(node: Node, power: int) -> Iterator[tuple[Node, int]]:
    """The factors of a tree; a sum is one."""
    if isinstance(node, Binary) and node.op in "*/":
        yield from product(node.left, power)
        yield from product(node.right, power if node.op == "*" else -power)
    elif isinstance(node, Power):
        yield from product(node.base, power * node.exponent)
    else:
        yield node, power


def roof(node: Node) -> str:
    """Which peak a branch divides by."""
    return next((ROOFS[n] for n in names(node) if n in ROOFS), "")


def factor(ratio: Fraction) -> str:
    """`0.521×`."""
    return show(Quantity(ratio, unit("")), 3).number + "×"


def reason(name: str, first: Side | None, second: Side | None, after: Result) -> dict[str, Any]:
    """The record of why one result moved."""
    if first is None or second is None or after.value is None:
        why = after.why or tr("no value to compare with")
        return {"roof": None, "moved": [], "idle": [], "text": why.json()}
    if not first.value:
        told = tr("nothing to compare with: the base has none")
        return {"roof": None, "moved": [], "idle": [], "text": told.json()}
    if not second.value:
        told = tr("none: the weights leave no room")
        return {"roof": None, "moved": [], "idle": [], "text": told.json()}
    alike = {n: p for n, (p, _) in first.factors.items()} == {
        n: p for n, (p, _) in second.factors.items()
    }
    changed = moved(first, second) if alike else []
    idle = unused(first, second)
    total = second.value / first.value
    if alike:
        check(name, changed, total)
    return {
        "roof": [first.roof, second.roof] if first.roof else None,
        "moved": [
            {"symbol": n, "ratio": factor(ratio), "effect": factor(ratio**power), "by": by}
            for n, power, ratio, by in changed
        ],
        "idle": [{"symbol": n, "ratio": factor(r)} for n, r in idle],
        "text": sentence(name, first, second, changed if alike else None, idle).json(),
    }


Moved = list[tuple[str, int, Fraction, list[str]]]


def moved(first: Side, second: Side) -> Moved:
    """The factors that differ, each with the inputs behind it that differ."""
    found: Moved = []
    for name, (power, before) in first.factors.items():
        after = second.factors[name][1]
        if before != after and before:
            found.append((name, power, after / before, behind(name, first, second)))
    return found


def behind(name: str, first: Side, second: Side) -> list[str]:
    """What differs behind a factor: the symbols of a sum, else the inputs that it depends on."""
    if name in first.inside:
        pairs = ((n, first.inside[name][n], value) for n, value in second.inside[name].items())
        return [f"{n} {factor(b / a)}" for n, a, b in pairs if a and a != b]
    inside = [name] if name.isidentifier() else []
    return [
        f"{i} {factor(second.inputs[i] / before)}"
        for i, before in first.inputs.items()
        if i not in inside and before and second.inputs.get(i, before) != before
        if any(depends(n, i) for n in inside)
    ]


def unused(first: Side, second: Side) -> list[tuple[str, Fraction]]:
    """What differs in the arguments of max that decide nothing in the second scenario."""
    both = first.beside.keys() & second.beside.keys() - second.factors.keys()
    return [
        (n, second.beside[n] / first.beside[n])
        for n in first.beside
        if n in both and first.beside[n] and first.beside[n] != second.beside[n]
    ]


def check(name: str, changed: Moved, total: Fraction) -> None:
    """The factors together are the ratio, exactly."""
    found = Fraction(1)
    for _, power, ratio, _ in changed:
        found *= ratio**power
    if found != total:
        raise Disproved(f"{name}: the factors give {found}, the values {total}")


def called(name: str) -> Text:
    """A factor as a sentence names it."""
    if name == BUSY:
        return tr("time of the replica that a request takes")
    return same(name)


def sentence(
    name: str,
    first: Side,
    second: Side,
    changed: Moved | None,
    idle: Sequence[tuple[str, Fraction]],
) -> Text:
    """Which roof decides, what moved in it, and what moved in vain."""
    sides = {"memory": tr("bandwidth"), "compute": tr("compute"), "": same("")}
    parts: list[Text] = []
    if first.roof and first.roof == second.roof:
        parts.append(tr("{roof} decides before and after", roof=sides[first.roof]))
    elif first.roof and second.roof:
        parts.append(
            tr(
                "{roof} decides before, {other} after",
                roof=sides[first.roof],
                other=sides[second.roof],
            )
        )
    if changed is None:
        parts.append(another(name, first, second))
    parts += [listed(changed)] if changed else []
    if changed == []:
        parts.append(tr("nothing that decides {name} has moved", name=same(name)))
    if idle:
        vain = ", ".join(f"{n} {factor(r)}" for n, r in idle)
        parts.append(
            tr("{moved} moves nothing: it is not in the roof that decides", moved=same(vain))
        )
    return Text("; ".join(p.en for p in parts), "；".join(p.zh for p in parts))


def another(name: str, first: Side, second: Side) -> Text:
    """Why no factor of the first scenario's product can be held against the second's."""
    if first.model != second.model:
        return tr("another formula holds for the other model")
    if any((n in first.inputs) != (n in second.inputs) for n in SWITCHES):
        return tr("another formula holds with the switches of this candidate")
    if first.roof != second.roof:
        return crossed(name, second.value / first.value)
    return tr("another formula holds for how the devices share here")


def listed(changed: Moved) -> Text:
    """`Q_step 0.52× (w 0.5×), B_peak 1.43×`."""
    texts = []
    for name, _, ratio, by in changed:
        word = called(name)
        inside = f" ({', '.join(by)})" if by else ""
        texts.append(
            Text(f"{word.en} {factor(ratio)}{inside}", f"{word.zh} {factor(ratio)}{inside}")
        )
    return Text(", ".join(t.en for t in texts), "，".join(t.zh for t in texts))


def crossed(name: str, ratio: Fraction) -> Text:
    """The step over the ridge."""
    return tr(
        "past the ridge the other roof holds {name} at {ratio}",
        name=same(name),
        ratio=factor(ratio),
    )
