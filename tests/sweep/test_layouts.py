"""Sizes of a layout gone over together: what fits is evaluated, what does not is counted."""

from __future__ import annotations

from math import prod

import pytest
from click.testing import CliRunner

from derive.cli import main
from derive.errors import DeriveError, render
from derive.sweep.grid import settings

from .conftest import LLAMA, exact, grid, sweep


def layouts(*over: str) -> tuple[list[dict[str, str]], int]:
    """The combinations that are evaluated, and the points left out."""
    found = grid(LLAMA, *over)
    return [settings(found, part) for part in found.parts], found.left_out


def test_what_fits_its_devices_is_kept_and_the_rest_counted() -> None:
    kept, left = layouts("TP=1,2,4", "PP=1,2,4")
    assert [(one["TP"], one["PP"]) for one in kept] == [("1", "4"), ("2", "2"), ("4", "1")]
    assert left == 6


def test_every_point_of_an_inner_axis_is_counted() -> None:
    over = ("devices=4,8", "TP=1,2,4", "PP=1,2,4", "b=1:5")
    kept, left = layouts(*over)
    sizes = [tuple(int(one[n]) for n in ("devices", "TP", "PP")) for one in kept]
    assert all(g == prod(rest) for g, *rest in sizes)
    assert len(sizes) == 5
    assert grid(LLAMA, *over).rows == 25
    assert left == 2 * 9 * 5 - 25


def test_values_are_those_of_each_layout() -> None:
    made = sweep(LLAMA, "TP=1,2,4", "PP=1,2,4", symbols=("TPOT",))
    column = [c.name for c in made.columns].index("TPOT")
    for block, results in made.evaluated():
        rows = made.rows(block, results)
        at = settings(made.grid, made.grid.parts[block.part])
        wanted = exact(LLAMA, [f"{n}={v}" for n, v in at.items()], ("TPOT",))["TPOT"].value
        assert wanted is not None
        assert rows.full(rows.values[column])[0] == pytest.approx(float(wanted.base))


def test_where_nothing_fits_the_first_layout_is_refused() -> None:
    with pytest.raises(DeriveError) as caught:
        layouts("TP=3,5", "PP=3,5")
    [problem] = caught.value.problems
    assert problem.code == "S310"
    assert "3 · 3 · 1" in problem.what.en


def test_other_faults_are_told_all_the_same() -> None:
    for over, code in (("hardware=nope", "S401"), ("TP=1.5", "S303"), ("TP=0", "S304")):
        others = ["PP=1,2,4", *(["TP=1,2,4"] if "TP" not in over else []), over]
        with pytest.raises(DeriveError) as caught:
            layouts(*others)
        assert {p.code for p in caught.value.problems} == {code}


def test_one_size_alone_is_refused_with_what_completes_it() -> None:
    with pytest.raises(DeriveError) as caught:
        layouts("TP=1,2,4")
    assert "PP = 4 or DP = 4 completes the 4 devices" in render(caught.value)


@pytest.mark.parametrize(
    ("lang", "told"), [("en", "6 of 9 points are left out"), ("zh", "略去 9 个点中的 6 个")]
)
def test_the_command_says_how_many_are_left_out(lang: str, told: str) -> None:
    over = ("--over", "TP=1,2,4", "--over", "PP=1,2,4", "--symbols", "TPOT", "--lang", lang)
    done = CliRunner().invoke(main, ["sweep", LLAMA, *over])
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 4)
    assert told in done.stderr
