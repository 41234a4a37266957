"""The code reading against the exact one: the same values, the same gaps, every formula."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest

from derive.derivation.points import WHOLE, Absent, Point, RandomPoint, Undefined
from derive.expression.grammar import parse
from derive.formula import VARIANTS, catalogue, standing_in, unit_of
from derive.notation import SYMBOLS
from derive.study.results import prefill_fits
from derive.sweep.axes import Numbers, Span
from derive.sweep.columns import FITS
from derive.sweep.evaluate import Job, bounds_of
from derive.sweep.grid import blocks
from derive.sweep.program import Code, Scope, finished
from derive.sweep.reading import Reader, compiled, withheld
from derive.switches import APART

from .conftest import LLAMA, difference, exact, sweep

catalogue()  # the variants are there once it is read
NEAR = 1e-12
GRIDS = [
    (LLAMA, "b=1:512", "T=16:100000:16"),
    (LLAMA, "T_in=1:4000:13", "T_out=2:500:9", "arrival=1:9:0.5 request/s"),
    (LLAMA, "devices=1:6", "b=1:300:7"),
    (LLAMA, "hardware=nvidia-h200-sxm-141gb,nvidia-h100-sxm5-80gb",
     "precision.weights=bf16,fp8", "MBU=0.4:0.9:0.01", "slo.TPOT=8:60:0.5 ms/token"),
    (LLAMA, "TPOT=5:50:0.1 ms/token", "b=1:64"),
    ("llama-3.1-8b-on-1x-l4", "B_peak=200:900:0.5 GB/s/device", "T=1:9000"),
    ("deepseek-v3-on-8x-h200", "b=1:4096:5", "T=100:60000:37"),
    ("deepseek-v3-on-8x-h200", "slo.TPOT=8:60:0.01 ms/token", "MFU=0.2:0.6:0.1"),
    (LLAMA, "hit=0.1:0.9:0.01", "b=1:200"),
    (LLAMA, "T_chunk=256:4096:x2 token", "T_in=500:9000:7"),
    (LLAMA, "speculation.draft=2,4", "alpha=0.5:0.9:0.1", "T=100:9000:50"),
    ("llama-3.1-405b-on-8x-h200", "devices=16,72", "slo.TPOT=1:100:0.7 ms/token", "b=1:400:7"),
    ("gemma-2-9b-on-1x-l40s", "T_block=1:64:x2", "T=1:20000:3"),
]  # fmt: skip


@pytest.mark.parametrize("case", GRIDS, ids=" ".join)
def test_every_column_is_the_exact_value_or_empty_where_there_is_none(
    case: tuple[str, ...],
) -> None:
    scenario, *over = case
    asked = sweep(scenario, *over)
    grid, names = asked.grid, asked.outputs
    draw = random.Random(str(case))
    every = list(blocks(grid, 32_768))
    assert sum(block.rows for block in every) == grid.rows
    values = empty = 0
    for block in draw.sample(every, min(len(every), 8)):
        job = asked.job(block.part)
        rows = asked.rows(block, job.run(block.spans))
        columns = {
            c.name: None if v is None else rows.full(v)
            for c, v in zip(asked.columns, rows.values, strict=True)
        }
        for row in draw.sample(range(rows.count), min(rows.count, 5)):
            place = [int(i) for i in np.unravel_index(row, rows.shape)]
            index = [p + start for p, (start, _) in zip(place, block.spans, strict=True)]
            outer = grid.parts[block.part].index
            settings = [f"{a.name}={a.text(i)}" for a, i in zip(grid.outer, outer, strict=True)]
            settings += [f"{a.name}={a.text(i)}" for a, i in zip(grid.inner, index, strict=True)]
            for name, wanted in exact(scenario, settings, names).items():
                column = columns[name]
                found = float("nan") if column is None else float(column[row])
                if wanted.value is None:
                    assert np.isnan(found), (name, settings, wanted.why)
                    empty += 1
                    continue
                values += 1
                kind = next(c.kind for c in asked.columns if c.name == name)
                if kind == "integer":
                    assert found == wanted.value.value, (name, settings)
                assert difference(found, wanted.value.value) <= NEAR, (name, settings)
    assert values > 100


# what a chunk adds is the difference of two steps, which are near each other where it is short
LOSES = {"t_add": 1000, "share_prefill": 1000}
ROOM = {"M_dev": Fraction(10**18), "M_other": Fraction(1)}  # most random points fit nowhere


def points(name: str) -> list[Mapping[str, Fraction]]:
    """Inputs at which a formula has a value, and some at which it may have none."""
    found = list[Mapping[str, Fraction]]()
    for number in range(400):
        point = Point({**RandomPoint(name, number).given, **ROOM})
        try:
            point.get(name)
            if withheld(name) and not room(point):
                continue
        except (Absent, Undefined, ArithmeticError):  # a power of what is no count
            continue
        found.append(point.given)
        if len(found) == 2:
            break
    return [*found, *(RandomPoint(name, number).given for number in range(2))]


def room(point: Point) -> bool:
    """Whether the devices hold weights and batch, and those of prefill theirs."""
    return point.get("g") >= point.get("g_fit") and prefill_fits(point)


def axis_through(name: str, value: Fraction) -> Numbers:
    """Values of a symbol around one, whole where it counts something."""
    unit, factor = unit_of(name), unit_of(name).factor
    middle = value / factor
    if name in WHOLE or name == "n":  # exponents of powers are made of counts
        return Numbers(name, name, unit, (Span(Fraction(int(middle)), Fraction(1), 5),))
    return Numbers(name, name, unit, (Span(middle * Fraction(9, 10), middle / 20, 5),))


def on_axis(
    given: Mapping[str, Fraction], axis: Numbers, name: str, variants: tuple[str, ...]
) -> int:
    """Compare one formula along one axis with the exact engine; how many values there were."""
    program = compiled(Point(given), {axis.symbol: (0, bounds_of(axis))}, {}, [name], ())
    outputs = dict(program.outputs)
    job = Job(program, given, variants, (axis,), {})
    found = job.run([(0, len(axis))])[list(outputs).index(name)]
    full = np.broadcast_to(np.nan if found is None else found, len(axis))
    assert next(iter(outputs)) == FITS
    seen = 0
    for number in range(len(axis)):
        point = Point({**given, axis.symbol: axis.base(number)})
        try:
            wanted = point.get(name) / unit_of(name).factor
            fits = not withheld(name) or room(point)
        except (Absent, Undefined):
            fits = False
        except ArithmeticError:
            continue
        if not fits:
            assert np.isnan(full[number]), (name, axis.symbol, number)
            continue
        seen += 1
        near = LOSES.get(name, 1) * NEAR
        assert difference(float(full[number]), wanted) <= near, (name, axis.symbol, number)
    return seen


@pytest.mark.parametrize("variant", ["", *sorted(VARIANTS)])
def test_every_formula_is_picked_up_along_every_input(variant: str) -> None:
    alone = (variant,) if variant else ()
    variants = APART if variant in APART else alone  # which stand in together or not at all
    with standing_in(variants):
        names = [VARIANTS[variant].instead_of] if variant else list(catalogue())
        lacking = []
        for name in names:
            seen = 0
            anywhere = points(name)
            for given in anywhere:
                leaves = Reader(Point(given), {}, Scope(Code())).leaves(name) & SYMBOLS.keys()
                draw = random.Random(name)
                for leaf in draw.sample(sorted(leaves), min(len(leaves), 2)):
                    seen += on_axis(given, axis_through(leaf, given[leaf]), name, variants)
            if not seen and len(anywhere) > 2:
                lacking.append(name)
        assert not lacking


def test_counts_are_decided_exactly_where_a_double_would_round_wrong() -> None:
    axis = Numbers(
        "M_frac", "M_frac", unit_of("M_frac"), (Span(Fraction(1, 10), Fraction(1, 10), 10),)
    )
    given = {"M_frac": Fraction(1, 10), "headroom": Fraction(1, 10)}
    scope = Scope(Code())
    moved = scope.code.axis(0, bounds_of(axis))
    reader = Reader(Point(given), {"M_frac": moved}, scope)
    made = [
        (text, reader.build(parse(text)))
        for text in ("floor(M_frac / headroom)", "ceil(M_frac / headroom)")
    ]
    job = Job(finished(scope, made), given, (), (axis,), {})
    low, high = job.run([(0, 10)])
    plain = np.floor(np.arange(1, 11) / 10 / 0.1)
    assert plain.tolist() != list(range(1, 11))  # 0.3 / 0.1 is below 3 in doubles
    assert low.tolist() == high.tolist() == list(range(1, 11))


def test_whole_quotients_need_no_exact_decision() -> None:
    asked = sweep(LLAMA, "T=16:16000:16", symbols=["T_rsv", "KV_reserved"])
    job = asked.job(0)
    job.run([(0, 1000)])
    assert not job.kept.decided
