"""`derive audit`: where claims come from, and where what is said of them goes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.audit.document import claims_of, weighs
from derive.audit.fields.stated import stated_claims
from derive.audit.judge import NOTHING, judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.record import of_claim, section
from derive.audit.standard_input import STDIN, asked_once, stdin_text
from derive.command import spoken
from derive.errors import DeriveError, Place, Problem, columns
from derive.options import dump_list, say, show
from derive.specs.lookup import spec_roots
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.audit.types import Claim, Judged

Record = Mapping[str, Any]
LIST = "list"  # every rule instead of one


def audit(
    texts: Sequence[str],
    documents: Sequence[str],
    files: Sequence[str],
    formulas: Sequence[str],
    rule: str | None,
    formats: Sequence[str],
    directory: str,
    specs_dirs: Sequence[str],
    lang: str | None,
    *,
    strict: bool,
    as_json: bool,
) -> bool:
    """Judge and print; whether an error stands (with `strict`, an ambiguity too).

    Without `lang`, files are in both languages, as a report is, and the terminal is in its own.
    """
    if rule is not None:
        show(lang or spoken(click.get_current_context()), explanation(rule))
        return False
    asked_once(*texts, *documents, *files)
    roots = spec_roots(specs_dirs)
    stem = stem_of([*documents, *files])
    if formats:
        ready(Path(directory), formats, stem)
    library = Library(roots)
    documented = chain.from_iterable(claims_of(Path(name), roots) for name in documents)
    read = [  # before anything is printed; whether it is of a document
        *((claim, False) for claim in written(texts, documents, files, formulas, roots)),
        *((claim, True) for claim in documented),
        *((c, False) for c in stated_claims([Path(f) for f in files], formulas, roots)),
    ]
    met: set[tuple[object, object]] = set()
    passed: list[Claim] = []
    records = noted((of_claim(each) for each in weighed(read, library, passed)), met)
    terminal = lang or spoken(click.get_current_context())
    if formats:
        found = {**section(records), "title": titled(documents, files)}
        write(found, formats, lang or "both", terminal, Path(directory), stem, roots)
    elif as_json:
        dump_list("claims", records)
    else:
        print_claims(records, ("en", "zh") if terminal == "both" else (terminal,))
    if passed:
        count = sum(len(claim.figures) for claim in passed)
        say(tr("{count} numbers without a subject were not judged", count=count))
    return any(severity == "error" or (strict and verdict == "ambiguous")
               for severity, verdict in met)  # fmt: skip


def noted(records: Iterable[Record], met: set[tuple[object, object]]) -> Iterator[Record]:
    """The records as they pass, none kept; what severities and verdicts there are is noted."""
    for each in records:
        met.add((each["severity"], each["verdict"]))
        yield each


def print_claims(records: Iterable[Record], languages: Sequence[str]) -> None:
    """Each claim in the terminal as soon as it is judged; a second language follows as a whole."""
    from derive.render.audit_terminal import claim_text

    words = section(())
    first, *others = languages
    later: dict[str, list[str]] = {each: [] for each in others}
    for number, record in enumerate(records):
        click.echo(("\n" if number else "") + claim_text(record, words, first))
        for lang, texts in later.items():
            texts.append(claim_text(record, words, lang))
    for text in chain.from_iterable(later.values()):
        click.echo("\n" + text)


def written(
    texts: Sequence[str], documents: Sequence[str], files: Sequence[str], formulas: Sequence[str],
    roots: tuple[Path, ...],
) -> Iterator[Claim]:  # fmt: skip
    """Every claim on the command line; lines of standard input for `-` and where it names none."""
    nothing = not (texts or documents or files or formulas)
    given = [
        each for text in ([STDIN] if nothing else texts)
        for each in (lines_of_stdin() if text == STDIN else [text])
    ]  # fmt: skip
    if any(not text.strip() for text in given) or (not given and (nothing or texts)):
        hint = tr("write {first}", first='derive audit "H100: 1,979 TFLOPS FP16"')
        raise DeriveError(Problem("C109", tr("no claim is given"), hint=hint))
    return (read_claim(text, roots) for text in given)


def lines_of_stdin() -> list[str]:
    """The claims of standard input, one a line."""
    return [line for line in stdin_text().splitlines() if line.strip()]


def weighed(
    read: Iterable[tuple[Claim, bool]], library: Library, passed: list[Claim]
) -> Iterator[Judged]:
    """The judged claims; `passed` takes those of documents of which there is nothing to say."""
    for claim, documented in read:
        found = judge(claim, library)
        said = not documented or weighs(claim) or any(f.rule != NOTHING for f in found.findings)
        if said:
            yield found
        else:
            passed.append(claim)


def explanation(rule: str) -> Any:
    """The page of a rule, with the claim on which it speaks and the one on which it does not."""
    from derive.audit.rule import rules
    from derive.specs.faults import nearest

    if rule.lower() == LIST:
        return lambda lang: "\n".join(columns([(r.id, r.name.in_(lang)) for r in rules().values()]))
    found = rules().get(rule.upper())
    if found is None:
        what = tr("there is no rule {name}", name=rule[:40])
        every = tr("{command} lists what there is", command=f"derive audit --explain {LIST}")
        hint = nearest(rule.upper(), list(rules())) or every
        raise DeriveError(Problem("C110", what, Place(key="--explain"), hint=hint))

    def page(lang: str) -> str:
        speaks, silent = found.examples(lang)
        fires = tr("speaks on: {claim}", claim=speaks).in_(lang)
        quiet = tr("is quiet on: {claim}", claim=silent).in_(lang)
        return "\n".join(
            [f"{found.id}  {found.name.in_(lang)}", "", found.page.in_(lang), "", fires, quiet]
        )

    return page


def stem_of(documents: Sequence[str]) -> str:
    """The name of the files: that of the one document, else `audit`."""
    from derive.render.report import file_stem

    return f"{file_stem(Path(documents[0]).stem)}-audit" if len(documents) == 1 else "audit"


def titled(documents: Sequence[str], files: Sequence[str]) -> Text:
    """The heading of a page: the title of the one file of claims, else the name of the file."""
    from derive.audit.fields.claims_file import title_of
    from derive.render import audit_page

    if len(named := [*documents, *files]) != 1:
        return audit_page.title_of("", None)
    title = title_of(Path(files[0])) if files else None
    return audit_page.title_of(Path(named[0]).name, title)


def targets(directory: Path, formats: Sequence[str], stem: str) -> dict[str, Path]:
    """The file of each format."""
    return {f: directory / f"{stem}.{f}" for f in formats}


def ready(directory: Path, formats: Sequence[str], stem: str) -> None:
    """Stop before any work where the files could not be put in place."""
    from derive.render.report import check

    check(directory, targets(directory, formats, stem).values())


def write(
    found: dict[str, Any], formats: Sequence[str], lang: str, terminal: str, directory: Path,
    stem: str, roots: tuple[Path, ...],
) -> None:  # fmt: skip
    """All files of the audit, whole or not at all."""
    from derive.audit.rule import rules
    from derive.formula import catalogue, letters
    from derive.notation import known
    from derive.render import audit_page, sarif
    from derive.render.report import put_in_place, size
    from derive.specs import load

    title = found["title"]
    symbols = {name: {"latex": letters(name)} for name in (*known(), *catalogue())}
    data, sources = json_bytes({"claims": found["claims"]}), load.sources(roots)
    made: dict[str, bytes] = {}
    for wanted in formats:
        if wanted == "json":
            made[wanted] = data
        elif wanted == "sarif":
            listed = [(r.id, r.name, r.page) for r in rules().values()]
            made[wanted] = json_bytes(sarif.log(found, listed, terminal))
        elif wanted == "html":
            made[wanted] = audit_page.document(
                found, sources, lang, title, "screen", symbols
            ).encode()
        else:
            made[wanted] = pdf(found, sources, lang, symbols, data)
    files = targets(directory, formats, stem)
    put_in_place({files[f]: content for f, content in made.items()})
    for wanted, content in made.items():
        click.echo(f"wrote {files[wanted]}  ({size(len(content))})")


def pdf(found: dict[str, Any], sources: Any, lang: str, symbols: Any, data: bytes) -> bytes:
    """The PDF; DeriveError where none can be made here."""
    from derive.render import audit_page
    from derive.render.pdf import available, quick_process

    if problem := available():
        raise DeriveError(Problem("R103", problem))
    with quick_process():
        return audit_page.write_pdf(found, sources, lang, found["title"], data, symbols, say)


def json_bytes(value: Any) -> bytes:
    """A record as a file holds it."""
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
