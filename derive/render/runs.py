"""Measured runs as the templates ask for them, in a report and in a document of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.render import numbers
from derive.text import Text, tr

Record = Mapping[str, Any]
TONE = {"beats": "missed", "hardware": "met", "between": "", "software": "missed"}


def words() -> dict[str, Any]:
    """What bands, bounds and states are called, and the colour of each band."""
    return {
        "tone": TONE,
        "bands": {
            "beats": tr("beats the bound"),
            "hardware": tr("hardware"),
            "between": tr("both"),
            "software": tr("software"),
        },
        "bounds": {
            "TPOT": tr("first-order bound at peak, weights and KV cache"),
            "TTFT": tr("prefill of one prompt at peak"),
        },
        "states": {
            "explains": tr("explains it"),
            "cannot": tr("cannot explain it"),
            "open": tr("open"),
            "supported": tr("supported"),
            "excluded": tr("excluded"),
        },
    }


def view(measured: Record) -> dict[str, Any]:
    """The runs that have something to compare, numbered, their load as bare numbers."""
    made = [
        {**run, "number": number, "load": {n: load(v) for n, v in run["setting"].items()}}
        for number, run in enumerate(measured["runs"], 1)
    ]
    return {**measured, "runs": made}


def load(value: Record) -> str:
    """A count without its unit."""
    return numbers.split(value["display"]["en"]).number


def title() -> Text:
    """The heading of a document of measured runs."""
    return tr("Measured against the bound")
