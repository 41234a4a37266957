"""Judged claims as HTML and PDF: the same template, for the window and for paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from derive import __version__
from derive.render import fonts, judged, page
from derive.render.html import BOLD, FACES, TAGS
from derive.render.words import Words, seen
from derive.text import Text, tr

Section = Mapping[str, Any]  # the claims of a record with the words of verdicts and severities
Sources = Mapping[str, Any]
Symbols = Mapping[str, Mapping[str, str]]  # id to its LaTeX


def document(
    audit: Section, sources: Sources, lang: str, title: Text, medium: str, symbols: Symbols
) -> str:
    """The finished page for "screen" (fonts inside) or "print"."""
    words, claims = Words(lang, symbols), audit["claims"]
    keys = [k for k in dict.fromkeys(s for c in claims for s in c["sources"]) if k in sources]
    numbers = {key: number for number, key in enumerate(keys, 1)}
    counts = {v: sum(c["verdict"] == v for c in claims) for v in audit["verdicts"]}
    text = page.environment().get_template("audit.html").render(
        w=words, title=title, medium=medium, audit_words=judged.words(audit),
        counts=[(v, n) for v, n in counts.items() if n],
        claims=[judged.view(c, numbers, anchor) for c, anchor in with_anchors(claims)],
        sources=[sources[k] for k in keys], program=f"derive {__version__}",
    )  # fmt: skip
    text = seen(text)
    if medium == "print":
        return fonts.spelled(text) if fonts.uncovered(text) else text
    plain = page.characters(TAGS.sub("", text))
    bold = page.characters("".join(TAGS.sub("", m[2]) for m in BOLD.finditer(text)))
    return text.replace(FACES, f"<style>\n{fonts.web_faces(plain, bold)}\n</style>", 1)


def with_anchors(claims: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], str]]:
    """Each claim with its anchor; the first of a verdict carries the verdict's own."""
    known: set[str] = set()
    made = []
    for number, claim in enumerate(claims, 1):
        first = claim["verdict"] not in known
        known.add(claim["verdict"])
        made.append((claim, f"v-{claim['verdict']}" if first else f"c-{number}"))
    return made


def write_pdf(
    audit: Section,
    sources: Sources,
    lang: str,
    title: Text,
    data: bytes,
    symbols: Symbols,
    say: Callable[[str], None],
) -> bytes:
    """The PDF with the record attached."""
    from derive.render import pdf

    words = Words(lang, {})
    attached = ("audit.json", data, "application/json", "audit record of derive")
    return pdf.write(
        document(audit, sources, lang, title, "print", symbols), {},
        title=words.plain(title), lang=words.langs[0], attachments=[attached],
        progress=lambda text: say(text.en),
    )  # fmt: skip


def title_of(name: str, title: Text | None) -> Text:
    """The heading: the title that a file gives its claims, else its name."""
    if title:
        return tr("Audit: {name}", name=title)
    return tr("Audit: {name}", name=name) if name else tr("Audit of claims")
