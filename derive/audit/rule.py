"""What a rule is: one function over a claim, with an id, a page of explanation and two examples."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from derive.text import Text

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Finding

Check = Callable[["Claim", "Library"], "Iterable[Finding]"]


@dataclass(frozen=True)
class Rule:
    """`fires` is a claim on which it must speak, `quiet` one on which it must not.

    `form` says how both are given: text, claim (an entry of a claims file) or formula.
    """

    id: str
    name: Text
    page: Text
    fires: str
    quiet: str
    check: Check
    form: str = "text"
    chinese: tuple[str, str] | None = None  # both examples in Chinese; a formula needs none

    def examples(self, lang: str) -> tuple[str, str]:
        """A claim on which it speaks and one on which it does not."""
        return self.chinese if lang == "zh" and self.chinese else (self.fires, self.quiet)


RULES: dict[str, Rule] = {}


def rule(
    id: str,  # noqa: A002  the contract calls it id
    *,
    name: tuple[str, str],
    page: tuple[str, str],
    fires: str,
    quiet: str,
    as_: str = "text",
    chinese: tuple[str, str] | None = None,
) -> Callable[[Check], Check]:
    """Declare a rule."""

    def keep(check: Check) -> Check:
        assert id not in RULES, id
        RULES[id] = Rule(id, Text(*name), Text(*page), fires, quiet, check, as_, chinese)
        return check

    return keep


@cache
def rules() -> dict[str, Rule]:
    """Every rule of the `rules` folder, by id."""
    from derive.audit import rules as folder

    for module in sorted(m.name for m in pkgutil.iter_modules(folder.__path__)):
        importlib.import_module(f"{folder.__name__}.{module}")
    return dict(sorted(RULES.items()))
