"""Products and models that a text names, by the ids and aliases of the specs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from derive.audit.reading.spellings import Spellings
from derive.specs.lookup import all_aliases, files

BORDER = re.compile(r"(?<![A-Za-z0-9.])|(?<=[0-9][xX])")
END = r"(?![A-Za-z0-9])"
VENDOR = re.compile(
    r"(?:NVIDIA|AMD|Intel|Google|AWS|Apple|Huawei|Qualcomm|英伟达|华为|英特尔|谷歌|苹果)[ -]?",
    re.IGNORECASE,
)


FORM = re.compile(r"(?P<name>[A-Z][0-9]{2,4}) (?P<form>PCIe|SXM[0-9]?|NVL)", re.IGNORECASE)


@dataclass(frozen=True)
class Names:
    """Every name of a kind with the specs that it may mean; some stand behind a vendor's."""

    spellings: Spellings[tuple[str, ...]]
    vendors: bool

    def at(self, text: str, start: int) -> tuple[int, tuple[str, ...]] | None:
        """Where a name that begins here ends, and the specs that it may mean."""
        if not BORDER.match(text, start):
            return None
        if found := self.spellings.at(text, start):  # an id may itself begin with its vendor
            return found
        vendor = VENDOR.match(text, start) if self.vendors else None
        return self.spellings.at(text, vendor.end()) if vendor else None


def plain(name: str) -> str:
    """A name without what spellings differ in."""
    return re.sub(r"[ -]", "", name).lower()


def spelled(alias: str) -> str:
    """An alias as a pattern: between words, and between letters and digits, anything small."""
    words = re.findall(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)*|[^A-Za-z0-9 -]", alias)
    if words[:1] == ["A"] and words[1:2] and words[1].isdigit():
        words[:2] = [words[0] + words[1]]  # "A 100 Gb/s port" names no accelerator
    sized = [w + "?" if w == "GB" else re.escape(w) for w in words]  # "80G" is written too
    return "[ -]?".join(sized)


@lru_cache(maxsize=8)
def names(kind: str, roots: tuple[Path, ...]) -> Names:
    """The names of a kind: ids, aliases."""
    known = files(kind, roots)
    aliases, _ = all_aliases(known)
    ids: dict[str, tuple[str, ...]] = {}
    spellings: dict[str, str] = {}
    for path in known:
        for alias in (path.stem, *aliases.get(path, ())):
            if len(plain(alias)) < 2 or (plain(alias).isdigit() and len(alias) < 4):
                continue
            key = plain(alias)
            ids[key] = tuple(dict.fromkeys((*ids.get(key, ()), path.stem)))
            spellings.setdefault(key, spelled(alias))
            if kind == "hardware" and (form := FORM.fullmatch(alias)):  # the PCIe H100
                turned = f"{form['form']} {form['name']}"
                ids.setdefault(plain(turned), ids[key])
                spellings.setdefault(plain(turned), spelled(turned))
    longest = sorted(spellings, key=lambda key: -len(spellings[key]))
    end = "s?" + END if kind == "hardware" else END  # "two A100s"
    rows = ((spellings[key] + end, ids[key]) for key in longest)
    return Names(Spellings(rows), kind == "hardware")
