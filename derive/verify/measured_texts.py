"""Sentences of the measured section: each number is one of what the run itself gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from derive.text import Text, tr
from derive.units import Quantity, Unit, unit
from derive.verify.say import quoted
from derive.verify.shown import COUNTED
from derive.verify.tokens import alike, close, tokens

if TYPE_CHECKING:
    from derive.verify.measured import Run
    from derive.verify.values import Values

# thresholds, widths and periods that sentences name
FIXED = {"0.3", "0.6", "0.9", "4", "8", "16", "1"}
NAME = re.compile(r"\b[a-z][a-z0-9.]*(?:-[a-z0-9.]+)+\b")  # ids of accelerators and models
DIGITS = re.compile(r"\d+")  # those inside words too, such as names of formats and accelerators
MOST_NUMBERS = 12


class Stated:
    """The quantities that sentences may state."""

    def __init__(self, quantities: Iterable[Quantity]) -> None:
        self.quantities = list(quantities)

    def alike(self, where: str, text: Mapping[str, str] | None) -> Iterator[Text]:
        """Both languages state the same numbers."""
        if text is None:
            return
        english, chinese = (tokens(plain(text[lang])) for lang in ("en", "zh"))
        digits = [sorted(DIGITS.findall(text[lang])) for lang in ("en", "zh")]
        if not alike(english, chinese) or digits[0] != digits[1]:
            yield tr("{where}: the two languages state different numbers", where=quoted(where, 80))

    def check(
        self, where: str, text: Mapping[str, str], names: Sequence[str] = ()
    ) -> Iterator[Text]:
        """Each number is a quantity of the run, or a threshold that the sentence names."""
        yield from self.alike(where, text)
        body = text["en"]
        for name in sorted(names, key=len, reverse=True):
            body = body.replace(name, "…") if name else body
        found = tokens(plain(NAME.sub("…", body)))
        other = [t for t in found if t.text not in FIXED and not self.holds(t)]
        if other or len(found) > MOST_NUMBERS:
            yield tr("{where}: not all numbers follow: {numbers}", where=quoted(where, 80),
                     numbers=quoted(", ".join(t.text for t in other), 120))  # fmt: skip

    def holds(self, token: Any) -> bool:
        """Whether a number is one of the quantities."""
        return any(close(token, q, None) for q in self.quantities)


def plain(text: str) -> str:
    """A sentence with counted things in one spelling."""
    for counted, words in COUNTED.items():
        text = text.replace(f"{counted}s", counted).replace(words, counted)
    return text


def sentences(run: Run, here: Values) -> Iterator[Quantity]:
    """Every quantity that a run's advice, explanations and notes may state."""
    there = run.at_mean(here)
    for row in (*run.row["setting"].values(), *run.row["taken"], *run.row["figures"]):
        yield Quantity(Fraction(row["exact"]), unit(row["unit"]))
    decode = run.decoding()
    if decode is not None:
        yield Quantity(decode, unit("request"))
    flight = run.figure("b_meas", "b_asked")
    if flight:
        count = Quantity(Fraction(round(flight)), unit("request"))
        yield Quantity(count.value, Unit())
        if burst := run.get(here.with_({"b": count}), "TTFT_burst"):
            yield Quantity(burst, unit("s"))
    hit = run.figure("hit")
    if hit is not None:
        yield Quantity(hit, Unit())
    yield from numbers(share_of_kv(run, there))
    yield from numbers(narrower(run, there))
    yield from totals(run, here, hit)
    for phase in run.row["phases"]:
        yield from of_phase(run, here, there, phase)


def numbers(found: Iterable[Fraction | None]) -> Iterator[Quantity]:
    """Pure numbers."""
    return (Quantity(value, Unit()) for value in found if value is not None)


def share_of_kv(run: Run, there: Values) -> Iterator[Fraction | None]:
    """The KV cache's share of the bytes of a step."""
    yield run.get(there, "KV_total / (KV_total + W_read)")


def narrower(run: Run, there: Values) -> Iterator[Fraction | None]:
    """The step with weights of 8 or 4 bits over the step."""
    before = run.get(there, "t_step")
    for width in ("1 byte/param", "0.5 byte/param"):
        from derive.verify.texts import read

        changed = there.quantity(read(f"W_read * {width} / w"), run.ledger.units["W_read"])
        after = run.get(there.with_({"W_read": changed}), "t_step")
        yield after / before if after and before else None


def totals(run: Run, here: Values, hit: Fraction | None) -> Iterator[Quantity]:
    """What is said of a rate of the whole system."""
    rate, floor = run.figure("X_meas"), run.get(here, "TPOT_floor")
    roof = run.get(here, "F_tok / (g * P_peak)")
    if rate and floor and roof:
        yield Quantity(1 / floor, unit("token/s/request"))
        yield Quantity(Fraction(ceil(rate * floor)), Unit())
        length, answer = run.figure("T_in_meas"), run.figure("T_out_meas")
        if length and answer:
            yield Quantity(rate * (1 + length / answer) * roof, Unit())
    prompt = run.figure("X_in")
    if prompt and roof and hit is not None:
        yield Quantity(prompt * roof * (1 - hit), Unit())


def of_phase(run: Run, here: Values, there: Values, phase: Mapping[str, Any]) -> Iterator[Quantity]:
    """What is said of one measured time."""
    found = run.numbers(here, phase)
    measured, bound, streamed = (found[k] for k in ("measured", "bound", "streamed"))
    share = found["share"]
    if measured is None or bound is None or share is None:
        return
    yield from numbers((1 - share, found["judged"]))
    links = run.get(there, "t_latency") or run.get(there, "c_ar * L * 10 µs")
    if links:
        yield Quantity(links, unit("s"))
        yield from numbers((links / bound,))
    if streamed is None or measured >= streamed:
        return
    factor = streamed / measured
    accepted = run.figure("accepted")
    yield from numbers((1 - 1 / factor, Fraction(ceil(factor))))
    for count in (factor, accepted):
        if count:  # how many tokens a step: read as a number, or as tokens
            yield from (Quantity(count, u) for u in (Unit(), unit("token"), unit("request")))
    yield from numbers((streamed / (measured * accepted),) if accepted else ())
    g = run.get(here, "g / one_device") or Fraction(1)
    yield from numbers((g, Fraction(ceil(g * factor))))
    for name, rate in (("P_peak", "FLOP/s/device"), ("B_peak", "byte/s/device")):
        value = run.get(here, name)
        if value:
            bare = unit(rate.removesuffix("/device"))
            yield Quantity(value * factor / bare.factor, bare)
