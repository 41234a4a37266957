"""Matrix products and other stated work: how many operations, and how long at least."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.settings import device_count
from derive.audit.physics.specs import of_spec
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.rules.utilisation import WORK, precisions
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.notation import CONSTANTS
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware

TIMES = ("time", "latency")


@rule(
    "PHYS010",
    name=("operations of a matrix product and their least time", "矩阵乘的运算量与最短时间"),
    page=(
        "A product of m × k and k × n takes 2 m n k operations: a multiply and an add for each of the m n k steps. Half "
        "of it counts multiply-adds. The least time is the work over the dense peak of its precision and all devices; "
        "a claimed least time has to be that time, a claimed time must not be below it.",
        "m × k 与 k × n 的矩阵乘需 2mnk 次运算：mnk 步各一乘一加；只有一半的是乘加次数。最短时间等于运算量除以全部设备在该精度下的稠密峰值；"
        "声称的最短时间应等于它，声称的时间不得小于它。",
    ),
    fires="A 4096 x 4096 x 4096 BF16 matmul is 68.7 GFLOP.",
    quiet="A 4096 x 4096 x 4096 BF16 matmul is 137.4 GFLOP.",
    chinese=(
        "4096 × 4096 × 4096 的 BF16 矩阵乘需要 68.7 GFLOP。",
        "4096 × 4096 × 4096 的 BF16 矩阵乘需要 137.4 GFLOP。",
    ),
)
def matrix_product(claim: Claim, library: Library) -> Iterator[Finding]:
    """The stated operations, then the stated time."""
    sizes = claim.of("shape")
    work = claim.one("work")
    if any(f.value <= 0 for f in (*sizes, *claim.of("work", "devices"))):
        return
    if len(sizes) == 3:
        steps = sizes[0].value * sizes[1].value * sizes[2].value
        right = steps * 2
        if work is not None:
            yield operations(work, right, steps)
        whole = Interval.of(right)
    elif work is not None:
        whole = work.interval
    else:
        return
    for figure in claim.of(*TIMES):
        found = [
            (p, least_time(claim, figure, p, whole)) for p in library.products(figure.hardware)
        ]
        known = [(p, t) for p, t in found if t]
        if known:
            yield duration(figure, known, whole)


def operations(figure: Figure, right: Fraction, steps: Fraction) -> Finding:
    """Two operations a step."""
    assert CONSTANTS["c_op"].value.value == 2
    value = Quantity(right, unit("FLOP"))
    lines = (equation("2 · m · n · k", right, "FLOP"),)
    if figure.interval.meets(Interval.of(right)):
        what = tr("{figure} is 2 m n k", figure=same(figure.text))
        return Finding("PHYS010", "consistent", "info", what, (figure.span,), derivation=lines)
    what = tr("{figure} is not 2 m n k {value}", figure=same(figure.text), value=show(value).equals)
    if figure.interval.meets(Interval.of(steps)):
        what = tr("{figure} counts multiply-adds: the operations are twice as many, {value}",
                  figure=same(figure.text), value=show(value).text)  # fmt: skip
    said = tr("The product takes {value}.", value=rounded(value, 4))
    readings = (Reading(value, tr("2 m n k")),)
    return Finding("PHYS010", "contradicted", "error", what, (figure.span,), readings, lines, said)


def least_time(claim: Claim, figure: Figure, product: Hardware, work: Interval) -> Interval | None:
    """The work over the dense peak of its precision."""
    wanted = precisions(claim, figure) or WORK
    peaks = [of_spec(b["dense"]) for p, b in product.peak.items() if p in wanted and "dense" in b]
    if not peaks:
        return None
    count, _ = device_count(claim, figure)
    best = max(peaks, key=lambda i: i.high)
    return work / best.scaled(count)


def duration(figure: Figure, known: list[tuple[Hardware, Interval]], work: Interval) -> Finding:
    """A time, or a claimed least time, against the work at the peak."""
    bound = figure.bound == ">="
    verdicts = set()
    for _, least in known:
        if bound:
            verdicts.add("consistent" if figure.interval.meets(least) else "contradicted")
        else:
            verdicts.add("exceeds_bound" if figure.interval.high < least.low else "consistent")
    verdict = together(verdicts)
    product, least = known[0]
    value = Quantity(least.middle, unit("s"))
    lines = (equation("F", work.middle, "FLOP"), equation("F / (g · P_peak)", least.middle, "s"))
    listed = (Reading(value, tr("{product}, at the dense peak", product=product.name)),)
    printed = same(figure.text)
    if verdict == "consistent":
        what = tr("{figure} is possible: at least {bound}", figure=printed, bound=show(value).text)
        return Finding("PHYS010", verdict, "info", what, (figure.span,), listed, lines)
    severity = GRAVE[verdict]
    what = tr("{figure} does not fit the work at the peak, {bound}: {product}", figure=printed,
              bound=show(value).text, product=product.name)  # fmt: skip
    said = tr(
        "The work takes at least {bound} on {product}.", bound=rounded(value), product=product.name
    )
    return Finding("PHYS010", verdict, severity, what, (figure.span,), listed, lines, said)
