"""Inputs and calibration: the written text, the exact value and what is shown agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.formula import catalogue, letters, unit_of
from derive.notation import SYMBOLS
from derive.specs.faults import plain
from derive.specs.precision import BYTES
from derive.specs.recipe import PARTS
from derive.text import Text, tr
from derive.units import Quantity, gib, unit
from derive.verify.declared import differs
from derive.verify.say import quoted
from derive.verify.shown import agrees, measures, reading, written
from derive.verify.values import CALIBRES, Ledger

LONGEST_NOTED = 12_000  # bits of a value that is noted exactly
CAPACITIES = ("M_dev", "M_other")
# what names files and specs, or stands outside the record
NAMED = ("model", "hardware", "calibration", "specs", "date", "speculation.draft_model", "measured")
STORED = {"w": "weights", "w_kv": "kv_cache"}


def check_inputs(ledger: Ledger) -> Iterator[Text]:
    """Every input, and what the header says of them."""
    record = ledger.record
    for row in record["inputs"]:
        yield from one_input(ledger, row)
    for name, text in record["scenario"]["overrides"].items():
        if text not in [r["text"] for r in record["inputs"] if r["id"] == name]:
            yield tr(
                "{name}: set to {text}, which is not its value here",
                name=quoted(name),
                text=quoted(text),
            )
    yield from check_parts(ledger)
    for name in ledger.given.keys() & catalogue().keys() - record["scenario"]["overrides"].keys():
        yield tr("{name}: is derived, but given here without being set", name=name)


def one_input(ledger: Ledger, row: Mapping[str, Any]) -> Iterator[Text]:
    """One input: declared parts, then its three forms."""
    name, exact = row["id"], ledger.given[row["id"]]
    derived = name not in SYMBOLS
    meaning = catalogue()[name].name if derived else SYMBOLS[name].meaning
    beside = gib(exact).text if name in CAPACITIES else ""
    for key, wanted in (
        ("unit", unit_of(name).text), ("latex", letters(name)), ("meaning", meaning.json()),
        ("about", "derived" if derived else SYMBOLS[name].about), ("exact", lowest(exact.value)),
    ):  # fmt: skip
        yield from differs(f"{name}.{key}", row[key], wanted)
    if not from_text(ledger, row, exact):
        yield tr(
            "{name}: the text {text} is not the exact value", name=name, text=quoted(row["text"])
        )
    compute = ledger.record["scenario"]["precision"].get("compute")
    if name == "P_peak" and row["basis"] and compute not in [b["en"] for b in row["basis"]]:
        yield tr("{name}: its basis is not the precision of the scenario", name=name)
    for shown, wanted in ((row["shown"], written(exact)), (row["beside"], beside)):
        if shown != wanted or (shown and not agrees(shown, exact)):
            yield tr("{name}: {shown} is not the exact value", name=name, shown=quoted(shown))


def check_parts(ledger: Ledger) -> Iterator[Text]:
    """Published weights: bytes over the parameters, and parts that sum to their mean."""
    given, overrides = ledger.given, ledger.record["scenario"]["overrides"]
    texts = {row["id"]: row["text"] for row in ledger.record["inputs"]}
    origins = {row["id"]: row["origin"] for row in ledger.record["inputs"]}
    by_hand = "w" in overrides or texts.get("w") in BYTES
    by_hand |= origins.get("N", "").startswith("--")  # another size of model
    if not by_hand and {"w", "N"} <= given.keys():
        below = texts["w"].partition("/")[2].partition(" ")[0]
        if below != str(given["N"].value):
            yield tr("w: {text} is no quotient by the parameters", text=quoted(texts["w"]))
    parts = [(n, r) for r, n in PARTS.items() if {n, r} <= given.keys()]
    parts_by_hand = overrides.keys() & {*PARTS, *PARTS.values()}
    apart = sum(given[n].value * (given[r].value - 1) for n, r in parts)
    if ("N_fix", "r_fix") in parts and not parts_by_hand and apart:
        yield tr("r_fix and r_exp: the parts of the weights do not sum to their mean")
    if "s_idle" in given and not 0 <= given["s_idle"].value < 1:
        yield tr("s_idle: no share below one")


def lowest(value: Fraction) -> str | None:
    """`p/q` in lowest terms; None where it would fill pages."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > LONGEST_NOTED:
        return None
    return f"{value.numerator}/{value.denominator}"


def from_text(ledger: Ledger, row: Mapping[str, Any], exact: Quantity) -> bool:
    """Whether an input's own text says its exact value; a precision is read by its table."""
    text, name = row["text"], row["id"]
    if text in BYTES:
        scenario = ledger.record["scenario"]
        stated = scenario["precision"].get(STORED.get(name, ""))
        stated = scenario.get("draft", {}).get("weights") if name == "w_draft" else stated
        return text == stated and exact.base == BYTES[text]
    found = reading(text)
    return found is not None and measures(found, exact) and found.quantity.base == exact.base


def check_calibration(ledger: Ledger) -> Iterator[Text]:
    """MFU and MBU: each level as written, in order, a share of the peak."""
    for name, triple in ledger.record["calibration"].items():
        values = [ledger.levels[name][key] for key in CALIBRES]
        for key, value in zip(CALIBRES, values, strict=True):
            row = triple[key]
            found = reading(row["text"])
            contract = ledger.units[name]
            fits = found is not None and measures(found, Quantity(value, contract))
            if (
                not fits
                or found is None
                or found.quantity.base != value
                or row["exact"] != lowest(value)
            ):
                yield tr(
                    "{name}: the text {text} is not the exact value",
                    name=f"{name}.{key}",
                    text=quoted(row["text"]),
                )
        if not 0 < values[0] <= values[1] <= values[2]:
            yield tr("{name}: low, typical and high are not in order", name=name)
        elif not contract.terms and values[2] > 1:
            yield tr("{name}: low, typical and high are no range within 0 and 1", name=name)


def check_asked(ledger: Ledger) -> Iterator[Text]:
    """The words of the command line state what the ledger holds."""
    record, scenario = ledger.record, ledger.record["scenario"]
    held = {row["text"] for row in record["inputs"]} | set(scenario["precision"].values())
    held |= set(scenario.get("parallel", {}).values())
    held |= set(scenario.get("draft", {}).values())
    for triple in record["calibration"].values():
        held |= {", ".join(triple[key]["text"] for key in CALIBRES), triple["low"]["text"]}
    words = scenario.get("asked", [])
    if words and not words[0].startswith("--"):
        name = words[0].replace("\\", "/").rpartition("/")[2]
        stem = name.removesuffix(".yaml").removesuffix(".yml")
        if plain(stem) not in {plain(scenario["id"]), plain(file_of(scenario, "scenario"))}:
            yield tr("asked: {word} is not this scenario", word=quoted(words[0]))
        words = words[1:]
    if "--audit" in words:  # stands alone, and asks for a section that is there or not
        words = [w for w in words if w != "--audit"]
        if "audit" not in record:
            yield tr("asked: {word} is not what the ledger holds", word=quoted("--audit"))
    if "--measured" in words[::2] and "measured" not in record:
        yield tr("asked: {word} is not what the ledger holds", word=quoted("--measured"))
    for option, word in zip(words[::2], words[1::2], strict=False):
        key, found, value = word.partition("=") if option == "--set" else (option, "=", word)
        named = key.strip().strip("-") in NAMED
        if not named and (not found or value.strip() not in held):
            yield tr("asked: {word} is not what the ledger holds", word=quoted(word))


def file_of(scenario: Mapping[str, Any], kind: str) -> str:
    """The name of the file that a scenario, its model or its accelerator was read from."""
    files, ids = scenario.get("files", {}), scenario if kind == "scenario" else scenario[kind]
    found: str = files.get(kind, ids["id"])
    return found


def check_citations(ledger: Ledger) -> Iterator[Text]:
    """Every source that something names is listed, and no other."""
    record = ledger.record
    rows = [*record["inputs"], *record["derivations"]]
    rows += [level for triple in record["calibration"].values() for level in triple.values()]
    cited = {key for row in rows for key in row["sources"]}
    listed = {row["key"] for row in record["sources"]}
    for key in sorted(cited ^ listed):
        yield tr("source {key} is cited but not listed, or listed but not cited", key=quoted(key))


__all__ = ["check_calibration", "check_citations", "check_inputs", "unit"]
