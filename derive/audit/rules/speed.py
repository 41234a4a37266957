"""Decode speed, of one user or of all together, against what the bytes and operations of a step allow."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.physics import bounds
from derive.audit.physics.cases import (
    BEYOND,
    HOLDS,
    IN_ALL,
    TOO_LARGE,
    WHO,
    Case,
    cases,
    held_elsewhere,
    is_bound,
    is_quotient,
    mixed,
    printed_rate,
    rate_of,
    verdict_of,
)
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.remedies import (
    for_memory,
    for_total_rate,
    for_user_rate,
    number,
    out_of_reach,
)
from derive.audit.physics.setting import Setting
from derive.audit.physics.settings import settings
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, joined, same, tr
from derive.units import Quantity, show

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

FAST_ENOUGH = Text("to be fast enough", "要足够快")
TO_FIT = Text("to hold the weights", "要放得下权重")


@rule(
    "PHYS001",
    name=("decode speed against the bound", "decode 速度与物理上限对照"),
    page=(
        "A decode step reads every weight that it uses and the KV cache of each request; bandwidth over these bytes "
        "bounds the tokens a second of one request. The bytes are those really streamed (without the input embedding "
        "table; for experts those that the batch hits) at the mean context; the first-order bound, all weights and "
        "nothing else, is printed beside it. A total over all requests is bounded by the largest batch that fits and "
        "by the compute roof. Where the text does not say whose rate it is, or how the weights are stored, every "
        "reading is tried: impossible under all is beyond the bound, under some ambiguous. Weights larger than all "
        "memory of the named devices are infeasible; a claimed bound is only noted as not deployable. Speculative "
        "decoding may accept up to 16 tokens a step.",
        "每个 decode 步都要读取所用的全部权重和每个请求的 KV cache；带宽除以这些字节数就是单请求 token 速率的上限。"
        "字节数按实际流式读取计（不含输入嵌入表；MoE 按整批命中的专家计），上下文取平均长度；旁边同时给出只计权重的一阶上限。"
        "全部请求的合计速率受能放下的最大批大小和算力屋顶限制。未说明是谁的速率、权重以何种精度存储时，逐一尝试各种读法："
        "全部读法都不可能则超出上限，仅部分不可能则有歧义。权重大于所述设备的全部显存则不可行；若声称的只是上限，则仅提示无法部署。"
        "投机解码每步最多按接受 16 个 token 计。",
    ),
    fires="Llama-3-70B in BF16 on one H100 SXM gives a single user 60 token/s.",
    quiet="Llama-3-70B in FP8 on two H100 SXM gives a single user 60 token/s.",
    chinese=(
        "单张 H100 SXM 上 BF16 的 Llama-3-70B 单用户 60 token/s。",
        "两张 H100 SXM 上 FP8 的 Llama-3-70B 单用户 60 token/s。",
    ),
)
def decode_speed(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each rate or time per token that has a model and a bandwidth."""
    for figure in claim.of("speed", "tpot", "itl"):
        if figure.says("tokens", "input") and not figure.says("tokens", "output", "both"):
            continue  # prefill: judged by its own rule
        here = settings(claim, library, figure)
        if here and all("B_peak" in s.values for s in here):
            yield from judged(claim, figure, here, library)


def judged(
    claim: Claim, figure: Figure, here: list[Setting], library: Library
) -> Iterator[Finding]:
    """The verdict over every model and accelerator that the names may mean."""
    each = [(s, cases(claim, figure, s, rate_of(figure, s))) for s in here]
    each.sort(key=lambda e: max((c.bound or 0 for c in e[1]), default=0), reverse=True)
    verdicts = {verdict_of(claim, figure, found) for _, found in each}
    verdict = verdicts.pop() if len(verdicts) == 1 else mixed(verdicts)
    setting, found = each[0]
    rate = rate_of(figure, setting)
    first = next((c for _, f in each for c in f if c.plain and c.verdict != HOLDS), found[0])
    asked = printed_rate(figure, first.setting)
    lines = derivation(first)
    if first.verdict == BEYOND and first.who == "one":
        lines += out_of_reach(first.setting, asked, total=figure.role == "speed")
    listed = tuple(c.reading for _, f in each for c in f if c.bound is not None)[:8]
    spans, sources = (figure.span,), setting.sources
    printed = same(figure.text)
    aim = TO_FIT if first.verdict == TOO_LARGE else FAST_ENOUGH
    if verdict == HOLDS:
        what = tr("{figure} stays below the bound: {setting}", figure=printed, setting=setting.name)
        if first.bound is not None and rate.low > first.bound:
            what = by_speculation(printed, first, asked)
        yield Finding("PHYS001", verdict, "info", what, spans, listed, lines, sources=sources)
    elif verdict == "ambiguous":
        yield Finding("PHYS001", verdict, "warning", under_some(printed, found), spans, listed,
                      lines, corrected=possible_reading(figure, found), sources=sources,
                      remedies=remedies(figure, first, asked, library), aim=aim)  # fmt: skip
    else:
        yield Finding("PHYS001", verdict, "error", too_much(printed, first, verdict), spans, listed,
                      lines, corrected=corrected(first), sources=sources,
                      remedies=remedies(figure, first, asked, library), aim=aim)  # fmt: skip
    yield from memory_finding(claim, figure, each, verdict, library)


def derivation(case: Case) -> tuple[Text, ...]:
    """The bytes of a step, the bound, and the articles' first-order bound beside it."""
    setting = case.setting
    given = setting.given(best=False)
    streamed = setting.value("W_stream", best=False)
    lines = [*setting.assumed]
    if streamed is not None:
        lines.append(equation("W_stream", streamed, "byte"))
        lines.append(equation("g · B_peak", given["g"] * given["B_peak"], "byte/s"))
    if "T" in setting.values and (kept := setting.value("kappa", best=False)):
        lines.append(equation("b · T · kappa", given["b"] * given["T"] * kept, "byte"))
    if case.printed is not None and case.bound is not None:
        name = "R_max" if case.who == "one" else "X_max"
        units = case.quantity.unit.text
        lines.append(equation(name, case.printed, units))
        if case.bound != case.printed:
            lines.append(tr("as the digits of the printed numbers allow, at most {value}",
                            value=show(Quantity(case.bound, case.quantity.unit)).text))  # fmt: skip
    first = bounds.first_order_rate(setting)
    if first and case.who == "one":
        lines.append(tr("first order, all weights and nothing else: {line}",
                        line=equation("R_max", first, "token/s/request")))  # fmt: skip
    return tuple(lines)


def too_much(printed: Text, case: Case, verdict: str) -> Text:
    """Why it cannot be."""
    if verdict == TOO_LARGE:
        return tr(
            "{figure} cannot be reached, the weights do not fit: {setting}",
            figure=printed,
            setting=case.setting.name,
        )
    value = Quantity(case.printed or Fraction(0), IN_ALL)  # whose it is, is said beside it
    return tr("{figure} is beyond the bound of {bound} for {who}: {setting}", figure=printed,
              bound=show(value).text, who=WHO[case.who], setting=case.setting.name)  # fmt: skip


def under_some(printed: Text, found: list[Case]) -> Text:
    """Which readings hold and which do not."""
    holds = {c.who for c in found if c.verdict == HOLDS}
    if {c.who for c in found} == {"one", "all"} and holds == {"all"}:
        return tr("{figure} does not say whose rate it is: possible as a total, impossible for one request",
                  figure=printed)  # fmt: skip
    return tr("{figure} is possible under some readings only", figure=printed)


def possible_reading(figure: Figure, found: list[Case]) -> Text | None:
    """The claim under the first reading that holds."""
    case = next((c for c in found if c.verdict == HOLDS), None)
    if case is None:
        return None
    told = {"place": case.setting.place, "model": case.setting.loaded, "figure": figure.text}
    if case.who == "one":
        return tr("On {place} {model} gives a single request {figure}.", **told)
    return tr("On {place} {model} gives {figure} for all requests together.", **told)


def corrected(case: Case) -> Text:
    """The bound as a sentence; of a model that the devices do not hold, on those that hold it."""
    setting = case.setting
    fit = bounds.weights_fit(setting)
    if fit is None or fit.fits:
        return bound_said(case.who, setting, case.printed)
    count = bounds.least_devices(setting, best=False) or setting.devices
    more = setting.with_(g=Fraction(count))
    find = bounds.user_rate if case.who == "one" else bounds.total_rate
    held = tr("On {place} {model} does not fit; it takes at least {more}.", more=more.place,
              model=setting.loaded, place=setting.place)  # fmt: skip
    return joined([held, bound_said(case.who, more, find(more, best=False))], " ", "")


def bound_said(who: str, setting: Setting, value: Fraction | None) -> Text:
    """A bound as a full sentence."""
    told = {"place": setting.place, "model": setting.loaded,
            "bound": rounded(Quantity(value or Fraction(0), IN_ALL))}  # fmt: skip
    if who == "one":
        return tr("On {place} {model} gives a single request at most {bound}.", **told)
    return tr("On {place} {model} gives all requests together at most {bound}.", **told)


def by_speculation(printed: Text, case: Case, asked: Fraction) -> Text:
    """A rate beyond one token a step, and how many tokens a step it takes."""
    assert case.printed is not None
    return tr(
        "{figure} is possible with speculative decoding that yields at least {count} tokens a step on average: "
        "at one token a step the bound is {bound} ({setting})",
        figure=printed, count=number(asked / case.printed),
        bound=show(Quantity(case.printed, IN_ALL)).text, setting=case.setting.name,
    )  # fmt: skip


def remedies(figure: Figure, case: Case, asked: Fraction, library: Library) -> tuple[Text, ...]:
    """What would have to be true."""
    if case.verdict == TOO_LARGE:
        return for_memory(case.setting, library)
    if case.who == "one":
        total = figure.role == "speed"  # a time per token is never that of a whole batch
        return for_user_rate(case.setting, asked, library, total=total)
    return for_total_rate(case.setting, asked, library)


def memory_finding(
    claim: Claim,
    figure: Figure,
    each: list[tuple[Setting, list[Case]]],
    verdict: str,
    library: Library,
) -> Iterator[Finding]:
    """Beside a rate that is beyond its bound: weights that do not fit; of a bound, a note."""
    fits = [bounds.weights_fit(s) for s, _ in each]
    if any(f is None or f.fits for f in fits) or held_elsewhere(claim, figure):
        return
    setting, fit = each[0][0], fits[0]
    assert fit is not None
    count = bounds.least_devices(setting, best=False)
    lines = bounds.fit_lines(setting, fit)
    if is_bound(claim, figure) or is_quotient(figure, each[0][1]):
        what = tr("bound not deployable: the weights take at least {count} devices ({setting})",
                  count=f"{count or 0:,}", setting=setting.name)  # fmt: skip
        yield Finding("PHYS006", TOO_LARGE, "info", what, (figure.span,), derivation=lines)
    elif verdict == BEYOND and "stored" in setting.said:
        what = tr("the weights do not fit: at least {count} devices ({setting})", count=f"{count or 0:,}",
                  setting=setting.name)  # fmt: skip
        yield Finding("PHYS006", TOO_LARGE, "error", what, (figure.span,), derivation=lines,
                      remedies=for_memory(setting, library), aim=TO_FIT)  # fmt: skip
