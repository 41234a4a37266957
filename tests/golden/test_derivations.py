"""Derivations of the key formulas, word for word: symbols, values, reasons, checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from derive.derivation.numeric import value_steps
from derive.derivation.points import Point
from derive.derivation.proof import proved
from derive.derivation.steps import RULES, Step
from derive.expression.text import plain
from derive.formula import catalogue, unit_of
from derive.text import LANGUAGES
from derive.units import read

if TYPE_CHECKING:
    from collections.abc import Callable

# Llama-3-70B in bf16 on four H100 SXM, eight requests, 2,048 tokens in and 256 out
GIVEN = {
    "P_peak": "989.5 TFLOP/s/device",
    "B_peak": "3.35 TB/s/device",
    "g": "4 device",
    "N": "70,553,706,496 param",
    "N_act": "70,553,706,496 param",
    "w": "2 byte/param",
    "L": "80",
    "H_kv": "8",
    "d_head": "128 element/token",
    "w_kv": "2 byte/element",
    "b": "8 request",
    "n": "1 token/request",
    "T": "2,304 token/request",
    "MFU": "0.5",
    "MBU": "0.6",
    "target_TPOT": "25 ms*request/token",
}
KEY = ("I_decode", "I_decode_inf", "b_crit", "b_crit_T", "T_wall", "b_slo")


def point(**changed: str) -> Point:
    values = {n: read(t).quantity for n, t in {**GIVEN, **changed}.items()}
    assert all(q.dimension == unit_of(n).dimension for n, q in values.items())
    return Point({n: q.base for n, q in values.items()})


def lines(steps: Iterable[Step]) -> Iterable[str]:
    for number, step in enumerate(steps, 1):
        before = f"= {plain(step.before)} " if step.before else ""
        line = f"{plain(step.left)} {before}{step.relation} {plain(step.right)}"
        yield f"{number:2} {RULES[step.rule].en}: {line}"
        if step.struck:
            yield f"     struck out: {', '.join(step.struck)}"
        if step.reason:
            yield from (f"     {step.reason.in_(lang)}" for lang in LANGUAGES)
        yield "     checked by " + ", ".join(f"{c.by} ({c.found})" for c in step.checks)


def derivation(name: str, at: Point) -> str:
    formula, made = catalogue()[name], proved(name)
    parts = [
        f"{name} [{formula.unit.text}]",
        formula.name.en,
        formula.name.zh,
        "",
        *lines(made.steps),
    ]
    if made.dense_steps:
        parts += ["", "for a dense model", *lines(made.dense_steps)]
    parts += ["", "with values", *lines(value_steps(formula, at))]
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize("name", KEY)
def test_derivation(name: str, golden: Callable[[str, str], None]) -> None:
    at = point(T="1,024 token/request") if name == "b_crit_T" else point()
    golden(f"derivations/{name}.txt", derivation(name, at))
