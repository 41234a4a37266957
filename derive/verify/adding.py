"""What more devices buy: every row computed again at its layout."""

from __future__ import annotations

from collections.abc import Iterator

from derive.text import Text, tr
from derive.units import Quantity, Unit, unit
from derive.verify.inputs import lowest
from derive.verify.laid_out import laid_out
from derive.verify.say import quoted
from derive.verify.shown import written
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger

ASKED = ("TPOT_ideal", "b_max_dev", "kappa_dev", "W_dev")
SIZES = ("g", "TP", "PP", "DP", "EP")
CALLED = {"TP": "TP × 2", "PP": "PP × 2", "DP": "DP × 2", "EP": "EP = TP · DP"}


def layouts(ledger: Ledger) -> dict[str, dict[str, Quantity]]:
    """What each row changes."""
    here = ledger.here
    g = Quantity(2 * here("g").value, unit("device"))
    made = {"here": {}, "TP": {"g": g}}
    for name in ("PP", "DP"):
        made[name] = {"g": g, name: Quantity(2 * here(name).value, Unit())}
    if "E" in ledger.given:
        made["EP"] = {"EP": Quantity(here("TP").value * here("DP").value, Unit())}
    return made


def check_adding(ledger: Ledger) -> Iterator[Text]:
    """The table of devices added, where the ledger has one."""
    rows = ledger.record.get("adding") or []
    if not rows:
        return
    wanted = layouts(ledger)
    if [row["id"] for row in rows] != list(wanted):
        yield tr("adding: not the layouts that this scenario has")
        return
    for row in rows:
        try:
            there = laid_out(ledger, wanted[row["id"]], (*SIZES, *ASKED))
            sizes = {size: str(there[size].value) for size in SIZES}
            values = {name: there[name] for name in ASKED}
        except (Broken, NoValue) as error:
            yield tr("{name}: {why}", name=f"adding.{row['id']}", why=error.why)
            continue
        called = CALLED.get(row["id"])
        if called is not None and {*row["name"].values()} != {called}:
            yield tr("adding: {found} is not the layout of its row", found=quoted(row["name"]))
        if row["layout"] != sizes:
            yield tr("adding: {found} is not the layout of its row", found=quoted(row["layout"]))
        for name, found in values.items():
            cell = row["values"].get(name, {})
            if cell.get("exact") != lowest(found.value) or cell.get("shown") != written(found):
                yield tr(
                    "{name}: {shown} is not the exact value",
                    name=f"adding.{row['id']}.{name}", shown=quoted(cell.get("shown", "")),
                )  # fmt: skip
