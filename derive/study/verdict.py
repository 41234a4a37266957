"""The verdict: one sentence, the large numbers of the cover, and what was left out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from derive.study.bind import Bound
from derive.study.findings import Results, text, value
from derive.study.levers import ACTIONS, Elasticity
from derive.study.results import bare, said, shown
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit


def fits(bound: Bound, results: Results) -> bool:
    """Whether the devices hold weights and batch."""
    need = value(results, "g_fit")
    return need is not None and bound.typical.get("g") >= need


def wall(results: Results) -> tuple[str, Text]:
    """Which roof decode is under at peak, and how far from the ridge."""
    intensity, ridge = value(results, "I_decode"), value(results, "I_ridge")
    if intensity is None or ridge is None:
        return "neutral", tr("the wall cannot be told")
    if intensity < ridge:
        times = show(Quantity(ridge / intensity, unit("")), 3).number
        return "memory", tr("decode is memory-bound, {times} times below the ridge", times=times)
    times = show(Quantity(intensity / ridge, unit("")), 3).number
    return "compute", tr("decode is compute-bound, {times} times above the ridge", times=times)


def sentence(bound: Bound, results: Results) -> Text:
    """The verdict in one sentence."""
    model, hardware = bound.scenario.model.name, bound.scenario.hardware.name
    g = int(bound.typical.get("g"))
    parts: dict[str, Any] = {"model": model, "hardware": hardware, "g": g, "wall": wall(results)[1]}
    if not fits(bound, results):
        if results["g_fit"].value is None:
            return tr(
                "{model} cannot run on {g} × {hardware}: {why}.",
                why=results["g_fit"].why or same(""),
                **parts,
            )
        return tr(
            "{model} does not fit on {g} × {hardware}: at least {fit} are needed; {wall}.",
            fit=text(results, "g_fit"),
            **parts,
        )
    return tr(
        "{model} fits on {g} × {hardware}; {wall}; expect TPOT {tpot} and TTFT {ttft}.",
        tpot=text(results, "TPOT"),
        ttft=text(results, "TTFT"),
        **parts,
    )


def tile(name: str, label: Text, main: str, state: str = "none", *notes: Text) -> dict[str, Any]:
    """One large number of the cover."""
    return {
        "id": name,
        "label": label.json(),
        "value": main,
        "state": state,
        "notes": [n.json() for n in notes],
    }


def result_tile(
    bound: Bound, results: Results, name: str, label: Text, target: str = ""
) -> dict[str, Any]:
    """A result with its peak, its range and the target it is held against."""
    found = results[name]
    if found.value is None:
        return tile(name, label, "–", "missed", found.why or same(""))
    notes = []
    if found.low and found.high and found.low != found.high:
        notes.append(tr("range {low} – {high}", low=bare(found.low), high=bare(found.high)))
    if found.peak:
        notes.append(tr("peak {value}", value=bare(found.peak)))
    state = "none"
    if target in bound.inputs:
        goal = bound.inputs[target].quantity
        met = found.value.base <= goal.base
        state = "met" if met else "missed"
        verdict = tr("met") if met else tr("missed")
        notes.append(tr("target {target}: {verdict}", target=said(goal), verdict=verdict))
    if name == "TTFT" and (burst := burst_note(bound, results)):
        notes.append(burst)
    return tile(name, label, shown(found.value), state, *notes)


def burst_note(bound: Bound, results: Results) -> Text | None:
    """The last of a burst against the same target, where more than one prompt is in flight."""
    last, goal = results["TTFT_burst"].value, bound.inputs.get("target_TTFT")
    if last is None or goal is None or bound.typical.get("b") <= 1:
        return None
    verdict = tr("met") if last.base <= goal.quantity.base else tr("missed")
    return tr(
        "last of {b} together {last}: {verdict}",
        b=int(bound.typical.get("b")),
        last=bare(last),
        verdict=verdict,
    )


def tiles(bound: Bound, results: Results) -> list[dict[str, Any]]:
    """The cover's large numbers."""
    fit = fits(bound, results)
    g = bound.typical.get("g")
    made = [
        tile(
            "fits",
            tr("fits in memory"),
            "✓" if fit else "×",
            "met" if fit else "missed",
            tr("{g} given, {fit} needed", g=int(g), fit=text(results, "g_fit")),
        ),
        result_tile(bound, results, "TTFT", tr("TTFT, one prompt"), "target_TTFT"),
        result_tile(bound, results, "TPOT", tr("TPOT"), "target_TPOT"),
    ]
    limit = results["b_max"]
    slo = results["b_slo"]
    notes = [tr("memory limit")]
    if slo.value:
        notes.append(tr("TPOT target allows {b}", b=bare(slo.value)))
    made.append(
        tile("b_max", tr("concurrency"), shown(limit.value) if limit.value else "–", "none", *notes)
    )
    replicas = results["replicas"]
    if replicas.value is not None:
        total = Quantity(replicas.value.value * g, unit("device"))
        low, high = replicas.low or replicas.value, replicas.high or replicas.value
        span = tr("{low} to {high} replicas", low=int(low.value), high=int(high.value))
        made.append(
            tile(
                "fleet",
                tr("devices for the offered load"),
                shown(total),
                "none",
                tr("{r} replicas of {g}", r=int(replicas.value.value), g=int(g)),
                span,
            )
        )
    if results["cost_token"].value is not None:
        made.append(result_tile(bound, results, "cost_token", tr("cost of output")))
    return made


def best_lever(levers: list[Elasticity]) -> Text | None:
    """The lever with the largest effect on TPOT that changes what is deployed, and the one without."""
    usable = [
        e
        for e in levers
        if e.target == "TPOT" and e.lever in ("B_peak", "P_peak", "w", "w_kv", "b", "T")
    ]
    if not usable:
        return None
    best = max(usable, key=lambda e: (abs(e.value), e.lever == "B_peak"))
    idle = [e for e in usable if e.value == 0]
    change = per_percent(best.value)
    main = tr(
        "Most effective on TPOT: {action}; 1 % more of {symbol} changes it by {change}.",
        action=ACTIONS[best.lever],
        symbol=same(best.lever),
        change=change,
    )
    if any(e.lever == "P_peak" for e in idle):
        return tr("{main} More compute changes nothing.", main=main)
    return main


def per_percent(elasticity: Fraction) -> str:
    """What one percent more of a lever does to its target."""
    return percent(elasticity / 100)


def percent(value: Fraction) -> str:
    """A share in percent, signed where negative."""
    shown_value = show(Quantity(value * 100, unit("")), 3)
    mark = "" if shown_value.exact else "≈ "
    return f"{mark}{shown_value.number} %".replace("-", "−")


def assumptions(bound: Bound, results: Results) -> list[dict[str, Any]]:
    """What the first-order model leaves out, each with its size here or why none can be given."""
    rows: list[tuple[str, Text, Text]] = []

    def sized(name: str, what: Text, effect: Callable[[str], Text]) -> None:
        found = results[name]
        size = found.why or same("")
        if found.value is not None:
            size = effect(percent(found.value.value))
        rows.append((name, what, size))

    sized(
        "share_att_prefill",
        tr("attention operations in prefill"),
        lambda s: tr("{share} more operations", share=s),
    )
    sized(
        "share_att",
        tr("attention operations in decode"),
        lambda s: tr("{share} more operations, none on the memory side", share=s),
    )
    sized(
        "share_embedding",
        tr("input embedding table, which decode does not read"),
        lambda s: tr("{share} fewer parameters read", share=s),
    )
    sized(
        "share_comm",
        tr("all-reduce transfer under tensor parallelism"),
        lambda s: tr("{share} of the step at peak, plus a fixed latency per collective", share=s),
    )
    other = bound.inputs.get("M_other")
    if other is not None and other.quantity.value == 0:
        rows.append(
            (
                "M_other",
                tr("activations, CUDA graphs and runtime memory"),
                tr("not measured: taken as zero, so the memory limit is an upper figure"),
            )
        )
    if "E" in bound.inputs:
        skewed = tr(
            "taken as uniform and independent: skewed routing reads fewer experts and loads "
            "devices unevenly"
        )
        rows.append(("routing", tr("routing of tokens to experts"), skewed))
    rows.append(
        (
            "queue",
            tr("queueing and scheduling"),
            tr("not in the model: TTFT is that of an idle replica"),
        )
    )
    rows.append(
        (
            "kernels",
            tr("kernel efficiency"),
            tr("in MFU and MBU, as a range with sources; measure to replace it"),
        )
    )
    return [{"id": i, "what": w.json(), "size": s.json()} for i, w, s in rows]
