"""Finding spec files: the packaged directory, a user's own ones, names and aliases."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from derive.errors import DeriveError, Place, Problem, printable, reason
from derive.specs.document import events
from derive.specs.faults import nearest, plain
from derive.specs.nodes import fault
from derive.specs.words import KIND_NAMES
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.text import Text

DIRECTORIES = {
    "hardware": "hardware",
    "model": "models",
    "calibration": "calibration",
    "scenario": "scenarios",
    "claims": "claims",
    "measurements": "measurements",
}
ENVIRONMENT = "DERIVE_SPECS"
NAME = re.compile(r"[A-Za-z0-9\u4e00-\u9fff][A-Za-z0-9\u4e00-\u9fff ._+()×-]{0,99}")
MOST_NAMES = 12  # of a list of what there is
HEAD = 16_000  # bytes in which a file's aliases must begin to be found


def specs_home() -> Path:
    """The packaged specs: beside the code in a wheel, at the top of a checkout."""
    code = Path(__file__).resolve().parent.parent
    packaged = code / "_data" / "specs"
    return packaged if packaged.is_dir() else code.parent / "specs"


def spec_roots(extra: Sequence[str | Path] = ()) -> tuple[Path, ...]:
    """Directories to look in: the packaged one, those of DERIVE_SPECS, then `extra`."""
    given = [p for p in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if p]
    roots = [specs_home(), *(directory(p, ENVIRONMENT) for p in given)]
    return tuple(dict.fromkeys([*roots, *(directory(p, "--specs") for p in extra)]))


def directory(given: str | Path, told_by: str) -> Path:
    """A directory that is there; DeriveError otherwise."""
    with suppress(OSError, RuntimeError):  # too long a name, the home of an unknown user
        path = Path(given).expanduser()
        if path.is_dir():
            return path
    shown = printable(str(given))
    raise fault("S101", tr("no such spec directory: {path}", path=shown), Place(key=told_by))


def files(kind: str, roots: Sequence[Path]) -> list[Path]:
    """Every spec file of a kind, by name."""
    found: list[Path] = []
    for root in roots:
        folder = root / DIRECTORIES[kind]
        try:
            if folder.is_dir():
                found += [p for p in folder.iterdir() if p.suffix in (".yaml", ".yml")]
        except OSError as error:
            shown = printable(str(folder))
            what = tr("cannot read {file}: {why}", file=shown, why=reason(error))
            raise fault("S102", what, Place(str(folder))) from None
    return sorted(found, key=lambda p: (p.stem, str(p)))


def is_path(text: str) -> bool:
    """Tell a path from a name."""
    return "/" in text or "\\" in text or text.endswith((".yaml", ".yml", ".json", ".gguf"))


def find(kind: str, name: str, roots: Sequence[Path], place: Place | None = None) -> Path:
    """The file of a spec by its id or by an alias that only one file has."""
    where = place or Place()
    if not NAME.fullmatch(name) or is_path(name):
        shown = printable(name, 60) or '""'
        raise fault("S404", tr("{name} is no spec name", name=shown), where)
    known = files(kind, roots)
    by_id = [p for p in known if plain(p.stem) == plain(name)]
    if len(by_id) > 1:
        what = tr("{count} files are called {name}", count=len(by_id), name=name)
        raise DeriveError(Problem("S403", what, where, rows=tuple((str(p),) for p in by_id)))
    if by_id:
        return by_id[0]
    aliases, broken = all_aliases(known)
    by_alias = [p for p in known if plain(name) in map(plain, aliases.get(p, ()))]
    if len(by_alias) > 1:
        what = tr("{name} names {count} specs: say which", name=name, count=len(by_alias))
        raise DeriveError(Problem("S402", what, where, rows=tuple((p.stem,) for p in by_alias)))
    if by_alias:
        return by_alias[0]
    what = tr("no {kind} is called {name}", kind=KIND_NAMES[kind], name=name)
    choices = [p.stem for p in known] + [a for of_file in aliases.values() for a in of_file]
    hint = other_kind(kind, name, roots) or nearest(name, choices)
    rows: tuple[tuple[str, ...], ...] = ()
    if hint is None and kind in ("hardware", "model"):
        hint = tr("{command} lists what there is", command=f"derive {kind}")
    elif hint is None:
        rows = tuple((p.stem,) for p in known[:MOST_NAMES])
    raise DeriveError([Problem("S401", what, where, rows=rows, hint=hint), *broken])


def other_kind(kind: str, name: str, roots: Sequence[Path]) -> Text | None:
    """What else is called so: a model's name where a scenario's is wanted."""
    for other in DIRECTORIES:
        if other != kind and any(plain(p.stem) == plain(name) for p in files(other, roots)):
            return tr("{name} is a {kind}", name=name, kind=KIND_NAMES[other])
    return None


def all_aliases(known: Sequence[Path]) -> tuple[dict[Path, list[str]], list[Problem]]:
    """Aliases of each file, and the problems of files that cannot be read."""
    aliases: dict[Path, list[str]] = {}
    broken: list[Problem] = []
    for path in known:
        try:
            aliases[path] = head_aliases(path)
        except DeriveError as error:
            broken += error.problems
        except OSError as error:
            what = tr("cannot read {file}: {why}", file=printable(str(path)), why=reason(error))
            broken.append(Problem("S102", what, Place(str(path))))
    return aliases, broken


def head_aliases(path: Path) -> list[str]:
    """The aliases of a file, read no further than they stand."""
    with path.open("rb") as file:
        text = file.read(HEAD).decode("utf-8", errors="ignore")
    depth, key, found, inside = 0, "", list[str](), False
    for event in events(text.replace("\0", ""), str(path)):
        kind = type(event).__name__
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            depth += 1
            inside = depth == 2 and key == "aliases"
            key = ""
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            depth -= 1
            if inside:
                return found
        elif kind == "ScalarEvent":
            if inside:
                found.append(event.value)
            elif depth == 1:
                key = "" if key else event.value
    return found
