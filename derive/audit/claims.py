"""Texts in, judged claims out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim

if TYPE_CHECKING:
    from pathlib import Path

    from derive.audit.types import Judged


def audit_texts(texts: Iterable[str], roots: tuple[Path, ...]) -> Iterator[Judged]:
    """One claim a text."""
    library = Library(roots)
    for text in texts:
        yield judge(read_claim(text, roots), library)
