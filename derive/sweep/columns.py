"""The columns of a sweep: what each holds, in which unit, and why a value may be lacking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from derive.derivation.points import FARTHEST, no_batch, no_count, not_even_one
from derive.derivation.stored import crossings, trees
from derive.errors import DeriveError
from derive.expression.tree import Call, Node, Number, names
from derive.formula import Formula, catalogue, never_meets, standing_in, stays_apart, unit_of
from derive.notation import CONSTANTS, SYMBOLS
from derive.study.bind import Bound, available
from derive.study.inputs import lacks
from derive.study.results import is_known
from derive.study.values import unknown_symbol
from derive.sweep.axes import Axis, Numbers
from derive.sweep.grid import Grid
from derive.sweep.ranges import ENDS, has_range
from derive.sweep.reading import LONGEST_SEARCH, withheld
from derive.text import Text, tr

FITS = "fits"


@dataclass(frozen=True)
class Column:
    """One column: `kind` is text, integer, number or truth; `why` what may leave it empty."""

    name: str
    kind: str
    unit: str
    meaning: Text
    why: tuple[Text, ...] = ()
    end: str = ""  # low or high, where it is one of a range

    @property
    def head(self) -> str:
        """Name and unit, for a file that has no other place for the unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def columns(grid: Grid, asked: Sequence[str], *, ranges: bool = False) -> list[Column]:
    """Axes as written, whether the scenario fits, then results with the ends of their ranges."""
    made = [axis_column(axis) for axis in grid.axes]
    meaning = tr(
        "whether the devices hold weights and batch, and those of prefill theirs; where not, "
        "speeds have no value"
    )
    made.append(Column(FITS, "truth", "", meaning))
    kinds = different(grid)
    outputs = list(dict.fromkeys(asked)) or everything(kinds)
    if unknown := [name for name in outputs if not is_known(name)]:
        raise DeriveError([unknown_symbol(name) for name in unknown])
    taken = {column.name for column in made}
    for name in outputs:
        if name not in taken:
            made.append(result_column(name, kinds))
            made += ends(made[-1]) if ranges and has_range(name) else []
    return made


def ends(column: Column) -> list[Column]:
    """The columns of the smallest and the largest value that a calibration's range allows."""
    meanings = {
        "low": tr("{name}: the smallest over low, typical and high of the calibration",
                  name=column.meaning),
        "high": tr("{name}: the largest over low, typical and high of the calibration",
                   name=column.meaning),
    }  # fmt: skip
    return [
        replace(column, name=f"{column.name}_{end}", meaning=meanings[end], end=end) for end in ENDS
    ]


def different(grid: Grid) -> list[Bound]:
    """One combination of each kind: of those with the same formulas and inputs one is enough."""
    found = {(p.bound.variants, frozenset(p.bound.inputs)): p.bound for p in grid.parts}
    return list(found.values())


def everything(kinds: Sequence[Bound]) -> list[str]:
    """Every formula that has its inputs in some combination, in the order of declaration."""
    found = set[str]()
    for bound in kinds:
        with standing_in(bound.variants):
            given = frozenset(bound.typical.given)
            found |= {name for name in catalogue() if available(name, given)}
    return [name for name in catalogue() if name in found]


def axis_column(axis: Axis) -> Column:
    """The column of an axis."""
    if not isinstance(axis, Numbers):
        return Column(axis.name, "text", "", tr("as given to --over"))
    kind = "integer" if axis.whole else "number"
    return Column(axis.name, kind, axis.unit.text, meaning(axis.symbol))


def result_column(name: str, kinds: Sequence[Bound]) -> Column:
    """The column of a result or of an input."""
    why, whole = dict[Text, None](), True
    for bound in kinds:
        with standing_in(bound.variants):
            given = frozenset(bound.typical.given)
            if not available(name, given):
                why |= dict.fromkeys([lacking(name, given)])
                continue
            whole &= counts(name, given)
            why |= dict.fromkeys(reasons(name, given))
            if withheld(name):
                why[tr("the scenario does not fit: {column} is false", column=FITS)] = None
    return Column(
        name, "integer" if whole else "number", unit_of(name).text, meaning(name), tuple(why)
    )


def meaning(name: str) -> Text:
    """What an id stands for."""
    if name in catalogue():
        return catalogue()[name].name
    return SYMBOLS[name].meaning if name in SYMBOLS else CONSTANTS[name].reason


def lacking(name: str, given: frozenset[str]) -> Text:
    """The first input that is not given."""
    found = catalogue().get(name)
    inside = [n for n in found.uses if not available(n, given)] if found else []
    return lacking(inside[0], given) if inside else lacks(name, given)


def tree_of(name: str, given: frozenset[str]) -> Node | None:
    """The tree that gives a value; None for what is given or searched."""
    if name in given or name not in catalogue() or name in crossings():
        return None
    return trees()[name]


def counts(name: str, given: frozenset[str]) -> bool:
    """Whether every value is a whole number by the form of its formula."""
    if name in given or name not in catalogue() or unit_of(name).factor != 1:
        return False
    tree = tree_of(name, given)
    return rounds(tree) if tree is not None else name in crossings()


def rounds(node: Node) -> bool:
    """Whether a tree gives whole numbers: floor and ceil, and the least or largest of such."""
    if isinstance(node, Call):
        return node.function in ("floor", "ceil") or (
            node.function in ("min", "max") and all(rounds(a) for a in node.args)
        )
    return isinstance(node, Number) and node.value.denominator == 1


def reasons(name: str, given: frozenset[str]) -> Iterator[Text]:
    """Why a value may not exist, what it is computed from included."""
    seen = set[str]()

    def of(name: str) -> Iterator[Text]:
        if name in seen or name in given or name not in catalogue():
            return
        seen.add(name)
        made = catalogue()[name]
        yield from own(made)
        tree = tree_of(name, given)
        inside = [*names(tree)] if tree is not None else []
        if made.exists:
            inside += [n for side in made.exists.parts[::2] for n in names(side)]
        for part in inside:
            yield from of(part)

    return of(name)


def own(made: Formula) -> Iterator[Text]:
    """The reasons that lie in one formula."""
    if made.exists:
        yield made.exists.meaning
    if made.otherwise:
        yield made.otherwise.meaning
    found = crossings().get(made.id) if made.tree is None else None
    last = f"{FARTHEST.get(found.variable, LONGEST_SEARCH):,}" if found else ""
    if found and found.variable == "b":
        yield no_batch(last, start=False, largest=found.largest)
        if not found.largest:
            yield no_batch(last, start=True, largest=False)
    elif found and found.smallest:
        yield no_count(last)
    elif found and found.largest:
        yield tr("every input up to {last} tokens meets the target", last=last)
    elif found and made.solve:
        yield stays_apart(made, last, above=True)
        yield stays_apart(made, last, above=False)
    elif made.solve:
        yield never_meets(made)
    if made.largest:
        yield not_even_one(made.largest[2])
