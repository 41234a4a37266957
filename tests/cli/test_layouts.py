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


OF_A_LAYOUT = ("Q_laid", "W_laid", "t_busy", "W_one", "N_par", "N_mb")


def test_what_a_layout_has_is_asked_for_in_the_terms_of_a_user() -> None:
    for lang, told in (
        ("en", "exists only where PP or DP is above one"),
        ("zh", "仅当 PP 或 DP 大于 1"),
    ):
        lines = run("eval", LAUNCH, *OF_A_LAYOUT, "--lang", lang).stdout.splitlines()
        assert [line.split()[0] for line in lines] == [*OF_A_LAYOUT]
        assert all(told in line for line in lines)
    lines = run("eval", LAUNCH, *OF_A_LAYOUT, "--set", "PP=2").stdout.splitlines()
    assert not any(" – " in line.partition("(")[0] for line in lines)


def test_a_prefill_pool_is_said_to_have_no_such_layout() -> None:
    pool = ("disaggregation.prefill_devices=4", "disaggregation.link=50 GB/s", "PP=2")
    sets = [word for setting in pool for word in ("--set", setting)]
    for lang, told in (("en", "prefill has devices of its own"), ("zh", "prefill 使用专用设备")):
        assert told in run("eval", LAUNCH, "t_busy", *sets, "--lang", lang).stdout


def test_what_follows_from_a_layout_is_set_with_the_layout_alone() -> None:
    for setting in ("N_par=3", "N_mb=3", "t_busy=1 s", "Q_laid=5 GB"):
        done = CliRunner().invoke(main, ["eval", LAUNCH, "TPOT", "--set", setting, "--lang", "en"])
        assert (done.exit_code, done.stdout) == (2, "")
        assert "PP" in done.stderr
        assert "DP" in done.stderr
    assert "1 s" in run("eval", LAUNCH, "t_busy", "--set", "t_busy=1 s", "--set", "PP=2").stdout
