"""Which figure of a run is its TTFT, TPOT and throughput: resolved by rule, each with its why."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from derive.measured.quantities import MEASURABLE
from derive.measured.record import Figure, Run
from derive.text import Text, tr
from derive.units import Quantity

ONE_BY_ONE = 2  # tokens a request needs at least for a gap between them


def ttft(run: Run) -> Figure | None:
    """The mean time to first token: measured, or that of a pass that only prefills."""
    if found := run.get("TTFT_meas") or run.get("t_prefill_meas"):
        return replace(found, id="TTFT_meas")
    rate, length = run.get("X_in"), run.get("T_in_meas") or run.get("T_in_meas", "one")
    if run.phase == "prefill" and rate and length and rate.quantity.base:
        how = tr("input length over prompt tokens per second, one request at a time")
        return made("TTFT_meas", length.quantity.base / rate.quantity.base, rate, how)
    return first_of(run, "TTFT_meas")


def tpot(run: Run) -> Figure | None:
    """The mean time per output token without the first: the first of these that the file has.

    A mean gap between stream events is no TPOT (an event may hold several tokens), and a time that
    includes the first token becomes one only with TTFT beside it.
    """
    if found := run.get("TPOT_meas"):
        return found
    if (rate := run.get("R_meas")) and rate.quantity.base:
        return made("TPOT_meas", 1 / rate.quantity.base, rate, tr("one over tokens/s of a request"))
    if step := run.get("t_step_meas"):
        accepted = run.value("accepted") or Fraction(1)
        how = tr("time of a step over the tokens of a step")
        return made("TPOT_meas", step.quantity.base / accepted, step, how)
    if found := without_first(run):
        return found
    total = run.get("X_meas")
    batch = run.get("b_meas") or run.get("b_meas", "one")
    if run.phase == "decode" and total and batch and total.quantity.base:
        how = tr("requests in the batch over output tokens per second: a run that only decodes")
        return made("TPOT_meas", batch.quantity.base / total.quantity.base, total, how)
    return first_of(run, "TPOT_meas")


def without_first(run: Run) -> Figure | None:
    """From a whole request and its first token."""
    start, tokens = run.value("TTFT_meas"), run.value("T_out_meas")
    if start is None or tokens is None or tokens < ONE_BY_ONE:
        return None
    whole = run.get("E2E_meas")
    spent = whole.quantity.base if whole else None
    if spent is None and (whole := run.get("TPOT_all")):
        spent = whole.quantity.base * tokens
    if whole is None or spent is None or spent <= start:
        return None
    how = tr("(whole request − TTFT) / (output tokens − 1)")
    return made("TPOT_meas", (spent - start) / (tokens - 1), whole, how)


def throughput(run: Run) -> Figure | None:
    """Output tokens per second of the system."""
    if found := run.get("X_meas"):
        return found
    time, batch = tpot(run), run.get("b_meas") or run.get("b_meas", "one")
    if run.phase == "decode" and time and batch and time.quantity.base:
        how = tr("requests in the batch over TPOT: a run that only decodes")
        return made("X_meas", batch.quantity.base / time.quantity.base, time, how)
    return None


def first_of(run: Run, name: str) -> Figure | None:
    """Another statistic where there is no mean: the median, said to be one."""
    found = run.get(name, "p50") or run.get(name, "one")
    if found is None or found.statistic == "one":
        return found
    return replace(found, note=tr("the median: the file has no mean"))


def made(name: str, value: Fraction, of: Figure, how: Text) -> Figure:
    """A figure computed from another's field."""
    contract = MEASURABLE[name].unit
    quantity = Quantity(value / contract.factor, contract)
    return Figure(name, quantity, of.place, of.statistic, how)
