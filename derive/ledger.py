"""The ledger: one immutable record of everything a report shows, with its own hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

FORMAT = "derive-ledger/1"
COMPARISON = "derive comparison 1"  # of several ledgers, and what is said of them

Ledger = dict[str, Any]


def canonical(ledger: Mapping[str, Any]) -> str:
    """The one text of a ledger: sorted keys, no spaces; what the hash is taken over."""
    body = {k: v for k, v in ledger.items() if k != "hash"}
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(ledger: Mapping[str, Any]) -> str:
    """The hash of everything but the hash."""
    return "sha256:" + hashlib.sha256(canonical(ledger).encode()).hexdigest()


def sealed(body: Mapping[str, Any]) -> Ledger:
    """The record with its hash."""
    return {**body, "hash": digest(body)}


def dump(ledger: Mapping[str, Any]) -> str:
    """The file's text: readable, stable."""
    return json.dumps(ledger, ensure_ascii=False, indent=1) + "\n"
