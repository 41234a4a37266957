"""`derive checklist`: the on-call checklist of a scenario, printed or written to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from derive.errors import DeriveError, Problem
from derive.text import Text

Say = Callable[[Text | str], None]
PRINTED = ("md", "html", "json")  # what a terminal or a pipe can take


def print_or_write(
    ledger: Mapping[str, Any], formats: Sequence[str], lang: str, folder: Path | None, say: Say
) -> None:
    """One text on standard output where no folder is named, else a file a format."""
    from derive.render.report import put_in_place, size

    if folder is None:
        made = render(ledger, formats[0], lang, say).decode()
        click.echo(made, nl=False)
        return
    files = targets(ledger["scenario"]["id"], formats, folder)
    written = {}
    for wanted in formats:
        say(f"{ledger['scenario']['id']}: {wanted}")
        written[files[wanted]] = render(ledger, wanted, lang, say)
    put_in_place(written)
    for path, data in written.items():
        click.echo(f"wrote {path}  ({size(len(data))})")


def targets(scenario: str, formats: Sequence[str], folder: Path) -> dict[str, Path]:
    """The file of each format."""
    from derive.render.report import file_stem

    return {f: folder / f"{file_stem(scenario)}-checklist.{f}" for f in formats}


def render(ledger: Mapping[str, Any], wanted: str, lang: str, say: Say) -> bytes:
    """One format of the checklist; its JSON is the ledger that `derive verify` proves."""
    from derive.render.report import date_of

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
