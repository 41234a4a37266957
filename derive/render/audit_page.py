"""Judged claims as HTML and PDF: the same template, for the window and for paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from derive import __version__
from derive.render import fonts, page
from derive.render.html import BOLD, FACES, TAGS
from derive.render.words import Words, seen
from derive.text import Text, tr

TONE = {"error": "missed", "warning": "warn", "info": "met"}


@dataclass(frozen=True)
class Audit:
    """What the printers need of an audit: its record, the words of verdicts, and the sources."""

    record: Mapping[str, Any]
    verdicts: Mapping[str, Text]
    severities: Mapping[str, Text]
    grave: Mapping[str, str]  # verdict -> severity
    sources: Mapping[str, Any]


def document(audit: Audit, lang: str, title: Text, medium: str) -> str:
    """The finished page for "screen" (fonts inside) or "print"."""
    words = Words(lang, {})
    claims = audit.record["claims"]
    keys = list(dict.fromkeys(s for c in claims for s in c["sources"]))
    counts = {v: sum(c["verdict"] == v for c in claims) for v in audit.verdicts}
    text = page.environment().get_template("audit.html").render(
        w=words, title=title, medium=medium, verdicts=audit.verdicts, severities=audit.severities,
        tone={v: TONE[s] for v, s in audit.grave.items()},
        counts=[(v, n) for v, n in counts.items() if n],
        claims=[view(c, keys, first) for c, first in with_anchors(claims)],
        sources=[audit.sources[k] for k in keys if k in audit.sources],
        program=f"derive {__version__}",
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


def view(claim: Mapping[str, Any], keys: Sequence[str], anchor: str) -> dict[str, Any]:
    """A claim as the template asks for it."""
    read = claim["understood"]
    spans = [s for f in claim["findings"] if f["severity"] != "info" for s in f["spans"]]
    return {
        **claim,
        "anchor": anchor,
        "where": f"{claim.get('file', '')}:{claim['line']}" if claim.get("line") else "",
        "marked": marked(claim["text"], spans),
        "figures": [f for f in read["figures"] if f["of"]],
        "left": " ".join(read["not_understood"]),
        "remedies": claim["would_have_to_be_true"],
        "sources": [keys.index(s) + 1 for s in claim["sources"]],
    }  # fmt: skip


def marked(text: str, spans: Sequence[Sequence[int]]) -> Markup:
    """The claim as written, escaped, with the judged words marked."""
    judged = [any(a <= i < b for a, b in spans) for i in range(len(text))]
    made, at = Markup(""), 0
    while at < len(text):
        end = at
        while end < len(text) and judged[end] == judged[at]:
            end += 1
        piece = escape(text[at:end])
        made += Markup("<mark>{}</mark>").format(piece) if judged[at] else piece
        at = end
    return made


def write_pdf(
    audit: Audit, lang: str, title: Text, data: bytes, say: Callable[[str], None]
) -> bytes:
    """The PDF with the record attached."""
    from derive.render import pdf

    words = Words(lang, {})
    attached = ("audit.json", data, "application/json", "audit record of derive")
    return pdf.write(
        document(audit, lang, title, "print"), {}, title=words.plain(title), lang=words.langs[0],
        attachments=[attached], progress=lambda text: say(text.en),
    )  # fmt: skip


def title_of(stem: str) -> Text:
    """The heading: what was audited."""
    return tr("Audit: {name}", name=stem) if stem != "audit" else tr("Audit of claims")
