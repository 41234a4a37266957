"""The terminal printer: one derivation, a line a step, the checks in the foot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from derive.errors import padded, width
from derive.text import tr


def both(texts: Mapping[str, str] | None, langs: list[str]) -> str:
    """A bilingual text in the languages asked for."""
    return " · ".join(dict.fromkeys(texts[lang] for lang in langs)) if texts else ""


def explanation(record: Mapping[str, Any], langs: list[str]) -> str:
    """A derivation, or what is known of an input."""
    if "input" in record:
        return input_lines(record["input"], langs)
    head = f"{record['id']}   {both(record['name'], langs)}   [{record['unit'] or '1'}]"
    lines = [head, f"   {both(record['reason'], langs)}"]
    room = max((width(rule_name(s, langs)) for s in record["steps"]), default=0)
    for number, step in enumerate(record["steps"], 1):
        line = f"{step['left']} {step['relation']} {step['right']}"
        lines.append(f"{number:2d} {padded(rule_name(step, langs), room)}  {line}")
        if step["reason"] and step["reason"] != record["reason"]:
            lines.append(" " * (room + 5) + both(step["reason"], langs))
    for condition in record["conditions"]:
        mark = "✓" if condition["holds"] else "×"
        lines.append(f" {mark} {condition['text']}: {both(condition['meaning'], langs)}")
    result = record.get("result")
    if result and result["value"] is None:
        lines.append("   – " + both(result["why"], langs))
    elif result and "low" in result:
        lines.append(
            "   "
            + both({"en": f"{result['display']['en']}", "zh": result["display"]["zh"]}, langs[:1])
        )
    if record["reading"]:
        lines.append("   " + both(record["reading"], langs))
    lines.append("   " + checks_line(record["steps"], langs))
    return "\n".join(lines)


def rule_name(step: Mapping[str, Any], langs: list[str]) -> str:
    """The rule of a step in the languages asked for."""
    return both(step["rule_name"], langs)


def checks_line(steps: list[Mapping[str, Any]], langs: list[str]) -> str:
    """How many checks were run, by whom."""
    counts = Counter(check["by"] for step in steps for check in step["checks"])
    body = ", ".join(
        f"{by} {counts[by]}" for by in ("sympy", "points", "pint", "recomputed") if counts[by]
    )
    return both(tr("checks passed: {body}", body=body).json(), langs)


def input_lines(record: Mapping[str, Any], langs: list[str]) -> str:
    """An input symbol or constant with its value and provenance."""
    meaning = record.get("meaning") or record.get("reason")
    lines = [f"{record['id']}   {both(meaning, langs)}   [{record['unit'] or '1'}]"]
    keys = ("shown", "beside", "printed", "origin")
    lines += [f"   {record[key]}" for key in keys if record.get(key)]
    if record.get("sources"):
        lines.append("   " + ", ".join(record["sources"]))
    return "\n".join(lines)
