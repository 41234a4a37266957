"""The smallest change of one condition at which a rate is possible, solved exactly.

Everything at the values as printed: at the result the claim holds, just below it does not.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from derive.audit.physics.bounds import (
    compute_rate,
    largest_batch,
    least_devices,
    least_whole,
    step_time,
    total_rate,
)

MOST_REPLICAS = 2**16

if TYPE_CHECKING:
    from derive.audit.physics.setting import Setting


def bytes_per_parameter(setting: Setting, rate: Fraction) -> Fraction | None:
    """The most bytes of a parameter at which a step takes no longer than one token at this rate."""
    parts = rest_of_step(setting)
    if parts is None or "N" not in setting.values or "N_moved" in setting.values:
        return None
    per_byte, others, speed = parts
    left = speed / rate - others
    return left / per_byte if left > 0 and per_byte else None


def weight_bytes(setting: Setting, rate: Fraction) -> Fraction | None:
    """The most weight bytes a step may stream at this rate, where only the weights are known."""
    parts = rest_of_step(setting)
    if parts is None or "N" in setting.values:
        return None
    left = parts[2] / rate - parts[1]
    return left if left > 0 else None


def rest_of_step(setting: Setting) -> tuple[Fraction, Fraction, Fraction] | None:
    """Streamed bytes at one byte a parameter, KV bytes, and bytes a second of all devices."""
    given = setting.given(best=False)
    if "B_peak" not in given:
        return None
    one = setting.value("W_stream", best=False, w=Fraction(1))
    if one is None:
        return None
    kept = kv_per_context(setting)
    others = Fraction(0) if kept is None else given["b"] * given["T"] * kept
    return one, others, given["g"] * given["B_peak"]


def kv_per_context(setting: Setting) -> Fraction | None:
    """KV bytes of a token, where a context is said."""
    return setting.value("kappa", best=False) if "T" in setting.values else None


def tokens_per_step(setting: Setting, rate: Fraction) -> Fraction | None:
    """Accepted tokens of a step that make up for its time."""
    time = step_time(setting, best=False)
    return None if time is None else rate * time


def devices_for(setting: Setting, rate: Fraction) -> int | None:
    """The fewest devices at which the step is short enough and the weights are held."""
    time = step_time(setting, best=False)
    if time is None:
        return None
    count = ceil(rate * time * setting.devices)
    return max(count, least_devices(setting, best=False) or 1)


def fewest_devices(setting: Setting, rate: Fraction) -> int | None:
    """The fewest devices at which all requests together reach a rate."""

    def meets(count: int) -> bool:
        found = total_rate(setting.with_(g=Fraction(count)), best=False)
        return found is not None and found >= rate

    return least_whole(meets, MOST_REPLICAS)


def bandwidth_for(setting: Setting, rate: Fraction) -> Fraction | None:
    """The least bandwidth of one device at which the step's bytes move in time."""
    given = setting.given(best=False)
    parts = rest_of_step(setting)
    if parts is None:
        return None
    streamed = setting.value("W_stream", best=False)
    return None if streamed is None else (streamed + parts[1]) * rate / given["g"]


def context_for(setting: Setting, rate: Fraction) -> Fraction | None:
    """The longest context at which the step is short enough; None where even none is too long."""
    kept = kv_per_context(setting)
    if not kept or "T_win" in setting.values:
        return None
    given = setting.given(best=False)
    streamed = setting.value("W_stream", best=False) or Fraction(0)
    left = given["g"] * given["B_peak"] / rate - streamed
    return left / (given["b"] * kept) if left > 0 else None


def batch_of_all(setting: Setting) -> Fraction | None:
    """The batch of a total: the stated one, else the largest that memory holds."""
    if "batch" in setting.said:
        return setting.given(best=False)["b"]
    held = largest_batch(setting, best=False)
    return Fraction(held) if held else None


def bandwidth_of_all(setting: Setting, rate: Fraction) -> Fraction | None:
    """The least bandwidth of one device at which a whole batch reaches a rate, if any."""
    batch, roof = batch_of_all(setting), compute_rate(setting, best=False)
    if batch is None or (roof is not None and roof < rate):
        return None
    wide = bandwidth_for(setting.with_(b=batch), rate / batch)
    if wide is None or wide <= setting.given(best=False)["B_peak"]:
        return None
    found = total_rate(setting.with_(B_peak=wide), best=False)
    return wide if found is not None and found >= rate else None


def context_of_all(setting: Setting, rate: Fraction) -> int | None:
    """The longest context at which a whole batch reaches a rate; None where there is none."""
    given = setting.given(best=False)
    if not kv_per_context(setting) or "T_win" in setting.values:
        return None
    longest = int(given["T"])

    def too_long(count: int) -> bool:
        found = total_rate(setting.with_(T=Fraction(count)), best=False)
        return found is None or found < rate

    first = least_whole(too_long, longest)
    return first - 1 if first is not None and first > 1 else None
