"""What every serving benchmark leaves to be worked out, the same way for all tools."""

from __future__ import annotations

from fractions import Fraction

from derive.measured.gather import Gather
from derive.measured.record import MEAN, Figure, Run
from derive.text import tr
from derive.units import Quantity, show, unit

SEVERAL = Fraction(3, 2)  # gaps of one token each scatter around TPOT; above this they cannot be


def finish(gather: Gather) -> list[Run]:
    """The run, with what follows from its own figures."""
    in_flight(gather)
    events(gather)
    return [gather.run()]


def found(gather: Gather, name: str) -> Figure | None:
    """The mean of that kind, if it was read."""
    return next((f for f in gather.figures if f.id == name and f.statistic == MEAN), None)


def in_flight(gather: Gather) -> None:
    """Mean requests in flight by Little's law, where the file does not say them."""
    rate, whole = found(gather, "rate"), found(gather, "E2E_meas")
    if rate and whole and not gather.has("b_meas"):
        value = Quantity(rate.quantity.base * whole.quantity.base, unit("request"))
        how = tr("by Little's law: request rate × mean end-to-end time")
        gather.figures.append(Figure("b_meas", value, whole.place, MEAN, how))


def events(gather: Gather) -> None:
    """Gaps between stream events are no gaps between tokens where an event brings several."""
    gap, token = found(gather, "ITL_meas"), found(gather, "TPOT_meas")
    if not gap or not token or not token.quantity.base:
        return
    ratio = gap.quantity.base / token.quantity.base
    if ratio < SEVERAL:
        return
    times = show(Quantity(ratio, unit(""))).text
    if gather.has("accepted"):
        gather.note(tr("ITL is {times} times TPOT: it counts steps, and a step brings several"
                       " tokens with speculation; TPOT counts tokens", times=times))  # fmt: skip
    else:
        gather.note(tr("ITL is {times} times TPOT: a stream event brings several tokens; TPOT"
                       " counts tokens", times=times))  # fmt: skip
