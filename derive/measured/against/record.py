"""The record of a comparison, in both languages: what the printers read."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from derive.derivation.points import Point
from derive.measured.against import experiments, kernels, start
from derive.measured.against.advice import advice
from derive.measured.against.bands import BEATS, band, meaning
from derive.measured.against.beats import explanations
from derive.measured.against.cautions import cautions
from derive.measured.against.setting import Setting
from derive.measured.against.shares import MEMORY, Phase, phases
from derive.measured.against.top_kernels import kernels_record
from derive.measured.against.totals import Total, totals
from derive.measured.quantities import MEASURABLE
from derive.measured.record import Figure, Run
from derive.specs.types import Hardware
from derive.study.bind import Bound
from derive.study.results import exact_text, friendly, input_json
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

Record = dict[str, Any]
TIME = {"TPOT": "ms*request/token", "TTFT": "ms"}


def run_record(run: Run, point: Point | None = None) -> Record:
    """What a file says, field by field; with a point, its kernels below the roof of a device."""
    return {
        "tool": run.tool,
        "file": run.place.file.replace("\\", "/").rsplit("/", 1)[-1],
        "line": run.place.line,
        "label": run.label,
        "phase": run.phase,
        "facts": {key: fact.text for key, fact in run.facts.items()},
        "figures": [figure_record(f) for f in run.figures],
        "notes": [n.json() for n in run.notes],
        "kernels": kernels_record(run.kernels, point),
    }


def figure_record(figure: Figure) -> Record:
    """One figure of a file."""
    about = MEASURABLE[figure.id]
    return {
        "id": figure.id,
        "statistic": figure.statistic,
        "meaning": about.meaning.json(),
        **amount(figure.quantity),
        "field": figure.place.key,
        "half": f"{figure.half.numerator}/{figure.half.denominator}" if figure.half else None,
        "note": figure.note.json() if figure.note else None,
    }


def amount(quantity: Quantity) -> Record:
    """A number with its unit, exact and as printed."""
    return {
        "value": float(quantity.value),
        "unit": quantity.unit.text,
        "exact": exact_text(quantity.value),
        "display": friendly(show(quantity).text),
    }


SETTING = ("b", "T_in", "T_out", "T", "g")


def held(run: Run, setting: Setting, hardware: Sequence[Hardware], base: Bound) -> Record:
    """A run beside its bounds; what its scenario has otherwise than the base's is said."""
    about = setting.bound.scenario
    return {
        **run_record(run, setting.bound.peak),
        "of": machine(setting),
        "scenario": {"model": about.model.id, "hardware": about.hardware.id},
        "inputs": other_inputs(setting, base),
        "cautions": [t.json() for t in cautions(run, setting, hardware)],
        "setting": {
            name: input_json(setting.bound, name)
            for name in SETTING
            if name in setting.bound.inputs
        },
        "taken": [figure_record(f) for f in setting.figures.values()],
        "taken_notes": [n.json() for n in setting.notes],
        "phases": [phase_record(p, run, setting, hardware) for p in phases(setting)],
        "totals": [total_record(t) for t in totals(run, setting)],
        "kernels": profile_record(run, setting),
        "start": [start_record(r) for r in start.rows(run, setting)],
        "start_cache": cache_record(run, setting) if run.phase == "start" else None,
    }


def other_inputs(setting: Setting, base: Bound) -> Record:
    """Inputs of a run's scenario that are not the base's; null where it has none."""
    own, names = setting.bound.inputs, dict.fromkeys([*setting.bound.inputs, *base.inputs])
    known = {*SETTING, *(n for n in names if n.endswith("_meas"))}
    return {
        name: input_json(setting.bound, name) if name in own else None
        for name in names
        if name not in known
        and (name not in own or name not in base.inputs
             or own[name].quantity.base != base.inputs[name].quantity.base)
    }  # fmt: skip


def profile_record(run: Run, setting: Setting) -> Record | None:
    """The table of a profile with side and band of each operator, and where the time goes."""
    table = kernels_record(run.kernels, setting.bound.peak)
    found = kernels.profile(run, setting)
    if table is None or found is None:
        return None
    bands = (kernels.ROOF, kernels.MIDDLE, kernels.LOW, kernels.UNKNOWN, kernels.ABOVE,
             kernels.TRANSFER)  # fmt: skip
    rows = zip(table["rows"], found.operators, strict=False)  # the same order, its head
    return {
        **table,
        "rows": [{**row, **operator_record(of)} for row, of in rows],
        "busy": amount(Quantity(found.busy * 1000, unit("ms"))) if found.busy else None,
        "spent": {band: share(found.spent(band)) for band in bands},
        "diagnosis": [t.json() for t in kernels.diagnosis(found, run)],
    }


def operator_record(found: kernels.Operator) -> Record:
    """The least time of one operator, its side and band."""
    bound = found.bound
    return {
        "bound": amount(Quantity(bound / unit("µs").factor, unit("µs"))) if bound else None,
        "reached": share(found.reached) if found.reached is not None else None,
        "side": found.side,
        "band": found.band,
    }


def cache_record(run: Run, setting: Setting) -> Record:
    """How the cache lies on one device, as the rows of the start count it."""
    cache = start.cache_of(run, setting)
    return {
        "tensor": cache.tensor, "stages": cache.stages, "block": cache.block,
        "heads": exact_text(cache.heads), "layers": exact_text(cache.layers),
    }  # fmt: skip


def start_record(row: start.Row) -> Record:
    """A line of an engine's start beside what follows from the scenario."""
    units = unit(row.unit)

    def shown(value: Fraction | None) -> Record | None:
        return None if value is None else amount(Quantity(value / units.factor, units))

    return {
        "id": row.id,
        "name": row.name.json(),
        "printed": shown(row.printed),
        "expected": shown(row.expected),
        "low": shown(row.low),
        "high": shown(row.high),
        "ratio": share(row.printed / row.expected) if row.printed and row.expected else None,
        "state": row.state,
        "reasons": [{"id": r.id, "state": r.state, "text": r.text.json()} for r in row.reasons],
    }


def machine(setting: Setting) -> Record:
    """Which model stands on what: runs of one such record are read together."""
    of = setting.bound.scenario
    return {
        "scenario": of.id,
        "model": of.model.name.json(),
        "hardware": of.hardware.name.json(),
        "devices": f"{int(setting.bound.peak.get('g')):,}",
        "precision": dict(of.precision),
    }


def phase_record(phase: Phase, run: Run, setting: Setting, hardware: Sequence[Hardware]) -> Record:
    """One measured time: bounds, shares, band, what to do."""
    name = band(phase)
    first, skip = advice(phase, name, setting)
    why = explanations(phase, run, setting, hardware) if name == BEATS else []
    return {
        "name": phase.name,
        "measured": time(phase.name, phase.measured),
        "bound": time(phase.name, phase.bound),
        "streamed": time(phase.name, phase.streamed),
        "weights": time(phase.name, phase.weights) if phase.weights is not None else None,
        "floor": time(phase.name, phase.floor) if phase.floor is not None else None,
        "share": share(phase.share),
        "share_weights": share(phase.weights / phase.measured) if phase.weights else None,
        "MBU": share(phase.MBU) if phase.MBU is not None else None,
        "MFU": share(phase.MFU) if phase.MFU is not None else None,
        "head": exact_text(phase.head) if phase.head is not None else None,
        "judged": share(phase.judged) if phase.judged is not None else None,
        "judged_by": judged_by(phase),
        "side": phase.side,
        "wall": wall(phase).json(),
        "band": name,
        "meaning": meaning(name).json(),
        "first": [t.json() for t in first],
        "skip": [t.json() for t in skip],
        "explanations": [
            {"id": e.id, "state": e.state, "text": e.text.json()} for e in why
        ],
    }  # fmt: skip


def total_record(total: Total) -> Record:
    """A rate of the whole system."""
    rate = unit("token/s")
    return {
        "name": total.name,
        "measured": amount(Quantity(total.measured / rate.factor, rate)),
        "bound": amount(Quantity(total.bound / rate.factor, rate)),
        "share": share(total.share),
        "notes": [n.json() for n in total.notes],
    }


def judged_by(phase: Phase) -> Record | None:
    """Why the band is by another share."""
    if phase.judged is None:
        return None
    shown = show(Quantity(phase.judged, unit(""))).text
    if phase.name == "TPOT":
        return tr("speculation brings several tokens a step: a step is at {share} of its bound, "
                  "and the band is that of a step", share=shown).json()  # fmt: skip
    return tr("the prefix cache held part of the prompt: what was computed is at {share} of its "
              "bound, and the band is by that", share=shown).json()  # fmt: skip


def wall(phase: Phase) -> Text:
    """Which roof is over the phase."""
    name = same(phase.name)
    if phase.side == MEMORY:
        return tr("{name} is on the memory side of the ridge", name=name)
    return tr("{name} is on the compute side of the ridge", name=name)


def time(name: str, seconds: Fraction) -> Record:
    """A time in the unit that people use for it."""
    units = unit(TIME[name])
    return amount(Quantity(seconds / units.factor, units))


def share(value: Fraction) -> Record:
    """A ratio."""
    return amount(Quantity(value, unit("")))


def experiment_record(found: experiments.Experiment | None) -> Record | None:
    """Two runs compared."""
    if found is None:
        return None
    units = {"b": "request", "T_mean": "token/request", "w": "byte/param", "w_kv": "byte/element",
             "g": "device", "P_peak": "TFLOP/s/device", "B_peak": "TB/s/device"}  # fmt: skip

    def shown(name: str, value: Fraction) -> Record:
        return amount(Quantity(value / unit(units[name]).factor, unit(units[name])))

    return {
        "changed": {
            name: {"before": shown(name, one), "after": shown(name, other)}
            for name, (one, other) in found.changed.items()
        },
        "TPOT": {"measured": share(found.measured), "expected": share(found.expected)},
        "X": {
            "measured": share(found.throughput) if found.throughput is not None else None,
            "expected": share(found.throughput_expected),
        },
        "hypotheses": [
            {"id": h.id, "text": h.text.json(), "expected": share(h.expected), "state": h.state}
            for h in found.hypotheses
        ],
        "reading": reading(found).json(),
    }  # fmt: skip


def reading(found: experiments.Experiment) -> Text:
    """One sentence: what the two runs support."""
    supported = [h.text for h in found.hypotheses if h.state == experiments.SUPPORTED]
    near = abs(found.measured / found.expected - 1) <= experiments.TOLERANCE
    if not found.changed:
        return tr("nothing that the formulas know changed between the runs")
    if len(supported) == 1 and near:
        return tr("{what}, as the formulas expect", what=supported[0])
    if near:
        return tr("as the formulas expect; the change does not tell the supported ones apart")
    if len(supported) == 1:
        return tr("another ratio than the formulas expect; {what}", what=supported[0])
    if supported:
        return tr("another ratio than the formulas expect; the change does not tell the "
                  "supported ones apart")  # fmt: skip
    return tr("another ratio than the formulas expect, and than any single term: the time is a "
              "mixture, or more than one thing changed")  # fmt: skip
