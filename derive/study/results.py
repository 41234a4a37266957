"""Results: every id at its calibre, with its range, or why it has no value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.points import Absent, Point, Undefined, in_contract
from derive.formula import catalogue, standing_in, unit_of
from derive.notation import known
from derive.study.bind import Bound, available, rounds
from derive.study.inputs import lacks
from derive.text import Text, same, tr
from derive.units import Quantity, show


@dataclass(frozen=True)
class Result:
    """A value in the contract unit; `why` where there is none."""

    id: str
    value: Quantity | None
    low: Quantity | None = None
    high: Quantity | None = None
    peak: Quantity | None = None
    why: Text | None = None
    absent: bool = False


def friendly(text: str) -> str:
    """Times per token are read as per request (design contract), so that the request is not printed."""
    return text.replace("s*request/token", "s/token")


def shown(quantity: Quantity) -> str:
    """A value as prose and tables print it."""
    return friendly(show(quantity).text)


COUNTED = {
    "request": ("request", "requests", "个请求"),
    "device": ("device", "devices", "个设备"),
    "token": ("token", "tokens", "个 token"),
}


def replicas_said(number: int) -> Text:
    """A number of replicas within a sentence."""
    return Text(f"{number} replica{'' if number == 1 else 's'}", f"{number} 个副本")


def said(quantity: Quantity) -> Text:
    """A value within a sentence: what is counted is named as each language does."""
    found = show(quantity)
    if found.unit not in COUNTED:
        return same(friendly(found.text))
    one, many, chinese = COUNTED[found.unit]
    number = found.text.removesuffix(found.unit).rstrip()
    return Text(f"{number} {one if number == '1' else many}", f"{number} {chinese}")


def results(bound: Bound) -> dict[str, Result]:
    """Every formula's result, in the order of declaration."""
    fits = fitting(bound)
    return {name: result(bound, name, fits) for name in catalogue()}


def fitting(bound: Bound) -> bool | None:
    """Whether the scenario's devices hold weights and batch; None where it cannot be told."""
    point = bound.typical
    try:
        with standing_in(bound.variants):  # a comparison asks this of two scenarios
            return point.get("g") >= point.get("g_fit") and prefill_fits(point)
    except Undefined:
        return False
    except Absent:
        return None


def prefill_fits(point: Point) -> bool:
    """Whether prefill on devices of its own has room there; elsewhere it asks for none."""
    return "g_pre" not in point.given or point.get("g_pre") >= point.get("g_fit_pre")


def result(bound: Bound, name: str, fits: bool | None) -> Result:
    """One id."""
    reachable = name in catalogue() and catalogue()[name].calibre == "reachable"
    try:
        value = bound.typical.quantity(name)
    except Absent as missing:
        why = lacks(missing.name, bound.inputs)
        return Result(name, None, why=why, absent=True)
    except Undefined as undefined:  # a condition may fail before an input is missed
        absent = not available(name, frozenset(bound.inputs))
        return Result(name, None, why=undefined.why, absent=absent)
    if fits is False and withheld(bound, name):
        return Result(name, None, why=does_not_fit(bound))
    if not reachable:
        return Result(name, value)
    # a corner without a value (no batch meets the target there) has no number to range over
    corners = [q for p in bound.corners if (q := quantity_or_none(p, name)) is not None]
    return Result(
        name,
        value,
        low=min(corners, key=lambda q: q.value),
        high=max(corners, key=lambda q: q.value),
        peak=quantity_or_none(bound.peak, name),
    )


def withheld(bound: Bound, name: str) -> bool:
    """Whether a result is not told of devices that hold neither weights nor batch: a speed."""
    formula = catalogue().get(name)
    reachable = formula is not None and formula.calibre == "reachable" and not formula.needed
    return reachable and name not in bound.derived


def quantity_or_none(point: Point, name: str) -> Quantity | None:
    """The value in its contract unit, or None where it does not exist."""
    try:
        return in_contract(point.get(name), unit_of(name))
    except (Absent, Undefined):
        return None


def does_not_fit(bound: Bound) -> Text:
    """Why a configuration has no speed of its own."""
    point = bound.typical
    try:
        if point.get("g") >= point.get("g_fit"):
            return tr(
                "prefill does not fit on its devices: {g} given, at least {fit} needed",
                g=said(point.quantity("g_pre")), fit=said(point.quantity("g_fit_pre")),
            )  # fmt: skip
        return tr(
            "the scenario does not fit: {g} given, at least {fit} needed",
            g=said(point.quantity("g")),
            fit=said(point.quantity("g_fit")),
        )
    except Undefined as undefined:
        return undefined.why


LONGEST_EXACT = 12_000  # bits: a power of experts' shares may run to any length


def exact_text(value: Fraction) -> str | None:
    """`p/q` in lowest terms; None where it would fill pages."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > LONGEST_EXACT:
        return None
    return f"{value.numerator}/{value.denominator}"


def value_json(name: str, found: Result) -> dict[str, object]:
    """The contract's record of one value (`eval --json`)."""
    contract = unit_of(name)
    record: dict[str, object] = {"unit": contract.text}
    if found.value is None:
        why = found.why or same("")
        return {
            **record,
            "value": None,
            "exact": None,
            "display": {"en": "–", "zh": "–"},
            "why": why.json(),
        }
    record |= {"value": number(name, found.value), "exact": exact_text(found.value.value)}
    text = shown(found.value)
    if found.low and found.high:
        span = f"{bare(found.low)} – {bare(found.high)}"
        text_en = f"{text} ({span})" if found.low != found.high else text
        record["display"] = {"en": text_en, "zh": text_en.replace(" (", "（").replace(")", "）")}
        for key, quantity in (("low", found.low), ("high", found.high), ("peak", found.peak)):
            record[key] = number(name, quantity) if quantity is not None else None
            record[f"{key}_exact"] = exact_text(quantity.value) if quantity is not None else None
    else:
        record["display"] = {"en": text, "zh": text}
    return record


def bare(quantity: Quantity) -> str:
    """A value without ≈, for the ends of a range."""
    return shown(quantity).removeprefix("≈ ")


def number(name: str, quantity: Quantity) -> int | float:
    """The JSON number: counts that are rounded are integers."""
    if rounds(name) and quantity.value.denominator == 1:
        return int(quantity.value)
    return float(quantity.value)


def input_json(bound: Bound, name: str) -> dict[str, object]:
    """The same record for an input symbol."""
    return value_json(name, Result(name, bound.inputs[name].quantity))


def is_known(name: str) -> bool:
    """Whether an id exists at all."""
    return name in catalogue() or name in known()
