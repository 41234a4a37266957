"""Statements of direction: what grows, what shrinks, what stays, when something else changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.reading.changes import BECAUSE, NAMES, SYMBOL, Change, changes
from derive.audit.reading.normal import normal
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.physics.dependence import Case
    from derive.audit.types import Claim

    Outcome = tuple[Case, set[int]]  # one way in which it comes about, and the signs found there


@rule(
    "CONS030",
    name=("direction of a dependence", "依赖关系的方向"),
    page=(
        "What a change does to a quantity follows from its formula in the catalogue: the formula is evaluated before "
        'and after, at exact points of practice. Opposite to the formula everywhere, or a general "does not" with a '
        "counterexample, is contradicted; where it depends on a condition that is not said it is ambiguous.",
        "一个量随另一个量如何变化由其公式决定：在若干精确的常见取值处，对公式在变化前后各求一次值。处处与公式相反，或“不会……”这类"
        "全称说法存在反例，判为矛盾；若取决于未说明的条件，判为有歧义。",
    ),
    fires="Less bandwidth makes the ridge lower.",
    quiet="Less bandwidth makes the ridge higher.",
    chinese=(
        "带宽越小，脊点越低。",
        "带宽越小，脊点越高。",
    ),
)
def direction(claim: Claim, _: Library) -> Iterator[Finding]:
    """Each cause with the effect that is told beside it."""
    if any(f.unit.terms for f in claim.figures) or claim.hardware or len(claim.text) > 400:
        return
    text = normal(claim.text).text.lower()
    found = changes(text)
    if len(found) < 2:
        return
    for one, other in pairwise(found):
        cause, effect = one, other
        if BECAUSE.search(text[one.end : other.start]) or BECAUSE.search(
            text[max(0, other.start - 12) : other.start]
        ):
            cause, effect = other, one
        if (
            SYMBOL.get(cause.quantity) is None
            and SYMBOL.get(effect.quantity) is not None
            and "ridge" not in cause.quantity
        ):
            continue
        made = held(claim, text, cause, effect)
        if made:
            yield made


def held(claim: Claim, text: str, cause: Change, effect: Change) -> Finding | None:
    """One dependence against the formulas."""
    from derive.audit.physics.dependence import QUANTITIES, Unknown, signs

    quantity, allowed = effect.quantity, effect.allowed
    if quantity == "compute_side":
        quantity, allowed = "memory_side", frozenset(-s for s in allowed)
    if not cause.sign or quantity not in QUANTITIES or cause.quantity == effect.quantity:
        return None
    symbol = SYMBOL.get(cause.quantity)
    if symbol is None:
        if not (cause.quantity == "ridge" and quantity == "memory_side"):
            return None
        outcomes = [
            (QUANTITIES["memory_side"][0], {cause.sign})
        ]  # loads below a ridge: more where it is high
    else:
        cases = [c for c in QUANTITIES[quantity] if any(w in text for w in c.words)]
        if len(cases) > 1:
            return None  # the text tells the cases apart itself
        cases = cases or list(QUANTITIES[quantity])
        try:
            outcomes = [(c, {s * cause.sign for s in signs(c, symbol)}) for c in cases]
        except (Unknown, ZeroDivisionError):
            return None
    return verdict(claim, cause, effect, allowed, outcomes)


def verdict(
    claim: Claim,
    cause: Change,
    effect: Change,
    allowed: frozenset[int],
    outcomes: Sequence[Outcome],
) -> Finding:
    """Against every case: all, none, or some of them agree."""
    right = [case for case, found in outcomes if found <= allowed]
    wrong = [case for case, found in outcomes if not found & allowed]
    lines = tuple(line(cause, effect, case, found) for case, found in outcomes)
    spans = ((0, len(claim.text)),)
    corrected = (
        lines[0] if len(lines) == 1 else tr("{first}; {second}", first=lines[0], second=lines[1])
    )
    first_right = outcomes[0][0] in right
    said = tr("By the formulas, {line}.", line=corrected)
    general = 0 in allowed and len(allowed) > 1  # "does not": one counterexample refutes it
    if len(right) == len(outcomes) or (
        first_right and not general and outcomes[0][0].side in ("memory", "prompt")
    ):
        return Finding("CONS030", "consistent", "info", lines[0], spans, (), lines)
    if len(wrong) == len(outcomes) or (general and wrong):
        what = tr("the formulas say otherwise: {line}", line=corrected)
        return Finding("CONS030", "contradicted", "error", what, spans, (), lines, said)
    what = tr("it depends on a condition that is not said: {line}", line=corrected)
    return Finding("CONS030", "ambiguous", "warning", what, spans, (), lines, said)


WAYS = {
    frozenset({1}): Text("grows", "增大"),
    frozenset({-1}): Text("shrinks", "减小"),
    frozenset({0}): Text("stays the same", "不变"),
}


def line(cause: Change, effect: Change, case: Case, found: set[int]) -> Text:
    """One dependence in words, with its formula."""
    from derive.audit.physics.dependence import declared

    way = WAYS.get(
        frozenset(found),
        Text("grows or shrinks, by the other quantities", "可增可减，取决于其他量"),
    )
    when = tr("when {cause} {way}", cause=NAMES[cause.quantity], way=WAYS[frozenset({cause.sign})])
    what = tr("{when}, {effect} {way}", when=when, effect=NAMES[effect.quantity], way=way)
    if effect.quantity == "compute_side":
        fewer = tr("{when}, fewer loads lie on the compute side", when=when)
        what = fewer if 1 in found else tr("{when}, more loads lie on the compute side", when=when)
    if case.under:
        what = tr("{what} ({under})", what=what, under=case.under)
    return tr("{what}: {formula}", what=what, formula=same(declared(case.text)))
