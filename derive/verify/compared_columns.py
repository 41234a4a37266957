"""The columns of a comparison: values, ratios, verdicts and what moved, from the ledgers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from derive.formula import catalogue, unit_of
from derive.specs.sets import KEYS
from derive.text import Text, same, tr
from derive.units import Quantity, show
from derive.verify.candidate import EXPLAINED, Candidate
from derive.verify.compared_reasons import joined, one_of, reason, times
from derive.verify.inputs import file_of, lowest
from derive.verify.shown import NOTHING, said, written
from derive.verify.values import CALIBRES

# id -> +1 where more is better, -1 where less is, 0 where neither can be said
ROWS = {
    "TTFT": -1, "TPOT": -1, "TTFT_mix": -1, "TPOT_mix": -1, "X": 1, "b_max": 1,
    "b_max_reserved": 1, "b_slo": 1, "replicas": -1, "g_fleet": -1, "cost_token": -1,
    "energy_token": -1, "TPOT_floor": 0, "R_max": 0, "I_ridge": 0, "b_crit": 0, "T_wall": 0,
    "g_fit": 0,
}  # fmt: skip
TARGETS = {
    "TTFT": "target_TTFT", "TPOT": "target_TPOT", "TTFT_mix": "target_TTFT",
    "TPOT_mix": "target_TPOT",
}  # fmt: skip
SYMBOL_OF = {key: symbol for symbol, key in KEYS.items()}
THE_BASE = tr("the base")


def column(first: Candidate, here: Candidate, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The column that the numbers give; what is recorded chooses among true reasons only."""
    alone = here is first
    why = {row: reason(row, first, here, at(recorded, "reasons", row, "text")) for row in EXPLAINED}
    return {
        "name": here.record["scenario"]["id"] if alone else recorded.get("name"),
        "fits": here.fits,
        "verdict": verdict(first, here).json(),
        "rows": {
            row: cell(row, first, here, at(recorded, "rows", row, "why")) for row in ROWS
        },
        "moved": moved(first, here),
        "wall": here.record["verdict"]["wall"],
        "reasons": why,
        "reason": THE_BASE.json() if alone else why["TPOT"]["text"],
    }  # fmt: skip


def at(record: Any, *keys: str) -> Any:
    """A place of a record of unknown shape, or None."""
    for key in keys:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def cell(row: str, first: Candidate, here: Candidate, recorded: Any) -> dict[str, Any]:
    """One value with its ratio to the base; the value itself is that of the ledger's result."""
    value = here.values[row]
    if value is None:
        told = one_of(here.why[row], recorded)
        nothing = dict.fromkeys(("value", "exact", "ratio"))
        why = told.json() if told else None
        return {**nothing, "display": NOTHING, "why": why, "ratio_shown": NOTHING}
    ratio = over(first.values[row], value)
    return {
        "value": here.record["results"][row]["value"],
        "exact": lowest(value.value),
        "display": written(value),
        "why": None,
        "ratio": float(ratio) if ratio is not None else None,
        "ratio_shown": times(ratio) if ratio is not None else NOTHING,
    }


def over(before: Quantity | None, after: Quantity | None) -> Fraction | None:
    """After over before, where both are there."""
    if before is None or after is None or not before.value:
        return None
    return after.value / before.value


def moved(first: Candidate, here: Candidate) -> dict[str, dict[str, str]]:
    """The inputs and calibrations that differ, as both ledgers print them."""
    found = [{row["id"]: row["shown"] for row in c.record["inputs"]} for c in (first, here)]
    for shown, c in zip(found, (first, here), strict=True):
        shown |= {name: span(c, name) for name in c.ledger.levels}
    before, after = found
    return {
        name: {"from": before.get(name, NOTHING), "to": after.get(name, NOTHING)}
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    }


def span(here: Candidate, name: str) -> str:
    """Low, typical and high of a calibration."""
    contract = unit_of(name)
    levels = dict.fromkeys(here.ledger.levels[name][key] for key in CALIBRES)
    return " / ".join(show(Quantity(v / contract.factor, contract)).text for v in levels)


def verdict(first: Candidate, here: Candidate) -> Text:
    """What the change is good for."""
    if here is first:
        return THE_BASE
    if not here.fits:
        return next(iter(here.why["TPOT"]), None) or tr("the scenario does not fit")
    better, worse = list[Text](), list[Text]()
    for row, sign in ROWS.items():
        ratio = over(first.values[row], here.values[row])
        if sign and ratio is not None and ratio != 1:
            (better if (ratio > 1) == (sign > 0) else worse).append(moves(row, times(ratio)))
    parts = [] if first.fits else [tr("now it fits")]
    parts += [tr("better: {rows}", rows=in_a_row(better))] if better else []
    parts += [tr("worse: {rows}", rows=in_a_row(worse))] if worse else []
    parts += [told for row in TARGETS for told in target(row, first, here)]
    parts += at_the_same_price(first, here)
    return joined(parts or [tr("nothing changes")])


def moves(row: str, shown: str) -> Text:
    """A result by its name, TTFT and TPOT as they are called everywhere, and its ratio."""
    name = same(row) if row in ("TTFT", "TPOT") else catalogue()[row].name
    return Text(f"{name.en} {shown}", f"{name.zh} {shown}")


def in_a_row(items: Sequence[Text]) -> Text:
    """Items between the commas of each language."""
    return Text(", ".join(i.en for i in items), "、".join(i.zh for i in items))


def at_the_same_price(first: Candidate, here: Candidate) -> Iterator[Text]:
    """Another accelerator for the price that was stated of the first."""
    prices = [[r for r in c.record["inputs"] if r["id"] == "price"] for c in (first, here)]
    cards = {c.record["scenario"]["hardware"]["id"] for c in (first, here)}
    if prices[0] and prices[0] == prices[1] and len(cards) > 1:
        yield tr("at the same {price}", price=said(first.ledger.given["price"]))


def target(row: str, first: Candidate, here: Candidate) -> Iterator[Text]:
    """A target that is missed, or met where it was not."""
    goal, value = here.ledger.given.get(TARGETS[row]), here.values[row]
    if goal is None or value is None:
        return
    if value.base > goal.base:
        yield tr("the {name} target of {goal} is missed", name=same(row), goal=said(goal))
        return
    old_goal, old = first.ledger.given.get(TARGETS[row]), first.values[row]
    if old is None and first.fits:
        return  # a switch made a time that the base has not
    if old is None or old_goal is None or old.base > old_goal.base:
        yield tr("the {name} target of {goal} is now met", name=same(row), goal=said(goal))


def settings_hold(name: str, here: Candidate) -> bool:
    """Whether the change by which a candidate is called is in its ledger."""
    return all(setting_holds(setting, here) for setting in parts(name))


def parts(name: str) -> Sequence[str]:
    """`a=1,b=2,3` as two settings."""
    made: list[str] = []
    for piece in name.split(","):
        if "=" in piece or not made:
            made.append(piece)
        else:
            made[-1] += f",{piece}"
    return made


def setting_holds(setting: str, here: Candidate) -> bool:
    """One `NAME=VALUE`."""
    key, found, text = (part.strip() for part in setting.partition("="))
    scenario, symbol = here.record["scenario"], SYMBOL_OF.get(key, key)
    texts = {row["id"]: row["text"] for row in here.record["inputs"]}
    group, _, part = key.partition(".")
    if not found:
        return False
    if symbol in here.ledger.levels:
        levels = here.record["calibration"][symbol]
        return spaced(text) in {
            ", ".join(levels[k]["text"] for k in CALIBRES), levels["low"]["text"],
        }  # fmt: skip
    if symbol in texts:
        return bool(texts[symbol] == text)
    if key in ("model", "hardware"):
        stem = text.replace("\\", "/").rpartition("/")[2].removesuffix(".yaml")
        ids = {scenario[key]["id"], file_of(scenario, key)}
        return stem in ids or text.endswith(".json") or alike(stem, ids)
    if key == "calibration":
        return str(here.record["calibration"]["MFU"]["low"]["origin"]).startswith(f"{text}.yaml")
    if key == "date":
        return bool(scenario["date"] == text)
    held = {**scenario["precision"], **scenario.get("parallel", {}), **scenario.get("draft", {})}
    held |= {"draft_model": scenario.get("draft", {}).get("model")}
    return bool(held.get(part or group) == text) or text in texts.values()


def alike(stem: str, ids: set[str]) -> bool:
    """Whether a file is called as what it holds, but for its punctuation."""

    def plainly(text: str) -> str:
        return "".join(sign for sign in text.lower() if sign.isalnum())

    return plainly(stem) in map(plainly, ids)


def spaced(text: str) -> str:
    """A list as ledgers write it."""
    return ", ".join(part.strip() for part in text.split(","))
