"""Finding: a larger batch with which fewer replicas serve the load, prefill interleaved."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import Absent, Point, Undefined
from derive.study.bind import Bound
from derive.study.finding import Finding, Results, percent, text, value
from derive.study.results import replicas_said, said
from derive.text import tr
from derive.units import Quantity

MOST_FLEETS = 64  # sizes of fleet that are tried; each is smaller than the one before


def interleaved(point: Point) -> Fraction:
    """TPOT on average where decode steps wait while other prompts are prefilled."""
    return point.get("TPOT") / (1 - point.get("share_prefill"))


def least_batch(point: Point, replicas: Fraction, low: int, high: int) -> int:
    """The least batch above `low` with which so many replicas suffice; at `high` they do."""
    while high - low > 1:
        middle = (low + high) // 2
        enough = point.with_(b=Fraction(middle)).get("replicas") <= replicas
        low, high = (low, middle) if enough else (middle, high)
    return high


def smaller_fleet(bound: Bound, limit: int, target: Fraction) -> Point | None:
    """The smallest fleet that meets the target with prefill interleaved, at its least batch."""
    here = bound.typical
    batch, most = int(here.get("b")), here.get("replicas")
    wanted = here.with_(b=Fraction(limit)).get("replicas")
    for _ in range(MOST_FLEETS):
        if wanted >= most:
            return None
        there = here.with_(b=Fraction(least_batch(here, wanted, batch, limit)))
        if there.get("share_prefill") < 1 and interleaved(there) <= target:
            return there
        # the next larger fleet is that of the batch just below
        wanted = here.with_(b=there.get("b") - 1).get("replicas")
    return None


def batch_for_fleet(bound: Bound, results: Results) -> Iterator[Finding]:
    """A larger batch that the target and memory allow, and what the fleet would then be."""
    limits = [value(results, n) for n in ("b_slo", "b_max", "b_max_reserved")]
    known = [limit for limit in limits if limit is not None]
    target = bound.inputs.get("target_TPOT")
    fleet = value(results, "cost_fleet")
    if None in limits[:2] or target is None or fleet is None or value(results, "TPOT") is None:
        return
    limit = int(min(known))
    if limit <= bound.typical.get("b"):
        return
    try:
        there = smaller_fleet(bound, limit, target.quantity.base)
    except (Absent, Undefined):
        return
    if there is None:
        return
    mean = Quantity(
        interleaved(there) / there.quantity("TPOT").unit.factor, there.quantity("TPOT").unit
    )
    yield Finding(
        "batch_for_fleet",
        "info",
        tr(
            "The fleet is sized at {b} on each replica. With {best}, {r} of {g} would serve the load for {cost} instead of "
            "{fleet}: prefill then takes {share} of a replica's time, and TPOT with prefill interleaved is {tpot} on "
            "average, within the target of {target}. Up to {limit} meet the target in decode alone and fit in memory: a "
            "cap, not an operating point.",
            b=said(bound.typical.quantity("b")),
            best=said(there.quantity("b")),
            r=replicas_said(int(there.get("replicas"))),
            g=int(bound.typical.get("g")),
            cost=said(there.quantity("cost_fleet")),
            fleet=text(results, "cost_fleet"),
            share=percent(there.get("share_prefill")),
            tpot=said(mean),
            target=said(target.quantity),
            limit=said(there.with_(b=Fraction(limit)).quantity("b")),
        ),
    )
