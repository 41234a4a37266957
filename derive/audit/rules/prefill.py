"""Time to the first token, and prompt tokens a second, against the operations of the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.physics import bounds
from derive.audit.physics.cases import held_elsewhere
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.precisions import storable
from derive.audit.physics.remedies import for_memory, for_prefill
from derive.audit.physics.setting import Setting
from derive.audit.physics.settings import settings
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.text import Text


@rule(
    "PHYS002",
    name=("time to first token against the compute floor", "首 token 延迟与算力下限对照"),
    page=(
        "The prompt costs two operations for each active parameter and token; divided by the dense peak of all "
        "devices this is the floor of the TTFT, and the peak over the operations of a token is the roof of the "
        "prompt tokens a second. Attention operations are left out, which favours the claim, and so is the time to "
        "read the weights where it is shorter. Tokens that come from a prefix cache are not computed: where the text "
        "speaks of one, the rule stays silent.",
        "输入的每个 token、每个激活参数需 2 次运算；除以全部设备的稠密峰值即 TTFT 下限，峰值除以每 token 运算量即每秒输入 token 数的上限。"
        "未计注意力运算，这对论断有利；读取权重的时间更短时也不起作用。命中前缀缓存的 token 不需计算：文中提到缓存时本规则不作声。",
    ),
    fires="An 8B model in BF16 on one A100 80GB SXM answers a prompt of 1,909 tokens with a TTFT of 1 ms.",
    quiet="An 8B model in BF16 on one A100 80GB SXM answers a prompt of 1,909 tokens with a TTFT of 180 ms.",
    chinese=(
        "8B 模型（BF16）在一张 A100 80GB SXM 上处理 1,909 token 的输入，TTFT 为 1 ms。",
        "8B 模型（BF16）在一张 A100 80GB SXM 上处理 1,909 token 的输入，TTFT 为 180 ms。",
    ),
)
def prefill(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each TTFT or prompt rate with a model and an accelerator."""
    if claim.says("subject", "cached"):
        return
    for figure in claim.of("ttft", "speed"):
        if figure.role == "speed" and not (
            figure.says("tokens", "input") and not figure.says("tokens", "output", "both")
        ):
            continue
        here = [s for s in settings(claim, library, figure) if "P_peak" in s.values]
        found = [(s, o) for s in here for o in [outcome(claim, figure, s)] if o]
        if found:
            yield finding(figure, found, library)


def outcome(claim: Claim, figure: Figure, setting: Setting) -> str:
    """The verdict on one accelerator over the precisions that the words admit; "" for nothing known."""
    verdicts: list[tuple[str, bool]] = []
    for stored, plain in storable(claim, setting.stored):
        here = setting if stored == setting.stored else setting.with_(stored=stored)
        fit = bounds.weights_fit(here)
        limit = floor(figure, here)
        if limit is None:
            return ""
        if beyond(figure, limit):
            verdicts.append(("exceeds_bound", plain))
        elif fit and not fit.fits and not figure.bound and not held_elsewhere(claim, figure):
            verdicts.append(("infeasible", plain))
        else:
            verdicts.append(("consistent", plain))
    first = next(v for v, plain in verdicts if plain)
    if first == "consistent" or all(v != "consistent" for v, _ in verdicts):
        return first
    return "ambiguous"


def floor(figure: Figure, setting: Setting, *, best: bool = True) -> Fraction | None:
    """The floor of a time, or the roof of a rate of all devices."""
    if figure.role == "ttft":
        return bounds.prefill_time(setting, best=best)
    whole = bounds.compute_rate(setting, best=best)
    alone = ("device", -1) in figure.dimension.powers
    return None if whole is None else whole / setting.devices if alone else whole


def beyond(figure: Figure, limit: Fraction) -> bool:
    """Whether every number that the figure may stand for is on the impossible side."""
    made = figure.interval
    return made.high < limit if figure.role == "ttft" else made.low > limit


def finding(figure: Figure, found: list[tuple[Setting, str]], library: Library) -> Finding:
    """The verdict over the accelerators that a name may mean."""
    verdicts = {o for _, o in found}
    verdict = together(verdicts)
    setting = found[0][0]
    limit = floor(figure, setting, best=False) or Fraction(0)
    time = figure.role == "ttft"
    name, units = ("t_prefill", "s") if time else ("X_prefill", "token/s")
    lines = [*setting.assumed]
    if per_token := setting.value("F_tok", best=False):
        lines.append(equation("F_tok = c_op · N_act", per_token, "FLOP/token"))
    given = setting.given(best=False)
    lines.append(equation("g · P_peak", given["g"] * given["P_peak"], "FLOP/s"))
    lines.append(equation(name, limit, units))
    value = Quantity(limit, unit(units))
    told = (
        tr("floor: {setting}", setting=setting.name)
        if time
        else tr("roof: {setting}", setting=setting.name)
    )
    listed = (Reading(value, told),)
    spans, printed = (figure.span,), same(figure.text)
    if verdict == "consistent":
        what = tr(
            "{figure} is on the possible side of {bound}", figure=printed, bound=show(value).text
        )
        return Finding("PHYS002", verdict, "info", what, spans, listed, tuple(lines))
    fast = beyond(figure, limit)
    if verdict == "infeasible" or (verdict == "ambiguous" and not fast):
        what = tr(
            "{figure} cannot be reached, the weights do not fit: {setting}",
            figure=printed,
            setting=setting.name,
        )
        return Finding("PHYS002", verdict, GRAVE[verdict], what, spans, listed, tuple(lines),
                       remedies=for_memory(setting, library))  # fmt: skip
    severity = GRAVE[verdict]
    what = tr("{figure} is faster than the peak allows: {bound} ({setting})", figure=printed,
              bound=show(value).text, setting=setting.name)  # fmt: skip
    remedies: tuple[Text, ...] = ()
    if time and verdict == "exceeds_bound":
        remedies = for_prefill(setting, figure.quantity.base, library)
    told_of = {"place": setting.place, "model": setting.loaded, "bound": rounded(value)}
    said = (tr("On {place} {model} has a TTFT of at least {bound}.", **told_of) if time
            else tr("On {place} {model} takes in at most {bound} of prompts.", **told_of))  # fmt: skip
    return Finding("PHYS002", verdict, severity, what, spans, listed, tuple(lines), said, remedies,
                   setting.sources)  # fmt: skip
