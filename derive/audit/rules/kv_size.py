"""KV-cache bytes, of a token or of a context, of the whole model or of one device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from derive.audit.consistency.between import before, behind
from derive.audit.interval import Interval
from derive.audit.physics.precisions import in_turn, kv_precision, stored_precision
from derive.audit.physics.setting import Setting, Subject
from derive.audit.physics.settings import setting
from derive.audit.readings import Candidate, Outcome, outcome
from derive.audit.rule import rule
from derive.audit.rules.model_size import GB, GIB, about, size_finding
from derive.specs.precision import BYTES
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Finding
    from derive.specs.types import Model

MULTIPLIED = re.compile(r"[0-9a-z)\u4e00-\u9fff] ?[×x*] ?$")
CLAUSE = re.compile(r"[;；，。]|[,.](?![0-9])")
RESULT = re.compile(r"[×x*] ?[0-9][^=≈;。]{0,20}[=≈] ?(?:about |约)?$")  # 20 × 2.5 GiB = 50 GiB
MANY = re.compile(
    r"(?<![a-z])(?:users|requests|sessions|chats|sequences|conversations|streams|clients)(?![a-z])"
    r"|用户|请求|会话|对话|序列|并发|路",
    re.IGNORECASE,
)
TIMES_MORE = re.compile(r"^ ?[×x*] ?[0-9]")
IN_K = re.compile(r"([0-9]{1,4})[ -]?[kK]")
K = Fraction(128, 125)
OTHERS = ("fp8", "fp32")  # what a cache is kept in besides 16 bits


@rule(
    "COND022",
    name=("KV-cache bytes against the model's attention", "KV cache 字节数与模型注意力结构对照"),
    page=(
        "A token keeps a key and a value of every KV head in every layer (or the latent, or the window, of models "
        "that have one). Under tensor parallelism a device keeps its share of the heads, at least one: beyond one head "
        "a device they are copied, and a latent is always copied. The head size is that of the config, not hidden size "
        "over heads. Usual slips are named: query heads for KV heads, only one of K and V, the whole model's bytes for "
        "one device.",
        "每个 token 在每层保存每个 KV 头的一组键和值（或 latent，或窗口内的部分）。张量并行下每个设备保存自己那份头，至少一个："
        "多于 KV 头数的设备只是复制，latent 总是复制。每头维度取配置中的值，而不是隐藏维度除以头数。常见笔误会被指出："
        "把查询头数当 KV 头数、只计 K 或 V、把整个模型的字节数当作单个设备的。",
    ),
    fires="Qwen3-32B needs 160 KiB of bf16 KV cache per token.",
    quiet="Qwen3-32B needs 256 KiB of bf16 KV cache per token.",
    chinese=(
        "Qwen3-32B 的 bf16 KV cache 每 token 需要 160 KiB。",
        "Qwen3-32B 的 bf16 KV cache 每 token 需要 256 KiB。",
    ),
)
def cache_bytes(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each figure of the KV cache beside a named model."""
    for figure in claim.of("kappa", "kv"):
        models = library.model(figure.model)
        if (
            not models
            or figure.value <= 0
            or factor(claim, figure)
            or any(f.value < 1 for f in claim.of("tp", "devices"))
        ):
            continue
        each = []
        for model in models:
            here = setting(claim, Subject(model.name, model=model), None, figure)
            if figure.role == "kv" and not {"T", "T_in"} & set(here.values):
                held = claim.of("tokens")
                if len(held) != 1:
                    continue
                here = here.with_(T=held[0].interval)  # so many tokens, whosever they are
            if length := length_in_turn(claim, figure):
                here = here.with_(T=length)
            if told_later(claim, figure):
                here = here.with_(b=Fraction(1))
            each.append(outcome(figure, list(candidates(claim, model, here, figure))))
        if each and any(c.plain for o in each for c in o.candidates):
            found = size_finding("COND022", figure, each)
            if found.verdict == "consistent" or not of_several(claim, figure, each):
                yield found


def told_later(claim: Claim, figure: Figure) -> bool:
    """Whether the batch is told of a later cache only: "4,096 tokens take 2 GiB, a batch of 16 …"."""
    batch, last = claim.one("batch", "concurrency"), claim.of("kv")[-1:]
    if batch is None or figure.role != "kv" or last == [figure]:
        return False
    between = claim.text[figure.span[1] : batch.span[0]]
    return figure.span[1] <= batch.span[0] < last[0].span[0] and bool(CLAUSE.search(between))


def length_in_turn(claim: Claim, figure: Figure) -> Interval | None:
    """The length of one of two caches, where two of each are told in one order: 8K to 32K."""
    caches, lengths = claim.of("kv"), claim.of("context", "tokens", "prompt")
    if figure.role != "kv" or len(caches) != 2 or len(lengths) != 2:
        return None
    return lengths[caches.index(figure)].interval


def factor(claim: Claim, figure: Figure) -> bool:
    """Whether bytes are a factor of a product that the text writes out: 8 heads × 128 × 2 bytes."""
    written = MULTIPLIED.search(before(claim, figure, 8))
    return bool(written or TIMES_MORE.match(behind(claim, figure, 8)))


def candidates(claim: Claim, model: Model, here: Setting, figure: Figure) -> Iterator[Candidate]:
    """The bytes by precision of the cache, then what the usual slips give."""
    units = "byte/token" if figure.role == "kappa" else "byte"
    said = in_turn(claim, figure) or cache_precision(claim)
    ways = ((said, True),) if said else (("bf16", True), *((p, False) for p in OTHERS))
    degree, counted = claim.one("tp"), claim.one("devices")
    parallel = int(degree.value) if degree else int(counted.value) if counted else 1
    one_device = claim.says("scope", "device") and parallel > 1
    copies = one_device and degree is None  # several devices may hold copies
    share = held_by_device(model, parallel)
    layered = figure.role == "kappa" and "L" in model.values and of_layer(claim, figure)
    binary = any(symbol.endswith("iB") for symbol, _ in figure.unit.terms)
    slip = GB.factor / GIB.factor if binary else GIB.factor / GB.factor
    for stored, plain in ways:
        whole = amount(here.with_(w_kv=BYTES[stored]), figure)
        if whole is None:
            return
        under = tr("{model}, {precision} cache", model=model.name, precision=stored.upper())
        each = tr("{under}, one device of {count}", under=under, count=parallel)
        if one_device:
            say = partial(kept, each)
            yield about(whole.scaled(share), each, base=units, plain=plain, say=say)
            told = tr("{under}, all devices together", under=under)
            yield about(whole, told, base=units, plain=copies and plain, admitted=copies,
                        say=partial(kept, told))  # fmt: skip
        else:
            say = partial(kept_by, model.name, stored.upper())
            yield about(whole, under, base=units, plain=plain, say=say)
            if parallel > 1:
                yield about(whole.scaled(share), each, base=units)
        if layered:
            one = tr("{under}, one layer of {count}", under=under,
                     count=int(model.values["L"].quantity.base))  # fmt: skip
            yield about(
                whole.scaled(1 / model.values["L"].quantity.base), one, base=units, plain=plain
            )
        if figure.role == "kv" and binary_length(claim):  # 128K of context: 131,072 tokens
            told = tr("{under}, K tokens of 1,024", under=under)
            yield about(whole.scaled(K), told, base=units, plain=plain)
        told = tr("{under}, binary and decimal prefix exchanged", under=under)
        if figure.role == "kv":
            yield about(whole.scaled(1 / slip), told, base=units)
        elif not binary and not one_device and (per := binary_slip(figure)) != 1:
            # bytes of a token are counted in 1,024s and printed as KB everywhere: a note, no fault
            yield about(whole.scaled(1 / per), told, base=units, plain=plain)
        for word, factor in slips(model):
            told = tr("{under}, {slip}", under=under, slip=word)
            yield about(whole.scaled(factor), told, base=units, admitted=False)


def of_layer(claim: Claim, figure: Figure) -> bool:
    """Whether a word in its clause says that it is what one layer keeps."""
    words = [t.span for t in claim.terms if t.kind == "per" and t.says == "layer"]
    return any(
        not CLAUSE.search(claim.text[min(w[1], figure.span[1]) : max(w[0], figure.span[0])])
        for w in words
    )


def of_several(claim: Claim, figure: Figure, each: list[Outcome]) -> bool:
    """Whether bytes may be those of several requests whose number was not read, or of a product."""
    if RESULT.search(before(claim, figure, 32)):
        return True
    if figure.role != "kv" or claim.of("batch", "concurrency") or not MANY.search(claim.text):
        return False
    ratios = [
        figure.interval / c.interval
        for o in each
        for c in o.candidates
        if c.plain and c.interval.low > 0
    ]
    return any(r.high >= 2 and r.high // 1 >= r.low for r in ratios)


def binary_length(claim: Claim) -> bool:
    """Whether a length is a power of two in K: 8K, 128K."""
    return any(
        (found := IN_K.match(f.text)) and (n := int(found[1])) and n & (n - 1) == 0
        for f in claim.of("context", "prompt", "tokens")
    )


def kept_by(model: Text, precision: str, value: str) -> Text:
    """The size of a cache as a sentence."""
    return tr("The KV cache of {model} in {precision} takes {value}.", model=model,
              precision=precision, value=value)  # fmt: skip


def kept(under: Text, value: str) -> Text:
    """The size of a part of a cache as a sentence."""
    return tr("The KV cache ({under}) takes {value}.", under=under, value=value)


def binary_slip(figure: Figure) -> Fraction:
    """What its prefix is short of the binary one: 1.024 for KB, 1.049 for MB."""
    symbol = next((s for s, _ in figure.unit.terms if s.endswith("B") and len(s) == 2), "B")
    return Fraction(128, 125) ** (" KMG".index(symbol[0].upper()) if symbol != "B" else 0)


def cache_precision(claim: Claim) -> str:
    """What the text says of the cache; 16 bits of the weights speak of the cache too."""
    cached = kv_precision(claim)
    if cached:
        return cached
    stored = stored_precision(claim)
    about_cache = not claim.says("noun", "weights")
    return stored if stored in ("bf16", "fp16", "fp32") or about_cache else ""


def amount(here: Setting, figure: Figure) -> Interval | None:
    """Bytes of a token, or of the requests and the context that are said."""
    if figure.role == "kappa":
        found = here.value(
            "kappa", best=False, **({} if "T" in here.values else {"T": Fraction(1)})
        )
        return None if found is None else Interval.of(found)
    whole = here.values.get("T") or here.values["T_in"]
    ends = []
    for length in (whole.low, whole.high):
        each = here.value("kappa", T=length) if length else Fraction(0)
        if each is None:
            return None
        ends.append(each * length)
    return Interval(*ends) * here.values["b"]


def held_by_device(model: Model, parallel: int) -> Fraction:
    """The share of the cache that one of several devices keeps."""
    if model.latent or "H_kv" not in model.values:
        return Fraction(1)
    heads = int(model.values["H_kv"].quantity.base)
    return Fraction(max(1, ceil(heads / parallel)), heads)


def slips(model: Model) -> Iterator[tuple[Text, Fraction]]:
    """Usual mistakes and what they multiply the bytes by."""
    yield Text("only one of K and V", "只计 K 或 V 之一"), Fraction(1, 2)
    yield Text("a thousand times too little", "小了一千倍"), Fraction(1, 1000)
    values = {s: v.quantity.base for s, v in model.values.items()}
    if not {"H_kv", "H_q", "d_head", "d_model"} <= set(values) or model.latent:
        return
    queries = values["H_q"] / values["H_kv"]
    head = values["d_model"] / values["H_q"] / values["d_head"]
    if queries != 1:
        yield Text("query heads for KV heads", "把查询头数当作 KV 头数"), queries
    if head != 1:
        yield (
            Text("hidden size over heads for the head size", "把隐藏维度除以头数当作每头维度"),
            head,
        )
        yield Text("hidden size for all KV heads", "把隐藏维度当作全部 KV 头"), queries * head
