"""Claims of a file with fields: the printed value against the catalogue at what is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.fields.case import Case, evaluations, ready
from derive.audit.fields.evaluation import Missing
from derive.audit.fields.given import Given
from derive.audit.fields.holding import Held, PeakFactor, hold, number
from derive.audit.fields.quantities import BOUNDS, SHARES
from derive.audit.fields.stated import is_said
from derive.audit.fields.statements import Statement, statements
from derive.audit.fields.subject import facts, peak_factor
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.derivation.points import Undefined
from derive.derivation.stored import trees
from derive.errors import DeriveError, printable
from derive.expression.text import plain
from derive.expression.tree import Name
from derive.formula import called_for, standing_in
from derive.text import Text, same, tr
from derive.units import Quantity, Unit, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

CHECKED = "CALC001"


@rule(
    CHECKED,
    name=("printed value against the catalogue", "所印数值与公式库对照"),
    page=(
        "A claim with fields names a quantity, what is given and the printed value. The quantity is computed by "
        "the catalogue's formula from what is given, in exact arithmetic. A given value and the printed one stand "
        "for the interval of their rounding; trailing zeros after about do not count. Amounts of bytes are taken "
        "as printed and, as a second reading, in binary units: right under the first is consistent, under the "
        "second alone ambiguous, under none contradicted. An input that is not given may be anything as long as "
        "the value does not depend on it; else the claim is unverifiable and the input is named.",
        "带字段的论断写明量、已知条件与所印数值。按公式库中的公式，由已知条件以精确算术求出该量。已知值与所印值均代表其舍入区间；"
        "“约”之后整数末尾的零不计。字节数先按所印单位读，再按二进制单位读：前者成立为一致，仅后者成立为有歧义，都不成立为矛盾。"
        "未给出的输入，只要结果与其无关即可任取；否则判为无法核实，并指出所缺输入。",
    ),
    fires="{quantity: I_ridge, given: {P_peak: 989.5 TFLOP/s, B_peak: 3.35 TB/s}, value: about 591}",
    quiet="{quantity: I_ridge, given: {P_peak: 989.5 TFLOP/s, B_peak: 3.35 TB/s}, value: 295.4}",
    as_="claim",
    chinese=(
        "{quantity: I_ridge, given: {P_peak: 989.5 TFLOP/s, B_peak: 3.35 TB/s}, value: 约 591}",
        "{quantity: I_ridge, given: {P_peak: 989.5 TFLOP/s, B_peak: 3.35 TB/s}, value: 约 295.4}",
    ),
)
def against_catalogue(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding a statement of the printed value, and what else is worth knowing."""
    entry = claim.entry
    if (
        entry is None
        or not entry.quantity
        or not entry.value
        or (claim.figures and not entry.given)
    ):
        return
    nothing_said = tr("{value} says nothing that can be held against {name}",
                      value=printable(entry.value, 80), name=entry.quantity)  # fmt: skip
    if not entry.given and entry.subject and is_said(entry.quantity):
        yield finding("unverifiable", "warning", nothing_said)  # words without a number
        return
    try:
        cases = [ready(entry, more) for more in facts(claim, library)]
    except DeriveError as error:
        yield finding(
            "unverifiable", "warning", error.problems[0].what, hint=error.problems[0].hint
        )
        return
    says, left = statements(entry.value)
    why = None
    try:
        for case in cases:
            with standing_in(called_for(case.given)):
                case.readings = list(evaluations(case))
    except Missing as missing:
        why = lacking(entry.quantity, missing.names, entry.given)
    except Undefined as nothing:
        why = tr("{name} does not exist here: {why}", name=entry.quantity, why=nothing.why)
    judged = 0
    for index, one in enumerate(says):
        found = [hold(c, one, (index, len(says)), peaks_of(c, claim, library)) for c in cases]
        if all(found):
            judged += 1
            yield from weighed(cases[0], one, found)
        else:
            left.append(one.text)
    if not judged:
        yield finding("unverifiable", "warning", why or nothing_said)
    elif left:
        what = tr("not judged: {words}", words=printable("; ".join(left), 120))
        yield finding("consistent", "info", what)
    yield from beyond(cases[0], says)
    yield from deployable(cases)


def peaks_of(case: Case, claim: Claim, library: Library) -> PeakFactor:
    """How the given peak stands to the peak of another precision."""
    return lambda precision: peak_factor(library, claim, case.given["P_peak"], precision)


def finding(verdict: str, severity: str, what: Text, hint: Text | None = None) -> Finding:
    """A finding of this rule without figures."""
    return Finding(CHECKED, verdict, severity, what, derivation=(hint,) if hint else ())


def lacking(quantity: str, names: tuple[str, ...], given: Mapping[str, str]) -> Text:
    """What is missing; with the name that was likely meant for it."""
    from derive.specs.faults import closest

    if not names:
        return tr("{name} has no value: a divisor is zero", name=quantity)
    what = tr("{name} needs {missing}, which is not given", name=quantity, missing=", ".join(names))
    strange = [g for g in given if g not in names and closest(g, names)]
    if strange:
        what = tr("{what}; is {given} meant as {near}?", what=what, given=strange[0],
                  near=closest(strange[0], names) or "")  # fmt: skip
    return what


def verdict_of(found: list[Held]) -> str:
    """Over every reading of one product; a change needs both of its ends."""
    hits = [h for h in found if h.hit]
    if any(h.plain for h in hits):
        return "consistent"
    return "ambiguous" if hits else "contradicted"


def weighed(case: Case, says: Statement, found: list[list[Held]]) -> Iterator[Finding]:
    """The finding of one statement over every product that the subject may mean."""
    both = says.kind == "change"
    each = [
        together_all([verdict_of([h]) for h in held]) if both else verdict_of(held)
        for held in found
    ]
    verdict = together(each)
    every = [h for held in found for h in held]
    best = nearest(every)
    name = case.target.text if not best.of else best.of
    written = printable(says.text, 80)
    value = value_text(best)
    if verdict == "consistent":
        what = tr("{written}: {name} is {value}", written=written, name=name, value=value)
    elif verdict == "ambiguous":
        what = tr("{written}: right only with {under}", written=written, under=best.under)
    else:
        what = tr("{written}: {name} is {value}, not that", written=written, name=name, value=value)
    corrected = None
    if verdict != "consistent":
        corrected = tr("By the formulas {name} is {value}.", name=name, value=value)
    listed = tuple(Reading(h.shown, h.under) for h in every[:8])
    yield Finding(
        CHECKED, verdict, GRAVE[verdict], what, (), listed, tuple(derivation(case, best)), corrected
    )  # fmt: skip
    if verdict == "consistent":
        yield from remarks(says, best, every)


def nearest(every: list[Held]) -> Held:
    """What is most likely meant: a plain reading that holds, the nearest of them."""

    def order(one: Held) -> tuple[bool, bool, Fraction]:
        return not (one.hit and one.plain), not one.hit, abs(one.shown.base - one.says.middle)

    return min(every, key=order)


def together_all(verdicts: list[str]) -> str:
    """The gravest of several that must all hold."""
    return max(verdicts, key=("consistent", "ambiguous", "contradicted").index)


def value_text(best: Held) -> str:
    """A value as it is shown, bytes in both kinds of unit."""
    text = show(best.shown).text
    terms = best.shown.unit.terms
    if terms[:1] == (("byte", 1),) and all(
        s in ("request", "token", "device") for s, _ in terms[1:]
    ):
        for symbol in ("GiB", "MiB"):
            one = Unit(((symbol, 1), *terms[1:]))
            if best.shown.base >= one.factor:
                return f"{text} ({show(best.shown, fixed=one).text})"
    return text


def derivation(case: Case, best: Held) -> Iterator[Text]:
    """The formula, what is given, the value, and what rounding leaves open."""
    tree = case.target.tree
    if isinstance(tree, Name) and tree.id in trees() and not best.of:
        stood = [s for each in case.readings for f in each.states for s in f.stood]
        here = [s for s in stood if s.name == tree.id]
        yield same(f"{tree.id} = {here[0].text if here else plain(trees()[tree.id])}")
        for one in dict.fromkeys(stood):
            if one.name != tree.id:
                yield tr("{name} = {text}: {under}", name=one.name, text=one.text, under=one.under)
    given = [g for g in case.given.values() if g.text and g.name in asked(case)]
    if given:
        yield same("; ".join(f"{g.name} = {printable(g.text, 40)}" for g in given))
    yield same(show(best.shown).equals)
    if best.found.low != best.found.high:
        low, high = (show(Quantity(v / best.shown.unit.factor, best.shown.unit)).body
                     for v in (best.found.low, best.found.high))  # fmt: skip
        if low != high:
            yield tr("with the rounding of what is given: {low} to {high}", low=low, high=high)


def asked(case: Case) -> set[str]:
    """The given values that the result rests on."""
    used = {n for each in case.readings for f in each.states for n in f.asked}
    return used or set(case.given)


def remarks(says: Statement, best: Held, every: list[Held]) -> Iterator[Finding]:
    """What a right figure still owes: which GB, and what the value itself rounds to."""
    middle = best.shown.base
    if (
        says.kind == "figure"
        and not best.says.low <= middle <= best.says.high
        and says.low is not None
    ):
        what = tr("within the rounding of what is given; at the given values themselves it is {value}",
                  value=show(best.shown).text)  # fmt: skip
        yield Finding(CHECKED, "consistent", "info", what)
    other = next((h for h in every if h.hit and h.binary), None)
    if other is not None and says.kind == "figure":
        what = tr("GB or GiB: the figure also holds with {under}", under=other.under)
        listed = (Reading(other.shown, other.under),)
        yield Finding(CHECKED, "consistent", "info", what, readings=listed)


def beyond(case: Case, says: list[Statement]) -> Iterator[Finding]:
    """A share of a peak that is above the whole."""
    tree = case.target.tree
    if not isinstance(tree, Name) or tree.id not in SHARES:
        return
    claimed = any(
        one.kind == "figure" and one.low is not None and one.low * one.factor > 1
        and (one.unit is None or not one.unit.dimension.powers) for one in says
    )  # fmt: skip
    if claimed or (case.readings and all(e.last.interval.low > 1 for e in case.readings)):
        what = tr("{name} above 100 %: more than the roof allows", name=tree.id)
        yield Finding(CHECKED, "exceeds_bound", "error", what)
    elif case.readings and len(case.readings) == 1:
        value = show(number(case.readings[0].last.middle, unit("%"))).text
        what = tr("{name} is {value}, below 100 %", name=tree.id, value=value)
        yield Finding(CHECKED, "consistent", "info", what)


def deployable(cases: list[Case]) -> Iterator[Finding]:
    """A bound on fewer devices than hold the weights is a number that nobody can run.

    It speaks only where every product that the subject may mean is too small.
    """
    tree = cases[0].target.tree
    if not isinstance(tree, Name) or tree.id not in BOUNDS:
        return
    needs: set[int] = set()
    for case in cases:
        memory = case.given.get("M_dev")
        found = case.given.get("W")
        weights = found.states[-1].middle if found else weight_bytes(case.given)
        if memory is None or weights is None:
            return
        devices = case.given["g"].states[-1].middle if "g" in case.given else Fraction(1)
        least = -(-weights // memory.states[-1].middle)
        if least <= devices:
            return
        needs.add(int(least))
    if needs:
        what = tr(
            "a bound, not a speed: the weights need at least {count} devices", count=min(needs)
        )
        yield Finding(CHECKED, "consistent", "info", what)


def weight_bytes(given: Mapping[str, Given]) -> Fraction | None:
    """Bytes of the weights where parameters and their size are given."""
    if "N" in given and "w" in given:
        return given["N"].states[-1].middle * given["w"].states[-1].middle
    return None
