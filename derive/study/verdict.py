"""The verdict: one sentence, the large numbers of the cover, and what was left out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from derive.study.bind import Bound
from derive.study.finding import Results, percent, text, times, value
from derive.study.levers import ACTIONS, Elasticity
from derive.study.omitted import notes as omitted_notes
from derive.study.omitted import would_be
from derive.study.results import bare, replicas_said, said, shown
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit


def fits(bound: Bound, results: Results) -> bool:
    """Whether the devices hold weights and batch."""
    need = value(results, "g_fit")
    if need is None or bound.typical.get("g") < need:
        return False
    pool = value(results, "g_fit_pre")
    return pool is None or bound.typical.get("g_pre") >= pool


def wall(results: Results) -> tuple[str, Text]:
    """Which roof decode is under at peak, and how far from the ridge."""
    intensity, ridge = value(results, "I_decode"), value(results, "I_ridge")
    if intensity is None or ridge is None:
        return "neutral", tr("the wall cannot be told")
    if intensity < ridge:
        return "memory", tr(
            "decode is memory-bound, {times} times below the ridge", times=times(ridge / intensity)
        )
    return "compute", tr(
        "decode is compute-bound, {times} times above the ridge", times=times(intensity / ridge)
    )


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
        if (pool := value(results, "g_fit_pre")) and g >= results["g_fit"].value.value:
            return tr(
                "{model} fits on {g} × {hardware} for decode, but prefill needs at least {fit}; {wall}.",
                fit=said(Quantity(pool, unit("device"))),
                **parts,
            )
        return tr(
            "{model} does not fit on {g} × {hardware}: at least {fit} are needed; {wall}.",
            fit=text(results, "g_fit"),
            **parts,
        )
    if results["TTFT"].value is None and results["TPOT"].value is not None:
        return tr(
            "{model} fits on {g} × {hardware}; {wall}; expect TPOT {tpot}; no TTFT: {why}.",
            tpot=text(results, "TPOT"),
            why=results["TTFT"].why or same(""),
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


MIXED: dict[str, Callable[[str], Text]] = {
    "TTFT": lambda t: tr("in chunks among decode {ttft}", ttft=t),
    "TPOT": lambda t: tr("while a prompt is prefilled {tpot}", tpot=t),
}


def result_tile(
    bound: Bound, results: Results, name: str, label: Text, target: str = ""
) -> dict[str, Any]:
    """A result with its peak, its range and the target it is held against."""
    found = results[name]
    if found.value is None:
        state = "missed" if target in bound.inputs else "none"
        return tile(name, label, "–", state, found.why or same(""))
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
    if mixed := results[f"{name}_mix"].value if name in ("TTFT", "TPOT") else None:
        notes.append(MIXED[name](bare(mixed)))
    if name == "TPOT" and (plain := results["TPOT_plain"].value):
        notes.append(tr("without speculation {tpot}", tpot=bare(plain)))
    if name == "TPOT" and (group := tensor_parallel(bound, results, "TPOT_tp")):
        notes.append(tr("a bound: every byte read once; {group}", group=group))
    notes += omitted_notes(bound, results, name)
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


def tensor_parallel(bound: Bound, results: Results, name: str) -> Text | None:
    """What a latent cache leaves where each device of a group holds all of it."""
    found = results[name].value
    group = bound.inputs.get("g_tp")
    if found is None or group is None or group.quantity.value == 1:
        return None
    return tr(
        "{value} under tensor parallelism",
        value=show(found).number if counts(found) else bare(found),
    )


def counts(quantity: Quantity) -> bool:
    """Whether a value is a number of requests: its unit is that of the tile."""
    return quantity.unit.text == "request"


def concurrency(bound: Bound, results: Results) -> dict[str, Any]:
    """How many requests run at once, on each basis that differs."""
    limit, reserved, slo = (results[n].value for n in ("b_max", "b_max_reserved", "b_slo"))
    group = tensor_parallel(bound, results, "b_max_tp")
    notes = [tr("memory limit, every byte stored once") if group else tr("memory limit")]
    tail = results["b_max_tail"].value
    if limit and tail:  # lengths are quantiles: the largest carries the memory
        notes = [
            tr("memory limit with every request at the highest quantile"),
            tr("{value} at the mean length", value=show(limit).number),
        ]
        limit, reserved = tail, None
    if limit and reserved and reserved.value != limit.value:
        notes.append(tr("{value} as an engine reserves", value=show(reserved).number))
    if group:
        notes.append(group)
    if slo:
        notes.append(tr("TPOT target allows {b}", b=show(slo).number))
    return tile("b_max", tr("concurrency"), shown(limit) if limit else "–", "none", *notes)


def prefill_room(bound: Bound, results: Results) -> list[Text]:
    """What prefill on devices of its own needs and has."""
    if value(results, "g_fit_pre") is None:
        return []
    given = int(bound.typical.get("g_pre"))
    return [tr("prefill: {g} given, {fit} needed", g=given, fit=text(results, "g_fit_pre"))]


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
            *prefill_room(bound, results),
        ),
        result_tile(bound, results, "TTFT", tr("TTFT, one prompt"), "target_TTFT"),
        result_tile(bound, results, "TPOT", tr("TPOT"), "target_TPOT"),
    ]
    made.append(concurrency(bound, results))
    replicas = results["replicas"]
    if replicas.value is not None:
        pool = results["replicas_pre"].value
        prefill = pool.value * bound.typical.get("g_pre") if pool is not None else 0
        total = Quantity(replicas.value.value * g + prefill, unit("device"))
        low, high = replicas.low or replicas.value, replicas.high or replicas.value
        r = int(replicas.value.value)
        notes = [tr("{r} of {g}", r=replicas_said(r), g=int(g))]
        if low.value != high.value:
            notes.append(tr("{low} to {high} replicas", low=int(low.value), high=int(high.value)))
        if pool is not None:
            notes.append(
                tr(
                    "and {r} of {g} that prefill",
                    r=replicas_said(int(pool.value)), g=int(bound.typical.get("g_pre")),
                )
            )  # fmt: skip
        made.append(tile("fleet", tr("devices for the offered load"), shown(total), "none", *notes))
    if results["cost_token"].value is not None:
        cost = result_tile(bound, results, "cost_token", tr("cost of output, replica always busy"))
        fleet = results["cost_fleet"].value
        if fleet is not None:
            cost["notes"].append(tr("the fleet at this load {cost}", cost=bare(fleet)).json())
        made.append(cost)
    return made


RATES = {"B_peak": ("B_peak", "MBU", "g"), "P_peak": ("P_peak", "MFU", "g")}


def best_lever(levers: list[Elasticity]) -> Text | None:
    """What TPOT follows, the next best lever among the bytes, and what changes nothing."""
    of = {e.lever: e for e in levers if e.target == "TPOT"}
    rate = next((r for r in RATES if r in of and of[r].value != 0), None)
    others = [of[n] for n in ("w", "w_kv", "b", "T", "H_kv") if n in of and of[n].value != 0]
    if rate is None:
        return None
    found = [n for n in RATES[rate] if n in of]
    names = Text(", ".join(found), "、".join(found))
    change = per_percent(of[rate].value)
    roof = tr("memory bandwidth") if rate == "B_peak" else tr("compute")
    main = tr(
        "TPOT follows {roof} ({names}): 1 % more changes it by {change}.",
        roof=roof,
        names=names,
        change=change,
    )
    if others:
        best = max(others, key=lambda e: abs(e.value))
        main = tr(
            "{main} Next: {action}; 1 % less of {symbol} changes it by {change}.",
            main=main,
            action=ACTIONS[best.lever],
            symbol=same(best.lever),
            change=per_percent(-best.value),
        )
    idle = [r for r in RATES if r in of and of[r].value == 0]
    return (
        tr(
            "{main} More {roof} changes nothing.",
            main=main,
            roof=tr("compute") if idle == ["P_peak"] else tr("bandwidth"),
        )
        if idle
        else main
    )


def per_percent(elasticity: Fraction) -> str:
    """What one percent more of a lever does to its target."""
    return percent(elasticity / 100)


def collectives(bound: Bound, results: Results) -> list[tuple[str, Text, Text]]:
    """The all-reduces of tensor parallelism; one device has none."""
    if bound.typical.get("g") == 1:
        return [("share_comm", tr("all-reduces of tensor parallelism"), tr("one device: none"))]
    if bound.typical.get("TP") == 1:
        none = tr("no device shares a layer: none")
        return [("share_comm", tr("all-reduces of tensor parallelism"), none)]
    transfers: dict[str, tuple[Text, Callable[[str], Text]]] = {
        "share_comm": (
            tr("all-reduce transfer under tensor parallelism"),
            lambda s: tr(
                "{share} of the step at peak, plus a fixed latency per collective", share=s
            ),
        ),
        "share_comm_prefill": (
            tr("all-reduce transfer in prefill"),
            lambda s: tr("{share} of the prefill time at peak where it does not overlap", share=s),
        ),
    }
    rows = []
    for name, (what, size) in transfers.items():
        found = results[name]
        told = found.why or same("")
        if found.value is not None:
            told = size(percent(found.value.value))
        rows.append((name, what, told))
    latency = (
        tr("{time} a step", time=text(results, "t_latency"))
        if results["t_latency"].value is not None
        else tr(
            "not given: set t_hop; 10 µs each would be {time} a step", time=said(would_be(bound))
        )
    )
    return [*rows, ("t_latency", tr("fixed latency of the all-reduces in a decode step"), latency)]


def speculated(bound: Bound) -> list[tuple[str, Text, Text]]:
    """What the model of speculation leaves out."""
    rows = [
        (
            "acceptance",
            tr("acceptance of drafted tokens"),
            tr("taken as equal and independent from token to token: measure it on your traffic"),
        )
    ]
    if "N_draft" in bound.inputs:
        point = bound.typical
        share = point.get("c_op") * point.get("N_draft") / point.get("F_tok")
        size = tr("{share} more operations", share=percent(share))
        rows.append(("draft_prefill", tr("prefill of the draft model"), size))
    return rows


def queued(results: Results) -> Text:
    """What is said of waiting."""
    if results["t_queue"].value is None:
        return tr("not in the model: TTFT is that of an idle replica")
    return tr(
        "not in TTFT, which is that of an idle replica; estimated apart: {wait} on average",
        wait=text(results, "t_queue"),
    )


def second_order(results: Results) -> list[tuple[str, Text, Text]]:
    """Smaller terms of a decode step and of prefill, where their inputs are known."""
    terms: dict[str, tuple[Text, Callable[[str], Text]]] = {
        "share_over_pre": (
            tr("tables, and the output head for all but the last position, in prefill"),
            lambda s: (
                tr("{share} more operations", share=s[1:])  # a matrix that serves several times
                if s.startswith("−")
                else tr("{share} fewer operations", share=s)
            ),
        ),
        "share_write": (
            tr("writing the KV cache of new tokens"),
            lambda s: tr("{share} more bytes", share=s),
        ),
        "share_act": (
            tr("activations: hidden states in and out of each layer"),
            lambda s: tr("{share} more bytes", share=s),
        ),
        "share_launch": (
            tr("kernel launches of a decode step"),
            lambda s: tr("{share} of the ideal step, at the typical floor of a layer", share=s),
        ),
    }
    rows = []
    for name, (what, size) in terms.items():
        found = results[name].value
        if found is not None:
            rows.append((name, what, size(percent(found.value))))
    return rows


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
        "share_att_new" if results["share_att_new"].value else "share_att_prefill",
        tr("attention operations in prefill"),
        lambda s: tr("{share} more operations", share=s),
    )
    sized(
        "share_att",
        tr("attention operations in decode"),
        lambda s: tr("{share} more operations, none on the memory side", share=s),
    )
    if "s_idle" in bound.inputs:
        sized(
            "share_embedding",
            tr("tables that are looked up, which decode does not read"),
            lambda s: tr("{share} of the weight bytes counted", share=s),
        )
    else:
        sized(
            "share_embedding",
            tr("input embedding table, which decode does not read"),
            lambda s: tr("{share} fewer parameters read", share=s),
        )
    if not results["share_lookup"].absent:
        sized(
            "share_lookup",
            tr("lookups and scales among the active parameters, which multiply nothing"),
            lambda s: (
                tr("{share} fewer operations counted than matrix products take", share=s[1:])
                if s.startswith("−")
                else tr("{share} more operations counted than matrix products take", share=s)
            ),
        )
    rows += second_order(results)
    if results["share_state"].value is not None and results["share_state"].value.value:
        sized(
            "share_state",
            tr("writing the constant states back: a step reads them and writes them anew"),
            lambda s: tr("{share} more bytes", share=s),
        )
        uncounted = tr("not counted: a few operations for each element of the state and token")
        rows.append(("recurrence", tr("operations of the recurrence on the state"), uncounted))
    rows += collectives(bound, results)
    sized(
        "share_prefill",
        tr("decode steps that wait while another prompt is prefilled"),
        lambda s: tr("{share} of a replica's time goes to prefill", share=s),
    )
    formats = {
        "weights": tr("number format of the weights"),
        "kv_cache": tr("number format of the KV cache"),
        "compute": tr("number format of the products"),
        "sparsity": tr("basis of the compute peak"),
    }
    chosen = bound.scenario.chosen
    rows += [(f"format_{key}", formats[key], chosen[key]) for key in formats if key in chosen]
    if (width := bound.scenario.model.state_width) and "S_kv" not in bound.scenario.overrides:
        rows.append(("state_width", tr("width of the constant state"), width))
    other = bound.inputs.get("M_other")
    if other is not None and other.quantity.value == 0:
        rows.append(
            (
                "M_other",
                tr("activations, CUDA graphs and runtime memory"),
                tr("not measured: taken as zero, so the memory limit is an upper figure"),
            )
        )
    if "alpha" in bound.inputs:
        rows += speculated(bound)
    if "g_pre" in bound.inputs:
        rows.append(
            (
                "prefill_devices",
                tr("how the devices of prefill share, and when they hand over"),
                tr(
                    "taken as one stage of one group that shares every layer; the KV cache moves after prefill, not layer by layer"
                ),
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
            queued(results),
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
