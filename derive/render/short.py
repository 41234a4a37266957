"""A derivation in three lines: the formula, its values, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Step = Mapping[str, Any]
SYMBOLIC = ("equation", "definition", "substitute", "divide", "solve", "limit")
NUMERIC = ("values", "search", "compute", "round")


def short(record: Mapping[str, Any]) -> list[Step]:
    """The step whose right side is the formula, and the numeric ones."""
    steps: Sequence[Step] = record["steps"]
    symbolic = [s for s in steps if s["rule"] in SYMBOLIC]
    formula = [s for s in symbolic if record["tree"] and s["right"] == record["tree"]]
    return [*(formula[-1:] or symbolic[:1]), *(s for s in steps if s["rule"] in NUMERIC)]


def referred(ledger: Mapping[str, Any]) -> list[str]:
    """The ids that lines of the checklist refer to, each once."""
    return list(dict.fromkeys(name for row in ledger["checklist"] for name in row["refs"]))
