"""Batches and contexts: compute-bound or not, and where the KV cache takes over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.physics.lines import equation
from derive.audit.physics.precisions import storable
from derive.audit.physics.setting import Setting
from derive.audit.physics.settings import of_any_model, own_model, settings, spoken
from derive.audit.physics.sides import COUNTED, critical, of_prefill, without_batch
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import Text, same, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

REQUEST, LENGTH = unit("request"), unit("token/request")
SIDES = {"ridge_batch": True, "memory_bound": False}  # what the text says -> compute side


@rule(
    "PHYS009",
    name=("batch and context against the ridge", "批大小、上下文与脊点对照"),
    page=(
        "A decode step is compute-bound once its batch passes the critical batch at its context. Past the context of the KV "
        "wall the cache of a request alone takes longer to read than its operations take: no batch is compute-bound "
        "there. Without a context only the limit T → 0 can be tested, which is the smallest critical batch.",
        "批大小超过该上下文下的临界批大小后，decode 步才受算力限制。上下文超过 KV 墙后，仅读取一个请求的 cache 就比其运算更久："
        "此时任何批大小都不会受算力限制。没有给出上下文时只能按 T → 0 的极限检验，即最小的临界批大小。",
    ),
    fires="Decoding Llama-3-70B in BF16 on H100 SXM at a batch of 512 with a context of 4,096 tokens is compute bound.",
    quiet="Decoding Llama-3-70B in BF16 on H100 SXM at a batch of 8 with a context of 4,096 tokens is memory bound.",
    chinese=(
        "H100 SXM 上 BF16 的 Llama-3-70B，batch 512、上下文 4,096 token 时 decode 受算力限制，即计算受限。",
        "H100 SXM 上 BF16 的 Llama-3-70B，batch 8、上下文 4,096 token 时 decode 是带宽受限的。",
    ),
)
def side_of_ridge(claim: Claim, library: Library) -> Iterator[Finding]:
    """A claim that puts a batch on a side of the ridge."""
    told = next((s for s in SIDES if claim.says("subject", s)), None)
    batch = claim.one("batch", "concurrency")
    if told is None or not claim.hardware:
        return
    if claim.says("tokens", "input") and not claim.says("tokens", "output"):
        yield from of_prefill(claim, library)
        return
    anchor = batch or claim.one("context") or spoken(claim)
    if batch is None and not claim.of("context"):
        yield from without_batch(claim, library, anchor)
        return
    if not claim.models and any(
        f.role not in COUNTED or f.role == "context" for f in claim.figures
    ):
        return  # of more than a batch, or of a context, whose bytes are those of a model
    found = [
        (s, side(claim, s, batch))
        for s in of_any_model(claim, library, anchor)
        if "P_peak" in s.values
    ]
    found = [(s, o) for s, o in found if o is not None]
    if not found:
        return
    sides = {compute for _, compute in found}
    wanted = SIDES[told]
    verdict = (
        "ambiguous" if len(sides) > 1 else "consistent" if sides == {wanted} else "contradicted"
    )
    yield side_finding(found[0][0], batch, anchor, verdict, wanted=wanted)


def side(claim: Claim, setting: Setting, batch: Figure | None) -> bool | None:
    """Whether the step is compute-bound; for no batch, whether any batch is."""
    stored, _ = next(storable(claim, setting.stored))
    here = setting.with_(stored=stored) if stored != setting.stored else setting
    limit = critical(here)
    if limit is None:
        return None if "T" not in here.values else False
    return True if batch is None else batch.interval.high >= limit


def side_finding(
    setting: Setting, batch: Figure | None, anchor: Figure, verdict: str, *, wanted: bool
) -> Finding:
    """Where the ridge is, and on which side the claim stands."""
    limit, wall = critical(setting), setting.value("T_wall", best=False)
    lines = []
    if (ridge := setting.value("I_ridge", best=False)) is not None:
        lines.append(equation("I_ridge", ridge, "FLOP/byte"))
    if wall:
        lines.append(equation("T_wall", wall, "token/request"))
    if limit is not None:
        lines.append(equation("b_crit", limit, "request"))
    past = limit is None
    listed = (Reading(Quantity(limit, REQUEST), setting.name),) if limit is not None else ()
    if past and wall is not None:
        listed = (
            Reading(
                Quantity(wall, LENGTH),
                tr("context of the KV wall: {setting}", setting=setting.name),
            ),
        )
    spans = ((batch or anchor).span,)
    count = "" if limit is None else f"{int(limit):,}"
    if verdict == "consistent":
        what = tr("the batch is on that side of the ridge: {setting}", setting=setting.name)
        return Finding("PHYS009", verdict, "info", what, spans, listed, tuple(lines))
    severity = GRAVE[verdict]
    if past:
        what = tr(
            "no batch is compute-bound at this context, it is past the KV wall: {setting}",
            setting=setting.name,
        )
        said = tr(
            "At this context decode stays memory-bound at every batch: {setting}.",
            setting=setting.name,
        )
    elif wanted:
        what = tr("the batch is below the critical batch of about {count} requests: {setting}", count=count,
                  setting=setting.name)  # fmt: skip
        said = tr(
            "Decode is memory-bound below about {count} requests: {setting}.",
            setting=setting.name,
            count=count,
        )
    else:
        what = tr("the batch is above the critical batch of about {count} requests: {setting}", count=count,
                  setting=setting.name)  # fmt: skip
        said = tr(
            "Decode is compute-bound above about {count} requests: {setting}.",
            setting=setting.name,
            count=count,
        )
    return Finding(
        "PHYS009",
        verdict,
        severity,
        what,
        spans,
        listed,
        tuple(lines),
        said,
        sources=setting.sources,
    )


@rule(
    "PHYS011",
    name=("context from which the KV cache dominates", "KV cache 占主导的上下文长度"),
    page=(
        "Two things can be meant: KV bytes above weight bytes (T_cross = W / (b κ), which moves with the batch), or KV "
        "time above compute time at every batch (T_wall, which does not). They lie orders of magnitude apart and each "
        "needs a model, the second a device too. A claim that does not say which is ambiguous.",
        "可能指两件事：KV 字节超过权重字节（T_cross = W / (b κ)，随批大小变化），或任何批大小下 KV 时间都超过运算时间（T_wall，与批大小无关）。"
        "二者相差几个数量级，都需要给定模型，后者还需要设备。未说明是哪一个的论断有歧义。",
    ),
    fires="Past about 2,000 tokens of context the KV cache dominates at any batch.",
    quiet="The KV cache of Llama-3-70B grows with the context.",
    chinese=(
        "上下文超过约 2,000 token 后，任何批大小下都是 KV cache 占主导。",
        "Llama-3-70B 的 KV cache 随上下文增长。",
    ),
)
def cache_dominates(claim: Claim, library: Library) -> Iterator[Finding]:
    """A context from which the cache is said to dominate."""
    figure = next((f for f in claim.of("context", "tokens", "prompt") if f.unit.terms), None)
    if not (claim.says("subject", "dominates") and claim.says("noun", "kv") and figure):
        return
    listed, hits, tried = [], 0, 0
    for setting in settings(claim, library, figure):
        rows = (
            ("T_cross", tr("KV bytes equal weight bytes: {setting}", setting=setting.name)),
            (
                "T_wall",
                tr("KV time passes compute time at every batch: {setting}", setting=setting.name),
            ),
        )
        for name, under in rows:
            value = setting.value(name, best=False) if setting.value("kappa") else None
            if value is not None:
                listed.append(Reading(Quantity(value, LENGTH), under))
                tried += 1
                hits += figure.interval.low <= 2 * value and value <= 2 * figure.interval.high
    if tried and not hits and own_model(claim):
        what = tr(
            "{figure} is neither of the two contexts that can be meant", figure=same(figure.text)
        )
        yield Finding("PHYS011", "contradicted", "error", what, (figure.span,), tuple(listed))
        return
    what = tr("{figure} can mean two contexts: KV bytes above weight bytes, or KV time above compute time",
              figure=same(figure.text))  # fmt: skip
    lines = (Text("T_cross = W_read / (b · kappa)", "T_cross = W_read / (b · kappa)"),
             Text("T_wall = F_tok · n / (kappa · I_ridge)", "T_wall = F_tok · n / (kappa · I_ridge)"))  # fmt: skip
    yield Finding("PHYS011", "ambiguous", "warning", what, (figure.span,), tuple(listed), lines)
