"""A figure as the ledger carries it, read into plain objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["line", "point", "mark", "band"]
ROLES = ("memory", "compute", "met", "missed", "neutral")
LARGEST = 1e30
SMALLEST, BIGGEST = 0.6, 4.0  # a point, times its usual width


@dataclass(frozen=True)
class Label:
    """Words in both languages; white space is single, so that measured and drawn text agree."""

    en: str
    zh: str

    def __bool__(self) -> bool:
        return bool(self.en or self.zh)


@dataclass(frozen=True)
class Axis:
    """One axis: its name, its unit, logarithmic or not, its range."""

    label: Label
    unit: str
    log: bool
    low: float
    high: float

    def stretched(self, share: float) -> Axis:
        """With more room at its upper end."""
        more = (self.high / self.low) ** share if self.log else (self.high - self.low) * share
        return replace(self, high=self.high * more if self.log else self.high + more)


@dataclass(frozen=True)
class Item:
    """One drawn thing. `at` holds a line's points, one point, a guide's value or a band's ends."""

    kind: Kind
    id: str
    label: Label
    role: str
    at: tuple[tuple[float, ...], ...]
    axis: str = "x"  # of a guide: the axis that carries its value
    dash: bool = False
    size: float = 1.0  # of a point: times the usual width


@dataclass(frozen=True)
class Panel:
    """One coordinate system with what stands in it."""

    x: Axis
    y: Axis
    items: tuple[Item, ...]

    def of(self, kind: Kind) -> list[Item]:
        """The items of one kind, in the figure's order."""
        return [item for item in self.items if item.kind == kind]


def panels(figure: Mapping[str, Any]) -> tuple[Panel, ...]:
    """The figure's panels, all over one x axis. ValueError names what cannot be drawn."""
    parts: Sequence[Mapping[str, Any]] = figure.get("panels") or (figure,)
    shared = figure.get("x") or parts[0]["x"]
    read = [(axis_of(shared), axis_of(part["y"]), _items(part)) for part in parts]
    x = read[0][0]
    for _, _, items in read:
        x = _widened(x, items, "x")
    return tuple(Panel(x, _widened(y, items, "y"), items) for _, y, items in read)


def label(words: Mapping[str, Any] | None) -> Label:
    """Both languages; a missing one takes the other's words."""
    texts = {lang: _clean(str(text)) for lang, text in (words or {}).items()}
    en, zh = texts.get("en", ""), texts.get("zh", "")
    return Label(en or zh, zh or en)


def _clean(text: str) -> str:
    """Single spaces, and nothing that XML cannot hold."""
    kept = "".join(c if c.isprintable() and c not in "\ufffe\uffff" else " " for c in text)
    return " ".join(kept.split())


def number(text: object) -> float:
    """A coordinate. ValueError where it cannot be drawn."""
    value = float(str(text))
    if not abs(value) <= LARGEST:  # also refuses nan
        raise ValueError(f"a chart cannot show {text}")
    return value


def axis_of(axis: Mapping[str, Any]) -> Axis:
    """An axis of the record; one without extent gets some."""
    low, high = sorted((number(axis["min"]), number(axis["max"])))
    log = axis.get("scale") == "log"
    if log and low < 1 / LARGEST:
        raise ValueError(f"a logarithmic axis cannot begin at {axis['min']}")
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        pad = max(1.0, abs(low)) / 2
        low, high = (low / 2, high * 2) if log else (low - pad, high + pad)
    return Axis(label(axis.get("label")), _clean(str(axis.get("unit", ""))), log, low, high)


def _items(part: Mapping[str, Any]) -> tuple[Item, ...]:
    def read(kind: Kind, raw: Mapping[str, Any], at: Sequence[Sequence[object]]) -> Item:
        role = raw.get("role") if raw.get("role") in ROLES else "neutral"
        where = tuple(tuple(number(value) for value in place) for place in at)
        return Item(
            kind,
            str(raw.get("id", "")),
            label(raw.get("label")),
            str(role),
            where,
            str(raw.get("axis", "x")),
            bool(raw.get("dash")),
            min(max(number(raw.get("size", 1)), SMALLEST), BIGGEST),
        )

    return (
        *(read("band", raw, [[raw["from"], raw["to"]]]) for raw in part.get("bands") or ()),
        *(read("mark", raw, [[raw["at"]]]) for raw in part.get("marks") or ()),
        *(read("line", raw, raw["points"]) for raw in part.get("lines") or ()),
        *(read("point", raw, [[raw["x"], raw["y"]]]) for raw in part.get("points") or ()),
    )


def _widened(axis: Axis, items: tuple[Item, ...], name: str) -> Axis:
    """The axis, wide enough for every point and guide: these must never be lost outside."""
    values = [
        item.at[0][0 if name == "x" or item.kind == "mark" else 1]
        for item in items
        if item.kind == "point" or (item.kind == "mark" and item.axis == name)
    ]
    if axis.log and min(values, default=1.0) < 1 / LARGEST:
        raise ValueError(f"a logarithmic axis cannot show {min(values):g}")
    low, high = min([axis.low, *values]), max([axis.high, *values])
    return replace(axis, low=low, high=high)
