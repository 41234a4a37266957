"""A formula is checked when it is declared: what disagrees cannot be imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from derive.errors import DeriveError, render
from derive.formula import CATALOGUE, formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(autouse=True)
def catalogue_kept() -> Iterator[None]:
    before = dict(CATALOGUE)
    yield
    CATALOGUE.clear()
    CATALOGUE.update(before)


def declare(id_: str, units: str, **how: Any) -> None:
    import derive.formulas.forward_pass  # noqa: F401  what the declarations below rest on

    formula(
        id_,
        id_,
        units,
        section="test",
        name=("a", "甲"),
        reason=("b", "乙"),
        example=({}, "1"),
        sources=(),
        **how,
    )


BAD: dict[str, tuple[str, dict[str, Any]]] = {
    "bad_sum": ("FLOP/s/device", {"is_": "P_peak + B_peak"}),
    "bad_difference": ("byte", {"is_": "g * (M_frac * M_dev - T) - W"}),
    "bad_max": ("s", {"is_": "max(F_step / (g * P_peak), Q_step / g)"}),
    "bad_bare_digit": ("FLOP/token", {"is_": "2 * N_act"}),
    "bad_result": ("byte/s", {"is_": "W_read + b * T * kappa"}),
    "bad_rounding": ("byte", {"is_": "floor(W)"}),
    "bad_condition": (
        "FLOP/byte",
        {"is_": "P_peak / B_peak", "exists": ("T < W", ("a", "甲"))},
    ),
    "bad_solution": ("byte", {"solve": ("I_decode", "I_ridge", "b")}),
    "bad_name": ("byte", {"is_": "N * width"}),
    "bad_grammar": ("byte", {"is_": "N * __import__('os')"}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_formula_whose_units_disagree_is_refused(
    name: str, golden: Callable[[str, str], None]
) -> None:
    units, how = BAD[name]
    with pytest.raises(DeriveError) as caught:
        declare(name, units, **how)
    shown = "\n\n".join(render(caught.value, lang) for lang in ("en", "zh"))
    golden(f"declarations/{name}.txt", shown + "\n")
    assert name not in CATALOGUE


@pytest.mark.parametrize("taken", ["I_ridge", "P_peak", "c_op"])
def test_an_id_is_declared_once(taken: str) -> None:
    with pytest.raises(DeriveError, match="E103"):
        declare(taken, "FLOP/byte", is_="P_peak / B_peak")


def test_a_right_formula_is_kept() -> None:
    declare("right", "FLOP/byte", is_="P_peak / B_peak")
    assert CATALOGUE["right"].unit.text == "FLOP/byte"


def test_nought_may_stand_for_any_unit() -> None:
    declare("right", "byte", is_="max(0, W - M_dev * g)")
