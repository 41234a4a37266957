"""Findings on how many requests run at once: memory, what engines reserve, the critical batch."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import FARTHEST, no_batch
from derive.study.bind import Bound
from derive.study.finding import Finding, Results, text, value
from derive.study.laid_out import laid_out, latent_layout
from derive.study.products import wall_by_products
from derive.study.results import said
from derive.text import Text, tr


def batch_over_memory(_: Bound, results: Results) -> Iterator[Finding]:
    """A target batch beyond what memory holds."""
    slo, limit = value(results, "b_slo"), value(results, "b_max")
    if slo is not None and limit is not None and slo > limit:
        yield Finding(
            "memory_binds",
            "info",
            tr(
                "Memory binds before latency: {limit} fit, {slo} would still meet the TPOT target.",
                limit=text(results, "b_max"),
                slo=text(results, "b_slo"),
            ),
        )


def engine_reserves(bound: Bound, results: Results) -> Iterator[Finding]:
    """What an engine sets aside for a request against what is live, where fewer requests fit."""
    limit, reserved = value(results, "b_max"), value(results, "b_max_reserved")
    if limit is None or reserved is None or reserved >= limit:
        return
    point = bound.typical
    parts = {
        "limit": text(results, "b_max"),
        "reserved": text(results, "b_max_reserved"),
        "each": text(results, "KV_reserved"),
        "live": text(results, "KV_request"),
    }
    yield Finding(
        "engine_reserves",
        "warning" if reserved < point.get("b") <= limit else "info",
        tr(
            "An engine with one pool for all layers reserves each of them in full: {reserved} fit instead of {limit}, "
            "{each} set aside instead of {live} live. A pool for each kind of layer comes near the live bytes.",
            **parts,
        )
        if has_windows(bound)
        else tr(
            "An engine reserves whole blocks: {reserved} fit instead of {limit}, {each} set aside instead of {live} live.",
            **parts,
        ),
    )


def has_windows(bound: Bound) -> bool:
    """Whether some layers forget tokens."""
    given = bound.inputs.get("e_win")
    return given is not None and given.quantity.value > 0


def latent_cache(bound: Bound, results: Results) -> Iterator[Finding]:
    """A latent cache has no heads to split: every device of a tensor-parallel group holds it."""
    group = bound.inputs.get("g_tp")
    if group is None or group.quantity.value == 1 or not value(results, "b_max"):
        return
    parts = {
        "g": int(group.quantity.value),
        "b": text(results, "b_max"),
        "b_tp": text(results, "b_max_tp"),
    }
    with laid_out(bound, latent_layout(bound)) as apart:
        fits = apart.quantity("b_max")
        parts["b_dp"] = said(fits)
        tpot_dp = said(apart.quantity("TPOT"))
    if value(results, "TPOT_tp") is None:
        told = tr(
            "The cache is a latent without heads. {b} are a bound that no layout beats: every byte is stored once. Under "
            "tensor parallelism over {g} devices each holds the whole cache, and {b_tp} fit; with data-parallel attention "
            "over {g} devices each holds all attention weights, and {b_dp} fit.",
            **parts,
        )
    elif not fits.value:
        told = tr(
            "The cache is a latent without heads. No layout was named: {b} and TPOT of {tpot} are a bound that no layout "
            "beats, every byte stored and read once. Under tensor parallelism over {g} devices each holds the whole cache: "
            "{b_tp} fit and TPOT is {tpot_tp}. With data-parallel attention over {g} devices each holds all attention "
            "weights, and no request fits beside them.",
            tpot=text(results, "TPOT"),
            tpot_tp=text(results, "TPOT_tp"),
            **parts,
        )
    else:
        told = tr(
            "The cache is a latent without heads. No layout was named: {b} and TPOT of {tpot} are a bound that no layout "
            "beats, every byte stored and read once. Under tensor parallelism over {g} devices each holds the whole cache: "
            "{b_tp} fit and TPOT is {tpot_tp}. With data-parallel attention over {g} devices each holds all attention "
            "weights: {b_dp} fit and TPOT is {tpot_dp}.",
            tpot=text(results, "TPOT"),
            tpot_tp=text(results, "TPOT_tp"),
            tpot_dp=tpot_dp,
            **parts,
        )
    yield Finding("latent_replicated", "warning", told)


def searched_past(results: Results, name: str) -> bool:
    """Whether a critical batch lies beyond what was searched."""
    last = f"{FARTHEST['b']:,}"
    return results[name].why == no_batch(last, start=False, largest=False)


def critical(results: Results, name: str) -> Text:
    """The clause on a critical batch, in words where it is beyond what was searched."""
    found = results[name]
    if found.value is not None:
        return tr("the critical batch is {b}", b=text(results, name))
    if searched_past(results, name) or found.why is None:
        return tr("the critical batch is above {last} requests", last=f"{FARTHEST['b']:,}")
    return found.why


def reached(results: Results) -> str:
    """The critical batch that decides: with attention operations counted where that is known."""
    return (
        "b_crit_att" if "b_crit_att" in results and not results["b_crit_att"].absent else "b_crit_T"
    )


def beyond_memory(results: Results, name: str) -> Text | None:
    """The clause where memory ends before a critical batch."""
    limit, batch = value(results, "b_max"), value(results, name)
    if batch is None and searched_past(results, name):
        batch = Fraction(FARTHEST["b"])
    if not limit or batch is None or batch <= limit:
        return None
    return tr("memory ends before it: {limit} fit", limit=text(results, "b_max"))


def kv_wall(bound: Bound, results: Results) -> Iterator[Finding]:
    """Whether any batch reaches the ridge, held also with attention operations counted."""
    if told := wall_by_products(bound, results):
        yield Finding("kv_wall", "warning", told)
        return
    wall, full, ridge = (value(results, n) for n in ("I_decode_inf", "I_wall_att", "I_ridge"))
    if wall is None or ridge is None:
        return
    parts = {
        "wall": text(results, "I_decode_inf"),
        "ridge": text(results, "I_ridge"),
        "T": said(bound.typical.quantity("T")),
    }
    if wall < ridge and full is not None and full < ridge:
        yield Finding(
            "kv_wall",
            "info",
            tr(
                "At {T} no batch makes decode compute-bound: its limit {wall} (with attention operations {full}) is below "
                "the ridge at {ridge}.",
                full=text(results, "I_wall_att"),
                **parts,
            ),
        )
        return
    name = reached(results)
    if wall >= ridge:
        counted = name == "b_crit_att"
        told = tr(
            "At {T} decode can reach the ridge: its limit {wall} is not below {ridge}; {critical}",
            critical=tr(
                "with attention operations counted, {critical}", critical=critical(results, name)
            )
            if counted
            else critical(results, name),
            **parts,
        )
    elif full is not None:
        told = tr(
            "At {T} the wall depends on what is counted: {wall} without attention operations is below the ridge at "
            "{ridge}, {full} with them is not; then {critical}",
            full=text(results, "I_wall_att"),
            critical=critical(results, name),
            **parts,
        )
    else:
        return
    memory = beyond_memory(results, name)
    told = tr("{told}; {memory}.", told=told, memory=memory) if memory else tr("{told}.", told=told)
    yield Finding("kv_wall", "info" if wall >= ridge else "warning", told)
