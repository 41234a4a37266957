"""Time and peak memory of whole processes, caches warm: the report against WeasyPrint alone.

Sweeps are measured in points a second of CPU time on one core.

    .venv/bin/python tools/bench.py [--runs 5] [--scenario NAME]

WeasyPrint alone is a fresh process that reads the finished print HTML with its pictures and fonts
from one file and writes the PDF, nothing switched off. Runs alternate, so that a slow minute of the
machine meets both sides; each figure is the median.
"""

from __future__ import annotations

import argparse
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

DERIVE = str(Path(sys.executable).parent / "derive")
Run = tuple[float, float]

PREPARE = """
import json, pickle, sys
from derive.render.report import print_document
ledger, stored = sys.argv[1:]
with open(ledger) as record, open(stored, "wb") as out:
    pickle.dump(print_document(json.load(record), "both"), out)
"""
ALONE = """
import pickle, sys
from weasyprint import HTML
from weasyprint.urls import URLFetcher, URLFetcherResponse
html, store = pickle.load(open(sys.argv[1], "rb"))
class Stored(URLFetcher):
    def fetch(self, url, headers=None):
        body, mime = store[url]
        return URLFetcherResponse(url, body, {"Content-Type": mime})
HTML(string=html, url_fetcher=Stored(), base_url="derive:").write_pdf(
    sys.argv[2], pdf_variant="pdf/a-3a")
"""


# every formula of a scenario over 512 batches and 8192 contexts: computed, each column in the shape
# of what it depends on, then as one number a row as well; CPU time of this process, one core
SWEEP = """
import sys, time
from derive import asked, sweep_command
from derive.options import PARTS
none = dict.fromkeys(PARTS)
options = {**none, "sets": (), "specs_dirs": ()}
load = lambda changes: asked.load_scenario(sys.argv[1], options, changes, "--over")
axes = sweep_command.axes(["b=1:512", "T=1:8192"], asked.units_of_symbols())
for full in (False, True):
    sweep = sweep_command.planned(axes, load, [], ranges=False)
    start = time.process_time()
    for block, found in sweep.evaluated():
        rows = sweep.rows(block, found)
        if full:
            kept = [rows.full(v) for v in rows.values if v is not None]
    seconds = time.process_time() - start
    print(sweep.grid.rows / seconds / 1e6, len(sweep.columns))
"""
RATE = 2.0  # million points a second: the bar


def points_per_second(scenario: str) -> None:
    """Print the rate of `derive sweep` without files, and with one number a row and column."""
    command = [sys.executable, "-c", SWEEP, scenario]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for what, line in zip(("computed", "one value a row"), done.stdout.splitlines(), strict=True):
        rate, columns = line.split()
        name = f"derive sweep {scenario}, {columns} columns, {what}"
        print(f"{name:<72}{float(rate):>6.1f} million points/s   bar {RATE:g}")


def measure(command: Sequence[str]) -> Run:
    """Seconds and peak MiB of one process; a failure ends the bench."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command[:3])} failed:\n{said.decode()}")
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes on macOS, KiB on Linux
    return seconds, usage.ru_maxrss * unit / 2**20


def alternate(runs: int, *commands: Sequence[str]) -> list[Run]:
    """The median of each command, run in turn; the first round warms caches and is not counted."""
    rounds = [[measure(command) for command in commands] for _ in range(runs + 1)][1:]
    return [
        (statistics.median(t for t, _ in column), statistics.median(m for _, m in column))
        for column in zip(*rounds, strict=True)
    ]


def show(name: str, run: Run, other: Run | None = None) -> None:
    """Print one line: name, seconds, MiB and the ratio to another run."""
    ratio = f"   x {run[0] / other[0]:.2f}" if other else ""
    print(f"{name:<44}{run[0]:>8.3f} s{run[1]:>8.0f} MiB{ratio}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="whole processes, warm caches, medians")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scenario", default="llama-3-70b-on-4x-h100")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stored, python = f"{folder}/print.pickle", sys.executable
        ledger = f"{folder}/{options.scenario}.json"
        report = [DERIVE, "report", options.scenario, "-o", folder]
        measure([*report, "--to", "json"])
        measure([python, "-c", PREPARE, ledger, stored])
        html, store = pickle.loads(Path(stored).read_bytes())  # noqa: S301 - written a line above
        print(f"print HTML {len(html) / 1024:.0f} KiB, {len(store)} stored files")

        full, alone = alternate(
            options.runs, report, [python, "-c", ALONE, stored, f"{folder}/a.pdf"]
        )
        show("WeasyPrint alone, PDF", alone)
        show("derive report, PDF + HTML + JSON", full, alone)

        click, helped = alternate(options.runs, [python, "-c", "import click"], [DERIVE, "--help"])
        show("import click", click)
        show("derive --help", helped, click)
        for name, command in {
            "derive report --to html,json": [*report, "--to", "html,json"],
            "derive eval --json": [DERIVE, "eval", options.scenario, "--json"],
            "derive verify": [DERIVE, "verify", ledger],
            "derive hardware": [DERIVE, "hardware"],
        }.items():
            show(name, alternate(options.runs, command)[0])
        over = ["--over", "b=1:1000", "--over", "T=1:1000", "--to", "parquet", "-o", folder]
        million = [DERIVE, "sweep", options.scenario, *over]
        show("derive sweep --to parquet, 10^6 points", alternate(1, million)[0])
    for scenario in dict.fromkeys((options.scenario, "deepseek-v3-on-8x-h200")):
        points_per_second(scenario)


if __name__ == "__main__":
    main()
