"""Formulas: do the units of both sides agree, and is it the catalogue's own formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.fields.evaluation import tree_dimension
from derive.audit.formula.closing import Closed, clash, closings
from derive.audit.formula.equations import Equation, equations
from derive.audit.formula.numbers import carried, numeric
from derive.audit.formula.reading import ids
from derive.audit.formula.same import differs, match, one_token_off
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.errors import DeriveError, printable
from derive.expression.text import plain
from derive.expression.tree import Name, Node, Number, walk
from derive.formula import catalogue, unit_of
from derive.specs.faults import closest
from derive.text import Text, joined, same, tr
from derive.units import Dimension, Quantity, Unit, show

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

UNITS, OWN = "FORM001", "FORM002"


@rule(
    UNITS,
    name=("units of a formula", "公式的单位"),
    page=(
        "Both sides of a formula must measure the same, and so must the terms of every sum. A bare digit that has "
        "to carry a unit leaves the formula open: each digit is tried as every named constant of its value, and the "
        "formula is printed with the units that close it. So 2 N / (2 N) is 2 FLOP/param/token over 2 byte/param, "
        "not one. A formula that closes only with units written in is ambiguous; one that nothing closes is a unit "
        "error.",
        "公式两边的量纲必须一致，和式各项亦然。必须带单位却裸写的数字使公式含义未定：逐个试代为数值相同的具名常量，"
        "并打印补全单位、使量纲闭合的公式。例如 2N/(2N) 是 2 FLOP/param/token 除以 2 byte/param，而不是 1。"
        "补写单位才能闭合的公式判为有歧义；怎样都不能闭合的判为单位错误。",
    ),
    fires="TPOT = (2*N + b*T*4*L*d_model) / B_effective",
    quiet="kappa = c_kv * L * H_kv * d_head * w_kv",
    as_="formula",
)
def units(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding an equation."""
    if claim.entry is None or not claim.entry.formula:
        return
    for one in equations(claim.entry.formula):
        lone = isinstance(one.left, Name) and one.strange == [one.left.id]
        if one.strange and not lone:
            yield undeclared(one)
            continue
        if lacking := carried(one.left, one.right):
            yield uncounted(one, *lacking)
            continue
        left, problem = (None, None) if lone else side_dimension(one.left)
        if problem is not None:
            yield broken(one, problem)
            continue
        found = closings(left, one.right)
        if not found:
            yield broken(one, clash(one.right), left)
        elif lone:
            yield undeclared(one)
        elif found[0].cost and not found[0].named and is_own(one, found):
            yield counts_left_out(found[0])
        elif found[0].cost:
            yield open_digits(one, found)
        else:
            yield closes(one, found[0])


def uncounted(one: Equation, side: Node, lacking: Unit) -> Finding:
    """Numbers alone, which agree once the digits of one side count something."""
    assert one.left is not None
    left, right = (
        f"{plain(s)} · 1 {lacking.text}" if s is side else plain(s) for s in (one.left, one.right)
    )
    what = tr(
        "the digits need units: {digits} has to count {unit}",
        digits=same(plain(side)),
        unit=lacking.text,
    )
    return Finding(UNITS, "ambiguous", "warning", what, corrected=same(f"{left} = {right}"))


def side_dimension(left: Node | None) -> tuple[Dimension | None, DeriveError | None]:
    """What the left side measures, or why it measures nothing."""
    if left is None:
        return None, None
    try:
        return tree_dimension(left), None
    except DeriveError as error:
        return None, error


def undeclared(one: Equation) -> Finding:
    """A name that stands for nothing, with the one that was likely meant."""
    rows = []
    for name in one.strange:
        near = closest(name, ids())
        shown = printable(name, 40)
        rows.append(tr("{name} is no declared symbol; did you mean {near}?", name=shown, near=near) if near
                    else tr("{name} is no declared symbol", name=shown))  # fmt: skip
    return Finding(UNITS, "unverifiable", "warning", rows[0], derivation=tuple(rows[1:]))


def broken(one: Equation, error: DeriveError | None, left: Dimension | None = None) -> Finding:
    """Nothing closes it: which two things are set against each other."""
    if error is not None:
        problem = error.problems[0]
        lines = [Text(f"{a}: {b.en}", f"{a}: {b.zh}") if isinstance(b, Text) else same(f"{a}: {b}")
                 for a, b in (row[:2] for row in problem.rows)]  # fmt: skip
        return Finding(UNITS, "unit_error", "error", problem.what, derivation=tuple(lines))
    right = tree_dimension(one.right)
    assert left is not None
    lines = [tr("left side: {what}", what=left.text), tr("right side: {what}", what=right.text)]
    what = tr("the sides do not measure the same, and no units of the bare digits make them")
    if not any(isinstance(n, Number) for n in walk(one.right)):
        what = tr("the sides do not measure the same")
    return Finding(UNITS, "unit_error", "error", what, derivation=tuple(lines))


def written(left: Node | None, tree: Node) -> str:
    """An equation as text."""
    return f"{plain(left)} = {plain(tree)}" if left is not None else plain(tree)


def open_digits(one: Equation, found: list[Closed]) -> Finding:
    """It closes only with units written in: which, and the formula with them."""
    best = found[0]
    lines = []
    for text, option in dict.fromkeys((t, o.text) for t, o in best.named):
        name = next(o for t, o in best.named if (t, o.text) == (text, option))
        lines.append(tr("{digit} is {name} [{unit}]", digit=text, name=option,
                        unit=name.measures.unit.text or "1"))  # fmt: skip
    if best.counts:
        lines.append(tr("a factor is missing: {counts}", counts=" · ".join(best.counts)))
    lines += [same(written(one.left, each.tree)) for each in found[:3]]
    measured = best.measures
    lines.append(tr("both sides: {what}", what=measured.text))
    what = tr("the digits need units: as written the sides do not agree")
    if not best.named:
        what = tr("the sides agree only with counts of one written out")
    elif any(not t[0].isdigit() for t, _ in best.named):
        what = tr("it closes only with another symbol: as written the sides do not agree")
    return Finding(
        UNITS, "ambiguous", "warning", what, derivation=tuple(lines),
        corrected=tr("With its units written out the formula is {formula}.",
                     formula=same(written(one.left, best.tree))),
    )  # fmt: skip


def is_own(one: Equation, found: list[Closed]) -> bool:
    """Whether it is the catalogue's formula once counts of one are written out."""
    if not isinstance(one.left, Name):
        return False
    hit = match(one.left.id, found[0].tree, found[0].fixed)
    return hit is not None and not hit.rare


def counts_left_out(best: Closed) -> Finding:
    """Only a count of one is not written: a note, the values are the same."""
    lines = (tr("and it lacks {counts}", counts=", ".join(best.counts)),)
    what = tr("the units agree once counts of one are written out: the values are the same")
    return Finding(UNITS, "consistent", "info", what, derivation=lines)


def closes(one: Equation, found: Closed) -> Finding:
    """The units agree as they stand."""
    what = tr("the units agree: {what}", what=found.measures.text)
    if one.left is None:
        what = tr("it measures {what}; nothing is said of what it is", what=found.measures.text)
        return Finding(UNITS, "unverifiable", "warning", what)
    return Finding(UNITS, "consistent", "info", what)


@rule(
    OWN,
    name=("formula against the catalogue", "公式与公式库对照"),
    page=(
        "A formula of a quantity that the catalogue has is compared with it by exact fractions at random points. "
        "Assumptions that people make without saying are tried (dense model, one request, short context, one branch "
        "of a maximum) and told. A formula that is equal under none of them is contradicted, with the factor by "
        "which it is off where that is always the same.",
        "若公式库中有同名的量，则在随机点上以精确分数逐一比较。常被省略的前提（稠密模型、单请求、上下文很短、max 的某一支）"
        "会逐个试代并注明。任何前提下都不相等的公式判为矛盾；若相差的倍数处处相同，则给出该倍数。",
    ),
    fires="kappa = L * H_kv * d_head * w_kv",
    quiet="kappa = 2 * L * H_kv * d_head * w_kv",
    as_="formula",
)
def against_own(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding an equation whose left side the catalogue has."""
    if claim.entry is None or not claim.entry.formula:
        return
    for one in equations(claim.entry.formula):
        if one.strange or not isinstance(one.left, Name) or numeric(one.right):
            continue
        measured = side_dimension(one.left)[0]
        if measured is None:
            continue
        found = closings(measured, one.right)
        if found:
            yield from compared(one.left.id, found)


def compared(name: str, found: list[Closed]) -> Iterator[Finding]:
    """The first closing that is the catalogue's; else how the first one differs."""
    for each in found:
        hit = match(name, each.tree, each.fixed)
        if hit is not None:
            conditions = joined(hit.assumed)
            what = tr("equal to the catalogue's {name}", name=hit.id)
            if hit.assumed:
                what = tr(
                    "equal to the catalogue's {name} for {conditions}",
                    name=hit.id,
                    conditions=conditions,
                )
            if hit.branch:
                what = tr("{what}, on one branch of its max, min or rounding", what=what)
            if hit.rare:
                yield Finding(OWN, "ambiguous", "warning", what)
            else:
                yield Finding(OWN, "consistent", "info", what)
            return
    off = differs(name, found[0].tree, found[0].fixed) if name in catalogue() else None
    if off is None:
        return
    approximate = any(one_token_off(name, each.tree, each.fixed) for each in found)
    one = unit_of(name)
    claimed, own = (show(Quantity(v, one)).body for v in (off.claimed, off.catalogue))
    lines = [tr("at one point it gives {claimed}, the catalogue {own}", claimed=claimed, own=own)]
    if off.ratio is not None:
        lines.append(tr("it is {factor} times the catalogue's everywhere", factor=str(off.ratio)))
    text = catalogue()[name].text or catalogue()[name].closed
    own_text = same(f"{name} = {text}")
    corrected = tr("The formula of the catalogue is {formula}.", formula=own_text) if text else None
    if approximate:  # T_out tokens for the T_out - 1 that follow the first
        what = tr(
            "the usual approximation of {name}: it differs by one token of the output", name=name
        )
        yield Finding(
            OWN, "ambiguous", "warning", what, derivation=tuple(lines), corrected=corrected
        )
        return
    what = tr("not the catalogue's formula of {name}", name=name)
    yield Finding(OWN, "contradicted", "error", what, derivation=tuple(lines), corrected=corrected)
