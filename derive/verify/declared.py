"""The ledger against this program's declarations: ids, units, letters, wording of formulas.

A formula that was changed consistently still holds together; it is no longer the declared one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.errors import DeriveError
from derive.expression.dimension import dimension
from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.tree import Name
from derive.formula import Formula, called_for, catalogue, dimension_of, letters, unit_of
from derive.notation import CONSTANTS, SYMBOLS, known
from derive.text import Text, tr
from derive.verify.say import quoted
from derive.verify.search import needed
from derive.verify.texts import Broken, NoValue, read
from derive.verify.values import Held, Ledger, Values

SIGNS = {"<=": r"\leq", ">=": r"\geq", "<": "<", ">": ">"}


def check_ids(record: Mapping[str, Any]) -> Iterator[Text]:
    """Every id is known to this program and stands once."""
    groups = {
        "inputs": ([r["id"] for r in record["inputs"]], {*SYMBOLS, *catalogue()}),
        "constants": ([r["id"] for r in record["constants"]], set(CONSTANTS)),
        "derivations": ([r["id"] for r in record["derivations"]], set(catalogue())),
        "symbols": (list(record["symbols"]), {*known(), *catalogue()}),
        "results": (list(record["results"]), set(catalogue())),
    }
    for group, (ids, allowed) in groups.items():
        for name in dict.fromkeys(ids):
            if name not in allowed:
                yield tr("{group}: unknown symbol {name}", group=group, name=quoted(name))
    rows = {g: ids for g, (ids, _) in groups.items()}
    rows["levers"] = [f"{r['target']} {r['lever']}" for r in record["levers"]]
    for group in ("figures", "findings", "checklist", "misconceptions", "assumptions"):
        rows[group] = [r["id"] for r in record[group]]
    rows["tiles"] = [t["id"] for t in record["verdict"]["tiles"]]
    rows["sources"] = [s["key"] for s in record["sources"]]
    rows["findings"] = [i for i in rows["findings"] if i != "derived_set"]  # one for each
    for group, ids in rows.items():
        for name in {i for i in ids if ids.count(i) > 1}:
            yield tr("{group}: {name} stands twice", group=group, name=quoted(name))
    given = {row["id"]: Fraction(row["exact"]) for row in record["inputs"]}
    if tuple(record["variants"]) != called_for(given):
        yield tr("variants: not those that the inputs call for")
    for name in sorted({*known(), *catalogue()} - record["symbols"].keys()):
        yield tr("symbols: {name} is missing", name=name)
    for name in sorted(CONSTANTS.keys() - set(rows["constants"])):
        yield tr("constants: {name} is missing", name=name)


def check_trees(record: Mapping[str, Any]) -> Iterator[Text]:
    """Every formula can be read and measures what its symbol does."""
    for card in record["derivations"]:
        name = card["id"]
        if not card["tree"]:
            continue  # searched: its sides are compared where they are computed
        try:
            found = dimension(read(card["tree"]), dimension_of)
        except Broken as error:
            yield tr("{name}: {why}", name=name, why=error.why)
            continue
        except DeriveError as error:
            yield tr("{name}: {why}", name=name, why=error.problems[0].what)
            continue
        if found != unit_of(name).dimension:
            yield tr(
                "{name}: the formula measures something else: {text}",
                name=name,
                text=quoted(card["tree"], 160),
            )


def differs(where: str, recorded: object, declared: object) -> Iterator[Text]:
    """One line where a recorded value is not the declared one."""
    if recorded != declared:
        yield tr(
            "{where}: {found} differs from this program's declaration",
            where=where,
            found=quoted(recorded, 80),
        )


def check_symbols(ledger: Ledger) -> Iterator[Text]:
    """Unit, letters and meaning of everything that may stand in a line."""
    for name, row in ledger.record["symbols"].items():
        meaning = (
            catalogue()[name].name
            if name in catalogue()
            else SYMBOLS[name].meaning
            if name in SYMBOLS
            else CONSTANTS[name].reason
        )
        for key, declared in (
            ("unit", unit_of(name).text), ("latex", letters(name)), ("meaning", meaning.json()),
        ):  # fmt: skip
            yield from differs(f"symbols.{name}.{key}", row[key], declared)


def check_constants(ledger: Ledger) -> Iterator[Text]:
    """Named constants: value, unit, letters and reason."""
    from derive.units import show

    for row in ledger.record["constants"]:
        declared = CONSTANTS[row["id"]]
        value = declared.value.value
        for key, wanted in (
            ("unit", declared.unit.text), ("latex", declared.latex),
            ("reason", declared.reason.json()), ("shown", show(declared.value).text),
            ("exact", f"{value.numerator}/{value.denominator}"),
        ):  # fmt: skip
            yield from differs(f"constants.{row['id']}.{key}", row[key], wanted)


def check_cards(ledger: Ledger) -> Iterator[Text]:
    """Everything of a derivation that is declared, and that the formula follows from it."""
    for name in ledger.cards:
        yield from check_declared(ledger, name)


def check_declared(ledger: Ledger, name: str) -> Iterator[Text]:
    """One card."""
    card, declared = ledger.cards[name], catalogue()[name]
    variable = (declared.solve or declared.within or (None,))[-1]
    reading = declared.reading.json() if declared.reading else None
    for key, wanted in (
        ("section", declared.section), ("latex", declared.latex), ("unit", declared.unit.text),
        ("name", declared.name.json()), ("reason", declared.reason.json()),
        ("calibre", declared.calibre), ("sources", list(declared.sources)),
        ("reading", reading if card["reading"] else None),  # where it does not apply, none
        ("variable", variable), ("set_by_hand", name in ledger.given),
    ):  # fmt: skip
        yield from differs(f"{name}.{key}", card[key], wanted)
    try:
        tree = ledger.trees.get(name)
        written = card["tree"] == (plain(tree) if tree is not None else "")
        good = follows(ledger, declared) if tree is not None else searches(ledger, declared)
        if not (written and good):
            yield tr(
                "{name}: the formula {text} differs from this program's declaration",
                name=name, text=quoted(card["tree"] or card["search"]["left"], 160),
            )  # fmt: skip
    except (Broken, NoValue) as error:
        yield tr("{name}: {why}", name=name, why=error.why)
    yield from conditions(ledger, declared, card["conditions"])


def follows(ledger: Ledger, declared: Formula) -> bool:
    """Whether a recorded formula is the declared one, or has the value the declaration asks for."""
    tree = ledger.trees[declared.id]
    if declared.tree is not None:
        return tree == declared.tree
    for place in ledger.elsewhere:
        found, held = place(declared.id), place.fixed(declared.at, declared.held)
        if declared.of:
            if held(declared.of).base != found.base:
                return False
        elif declared.limit:
            of, variable = declared.limit
            start = place(variable)
            far = held.with_({variable: Held(start.value * 10**40, start.unit)})(of).base
            if abs(far - found.base) > abs(found.base) / 10**20:
                return False
        elif declared.solve:
            left, right, variable = declared.solve
            if not held.with_({variable: found}).equal(left, right):
                return False
        elif declared.within:
            of, target, variable = declared.within
            there, last = lifted(place, declared, found)
            step = 1 if declared.largest else -1
            if step < 0 and last.value <= 1:
                continue  # there is no smaller one
            goal, more = there(target).base, Held(last.value + step, last.unit)
            best, beyond = (there.with_({variable: q})(of).base for q in (last, more))
            if not best <= goal < beyond:
                return False
    return True


def lifted(place: Values, declared: Formula, found: Held) -> tuple[Values, Held]:
    """The place and value there; with a target far above where it lies below all that can be."""
    assert declared.within
    if declared.exists is None or place.holds(declared.exists.text):
        return place, found
    target = place(declared.within[1])
    there = place.with_({declared.within[1]: Held(target.value * 10**12, target.unit)})
    return there, there(declared.id)


def searches(ledger: Ledger, declared: Formula) -> bool:
    """Whether a search is for what the declaration asks, its sides opened or not."""
    found, sides = ledger.searches[declared.id], ledger.cards[declared.id]["search"]
    if declared.solve:
        left, right, variable = declared.solve
    else:
        of, target, variable = declared.within or ("", "", "")
        left, right = Name(of), Name(target)
    asked = (variable, declared.largest is not None, declared.smallest is not None)
    kind = (found.variable, found.largest, found.smallest) == asked
    texts = (sides["left"], sides["right"]) == (plain(found.left), plain(found.right))
    if not variable or not kind or not texts or not needed(declared, ledger.trees):
        return False
    places = [place.fixed(declared.at, declared.held) for place in ledger.elsewhere]
    return all(p.equal(found.left, left) and p.equal(found.right, right) for p in places)


def conditions(
    ledger: Ledger, declared: Formula, rows: Iterable[Mapping[str, Any]]
) -> Iterator[Text]:
    """Validity and existence: the declared comparisons, each with its truth here."""
    name = declared.id
    wanted = [("valid", c) for c in declared.valid]
    wanted += [("exists", declared.exists)] if declared.exists else []
    texts = {}
    for kind, condition in wanted:
        left, sign, right = condition.parts
        text = f"{plain(left)} {sign} {plain(right)}"
        line = f"{latex(left, letters)} {SIGNS[sign]} {latex(right, letters)}"
        texts[text] = {
            "kind": kind,
            "text": text,
            "meaning": condition.meaning.json(),
            "latex": line,
        }
    found = [r["text"] for r in rows]
    for row in rows:
        if row["kind"] == "exists" and row["holds"] is False and declared.exists:
            told = texts.get(row["text"], {})
            told["meaning"] = ledger.here.lacking(name, declared.exists.meaning).json()
        static = {k: v for k, v in row.items() if k != "holds"}
        yield from differs(f"{name}: {row['text']}", static, texts.get(row["text"]))
    for text in (*texts, *found):
        try:
            holds = ledger.here.holds(text)
        except NoValue:
            continue
        except Broken as error:
            if text in found:
                yield tr("{name}: {why}", name=name, why=error.why)
            continue
        recorded = [r["holds"] for r in rows if r["text"] == text]
        if recorded != [holds]:
            yield tr(
                "{name}: the condition {text} is recorded wrongly", name=name, text=quoted(text, 80)
            )
