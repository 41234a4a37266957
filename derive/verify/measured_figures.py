"""Drawings of measured runs: points, gaps, roofs and tables, anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.text import Text
from derive.verify.figures import coordinate, slack
from derive.verify.say import quoted
from derive.verify.texts import Broken, NoValue

if TYPE_CHECKING:
    from derive.verify.measured import Row, Run
    from derive.verify.values import Values

TERA = 10**12
ROUNDED = Fraction(1, 200_000)  # coordinates have six figures, of which axes follow
SERVING, KERNELS = "roofline_measured", "roofline_kernels"
TABLED = Fraction(1, 1000)  # tables have four
Spot = tuple[Fraction, Fraction, Fraction]  # intensity, measured compute, the roof there


def check_drawings(runs: Sequence[Run], figures: Sequence[Row]) -> Iterator[Text]:
    """Every drawing of the section that is of the ledger's own model and accelerator."""
    from derive.verify.measured import wrong

    for i, figure in enumerate(figures):
        where = f"measured.figures.{i}"
        kind = figure["id"].rstrip("0123456789").rstrip("_")
        try:
            if figure["id"] != (f"{kind}_{i}" if i else kind):
                yield wrong(where, figure["id"])
            elif kind == SERVING:
                yield from check_serving(runs, figure, where)
            elif kind == KERNELS:
                yield from check_operators(runs, figure, where)
            else:
                yield wrong(where, figure["id"])
        except (NoValue, Broken) as error:
            yield wrong(where, error.why.en)


def roof(here: Values, x: Fraction, devices: Fraction) -> Fraction:
    """TFLOP/s at an intensity."""
    return devices * min(here("P_peak").base, x * here("B_peak").base) / TERA


def spots(run: Run) -> dict[str, Spot]:
    """Where a run's phases stand."""
    made: dict[str, Spot] = {}
    here = run.here
    there, devices = run.at_mean(here), here("g").base
    steps = run.get(there, "F_step / (n * TPOT_meas)") if "TPOT_meas" in run.taken else None
    x = run.get(there, "I_decode")
    if steps and x:
        made["TPOT"] = x, steps / TERA, roof(there, x, devices)
    done = run.get(here, "F_tok * T_in / TTFT_meas") if "TTFT_meas" in run.taken else None
    x = run.get(here, "I_prefill")
    if done and x:
        made["TTFT"] = x, done / TERA, roof(here, x, devices)
    return made


def check_serving(runs: Sequence[Run], figure: Row, where: str) -> Iterator[Text]:
    """Points of runs, the gaps up to the roof, the roofs, and the table."""
    from derive.verify.measured import wrong

    ids = [point["id"] for point in figure["points"]]
    named = [runs[n - 1] for n in map(number_of, ids) if 0 < n <= len(runs)]
    if len(named) < len(ids) or not ids or any(not run.bounded for run in named):
        yield wrong(where, ", ".join(ids))
        return
    if not all(run.own for run in named):
        return  # of a model or machine that is not the ledger's
    roofs = machine(named[0].here)
    group = [r for r in runs if r.bounded and r.own and machine(r.here) == roofs]
    wanted = {f"{phase}-{n}": spot for n, run in enumerate(runs, 1) if run in group
              for phase, spot in spots(run).items()}  # fmt: skip
    if ids != list(wanted):
        yield wrong(where, ", ".join(ids))
        return
    here = group[0].here
    for point in figure["points"]:
        if not drawn_so(point, wanted[point["id"]]):
            yield wrong(f"{where}.{point['id']}", f"{point['x']}, {point['y']}")
    for line in figure["lines"]:
        if line["id"].removeprefix("gap-") in wanted:
            x, y, top = wanted[line["id"].removeprefix("gap-")]
            gap = [[coordinate(x), coordinate(y)], [coordinate(x), coordinate(top)]]
            if line["points"] != gap:
                yield wrong(f"{where}.{line['id']}", line["points"])
        else:
            yield from on_roof(group[0], here, line, here("g").base, f"{where}.{line['id']}")
    yield from marks(group[0], figure, where)
    cells = [coordinate(v, 4) for spot in wanted.values()
             for v in (*spot, spot[1] / spot[2])]  # fmt: skip
    shown = [cell for row in figure["table"]["rows"] for cell in row[1:]]
    numbers = [row[0] for row in figure["table"]["rows"]]
    if shown != cells or numbers != [i.partition("-")[2] for i in wanted]:
        yield wrong(f"{where}.table", ", ".join(c for c in shown if c not in cells))
    for point in figure["points"]:
        number = number_of(point["id"])
        told = runs[number - 1].row["label"] or str(number)
        several = len(set(map(number_of, ids))) > 1
        if several and any(told not in text for text in point["label"].values()):
            yield wrong(f"{where}.{point['id']}.label", point["label"]["en"])
    (left, bottom), (right, top) = ends(figure)
    summit = 2 * roof(here, right, here("g").base)
    limits = {"x": (left / 2, right), "y": (bottom / 2, max(top, summit))}
    yield from axes(figure, limits, where)


def axes(figure: Row, limits: dict[str, tuple[Fraction, Fraction]], where: str) -> Iterator[Text]:
    """Both ends of both axes, within the rounding of what they follow from."""
    from derive.verify.measured import wrong

    for axis, pair in limits.items():
        for key, value in zip(("min", "max"), pair, strict=True):
            if abs(Fraction(figure[axis][key]) / value - 1) > ROUNDED:
                yield wrong(f"{where}.{axis}.{key}", figure[axis][key])


def number_of(name: str) -> int:
    """The run that a point is of."""
    digits = name.partition("-")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 6 else 0


def drawn_so(point: Row, spot: Spot) -> bool:
    """Whether a point is where it belongs."""
    x, y, _ = spot
    return (point["x"], point["y"]) == (coordinate(x), coordinate(y))


def machine(here: Values) -> tuple[Fraction, ...]:
    """What roofs are made of."""
    return tuple(here(n).base for n in ("g", "P_peak", "B_peak"))


def ends(figure: Row) -> tuple[list[Fraction], ...]:
    """Least and greatest coordinates that are drawn."""
    pairs = [p for line in figure["lines"] for p in line["points"]]
    pairs += [[p["x"], p["y"]] for p in figure["points"]]
    sides = [[Fraction(p[k]) for p in pairs] for k in (0, 1)]
    return [min(s) for s in sides], [max(s) for s in sides]


def on_roof(run: Run, here: Values, line: Row, devices: Fraction, where: str) -> Iterator[Text]:
    """Points of a roof, within the rounding of their coordinates."""
    from derive.verify.measured import wrong

    ridge = run.get(here, "I_ridge") or Fraction(0)
    if line["points"][-1 if line["id"] == "memory-roof" else 0][0] != coordinate(ridge):
        yield wrong(where, coordinate(ridge))
    for x, y in line["points"]:
        low, high = (roof(here, Fraction(x) + s * slack(x), devices) for s in (-1, 1))
        if not low - slack(y) <= Fraction(y) <= high + slack(y):
            yield wrong(where, f"{x}, {y}")


def marks(run: Run, figure: Row, where: str) -> Iterator[Text]:
    """The ridge and the KV wall, and the numbers of their labels."""
    from derive.units import Quantity, unit
    from derive.verify.measured import wrong
    from derive.verify.measured_texts import Stated

    names = {"ridge": "I_ridge", "wall": "I_decode_inf"}
    for mark in figure["marks"]:
        value = run.get(run.here, names[mark["id"]]) if mark["id"] in names else None
        if value is None or mark["at"] != coordinate(value):
            yield wrong(f"{where}.{quoted(mark['id'])}", mark["at"])
        else:
            stated = Stated((Quantity(value, unit("FLOP/byte")),))
            yield from stated.check(f"{where}.{mark['id']}", mark["label"])


def check_operators(runs: Sequence[Run], figure: Row, where: str) -> Iterator[Text]:
    """Listed operators below the roofs of one device."""
    from derive.verify.measured import base, wrong

    holders = [r for r in runs if r.own and r.row["kernels"]]
    for run in holders:
        ranked = enumerate(run.row["kernels"]["rows"], 1)
        numbers, rows = [], []
        for n, row in ranked:
            if row["flops"] and row["traffic"]:
                numbers.append(n)
                rows.append(row)
        wanted = [(base(r["flops"]) / base(r["traffic"]), base(r["flops"]) / base(r["time"]) / TERA,
                   base(r["share"])) for r in rows]  # fmt: skip
        drawn = [(p["x"], p["y"]) for p in figure["points"][: len(wanted)]]
        if drawn == [(coordinate(x), coordinate(y)) for x, y, _ in wanted][: len(drawn)]:
            break
    else:
        if all(r.own for r in runs if r.bounded):
            yield wrong(where, figure["id"])
        return
    here = run.here
    for line in figure["lines"]:
        yield from on_roof(run, here, line, Fraction(1), f"{where}.{line['id']}")
    yield from marks(run, figure, where)
    for n, cells_of, spot in zip(numbers, figure["table"]["rows"], wanted, strict=False):
        x, y, share = spot
        top = roof(here, x, Fraction(1))
        cells = [coordinate(v, 4) for v in (x, y, top, y / top, share)]
        if cells_of != [str(n), *cells]:
            yield wrong(f"{where}.table.{quoted(cells_of[0])}", ", ".join(cells_of))
    drawings = zip(numbers, figure["points"], rows, wanted, strict=False)
    for n, point, row, spot in drawings:
        if abs(Fraction(point["size"]) ** 2 / 16 - spot[2]) > Fraction(1, 100):
            yield wrong(f"{where}.{point['id']}.size", point["size"])
        short = [text.removeprefix(f"{n} ").rstrip("…") for text in point["label"].values()]
        if point["id"] != f"kernel-{n}" or any(text not in row["name"] for text in short):
            yield wrong(f"{where}.{quoted(point['id'])}", point["label"]["en"])
    pairs = [p for line in figure["lines"] for p in line["points"]]
    ys = [Fraction(row[2]) for row in figure["table"]["rows"]] + [Fraction(p[1]) for p in pairs]
    xs = [Fraction(p[0]) for p in pairs]
    yield from axes(figure, {"x": (min(xs), max(xs))}, where)
    if not (abs(Fraction(figure["y"]["min"]) * 2 / min(ys) - 1) <= TABLED
            and abs(Fraction(figure["y"]["max"]) / 2 / max(ys) - 1) <= TABLED):  # fmt: skip
        yield wrong(f"{where}.y", figure["y"]["max"])
