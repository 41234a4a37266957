"""A GGUF file, or all parts of one, opened: config, tensors, names that may carry a size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from derive.architecture.gguf.header import Header, read_header
from derive.architecture.gguf.keys import config_of
from derive.architecture.json_file import Source, refuse
from derive.errors import Place, printable
from derive.text import tr

if TYPE_CHECKING:
    from pathlib import Path

    from derive.architecture.gguf.header import Info

PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)
COUNT = "split.count"
MOST_PARTS = 1000


@dataclass(frozen=True)
class Held:
    """The tensors of a file and of its further parts, and the headers that list them."""

    infos: tuple[Info, ...]
    headers: tuple[Header, ...]


def open_gguf(path: Path) -> tuple[Source, Held, tuple[str, ...]]:
    """Config, tensors and names of a file; DeriveError where it is not understood."""
    headers = parts(path)
    infos: dict[str, Info] = {}
    for header in headers:
        for one in header.tensors:
            if one.name in infos:
                what = tr("{key} stands twice", key=printable(one.name, 60))
                refuse("M103", what, Place(header.file, 0, 0, printable(one.name, 80)))
            infos[one.name] = one
    first = headers[0]
    config = config_of(first, infos)
    name = first.values.get("general.name")
    names = (PART.sub("", path.name)[: -len(".gguf")], *([name] if isinstance(name, str) else []))
    return config, Held(tuple(infos.values()), tuple(headers)), names


def parts(path: Path) -> list[Header]:
    """The header, and those of the other parts where the file is one of several."""
    opened = read_header(path)
    count = opened.values.get(COUNT, 1)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_PARTS:
        what = tr("{name} must be a whole number", name=COUNT)
        refuse("M105", what, Place(opened.file, 0, 0, COUNT))
    if count <= 1:
        return [opened]
    named = PART.search(path.name)
    if not named or int(named[2]) != count:
        what = tr("the file is one of {count} parts, but its name does not end in -{first}.gguf",
                  count=count, first=f"00001-of-{count:05}")  # fmt: skip
        refuse("M107", what, Place(opened.file, 0, 0, COUNT))
    found = []
    for number in range(1, count + 1):
        other = path.with_name(PART.sub(f"-{number:05}-of-{count:05}", path.name))
        header = opened if other == path else read_header(other)
        if header.values.get(COUNT) != count:
            what = tr("{name} is not {count} as in the other parts", name=COUNT, count=count)
            refuse("M107", what, Place(header.file, 0, 0, COUNT))
        found.append(header)
    return found
