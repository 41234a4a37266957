"""A profile operator by operator: the time each would need on one device, and where time goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from derive.measured.against.bands import HARDWARE, SOFTWARE
from derive.measured.against.beats import percent
from derive.measured.against.setting import Setting
from derive.measured.against.shares import COMPUTE, MEMORY
from derive.measured.record import Kernel, Run
from derive.text import Text, tr

ROOF, MIDDLE, LOW, UNKNOWN, ABOVE = "roof", "between", "low", "unknown", "above"
TRANSFER = "transfer"  # over links, not to and from the device's own memory
LINKS = re.compile(r"nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|sendrecv|"
                   r"memcpy (htod|dtoh|ptop)", re.IGNORECASE)  # fmt: skip
LARGE = Fraction(1, 2)  # a share of the time that names its cause


@dataclass(frozen=True)
class Operator:
    """One operator beside the roofs of one device; `bound` is None where its work is not known."""

    kernel: Kernel
    share: Fraction  # of the time of all kernels
    bound: Fraction | None
    side: str

    @property
    def reached(self) -> Fraction | None:
        """The bound over the measured time."""
        return None if self.bound is None else self.bound / self.kernel.time

    @property
    def band(self) -> str:
        """Where its time belongs."""
        if LINKS.search(self.kernel.name):
            return TRANSFER
        if self.reached is None:
            return UNKNOWN
        if self.reached > 1:
            return ABOVE
        if self.reached >= HARDWARE:
            return ROOF
        if not self.kernel.traffic:  # the roof of its bytes may be the nearer one
            return UNKNOWN
        return LOW if self.reached < SOFTWARE else MIDDLE


@dataclass(frozen=True)
class Profile:
    """All operators, the longest first; time by band."""

    operators: tuple[Operator, ...]
    total: Fraction  # s, all kernels of all streams
    busy: Fraction | None  # s in which at least one ran

    def spent(self, *bands: str) -> Fraction:
        """Share of the time in these bands."""
        return sum((o.share for o in self.operators if o.band in bands), Fraction(0))


def profile(run: Run, setting: Setting) -> Profile | None:
    """The operators of a run; None where it has none that took time."""
    timed = sorted((k for k in run.kernels if k.time), key=lambda k: (-k.time, k.name))
    total = sum((k.time for k in timed), Fraction(0))
    if not total:
        return None
    point = setting.bound.peak
    peak, rate = point.get("P_peak"), point.get("B_peak")
    return Profile(tuple(operator(k, total, peak, rate) for k in timed), total,
                   run.value("t_busy", "total") or run.value("t_busy", "one")
                   or run.value("t_busy"))  # fmt: skip


def operator(kernel: Kernel, total: Fraction, peak: Fraction, rate: Fraction) -> Operator:
    """One kernel: the longer of its operations and of its bytes at the roofs of one device."""
    spent = kernel.flops / peak if kernel.flops else None
    moved = kernel.traffic / rate if kernel.traffic else None
    known = [t for t in (spent, moved) if t is not None and not LINKS.search(kernel.name)]
    side = COMPUTE if spent is not None and (moved is None or spent >= moved) else MEMORY
    return Operator(kernel, kernel.time / total, max(known) if known else None, side)


def diagnosis(found: Profile, run: Run) -> Iterator[Text]:
    """What the profile says, the largest first."""
    duration = run.value("duration", "total") or run.value("duration", "one")
    if found.busy and duration and found.busy < LARGE * duration:
        yield tr("the device is idle for {share} of the profiled time: launches and the host, not "
                 "kernels", share=percent(1 - found.busy / duration))  # fmt: skip
    if found.spent(UNKNOWN) > LARGE:
        yield tr("{share} of the time is in kernels whose operations or bytes are not "
                 "known: record shapes, or take counters",
                 share=percent(found.spent(UNKNOWN)))  # fmt: skip
    if found.spent(TRANSFER):
        yield tr("{share} of the time is in collectives and copies over links, which wait for "
                 "others: the roofs of a device do not bound them",
                 share=percent(found.spent(TRANSFER)))  # fmt: skip
    for bands, text in (
        ((ROOF,), tr("at the roof: fewer bytes or operations, no faster kernel")),
        ((LOW,), tr("below 0.3 of the roof: these kernels are the first to mend")),
    ):
        if found.spent(*bands):
            yield tr("{share} of the time is in kernels {what}",
                     share=percent(found.spent(*bands)), what=text)  # fmt: skip
    if found.spent(ABOVE):
        yield tr("{share} of the time is in kernels faster than their bound: the bytes of shapes "
                 "or counters are partly in caches, or the products are in a narrower format than "
                 "the scenario's", share=percent(found.spent(ABOVE)))  # fmt: skip
