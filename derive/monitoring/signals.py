"""What a replica could show: the states under which the alerts are tested."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.monitoring.deployment import Deployment

NEAR = Fraction(6, 10)  # of the bound: a replica at which nothing is wrong


@dataclass(frozen=True)
class Signals:
    """One state of one replica, in seconds, tokens and requests."""

    running: Fraction
    step: Fraction
    ttft: Fraction
    prompt: Fraction
    output: Fraction
    tokens: Fraction  # of a request and step
    waiting: Fraction = Fraction(0)
    kv_usage: Fraction = Fraction(1, 2)
    preemptions: Fraction = Fraction(0)  # a second


def calm(found: Deployment) -> Signals:
    """The scenario's own load at a usual share of the bound."""
    running = found.get("b") or Fraction(1)
    context = found.get("T") or Fraction(2)
    return Signals(
        running=running,
        step=step_at(found, running) / NEAR,
        ttft=found.get("t_prefill") or Fraction(1),
        prompt=found.get("T_in") or context / 2,
        output=found.get("T_out") or context / 2,
        tokens=found.get("n") or Fraction(1),
    )


def step_at(found: Deployment, batch: Fraction) -> Fraction:
    """The step at peak rates at a batch, a second where no formula tells it."""
    tree = found.opened("t_step")
    return found.at(tree, batch, found.context) if tree is not None else Fraction(1)
