"""What commands say of a layout: cautions beside values, without findings of a report."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from derive.cli import main

LAUNCH = "llama-3-70b-on-4x-h100"
THREE = ("--set", "devices=3", "--set", "TP=3", "--set", "PP=1", "--set", "DP=1")


def run(*args: str) -> Result:
    """A command in this process that must work."""
    done = CliRunner().invoke(main, args)
    assert (done.exit_code, done.exception) == (0, None), done.stderr
    return done


def cautions(done: Result, sign: str = "caution: ") -> list[str]:
    """What stderr warns of."""
    return [line.removeprefix(sign) for line in done.stderr.splitlines() if line.startswith(sign)]


@pytest.mark.parametrize("layout", [THREE, ("--devices", "3")], ids=["named", "unnamed"])
def test_eval_cautions_where_the_heads_do_not_divide(layout: tuple[str, ...]) -> None:
    [said] = cautions(run("eval", LAUNCH, "TPOT", *layout, "--lang", "en"))
    assert said.startswith("64 query heads do not divide evenly over the 3 devices")
    [said] = cautions(run("eval", LAUNCH, "TPOT", *layout, "--lang", "zh"), "注意：")
    assert said.startswith("64 个查询头不能均分到")


def test_eval_cautions_where_layers_part_unevenly() -> None:
    stages = ("--set", "devices=3", "--set", "PP=3")
    [said] = cautions(run("eval", LAUNCH, "TPOT", *stages, "--lang", "en"))
    assert said.startswith("80 layers do not part evenly over 3 stages: the longest holds 27")
    [said] = cautions(run("eval", LAUNCH, "TPOT", *stages, "--lang", "zh"), "注意：")
    assert said.startswith("80 层不能均分为 3 级")


def test_a_layout_that_divides_is_not_cautioned() -> None:
    for layout in ((), ("--set", "PP=2"), ("--set", "TP=2", "--set", "DP=2")):
        assert cautions(run("eval", LAUNCH, "TPOT", *layout, "--lang", "en")) == []


def test_json_stays_alone_on_stdout() -> None:
    done = run("eval", LAUNCH, "TPOT", *THREE, "--json", "--lang", "en")
    assert json.loads(done.stdout)["values"].keys() == {"TPOT"}
    assert len(cautions(done)) == 1


def test_compare_cautions_each_layout_once() -> None:
    changes = ("--with", "devices=3", "--with", "devices=6", "--with", "devices=3,b=4")
    said = cautions(run("compare", LAUNCH, *changes, "--lang", "en"))
    assert [s.split("over the ")[1][:9] for s in said] == ["3 devices", "6 devices"]
