"""What the lines of the checklist read: the deployment at hand, and one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from derive.derivation.points import Absent, Point, Undefined, in_contract
from derive.formula import moved, unit_of
from derive.study.bind import Bound
from derive.study.finding import Results, text, times, value
from derive.study.levers import Elasticity
from derive.study.results import said
from derive.study.verdict import fits
from derive.text import Text, same, tr

Row = dict[str, Any]
DERIVED, RULE, TARGET, MEASURED = "derived", "rule of thumb", "target", "measured"
HARDLY = Fraction(1, 10)  # a change that a careful measurement of TPOT cannot tell from none


@dataclass(frozen=True)
class Case:
    """One deployment: inputs, results and elasticities."""

    bound: Bound
    results: Results
    levers: Sequence[Elasticity]

    @cached_property
    def point(self) -> Point:
        """The scenario at typical calibration."""
        return self.bound.typical

    @cached_property
    def mean(self) -> Point:
        """The same at the mean context, where measured means are held."""
        mean = value(self.results, "T_mean")
        return self.point.with_(T=mean) if mean is not None else self.point

    @cached_property
    def fits(self) -> bool:
        """Whether the devices hold weights and batch."""
        return fits(self.bound, self.results)

    @property
    def pool_limit(self) -> str:
        """What says how many requests an engine's pool holds: as it reserves, where that is known."""
        return "b_max" if self.value("b_max_reserved") is None else "b_max_reserved"

    @cached_property
    def memory_side(self) -> bool:
        """Whether bandwidth decides the time of a decode step."""
        intensity, ridge = self.value("I_decode"), self.value("I_ridge")
        return intensity is not None and ridge is not None and intensity < ridge

    def value(self, name: str) -> Fraction | None:
        """A result in base units, or None."""
        return value(self.results, name)

    def moved(self, name: str) -> str:
        """The id that tells what all devices move in a step."""
        return moved(name, self.bound.inputs)

    def why(self, name: str) -> Text:
        """Why a result has no value."""
        return self.results[name].why or tr("no value here")

    def given(self, name: str) -> Text:
        """An input within a sentence."""
        return said(self.point.quantity(name))

    def ratio(self, name: str, **change: Fraction) -> Fraction | None:
        """What a change multiplies a quantity by."""
        return ratio(self.point, self.point.with_(**change), name)

    def effect(self, target: str, lever: str) -> Fraction | None:
        """An elasticity, or None where the lever is not connected."""
        found = (e.value for e in self.levers if (e.target, e.lever) == (target, lever))
        return next(found, None)


def left_out(case: Case, group: str, question: Text) -> Row:
    """The line that stands for a group of a deployment that does not run, with the reason."""
    return row(f"no-{group}", group, question, case.why("TPOT"), DERIVED, ("g_fit",))


def ratio(before: Point, after: Point, name: str) -> Fraction | None:
    """How a quantity changes."""
    try:
        return after.get(name) / before.get(name)
    except (Absent, Undefined, ZeroDivisionError):
        return None


def at(point: Point, name: str) -> Text | None:
    """A quantity at another point within a sentence."""
    try:
        return said(point.quantity(name))
    except (Absent, Undefined):
        return None


def spoken(base: Fraction, like: str) -> Text:
    """A value in the contract unit of a quantity."""
    return said(in_contract(base, unit_of(like)))


def by(name: str, factor: Fraction) -> Text:
    """A quantity with what multiplies it."""
    return same(f"{name} × {times(factor)}")


def row(
    name: str, group: str, question: Text, answer: Text, basis: str, refs: Sequence[str] = ()
) -> Row:
    """One line; `basis` says where its threshold is from, `refs` where its numbers are derived."""
    return {
        "id": name,
        "group": group,
        "question": question.json(),
        "answer": answer.json(),
        "basis": basis,
        "refs": list(refs),
    }


def held(case: Case, name: str) -> Text:
    """A number of requests that fit; of a latent cache also what tensor parallelism leaves."""
    limit, group = text(case.results, name), case.bound.inputs.get("g_tp")
    if group is None or group.quantity.value == 1 or case.value("b_max_tp") is None:
        return limit
    return tr(
        "{limit} ({group} under tensor parallelism)",
        limit=limit,
        group=text(case.results, "b_max_tp"),
    )


def with_cards(made: Row, results: Results | Mapping[str, Any]) -> Row:
    """The line, its links reduced to what this model derives."""
    return {**made, "refs": [r for r in made["refs"] if r in results and not results[r].absent]}
