"""Judged claims as SARIF 2.1.0, for tools that show findings beside the text they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from derive import __version__
from derive.text import Text

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVEL = {"error": "error", "warning": "warning", "info": "note"}


def log(
    record: Mapping[str, Any], rules: Sequence[tuple[str, Text, Text]], lang: str
) -> dict[str, Any]:
    """One run; `rules` are ids with name and page. Messages in one language, or in both."""
    used = {f["rule"] for c in record["claims"] for f in c["findings"]}
    listed = [
        {
            "id": name,
            "shortDescription": {"text": said(title.json(), lang)},
            "fullDescription": {"text": said(about.json(), lang)},
        }
        for name, title, about in rules if name in used
    ]  # fmt: skip
    index = {str(r["id"]): i for i, r in enumerate(listed)}
    results = [
        result(claim, finding, index, lang)
        for claim in record["claims"]
        for finding in claim["findings"]
    ]
    driver = {
        "name": "derive",
        "version": __version__,
        "rules": listed,
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def result(
    claim: Mapping[str, Any], finding: Mapping[str, Any], index: Mapping[str, int], lang: str
) -> dict[str, Any]:
    """One finding with its place: file and line where the claim has one, else the claim itself."""
    parts = [finding["message"], *finding["derivation"], *filter(None, [finding["corrected"]])]
    made: dict[str, Any] = {
        "ruleId": finding["rule"],
        "level": LEVEL[finding["severity"]],
        "message": {"text": "\n".join(said(p, lang) for p in parts)},
        "properties": {"verdict": finding["verdict"], "claim": claim["text"]},
    }
    if finding["rule"] in index:
        made["ruleIndex"] = index[finding["rule"]]
    if claim.get("file"):
        region: dict[str, Any] = {
            "startLine": claim.get("line", 1),
            "snippet": {"text": claim["text"]},
        }
        if claim.get("column"):
            region |= {"startColumn": claim["column"], "endColumn": claim["end_column"]}
        place = {"artifactLocation": {"uri": uri(claim["file"])}, "region": region}
        made["locations"] = [{"physicalLocation": place}]
    return made


def uri(file: str) -> str:
    """A file below the working directory by its relative path, any other by its whole address."""
    path = Path(file).absolute()
    inside = path.is_relative_to(Path.cwd())
    return quote(path.relative_to(Path.cwd()).as_posix()) if inside else path.as_uri()


def said(text: Mapping[str, str], lang: str) -> str:
    """A message in one language, or in both with a stroke between."""
    return f"{text['zh']} / {text['en']}" if lang == "both" else text[lang]
