"""Memory: whether a model fits, how many devices it takes, how many requests fit beside it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.physics import bounds
from derive.audit.physics.bounds import USABLE
from derive.audit.physics.lines import equation
from derive.audit.physics.precisions import storable
from derive.audit.physics.remedies import for_memory, for_requests
from derive.audit.physics.setting import Setting, as_stored
from derive.audit.physics.settings import own_model, settings, spoken
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.specs.precision import BYTES
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

HOLD_WEIGHTS = Text("to hold the weights", "要放得下权重")
HOLD_REQUESTS = Text("to hold the requests", "要容纳这些请求")
SPEEDS = ("speed", "tpot", "itl", "ttft")


def judged_by_speed(claim: Claim) -> bool:
    """Whether a rule about speed already weighs the memory."""
    return bool(claim.of(*SPEEDS))


@rule(
    "PHYS006",
    name=("weights against the memory of the devices", "权重与设备显存对照"),
    page=(
        "A model runs only where its weights are held: all parameters, of experts too, against the memory of all named "
        "devices, the larger of marketed and driver-visible, all of it. Larger weights are infeasible. A stated least "
        "number of devices is held against the weights over all memory and over nine tenths of it.",
        "模型要能运行，权重必须放得下：全部参数（含 MoE 的全部专家）与所述全部设备的显存比较，显存取标称与驱动可见中较大者且全部可用。"
        "权重更大即不可行。文中给出的最少设备数与按全部显存、按九成显存算出的设备数对照。",
    ),
    fires="Llama-3-70B in BF16 fits on one H100 SXM.",
    quiet="Llama-3-70B in FP8 fits on one H100 SXM.",
    chinese=(
        "BF16 的 Llama-3-70B 能放进一张 H100 SXM。",
        "FP8 的 Llama-3-70B 能放进一张 H100 SXM。",
    ),
)
def fits(claim: Claim, library: Library) -> Iterator[Finding]:
    """Claims that say that a model fits, or how many devices it needs."""
    somewhere = claim.hardware or claim.of("memory")
    if judged_by_speed(claim) or not own_model(claim) or not somewhere:
        return
    both = claim.says("subject", "fits") and claim.says("subject", "unfit", "not")
    if both and (len({n.ids for n in claim.hardware}) > 1 or len(claim.of("devices")) > 1):
        return  # on one it fits, on the other it does not: which is which, is not read
    counted = claim.one("devices")
    about_fit = claim.says("subject", "fits", "unfit") or needs_devices(claim)
    needs = counted is not None and counted.bound == ">="
    if not about_fit and not needs:
        return
    anchor = counted or spoken(claim)
    here = [s for s in settings(claim, library, anchor) if "M_dev" in s.values]
    verdicts = {least_count(as_stored(s), anchor) if needs else holds(claim, s) for s in here}
    if not here:
        return
    verdict = together(verdicts)
    setting = as_stored(here[0])
    fit = bounds.weights_fit(setting)
    assert fit is not None
    lines = (*setting.assumed, *bounds.fit_lines(setting, fit))
    count = bounds.least_devices(setting, best=False) or 1
    severity = {"consistent": "info", "ambiguous": "warning"}.get(verdict, "error")
    if verdict == "consistent" and fit.fits and count > setting.devices:
        what = tr("the weights fit as the digits of the printed numbers allow: {setting}",
                  setting=setting.name)  # fmt: skip
    elif count == 1:
        what = tr("one device holds the weights: {setting}", setting=setting.name)
    else:
        what = tr("the weights take at least {count} devices: {setting}", count=f"{count:,}",
                  setting=setting.name)  # fmt: skip
    said = None if verdict == "consistent" else least_said(setting, count)
    if (
        fit.tight
        and not needs
        and (verdict == "ambiguous" or claim.says("subject", "not", "unfit"))
    ):
        what, said = tight(setting, fit)
        lines = (*lines, *sold(setting))
    remedies = for_memory(here[0], library) if verdict == "infeasible" else ()
    spans = tuple(n.span for n in (*claim.models[:1], *claim.hardware[:1]))
    yield Finding(
        "PHYS006", verdict, severity, what, spans, (), lines, said, remedies, setting.sources,
        HOLD_WEIGHTS,
    )  # fmt: skip


def least_said(setting: Setting, count: int) -> Text:
    """How many devices hold the weights, as a sentence; without a product, of the stated memory."""
    if setting.product:
        more = setting.with_(g=Fraction(count)).place
        return tr("The weights of {model} take at least {more}.", model=whole(setting), more=more)
    each = show(Quantity(setting.given(best=False)["M_dev"], unit("byte"))).text
    if count == 1:
        return tr("One device with {memory} of memory holds the weights of {model}.", memory=each,
                  model=whole(setting))  # fmt: skip
    return tr("The weights of {model} take at least {count} devices with {memory} of memory each.",
              model=whole(setting), count=f"{count:,}", memory=each)  # fmt: skip


def whole(setting: Setting) -> Text:
    """The model and the format in which it is stored."""
    if "w" not in setting.values or "N" not in setting.values or setting.subject.weights:
        return setting.subject.name
    return tr("{model} in {precision}", model=setting.subject.name,
              precision=setting.stored.upper())  # fmt: skip


def needs_devices(claim: Claim) -> bool:
    """A model, devices and nothing else: the text says what it takes to run it."""
    others = {f.role for f in claim.figures} - {"devices", "parameters", "active", "tp"}
    return bool(claim.of("devices")) and claim.says("use") and not others


def tight(setting: Setting, fit: bounds.Fit) -> tuple[Text, Text]:
    """Weights that take more than nine tenths of the memory: what it depends on, and a sentence."""
    share = show(Quantity(fit.needed / fit.held * 100, unit("%"))).text.removeprefix("≈ ")
    what = tr("the weights take {share} of all memory that the driver shows, which engines do not hand out whole (nine "
              "tenths by default): {setting}", share=share, setting=setting.name)  # fmt: skip
    least = setting.value("g_min", best=False, M_frac=USABLE) or Fraction(setting.devices)
    said = tr("The weights of {model} take {share} of the memory of {place}; with nine tenths of it they take at least "
              "{more}.", model=whole(setting), share=share, place=setting.place,
              more=setting.with_(g=Fraction(least)).place)  # fmt: skip
    return what, said


def sold(setting: Setting) -> tuple[Text, ...]:
    """The memory of all devices as it is sold."""
    if setting.product is None:
        return ()
    whole = setting.product.marketed.quantity.base * setting.devices
    return (tr("as sold: {line}", line=equation("g · M_dev", whole, "byte")),)


def holds(claim: Claim, setting: Setting) -> str:
    """Whether it is as the text says: fits, or does not.

    Weights that leave less than a tenth of the memory fit and do not: what is left has to hold the
    cache, the activations and the runtime.
    """
    denied = claim.says("subject", "not", "unfit")
    fits = [bounds.weights_fit(as_stored(setting if s == setting.stored else setting.with_(stored=s)))
            for s, _ in storable(claim, setting.stored)]  # fmt: skip
    plain = fits[0]
    assert plain is not None
    if denied:
        return "consistent" if plain.tight or not plain.fits else "contradicted"
    if plain.fits and not plain.tight:
        return "consistent"
    return "ambiguous" if any(f and f.fits for f in fits) else "infeasible"


def least_count(setting: Setting, figure: Figure) -> str:
    """A stated least number of devices against the weights."""
    counts = {
        setting.value("g_min", best=best, M_frac=share)
        for share in (Fraction(1), USABLE)
        for best in (True, False)
    }
    known = sorted(c for c in counts if c is not None)
    if not known:
        return "consistent"
    return (
        "consistent" if known[0] <= figure.value <= max(known[-1], known[0] * 2) else "contradicted"
    )


@rule(
    "PHYS007",
    name=("requests against memory", "并发数与显存对照"),
    page=(
        "Each request keeps its KV cache for its whole context. Requests times context times bytes of a token, beside "
        "the weights, against all memory of the devices: more than fit cannot be in flight together. Where the cache's "
        "or the weights' precision is not said, narrower ones are readings.",
        "每个请求都要为其整个上下文保留 KV cache。请求数 × 上下文 × 每 token 字节数，加上权重，与全部设备显存比较：超出的请求不可能同时在途。"
        "未注明 cache 或权重精度时，更窄的格式作为其他读法。",
    ),
    fires="One H100 SXM serves 64 concurrent requests of Llama-3.1-8B in BF16, each with a context of 32,768 tokens.",
    quiet="One H100 SXM serves 8 concurrent requests of Llama-3.1-8B in BF16, each with a context of 32,768 tokens.",
    chinese=(
        "一张 H100 SXM 上 BF16 的 Llama-3.1-8B 可支持 64 并发，每个请求上下文 32,768 token。",
        "一张 H100 SXM 上 BF16 的 Llama-3.1-8B 可支持 8 并发，每个请求上下文 32,768 token。",
    ),
)
def requests(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for a batch with a context, a model and an accelerator."""
    batch = claim.one("concurrency", "batch")
    side = claim.says("subject", "ridge_batch", "memory_bound")  # a question of the roofline
    if batch is None or not claim.models or side or claim.says("subject", "offload"):
        return
    on_each = batch.says("scope", "device")  # what each of the devices serves
    listed_settings = settings(claim, library, batch)
    if on_each:
        listed_settings = [s.with_(g=Fraction(1)) for s in listed_settings]
    found = [
        (s, room(claim, end_of_context(s), batch))
        for s in listed_settings
        if {"M_dev", "T"} <= set(s.values) and s.value("kappa")
    ]
    if not found:
        return
    verdicts = {v for _, v in found}
    verdict = together(verdicts)
    setting = end_of_context(found[0][0])
    held = bounds.largest_batch(setting, best=False) or 0
    kept = setting.value("kappa", best=False) or Fraction(0)
    free = setting.value("M_free", best=False) or Fraction(0)
    given = setting.given(best=False)
    lines = (*setting.assumed, equation("M_free", free, "byte"), equation("T · kappa", given["T"] * kept, "byte"),
             same(f"b_max = floor(M_free / (T · kappa)) = {held:,}"))  # fmt: skip
    listed = (Reading(Quantity(Fraction(held), unit("request")), setting.name),)
    if verdict == "consistent":
        what = tr(
            "{figure} fit in memory, which holds {count} of this context",
            figure=counted(batch.text, batch),
            count=f"{held:,}",
        )
        yield Finding("PHYS007", verdict, "info", what, (batch.span,), listed, lines)
        return
    severity = GRAVE[verdict]
    what = tr("{figure} do not fit in memory, which holds {count} of this context ({setting})", count=f"{held:,}",
              figure=counted(batch.text, batch), setting=setting.name)  # fmt: skip
    said = tr("On {place} memory holds at most {count} requests of this context beside {model}.",
              place=setting.place, count=f"{held:,}", model=whole(setting))  # fmt: skip
    if held == 1:
        said = tr("On {place} memory holds one request of this context beside {model}.",
                  place=setting.place, model=whole(setting))  # fmt: skip
    elif held == 0:
        said = tr("On {place} memory holds no request of this context beside {model}.",
                  place=setting.place, model=whole(setting))  # fmt: skip
    if free <= 0:
        what = tr("the weights leave no memory for the KV cache of {figure} ({setting})",
                  figure=counted(batch.text, batch), setting=setting.name)  # fmt: skip
        said = least_said(setting, bounds.least_devices(setting, best=False) or 1)
        lines = (*lines[:-3], equation("W", setting.value("W", best=False) or Fraction(0), "byte"))
    yield Finding("PHYS007", verdict, severity, what, (batch.span,), listed, lines, said,
                  for_requests(setting, batch.value), setting.sources, HOLD_REQUESTS)  # fmt: skip


def counted(text: str, batch: Figure) -> Text:
    """A number of requests with its noun, where the text gives it bare."""
    if batch.unit.terms:
        return same(text)
    return tr("{count} requests", count=text)


def end_of_context(setting: Setting) -> Setting:
    """With the context at the end of the generation, where input and output are said."""
    if {"T_in", "T_out"} <= set(setting.values):
        return setting.with_(T=setting.values["T_in"] + setting.values["T_out"])
    return setting


def room(claim: Claim, setting: Setting, batch: Figure) -> str:
    """Whether memory holds the requests under the plain reading, under another, or under none."""
    caches = (
        [Fraction(2), Fraction(1)]
        if "kv" not in setting.said
        else [setting.given(best=True)["w_kv"]]
    )
    if "stored" in setting.said and BYTES[setting.stored] == 2 and "kv" not in setting.said:
        caches = [Fraction(2)]
    verdicts = []
    for stored, _ in storable(claim, setting.stored):
        for cache in caches:
            here = setting if stored == setting.stored else setting.with_(stored=stored)
            held = bounds.largest_batch(here.with_(w_kv=cache))
            verdicts.append(held is not None and batch.interval.low <= held)
    if verdicts[0]:
        return "consistent"
    open_ = any(verdicts) or "devices" not in setting.said
    return "ambiguous" if open_ else "infeasible"
