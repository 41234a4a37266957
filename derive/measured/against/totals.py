"""Rates of the whole system: what they can be, and what they must not be read as."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.measured.against.beats import amount, percent
from derive.measured.against.setting import Setting
from derive.measured.against.shares import get
from derive.measured.record import Run
from derive.text import Text, tr


@dataclass(frozen=True)
class Total:
    """A rate of all requests (X: output, X_in: prompt), the most that the roofs allow, notes."""

    name: str
    measured: Fraction  # token/s
    bound: Fraction
    notes: tuple[Text, ...]

    @property
    def share(self) -> Fraction:
        """Of the most that is possible."""
        return self.measured / self.bound


def totals(run: Run, setting: Setting) -> list[Total]:
    """Those that stand alone: beside a TPOT of the same run the output rate says nothing more."""
    with standing_in(setting.bound.variants):
        point = setting.bound.peak
        mean = get(point, "T_mean")
        there = point.with_(T=mean) if mean is not None else point
        found = (output(run, there), prompt(run, point))
    return [one for one in found if one is not None]


def output(run: Run, point: Point) -> Total | None:
    """Output tokens of all requests, held against the compute roof of decode."""
    rate = run.value("X_meas")
    if not rate or run.get("TPOT_meas") or run.get("R_meas"):
        return None
    g, peak, each = (get(point, name) for name in ("g", "P_peak", "F_tok"))
    if g is None or peak is None or each is None:
        return None
    notes = [tr("a total of all requests, no rate of one")]
    if floor := get(point, "TPOT_floor"):
        notes.append(tr("one request alone gets at most {rate}",
                        rate=amount(1 / floor, "token/s/request")))  # fmt: skip
        notes.append(tr("at peak bandwidth it takes at least {count} requests at once, by the "
                        "weights alone", count=f"{ceil(rate * floor):,}"))  # fmt: skip
    length, answer = (run.get(n) or run.get(n, "one") for n in ("T_in_meas", "T_out_meas"))
    if length and answer and answer.quantity.base:
        every = rate * (1 + length.quantity.base / answer.quantity.base)
        notes.append(tr("with the prompt tokens counted, {share} of the peak",
                        share=percent(every * each / (g * peak))))  # fmt: skip
    return Total("X", rate, g * peak / each, tuple(notes))


def prompt(run: Run, point: Point) -> Total | None:
    """Prompt tokens of all requests; tokens that a cache held cost no operations."""
    rate = run.value("X_in")
    if not rate or run.value("TTFT_meas") or run.value("T_in_meas", "one"):
        return None
    g, peak, each = (get(point, name) for name in ("g", "P_peak", "F_tok"))
    if g is None or peak is None or each is None:
        return None
    total = Total("X_in", rate, g * peak / each, ())
    hit = run.value("hit")
    if hit is None:
        return total
    note = tr("{hit} of the prompt tokens came from a cache: the operations are those of the rest, "
              "{share} of the peak", hit=percent(hit),
              share=percent(total.share * (1 - hit)))  # fmt: skip
    return Total("X_in", rate, total.bound, (note,))
