"""Whether a formula is the catalogue's own: both sides by exact fractions at random points.

Equal under an assumption that people make without saying (dense, one request, on one branch of a
max) counts, and the assumption is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from derive.audit.fields.evaluation import ClaimPoint
from derive.derivation.points import Absent, RandomPoint, Undefined
from derive.derivation.stored import crossings, trees
from derive.expression.tree import Call, Name, Node, names, walk
from derive.formula import catalogue, unit_of
from derive.text import Text

POINTS = 12
FEW = 3  # agreeing points that a branch must hold at
# one name, several quantities
FAMILY = {
    "TPOT": ("TPOT", "TPOT_floor", "t_step_eff", "t_step"),
    "TTFT": ("TTFT", "t_prefill", "TTFT_burst"),
    "I_step": ("I_step", "I_decode", "I_prefill"),
    "MFU": ("MFU_meas", "MFU_prefill_meas", "MFU_training"),
    "MBU": ("MBU_meas",),
    "X": ("X", "R_max"),
    "b_crit": ("b_crit", "b_crit_T"),
}
Values = dict[str, Fraction]


@dataclass(frozen=True)
class Assumption:
    """A condition under which formulas are often written, as a change of the point."""

    under: Text
    change: Callable[[Values], Values]
    of: tuple[str, ...] = ()  # symbols that it fixes: a formula that names them means them
    changes: tuple[str, ...] = ()  # symbols that it gives another value, where not those of `of`
    rare: bool = False  # most models of today do not meet it

    def may(self, involved: set[str]) -> bool:
        """Whether it leaves alone what the formula itself names."""
        return not involved & set(self.of)

    @property
    def touches(self) -> set[str]:
        """The symbols whose values it changes."""
        return set(self.changes or self.of)


def _dense(v: Values) -> Values:
    return {"N_act": v["N"]}


def _all_heads(v: Values) -> Values:
    return {"H_kv": v["H_q"], "d_model": v["H_q"] * v["d_head"]}


ASSUMPTIONS = (
    Assumption(Text("a dense model", "稠密模型"), _dense, ("N_act",)),
    Assumption(
        Text("as many KV heads as query heads", "KV 头数等于查询头数"),
        _all_heads,
        changes=("H_kv", "d_model"),
        rare=True,
    ),
    Assumption(Text("T is the prompt", "T 取输入长度"), lambda v: {"T": v["T_in"]}, changes=("T",)),
    Assumption(Text("one request", "单个请求"), lambda _: {"b": Fraction(1)}, ("b",)),
    Assumption(
        Text("short context", "上下文很短"),
        lambda _: {"T": Fraction(0)},
        ("T", "kappa", "KV_total", "KV_request"),
    ),
    Assumption(
        Text("at peak rates", "按峰值速率"),
        lambda _: {"MFU": Fraction(1), "MBU": Fraction(1)},
        ("MFU", "MBU"),
    ),
    Assumption(Text("one device", "单个设备"), lambda _: {"g": Fraction(1)}, ("g",)),
)


@dataclass(frozen=True)
class Match:
    """The catalogue's formula that a claim states, and what has to be assumed."""

    id: str
    assumed: tuple[Text, ...]
    rare: bool = False  # one of the assumptions does not hold for most models
    branch: bool = False  # equal on one branch of a max, min, floor or ceil alone


@dataclass(frozen=True)
class Differs:
    """How far a formula is off: the ratio where it is the same everywhere."""

    id: str
    ratio: Fraction | None
    claimed: Fraction
    catalogue: Fraction


def branched(name: str, seen: set[str] | None = None) -> bool:
    """Whether a formula holds a max, min, floor or ceil anywhere inside."""
    seen = set() if seen is None else seen
    if name in seen or name not in trees():
        return False
    seen.add(name)
    return any(
        isinstance(n, Call) or (isinstance(n, Name) and branched(n.id, seen))
        for n in walk(trees()[name])
    )


@lru_cache(maxsize=1024)
def drawn(seed: str, index: int) -> Values:
    """The values of one random point."""
    return dict(RandomPoint(seed, index).given)


def closure(names_: Iterable[str]) -> set[str]:
    """These names and every symbol that the catalogue's formulas of them rest on."""
    found: set[str] = set()
    left = list(names_)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += names(trees()[name]) if name in trees() else []
    return found


def points(
    seed: str, fixed: Mapping[str, Fraction], assumed: tuple[Assumption, ...]
) -> list[Values]:
    """Points at which the assumptions hold."""
    made = []
    for index in range(POINTS):
        given = drawn(seed, index) | dict(fixed)
        for one in assumed:
            given |= one.change(given)
        made.append(given)
    return made


def both(name: str, tree: Node, given: Values) -> tuple[Fraction, Fraction] | None:
    """The claimed value and the catalogue's; None where one of them does not exist."""
    try:
        return ClaimPoint(given).value(tree), ClaimPoint(given).get(name)
    except (Absent, Undefined, ArithmeticError):
        return None


def compared(name: str, tree: Node, at: list[Values]) -> list[tuple[Fraction, Fraction]]:
    """The two values at each point; at a few alone where none of these agree."""
    pairs = [p for v in at[:FEW] if (p := both(name, tree, v))]
    if any(a == b for a, b in pairs) or branched(name):
        pairs += [p for v in at[FEW:] if (p := both(name, tree, v))]
    if len(pairs) < FEW:  # what does not exist for several prompts in a pass does for one
        pairs += [p for v in at if (p := both(name, tree, v | {"b_pre": Fraction(1)}))]
    return pairs


def match(name: str, tree: Node, fixed: Mapping[str, Fraction]) -> Match | None:
    """The fewest assumptions under which the formula is one of this name's family."""
    partial: Match | None = None
    involved = set(names(tree))
    rests = closure([*involved, *FAMILY.get(name, (name,))])
    allowed = [a for a in ASSUMPTIONS if a.may(involved) and a.touches & rests]
    for count in range(len(allowed) + 1):
        for assumed in itertools.combinations(allowed, count):
            for one in FAMILY.get(name, (name,)):
                if one not in catalogue() or one in involved or one in crossings():
                    continue
                pairs = compared(one, tree, points(name, fixed, assumed))
                equal = sum(a == b for a, b in pairs)
                words, rare = tuple(a.under for a in assumed), any(a.rare for a in assumed)
                if pairs and equal == len(pairs) >= FEW:
                    return Match(one, words, rare)
                if equal >= FEW and partial is None and branched(one):
                    partial = Match(one, words, rare, branch=True)
        if partial is not None:
            return partial
    return None


def one_token_off(name: str, tree: Node, fixed: Mapping[str, Fraction]) -> bool:
    """Whether it is the catalogue's formula of an output that is one token longer or shorter."""
    if "T_out" not in names(tree) or name not in catalogue():
        return False
    at = points(name, fixed, ())
    for step in (1, -1):
        pairs = []
        for given in at:
            try:
                more = ClaimPoint({**given, "T_out": given["T_out"] + step})
                pairs.append((ClaimPoint(given).value(tree), more.get(name)))
            except (Absent, Undefined, ArithmeticError, KeyError):
                continue
        if len(pairs) >= FEW and all(a == b for a, b in pairs):
            return True
    return False


def differs(name: str, tree: Node, fixed: Mapping[str, Fraction]) -> Differs | None:
    """The two values at one point, for a dense model, and their ratio where it never changes."""
    found = [p for v in points(name, fixed, ASSUMPTIONS[:1]) if (p := both(name, tree, v))]
    if not found:
        return None
    ratios = {a / b for a, b in found if b}
    unit = unit_of(name).factor
    return Differs(
        name, ratios.pop() if len(ratios) == 1 else None, found[0][0] / unit, found[0][1] / unit
    )
