"""What an alert is: a rule, its threshold, what it tells, and states to test it with."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.monitoring.deployment import Deployment, Limit
from derive.monitoring.promql import matchers
from derive.monitoring.signals import Signals, calm
from derive.text import Text, same

# rules of thumb of the field
NEARLY_FULL = Fraction(9, 10)  # of the KV cache
QUEUE = Fraction(1)  # requests that wait all the time
GROWN, GAINED, EXPECTED = Fraction(3, 2), Fraction(11, 10), Fraction(6, 5)  # batch, output, bound

TARGET, DERIVED, RULE = "target", "derived", "rule_of_thumb"
SECONDS = same("{{ $value | humanizeDuration }}")
PLAIN = same('{{ $value | printf "%.4g" }}')
PERCENT = same("{{ $value | humanizePercentage }}")
REPLICA = same("{{ $labels.instance }}")


@dataclass(frozen=True)
class Alert:
    """One rule, with states that it must and must not fire in; a state may follow another."""

    name: str
    expr: str
    severity: str
    limit: Limit
    summary: Text
    description: Text
    action: Text
    fires: tuple[Signals, ...]  # before and after; none: no series at all
    quiet: tuple[tuple[Signals, ...], ...]
    wait: str = "10m"


@dataclass(frozen=True)
class LeftOut:
    """A rule that this scenario has no number for."""

    name: str
    why: Text


class Case:
    """One deployment, and the state in which nothing is wrong with it."""

    def __init__(self, found: Deployment) -> None:
        self.found = found
        self.calm = calm(found)

    def own(self, name: str) -> str:
        """A recorded series of this scenario."""
        return f"derive:{name}{matchers({'scenario': self.found.id})}"


def rule(value: Fraction) -> Limit:
    """A rule of thumb as a threshold."""
    return Limit(value, same(f"{float(value):g}"), RULE)
