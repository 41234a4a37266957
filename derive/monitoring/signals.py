"""What a replica could show: the states under which the alerts are tested."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.expression.value import value
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
    found: Fraction = Fraction(0)  # share of the prompts in the prefix cache
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
        tokens=found.gained,
        found=found.get("hit") or Fraction(0),
    )


def step_at(found: Deployment, batch: Fraction, step: str = "") -> Fraction:
    """The step at peak rates at a batch, a second where no formula tells it."""
    tree = found.opened(step or found.step, ("F_step",))
    if tree is None:
        return Fraction(1)
    known = {"b": batch, "T": found.context}
    work = found.opened("F_step")
    if work is not None:
        known["F_step"] = found.at(work, batch, found.context)
        known["F_step"] += (found.get("F_tok") or 0) * riding(found, batch)
    return value(tree, known.__getitem__)


def riding(found: Deployment, batch: Fraction) -> Fraction:
    """Prompt tokens of a mean step where chunks ride on it: as many prompts begin as outputs end."""
    prompt, output = found.get("T_in"), found.get("T_out")
    if not found.on("T_chunk") or not prompt or not output:
        return Fraction(0)
    return batch * found.gained * prompt * (1 - (found.get("hit") or 0)) / output
