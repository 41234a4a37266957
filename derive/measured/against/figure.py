"""The roofline with what was measured: serving points of a replica, kernels of one device."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.measured.against.setting import Setting
from derive.measured.against.shares import COMPUTE, MEMORY, get
from derive.measured.against.top_kernels import longest, roof
from derive.measured.record import Kernel, Run
from derive.study.bind import Bound
from derive.study.drawing import Figure, axis, dot, line, mark, table, written
from derive.study.figures import roofline
from derive.text import Text, same, tr

TERA = Fraction(10**12)
MOST_KERNELS = 12  # drawn, by time; the table has all that can be placed
LONGEST_NAME = 28
PLACED = {"TPOT_meas", "TTFT_meas"}  # a run without either has no point
FEW, ENOUGH = 3, 3  # machines that are all drawn; runs that make one of more machines worth it


def serving(held: Sequence[tuple[int, Run, Setting]], *, named: bool) -> Figure | None:
    """Each run's decode and prefill below the roofs of the replica; None where there is none."""
    base = held[0][2].bound
    points, gaps, rows, ridge = [], [], [], base.peak.get("I_ridge")
    for number, run, setting in held:
        name = run.label or (str(number) if len(held) > 1 else "")
        for phase, words, x, y, top in placed(setting):
            label = tr("{phase} {name}", phase=words, name=name) if name else words
            side = COMPUTE if x >= ridge else MEMORY
            points.append(dot(f"{phase}-{number}", label, side, x, y))
            gaps.append(
                line(f"gap-{phase}-{number}", same(""), "neutral", [(x, y), (x, top)], True)
            )
            rows.append([Fraction(number), x, y, top, y / top])
    if not points:
        return None
    with standing_in(base.variants):
        drawn = roofline(base)
    xs = [Fraction(p["x"]) for p in points] + [
        Fraction(drawn["x"]["min"]),
        Fraction(drawn["x"]["max"]),
    ]
    ys = [Fraction(p["y"]) for p in points] + [
        Fraction(drawn["y"]["min"]),
        Fraction(drawn["y"]["max"]),
    ]
    return {
        **drawn,
        "id": "roofline_measured",
        "title": title(base, named).json(),
        "alt": tr(
            "The roofs of one replica; each measured run as a point below them, a dashed line up "
            "to the roof: its length is what is left."
        ).json(),
        "x": axis(tr("arithmetic intensity"), "FLOP/byte", "log", [min(xs) / 2, max(xs)]),
        "y": axis(tr("compute"), "TFLOP/s", "log", [min(ys) / 2, max(ys)]),
        "lines": [*drawn["lines"], *gaps],
        "points": points,
        "table": table(
            [
                (tr("run"), ""),
                (tr("arithmetic intensity"), "FLOP/byte"),
                (tr("measured compute"), "TFLOP/s"),
                (tr("attainable compute"), "TFLOP/s"),
                (tr("share"), ""),
            ],
            rows,
        ),
    }  # fmt: skip


def title(base: Bound, named: bool) -> Text:
    """What is drawn, and of which machine where there are several."""
    of = base.scenario
    if not named:
        return tr("Roofline with the measured runs")
    count = int(base.peak.get("g"))
    names = zip(of.model.name.json().values(), of.hardware.name.json().values(), strict=True)
    return Text(*(f"{model}, {count:,} × {hardware}" for model, hardware in names))


Spot = tuple[str, Text, Fraction, Fraction, Fraction]  # phase, words, x, y, roof at x


def placed(setting: Setting) -> list[Spot]:
    """Where a run's phases stand: intensity, operations over measured time, the roof there."""
    with standing_in(setting.bound.variants):
        point = setting.bound.peak
        mean = get(point, "T_mean")
        there = point.with_(T=mean) if mean is not None else point
        made: list[Spot] = []
        tpot, step, x = get(there, "TPOT_meas"), get(there, "F_step"), get(there, "I_decode")
        if tpot and step and x:
            spent = tpot * there.get("n")
            made.append(("TPOT", tr("decode"), x, step / spent / TERA, roof_of(there, x)))
        ttft, x = get(point, "TTFT_meas"), get(point, "I_prefill")
        if ttft and x:
            done = point.get("F_tok") * point.get("T_in") / ttft
            made.append(("TTFT", tr("prefill"), x, done / TERA, roof_of(point, x)))
    return made


def roof_of(point: Point, intensity: Fraction) -> Fraction:
    """TFLOP/s that the replica attains at an intensity."""
    return roof(point, intensity) / TERA


def kernels(bound: Bound, found: Sequence[Kernel], number: int = 0) -> Figure | None:
    """Kernels below the roofs of one device, the longest first, as wide as their share of time."""
    whole = sum((k.time for k in found), Fraction(0))
    usable = [(n, k) for n, k in enumerate(longest(found), 1) if k.flops and k.traffic]
    if not usable or not whole:
        return None
    point = bound.peak.with_(g=Fraction(1))
    peak, ridge = point.get("P_peak"), point.get("I_ridge")
    spots = [(n, k, k.flops / k.traffic, k.flops / k.time / TERA) for n, k in usable]  # type: ignore[operator]
    xs = [x for _, _, x, _ in spots] + [ridge * 10, ridge / 100]
    low, high = min(xs) / 2, max(xs) * 2
    ys = [y for *_, y in spots] + [roof_of(point, low), peak / TERA]
    sides = {True: COMPUTE, False: MEMORY}
    points = [
        {**dot(f"kernel-{n}", same(f"{n} {short(k.name)}"), sides[x >= ridge], x, y),
         "size": size(k.time / whole)}
        for n, k, x, y in spots[:MOST_KERNELS]
    ]  # fmt: skip
    knee, name = (ridge, peak / TERA), tr("ridge point {value}", value=written(ridge))
    roofs = tr("bandwidth roof: intensity × bandwidth"), tr("compute roof: peak compute")
    return {
        "id": "roofline_kernels",
        "title": (
            tr("Roofline of one device with the kernels of run {number}", number=number)
            if number
            else tr("Roofline of one device with the profiled kernels")
        ).json(),
        "alt": tr(
            "The roofs of one device; the longest kernels as points, larger with their share of "
            "the time."
        ).json(),
        "x": axis(tr("arithmetic intensity"), "FLOP/byte", "log", [low, high]),
        "y": axis(tr("compute"), "TFLOP/s", "log", [min(ys) / 2, max(ys) * 2]),
        "lines": [
            line("memory-roof", roofs[0], "memory", [(low, roof_of(point, low)), knee]),
            line("compute-roof", roofs[1], "compute", [knee, (high, peak / TERA)]),
        ],
        "points": points,
        "marks": [mark("ridge", name, "neutral", "x", ridge)],
        "bands": [],
        "table": table(
            [
                (tr("kernel"), ""),
                (tr("arithmetic intensity"), "FLOP/byte"),
                (tr("measured compute"), "TFLOP/s"),
                (tr("attainable compute"), "TFLOP/s"),
                (tr("share of the roof"), ""),
                (tr("share of the time"), ""),
            ],
            [
                [Fraction(n), x, y, roof_of(point, x), y / roof_of(point, x), k.time / whole]
                for n, k, x, y in spots
            ],
        ),
    }  # fmt: skip


def size(share: Fraction) -> str:
    """How wide a point of that share of the time is: its area is proportional to it."""
    return str(isqrt(int(share * 160_000)) / 100)


def short(name: str) -> str:
    """A kernel's name as a label holds it: without its template arguments."""
    plain = name.partition("<")[0].rpartition("::")[2].strip() or name
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1] + "…"


Figures = list[dict[str, Any]]


def figures(held: Sequence[tuple[int, Run, Setting]]) -> Figures:
    """Those that the runs give; one roofline for the runs of one model on one machine.

    Of many machines only those with several runs are drawn: one point says no more than its row.
    """
    replicas: dict[tuple[object, ...], list[tuple[int, Run, Setting]]] = {}
    for number, run, there in held:
        if PLACED & set(there.figures):
            of, point = there.bound.scenario, there.bound.peak
            roofs = (of.model.name.en, *(point.get(name) for name in ("g", "P_peak", "B_peak")))
            replicas.setdefault(roofs, []).append((number, run, there))
    wanted = [
        runs for runs in replicas.values() if len(replicas) <= FEW or len(runs) >= ENOUGH
    ]  # fmt: skip
    found = [serving(runs, named=len(replicas) > 1) for runs in wanted]
    profiles = [one for one in held if one[1].kernels]
    found += [
        kernels(there.bound, run.kernels, number if len(profiles) > 1 else 0)
        for number, run, there in profiles
    ]
    made = [f for f in found if f is not None]
    return [{**f, "id": f["id"] if n == 0 else f"{f['id']}_{n}"} for n, f in enumerate(made)]
