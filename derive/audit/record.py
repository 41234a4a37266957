"""The machine-readable record of judged claims, which every printer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.audit.reading.roles import ROLES
from derive.audit.types import VERDICTS
from derive.audit.wording import FUNCTION_WORDS, GRAVE, SEVERITY_WORDS, VERDICT_WORDS, condition
from derive.text import tr
from derive.units import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from derive.audit.types import Claim, Entry, Figure, Finding, Judged, Named, Reading
    from derive.text import Text


# whose a figure is, is only asked of what requests get; a total bandwidth is nobody's
USERS = ("speed", "tpot", "itl", "ttft", "latency")


def section(claims: Iterable[Mapping[str, object]]) -> dict[str, Any]:
    """Records of claims with the words of verdicts and severities, as printers need them."""
    return {
        "claims": list(claims),
        "verdicts": {v: VERDICT_WORDS[v].json() for v in VERDICTS},
        "severities": {s: text.json() for s, text in SEVERITY_WORDS.items()},
        "grave": GRAVE,
    }


def of_claim(judged: Judged) -> dict[str, object]:
    """One claim: what was understood first, then the verdict and what it rests on."""
    claim = judged.claim
    corrected = next((f.corrected for f in judged.findings if f.corrected), None)
    listed = [r for f in judged.findings if f.severity != "info" for r in f.readings]
    made: dict[str, object] = {
        "text": claim.text,
        "understood": understood(claim),
        "verdict": judged.verdict,
        "severity": judged.severity,
        "findings": [of_finding(f) for f in judged.findings],
        "readings": [of_reading(r) for r in listed],
        "corrected": corrected.json() if corrected else None,
        "would_have_to_be_true": [t.json() for t in changes(judged)],
        "sources": list(dict.fromkeys(s for f in judged.findings for s in f.sources)),
    }
    if claim.place.line:
        made |= {"file": claim.place.file, "line": claim.place.line}
    if claim.columns:
        made |= {"column": claim.columns[0], "end_column": claim.columns[1]}
    if claim.entry:
        made |= of_entry(claim.entry)
    return made


def changes(judged: Judged) -> list[Text]:
    """What would have to be true; where several findings ask, each says what for."""
    asking = [f for f in judged.findings if f.remedies]
    made: list[Text] = []
    for finding in asking:
        for one in finding.remedies:
            aimed = finding.aim if len(asking) > 1 else None
            made.append(tr("{aim}: {change}", aim=aimed, change=one) if aimed else one)
    return list(dict.fromkeys(made))


def of_entry(entry: Entry) -> dict[str, object]:
    """What a file says beside the words: who said it, what a test expects. Never judged."""
    kept = {
        "id": entry.id,
        "source": list(entry.source),
        "note": entry.note,
        "exact": entry.exact,
        "expect": list(entry.expect),
    }
    return {k: v for k, v in kept.items() if v}


def understood(claim: Claim) -> dict[str, object]:
    """Products, models and figures with their conditions; the words that were not understood."""
    made: dict[str, object] = {
        "hardware": [of_name(n) for n in claim.hardware],
        "models": [of_name(n) for n in claim.models],
        "figures": [of_figure(f) for f in claim.figures],
        "not_understood": [
            claim.text[a:b]
            for a, b in claim.unread
            if claim.text[a:b].lower() not in FUNCTION_WORDS
        ],
    }
    if claim.entry:
        fields = ("subject", "quantity", "value", "given", "conditions", "formula")
        stated = {k: getattr(claim.entry, k) for k in fields}
        made["stated"] = {k: v for k, v in stated.items() if v}
    return made


def of_name(named: Named) -> dict[str, object]:
    """A name and the specs that it may mean."""
    return {"text": named.text, "ids": list(named.ids), "span": list(named.span)}


def of_figure(figure: Figure) -> dict[str, object]:
    """A number as it was read."""
    made: dict[str, object] = {
        "text": figure.text,
        "span": list(figure.span),
        "role": figure.role,
        "of": ROLES[figure.role].name.json() if figure.role else None,
        "value": float(figure.value),
        "unit": figure.unit.text,
        "low": float(figure.value - figure.half),
        "high": float(figure.value + figure.half),
        "conditions": {k: list(v) for k, v in figure.conditions.items()},
        "said": [
            condition(k, v).json()
            for k, values in figure.conditions.items()
            if k != "user" or figure.role in USERS
            for v in values
        ],
    }
    if figure.bound:
        made["bound"] = figure.bound
    return made


def of_finding(finding: Finding) -> dict[str, object]:
    """What one rule says."""
    return {
        "rule": finding.rule,
        "verdict": finding.verdict,
        "severity": finding.severity,
        "message": finding.message.json(),
        "span": list(finding.spans[0]) if finding.spans else None,
        "spans": [list(s) for s in finding.spans],
        "derivation": [t.json() for t in finding.derivation],
        "corrected": finding.corrected.json() if finding.corrected else None,
        "sources": list(finding.sources),
        "aim": finding.aim.json() if finding.aim else None,
        "would_have_to_be_true": [t.json() for t in finding.remedies],
    }


def of_reading(reading: Reading) -> dict[str, object]:
    """A value with the condition under which it is meant."""
    return {
        "value": float(reading.value.value),
        "unit": reading.value.unit.text,
        "shown": show(reading.value).text,
        "under": reading.under.json(),
    }
