"""A judged claim as the templates ask for it, in a report and in a page of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from derive.text import Text, tr

ARTICLES = ("a", "an", "一", "一个", "the")
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
        "where": place_of(claim),
        "marked": marked(claim["text"], spans),
        "figures": [f for f in read["figures"] if f["of"] and not article(f)],
        "left": " ".join(read["not_understood"]),
        "remedies": remedy_groups(claim),
        "sources": sorted(numbers[s] for s in claim["sources"] if s in numbers),
    }  # fmt: skip


def article(figure: Mapping[str, Any]) -> bool:
    """Whether a count of devices is only an article: an H100, 一个设备."""
    return figure["role"] == "devices" and figure["text"].strip().lower() in ARTICLES


def remedy_groups(claim: Mapping[str, Any]) -> list[tuple[Text, Sequence[Mapping[str, str]]]]:
    """What would have to be true, by what it is for; where there are several, all are needed."""
    asking = [f for f in claim["findings"] if f["would_have_to_be_true"]]
    several = len(asking) > 1
    made = []
    for at, finding in enumerate(asking):
        heading = tr("possible if one of these holds:")
        if several and finding["aim"]:
            aim = Text(**finding["aim"])
            heading = tr("{aim}, one of these:", aim=aim)
            if at:
                heading = tr("and {aim}, one of these:", aim=aim)
        made.append((heading, finding["would_have_to_be_true"]))
    return made


def place_of(claim: Mapping[str, Any]) -> str:
    """The file's name and the line, without the folder where it lay."""
    name = Path(str(claim.get("file", ""))).name
    return f"{name}:{claim['line']}" if claim.get("line") else ""


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
