"""`derive checklist`: the on-call checklist of a scenario, printed or written to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.errors import DeriveError, Place, Problem, printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.specs.types import Scenario

Say = Callable[[Text | str], None]
PRINTED = ("md", "html", "json", "prometheus", "grafana")  # what a terminal or a pipe can take
# the twins for machines, under the endings that their users look for; rules come with their tests
ENDINGS = {
    "prometheus": ".rules.yaml",
    "prometheus tests": ".rules-test.yaml",
    "grafana": ".grafana.json",
}


def print_or_write(
    ledger: Mapping[str, Any],
    formats: Sequence[str],
    lang: str,
    folder: Path | None,
    say: Say,
    labels: Mapping[str, str],
) -> None:
    """One text on standard output where no folder is named, else the files of each format."""
    from derive.render.report import put_in_place, size

    if folder is None:
        made = render(ledger, formats[0], lang, say, labels).decode()
        click.echo(made, nl=False)
        return
    written = {}
    for wanted, path in targets(ledger["scenario"]["id"], formats, folder).items():
        say(f"{ledger['scenario']['id']}: {wanted}")
        written[path] = render(ledger, wanted, lang, say, labels)
    put_in_place(written)
    for path, data in written.items():
        click.echo(f"wrote {path}  ({size(len(data))})")


def of_first_run(
    files: Sequence[str], scenario: Scenario, options: dict[str, Any], roots: Sequence[Path],
    say: Say,
) -> list[str]:  # fmt: skip
    """Load and figures of the first run as exact settings: the ledger can be made again."""
    from derive import measure_command as command
    from derive.measured.against.setting import LOAD

    found = command.measured(files, lambda _: scenario, command.set_by_hand(options), roots)
    timed = [(run, there) for run, there in found.bounded if there.figures]
    if not timed:
        what = tr("no run in these files has a TTFT, a TPOT or a throughput")
        raise DeriveError(Problem("B111", what, Place(key="--measured")))
    run, there = timed[0]
    if len(timed) > 1:
        say(tr("{count} runs: the checklist is that of the first, {file}",
               count=len(timed), file=printable(run.place.file, 120)))  # fmt: skip
    for note in there.notes:
        say(note)
    at_run = there.bound.scenario
    load = {n: at_run.values[n] for n in LOAD if at_run.values.get(n) != scenario.values.get(n)}
    figures = {n: at_run.overrides[n] for n in there.figures if n in at_run.overrides}
    by_hand = set(command.set_by_hand(options))
    return [
        f"{name}={value.quantity.text}"
        for name, value in {**load, **figures}.items()
        if name not in by_hand and value is not None
    ]


def targets(scenario: str, formats: Sequence[str], folder: Path) -> dict[str, Path]:
    """The file of each format; beside the rules that of their tests."""
    from derive.render.report import file_stem

    stem = file_stem(scenario)
    every = [w for f in formats for w in ((f, f"{f} tests") if f == "prometheus" else (f,))]
    return {f: folder / (stem + ENDINGS.get(f, f"-checklist.{f}")) for f in every}


def render(
    ledger: Mapping[str, Any], wanted: str, lang: str, say: Say, labels: Mapping[str, str]
) -> bytes:
    """One format of the checklist; its JSON is the ledger that `derive verify` proves."""
    from derive.render.report import date_of

    if wanted in ENDINGS:
        return machine_readable(ledger, wanted, lang, labels).encode()

    date = date_of(ledger)[0]
    if wanted == "json":
        from derive.ledger import dump

        return dump(dict(ledger)).encode()
    if wanted == "md":
        from derive.render import checklist_markdown

        return checklist_markdown.document(ledger, lang, date).encode()
    from derive.render import checklist_page

    if wanted == "html":
        return checklist_page.document(ledger, lang, date).encode()
    from derive.render.pdf import available

    if problem := available():
        raise DeriveError(Problem("R103", problem))
    return checklist_page.write_pdf(ledger, lang, say)


def machine_readable(
    ledger: Mapping[str, Any], wanted: str, lang: str, labels: Mapping[str, str]
) -> str:
    """Rules, their tests or the dashboard."""
    from derive import monitoring

    if wanted == "grafana":
        return monitoring.dashboard(ledger, lang)
    if wanted == "prometheus":
        return monitoring.rules(ledger, lang, only=labels)
    rule_file = targets(ledger["scenario"]["id"], ["prometheus"], Path())["prometheus"].name
    return monitoring.rules_tests(ledger, rule_file, only=labels)
