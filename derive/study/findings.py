"""Findings: what a careful reader of this scenario must be told, each with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Undefined, in_contract
from derive.formula import moved, unit_of
from derive.specs.sets import FROM_OUTSIDE
from derive.study.bind import Bound
from derive.study.concurrency import batch_over_memory, engine_reserves, kv_wall, latent_cache
from derive.study.finding import Finding, Results, text, value
from derive.study.fleet import batch_for_fleet
from derive.study.layouts import refused_layouts, weights_read_again
from derive.study.omitted import left_out
from derive.study.products import floor_by_stream
from derive.study.results import said
from derive.study.switches import RULES as SWITCHES
from derive.study.targets import cannot_be_met, devices_for_targets, queue, tails, ttft_target
from derive.text import same, tr
from derive.units import Quantity, gib, show, unit


def does_not_fit(bound: Bound, results: Results) -> Iterator[Finding]:
    """Feasibility comes first."""
    fit = value(results, "g_fit")
    if fit is not None and bound.typical.get("g") < fit:
        yield Finding(
            "does_not_fit",
            "error",
            tr(
                "{g} given, at least {fit} needed for weights and {b} at this context: bounds below keep their values, "
                "reachable speeds are withheld.",
                g=said(bound.typical.quantity("g")),
                fit=text(results, "g_fit"),
                b=said(bound.typical.quantity("b")),
            ),
        )
    elif fit is None and results["g_fit"].why:
        yield Finding("no_memory", "error", results["g_fit"].why)


def kv_heads(bound: Bound, _: Results) -> Iterator[Finding]:
    """KV heads that devices copy, or that do not split evenly: there the first-order split is too kind."""
    point = bound.typical
    try:
        shared, heads = point.get("TP"), point.get("H_kv")
    except Absent:
        return
    shard = -(-heads // shared)
    factor = shard * shared / heads
    if factor == 1 or "g_tp" in bound.inputs:
        return
    factor_text = show(Quantity(factor, unit(""))).text.removeprefix("≈ ")
    if bound.scenario.model.latent:
        yield Finding(
            "latent_copied",
            "warning",
            tr(
                "The cache is a latent without heads: each of the {g} devices that share a layer holds all of it, {factor} "
                "times the first-order share. Capacity and step time here count the copies.",
                g=int(shared),
                factor=factor_text,
            ),
        )
        return
    if shared > heads:
        yield Finding(
            "kv_heads_split",
            "warning",
            tr(
                "{g} devices share each layer, but there are {heads} KV heads: each device holds a whole one, so its KV "
                "cache is {factor} times the first-order share. Capacity and step time here count the copies.",
                g=int(shared),
                heads=int(heads),
                factor=factor_text,
            ),
        )
    else:
        yield Finding(
            "kv_heads_split",
            "warning",
            tr(
                "{heads} KV heads do not divide evenly over {g} devices: under tensor parallelism the fullest device holds "
                "{shard} of them, so its KV cache is {factor} times the first-order share.",
                heads=int(heads),
                g=int(shared),
                shard=int(shard),
                factor=factor_text,
            ),
        )


def burst(bound: Bound, results: Results) -> Iterator[Finding]:
    """One prompt against its target, and the last of a burst against it."""
    one, last = value(results, "TTFT"), value(results, "TTFT_burst")
    target = bound.inputs.get("target_TTFT")
    if one is None or last is None or target is None or bound.typical.get("b") <= 1:
        return
    goal = target.quantity.base
    verdicts = {True: tr("met"), False: tr("missed")}
    severity = "warning" if (one <= goal) != (last <= goal) else "info"
    yield Finding(
        "ttft_burst",
        severity,
        tr(
            "Of {b} prompts that arrive together the last has its first token after {last}; one prompt alone after {one}. "
            "The target of {target} is {one_verdict} by one prompt and {last_verdict} by the burst.",
            b=int(bound.typical.get("b")),
            last=text(results, "TTFT_burst"),
            one=text(results, "TTFT"),
            target=said(target.quantity),
            one_verdict=verdicts[one <= goal],
            last_verdict=verdicts[last <= goal],
        ),
    )


def tpot_target(bound: Bound, results: Results) -> Iterator[Finding]:
    """TPOT against its target, and the largest batch that keeps it."""
    found, target = value(results, "TPOT"), bound.inputs.get("target_TPOT")
    if found is None or target is None:
        return
    met = found <= target.quantity.base
    best = results["b_slo"]
    tail = (
        tr("the largest batch that keeps it is {b}", b=text(results, "b_slo"))
        if best.value
        else best.why or same("")
        if met
        else tr("no batch keeps it: {why}", why=best.why or same(""))
    )
    yield Finding(
        "tpot_target",
        "info" if met else "warning",
        tr(
            "TPOT of {tpot} against a target of {target}: {verdict}; {tail}.",
            tpot=text(results, "TPOT"),
            target=said(target.quantity),
            verdict=tr("met") if met else tr("missed"),
            tail=tail,
        ),
    )


def sparse_peak(bound: Bound, _: Results) -> Iterator[Finding]:
    """The peak with sparsity: only for weights pruned to its pattern."""
    if (
        bound.scenario.precision["sparsity"] == "with_sparsity"
        and "P_peak" not in bound.scenario.overrides
    ):
        yield Finding(
            "sparse_peak",
            "warning",
            tr(
                "The compute peak is that with sparsity: it is reached only by weights pruned to the hardware's pattern."
            ),
        )


def beats_the_bound(_: Bound, results: Results) -> Iterator[Finding]:
    """A measurement faster than the bytes that must be moved allow."""
    for name in ("MBU_meas", "MFU_meas", "MFU_prefill_meas"):
        found = value(results, name)
        if found is not None and found > 1:
            yield Finding(
                "beats_the_bound",
                "warning",
                tr(
                    "{name} is {share}: the measurement beats the bound; look for speculation, a prefix cache, "
                    "another precision, an aggregate number or other hardware.",
                    name=same(name),
                    share=text(results, name),
                ),
            )


def memory_reading(bound: Bound, results: Results) -> Iterator[Finding]:
    """Marketed capacity read as GB and as GiB, beside what the driver reports."""
    hardware = bound.scenario.hardware
    visible, marketed = hardware.driver_visible, hardware.marketed.quantity
    if visible is not None and visible.how == FROM_OUTSIDE:
        return  # set by hand: neither marketed nor reported
    parts: dict[str, Any] = {
        "marketed": said(marketed),
        "gb_requests": said(requests_in(bound, marketed, 1000)),
        "gib_requests": said(requests_in(bound, marketed, 1024)),
    }
    if visible is not None:
        reported = in_contract(visible.quantity.base, unit_of("M_dev"))
        yield Finding(
            "memory_reading",
            "info",
            tr(
                "Memory is what the driver reports: {visible} ({gib}). The marketed {marketed} would give {gb_requests} read as "
                "GB and {gib_requests} read as GiB, against {requests}.",
                visible=said(reported),
                gib=same(gib(reported).text),
                requests=text(results, "b_max"),
                **parts,
            ),
        )
    elif binary(marketed):
        yield Finding(
            "memory_marketed",
            "warning",
            tr(
                "No driver-visible memory is on record for {device}: the marketed {marketed} is taken, of which the driver "
                "keeps a part.",
                device=hardware.name,
                marketed=parts["marketed"],
            ),
        )
    else:
        yield Finding(
            "memory_marketed",
            "warning",
            tr(
                "No driver-visible memory is on record for {device}: {marketed} is taken at face value (1 GB = 10^9 byte). "
                "Read as GiB, {gib_requests} would fit instead of {gb_requests}.",
                device=hardware.name,
                **parts,
            ),
        )


def binary(capacity: Quantity) -> bool:
    """Whether a capacity is written with a binary prefix: GiB cannot be misread."""
    return capacity.unit.text.partition("/")[0].endswith("iB")


def requests_in(bound: Bound, marketed: Quantity, thousand: int) -> Quantity:
    """b_max if each prefix of the marketed capacity meant powers of 1000, or of 1024."""
    symbol = marketed.unit.text.partition("/")[0]
    power = "kMGTP".find(symbol[0]) + 1 if symbol not in ("B", "byte") else 0
    size = marketed.value * (1024 if binary(marketed) else thousand) ** power
    try:
        return bound.typical.with_(M_dev=size).quantity("b_max")
    except (Absent, Undefined):
        return Quantity(Fraction(0), unit("request"))


def experts(bound: Bound, _: Results) -> Iterator[Finding]:
    """Experts or a tower in plain formulas: the reading of all weights is an upper figure."""
    point = bound.typical
    every = point.get("N") - point.given.get("N_side", Fraction(0))
    looked_up = bound.scenario.model.unread
    idle = looked_up.quantity.base if looked_up is not None else Fraction(0)
    if point.get("N_act") not in (every, every - idle) and "E" not in bound.inputs:
        yield Finding(
            "moe_weights",
            "warning",
            tr(
                "{active} of {all} work on a token, but W_read counts all: right where a large batch reads every expert, "
                "an upper figure for few.",
                active=said(point.quantity("N_act")),
                all=said(in_contract(every, unit_of("N"))),
            ),
        )


def derived_inputs(bound: Bound, _: Results) -> Iterator[Finding]:
    """Derived quantities that were set by hand."""
    for name in bound.derived:
        yield Finding(
            "derived_set",
            "warning",
            tr(
                "{name} is normally derived; here it was set to {value} by hand.",
                name=same(name),
                value=said(bound.inputs[name].quantity),
            ),
        )


def kv_over_weights(bound: Bound, results: Results) -> Iterator[Finding]:
    """KV bytes against weight bytes."""
    names = [moved(n, bound.inputs) for n in ("KV_total", "W_read")]
    kv, weights = (value(results, n) for n in names)
    if kv is not None and weights is not None and kv > weights:
        yield Finding(
            "kv_over_weights",
            "warning",
            tr(
                "The KV cache ({kv}) outweighs the weights ({weights}) in each step: shrink it first.",
                kv=text(results, names[0]),
                weights=text(results, names[1]),
            ),
        )


def beyond_context(bound: Bound, results: Results) -> Iterator[Finding]:
    """A context the model was not made for: of every request, of the longest, of what a target allows."""
    longest = bound.inputs.get("T_max")
    if longest is None:
        return
    limit, model = said(longest.quantity), bound.scenario.model.name
    context, tail = bound.typical.get("T"), bound.inputs.get("T_tail")
    if context > longest.quantity.base:
        told = tr(
            "{T} is more than the {longest} that {model} is made for.",
            T=said(bound.typical.quantity("T")), longest=limit, model=model,
        )  # fmt: skip
        yield Finding("beyond_context", "warning", told)
    elif tail is not None and tail.quantity.base > longest.quantity.base:
        told = tr(
            "At the highest quantiles a request comes to {T}, more than the {longest} that {model} is made for; at the mean it "
            "has {mean}.",
            T=said(tail.quantity), longest=limit, model=model, mean=said(bound.typical.quantity("T")),
        )  # fmt: skip
        yield Finding("beyond_context", "warning", told)
    prompt = value(results, "T_in_slo")
    if prompt is not None and prompt > longest.quantity.base:
        told = tr(
            "The TTFT target would allow {T}, but {model} is made for {longest}, prompt and output together: that is the limit, "
            "not the target.",
            T=text(results, "T_in_slo"), longest=limit, model=model,
        )  # fmt: skip
        yield Finding("prompt_beyond_context", "info", told)


def contradictions(bound: Bound, _: Results) -> Iterator[Finding]:
    """What a model's own files say otherwise than what is derived of them."""
    for told in bound.scenario.model.cautions:
        yield Finding("model_files", "warning", told)


def streamed(bound: Bound, results: Results) -> Iterator[Finding]:
    """The floor of the bytes really streamed beside the first-order one."""
    if told := floor_by_stream(bound, results):
        yield Finding("floor_streamed", "info", told)


RULES: tuple[Callable[[Bound, Results], Iterator[Finding]], ...] = (
    does_not_fit,
    derived_inputs,
    kv_heads,
    refused_layouts,
    weights_read_again,
    latent_cache,
    burst,
    ttft_target,
    tpot_target,
    cannot_be_met,
    devices_for_targets,
    queue,
    tails,
    left_out,
    batch_for_fleet,
    sparse_peak,
    beats_the_bound,
    batch_over_memory,
    engine_reserves,
    kv_wall,
    streamed,
    contradictions,
    kv_over_weights,
    memory_reading,
    beyond_context,
    experts,
    *SWITCHES,
)


def findings(bound: Bound, results: Results) -> list[Finding]:
    """All findings, gravest first."""
    found = [f for rule in RULES for f in rule(bound, results)]
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(found, key=lambda f: order[f.severity])
