"""Results: each id computed again, at every calibre, from the recorded formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from derive.expression.tree import names
from derive.formula import Formula, catalogue
from derive.notation import CONSTANTS
from derive.text import Text, same, tr
from derive.units import Quantity, show
from derive.verify.inputs import lowest
from derive.verify.say import quoted
from derive.verify.shown import NOTHING, agrees, said, same_number, written
from derive.verify.texts import Broken, NoValue
from derive.verify.values import CALIBRES, Ledger, Values


def check_results(ledger: Ledger) -> Iterator[Text]:
    """Every recorded result, and that none is missing."""
    results = ledger.record["results"]
    for name in dict.fromkeys([*ledger.cards, *results]):
        if name not in results or name not in ledger.cards:
            yield tr("{name}: result and derivation do not both stand here", name=name)
            continue
        try:
            yield from one_result(ledger, name, results[name])
            yield from runs(ledger, name)
        except Broken as error:
            yield tr("{name}: {why}", name=name, why=error.why)
    for name, declared in catalogue().items():
        if name not in results and needs(declared, set()) <= ledger.given.keys() | CONSTANTS.keys():
            yield tr("{name}: the result is missing", name=name)


def needs(declared: Formula, above: set[str]) -> set[str]:
    """Every symbol that a formula may need; more than it does where some are held."""
    found: set[str] = set()
    conditions = [*declared.valid, *([declared.exists] if declared.exists else [])]
    inside = [n for c in conditions for side in (c.parts[0], c.parts[2]) for n in names(side)]
    for name in (*declared.uses, *inside):
        if name in catalogue():
            if name not in above:
                found |= needs(catalogue()[name], above | {name})
        elif name not in ("MFU", "MBU", "t_launch"):
            found.add(name)
    return found


def fitting(ledger: Ledger) -> bool:
    """Feasibility from the ledger's own numbers; true where it cannot be told."""
    if "g_fit" not in ledger.cards:
        return True
    try:
        return ledger.here("g").base >= ledger.here("g_fit").base and prefill_fits(ledger)
    except NoValue:
        return False


def prefill_fits(ledger: Ledger) -> bool:
    """Whether prefill on devices of its own has room there; elsewhere it asks for none."""
    if "g_pre" not in ledger.given:
        return True
    return ledger.here("g_pre").base >= ledger.here("g_fit_pre").base


def one_result(ledger: Ledger, name: str, row: Mapping[str, Any]) -> Iterator[Text]:
    """One id: its value, or why it has none."""
    contract = ledger.units[name]
    if row["unit"] != contract.text:
        yield tr(
            "{name}: unit {unit} is not that of the notation", name=name, unit=quoted(row["unit"])
        )
    value, why = expected(ledger, name)
    if value is None:
        nothing = {**row, "unit": "", "value": None, "exact": None, "why": (why or same("")).json()}
        if {**row, "unit": ""} != {**nothing, "display": {"en": NOTHING, "zh": NOTHING}}:
            yield tr("{name}: has no value here: {why}", name=name, why=why or "")
        return
    if row["exact"] != lowest(value.value) or not same_number(row["value"], value.value):
        yield differing(name, value, f"{row['exact']} = {row['value']}")
    ends = reach(ledger, name)
    text = written(value)
    if ends and ends["low"] != ends["high"]:
        low, high = (written(ends[k]).removeprefix("≈ ") for k in ("low", "high"))
        text = f"{text} ({low} – {high})"
    wanted = {"en": text, "zh": text.replace(" (", "（").replace(")", "）")}
    if row["display"] != wanted or not read_back(text, value, ends):
        yield tr(
            "{name}: {shown} is not the exact value",
            name=name,
            shown=quoted(row["display"]["en"], 80),
        )
    for key in ("low", "high", "peak"):
        yield from one_end(name, row, key, ends)
    if "why" in row:
        yield tr("{name}: has a value and a reason why it has none", name=name)


def one_end(
    name: str, row: Mapping[str, Any], key: str, ends: Mapping[str, Quantity]
) -> Iterator[Text]:
    """One end of the reachable range, or its absence."""
    if not ends:
        if key in row or f"{key}_exact" in row:
            yield tr("{name}: {key} stands where there is no range", name=name, key=key)
        return
    end = ends.get(key)
    number, exact = row.get(key), row.get(f"{key}_exact")
    if end is None:
        if number is not None or exact is not None:
            yield tr("{name}: {key} stands where there is no range", name=name, key=key)
    elif exact != lowest(end.value) or not same_number(number, end.value):
        yield differing(f"{name}.{key}", end, f"{exact} = {number}")


def differing(name: str, value: Quantity, found: str) -> Text:
    """Recomputed against recorded."""
    return tr(
        "{name}: recomputed {value}, recorded {found}",
        name=name, value=same(show(value, 8).text), found=quoted(found, 80),
    )  # fmt: skip


def read_back(text: str, value: Quantity, ends: Mapping[str, Quantity]) -> bool:
    """Whether the printed numbers, read again, are the exact ones within their digits."""
    head, _, span = text.partition(" (")
    if not agrees(head, value):
        return False
    if not span:
        return True
    low, _, high = span.removesuffix(")").partition(" – ")
    return agrees(low, ends["low"], rounded=True) and agrees(high, ends["high"], rounded=True)


def expected(ledger: Ledger, name: str) -> tuple[Quantity | None, Text | None]:
    """The value of an id at the typical calibration, or why there is none."""
    try:
        value = ledger.here(name)
    except NoValue as missing:
        return None, missing.why
    reachable = catalogue()[name].calibre == "reachable" and not catalogue()[name].needed
    if reachable and name not in ledger.given and not fitting(ledger):
        return None, withheld(ledger)
    return value, None


def withheld(ledger: Ledger) -> Text:
    """Why a configuration has no speed of its own."""
    try:
        given, fit = ledger.here("g"), ledger.here("g_fit")
        if given.base >= fit.base:
            return tr(
                "prefill does not fit on its devices: {g} given, at least {fit} needed",
                g=said(ledger.here("g_pre")), fit=said(ledger.here("g_fit_pre")),
            )  # fmt: skip
    except NoValue as missing:
        return missing.why
    return tr(
        "the scenario does not fit: {g} given, at least {fit} needed",
        g=said(given), fit=said(fit),
    )  # fmt: skip


def runs(ledger: Ledger, name: str) -> Iterator[Text]:
    """Whether a result runs with MFU and MBU as its card says, over all levels of both."""
    said = ledger.cards[name].get("range")
    if said is None:
        return
    for by, other in (("MFU", "MBU"), ("MBU", "MFU")):
        if said[by] == "unknown":
            continue
        for level in CALIBRES:
            places = [ledger.here.at(**arguments({by: u, other: level})) for u in CALIBRES]
            found = [q.value for q in (or_none(p, name) for p in places) if q is not None]
            if not is_so(said[by], found):
                yield tr("{name}: does not run with {by} as recorded", name=name, by=by)
                break


def arguments(level: Mapping[str, str]) -> dict[str, str]:
    """Levels of MFU and MBU as the place takes them."""
    return {"mfu": level["MFU"], "mbu": level["MBU"]}


def is_so(way: str, values: list[Fraction]) -> bool:
    """Whether values from low to high run as said."""
    pairs = list(pairwise(values))
    if way == "stays":
        return all(a == b for a, b in pairs)
    if way == "rises":
        return all(a <= b for a, b in pairs)
    return way == "falls" and all(a >= b for a, b in pairs)


def reach(ledger: Ledger, name: str) -> dict[str, Quantity]:
    """Low, high and peak of a reachable id; empty for the others."""
    if name not in catalogue() or catalogue()[name].calibre != "reachable":
        return {}
    corners = [ledger.here.at(u, v) for u in CALIBRES for v in CALIBRES]
    found = [q for q in (or_none(corner, name) for corner in corners) if q is not None]
    ends = {"low": min(found, key=number), "high": max(found, key=number)}
    top = or_none(ledger.here.at("peak", "peak"), name)
    return {**ends, "peak": top} if top is not None else ends


def number(quantity: Quantity) -> Fraction:
    """What ranges are ordered by."""
    return quantity.value


def or_none(values: Values, name: str) -> Quantity | None:
    """A value, or None where there is none."""
    try:
        return values(name)
    except NoValue:
        return None
