"""Statements of proportion: what follows which parameters, which devices, which peak."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.physics import bounds
from derive.audit.physics.cases import one_request
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.settings import of_any_model
from derive.audit.rule import rule
from derive.audit.rules.utilisation import percent
from derive.audit.types import Finding
from derive.derivation.points import Point
from derive.formula import catalogue
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.physics.setting import Setting
    from derive.audit.types import Claim

EIGHT_OF_TWO = {"E": Fraction(8), "k_exp": Fraction(2), "n": Fraction(1)}
HEADS = 8  # KV heads of the worked example


@rule(
    "PHYS012",
    name=("bytes and operations of experts", "MoE 的字节数与运算量"),
    page=(
        "The operations of a token follow the activated parameters. The bytes do so only for a pass of one token: a "
        "batch reads every expert that any of its tokens chose, E (1 − (1 − k/E)^b) of E on average, and memory holds "
        "all of them.",
        "每个 token 的运算量随激活参数。字节数只在一次前向只有一个 token 时如此：一批 token 会读取其中任一 token 选中的全部专家，"
        "平均为 E 个中的 E(1 − (1 − k/E)^b) 个；显存则要放下全部专家。",
    ),
    fires="MoE: bytes moved and operations both follow the activated parameters.",
    quiet="MoE: the operations follow the activated parameters.",
    chinese=(
        "MoE：搬运字节数与运算量都跟随激活参数。",
        "MoE：运算量跟随激活参数。",
    ),
)
def expert_bytes(claim: Claim, _: Library) -> Iterator[Finding]:
    """A statement that the traffic of experts follows the active parameters."""
    about = claim.says("subject", "moe") and claim.says("subject", "traffic")
    if not (about and claim.says("subject", "follows") and claim.says("noun", "active")):
        return
    span = next(t.span for t in claim.terms if t.says == "traffic")
    alone = claim.says("subject", "single_token") or one_request(claim)
    if alone or claim.says("subject", "not"):
        what = tr("for a pass of one token the bytes follow the activated parameters")
        yield Finding("PHYS012", "consistent", "info", what, (span,))
        return
    catalogue()
    lines = []
    for batch in (1, 3, 16):
        hit = Point({**EIGHT_OF_TWO, "b": Fraction(batch)}).get("E_hit")
        lines.append(equation(f"E_hit(E = 8, k = 2, b = {batch})", hit, ""))
    what = tr(
        "the bytes follow the experts that the batch hits, not the parameters that one token activates"
    )
    said = tr(
        "MoE: the operations follow the activated parameters; the bytes follow the experts that the whole batch hits."
    )
    yield Finding(
        "PHYS012", "contradicted", "error", what, (span,), derivation=tuple(lines), corrected=said
    )


@rule(
    "PHYS013",
    name=("KV cache of a device when devices are added", "增加设备后单设备的 KV cache"),
    page=(
        "Tensor parallelism divides the KV heads among the devices, so that each keeps less, down to one head; beyond "
        "as many devices as KV heads it stays. Only copies of the whole model (data parallel) and latent caches do not "
        "shrink at all.",
        "张量并行把 KV 头分给各设备，每个设备保存的随之减少，直到每设备一个头；设备数超过 KV 头数后不再减少。"
        "只有整模型副本（数据并行）和 latent cache 完全不减。",
    ),
    fires="Adding cards does not make the KV cache on each card smaller.",
    quiet="Adding data parallel replicas does not make the KV cache on each card smaller.",
    chinese=(
        "加卡不会让每张卡上的 KV cache 变小。",
        "增加数据并行副本时，加卡不会让每张卡上的 KV cache 变小。",
    ),
)
def cache_of_device(claim: Claim, _: Library) -> Iterator[Finding]:
    """A statement that more devices do not make the cache of one smaller."""
    smaller = claim.says("subject", "shrinks") or claim.says("relation", "less")
    if not (claim.says("subject", "adding") and claim.says("noun", "kv") and smaller):
        return
    span = next(t.span for t in claim.terms if t.says == "adding")
    if not claim.says("subject", "not") or claim.says("subject", "replica"):
        what = tr(
            "right for copies of the model, and under tensor parallelism up to one KV head a device"
        )
        yield Finding("PHYS013", "consistent", "info", what, (span,))
        return
    lines = tuple(
        same(f"H_kv = {HEADS}, TP = {n}: {max(1, HEADS // n)}/{HEADS} kappa") for n in (1, 8, 16)
    )
    what = tr(
        "under tensor parallelism each device keeps its share of the KV heads, down to one head"
    )
    said = tr("Adding cards makes the KV cache on each card smaller under tensor parallelism, up to as many cards as KV "
              "heads; with copies of the model it does not.")  # fmt: skip
    yield Finding(
        "PHYS013", "contradicted", "error", what, (span,), derivation=lines, corrected=said
    )


@rule(
    "PHYS014",
    name=("share of the compute that decode uses", "decode 所用算力的比例"),
    page=(
        "A decode step of one request does 2 operations for each byte-pair weight it reads: its share of the peak is "
        "the intensity over the ridge, a fraction of a percent. A larger share is a batch, which the text has to say, "
        "or the busy time that a monitor shows, which is no share of the compute.",
        "单请求 decode 每读一个 2 字节权重只做 2 次运算：所占峰值比例等于算术强度除以脊点，不到百分之一。更大的比例要么来自成批请求"
        "（文中应说明），要么是监控工具显示的忙碌时间，那并不是算力占比。",
    ),
    fires="Decode uses only about 30 % of the compute of the H100.",
    quiet="Prefill uses about 50 % of the compute of the H100.",
    chinese=(
        "H100 上 decode 只用到约 30 % 的算力。",
        "H100 上 prefill 用到约 50 % 的算力。",
    ),
)
def share_of_compute(claim: Claim, library: Library) -> Iterator[Finding]:
    """A share of compute said of decode."""
    figure = next((f for f in claim.of("share", "mfu") if percent(f)), None)
    batch = claim.one("batch", "concurrency")
    about = claim.says("tokens", "output") and claim.says("noun", "compute", "mfu")
    if (
        not (figure and about and claim.hardware)
        or claim.says("tokens", "input")
        or claim.of("achieved_rate")
    ):
        return
    for here in of_any_model(claim, library, figure)[:1]:
        one = share(here)
        if one is None:
            return
        whole = one * (batch.value if batch else 1)
        value = Quantity(whole * 100, unit("%"))
        lines = (equation("I_decode / I_ridge", one * 100 * unit("%").factor, "%"),)
        if figure.interval.low <= whole:
            what = tr("{figure} is possible", figure=same(figure.text))
            yield Finding("PHYS014", "consistent", "info", what, (figure.span,), derivation=lines)
        elif batch:
            what = tr("{figure} is above {share}, the share of this batch", figure=same(figure.text),
                      share=show(value).text)  # fmt: skip
            yield Finding(
                "PHYS014", "exceeds_bound", "error", what, (figure.span,), derivation=lines
            )
        else:
            count = -(-figure.interval.middle // one)
            what = tr("{figure} needs a batch of at least {count} requests, or is busy time and no share of the compute; "
                      "one request uses {share}", figure=same(figure.text), count=int(count),
                      share=show(value).text)  # fmt: skip
            said = tr(
                "Decode of one request uses {share} of the dense compute.", share=rounded(value, 2)
            )
            yield Finding("PHYS014", "ambiguous", "warning", what, (figure.span,), (), lines, said)


def share(here: Setting) -> Fraction | None:
    """Operations of one request's step over what the device could do in its time."""
    alone = here.with_(b=Fraction(1))
    time, work = bounds.step_time(alone, best=False), alone.value("F_step", best=False)
    given = here.given(best=False)
    if not time or work is None or "P_peak" not in given:
        return None
    return work / time / (given["g"] * given["P_peak"])
