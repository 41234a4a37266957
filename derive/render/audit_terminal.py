"""A judged claim in the terminal: marks under the judged words, then the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.errors import padded, printable, width
from derive.render.judged import article, remedy_groups
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


COMMA = {"en": ", ", "zh": "、"}


def claim_text(claim: Mapping[str, Any], audit: Mapping[str, Any], lang: str) -> str:
    """One claim; `audit` has the words of verdicts and severities."""
    spans = [s for f in claim["findings"] if f["severity"] != "info" for s in f["spans"]]
    lines = [
        audit["verdicts"][claim["verdict"]][lang].upper() + named(claim),
        "  " + printable(claim["text"], 2000),
    ]
    if spans:
        lines.append("  " + marks(claim["text"], spans))
    for figure in claim["understood"]["figures"]:
        if article(figure):
            continue
        said = COMMA[lang].join(each[lang] for each in figure["said"])
        name = figure["of"][lang] if figure["of"] else "?"
        lines.append(
            f"    {padded(printable(figure['text'], 40), 24)}{name}{' · ' + said if said else ''}"
        )
    if left := claim["understood"]["not_understood"]:
        lines.append(
            "    " + tr("not understood: {words}", words=printable(" ".join(left), 120)).in_(lang)
        )
    if claim.get("expect"):
        words = COMMA[lang].join(audit["verdicts"][v][lang] for v in claim["expect"])
        lines.append("    " + tr("the file expects: {verdicts}", verdicts=words).in_(lang))
    for finding in claim["findings"]:
        lines += finding_lines(finding, audit, lang)
    for reading in claim["readings"]:
        lines.append(f"    {padded(reading['shown'], 24)}{reading['under'][lang]}")
    if claim["corrected"]:
        lines.append(
            "  " + tr("say instead: {sentence}", sentence=Text(**claim["corrected"])).in_(lang)
        )
    groups = remedy_groups(claim)
    for heading, changes in groups:
        lines.append("  " + heading.in_(lang))
        lines += ["    - " + change[lang] for change in changes]
    if claim["sources"]:
        lines.append(
            "  " + tr("sources: {sources}", sources=COMMA[lang].join(claim["sources"])).in_(lang)
        )
    return "\n".join(lines)


def named(claim: Mapping[str, Any]) -> str:
    """Where a claim stands and the name that its file gives it."""
    where = f"   {printable(claim['file'], 200)}:{claim['line']}" if claim.get("line") else ""
    return where + (f"   {printable(claim['id'], 60)}" if claim.get("id") else "")


def finding_lines(finding: Mapping[str, Any], audit: Mapping[str, Any], lang: str) -> list[str]:
    """What a rule says, with its arithmetic."""
    severity = audit["severities"][finding["severity"]][lang]
    head = f"  {finding['rule']}  {severity}: {finding['message'][lang]}"
    return [head, *(f"      {line[lang]}" for line in finding["derivation"])]


def marks(text: str, spans: Sequence[Sequence[int]]) -> str:
    """Carets under the judged words, as wide as the terminal draws them."""
    judged = {i for a, b in spans for i in range(a, b)}
    return "".join(("^" if i in judged else " ") * width(c) for i, c in enumerate(text)).rstrip()
