"""`derive checklist --to prometheus,grafana`: the files, what is printed, what promtool says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml
from click.testing import CliRunner

from derive.cli import main

from .monitored import LAUNCH, promtool

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"{LAUNCH}{end}" for end in (".grafana.json", ".rules-test.yaml", ".rules.yaml")]


def test_the_files_stand_together_and_hold(tmp_path: Path) -> None:
    asked = ["checklist", LAUNCH, "--to", "prometheus,grafana", "--match", "job=vllm"]
    done = CliRunner().invoke(main, [*asked, "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in tmp_path.iterdir()) == NAMES
    assert done.stdout.count("wrote ") == 3
    found = promtool("test", "rules", str(tmp_path / NAMES[1]))
    assert found.returncode == 0, found.stdout + found.stderr
    assert 'vllm:num_requests_running{job="vllm"}' in (tmp_path / NAMES[2]).read_text("utf-8")


def test_one_text_is_printed() -> None:
    rules = CliRunner().invoke(main, ["checklist", LAUNCH, "--to", "prometheus", "--lang", "zh"])
    (group,) = yaml.safe_load(rules.stdout)["groups"]
    alert = next(r for r in group["rules"] if r.get("alert") == "RequestsWaiting")
    assert alert["annotations"]["summary"] == "{{ $labels.instance }} 有请求排队"
    board = CliRunner().invoke(main, ["checklist", LAUNCH, "--to", "grafana", "--lang", "en"])
    assert json.loads(board.stdout)["title"] == "Llama 3 70B chat on four H100"
