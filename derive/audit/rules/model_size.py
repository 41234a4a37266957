"""Parameter counts and weight bytes against what the model's spec, or its size, gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from derive.audit.consistency.between import before, behind
from derive.audit.interval import Interval
from derive.audit.physics.lines import rounded
from derive.audit.physics.no_weights import of_other, too_little, unsaid
from derive.audit.physics.precisions import changed_from, in_turn, storable
from derive.audit.physics.setting import Subject
from derive.audit.physics.settings import own_model, subjects
from derive.audit.readings import Candidate, Outcome, outcome, together
from derive.audit.rule import rule
from derive.audit.settle.memory import follows_model, taken
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.specs.precision import BYTES, SCALED
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

NAMED_SIZE = re.compile(r"(?<![0-9A-Za-z.×])([0-9]{1,4}(?:\.[0-9]{1,2})?)B(?![A-Za-z0-9])")
ROUNDED = Fraction(1, 20)  # how far a name's size may lie from the count that it rounds
GB, GIB = unit("GB"), unit("GiB")
SIZE = unit("byte/param").dimension
ATTENTION = Fraction(1, 4)  # what attention adds to the operations of a token at usual contexts
EVERY = re.compile(
    r"(?<![a-z])(?:each|per) (?!token|layer)|每[张块个]?(?:卡|GPU|设备)|单卡", re.IGNORECASE
)
EACH = re.compile(
    r"(?:每(?:张|块|个)? ?(?:卡|GPU|设备)|单卡|(?<![a-z])(?:each|per|every) (?:GPU|card|device|rank))[^0-9,.;，。；]{0,24}$",
    re.IGNORECASE,
)
NEAR = 8  # characters between a figure and the product that it belongs to
UPPER = {"one forward pass": Text("One forward pass", "一次前向"),
         "one training step": Text("One training step", "一步训练")}  # fmt: skip
MULTIPLIED = re.compile(r"[0-9] ?[×x*·] ?$")
ANOTHER_BEHIND = re.compile(r"^ ?(?:的)?(?:dense|稠密) ?(?:model|模型)|^ ?(?:的)?稠密")
ANOTHER_BEFORE = re.compile(r"(?<![a-z])dense (?:model (?:of|with) )?$|稠密(?:模型)?(?:的)? ?$")
LEAST = 10**7  # bytes: fewer are no weights of a model
SLIPS = ((10, Text("ten times", "10 倍")), (1000, Text("a thousand times", "1000 倍")))
# blocks carry scales, tables often stay 16 bits wide: files of narrow formats are larger by up to this
OVERHEAD = {Fraction(1): Fraction(1, 4), Fraction(1, 2): Fraction(1, 2)}


def about(interval: Interval, under: Text, *, base: str, plain: bool = False, admitted: bool = True,
          sources: tuple[str, ...] = (), printed: Fraction | None = None,
          say: Callable[[str], Text] | None = None, more: Text | None = None) -> Candidate:  # fmt: skip
    """A candidate over an interval in base units; `printed` is the value at the numbers as printed.

    `say` makes a full sentence of the value, `more` says what is allowed beyond it. The numbers of an interval round a printed one lie evenly about it; those with a further
    allowance above do not.
    """
    made = unit(base)
    value = interval.middle if printed is None else printed
    quantity = Quantity(value / made.factor, made)
    sentence = say(rounded(quantity, 4)) if say else None
    return Candidate(
        quantity, under, plain, admitted, sources, sentence=sentence, more=more, span=interval
    )


@rule(
    "COND020",
    name=("parameters against the model's own count", "参数量与模型规格对照"),
    page=(
        "A parameter count is held against the spec: all parameters, those without the embedding tables, those that "
        "one token activates. The active count is right only where the text speaks of it. A nominal size that the "
        "exact count rounds to is right, and the exact count is noted; one that needs the tables left out is "
        "ambiguous.",
        "把参数量与规格对照：全部参数、不含嵌入表的参数、单个 token 激活的参数。只有文中说的是激活参数时，激活量才算对。"
        "名义规模与精确值四舍五入后一致即为正确，并注明精确值；若要去掉嵌入表才对得上，则有歧义。",
    ),
    fires="Mixtral-8x7B needs memory for 13B parameters.",
    quiet="Qwen2.5-7B has 7.6B parameters.",
    chinese=(
        "Mixtral-8x7B 需要 13B 参数的显存。",
        "Qwen2.5-7B 有 7.6B 参数。",
    ),
)
def parameters(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each count that stands beside a named model."""
    for figure in claim.of("parameters", "active"):
        models = library.model(figure.model)
        if not models or claim.says("subject", "speculative"):
            continue  # a second size is the draft's
        each = [outcome(figure, list(counts(Subject(m.name, model=m), figure))) for m in models]
        found = size_finding("COND020", figure, each)
        if found.verdict == "consistent" or not (
            of_another(claim, figure) or factor(claim, figure)
        ):
            yield found


def of_another(claim: Claim, figure: Figure) -> bool:
    """Whether a size is that of an unnamed model beside it: "as much as a dense 37B model"."""
    return bool(
        ANOTHER_BEHIND.match(behind(claim, figure)) or ANOTHER_BEFORE.search(before(claim, figure))
    )


def factor(claim: Claim, figure: Figure) -> bool:
    """Whether a count is multiplied: what 2 × 37B is made of is told by its result."""
    return bool(MULTIPLIED.search(before(claim, figure, 8)))


def counts(subject: Subject, figure: Figure) -> Iterator[Candidate]:
    """Every parameter count of a model."""
    assert subject.model is not None
    values = subject.model.values
    whole, active = values["N"].quantity.base, values["N_act"].quantity.base
    table = subject.model.embedding.quantity.base if subject.model.embedding else Fraction(0)
    told = figure.role == "active"
    sources = values["N"].sources

    name = subject.name

    def one(value: Fraction, under: Text, plain: bool, admitted: bool = True) -> Candidate:
        def sentence(shown: str) -> Text:
            count = shown.removesuffix(" param")
            if told:
                return tr(
                    "{model} activates {count} parameters for a token.", model=name, count=count
                )
            return tr("{model} has {count} parameters in all.", model=name, count=count)

        return about(
            Interval.of(value), under, base="param", plain=plain, admitted=admitted,
            sources=sources, say=sentence,
        )  # fmt: skip

    yield one(whole, tr("{model}, all parameters", model=name), not told, not told)
    for times, word in (
        (1, Text("the input table", "输入嵌入表")),
        (2, Text("both tables", "两张词表")),
    ):
        if table:
            under = tr("{model}, without {what}", model=name, what=word)
            yield one(whole - times * table, under, False, not told)
    if active != whole:
        under = tr("{model}, parameters that one token activates", model=name)
        yield one(active, under, told, told)
        if table:
            yield one(
                active - table,
                tr("{model}, activated, without the input table", model=name),
                told,
                told,
            )
            yield about(  # makers count part of it: norms and routers with, the table without
                Interval(active - table, active),
                tr("{model}, activated, part of the input table counted", model=name),
                base="param", plain=told, admitted=told, sources=sources,
            )  # fmt: skip
            yield one(
                active - 2 * table,
                tr("{model}, activated, without both tables", model=name),
                False,
                told,
            )
    cut = [v for v, meant in ((whole, not told), (active, told)) if meant and truncated(figure, v)]
    for value in cut:  # 3.35 printed as 3.3
        under = tr("{model}, cut off behind its last digit", model=name)
        yield about(
            Interval.of(value, figure.half * figure.unit.factor), under, base="param", plain=True
        )
    for factor, word in SLIPS:
        yield one(
            whole * factor, tr("{model}, {slip} too many", model=name, slip=word), False, False
        )
        yield one(
            whole / factor, tr("{model}, {slip} too few", model=name, slip=word), False, False
        )


def truncated(figure: Figure, value: Fraction) -> bool:
    """Whether a count of two digits or more is an exact one with its tail cut off."""
    least = figure.quantity.base
    return "." in figure.text and least <= value < least + 2 * figure.half * figure.unit.factor


@rule(
    "COND021",
    name=("weight bytes against parameters and precision", "权重字节数与参数量、精度对照"),
    page=(
        "Weight bytes are parameters times the bytes of one. Decimal GB is what the sign says; a number that is right "
        "only as GiB is ambiguous. All parameters have to be stored, so that the active count of experts never gives "
        "the memory. Formats below 16 bits carry scales and often 16-bit tables: up to a quarter (8 bits) or half "
        "(4 bits) more is accepted. Slips of ten or a thousand (亿 against billion) are named.",
        "权重字节数等于参数量乘以每参数字节数。GB 按十进制；只有当作 GiB 才对得上的数字有歧义。MoE 的全部参数都要存放，"
        "激活参数量不能用来算显存。低于 16 位的格式带有缩放因子、词表常保留 16 位：8 位允许多四分之一，4 位允许多一半。"
        "相差十倍或一千倍的笔误（如把亿当作 billion）会被指出。",
    ),
    fires="A 7B model in BF16 has 140 GB of weights.",
    quiet="A 7B model in BF16 has 14 GB of weights.",
    chinese=("70 亿参数的模型在 BF16 下权重为 140 GB。", "70 亿参数的模型在 BF16 下权重为 14 GB。"),
)
def weight_bytes(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each figure of weights beside a model."""
    own = own_model(claim)
    if not own and not claim.says("noun", "weights"):
        return
    told = claim.says("noun", "weights", "memory") or claim.says("use") or not claim.hardware
    found = []
    for figure in claim.of("weights"):
        if (
            not (told or follows_model(claim, figure))
            or (of_device(claim, figure) and not taken(claim, figure))
            or figure.quantity.base < LEAST
            or any(f.value <= 0 for f in claim.of("parameters", "active"))
            or changed_from(claim, figure)
        ):
            continue
        models = [s for s in subjects(claim, library, figure.model) if s.model or s.size]
        each = [outcome(figure, list(sizes(claim, s, figure))) for s in models]
        if each:
            found.append((figure, models, size_finding("COND021", figure, each)))
    agreed = any(f.verdict == "consistent" for *_, f in found)
    for figure, models, one in found:
        if one.verdict == "contradicted" and (
            too_little(claim, figure, models)
            or unsaid(claim, figure, agreed=agreed)
            or of_other(claim, figure)
        ):
            continue
        if own or one.verdict == "consistent" or says_precision(claim):
            yield one


def says_precision(claim: Claim) -> bool:
    """Whether the sentence itself says how numbers are stored, not one before it."""
    return any(t.kind == "precision" and t.span[0] < t.span[1] for t in claim.terms)


def bytes_said(claim: Claim) -> Figure | None:
    """The bytes of one parameter, where the text gives them as such."""
    return next((f for f in claim.figures if f.dimension == SIZE), None)


def of_device(claim: Claim, figure: Figure) -> bool:
    """Whether a product stands right behind the figure: 24 GB RTX 4090, the 80 GB of an H100."""
    return any(0 <= n.span[0] - figure.span[1] <= NEAR for n in claim.hardware)


def sizes(claim: Claim, subject: Subject, figure: Figure) -> Iterator[Candidate]:
    """What the weights can take: by precision, as GB and as GiB, and the known slips."""
    count = subject.size or Interval.of(
        subject.model.values["N"].quantity.base if subject.model else Fraction(0)
    )
    active = subject.active
    if subject.model and "E" in subject.model.structure:
        active = Interval.of(subject.model.values["N_act"].quantity.base)
    parts, copies = on_each(claim, figure)
    if parts > 1:
        yield from of_part(claim, subject, count, parts, copies=copies)
        if not copies:
            return
    elif (degree := claim.one("tp")) and degree.value > 1 and degree.value.denominator == 1:
        parts = int(degree.value)  # whose share it is, is not said
        yield from of_part(claim, subject, count, parts, copies=True, plain=False)
    binary = any(symbol.endswith("iB") for symbol, _ in figure.unit.terms)
    mistaken = GB.factor / GIB.factor if binary else GIB.factor / GB.factor
    if each_said := bytes_said(claim):
        under = tr("{model}, {size}", model=subject.name, size=each_said.text)
        whole = count * each_said.interval
        yield about(whole, under, base="byte", plain=True, sources=subject.sources,
                    printed=count.middle * each_said.quantity.base,
                    say=partial(weighs, subject.name, each_said.text))  # fmt: skip
        slip = tr("{under}, binary and decimal prefix exchanged", under=under)
        yield about(whole.scaled(1 / mistaken), slip, base="byte")
        return
    turn = in_turn(claim, figure)
    for stored, plain in [(turn, True)] if turn else storable(claim, subject.native):
        each = BYTES[stored]
        whole = count.scaled(each)
        bare = whole.middle
        if stored in SCALED:
            whole = Interval(whole.low, whole.high * (1 + OVERHEAD[each]))
        under = tr("{model}, {precision}", model=subject.name, precision=stored.upper())
        more = None
        if stored in SCALED:
            top = Quantity(bare * (1 + OVERHEAD[each]), unit("byte"))
            more = tr("{low} to {high} with block scales", high=rounded(top, 4),
                      low=rounded(Quantity(bare, unit("byte")), 4))  # fmt: skip
        yield about(whole, under, base="byte", plain=plain, sources=subject.sources, printed=bare,
                    more=more, say=partial(stored_in, subject.name, stored.upper(), more))  # fmt: skip
        slip = tr("{under}, GiB printed as GB", under=under)
        if binary:
            slip = tr("{under}, GB printed as GiB", under=under)
        yield about(count.scaled(each / mistaken), slip, base="byte")
        if (rounded_size := nominal(subject)) and plain:
            told = tr("{model}, {precision}, the size in its name times {each} byte(s)", model=subject.name,
                      precision=stored.upper(), each=show(Quantity(each, unit(""))).text)  # fmt: skip
            yield about(rounded_size.scaled(each), told, base="byte", plain=True)
        if active:
            only = tr("{under}, active parameters only", under=under)
            yield about(active.scaled(each), only, base="byte", admitted=False)
        for factor, word in SLIPS:
            yield about(whole.scaled(factor), tr("{under}, {slip} too much", under=under, slip=word),
                        base="byte", admitted=False, printed=bare * factor)  # fmt: skip
            yield about(whole.scaled(Fraction(1, factor)), tr("{under}, {slip} too little", under=under, slip=word),
                        base="byte", admitted=False, printed=bare / factor)  # fmt: skip


def on_each(claim: Claim, figure: Figure) -> tuple[int, bool]:
    """Among how many devices the weights are split, and whether each may also hold a copy of them."""
    degree, counted = claim.one("tp"), claim.one("devices")
    each = figure.says("scope", "device") or EACH.search(claim.text[: figure.span[0]])
    each = each or (EVERY.search(claim.text) if degree else None)  # of each H100, under TP=8
    of = degree or counted
    if not each or of is None or of.value.denominator != 1:
        return 1, False
    return int(of.value), degree is None


def of_part(
    claim: Claim, subject: Subject, count: Interval, parts: int, *, copies: bool, plain: bool = True
) -> Iterator[Candidate]:
    """What one of several devices holds of the weights."""
    for stored, usual in storable(claim, subject.native):
        each = BYTES[stored] / parts
        top = 1 + (OVERHEAD[BYTES[stored]] if stored in SCALED else Fraction(0))
        whole = Interval(count.low * each, count.high * each * top)
        under = tr("{model}, {precision}, one device of {count}", model=subject.name,
                   precision=stored.upper(), count=parts)  # fmt: skip
        yield about(whole, under, base="byte", plain=usual and plain, sources=subject.sources,
                    printed=count.middle * each,
                    say=partial(held_of, subject.name, stored.upper(), parts))  # fmt: skip
        if (rounded_size := nominal(subject)) and usual:
            yield about(rounded_size.scaled(each), under, base="byte", plain=plain)
        if not copies:
            told = tr("{model}, {precision}, all devices together", model=subject.name,
                      precision=stored.upper())  # fmt: skip
            yield about(whole.scaled(parts), told, base="byte", admitted=False)


def held_of(model: Text, precision: str, parts: int, value: str) -> Text:
    """The part of the weights that one device holds, as a sentence."""
    return tr("In {precision} each of {count} devices holds {value} of the weights of {model}.",
              precision=precision, count=parts, value=value, model=model)  # fmt: skip


def weighs(model: Text, size: str, value: str) -> Text:
    """Weight bytes at a stated size of a parameter, as a sentence."""
    return tr("At {size} the weights of {model} take {value}.", size=size, model=model,
              value=value)  # fmt: skip


def stored_in(model: Text, precision: str, more: Text | None, value: str) -> Text:
    """Weight bytes in a format, as a sentence."""
    return tr("In {precision} the weights of {model} take {value}.", model=model,
              value=more or value, precision=precision)  # fmt: skip


def worked(model: Text, what: Text, value: str) -> Text:
    """The operations of a token, as a sentence."""
    return tr("{what} of {model} takes {value}.", what=what, model=model, value=value)


def nominal(subject: Subject) -> Interval | None:
    """The size that a model's name rounds its parameters to; None where that is another number."""
    if subject.model is None:
        return None
    whole = subject.model.values["N"].quantity.base
    for found in NAMED_SIZE.finditer(subject.model.name.en):
        size = Fraction(found[1]) * 10**9
        if abs(size - whole) <= whole * ROUNDED:
            return Interval.of(size)
    return None


@rule(
    "COND023",
    name=("operations per token against the parameters", "每 token 运算量与参数量对照"),
    page=(
        "A forward pass takes two operations for each active parameter and token, a training step six; attention adds up "
        "to a quarter at usual contexts. One operation a parameter counts multiply-adds.",
        "前向计算每个激活参数、每个 token 需 2 次运算，训练一步需 6 次；常见上下文下注意力至多再加四分之一。每参数 1 次是乘加次数。",
    ),
    fires="A 70B model needs 70 GFLOP per token.",
    quiet="A 70B model needs 140 GFLOP per token.",
    chinese=("70B 模型每 token 需要 70 GFLOP。", "70B 模型每 token 需要 140 GFLOP。"),
)
def token_work(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each figure of operations per token beside a model."""
    for figure in claim.of("token_work"):
        if figure.quantity.base < LEAST:
            continue  # 2 FLOP: of a parameter, not of a model
        models = [s for s in subjects(claim, library, figure.model) if s.model or s.size]
        each = [outcome(figure, list(passes(claim, s))) for s in models]
        if each and figure.value > 0:
            yield size_finding("COND023", figure, each)


def passes(claim: Claim, subject: Subject) -> Iterator[Candidate]:
    """Operations of a token: forward, or forward and backward, and what the usual slips give."""
    count = subject.active or subject.size
    if subject.model:
        count = Interval.of(subject.model.values["N_act"].quantity.base)
    assert count is not None
    training = claim.says("noun", "training")
    rows = ((2, Text("one forward pass", "一次前向"), not training),
            (6, Text("one training step", "一步训练"), training))  # fmt: skip
    for each, word, right in rows:
        under = tr("{model}, {what}", model=subject.name, what=word)
        whole = count.scaled(each)
        say = partial(worked, subject.name, UPPER[word.en])
        yield about(whole, under, base="FLOP/token", plain=right, admitted=right, say=say)
        for printed in claim.of("parameters", "active"):
            if abs(printed.quantity.base - count.middle) <= count.middle * ROUNDED:
                told = tr("{under}, with {count} as printed", under=under, count=same(printed.text))
                yield about(
                    printed.interval.scaled(each),
                    told,
                    base="FLOP/token",
                    plain=right,
                    admitted=right,
                )
        if named := nominal(subject):
            told = tr("{under}, the size in its name", under=under)
            yield about(named.scaled(each), told, base="FLOP/token", plain=right, admitted=right)
        seen = Interval(whole.low, whole.high * (1 + ATTENTION))
        top = Quantity(whole.middle * (1 + ATTENTION), unit("FLOP/token"))
        more = tr("{low} to {high} with attention operations", high=rounded(top, 4),
                  low=rounded(Quantity(whole.middle, unit("FLOP/token")), 4))  # fmt: skip
        yield about(seen, under, base="FLOP/token", plain=right, admitted=right,
                    printed=whole.middle, more=more)  # fmt: skip
    told = tr("{model}, multiply-adds instead of operations", model=subject.name)
    yield about(count, told, base="FLOP/token", admitted=False)


def size_finding(rule_id: str, figure: Figure, each: list[Outcome]) -> Finding:
    """The verdict over every model that a name may mean; the hit explains, the plain value corrects."""
    verdict = together(o.verdict for o in each)
    hit = next((c for o in each for c in o.hits), None)
    right = next(c for o in each for c in o.candidates if c.plain)
    listed = tuple(
        c.reading for o in each for c in (o.hits or [c for c in o.candidates if c.plain])
    )[:8]
    lines = tuple(tr("{under}: {value}", under=c.under, value=c.more or show(c.value).text)
                  for o in each for c in o.candidates if c.plain)[:4]  # fmt: skip
    printed = same(figure.text)
    if verdict == "consistent":
        meant = right if hit is None else hit
        what = tr("{figure} is right: {under}", figure=printed, under=meant.under)
        if meant.more is not None and meant.value.base != figure.quantity.base:
            what = tr("{figure} is possible: {under}, {range}", figure=printed, under=meant.under,
                      range=meant.more)  # fmt: skip
        elif meant.value.base != figure.quantity.base:
            what = tr("{figure} is right within its rounding: {under}, {exact}", figure=printed,
                      under=meant.under, exact=show(meant.value).text)  # fmt: skip
        if not figure.interval.meets(right.interval):
            made = right.value.unit
            exact = Quantity(right.interval.low / made.factor, made)
            what = tr("{figure} is right: {under}; exactly {exact}", figure=printed,
                      under=meant.under, exact=rounded(exact, 4))  # fmt: skip
        return Finding(
            rule_id, verdict, "info", what, (figure.span,), listed, lines, sources=right.sources
        )
    if hit is not None:
        what = tr("{figure} agrees only with this: {under}", figure=printed, under=hit.under)
    else:
        what = tr("{figure} agrees with no value of the model", figure=printed)
    said = right.sentence
    severity = GRAVE[verdict]
    return Finding(
        rule_id, verdict, severity, what, (figure.span,), listed, lines, said, sources=right.sources
    )
