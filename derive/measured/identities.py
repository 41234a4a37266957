"""What must hold among the figures of one run whatever the tool: a wrong unit shows itself here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from derive.measured.record import MEAN, Run
from derive.text import Text, tr
from derive.units import Quantity, show, unit

CLOSE = Fraction(1, 20)  # tools round; a unit slip is a factor of 60, 1000 or 1024
NEAR = Fraction(1, 5)  # concurrency is sampled or cut to a window
WIDE = Fraction(1, 2)  # a mean of products is no product of means: long answers are faster
SLIPS = (Fraction(1000), Fraction(1024), Fraction(60), Fraction(1_000_000))


def unlike(run: Run) -> Iterator[Text]:
    """A sentence for every identity that does not hold."""
    for name, (needs, close, sides) in LAWS.items():
        values = {n: known(run, n) for n in needs}
        if None in values.values():
            continue
        one, other = sides({n: v for n, v in values.items() if v is not None})
        if not one or not other or abs(one / other - 1) <= close:
            continue
        ratio = one / other
        times = show(Quantity(ratio, unit(""))).text
        slip = next((s for s in SLIPS for r in (ratio, 1 / ratio) if abs(r / s - 1) <= CLOSE), None)
        if slip:
            yield tr("{law} does not hold: {times} times, a factor {slip} as a wrong unit makes it",
                     law=name, times=times, slip=f"{int(slip):,}")  # fmt: skip
        else:
            yield tr("{law} does not hold: {times} times", law=name, times=times)


def known(run: Run, name: str) -> Fraction | None:
    """A mean, a setting or a total."""
    found = (run.value(name, statistic) for statistic in (MEAN, "one", "total"))
    return next((v for v in found if v is not None), None)


Values = Mapping[str, Fraction]
LAWS: dict[str, tuple[tuple[str, ...], Fraction, Callable[[Values], tuple[Fraction, Fraction]]]] = {
    "X_meas * duration = tokens_out": (
        ("X_meas", "duration", "tokens_out"),
        CLOSE,
        lambda v: (v["X_meas"] * v["duration"], v["tokens_out"]),
    ),
    "X_all * duration = tokens_in + tokens_out": (
        ("X_all", "duration", "tokens_in", "tokens_out"),
        CLOSE,
        lambda v: (v["X_all"] * v["duration"], v["tokens_in"] + v["tokens_out"]),
    ),
    "X_all * duration = tokens_all": (
        ("X_all", "duration", "tokens_all"),
        CLOSE,
        lambda v: (v["X_all"] * v["duration"], v["tokens_all"]),
    ),
    "rate * duration = requests": (
        ("rate", "duration", "requests"),
        CLOSE,
        lambda v: (v["rate"] * v["duration"], v["requests"]),
    ),
    "X_in * duration = tokens_in": (
        ("X_in", "duration", "tokens_in"),
        CLOSE,
        lambda v: (v["X_in"] * v["duration"], v["tokens_in"]),
    ),
    "X_meas = rate * T_out_meas": (
        ("X_meas", "rate", "T_out_meas"),
        CLOSE,
        lambda v: (v["X_meas"], v["rate"] * v["T_out_meas"]),
    ),
    "E2E_meas = TTFT_meas + (T_out_meas - 1) * TPOT_meas": (
        ("E2E_meas", "TTFT_meas", "T_out_meas", "TPOT_meas"),
        WIDE,
        lambda v: (v["E2E_meas"], v["TTFT_meas"] + (v["T_out_meas"] - 1) * v["TPOT_meas"]),
    ),
    "b_meas = rate * E2E_meas": (
        ("b_meas", "rate", "E2E_meas"),
        NEAR,
        lambda v: (v["b_meas"], v["rate"] * v["E2E_meas"]),
    ),
    "tokens_pool = b_pool * T_asked": (
        ("tokens_pool", "b_pool", "T_asked"),
        CLOSE,
        lambda v: (v["tokens_pool"], v["b_pool"] * v["T_asked"]),
    ),
    "tokens_pool = blocks * T_block": (
        ("tokens_pool", "blocks", "T_block"),
        CLOSE,
        lambda v: (v["tokens_pool"], v["blocks"] * v["T_block"]),
    ),
}
