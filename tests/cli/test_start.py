"""What a command may load, and how long it may take: best of five, on a machine that is busy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LAUNCH = "llama-3-70b-on-4x-h100"
AD_HOC = "--model llama-3.1-8b --hardware l4 --devices 1 --batch 4 --input 1000 --output 100"
HEAVY = ("sympy", "pint", "numpy", "jinja2", "weasyprint", "matplotlib", "babel", "fontTools")
PAPER = ("jinja2", "weasyprint", "matplotlib", "fontTools", "ziamath")


def loaded(args: str) -> set[str]:
    """The libraries that a command has imported when it ends."""
    code = (
        "import sys; from derive.cli import main\n"
        "try: main.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*{m.partition('.')[0] for m in sys.modules}, sep='\\n', file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *args.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("args", "unwanted"),
    [
        ("--help", HEAVY),
        ("report --help", HEAVY),
        ("--version", HEAVY),
        ("hardware", ("sympy", *PAPER)),
        ("hardware nvidia-h100-sxm5-80gb --lang zh", ("sympy", *PAPER)),
        ("model", ("sympy", *PAPER)),
        ("model llama-3-70b --json", ("sympy", *PAPER)),
        (f"eval {LAUNCH} --json", PAPER),
        (f"eval {AD_HOC} TPOT", PAPER),
        (f"explain TPOT {LAUNCH}", PAPER),
        (f"compare {LAUNCH} --with b=4", PAPER),
        (f"eval {LAUNCH} TPTO", PAPER),
        (f"checklist {LAUNCH} --to md", PAPER),
        (f"checklist {LAUNCH} --to json", PAPER),
    ],
)
def test_a_command_loads_no_more_than_it_needs(args: str, unwanted: tuple[str, ...]) -> None:
    assert not loaded(args) & set(unwanted)


def children() -> float:
    """Processor seconds of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def quickest(*command: str) -> float:
    """The least processor time of five runs after a warm-up, in seconds.

    Each is one process that waits for nothing, so on an idle machine this is the time on the
    clock; beside other tests it still is what the command itself needs.
    """
    times = []
    for _ in range(6):
        before = children()
        subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, check=True)
        times.append(children() - before)
    return min(times[1:])


def test_help_costs_little_more_than_its_parser() -> None:
    assert quickest("-m", "derive.cli", "--help") < 2.5 * quickest("-c", "import click")


def test_a_printed_checklist_draws_nothing() -> None:
    code = (
        "import sys; from derive.cli import main\n"
        "try: main.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "checklist", LAUNCH, "--to", "md"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "# " in done.stdout
    assert not [m for m in done.stderr.split() if m.startswith("derive.render.charts")]


def test_eval_takes_less_than_a_second() -> None:
    assert quickest("-m", "derive.cli", "eval", LAUNCH, "--json") < 1
