"""The physical bounds of a setting: what no implementation on it can beat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING

from derive.audit.physics.lines import equation
from derive.text import Text, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.physics.setting import Setting

USABLE = Fraction(9, 10)  # what engines take of a device by default
MOST = 2**17  # beyond any batch
MOST_EXPERTS = 2**12  # powers of the experts' shares grow with the batch


@dataclass(frozen=True)
class Fit:
    """Bytes that must be held, and those that the devices have."""

    needed: Fraction
    held: Fraction

    @property
    def fits(self) -> bool:
        """Whether they are held."""
        return self.needed <= self.held

    @property
    def tight(self) -> bool:
        """Whether they are held, but not by what engines take of the memory."""
        return self.held * USABLE < self.needed <= self.held


def weights_fit(setting: Setting) -> Fit | None:
    """The weights against all memory of the devices; None where the memory is not known."""
    needed = setting.value("W")
    held = setting.values.get("M_dev")
    if needed is None or held is None:
        return None
    return Fit(needed, held.high * setting.devices)


def fit_lines(setting: Setting, fit: Fit) -> tuple[Text, ...]:
    """The bytes at the numbers as printed; what their digits allow, where only that decides."""
    printed = setting.value("W", best=False)
    if printed is None:
        printed = fit.needed
    lines = [equation("W", printed, "byte"), equation("g · M_dev", fit.held, "byte")]
    if fit.fits and printed > fit.held:
        least = show(Quantity(fit.needed, unit("byte"))).text
        lines.insert(
            1, tr("as the digits of the printed numbers allow, at least {value}", value=least)
        )
    return tuple(lines)


def least_devices(setting: Setting, *, best: bool = True) -> int | None:
    """How many devices hold the weights."""
    found = setting.value("g_min", best=best)
    return None if found is None else int(found)


def step_time(setting: Setting, *, best: bool = True, **changed: Fraction) -> Fraction | None:
    """The shortest decode step: bytes really streamed, or operations where peaks are known."""
    batch = changed.get("b", setting.given(best=best)["b"])
    if "E" in setting.values and batch > MOST_EXPERTS:  # as good as every expert is read by then
        streamed = setting.value("W_stream", best=best, **{**changed, "b": Fraction(MOST_EXPERTS)})
    else:
        streamed = setting.value("W_stream", best=best, **changed)
    if streamed is None or "B_peak" not in setting.values:
        return None
    here = {**changed, "W_read": streamed}
    if "T" not in setting.values and "T" not in here:
        here["T"] = Fraction(0)
        here["kappa"] = Fraction(0)  # no context is said: none is counted
    if "P_peak" in setting.values and "N_act" in setting.values:
        return setting.value("t_step", best=best, **here)
    moved = setting.value("Q_step", best=best, **here)
    given = setting.given(best=best) | changed
    return None if moved is None else moved / (given["g"] * given["B_peak"])


def user_rate(setting: Setting, *, best: bool = True, **changed: Fraction) -> Fraction | None:
    """Tokens a second of one request, at most; one token a step."""
    time = step_time(setting, best=best, **changed)
    return None if not time else 1 / time


def first_order_rate(setting: Setting) -> Fraction | None:
    """The articles' bound: all weights once a token, nothing else, as printed."""
    if "W_stream" in setting.values or "N_moved" in setting.values:
        streamed = setting.value("W_stream", best=False)
        return setting.value("R_max", best=False, W_read=streamed or Fraction(0))
    return setting.value("R_max", best=False)


def compute_rate(setting: Setting, *, best: bool = True) -> Fraction | None:
    """Tokens a second of all requests together: the peak over the operations of a token."""
    per_token = setting.value("F_tok", best=best)
    given = setting.given(best=best)
    if not per_token or "P_peak" not in given:
        return None
    return given["g"] * given["P_peak"] / per_token


def largest_batch(setting: Setting, *, best: bool = True) -> int | None:
    """Requests that memory holds at the stated context; None where that sets no limit."""
    if "T" not in setting.values or "M_dev" not in setting.values:
        return None
    found = setting.value("b_max", best=best)
    return None if found is None else int(found)


def total_rate(setting: Setting, *, best: bool = True) -> Fraction | None:
    """Tokens a second of a whole batch: of the stated one, else of the largest that fits."""
    if "batch" in setting.said:
        batch = setting.given(best=best)["b"]
    else:
        held = largest_batch(setting, best=best)
        if held is None:
            return compute_rate(setting, best=best)
        most = MOST_EXPERTS if "E" in setting.values else MOST
        batch = Fraction(min(held, most))
    if batch < 1:
        return Fraction(0)
    time = step_time(setting, best=best, b=batch)
    return None if not time else batch / time


def least_whole(meets: Callable[[int], bool], most: int) -> int | None:
    """The least whole number from 1 at which a growing condition holds."""
    if not meets(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


@lru_cache(maxsize=8)  # said as a remedy, and where there is none
def least_batch(setting: Setting, rate: Fraction, *, best: bool = False) -> int | None:
    """The fewest requests whose tokens together make a rate; None where none does."""
    if "E" not in setting.values:
        return least_dense_batch(setting, rate, best=best)

    def meets(batch: int) -> bool:
        time = step_time(setting, best=best, b=Fraction(batch))
        return time is not None and batch >= rate * time

    return least_whole(meets, MOST_EXPERTS)


def least_dense_batch(setting: Setting, rate: Fraction, *, best: bool) -> int | None:
    """The same for a dense model, whose weights are read once for any batch."""
    given = setting.given(best=best)
    weights = setting.value("W_stream", best=best)
    if weights is None or "B_peak" not in given:
        return None
    roof = compute_rate(setting, best=best)
    if roof is not None and roof < rate:
        return None
    kept = setting.value("kappa", best=best) if "T" in given else None
    left = given["g"] * given["B_peak"] - rate * given.get("T", Fraction(0)) * (kept or 0)
    return max(1, ceil(rate * weights / left)) if left > 0 else None


def prefill_time(setting: Setting, *, best: bool = True) -> Fraction | None:
    """The shortest time to the first token of one prompt."""
    given = setting.given(best=best)
    if "T_in" not in given or "N_act" not in given or "P_peak" not in given:
        return None
    if "E" in given and given["T_in"] > MOST_EXPERTS:  # so long a prompt is a matter of compute
        per_token = setting.value("F_tok", best=best)
        return (
            None
            if per_token is None
            else per_token * given["T_in"] / (given["g"] * given["P_peak"])
        )
    return setting.value("t_prefill", best=best)
