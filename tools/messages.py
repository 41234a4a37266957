"""Keep the Chinese catalogue complete: `python tools/messages.py` lists what is missing or stale.

`--update` adds empty entries for new messages and drops stale ones; translations stay.
"""

from __future__ import annotations

import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
PO = ROOT / "derive" / "locale" / "zh" / "LC_MESSAGES" / "derive.po"
KEYWORDS = {"tr": None, "bi": None, "fail": (4,)}
METHODS = [("**.py", "python"), ("**.html", "jinja2"), ("**.md", "jinja2"), ("**.svg", "jinja2")]


def used() -> set[str]:
    """Every message id in the code and in the templates."""
    found: set[str] = set()
    for folder in ("derive", "templates"):
        for _, _, message, _, _ in extract_from_dir(
            str(ROOT / folder),
            METHODS,
            {},
            KEYWORDS,
            comment_tags=(),
        ):
            found |= {message} if isinstance(message, str) else {m for m in message if m}
    return found


def catalogue() -> Catalog:
    """The Chinese catalogue as it stands."""
    with PO.open("rb") as file:
        return read_po(file, locale="zh")


def faults() -> list[str]:
    """Missing, empty, fuzzy, stale and placeholder-broken entries."""
    import string

    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    there = {str(m.id): m for m in catalogue() if m.id}
    wanted = used()
    lines = [f"missing: {i}" for i in sorted(wanted - set(there))]
    lines += [f"stale: {i}" for i in sorted(set(there) - wanted)]
    for i, message in sorted(there.items()):
        if not message.string:
            lines.append(f"empty: {i}")
        elif message.fuzzy:
            lines.append(f"fuzzy: {i}")
        elif fields(i) != fields(str(message.string)):
            lines.append(f"placeholders differ: {i}")
    return lines


def update() -> None:
    """Add what is new, drop what is stale, keep the order of the ids."""
    old = {str(m.id): str(m.string) for m in catalogue() if m.id}
    fresh = Catalog(
        locale="zh",
        charset="utf-8",
        header_comment="# Chinese texts of derive; ids are the English texts.",
        fuzzy=False,
    )
    fresh.mime_headers = [("Language", "zh"), ("Content-Type", "text/plain; charset=utf-8")]
    for i in sorted(used()):
        fresh.add(i, old.get(i, ""))
    with PO.open("wb") as file:
        write_po(file, fresh, width=100, omit_header=False)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    problems = faults()
    sys.stdout.write("\n".join(problems) + ("\n" if problems else ""))
    sys.exit(1 if problems else 0)
