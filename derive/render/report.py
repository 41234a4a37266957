"""The report: all files of a ledger made first, then put in place, whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from derive.errors import DeriveError, Place, Problem, printable, reason
from derive.text import tr

Say = Callable[[str], None]
Ledger = Mapping[str, Any]

UNSAFE = re.compile(r"[^\w.+-]+")
OBJECTS = re.compile(rb"/ObjStm[^<>]*>>\s*stream\r?\n")
COUNT = re.compile(rb"/Type ?/Pages[^>]*?/Count (\d+)")


def write_report(
    ledger: Ledger, formats: Sequence[str], lang: str, directory: Path, say: Say
) -> bool:
    """Write `directory`/<scenario>.<format> for each format; False where no PDF can be made here.

    Raises DeriveError R101 where the directory cannot be written.
    """
    stem = file_stem(str(ledger["scenario"]["id"]))
    targets = {f: directory / f"{stem}.{f}" for f in formats}
    check(directory, targets.values())
    made: dict[str, tuple[bytes, str]] = {}
    complete = True
    for wanted in formats:
        if wanted == "pdf":
            from derive.render import pdf

            if problem := pdf.available():
                say(f"{problem.en}\n{problem.zh}")
                complete = False
                continue
        say(f"{stem}: {wanted}")
        made[wanted] = render(ledger, wanted, lang, stem, say)
    put_in_place({targets[f]: data for f, (data, _) in made.items()})
    for wanted, (data, about) in made.items():
        click.echo(f"wrote {targets[wanted]}  ({about}{size(len(data))})")
    return complete


def render(ledger: Ledger, wanted: str, lang: str, stem: str, say: Say) -> tuple[bytes, str]:
    """One file's bytes, and what is worth saying of it."""
    if wanted == "json":
        from derive.ledger import dump

        return dump(ledger).encode(), ""
    if wanted == "md":
        from derive.render import markdown

        return markdown.document(ledger, lang, stem, date_of(ledger)[0]).encode(), ""
    if wanted == "html":
        from derive.render import html

        return html.document(ledger, lang, stem, date_of(ledger)[0]).encode(), ""
    data = render_pdf(ledger, lang, stem, say)
    pages = page_count(data)
    return data, f"{pages} pages, " if pages else ""


def render_pdf(ledger: Ledger, lang: str, stem: str, say: Say) -> bytes:
    """The PDF, the ledger attached."""
    from derive.ledger import dump
    from derive.render import fonts, pdf, printed

    shown, stamp = date_of(ledger)
    fonts.faces(progress=lambda text: say(text.en))
    html, view = printed.document(ledger, lang, stem, shown)
    if view.missing:
        codes = ", ".join(f"U+{ord(c):04X}" for c in view.missing)
        say(tr("no font of the report has {codes}: printed as code points", codes=codes).en)
    record = (f"{stem}.json", dump(ledger).encode(), "application/json", "derive ledger")
    return pdf.write(
        html,
        view.eq.store,
        title=view.w.plain(view.scenario["title"]),
        lang=view.w.langs[0],
        date=stamp,
        attachments=[record],
        progress=lambda text: say(text.en),
    )


def print_document(ledger: Ledger, lang: str) -> tuple[str, dict[str, tuple[bytes, str]]]:
    """The finished HTML for print, its fonts named by rule, and everything it refers to."""
    from derive.render import fonts, printed

    stem = file_stem(str(ledger["scenario"]["id"]))
    html, view = printed.document(ledger, lang, stem, date_of(ledger)[0])
    store, rules = dict(view.eq.store), ""
    drawings = "".join(data.decode() for data, mime in store.values() if "svg" in mime)
    for number, face in enumerate(fonts.faces(html + drawings)):
        url = f"derive:font/{number}"
        store[url] = (face.data, "font/ttf")
        rules += (
            f'@font-face{{font-family:"{face.family}";font-weight:{face.weight};src:url({url})}}'
        )
    return html.replace("<style>", f"<style>{rules}", 1), store


def file_stem(identifier: str) -> str:
    """A file name of letters, digits, dot, plus and hyphen; never hidden, never empty."""
    return UNSAFE.sub("-", identifier).strip(".-")[:100] or "report"


def date_of(ledger: Ledger) -> tuple[str, datetime | None]:
    """The scenario's date or SOURCE_DATE_EPOCH, as text and as time; nothing without either."""
    with suppress(TypeError, ValueError):
        day = datetime.fromisoformat(str(ledger["scenario"]["date"])).replace(tzinfo=UTC)
        return day.strftime("%Y-%m-%d"), day
    with suppress(KeyError, ValueError, OverflowError, OSError):
        day = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
        return day.strftime("%Y-%m-%d"), day
    return "", None


def page_count(pdf: bytes) -> int:
    """The pages of a PDF as WeasyPrint writes it; 0 where they cannot be told."""
    for start in OBJECTS.finditer(pdf):
        if found := COUNT.search(zlib.decompressobj().decompress(pdf[start.end() :])):
            return int(found[1])
    return 0


def size(count: int) -> str:
    """A file's size in kB."""
    return f"{max(1, round(count / 1000)):,} kB"


def check(directory: Path, targets: Any) -> None:
    """Stop before any work where the files could not be put in place."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise unwritable(directory, error) from error
    for target in targets:
        if target.is_dir():
            raise DeriveError(
                Problem(
                    "R102",
                    tr("{path} is a directory", path=printable(str(target))),
                    Place(str(target)),
                )
            )


def unwritable(path: Path, error: OSError) -> DeriveError:
    """One clear message for whatever the file system says."""
    what = tr("cannot write to {path}: {why}", path=printable(str(path)), why=reason(error))
    return DeriveError(Problem("R101", what, Place(str(path))))


def put_in_place(files: Mapping[Path, bytes]) -> None:
    """All files or none: each is written beside its target, then renamed; a failure undoes."""
    with beside(list(files)) as ready:
        for target, data in files.items():
            ready[target].write_bytes(data)


@contextmanager
def beside(targets: Sequence[Path]) -> Iterator[dict[Path, Path]]:
    """A file beside each target, to be written meanwhile; put in place where nothing failed."""
    ready: dict[Path, Path] = {}
    done: list[tuple[Path, Path | None]] = []
    try:
        for target in targets:
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=".derive-")
            os.close(handle)
            ready[target] = Path(name)
            ready[target].chmod(0o666 & ~umask())
        yield ready
        for target, new in ready.items():
            done.append((target, earlier(target, new)))
            new.replace(target)
    except OSError as error:
        for target, old in reversed(done):
            with suppress(OSError):
                target.unlink(missing_ok=True) if old is None else old.replace(target)
        raise unwritable(targets[0].parent, error) from error
    finally:
        for path in (*ready.values(), *(old for _, old in done if old)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def earlier(target: Path, new: Path) -> Path | None:
    """A second name for the file that is about to be replaced; None where there is none."""
    if not target.exists():
        return None
    old = target.with_name(f"{new.name}.old")
    try:
        old.hardlink_to(target)
    except OSError:  # not every file system has them
        shutil.copyfile(target, old)
    return old


def umask() -> int:
    """The permissions that new files must not have."""
    found = os.umask(0)
    os.umask(found)
    return found
