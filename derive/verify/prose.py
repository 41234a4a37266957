"""Numbers inside sentences: each must be the value that its sentence is about.

`says.py` holds for a sentence the quantities it states, in the order of the English text. One that
is not listed may state inputs and results only; the Chinese text states the same numbers. Words
that hold no number are covered by the hash alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from derive.notation import SYMBOLS
from derive.text import Text, tr
from derive.units import Quantity, Unit, unit
from derive.verify.checklist import CHECKED, lever_line, unlinked
from derive.verify.figures import MARKS, RIDGE
from derive.verify.laid_out import as_moved, laid_out, latent_layout, usual_size
from derive.verify.levers import PULLED
from derive.verify.results import expected, fitting, or_none, reach
from derive.verify.say import quoted
from derive.verify.says import APART, LEFT_OUT, SAYS, TILES, Says
from derive.verify.shape import drawings
from derive.verify.shown import COUNTED, NOTHING, reading, written
from derive.verify.texts import Broken, NoValue, read
from derive.verify.tokens import Token, alike, close, tokens
from derive.verify.values import Ledger

MOST_NUMBERS = 12  # in one sentence; those of real ledgers state at most six
LISTS = {"checklist": ("question", "answer"), "misconceptions": ("claim", "why", "here")}
TARGETS = {"TTFT": "target_TTFT", "TPOT": "target_TPOT"}


def check_prose(ledger: Ledger) -> Iterator[Text]:
    """Every sentence that states numbers, and the flags of the verdict."""
    about = Prose(ledger)
    record, verdict = ledger.record, ledger.record["verdict"]
    yield from about.named(verdict["sentence"])
    for key in ("wall", "sentence", "lever"):
        if verdict[key]:
            yield from about.sentence(f"verdict.{key}", verdict[key])
    for row in verdict["tiles"]:
        yield from about.tile(row)
    for row in record["findings"]:
        yield from about.sentence(f"findings.{row['id']}", row["text"])
    for group, keys in LISTS.items():
        for row in record[group]:
            where = f"{group}.{row['id']}"
            says = lever_line(ledger, where) or CHECKED.get(where)
            for key in keys:
                yield from about.sentence(where, row[key], says, strict=True)
            yield from unlinked(ledger, where, row["refs"])
    for row in record.get("levers_missing", []):
        yield from about.doubled(row)
    for row in record["assumptions"]:
        yield from about.left_out(row)
    for figure in record["figures"]:
        for plot in drawings(figure):
            yield from about.labels(figure["id"], plot)
    if verdict["fits"] != fitting(ledger) or verdict["side"] != about.side:
        yield tr("the verdict does not follow from the numbers")


class Prose:
    """What sentences are held against."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        scenario = ledger.record["scenario"]
        self.names = [scenario[k]["name"] for k in ("model", "hardware")]

    @property
    def side(self) -> str:
        """Which roof decode is under."""
        intensity, ridge = self.value("I_decode"), self.value("I_ridge")
        if intensity is None or ridge is None:
            return "neutral"
        return "memory" if intensity.base < ridge.base else "compute"

    def named(self, sentence: Mapping[str, str]) -> Iterator[Text]:
        """The verdict is about this model on this accelerator."""
        for lang in ("en", "zh"):
            for name in self.names:
                if name[lang] not in sentence[lang]:
                    yield tr("the verdict does not name {name}", name=quoted(name[lang]))

    def left_out(self, row: Mapping[str, Any]) -> Iterator[Text]:
        """What the model leaves out, with its size here."""
        name, where = row["id"], f"assumptions.{quoted(row['id'])}"
        if name not in LEFT_OUT:
            yield tr("{where} is unknown", where=where)
        if name in SYMBOLS and name in self.ledger.given and self.ledger.given[name].value:
            yield tr("{where}: is given, so it is not left out", where=where)
        yield from self.format_named(name, row["size"])
        given = self.value(name) is not None
        says: Says = ((name,),) if given else SAYS.get(where, ((),))
        yield from self.sentence(where, row["size"], says)

    def format_named(self, name: str, size: Mapping[str, str]) -> Iterator[Text]:
        """A format that nobody named is told as the one the scenario runs in."""
        key = name.removeprefix("format_")
        precision = self.ledger.record["scenario"]["precision"]
        if (
            key == name or key not in precision or key == "sparsity"
        ):  # `dense` is a word of each language
            return
        for lang in ("en", "zh"):
            words = re.findall(r"[A-Za-z0-9_]+", size[lang])
            if precision[key] not in words:
                yield tr("{where}: names another format than {format}",
                         where=f"assumptions.{name}", format=quoted(precision[key]))  # fmt: skip

    def doubled(self, row: Mapping[str, Any]) -> Iterator[Text]:
        """A lever without an elasticity: what twice of it does to its target."""
        target, lever = row["target"], row["lever"]
        where = f"levers_missing.{quoted(target)}.{quoted(lever)}"
        known = target in TARGETS and lever in PULLED and lever in self.ledger.given
        says: Says = ((f"~{target} with {lever} = 2 * {lever}",),)
        if known:
            yield from self.sentence(where, row["text"], says)
        else:
            yield tr("{where} is unknown", where=where)

    def value(self, name: str) -> Quantity | None:
        """A result or input as the report states it."""
        if name in self.ledger.cards:
            return expected(self.ledger, name)[0]
        return or_none(self.ledger.here, name) if name in self.ledger.given else None

    def sentence(
        self, where: str, text: Mapping[str, str], says: Says | None = None, *, strict: bool = False
    ) -> Iterator[Text]:
        """One sentence in both languages; where `strict`, with as many numbers as are listed."""
        english, chinese = (self.plain(text[lang], lang) for lang in ("en", "zh"))
        found = tokens(english)
        if not alike(found, tokens(chinese)):
            yield tr("{where}: the two languages state different numbers", where=quoted(where))
        given = self.ledger.given
        wanted = [
            [as_moved(item, where, given) for item in w]
            for w in says or SAYS.get(where, ())
            if len(w) == len(found)
        ]
        if len(found) > MOST_NUMBERS or (strict and says and not wanted):
            good = False
        elif wanted:
            good = any(self.all_agree(found, items) for items in wanted)
        else:
            good = all(any(close(t, q, None) for q in self.stated) for t in found)
        if not good:
            numbers = ", ".join(t.text for t in found)
            yield tr(
                "{where}: not all numbers follow: {numbers}",
                where=quoted(where), numbers=quoted(numbers, 120),
            )  # fmt: skip

    def plain(self, text: str, lang: str) -> str:
        """A sentence without the names of model and accelerator, which hold digits of their own."""
        for name in self.names:
            text = text.replace(name[lang], "…") if name[lang] else text
        for counted, words in COUNTED.items():
            text = text.replace(f"{counted}s", counted).replace(words, counted)
        return text

    def all_agree(self, found: Sequence[Token], items: Sequence[str]) -> bool:
        """Whether each number is what its item says."""
        return all(
            self.agrees(token, item, found) for token, item in zip(found, items, strict=True)
        )

    def agrees(self, token: Token, item: str, found: Sequence[Token]) -> bool:
        """Whether one number is what its item says."""
        if item == "*":
            return True
        if item.startswith("="):
            return token.text == item[1:] and not token.about
        try:
            exact = self.exact(item.removeprefix("~"), found)
        except (NoValue, Broken):
            return False
        return exact is not None and close(
            token, exact, None if item.startswith("~") else token.about
        )

    def exact(self, item: str, found: Sequence[Token]) -> Quantity | None:
        """The quantity that an item names."""
        here = self.ledger.here
        if item in ("decimal", "binary"):
            return self.capacity(item, found)
        if item == "usual":
            return usual_size(here("g_slo"), here("H_q"), here("PP").value * here("DP").value)
        if item in ("rate", "next"):
            return self.follows(item)
        if item.endswith(APART):
            name = item.removesuffix(APART)
            return laid_out(self.ledger, latent_layout(self.ledger), [name])[name]
        if " by " in item:
            return self.lever(*item.split(" by "))
        for word in (" at ", " with "):
            name, found_word, changes = item.partition(word)
            if found_word:
                there = here.with_(self.moved(changes.split(" and "), found))
                if word == " at ":
                    known = name in self.ledger.cards or name in self.ledger.given
                    return there(name) if known else there.in_its_unit(read(name))
                return Quantity(there(name).base / here(name).base, Unit())
        name, _, end = item.partition(".")
        if end:
            return reach(self.ledger, name).get(end)
        if item in self.ledger.cards or item in self.ledger.given:
            return self.value(item)
        return here.in_its_unit(read(item))

    def moved(self, changes: Sequence[str], found: Sequence[Token]) -> dict[str, Quantity]:
        """The values that an item changes, each as it says or as the sentence states."""
        made = {}
        for change in changes:
            variable, _, text = change.partition(" = ")
            contract = self.ledger.units[variable]
            made[variable] = (
                stated(found[int(text[1:])], contract)
                if text.startswith("#")
                else self.ledger.here.quantity(read(text), contract)
            )
        return made

    def follows(self, item: str) -> Quantity | None:
        """What the rate that decides does to TPOT, or one percent less of the next best lever."""
        if item == "rate":
            found = [self.lever("TPOT", name) for name in ("B_peak", "P_peak")]
            return next((q for q in found if q is not None and q.value), None)
        others = [self.lever("TPOT", name) for name in ("w", "w_kv", "b", "T", "H_kv")]
        best = max((q.value for q in others if q is not None), key=abs, default=Fraction(0))
        return Quantity(-best, Unit()) if best else None

    def lever(self, target: str, lever: str) -> Quantity | None:
        """What one percent more of a lever does, by the levers table."""
        rows = self.ledger.record["levers"]
        found = [r["tree"] for r in rows if (r["target"], r["lever"]) == (target, lever)]
        if not found:
            return None
        return Quantity(self.ledger.here.quantity(read(found[0]), Unit()).value / 100, Unit())

    def capacity(self, item: str, found: Sequence[Token]) -> Quantity | None:
        """Requests that fit in the marketed capacity, its prefix read as decimal or as binary."""
        stated = [t.text for t in found if t.unit.endswith("B/device")]
        marketed = reading(stated[-1]) if stated else None
        if marketed is None or marketed.unit is None:
            return None
        here = self.ledger.here
        (symbol, _), *rest = marketed.unit.terms
        read_as = symbol if item == "decimal" or "i" in symbol else f"{symbol[0]}iB"
        size = Quantity(marketed.value, Unit(((read_as, 1), *rest))).to(self.ledger.units["M_dev"])
        return or_none(here.with_({"M_dev": size}), "b_max") or Quantity(
            Fraction(0), unit("request")
        )

    @cached_property
    def stated(self) -> list[Quantity]:
        """Every input, result and end of a range."""
        found: list[Quantity] = [*self.ledger.given.values(), *self.ledger.constants.values()]
        found += [q for n in self.ledger.cards if (q := self.value(n)) is not None]
        ranges = [reach(self.ledger, n) for n in self.ledger.cards if self.value(n) is not None]
        return [*found, *(end for ends in ranges for end in ends.values())]

    def tile(self, row: Mapping[str, Any]) -> Iterator[Text]:
        """A large number of the cover, its notes and whether the target is met."""
        name, where = row["id"], f"tiles.{quoted(row['id'])}"
        if name not in TILES:
            yield tr("{where} is unknown", where=where)
        target = self.ledger.given.get(TARGETS.get(name, ""))
        says = SAYS.get(where) or (
            (f"~{name}.low", f"~{name}.high"), (f"~{name}.peak",), (TARGETS.get(name, name),), (),
        )  # fmt: skip
        value = devices_of_the_fleet(self.ledger) if name == "fleet" else self.value(name)
        if name == "b_max" and value is not None:  # the largest quantile carries the memory
            value = self.value("b_max_tail") or value
        result = self.ledger.record["results"].get(name)
        if value is None and result is not None:
            if row["notes"] != [result.get("why")]:
                yield tr("{where}: differs from the result", where=where)
        else:
            for note in row["notes"]:
                yield from self.sentence(where, note, says)
        shown, state = written(value) if value is not None else NOTHING, "none"
        if name == "fits":
            shown, state = ("✓", "met") if fitting(self.ledger) else ("×", "missed")
        elif target is not None:
            met = value is not None and value.base <= target.base
            state = "met" if met else "missed"
        if (row["value"], row["state"]) != (shown, state):
            yield tr(
                "{name}: {shown} is not the exact value", name=where, shown=quoted(row["value"])
            )

    def labels(self, figure: str, plot: Mapping[str, Any]) -> Iterator[Text]:
        """Labels of a drawing that name a number."""
        for mark in plot["marks"]:
            name = MARKS[mark["id"]][0] if mark["id"] in MARKS else "b"
            if mark["id"] == "b_knee":
                name = f"{name} at I_ridge = {RIDGE}"
            name = "target_TPOT * one_token" if name == "target_TPOT" else name  # labelled in ms
            says: Says = ((f"~{name}",),)
            yield from self.sentence(f"figures.{figure}.{mark['id']}", mark["label"], says)
        for point in plot["points"]:
            batch = point["id"].removeprefix("decode-")
            says = ((f"={int(batch):,}",),) if batch.isdigit() else (("b_max",), ())
            yield from self.sentence(f"figures.{figure}.{point['id']}", point["label"], says)


def stated(token: Token, contract: Unit) -> Quantity:
    """A whole number that a sentence names, as the value of a symbol."""
    if token.reading is None or token.reading.value.denominator != 1 or token.reading.value < 1:
        raise Broken(tr("{text} is no count", text=quoted(token.text)))
    return Quantity(token.reading.value, contract)


def devices_of_the_fleet(ledger: Ledger) -> Quantity | None:
    """Devices of the whole fleet."""
    replicas = expected(ledger, "replicas")[0] if "replicas" in ledger.cards else None
    g = ledger.given.get("g")
    if not (replicas and g):
        return None
    pool = expected(ledger, "replicas_pre")[0] if "replicas_pre" in ledger.cards else None
    prefill = pool.value * ledger.given["g_pre"].value if pool else Fraction(0)
    return Quantity(replicas.value * g.value + prefill, g.unit)
