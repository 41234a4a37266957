"""Histograms of Prometheus: the mean is exact, quantiles lie somewhere inside a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from derive.errors import DeriveError, Place, Problem
from derive.text import Text, tr

QUANTILES = {"p50": Fraction(1, 2), "p90": Fraction(9, 10), "p99": Fraction(99, 100)}


@dataclass
class Histogram:
    """Cumulative counts by upper limit (None: without limit), with sum and count."""

    place: Place
    buckets: dict[Fraction | None, Fraction] = field(default_factory=dict)
    sum: Fraction | None = None
    count: Fraction | None = None

    @property
    def mean(self) -> Fraction | None:
        """Sum over count; None while nothing was observed."""
        return self.sum / self.count if self.sum is not None and self.count else None

    def checked(self) -> None:
        """DeriveError B106 where the counts cannot be those of a histogram."""
        counts = [count for _, count in self.limits()]
        total = self.buckets.get(None)
        grows = all(a <= b for a, b in pairwise(counts))
        agrees = None in (total, self.count) or total == self.count
        if not grows or not agrees:
            what = tr("the buckets of the histogram do not add up to its count")
            raise DeriveError(Problem("B106", what, self.place))

    def since(self, earlier: Histogram) -> Histogram:
        """What was observed after an earlier scrape of the same histogram."""
        buckets = {limit: count - earlier.buckets.get(limit, Fraction(0))
                   for limit, count in self.buckets.items()}  # fmt: skip
        total, count = ((a - (b or 0) if a is not None else None) for a, b in
                        ((self.sum, earlier.sum), (self.count, earlier.count)))  # fmt: skip
        return Histogram(self.place, buckets, total, count)

    def limits(self) -> list[tuple[Fraction | None, Fraction]]:
        """Buckets in order, the one without limit last."""
        return sorted(self.buckets.items(), key=lambda b: (b[0] is None, b[0] or 0))

    def quantiles(self) -> Iterator[tuple[str, Fraction, Text]]:
        """Linear within the bucket, as `histogram_quantile` does; none beyond the last limit."""
        limits = self.limits()
        total = limits[-1][1] if limits else Fraction(0)
        for name, share in QUANTILES.items() if total else ():
            low, below = Fraction(0), Fraction(0)
            for limit, count in limits:
                if count >= share * total and limit is not None:
                    inside = (share * total - below) / (count - below)
                    yield name, low + (limit - low) * inside, between(low, limit)
                    break
                if limit is not None:
                    low, below = limit, count


def between(low: Fraction, high: Fraction) -> Text:
    """What is certain of a quantile."""
    return tr("interpolated in its bucket: certain is {low} to {high} s",
              low=f"{float(low):g}", high=f"{float(high):g}")  # fmt: skip
