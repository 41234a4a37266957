"""Proving a ledger again, from its own text alone.

Every line is read back by the grammar and computed with pint quantities and exact fractions; the
derivation engine's evaluation is not used. The hash shows any change; the recomputation shows a
changed number, unit or operator even where the hash was made right again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, Place, Problem, printable
from derive.expression.grammar import parse
from derive.expression.recompute import in_unit, recompute
from derive.expression.tree import (
    Call,
    Measure,
    Name,
    Negative,
    Node,
    Number,
    children,
    rebuild,
)  # fmt: skip
from derive.ledger import FORMAT, canonical, digest
from derive.text import Text, same, tr
from derive.units import Quantity, read, unit

LARGEST_FILE = 20_000_000
Lookup = Callable[[str], Quantity]


class Ledger:
    """The readings of one ledger: inputs, constants, formulas by their recorded text."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        self.given = {r["id"]: Quantity(Fraction(r["exact"]), unit(r["unit"])) for r in record["inputs"]}
        self.constants = {r["id"]: Quantity(Fraction(r["exact"]), unit(r["unit"])) for r in record["constants"]}
        self.trees = {d["id"]: parse(d["tree"]) for d in record["derivations"]}
        self.units = {n: unit(s["unit"]) for n, s in record["symbols"].items()}
        self.cards = {d["id"]: d for d in record["derivations"]}

    def calibration(self, name: str, key: str) -> Fraction:
        """One bound of MFU or MBU."""
        return Fraction(self.record["calibration"][name][key]["exact"])

    def at(self, changed: Mapping[str, Quantity] | None = None, mfu: str = "typical", mbu: str = "typical") -> Lookup:
        """Values by id with some changed; formulas are computed by pint from their text."""
        memo: dict[str, Quantity] = dict(changed or {})
        for name, key in (("MFU", mfu), ("MBU", mbu)):
            level = Fraction(1) if key == "peak" else self.calibration(name, key)
            memo.setdefault(name, Quantity(level, unit("")))

        def lookup(name: str) -> Quantity:
            if name not in memo:
                if name in self.given:
                    memo[name] = self.given[name]
                elif name in self.constants:
                    memo[name] = self.constants[name]
                else:
                    contract = self.units[name]
                    memo[name] = Quantity(in_unit(recompute(self.trees[name], lookup), contract), contract)
            return memo[name]

        return lookup

    def exists(self, name: str, lookup: Lookup) -> bool:
        """Whether the conditions of existence hold and no divisor is zero."""
        for condition in self.cards[name]["conditions"]:
            if condition["kind"] == "exists" and not compare(condition["text"], lookup):
                return False
        try:
            value = lookup(name)
        except ZeroDivisionError:
            return False
        return not (self.cards[name]["variable"] and self.floored(name) and value.value < 1)

    def floored(self, name: str) -> bool:
        """Whether the formula ends in a rounding."""
        tree = self.trees[name]
        return isinstance(tree, Call) and tree.function == "floor"


def compare(text: str, lookup: Lookup) -> bool:
    """A recorded comparison at the given values."""
    for sign in ("<=", ">=", "<", ">"):
        left, found, right = text.partition(f" {sign} ")
        if found:
            a, b = recompute(parse(left), lookup), recompute(parse(right), lookup)
            return bool({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign])
    raise ValueError(text)


def base(tree: Node, lookup: Lookup) -> tuple[Fraction, str]:
    """A side in base units, with the base units as pint names them."""
    found = recompute(tree, lookup).to_base_units()
    powers = found._units if hasattr(found, "_units") else {}  # pint's container prints by dict
    return Fraction(found.magnitude), repr(sorted((str(k), int(v)) for k, v in dict(powers).items()))


def half_unit(number: str) -> Fraction:
    """Half a unit of the last printed digit."""
    _, dot, decimals = number.partition(".")
    return Fraction(1, 2) / 10 ** len(decimals) if dot else Fraction(1, 2)


def shown_matches(text: str, exact: Quantity) -> bool:
    """Whether a displayed value is the exact one, rounded as its sign says."""
    body = text.removeprefix("≈ ").strip()
    reading = read(body)
    found_unit = reading.unit or unit("")
    dimension, wanted = found_unit.dimension, exact.unit.dimension
    if dimension != wanted and dimension * unit("request").dimension != wanted:
        return False
    off = abs(reading.value - exact.base / found_unit.factor)
    if not text.startswith("≈"):
        return off == 0
    digits = body.split(" ")[0].replace(",", "")
    slack = half_unit(digits) if "." in digits else Fraction(10) ** trailing_zeros(digits) / 2
    return 0 < off <= slack or off == 0


def trailing_zeros(digits: str) -> int:
    """Zeros at the end of an integer: digits that rounding may have made."""
    return len(digits) - len(digits.rstrip("0"))


def check_hash(record: Mapping[str, Any]) -> Iterator[Text]:
    """The record's own hash."""
    if record.get("hash") != digest(record):
        yield tr("the hash does not match: the ledger was changed after it was written")


def check_inputs(ledger: Ledger) -> Iterator[Text]:
    """Inputs: text, exact value, shown value and unit agree with each other and with the notation."""
    from derive.formula import catalogue
    from derive.notation import CONSTANTS, SYMBOLS

    for row in ledger.record["inputs"]:
        name, exact = row["id"], ledger.given[row["id"]]
        contract = SYMBOLS[name].unit if name in SYMBOLS else catalogue()[name].unit
        if row["unit"] != contract.text or ledger.units.get(name) != contract:
            yield tr("{name}: unit {unit} is not that of the notation", name=name, unit=row["unit"])
        written = written_value(row["text"], name)
        if written is not None and written.base != exact.base:
            yield tr("{name}: the text {text} is not the exact value", name=name, text=row["text"])
        if not shown_matches(row["shown"], exact) or (row["beside"] and not shown_matches(row["beside"], exact)):
            yield tr("{name}: {shown} is not the exact value", name=name, shown=row["shown"])
    for row in ledger.record["constants"]:
        declared = CONSTANTS[row["id"]].value
        if ledger.constants[row["id"]] != declared or not shown_matches(row["shown"], declared):
            yield tr("{name}: the constant differs from its declaration", name=row["id"])
    for name, triple in ledger.record["calibration"].items():
        for level in triple.values():
            if read(level["text"]).value != Fraction(level["exact"]):
                yield tr("{name}: the text {text} is not the exact value", name=name, text=level["text"])


def written_value(text: str, name: str) -> Quantity | None:
    """What the input's own text says; precisions are read by their table."""
    from derive.specs.precision import BYTES

    if text in BYTES:
        return Quantity(BYTES[text], unit("byte/param"))
    try:
        return read(text).quantity
    except DeriveError:
        return None


def check_symbols(ledger: Ledger) -> Iterator[Text]:
    """Units of the symbol table are those of the catalogue; declared expressions are those recorded."""
    from derive.formula import letters, unit_of

    for name, row in ledger.record["symbols"].items():
        if row["unit"] != unit_of(name).text or row["latex"] != letters(name):
            yield tr("{name}: the symbol differs from the notation", name=name)


def check_results(ledger: Ledger) -> Iterator[Text]:
    """Each result is computed again, at every calibre."""
    results = ledger.record["results"]
    fits = fitting(ledger)
    for name, row in results.items():
        if name not in ledger.trees:
            yield tr("{name}: no derivation is recorded", name=name)
            continue
        contract = ledger.units[name]
        if row["unit"] != contract.text:
            yield tr("{name}: unit {unit} is not that of the notation", name=name, unit=row["unit"])
        withheld = ledger.cards[name]["calibre"] == "reachable" and not fits and name not in ledger.given
        there = not withheld and ledger.exists(name, ledger.at())
        if not there or row["value"] is None:
            if there or row["value"] is not None:
                yield tr("{name}: recorded as {found}", name=name, found=str(row["value"]))
            continue
        value = ledger.at()(name)
        yield from one_result(ledger, name, row, value)
    for name in ledger.cards:
        if name not in results:
            yield tr("{name}: the result is missing", name=name)


def one_result(ledger: Ledger, name: str, row: Mapping[str, Any], value: Quantity) -> Iterator[Text]:
    """Exact value, JSON number, display and range of one id."""
    if Fraction(row["exact"]) != value.value or not same_number(row["value"], value.value):
        yield tr("{name}: recomputed {value}, recorded {found}", name=name, value=short(value), found=str(row["exact"]))
    for lang in ("en", "zh"):
        head = row["display"][lang].replace("（", " (").split(" (")[0]
        if not shown_matches(head, value):
            yield tr("{name}: {shown} is not the exact value", name=name, shown=row["display"][lang])
    if "low" not in row:
        return
    keys = ("low", "typical", "high")
    corners = [
        ledger.at(mfu=u, mbu=v)(name)
        for u in keys for v in keys if ledger.exists(name, ledger.at(mfu=u, mbu=v))
    ]  # fmt: skip
    ends = {"low": min(q.value for q in corners), "high": max(q.value for q in corners)}
    top = ledger.at(mfu="peak", mbu="peak")
    if ledger.exists(name, top):
        ends["peak"] = top(name).value
    for key, end in ends.items():
        if row[f"{key}_exact"] is None or Fraction(row[f"{key}_exact"]) != end or not same_number(row[key], end):
            yield tr("{name}: {key} recomputed {value}, recorded {found}", name=name, key=key,
                     value=short(Quantity(end, value.unit)), found=str(row[key]))  # fmt: skip
    span = row["display"]["en"].partition(" (")[2].removesuffix(")")
    if span:
        for text, end in zip(span.split(" – "), (ends["low"], ends["high"]), strict=True):
            if not shown_matches("≈ " + text, Quantity(end, value.unit)):
                yield tr("{name}: {shown} is not the exact value", name=name, shown=span)


def same_number(number: Any, exact: Fraction) -> bool:
    """A JSON number against the exact value."""
    if isinstance(number, int):
        return Fraction(number) == exact
    return number is not None and float(number) == float(exact)


def short(quantity: Quantity) -> str:
    """A value in a message."""
    from derive.units import show

    return show(quantity, 8).text


def fitting(ledger: Ledger) -> bool:
    """Feasibility from the ledger's own numbers."""
    if "g_fit" not in ledger.trees:
        return True
    lookup = ledger.at()
    if not ledger.exists("g_fit", lookup):
        return False
    return lookup("g").base >= lookup("g_fit").base


def check_derivations(ledger: Ledger) -> Iterator[Text]:
    """Every step of every card holds, at the scenario and away from it."""
    for name, card in ledger.cards.items():
        points = [ledger.at, lambda c=None, n=name: elsewhere(ledger, n, c)]
        if card["unit"] != ledger.units[name].text or parse(card["tree"]) != ledger.trees[name]:
            yield tr("{name}: the card differs from the symbol table", name=name)
        for row in card["conditions"]:
            if compare(row["text"], ledger.at()) != row["holds"]:
                yield tr("{name}: the condition {text} is recorded wrongly", name=name, text=row["text"])
        for place, number in enumerate(card["steps"], 1):
            if not all(number["checks"]) or not number["checks"]:
                yield tr("{name}: step {step} carries no check", name=name, step=str(place))
        for place, text in bad_steps(ledger, card, points):
            yield tr("{name}: step {step} does not hold: {text}", name=name, step=str(place), text=text)


def elsewhere(ledger: Ledger, name: str, changed: Mapping[str, Quantity] | None) -> Lookup:
    """The inputs moved off by odd factors, so that what happens to agree no longer does."""
    draw = random.Random(name)  # noqa: S311  points of a proof, no secret
    dense = ledger.given.get("N") == ledger.given.get("N_act")
    moved: dict[str, Quantity] = {}
    for key, quantity in ledger.given.items():
        if key in ledger.trees or key == "n":
            continue
        factor = Fraction(draw.choice((3, 5, 7, 11, 13)), draw.choice((2, 3, 5, 7, 11)))
        moved[key] = Quantity(quantity.value * factor, quantity.unit)
    if dense and "N" in moved:
        moved["N_act"] = moved["N"]
    moved |= dict(changed or {})
    return ledger.at(moved)


def bad_steps(ledger: Ledger, card: Mapping[str, Any], points: list[Any]) -> Iterator[tuple[int, str]]:
    """Steps of one card that do not hold."""
    for which, point in enumerate(points):
        held: dict[str, Quantity] = {}
        variable = card["variable"]
        for place, step in enumerate(card["steps"], 1):
            text = f"{step['left']} {step['relation']} {step['right']}"
            try:
                if step["rule"] == "fix":
                    held[step["left"]] = as_quantity(parse(step["right"]), point(held), ledger.units[step["left"]])
                elif not step_holds(ledger, card, step, point, held, variable, at_scenario=which == 0):
                    yield place, text
            except (ZeroDivisionError, KeyError):
                continue
            except (DeriveError, ValueError, TypeError) as error:
                yield place, f"{text} ({type(error).__name__})"
            except Exception as error:
                if type(error).__module__.startswith("pint"):
                    yield place, text
                else:
                    raise


def as_quantity(tree: Node, lookup: Lookup, contract: Any) -> Quantity:
    """A side as a quantity in a contract unit."""
    return Quantity(in_unit(recompute(tree, lookup), contract), contract)


def step_holds(
    ledger: Ledger, card: Mapping[str, Any], step: Mapping[str, Any], point: Any,
    held: dict[str, Quantity], variable: str | None, *, at_scenario: bool,
) -> bool:  # fmt: skip
    """One step at one point."""
    left, right = parse(step["left"]), folded(parse(step["right"]))
    rule, me = step["rule"], card["id"]
    if not latex_agrees(step, left, right):
        return False
    if rule in ("values", "compute", "round") or (rule == "case" and step["relation"] != "≤" and is_value(right)):
        return not at_scenario or number_holds(ledger, card, step, left, right)
    lookup = point(held)
    if rule == "limit":
        return base(right, lookup) == base(Name(me), lookup)
    if step["relation"] == "≤" or rule == "equation" or (variable and rule == "substitute" and not is_me(left, me)):
        return meets(ledger, card, step, left, right, point, held, variable)
    if is_me(left, me):
        return base(right, lookup) == base(ledger.trees[me], lookup)
    return base(right, lookup) == base(left, lookup)


def is_me(left: Node, me: str) -> bool:
    """Whether a side is the derived symbol itself."""
    return isinstance(left, Name) and left.id == me


def folded(node: Node) -> Node:
    """A negative number as one leaf, as the writer had it."""
    if isinstance(node, Negative) and isinstance(node.inner, Measure):
        quantity = node.inner.quantity
        return Measure(Quantity(-quantity.value, quantity.unit))
    if isinstance(node, Negative) and isinstance(node.inner, Number):
        return Number(-node.inner.value)
    return rebuild(node, folded)


def is_value(node: Node) -> bool:
    """Whether a side is one number."""
    return isinstance(node, (Measure, Number))


def meets(
    ledger: Ledger, card: Mapping[str, Any], step: Mapping[str, Any], left: Node, right: Node, point: Any,
    held: dict[str, Quantity], variable: str | None,
) -> bool:  # fmt: skip
    """Equations hold at the solution; inequalities hold with equality at their own bound."""
    assert variable
    me = card["id"]
    if step["rule"] == "solve":  # variable ≤ bound: remembered for the case before it
        bound = as_quantity(right, point(held), ledger.units[variable])
        case = next(s for s in reversed(card["steps"][: card["steps"].index(step)]) if s["rule"] == "case")
        there = point({**held, variable: bound})
        return base(parse(case["left"]), there) == base(parse(case["right"]), there)
    solution = point(held)(me)
    there = point({**held, variable: Quantity(solution.value, ledger.units[variable])})
    a, b = base(left, there), base(right, there)
    if step["relation"] == "≤":
        return a[1] == b[1] and a[0] <= b[0]
    return a == b


def number_holds(ledger: Ledger, card: Mapping[str, Any], step: Mapping[str, Any], left: Node, right: Node) -> bool:
    """A numeric step: exact where it says =, within its digits where it says ≈."""
    lookup = ledger.at()
    if step["rule"] == "values":
        return same_shape(ledger.trees[card["id"]], right, lookup, step["relation"] == "≈")
    exact, units = base(left if step["rule"] == "case" else ledger.trees[card["id"]], lookup)
    found, found_units = base(right, lookup)
    if units != found_units:
        return False
    if step["relation"] == "=":
        return exact == found
    number = step["right"].split(" ")[0].replace(",", "").lstrip("-")
    if not isinstance(right, Measure):
        return abs(exact - found) <= half_unit(number)
    off = abs(exact / right.quantity.unit.factor - right.quantity.value)
    slack = half_unit(number) if "." in number else Fraction(10) ** trailing_zeros(number) / 2
    return off <= slack


def same_shape(symbolic: Node, line: Node, lookup: Lookup, rounded: bool) -> bool:
    """A line of values is its formula, each name replaced by that name's value."""
    if isinstance(symbolic, Name):
        exact = lookup(symbolic.id)
        if isinstance(line, Number):
            return not exact.unit.terms and line.value == exact.value
        if not isinstance(line, Measure) or line.quantity.dimension != exact.dimension:
            return False
        if line.quantity.base == exact.base:
            return True
        return rounded and abs(line.quantity.base - exact.base) <= abs(exact.base) / (2 * 10**6)
    if type(symbolic) is not type(line):
        return False
    if isinstance(symbolic, Number):
        return symbolic == line
    for key in ("op", "function", "exponent"):
        if getattr(symbolic, key, None) != getattr(line, key, None):
            return False
    parts = children(symbolic), children(line)
    return len(parts[0]) == len(parts[1]) and all(
        same_shape(a, b, lookup, rounded) for a, b in zip(*parts, strict=True)
    )


def latex_agrees(step: Mapping[str, Any], left: Node, right: Node) -> bool:
    """The LaTeX is what the printer makes of the plain text."""
    from derive.expression.latex import alternatives
    from derive.formula import letters

    return all(
        form.endswith(body) for form, body in zip(step["latex"], alternatives(right, letters), strict=False)
    ) and bool(step["latex"])


def check_levers(ledger: Ledger) -> Iterator[Text]:
    """Elasticities: value of the recorded expression, and the difference quotient."""
    from derive.study.verdict import per_percent

    step = Fraction(1, 10**6)
    for row in ledger.record["levers"]:
        lookup = ledger.at()
        name, target = row["lever"], row["target"]
        value = in_unit(recompute(parse(row["tree"]), lookup), unit(""))
        here = lookup(name)
        moved = ledger.at({name: Quantity(here.value * (1 + step), here.unit)})
        quotient = (moved(target).base / lookup(target).base - 1) / step
        if value != Fraction(row["exact"]) or abs(quotient - value) > Fraction(1, 10**4) or row["shown"] != per_percent(value):
            yield tr("lever {lever} of {target} does not hold", lever=name, target=target)


# curve id of a figure -> (expression over the ledger's symbols, unit of the axis)
CURVES: dict[tuple[str, str], tuple[str, str, str, str]] = {
    ("batch_sweep", "X"): ("b", "X", "typical", "token/s"),
    ("batch_sweep", "TPOT"): ("b", "TPOT", "typical", "ms*request/token"),
    ("batch_sweep", "TPOT-peak"): ("b", "TPOT", "peak", "ms*request/token"),
    ("bytes_over_context", "kv"): ("T", "KV_total", "typical", "GB"),
    ("bytes_over_context", "total"): ("T", "Q_step", "typical", "GB"),
    ("bytes_over_context", "weights"): ("T", "W_read", "typical", "GB"),
    ("concurrency_over_context", "b_max"): ("T", "b_max", "typical", "request"),
}


def check_figures(ledger: Ledger) -> Iterator[Text]:
    """Every point of every curve is computed again."""
    for figure in ledger.record["figures"]:
        for panel in figure.get("panels", [figure]):
            for line in panel["lines"]:
                curve = CURVES.get((figure["id"], line["id"]))
                for x, y in line["points"]:
                    exact = roof(ledger, Fraction(x)) if curve is None else on_curve(ledger, curve, Fraction(x))
                    if abs(exact - Fraction(y)) > abs(exact) / (2 * 10**4):
                        yield tr("figure {figure}: the point {x}, {y} is off its curve", figure=figure["id"], x=x, y=y)


def on_curve(ledger: Ledger, curve: tuple[str, str, str, str], x: Fraction) -> Fraction:
    """A curve's value at one place of its axis."""
    variable, name, level, axis_unit = curve
    lookup = ledger.at({variable: Quantity(x, ledger.units[variable])}, level, level)
    return lookup(name).base / unit(axis_unit).factor


def roof(ledger: Ledger, intensity: Fraction) -> Fraction:
    """The roof of the replica in TFLOP/s."""
    lookup = ledger.at()
    top = min(lookup("P_peak").base, intensity * lookup("B_peak").base)
    return lookup("g").base * top / 10**12


def check_tiles(ledger: Ledger) -> Iterator[Text]:
    """The large numbers of the cover and the verdict's flags are the results."""
    record = ledger.record
    for tile in record["verdict"]["tiles"]:
        row = record["results"].get(tile["id"])
        if row and row["value"] is not None and not shown_matches(tile["value"], Quantity(Fraction(row["exact"]), unit(row["unit"]))):
            yield tr("{name}: {shown} is not the exact value", name=tile["id"], shown=tile["value"])
    if record["verdict"]["fits"] != fitting(ledger):
        yield tr("the verdict on memory does not follow from the numbers")


def check_specs(ledger: Ledger, roots: Any = None) -> Iterator[Text]:
    """Sources and unused inputs against the specs, where these are at hand."""
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study.assemble import input_record
    from derive.study.bind import bind

    scenario = ledger.record["scenario"]
    if scenario["overrides"]:
        return
    try:
        places = spec_roots(()) if roots is None else roots
        loaded = load.scenario(scenario["id"], places)
    except DeriveError:
        return
    if loaded.hardware.id != scenario["hardware"]["id"] or loaded.model.id != scenario["model"]["id"]:
        return
    fresh = {i.id: input_record(i) for i in bind(loaded).inputs.values()}
    for row in ledger.record["inputs"]:
        if canonical(fresh.get(row["id"], {})) != canonical(row):
            yield tr("{name}: differs from the spec at hand", name=row["id"])


CHECKS = (check_symbols, check_inputs, check_results, check_derivations, check_levers, check_figures, check_tiles, check_specs)


def verify(record: Mapping[str, Any]) -> list[Text]:
    """All faults of a ledger; an empty list is a proof."""
    faults = list(check_hash(record))
    try:
        ledger = Ledger(record)
        for check in CHECKS:
            faults += check(ledger)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, StopIteration, DeriveError) as error:
        faults.append(tr("the ledger cannot be read: {why}", why=printable(f"{type(error).__name__} {error}", 120)))
    return list(dict.fromkeys(faults))


def load_ledger(path: Path) -> Mapping[str, Any]:
    """Read a ledger file; DeriveError where it is none."""
    place = Place(file=path.name)
    try:
        if not path.is_file():
            raise DeriveError(Problem("L101", tr("no such file: {file}", file=printable(str(path))), place))
        if path.stat().st_size > LARGEST_FILE:
            raise DeriveError(Problem("L102", tr("{file} is too large for a ledger", file=path.name), place))
        record = json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda c: c)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError):
        raise DeriveError(Problem("L103", tr("{file} is no readable JSON", file=path.name), place)) from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise DeriveError(Problem("L104", tr("{file} is no ledger of this format ({format})", file=path.name, format=FORMAT), place))
    return record


def verify_file(path: Path) -> tuple[list[Text], Text]:
    """Faults and a one-line summary."""
    record = load_ledger(path)
    faults = verify(record)
    if faults:
        return faults, tr("{count} faults: the ledger does not hold", count=str(len(faults)))
    steps = sum(len(d["steps"]) for d in record["derivations"])
    return faults, tr("holds: {results} results, {steps} steps recomputed; {hash}",
                      results=str(len(record["results"])), steps=str(steps), hash=same(record["hash"][:19]))  # fmt: skip


__all__ = ["load_ledger", "verify", "verify_file"]
