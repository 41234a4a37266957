"""The fields of a config as a family reads them: typed, bounded, and every one accounted for.

Whatever is read is remembered. At the end each field left over must be known to carry no weight
(`fields.py`, or the family's own list), or the file is refused by the name of the field: a number
never changes in silence because a field that matters was passed over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from derive.architecture.fields import HARMLESS, ONLY, SPELLINGS
from derive.architecture.json_file import Odd, Source, refuse
from derive.architecture.symbols import Sheet
from derive.errors import MOST, DeriveError, Place, Problem, printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LARGEST = 2**31 - 1  # any size, width or count of a config
MOST_LAYERS = 4096
MISSING = object()


@dataclass
class Log:
    """What was decided on the way: defaults taken, notes, fields passed over with the reason."""

    defaults: list[tuple[str, object, str]] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    passed: dict[str, Text] = field(default_factory=dict)


class Config:
    """One object of a config: the file itself or one nested in it, with its class defaults."""

    def __init__(
        self,
        source: Source,
        data: Mapping[str, object] | None = None,
        path: str = "",
        *,
        defaults: Mapping[str, object] | None = None,
        owner: str = "",
        log: Log | None = None,
        sheet: Sheet | None = None,
    ) -> None:
        self.source = source
        self.data = source.data if data is None else data
        self.path = path
        self.defaults = dict(defaults or {})
        self.owner = owner
        self.log = log or Log()
        self.sheet = sheet or Sheet()
        self.used: set[str] = set()
        self.children: list[Config] = []
        self.harmless: dict[str, Text] = {}

    # finding

    def where(self, name: str) -> str:
        """The dotted path of a field, as the file calls it."""
        dotted = f"{self.path}.{name}" if self.path else name
        return self.source.labels.get(dotted, dotted)

    def spelled(self, name: str) -> str:
        """The spelling under which the file carries a field; its own name where it does not."""
        here = [n for n in (name, *SPELLINGS.get(name, ())) if n in self.data]
        held = [n for n in here if self.data[n] is not None]
        self.used.update(here)
        if len({repr(self.data[n]) for n in held}) > 1:
            what = tr("{first} and {second} mean the same and differ", first=held[0],
                      second=held[1])  # fmt: skip
            self.reject(held[1], what, code="M107")
        return (held or here or [name])[0]

    def has(self, name: str) -> bool:
        """Whether the file carries a field, under any spelling, with a value that is not null."""
        return self.data.get(self.spelled(name)) is not None

    def value(self, name: str) -> object:
        """The raw value of a field, the class default where it is missing; DeriveError M104."""
        spelled = self.spelled(name)
        if spelled in self.data:
            return self.data[spelled]
        if name not in self.defaults:
            hint = tr("a config without it cannot be sized, and no default is assumed")
            self.reject(name, tr("{name} is missing", name=self.where(name)), hint, code="M104")
        taken = (self.where(name), self.defaults[name], self.owner)
        if taken not in self.log.defaults:
            self.log.defaults.append(taken)
        return self.defaults[name]

    def origin(self, name: str) -> str:
        """Where the value of a field comes from, as a derivation names it."""
        spelled = self.spelled(name)
        here = spelled in self.data
        return self.where(spelled) if here else f"{self.where(name)} ({self.owner})"

    # reading

    def maybe(self, name: str, low: int = 1, high: int = LARGEST) -> int | None:
        """A whole number, or None where it is null; DeriveError M105 where it is anything else."""
        found = self.value(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int):
            self.reject(name, not_whole(self.where(name), found))
        if not low <= found <= high:
            what = tr("{name} is {value}; it must be between {low} and {high}",
                      name=self.where(name), value=brief(found), low=low, high=high)  # fmt: skip
            self.reject(name, what)
        return found

    def integer(self, name: str, low: int = 1, high: int = LARGEST) -> int:
        """A whole number that must be there."""
        found = self.maybe(name, low, high)
        if found is None:
            what = tr("{name} is null; a number is needed here", name=self.where(name))
            self.reject(name, what, code="M104")
        return found

    def size(self, symbol: str, name: str, low: int = 1, high: int = LARGEST) -> int:
        """A whole number, set as the value of a symbol."""
        return self.sheet.let(symbol, self.integer(name, low, high), self.origin(name))

    def flag(self, name: str) -> bool:
        """A yes or no; null is no."""
        found = self.value(name)
        if found is None:
            return False
        if not isinstance(found, bool):
            self.reject(name, tr("{name} must be true or false", name=self.where(name)))
        return found

    def word(self, name: str, choices: Iterable[str] = ()) -> str:
        """A text, one of the choices where there are any."""
        found = self.value(name)
        known = tuple(choices)
        if not isinstance(found, str) or (known and found not in known):
            what = tr("{name} is {value}, which is not understood",
                      name=self.where(name), value=brief(found))  # fmt: skip
            hint = tr("known are {known}", known=", ".join(known)) if known else None
            self.reject(name, what, hint)
        return found

    def fraction(self, name: str) -> Fraction:
        """A positive number that need not be whole, exact as it is written."""
        found = self.value(name)
        if (
            isinstance(found, bool)
            or not isinstance(found, (int, float))
            or not 0 < found < LARGEST
        ):
            self.reject(name, tr("{name} must be a positive number", name=self.where(name)))
        return Fraction(str(found))

    def items(self, name: str, length: int | None = None, most: int = MOST_LAYERS) -> list[object]:
        """A list, of a given length where one is given."""
        found = self.value(name)
        if not isinstance(found, list) or len(found) > most:
            self.reject(name, tr("{name} must be a list", name=self.where(name)))
        if length is not None and len(found) != length:
            what = tr("{name} must have {length} entries, it has {count}",
                      name=self.where(name), count=len(found), length=length)  # fmt: skip
            self.reject(name, what, code="M107")
        return list(found)

    def words(self, name: str, choices: Iterable[str], length: int | None = None) -> list[str]:
        """A list of known words."""
        known, found = tuple(choices), self.items(name, length)
        for entry in found:
            if entry not in known or not isinstance(entry, str):
                what = tr("{name} holds {value}, which is not understood",
                          name=self.where(name), value=brief(entry))  # fmt: skip
                self.reject(name, what, tr("known are {known}", known=", ".join(known)))
        return [str(entry) for entry in found]

    def integers(
        self, name: str, length: int | None = None, low: int = 0, high: int = LARGEST
    ) -> list[int]:
        """A list of whole numbers."""
        found = self.items(name, length)
        for entry in found:
            if isinstance(entry, bool) or not isinstance(entry, int) or not low <= entry <= high:
                where, value = self.where(name), brief(entry)
                what = tr("{name} holds {value}; whole numbers from {low} to {high} are needed",
                          name=where, value=value, low=low, high=high)  # fmt: skip
                self.reject(name, what)
        return [entry for entry in found if isinstance(entry, int)]

    def table(
        self, name: str, defaults: Mapping[str, object] | None = None, owner: str = ""
    ) -> Config:
        """A nested object; an empty one where it is missing."""
        self.used.add(name)
        found = self.data.get(name)
        if found is not None and not isinstance(found, dict):
            self.reject(name, tr("{name} must be an object", name=self.where(name)))
        child = self.nested(found or {}, name, defaults, owner)
        self.children.append(child)
        return child

    def nested(
        self,
        data: Mapping[str, object],
        name: str,
        defaults: Mapping[str, object] | None = None,
        owner: str = "",
    ) -> Config:
        """A view of an object inside this one."""
        return Config(self.source, data, self.where(name), defaults=defaults,
                      owner=owner or self.owner, log=self.log, sheet=self.sheet)  # fmt: skip

    # accounting

    def pass_by(self, reason: Text, *names: str) -> None:
        """Fields of this family that carry no weight, and why."""
        self.harmless.update(dict.fromkeys(names, reason))

    def only(self, name: str, *allowed: object) -> None:
        """A field that is understood only at some values; missing is understood."""
        self.used.add(name)
        found = self.data.get(name)
        if found is not None and not any(
            found is a or (found == a and type(found) is type(a)) for a in allowed
        ):
            what = tr("{name} is {value}, which is not understood",
                      name=self.where(name), value=brief(found))  # fmt: skip
            self.reject(name, what)

    def note(self, text: Text) -> None:
        """Keep an assumption for the record."""
        if text not in self.log.notes:
            self.log.notes.append(text)

    def reject(
        self, name: str, what: Text, hint: Text | None = None, code: str = "M105"
    ) -> NoReturn:
        """Refuse the file because of a field."""
        refuse(code, what, self.source.place(self.where(self.spelled(name))), hint)

    def problems(self) -> list[Problem]:
        """A problem for each field that nobody read and that is not known to carry no weight.

        The first ones are told each, the rest by their number.
        """
        found, left = [], self.left()
        for name in left[: MOST - 1]:
            shown = printable(self.where(name), 80)
            what = tr("{name} is not understood for this model type", name=shown)
            hint = tr("it may change the count, so the file is not read past it")
            found.append(Problem("M106", what, self.source.place(self.where(name)), hint=hint))
        more = len(left) - len(found)
        if more > 0:
            what = tr("{count} fields more are not understood", count=f"{more:,}")
            found.append(Problem("M106", what, Place(self.source.file)))
        for child in self.children:
            found += child.problems()
        return found

    def left(self) -> list[str]:
        """Fields that nobody read and that may change the count; the others are remembered."""
        found = []
        for name, value in self.data.items():
            reason = self.harmless.get(name)
            if name in self.used and reason is None:
                continue
            reason = reason or HARMLESS.get(name)
            if reason is None and name in ONLY and any(value == v for v in ONLY[name]):
                reason = tr("off")
            if reason is not None:
                self.log.passed[self.where(name)] = reason
            else:
                found.append(name)
        return found

    def finish(self) -> None:
        """Refuse the file when a field is left that is not understood."""
        left = self.problems()
        if left:
            raise DeriveError(left)


def brief(value: object) -> str:
    """A value of a config as a message shows it: in the words of the file, not of a language."""
    if isinstance(value, Odd):
        return value.token
    if isinstance(value, str):
        return printable(value, 40) or '""'
    return printable(json.dumps(value, ensure_ascii=False, default=lambda odd: odd.token), 40)


def not_whole(name: str, found: object) -> Text:
    """What is wrong with a value where a whole number is needed."""
    if isinstance(found, float):
        return tr("{name} must be a whole number without a decimal point, not {value}",
                  name=name, value=brief(found))  # fmt: skip
    return tr("{name} must be a whole number, not {value}", name=name, value=brief(found))
