"""A PDF as other programs read it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pikepdf


def run(*command: str | Path) -> str:
    """What a program says of a file."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def elements(root: Any) -> list[Any]:
    """The structure tree, depth first."""
    found = []
    kids = root.get("/K", [])
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            found += [kid, *elements(kid)]
    return found
