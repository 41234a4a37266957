"""Why results moved between two candidates: each factor's ratio, found again and said again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.text import Text, same, tr
from derive.units import Quantity, Unit, show
from derive.verify.candidate import Branch, Candidate
from derive.verify.texts import Broken

BUSY = plain(parse("TTFT / one_request + (T_out - one_token) * TPOT / b"))
SWITCHES = ("k_draft", "hit", "T_chunk", "g_pre")  # one input of each switch of a scenario
SIDES = {"memory": tr("bandwidth"), "compute": tr("compute"), "": same("")}


@dataclass(frozen=True)
class Factor:
    """One factor that moved: after over before, and what is behind it."""

    name: str
    power: int
    ratio: Fraction
    by: list[str]


def times(ratio: Fraction) -> str:
    """`0.521×`, at three figures."""
    return show(Quantity(ratio, Unit()), 3).number + "×"


def reason(name: str, first: Candidate, second: Candidate, recorded: Any) -> dict[str, Any]:
    """The record that the numbers of two candidates give; `recorded` chooses among true reasons."""
    before, after = first.branches[name], second.branches[name]
    if before is None or after is None or second.values[name] is None:
        return unmoved(one_of(second.why[name], recorded) or tr("no value to compare with"))
    if not before.value:
        return unmoved(tr("nothing to compare with: the base has none"))
    if not after.value:
        return unmoved(tr("none: the weights leave no room"))
    factors = changed(first, second, before, after) if alike(before, after) else None
    total = Fraction(1)
    for f in factors or ():
        total *= f.ratio**f.power
    if factors is not None and total != after.value / before.value:
        raise Broken(tr("{name}: its factors do not give its ratio", name=name))
    idle = in_vain(before, after)
    return {
        "roof": [before.roof, after.roof] if before.roof else None,
        "moved": [
            {"symbol": f.name, "ratio": times(f.ratio), "effect": times(f.ratio**f.power),
             "by": f.by} for f in factors or ()
        ],
        "idle": [{"symbol": n, "ratio": times(ratio)} for n, ratio in idle.items()],
        "text": sentence(name, first, second, factors, idle).json(),
    }  # fmt: skip


def unmoved(why: Text) -> dict[str, Any]:
    """The record where nothing can be compared."""
    return {"roof": None, "moved": [], "idle": [], "text": why.json()}


def one_of(reasons: Sequence[Text], recorded: Any) -> Text | None:
    """The recorded one of several true reasons, else the first."""
    return next((r for r in reasons if r.json() == recorded), reasons[0] if reasons else None)


def alike(before: Branch, after: Branch) -> bool:
    """Whether both are products of the same factors."""
    return {n: p for n, (p, _) in before.factors.items()} == {
        n: p for n, (p, _) in after.factors.items()
    }


def changed(first: Candidate, second: Candidate, before: Branch, after: Branch) -> list[Factor]:
    """The factors that differ."""
    made = []
    for name, (power, value) in before.factors.items():
        now = after.factors[name][1]
        if value and now != value:
            by = behind(name, first, second, before, after)
            made.append(Factor(name, power, now / value, by))
    return made


def behind(
    name: str, first: Candidate, second: Candidate, before: Branch, after: Branch
) -> list[str]:
    """What differs behind a factor: the symbols of a sum, else the inputs that it comes from."""
    if name in before.sums:
        old, new = before.sums[name], after.sums[name]
        return [f"{n} {times(v / old[n])}" for n, v in new.items() if old[n] and old[n] != v]
    from_these = second.behind.get(name, frozenset())
    made = []
    for symbol, old_value in first.given.items():
        new_value = second.given.get(symbol)
        if symbol == name or symbol not in from_these or new_value is None:
            continue
        if old_value.base and new_value.base != old_value.base:
            made.append(f"{symbol} {times(new_value.base / old_value.base)}")
    return made


def in_vain(before: Branch, after: Branch) -> dict[str, Fraction]:
    """What differs only in arguments that do not decide in the second candidate."""
    return {
        n: after.beside[n] / value
        for n, value in before.beside.items()
        if value and n in after.beside and n not in after.factors and after.beside[n] != value
    }


def sentence(
    name: str, first: Candidate, second: Candidate, factors: list[Factor] | None,
    idle: Mapping[str, Fraction],
) -> Text:  # fmt: skip
    """The reason in words: roofs, factors, and what moved in vain."""
    before, after = first.branches[name], second.branches[name]
    assert before is not None
    assert after is not None
    parts: list[Text] = []
    if before.roof and before.roof == after.roof:
        parts.append(tr("{roof} decides before and after", roof=SIDES[before.roof]))
    elif before.roof and after.roof:
        parts.append(tr("{roof} decides before, {other} after",
                        roof=SIDES[before.roof], other=SIDES[after.roof]))  # fmt: skip
    if factors is None:
        parts.append(another(name, first, second, before, after))
    elif factors:
        parts.append(listed(factors))
    else:
        parts.append(tr("nothing that decides {name} has moved", name=name))
    if idle:
        vain = ", ".join(f"{n} {times(ratio)}" for n, ratio in idle.items())
        parts.append(
            tr("{moved} moves nothing: it is not in the roof that decides", moved=same(vain))
        )
    return joined(parts)


def another(name: str, first: Candidate, second: Candidate, before: Branch, after: Branch) -> Text:
    """Why the factors of both cannot be held against each other."""
    models = {c.record["scenario"]["model"]["id"] for c in (first, second)}
    if len(models) > 1:
        return tr("another formula holds for the other model")
    if any((n in first.given) != (n in second.given) for n in SWITCHES):
        return tr("another formula holds with the switches of this candidate")
    if before.roof != after.roof:
        ratio = times(after.value / before.value)
        return tr("past the ridge the other roof holds {name} at {ratio}", name=name, ratio=ratio)
    return tr("another formula holds for how the devices share here")


def joined(parts: Sequence[Text]) -> Text:
    """Parts of a sentence in a row."""
    return Text("; ".join(p.en for p in parts), "；".join(p.zh for p in parts))


def listed(factors: Sequence[Factor]) -> Text:
    """`Q_step 0.52× (w 0.5×), B_peak 1.43×`."""
    made = []
    for one in factors:
        word = (
            tr("time of the replica that a request takes") if one.name == BUSY else same(one.name)
        )
        tail = f" {times(one.ratio)}" + (f" ({', '.join(one.by)})" if one.by else "")
        made.append(Text(word.en + tail, word.zh + tail))
    return Text(", ".join(t.en for t in made), "，".join(t.zh for t in made))
