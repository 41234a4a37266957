"""Claims of a Markdown or text document: sentences with numbers or statements, with their lines.

A sentence that names no product or model speaks of the last one named in the same section, or of
the one that a heading above it names. Where a sentence counts the devices that run a model, that
count and the precision are carried too. A table's cell is read with its row's first cell and its
column's head.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from derive.audit.prose import DIGIT, Piece, pieces
from derive.audit.reading.claim import read_claim
from derive.audit.reading.normal import LONGEST
from derive.audit.standard_input import is_stdin, stdin_text
from derive.errors import DeriveError, Place, Problem, harmless, printable, reason
from derive.text import Text, tr

if TYPE_CHECKING:
    from pathlib import Path

    from derive.audit.types import Claim, Figure, Named, Term

LARGEST = 16 * 1024 * 1024  # bytes of a document
LASTS = 6  # sentences that a name is remembered for where no heading says it
MOST = 10_000  # sentences, headings and table cells with a number
PROPORTION = re.compile(
    r"越[大小高低长短多少].{1,32}越[大小高低长短多少快慢]"
    r"|\bthe (?:larger|smaller|more|fewer|longer|shorter|higher|lower|less)\b.{1,60}"
    r"\bthe (?:larger|smaller|more|fewer|longer|shorter|higher|lower|less|faster|slower)\b",
    re.IGNORECASE,
)
# roles that a subject alone gives nothing to judge by: how many, how long, which part
WEIGHTLESS = (
    "",
    "number",
    "share",
    "ratio",
    "time",
    "devices",
    "tokens",
    "shape",
    "batch",
    "concurrency",
)


@dataclass
class Section:
    """What a heading and the sentences below it have named, in their order."""

    level: int = 0
    hardware: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    precision: str = ""
    since: int = 0  # sentences since the last name
    titled: bool = False  # what it holds was named by the heading itself

    def pass_on(self) -> None:
        """One sentence more; what no heading says is forgotten after some."""
        self.since += 1
        if self.since > LASTS and not self.titled:
            self.hardware, self.models, self.precision = [], [], ""

    def names(self, kind: str, *, own: bool) -> str:
        """The last name of a kind; to a deeper section only one that is alone or in the heading."""
        held: list[str] = getattr(self, kind)
        alone = len(set(held)) == 1 or self.titled
        return held[-1] if held and (own or alone) else ""


def claims_of(path: Path, roots: tuple[Path, ...]) -> Iterator[Claim]:
    """Every claim of a document; DeriveError where the file cannot be read."""
    found = list(islice(pieces(read_text(path)), MOST + 1))
    if len(found) > MOST:
        what = tr("{file} holds more than {most} sentences: split it",
                  file=printable(str(path), 120), most=f"{MOST:,}")  # fmt: skip
        raise DeriveError(Problem("A204", what, Place(str(path))))
    return claims(found, path, roots)


def claims(found: Iterable[Piece], path: Path, roots: tuple[Path, ...]) -> Iterator[Claim]:
    """The claims of the pieces; headings open and close sections."""
    sections = [Section()]
    for piece in found:
        claim = read(piece, path, roots)
        if piece.level:
            while sections[-1].level >= piece.level:
                sections.pop()
            sections.append(Section(piece.level))
            remember(sections[-1], claim)
            sections[-1].titled = bool(sections[-1].hardware or sections[-1].models)
            continue
        sections[-1].pass_on()
        if DIGIT.search(piece.text) and claim.figures:
            yield told(claim, sections, piece, path, roots)
        elif not piece.cell and states(claim):
            yield claim  # of what it names itself
        if not piece.cell:
            remember(sections[-1], claim)


def states(claim: Claim) -> bool:
    """Whether a sentence without a figure says something that the formulas may decide.

    That a model fits on a device, on which side of the ridge a device works, what grows when
    something else does; only in words that leave no doubt that just this is said.
    """
    if PROPORTION.search(claim.text):
        return True
    side = claim.says("subject", "ridge_batch", "memory_bound") and claim.says("tokens")
    fits = claim.models and claim.says("subject", "fits", "unfit")
    return bool(claim.hardware and (side or fits))


def told(
    claim: Claim, sections: list[Section], piece: Piece, path: Path, roots: tuple[Path, ...]
) -> Claim:
    """A claim; where it names no product or model, read again behind what the sections name."""
    hardware = "" if claim.hardware else carried("hardware", sections)
    models = "" if any(is_name(n) for n in claim.models) else carried("models", sections)
    if not hardware and not models:
        return claim
    if hardware and claim.of("devices"):
        hardware = hardware.split("× ")[-1]
    precision = "" if claim.says("precision") or not models else sections[-1].precision
    head = ", ".join(filter(None, (hardware, models, precision))) + ": "
    again = read(replace(piece, text=head + piece.text), path, roots)
    return shifted(again, len(head), piece.text)


def carried(kind: str, sections: list[Section]) -> str:
    """The name of a kind that is nearest: in this section, else in those around it."""
    named = (s.names(kind, own=s is sections[-1]) for s in reversed(sections))
    return next(filter(None, named), "")


def shifted(claim: Claim, by: int, text: str) -> Claim:
    """A claim whose spans count from the sentence itself; what was put before it has no place."""

    def back(span: tuple[int, int]) -> tuple[int, int]:
        return (max(0, span[0] - by), max(0, span[1] - by))

    hardware = tuple(replace(n, span=back(n.span)) for n in claim.hardware)
    models = tuple(replace(n, span=back(n.span)) for n in claim.models)
    figures = tuple(
        replace(
            f, span=back(f.span),
            hardware=f.hardware and replace(f.hardware, span=back(f.hardware.span)),
            model=f.model and replace(f.model, span=back(f.model.span)),
        )
        for f in claim.figures if f.span[0] >= by or f.role == "devices"
    )  # fmt: skip
    terms: tuple[Term, ...] = tuple(replace(t, span=back(t.span)) for t in claim.terms)
    unread = tuple(back(s) for s in claim.unread if s[0] >= by)
    named = replace(claim, hardware=hardware, models=models)
    return replace(named, text=text, figures=figures, terms=terms, unread=unread)


def read(piece: Piece, path: Path, roots: tuple[Path, ...]) -> Claim:
    """One piece; what cannot be seen in it is passed over, a document is not a command line."""
    text = "".join(c if harmless(c) else " " for c in piece.text)[:LONGEST]
    column = piece.columns[0] if piece.columns else 0
    made = read_claim(text, roots, Place(path.as_posix(), piece.line, column))
    return replace(made, columns=piece.columns)


def remember(section: Section, claim: Claim) -> None:
    """Keep the names of a sentence for those behind it, with how many devices run the model."""
    if claim.hardware or claim.models:
        section.since = 0
    counts: dict[tuple[int, int], Figure] = {
        f.hardware.span: f for f in claim.of("devices") if f.hardware
    }
    compared = claim.says("relation", "than", "times", "more", "less")
    for name in reversed(claim.hardware) if compared else claim.hardware:  # its subject comes last
        if name.ids:
            count = counts.get(name.span) if claim.models else None
            section.hardware.append(f"{count.value}× {name.text}" if count else name.text)
    section.models += [n.text for n in claim.models if is_name(n)]
    if claim.models and counts:  # the deployment is told
        said = [t for t in claim.terms if t.kind == "precision"]
        section.precision = claim.text[slice(*said[0].span)] if len(said) == 1 else ""


def is_name(model: Named) -> bool:
    """Whether it names a model: by its name, or as "a 7B model"; not "70.6 billion parameters"."""
    return bool(model.ids) or model.text.endswith("B")


def weighs(claim: Claim) -> bool:
    """Whether a number of the claim is a figure of something named."""
    subject = claim.hardware or any(n.size is None for n in claim.models)
    return bool(subject) and any(f.role not in WEIGHTLESS for f in claim.figures)


def read_text(path: Path) -> str:
    """The document's text; DeriveError A201 to A203."""
    if is_stdin(path):
        return stdin_text()
    shown = printable(str(path), 120)

    def refused(code: str, what: Text) -> DeriveError:
        return DeriveError(Problem(code, what, Place(str(path))))

    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe may never end
            raise refused("A201", tr("{file} is not a regular file", file=shown))
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise refused(
            "A201", tr("cannot read {file}: {why}", file=shown, why=reason(error))
        ) from None
    except ValueError:  # a NUL in the name
        raise refused("A201", tr("{file} is no file name", file=shown)) from None
    if len(raw) > LARGEST:
        most = LARGEST // 2**20
        raise refused("A202", tr("{file} is larger than {most} MiB", file=shown, most=most))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused("A203", tr("{file} is no text in UTF-8", file=shown)) from None
