"""How one quantity depends on another, by the catalogue's own formulas at exact points.

Nothing is typed in here but the formulas' ids and, where a quantity has several ways to come about
(copies or shards), one expression for each. No algebra is needed: a sign and a proportion show at two
points, and a single pair that disagrees refutes a general statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from derive.derivation.points import RandomPoint
from derive.expression.grammar import parse
from derive.expression.value import value
from derive.formula import VARIANTS, catalogue
from derive.notation import CONSTANTS
from derive.text import Text

POINTS = 12


@dataclass(frozen=True)
class Case:
    """One way in which a quantity comes about: an expression, and words that say which it is."""

    text: str
    under: Text | None = None
    words: tuple[str, ...] = ()
    side: str = ""  # memory or compute: the points at which it holds


MEMORY = Text("while memory traffic takes longer than operations", "访存时间长于运算时间时")
COMPUTE = Text("while operations take longer than memory traffic", "运算时间长于访存时间时")
SIDES = ("memory", "compute")
MEMORY_WORDS = (
    "memory bound",
    "memory-bound",
    "bandwidth bound",
    "bandwidth-bound",
    "带宽受限",
    "访存受限",
    "带宽侧",
)
COMPUTE_WORDS = ("compute bound", "compute-bound", "算力受限", "计算受限", "算力侧")


def sided(text: str) -> tuple[Case, Case]:
    """A quantity of the decode step on either side of the ridge; the memory side is the usual one."""
    return (
        Case(text, MEMORY, MEMORY_WORDS, "memory"),
        Case(text, COMPUTE, COMPUTE_WORDS, "compute"),
    )


SHARDS = Text(
    "with tensor parallelism, up to the number of KV heads", "张量并行、且并行度不超过 KV 头数时"
)
COPIES = Text(
    "with data-parallel copies, or beyond the number of KV heads",
    "数据并行副本，或并行度超过 KV 头数时",
)

# what a claim speaks of -> the formulas behind it
QUANTITIES: dict[str, tuple[Case, ...]] = {
    "ridge": (Case("I_ridge"),),
    "memory_side": (Case("I_ridge"),),  # loads below the ridge
    "tpot": sided("TPOT"),
    "throughput": sided("X"),
    "rate": (Case("R_max"),),
    "ttft": (Case("TTFT", COMPUTE, (), "prompt"),),
    "intensity": (Case("I_decode"),),
    "kv_device": (
        Case("kappa / min(g, H_kv)", SHARDS, ("tensor parallel", "tp", "张量并行", "shard"), "few"),
        Case("kappa", COPIES, ("data parallel", "data-parallel", "dp", "replica", "数据并行", "副本")),
    ),
    "weights_device": (
        Case("W / g", SHARDS, ("tensor parallel", "pipeline parallel", "tp", "张量并行", "流水并行", "shard")),
        Case("W", COPIES, ("data parallel", "data-parallel", "dp", "replica", "数据并行", "副本")),
    ),
    "kv": (Case("KV_total"),),
    "kappa": (Case("kappa"),),
    "weights": (Case("W"),),
    "bytes": (Case("Q_step"),),
    "bytes_per_token": (Case("bytes_per_token"),),
    "operations": (Case("F_tok"),),
    "concurrency": (Case("M_free / (T * kappa)", side="fits"),),
    "devices_needed": (Case("W / (M_frac * M_dev - M_other)"),),
    "critical_batch": (Case("b_crit"),),
}  # fmt: skip


class Unknown(Exception):
    """A formula that has no closed form to evaluate."""


def evaluate(name: str, given: Mapping[str, Fraction]) -> Fraction:
    """A formula's value, by its declaration or by its declared closed form."""
    if name in given:
        return given[name]
    if name in CONSTANTS:
        return CONSTANTS[name].value.base
    found = catalogue().get(name)
    if found is None:
        raise Unknown(name)
    if found.tree is not None:
        return value(found.tree, lambda n: evaluate(n, given))
    if found.of:
        fixed = {k: value(v, lambda n: evaluate(n, given)) for k, v in found.at.items()}
        return evaluate(found.of, {**given, **fixed})
    if found.closed:
        return value(parse(found.closed), lambda n: evaluate(n, given))
    raise Unknown(name)


def expression(text: str, given: Mapping[str, Fraction]) -> Fraction:
    """The value of an expression over formulas."""
    return value(parse(text), lambda n: evaluate(n, given))


@cache
def points(side: str) -> tuple[Mapping[str, Fraction], ...]:
    """Points at which a case holds."""
    found = []
    for number in range(400):
        given = RandomPoint(f"audit/{side}", number).given
        given = {**given, "N_act": given["N"], "n": Fraction(1)}
        if side == "few":
            given["g"] = Fraction(max(1, int(given["H_kv"]) // 4))
        if holds(side, given):
            found.append(given)
        if len(found) == POINTS:
            break
    return tuple(found)


def holds(side: str, given: Mapping[str, Fraction]) -> bool:
    """Whether a point lies on a side, with room for a step of the change."""
    if side in SIDES:
        compute = evaluate("F_step", given) / (evaluate("MFU", given) * given["P_peak"])
        memory = evaluate("Q_step", given) / (given["MBU"] * given["B_peak"])
        return memory > 2 * compute if side == "memory" else compute > 2 * memory
    if side == "prompt":
        return given["T_in"] > 2 * evaluate("I_ridge", given) * given["w"]
    if side == "few":
        return given["H_kv"] >= 4
    if side == "fits":
        return (
            evaluate("M_free", {**given, "g": 2 * given["g"]}) > 0 and evaluate("M_free", given) > 0
        )
    return True


STEP = Fraction(11, 10)


@cache
def signs(case: Case, cause: str) -> frozenset[int]:
    """The signs that the change of a quantity takes when a cause grows by a tenth."""
    found = set()
    for given in points(case.side):
        more = {**given, cause: given[cause] * (2 if cause == "g" else STEP)}
        if cause == "N":
            more["N_act"] = more["N"]
        before, after = expression(case.text, given), expression(case.text, more)
        found.add((after > before) - (after < before))
    return frozenset(found)


@cache
def proportional(case: Case, cause: str) -> bool:
    """Whether a quantity grows exactly as a cause does."""
    for given in points(case.side):
        more = {**given, cause: given[cause] * 2}
        if cause == "N":
            more["N_act"] = more["N"]
        if expression(case.text, more) != 2 * expression(case.text, given):
            return False
    return True


@cache
def of_experts(what: str, of: str, tokens: tuple[int, ...]) -> list[Fraction]:
    """A quantity of a mixture of experts over its active or total parameters, for passes of so many tokens.

    `E_hit` is the catalogue's: the experts that a pass of b tokens hits on average.
    """
    found = []
    for given in points("experts"):
        experts = {**given, "k_exp": min(given["k_exp"], given["E"] / 4)}
        active = experts["N_fix"] + experts["N_exp"] * experts["k_exp"] / experts["E"]
        whole = experts["N_fix"] + experts["N_exp"]
        for count in tokens:
            here = {**experts, "b": Fraction(count), "N_act": active, "N": whole}
            if what == "bytes":
                tree = VARIANTS["W_experts"].tree
                assert tree is not None
                made = value(tree, partial(evaluate, given=here)) / here["w"]
            elif what == "operations":
                made = evaluate("F_tok", here)
            else:
                made = evaluate("W", here) / here["w"]
            found.append(made / (active if of == "active" else whole))
    return found


def declared(text: str) -> str:
    """A formula's id with its declaration, or an expression as it stands."""
    found = catalogue().get(text)
    return f"{text} = {found.text}" if found and found.text else text
