"""A rate of tokens under every reading that the words admit, each with its bound and verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.physics import bounds
from derive.audit.physics.precisions import storable
from derive.audit.physics.settings import part_of_more
from derive.audit.types import Reading
from derive.text import Text, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.interval import Interval
    from derive.audit.physics.setting import Setting
    from derive.audit.types import Claim, Figure

PER_USER, IN_ALL = unit("token/s/request"), unit("token/s")
WHO = {"one": Text("one request", "单个请求"), "all": Text("all requests together", "全部请求合计")}
MOST_ACCEPTED = 16  # tokens a step that drafts of known engines propose at most
HOLDS, BEYOND, TOO_LARGE = "consistent", "exceeds_bound", "infeasible"


@dataclass(frozen=True)
class Case:
    """A rate under one reading: whose it is, how the weights are stored, and what follows."""

    setting: Setting
    who: str
    plain: bool
    bound: Fraction | None
    printed: Fraction | None
    verdict: str

    @property
    def quantity(self) -> Quantity:
        """The bound at the values as printed."""
        made = PER_USER if self.who == "one" else IN_ALL
        return Quantity(self.printed or Fraction(0), made)

    @property
    def reading(self) -> Reading:
        """The bound of this reading."""
        told = tr("{setting}: bound for {who}", setting=self.setting.name, who=WHO[self.who])
        return Reading(self.quantity, told)


def rate_of(figure: Figure, setting: Setting) -> Interval:
    """Tokens a second; a time per token is its inverse, a rate per device times the devices."""
    made = figure.interval
    if figure.role in ("tpot", "itl"):
        low = max(made.low, Fraction(1, 10**12))
        return replace(made, low=1 / made.high, high=1 / low)
    if ("device", -1) in figure.dimension.powers:
        return made.scaled(setting.devices)
    return made


def printed_rate(figure: Figure, setting: Setting) -> Fraction:
    """Tokens a second at the number as printed; the middle of an inverted interval is not it."""
    value = figure.quantity.base
    if figure.role in ("tpot", "itl"):
        return 1 / max(value, Fraction(1, 10**12))
    return value * setting.devices if ("device", -1) in figure.dimension.powers else value


def whose(claim: Claim, figure: Figure) -> tuple[str, ...]:
    """Whose rate a figure may be."""
    if figure.role in ("tpot", "itl") or ("request", -1) in figure.dimension.powers:
        return ("one",)
    if figure.says("user", "all") or figure.says("tokens", "both"):
        return ("all",)
    if figure.says("user", "one") or one_request(claim):
        return ("one",)
    if claim.says("noun", "throughput") or part_of_more(claim, figure):
        return ("all",)
    return ("one", "all")


def one_request(claim: Claim) -> bool:
    """Whether the batch is said to be one request."""
    batch = claim.one("batch", "concurrency")
    return batch is not None and batch.value == 1


def cases(claim: Claim, figure: Figure, setting: Setting, rate: Interval) -> list[Case]:
    """The rate under every reading that the words admit."""
    made = []
    for stored, plain in storable(claim, setting.stored):
        here = setting if stored == setting.stored else setting.with_(stored=stored)
        if "weights" in {f.role for f in claim.figures} and not plain:
            continue
        fit = bounds.weights_fit(here)
        for who in whose(claim, figure):
            find = bounds.user_rate if who == "one" else bounds.total_rate
            bound = find(here)
            if bound is not None and rate.low > bound:
                if claim.says("subject", "speculative") and rate.low <= MOST_ACCEPTED * bound:
                    verdict = HOLDS
                else:
                    verdict = BEYOND
            elif fit and not fit.fits and not held_elsewhere(claim, figure):
                verdict = TOO_LARGE
            else:
                verdict = HOLDS
            made.append(Case(here, who, plain, bound, find(here, best=False), verdict))
    return made


def held_elsewhere(claim: Claim, figure: Figure) -> bool:
    """Whether the weights need not be in the memory of the devices that are counted."""
    return claim.says("subject", "offload") or part_of_more(claim, figure)


def mixed(verdicts: set[str]) -> str:
    """Different verdicts for different variants: the gravest where none is possible."""
    if verdicts == {BEYOND, TOO_LARGE}:
        return TOO_LARGE  # what all of them have in common: none can be
    return "ambiguous"


def verdict_of(claim: Claim, figure: Figure, found: list[Case]) -> str:
    """One model on one accelerator."""
    if is_bound(claim, figure) or is_quotient(figure, found):
        found = [replace(c, verdict=HOLDS) if c.verdict == TOO_LARGE else c for c in found]
    plain = [c.verdict for c in found if c.plain]
    if all(v == HOLDS for v in plain):
        return HOLDS
    if any(c.verdict == HOLDS for c in found):
        return "ambiguous"
    return BEYOND if BEYOND in plain else TOO_LARGE


def is_quotient(figure: Figure, found: list[Case]) -> bool:
    """Whether it is the first-order bound to the digit, and not told as achieved."""
    case = found[0]
    first = bounds.first_order_rate(case.setting)
    if first is None or figure.says("calibre", "achieved"):
        return False
    rate = rate_of(figure, case.setting)
    narrow = rate.high - rate.low < first / 10
    return case.who == "one" and narrow and rate.low <= first <= rate.high


def is_bound(claim: Claim, figure: Figure) -> bool:
    """Whether it is claimed as a bound: the words say so, or it is a quotient of datasheets."""
    told = figure.bound == ("<=" if figure.role == "speed" else ">=")
    quotient = (
        claim.one("weights", "memory_bandwidth")
        and len(claim.of("weights", "memory_bandwidth")) > 1
    )
    return bool(
        told or quotient or figure.says("calibre", "peak") or claim.says("subject", "bound")
    )
