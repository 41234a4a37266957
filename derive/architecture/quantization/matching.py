"""Which modules a list of exclusions or targets names: exact paths, globs, regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.errors import printable
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from derive.architecture.config import Config

LONGEST = 300  # characters of a pattern
MOST = 100_000  # entries of a list
MOST_PATTERNS = 1_000  # of them with wildcards: each is tried on each module
# what a pattern may hold; a repeated group could take for ever, so it may not
REGEX = re.compile(r"[\w.\-\\$^*+?()|\[\]:/, ]*")
REPEATED_GROUP = re.compile(r"\)[*+{]")
UNBOUNDED = re.compile(r"[*+]")


@dataclass(frozen=True)
class Names:
    """A set of modules; `whole` means that a plain entry must be the full path."""

    exact: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    whole: bool = False
    entries: tuple[tuple[str, str], ...] = field(default=(), compare=False)  # each, as expression

    @property
    def single(self) -> bool:
        """Whether entries can name layers or experts by number."""
        text = self.pattern.pattern if self.pattern else ""
        return any(c.isdigit() for entry in (*self.exact, text) for c in entry)

    @property
    def names_head(self) -> bool:
        """Whether the output head is named."""
        return any(entry.rpartition(".")[2] == "lm_head" for entry in self.exact)

    @property
    def experts(self) -> bool:
        """Whether entries can name single experts by number."""
        texts = (*self.exact, self.pattern.pattern if self.pattern else "")
        return any(re.search(r"experts\\?\.\(?\[?\\?\d", t) for t in texts)

    def holds(self, name: str) -> bool:
        """Whether a module is in the set."""
        if self.pattern and self.pattern.search(name):
            return True
        if self.whole:
            return name in self.exact
        parts = name.split(".")
        ends = range(len(parts) + 1)
        return any(".".join(parts[a:b]) in self.exact for a in ends for b in ends if b > a)


def read_names(c: Config, name: str, style: str) -> Names:
    """A list of names; null and missing are empty.

    `style` is `parts` (a run of path segments), `glob` (a path or one of its parents) or `regex`
    (a full path, or `re:` and an expression from its start).
    """
    found = c.data.get(name)
    c.used.add(name)
    if found is None:
        return Names()
    if not isinstance(found, list):
        c.reject(name, tr("{name} must be a list", name=c.where(name)), code="M109")
    if len(found) > MOST:
        what = tr("{name} holds {count} entries; at most {most} are read", name=c.where(name),
                  count=f"{len(found):,}", most=f"{MOST:,}")  # fmt: skip
        c.reject(name, what, code="M109")
    exact, patterns = set(), []
    entries: dict[str, str] = {}  # as the file has it -> the expression, empty for a plain name
    for entry in found:
        if not isinstance(entry, str) or len(entry) > LONGEST:
            what = tr("{name} holds {value}, which is not understood", name=c.where(name),
                      value=printable(str(entry), 40))  # fmt: skip
            c.reject(name, what, code="M109")
        if style == "regex" and entry.startswith("re:"):
            entries[entry] = r"\A(?:" + checked(c, name, entry[3:]) + ")"
            patterns.append(entries[entry])
        elif "*" in entry or "?" in entry:
            entries[entry] = glob(entry, style)
            patterns.append(entries[entry])
        else:
            entries[entry] = ""
            exact.add(entry.strip("."))
    if len(patterns) > MOST_PATTERNS:
        what = tr("{name} holds {count} patterns; at most {most} are read", name=c.where(name),
                  count=f"{len(patterns):,}", most=f"{MOST_PATTERNS:,}")  # fmt: skip
        c.reject(name, what, code="M109")
    whole = re.compile("|".join(dict.fromkeys(patterns))) if patterns else None
    return Names(frozenset(exact), whole, style == "regex", tuple(entries.items()))


def glob(entry: str, style: str) -> str:
    """A glob as an expression, for a whole path or a parent of it."""
    body = re.escape(re.sub(r"\*+", "*", entry)).replace(r"\*", "[^\x00]*").replace(r"\?", ".")
    start = r"\A" if style == "glob" else r"(?:\A|\.)"
    return rf"{start}{body}(?:\Z|\.)"


def checked(c: Config, name: str, text: str) -> str:
    """An expression that cannot take for ever, or a refusal."""
    text = re.sub(r"(?:\.\*)+", ".*", text)
    sound = REGEX.fullmatch(text) and not REPEATED_GROUP.search(text)
    if not sound or len(UNBOUNDED.findall(text)) > 6:
        what = tr("{name} holds {value}, which is not understood", name=c.where(name),
                  value=printable(text, 60))  # fmt: skip
        c.reject(name, what, code="M109")
    try:
        re.compile(text)
    except re.error:
        what = tr("{name} holds {value}, which is not understood", name=c.where(name),
                  value=printable(text, 60))  # fmt: skip
        c.reject(name, what, code="M109")
    return text


def any_holds(sets: Iterable[Names], names: Iterable[str]) -> bool:
    """Whether one of the sets holds one of the spellings of a module."""
    spelled = tuple(names)
    return any(s.holds(n) for s in sets for n in spelled)
