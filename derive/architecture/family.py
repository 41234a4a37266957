"""Families of models: one small module each, found by listing the folder."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from derive.architecture.json_file import refuse
from derive.errors import printable
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model


@dataclass(frozen=True)
class Family:
    """One kind of config: its `model_type`s, classes it may name, defaults with their source."""

    types: tuple[str, ...]
    classes: tuple[str, ...]
    source: str
    build: Callable[[Config], Model]
    defaults: Mapping[str, object] = field(default_factory=dict)


@cache
def families() -> Mapping[str, Family]:
    """Every declared family by `model_type`."""
    from derive.architecture import families as folder

    found: dict[str, Family] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(folder.__path__)):
        read = importlib.import_module(f"{folder.__name__}.{module}")
        for family in getattr(read, "FAMILIES", ()):
            for name in family.types:
                assert name not in found, name
                found[name] = family
    return found


def family_of(c: Config) -> Family:
    """The family that a config names; DeriveError M108 where it is not declared."""
    name = c.data.get("model_type")
    place = c.source.place("model_type")
    if not isinstance(name, str):
        refuse("M104", tr("{name} is missing", name="model_type"), place)
    if name not in families():
        near = difflib.get_close_matches(name[:60], families(), 1)
        what = tr("model_type {name} is not known", name=printable(name, 40))
        hint = tr("the nearest known type is {near}", near=near[0]) if near else None
        refuse("M108", what, place, hint)
    family = families()[name]
    check_class(c, family)
    return family


def check_class(c: Config, family: Family) -> None:
    """Refuse a class that would build something else than the family's language model."""
    said = c.data.get("architectures")
    if said is None:
        return
    place = c.source.place("architectures")
    if not isinstance(said, list) or len(said) != 1 or not isinstance(said[0], str):
        refuse("M105", tr("architectures must hold one class name"), place)
    if said[0] not in family.classes:
        what = tr("class {name} is not known for this model type", name=printable(said[0], 60))
        hint = tr("known are {known}", known=", ".join(family.classes))
        refuse("M108", what, place, hint)
