"""Ledgers, and the real promtool, for the tests of monitoring."""

from __future__ import annotations

import copy
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import yaml

LAUNCH = "llama-3-70b-on-4x-h100"
EXPERTS = "deepseek-v3-on-8x-h200"
WINDOWS = "gemma-2-9b-on-1x-l40s"
UNFIT = "article-70b-on-1x-h100"
SMALL = "llama-3.1-8b-on-1x-l4"
SPECULATION = ("speculation.draft=4", "speculation.acceptance=0.7")
DRAFT = (*SPECULATION, "speculation.draft_model=llama-3.1-8b")
APART = ("disaggregation.prefill_devices=4", "disaggregation.link=50 GB/s")
# a name and its settings: dense, experts, windows, nothing fits, no target, a ridge within memory,
# values set by hand, each switch
CASES: dict[str, tuple[str, ...]] = {
    "dense": (LAUNCH,),
    "experts": (EXPERTS,),
    "windows": (WINDOWS,),
    "unfit": (UNFIT,),
    "ridge in memory": (SMALL, "T_in=32", "T_out=32"),
    "by hand": (LAUNCH, "t_step=20 ms", "W_read=100 GB"),
    "long context": ("article-7b-on-1x-a100",),
    "several tokens a step": (LAUNCH, "n=3"),
    "speculation": (LAUNCH, *SPECULATION),
    "draft model": (LAUNCH, *DRAFT),
    "draft model of groups": (LAUNCH, *DRAFT, "devices=8", "TP=4", "DP=2"),
    "prefix cache": (LAUNCH, "prefix_cache.hit=0.5"),
    "whole prompt found": (WINDOWS, "prefix_cache.hit=1"),
    "chunks": (LAUNCH, "chunk=512"),
    "long prompts in chunks": (WINDOWS, "chunk=256", "T_in=6000", "T_out=20"),
    "disaggregation": (LAUNCH, *APART),
    "all that mix": (EXPERTS, *SPECULATION, "prefix_cache.hit=0.25", "chunk=1024"),
    "all that part": (LAUNCH, *SPECULATION, "prefix_cache.hit=0.25", *APART),
}


@cache
def ledger(name: str = LAUNCH, *sets: str) -> dict[str, Any]:
    """The ledger of a scenario with settings; not to be changed."""
    from derive.formula import catalogue
    from derive.notation import SYMBOLS
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study import study

    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    symbols |= {i: f.unit.text for i, f in catalogue().items()}
    asked = [("--set", s) for s in sets]
    found = load.scenario(name, spec_roots(), sets=asked, symbols=symbols)
    made: dict[str, Any] = study(found, load.sources())
    return made


def renamed(scenario: str) -> dict[str, Any]:
    """The launch ledger under words that a hostile spec might choose."""
    made = copy.deepcopy(ledger())
    made["scenario"]["id"] = scenario
    made["scenario"]["title"] = {"en": scenario, "zh": scenario}
    made["verdict"]["sentence"] = {"en": scenario, "zh": scenario}
    return made


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The one that `make test` installs. Without it these tests fail: none is passed over."""
    found = shutil.which("promtool")
    assert found, "no promtool on the path: make test installs it where apt does"
    return subprocess.run([found, *arguments], capture_output=True, text=True, check=False)


def checked(folder: Path, rule_text: str) -> None:
    """Rules that promtool accepts."""
    (folder / "a.rules.yaml").write_text(rule_text, encoding="utf-8")
    done = promtool("check", "rules", str(folder / "a.rules.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr


def ran(folder: Path, rule_text: str, test_text: str) -> subprocess.CompletedProcess[str]:
    """A run of `promtool test rules`; the tests name the rules a.rules.yaml."""
    (folder / "a.rules.yaml").write_text(rule_text, encoding="utf-8")
    (folder / "a.test.yaml").write_text(test_text, encoding="utf-8")
    return promtool("test", "rules", str(folder / "a.test.yaml"))


def holds(folder: Path, rule_text: str, series: list[dict[str, str]], *expected: str) -> None:
    """PromQL conditions that must be true of the recorded series after 30 minutes."""
    body = {
        "rule_files": ["a.rules.yaml"],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": series,
                "promql_expr_test": [
                    {
                        "expr": f"count({condition}) or vector(0)",
                        "eval_time": "30m",
                        "exp_samples": [{"labels": "{}", "value": 1}],
                    }
                    for condition in expected
                ],
            }
        ],
    }
    done = ran(folder, rule_text, yaml.safe_dump(body))
    assert done.returncode == 0, done.stdout + done.stderr
