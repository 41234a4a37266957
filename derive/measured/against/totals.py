"""Rates of the whole system: what they can be, and what they must not be read as."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.crossing import search
from derive.derivation.points import FARTHEST, Point
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
    most = get(point, "g"), get(point, "P_peak"), get(point, "F_tok")
    if None in most:
        return None
    g, peak, each = (m for m in most if m is not None)
    notes = [tr("a total of all requests, no rate of one")]
    if alone := get(point, "R_max"):
        notes.append(tr("one request alone gets at most {rate}",
                        rate=amount(alone, "token/s/request")))  # fmt: skip
    if least := least_batch(point, rate):
        notes.append(tr("at peak rates it takes at least {count} requests at once",
                        count=f"{least:,}"))  # fmt: skip
    return Total("X", rate, g * peak / each, tuple(notes))


def least_batch(point: Point, rate: Fraction) -> int | None:
    """The smallest batch whose throughput at peak reaches a rate."""

    def meets(b: int) -> bool:
        there = point.with_(b=Fraction(b))
        step, n = get(there, "t_step"), get(there, "n")
        return bool(step and n and b * n / step >= rate)

    if meets(1):
        return 1
    found = search(meets, FARTHEST["b"])
    return max(found) if found else None


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
