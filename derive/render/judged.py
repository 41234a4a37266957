"""A judged claim as the templates ask for it, in a report and in a page of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

TONE = {"error": "missed", "warning": "warn", "info": "met"}


def words(audit: Mapping[str, Any]) -> dict[str, Any]:
    """Verdicts and severities in both languages, and the colour of each verdict."""
    tone = {verdict: TONE[severity] for verdict, severity in audit["grave"].items()}
    return {"verdicts": audit["verdicts"], "severities": audit["severities"], "tone": tone}


def view(claim: Mapping[str, Any], numbers: Mapping[str, int], anchor: str) -> dict[str, Any]:
    """One claim; `numbers` are those of the document's sources."""
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
        "sources": sorted(numbers[s] for s in claim["sources"] if s in numbers),
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
