"""`derive compare --to`: one document with the same derivations for every candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.errors import DeriveError, Problem
from derive.specs import load
from derive.text import tr

if TYPE_CHECKING:
    from derive.specs.types import Scenario


def write(
    base: Scenario, others: Sequence[tuple[str, Scenario]], formats: Sequence[str], lang: str,
    directory: Path, roots: Sequence[Path],
) -> None:  # fmt: skip
    """Derive, then make every file, then put all of them in place."""
    from derive.options import say
    from derive.render.report import check, file_stem, put_in_place, size
    from derive.study.compare_document import document

    stem = f"{file_stem(base.id)}-compared"
    targets = {f: directory / f"{stem}.{f}" for f in formats}
    check(directory, targets.values())
    say(tr("{name}: comparing {count} candidates", name=base.id, count=len(others)))
    record = document(base, others, load.sources(roots))
    made: dict[Path, bytes] = {}
    for wanted in formats:
        say(f"{stem}: {wanted}")
        made[targets[wanted]] = render(record, wanted, lang, stem)
    put_in_place(made)
    for path, data in made.items():
        click.echo(f"wrote {path}  ({size(len(data))})")


def render(record: Mapping[str, Any], wanted: str, lang: str, stem: str) -> bytes:
    """One format of the document."""
    from derive.ledger import dump

    if wanted == "json":
        return dump(dict(record)).encode()
    if wanted == "md":
        from derive.render import compare_markdown

        return compare_markdown.document(record, lang).encode()
    from derive.render import compare_page

    if wanted == "html":
        return compare_page.html(record, lang)
    from derive.render.pdf import available

    if problem := available():
        raise DeriveError(Problem("R103", problem))
    return compare_page.pdf(record, lang, stem, dump(dict(record)).encode())
