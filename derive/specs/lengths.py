"""Lengths given as quantiles: their mean by a stated rule, their spread, and the longest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from derive.text import Text, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.specs.types import Value

NAME = re.compile(r"p(\d{1,2}(?:\.\d{1,3})?|100)")  # p50, p99.9, p100
SHORTEST = Fraction(1)  # token: where the distribution starts


@dataclass(frozen=True)
class Lengths:
    """Quantiles in rising order, each a share of the requests and the length that it ends at."""

    quantiles: tuple[tuple[Fraction, Value], ...]

    @property
    def mean(self) -> Value:
        """The mean in whole tokens, rounded up."""
        exact = self.moment(1)
        return self.stated(Fraction(ceil(exact)), "token/request", tr(
            "mean of {quantiles}: linear between them, from one token; above the highest as long "
            "as it; rounded up",
            quantiles=self.text,
        ))  # fmt: skip

    @property
    def spread(self) -> Value:
        """Variance over the mean squared, by the same rule."""
        value = self.moment(2) / self.moment(1) ** 2 - 1
        return self.stated(value, "", tr(
            "variance over the squared mean of {quantiles}, by the same rule as the mean",
            quantiles=self.text,
        ))  # fmt: skip

    @property
    def longest(self) -> Value:
        """The highest quantile."""
        share, value = self.quantiles[-1]
        return replace(value, how=tr("the highest quantile given, {name}", name=name_of(share)))

    @property
    def text(self) -> str:
        """`p50 512, p90 4,096`."""
        return ", ".join(
            f"{name_of(share)} {float(value.quantity.base):,.6g}" for share, value in self.quantiles
        )

    def moment(self, power: int) -> Fraction:
        """The mean of the length, or of its square, over all requests."""
        at, below, total = Fraction(0), SHORTEST, Fraction(0)
        for share, value in self.quantiles:
            here = value.quantity.base
            of_line = (below + here) / 2 if power == 1 else (below**2 + below * here + here**2) / 3
            total += (share - at) * of_line
            at, below = share, here
        return total + (1 - at) * below**power

    def stated(self, value: Fraction, units: str, how: Text) -> Value:
        """A figure that follows from the quantiles."""
        return replace(
            self.quantiles[-1][1], quantity=Quantity(value, unit(units)),
            text=f"{value} {units}".strip(), how=how,
        )  # fmt: skip


def name_of(share: Fraction) -> str:
    """`p99.9`."""
    return f"p{float(share * 100):g}"


def share_of(name: str) -> Fraction | None:
    """The share of the requests that a quantile's name says, above 0."""
    found = NAME.fullmatch(name)
    share = Fraction(found[1]) / 100 if found else Fraction(0)
    return share or None


def rising(values: Sequence[tuple[Fraction, Value]]) -> bool:
    """Whether no quantile is below an earlier one."""
    lengths = [value.quantity.base for _, value in values]
    return lengths == sorted(lengths)
