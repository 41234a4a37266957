"""What each cause of a wrong or open figure is told as: message, arithmetic, corrected sentence."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.sheet.findings import all_of, plain_of
from derive.audit.sheet.words import (
    conditions,
    digits,
    equals,
    of_memory,
    origin,
    product_line,
    quotient,
    size,
    statement,
    times,
    times_devices,
    titles,
    total,
    under,
)
from derive.specs.counting import counted
from derive.text import Text, joined, same, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.records import Hit, Judgement

BITS, BYTES = Text("bits", "比特"), Text("bytes", "字节")
Told = tuple[Text, list[Text], Text | None]


def variants(judgement: Judgement) -> Told:
    """Right for one variant of the name, not for another."""
    name = judgement.figure.hardware
    fits = [m for m in judgement.each if m.verdict == "consistent"]
    listed = [(m, e) for m in judgement.each if (e := plain_of(m)) is not None]
    each = each_of([e for _, e in listed])
    message = tr(
        "{name} is the name of {count} variants: {figure} is right for {fits}, not for the others",
        name=same(name.text if name else ""), count=len(judgement.each),
        figure=same(judgement.figure.text),
        fits=joined([m.product.name for m in fits], ", ", "、"),
    )  # fmt: skip
    return (
        message,
        spread([e for _, e in listed]),
        tr("The value depends on the variant: {each}.", each=each),
    )


def each_of(found: Sequence[Entry]) -> Text:
    """Values with the variant that has each."""
    return joined([tr("{value} for the {product}", product=e.product.name, value=size(e.quantity))
                   for e in found], ", ", "，")  # fmt: skip


def spread(found: Sequence[Entry]) -> list[Text]:
    """How far apart the largest and the smallest of some values are."""
    ordered = sorted(found, key=lambda e: e.quantity.base)
    if len(ordered) < 2 or ordered[0].quantity.base == ordered[-1].quantity.base:
        return []
    return [quotient(ordered[-1].quantity, ordered[0].quantity)]


def directed(judgement: Judgement) -> Told:
    """Both directions of a link where one is meant, or the other way round."""
    match = judgement.best
    hit = match.hits[0]
    figure, name = same(judgement.figure.text), match.product.name
    rows = {e.direction: e for e in all_of(match, "link")}
    corrected = statement(hit.entry, list(rows.values()))
    one, both = rows.get("one"), rows.get("both")
    if one is None or both is None:
        return (
            tr("{figure} is {under}", figure=figure, under=under(hit.entry, hit.count)),
            [],
            corrected,
        )
    lines = [product_line(hit.count, hit.entry.quantity)] if hit.count > 1 else []
    lines.append(quotient(both.quantity, one.quantity))
    if hit.entry.direction == "both":
        message = tr("{figure} is the link of {product} with both directions added; one direction moves {value}",
                     figure=figure, product=name, value=size(one.quantity))  # fmt: skip
    else:
        message = tr("{figure} is one direction of the link of {product}; both together are {value}",
                     figure=figure, product=name, value=size(both.quantity))  # fmt: skip
    if hit.count > 1:
        message = joined([message, tr("it is the sum of {count} devices", count=hit.count)])
    return message, lines, corrected


def scoped(judgement: Judgement) -> Told:
    """The sum of several devices where one is meant, or one where all are."""
    match = judgement.best
    hit = match.hits[0]
    one, figure = hit.entry.quantity, same(judgement.figure.text)
    what = {"figure": figure, "product": match.product.name, "conditions": conditions(hit.entry)}
    if hit.count == 1 and hit.excluded:  # "in total", of devices that are counted
        return of_all(figure, hit, match.said.several)
    if hit.count == 1:
        sizes = sorted(d.devices for d in match.product.domains)
        message = tr(
            "{figure} is the value of {one} ({conditions}), not of the whole system that is named",
            one=counted(match.product, 1),
            **what,
        )
        return (
            message,
            [product_line(sizes[-1], one)],
            statement(hit.entry, all_of(match, hit.entry.kind)),
        )
    message = tr("{figure} is {devices} together ({conditions}); one has {value}",
                 devices=counted(match.product, hit.count), value=size(one), **what)  # fmt: skip
    corrected = tr("{devices} have {total} together, {value} each ({conditions}).",
                   devices=counted(match.product, hit.count), total=size(total(hit)),
                   value=size(one), conditions=conditions(hit.entry))  # fmt: skip
    return message, [product_line(hit.count, one)], corrected


def of_all(figure: Text, hit: Hit, count: int) -> Told:
    """The value of one device where the text says the sum of several."""
    one, whole = hit.entry.quantity, times_devices(hit.entry.quantity, count)
    product, under = hit.entry.product, conditions(hit.entry)
    message = tr("{figure} is the value of {one} ({conditions}); {count} together have {total}",
                 figure=figure, one=counted(product, 1), count=f"{count:,}", total=size(whole),
                 conditions=under)  # fmt: skip
    corrected = tr("{devices} have {total} together, {value} each ({conditions}).",
                   devices=counted(product, count), total=size(whole), value=size(one),
                   conditions=under)  # fmt: skip
    return message, [product_line(count, one)], corrected


def stored(judgement: Judgement) -> Told:
    """Another count of the same memory: what the driver shows, or the other GB."""
    match = judgement.best
    hit = match.hits[0]
    sold = next(e for e in all_of(match, "memory") if e.form == "marketed")
    message = tr("{figure} is not the marketed {sold} of {product} but {conditions}, {value}",
                 figure=same(judgement.figure.text), sold=size(sold.quantity),
                 product=match.product.name, conditions=conditions(hit.entry),
                 value=size(hit.entry.quantity))  # fmt: skip
    return message, [quotient(hit.entry.quantity, sold.quantity)], of_memory(match.product)


def disputed(judgement: Judgement) -> Told:
    """A value that only another source prints."""
    match = judgement.best
    entry = match.hits[0].entry
    cited = [
        e for e in all_of(match, entry.kind) if e.basis == entry.basis and e.form == entry.form
    ]
    main = cited[0]
    message = tr("sources disagree on {product}, {conditions}: {value} ({source}) is used here, {figure} stands in {other}",
                 product=match.product.name, conditions=conditions(entry), value=size(main.quantity),
                 source=titles(main.sources), figure=same(judgement.figure.text),
                 other=origin(entry))  # fmt: skip
    corrected = tr("For {product}, {conditions}, {source} gives {value} and {other} gives {second}.",
                   product=match.product.name, conditions=conditions(entry),
                   value=size(main.quantity), source=titles(main.sources),
                   second=size(entry.quantity), other=titles(entry.sources))  # fmt: skip
    return message, [quotient(entry.quantity, main.quantity)], corrected


def which(judgement: Judgement) -> Told:
    """The link's value where the memory's is meant."""
    match = judgement.best
    hit = match.hits[0]
    meant = plain_of(match)
    value = size(meant.quantity) if meant else ""
    message = tr("{figure} is not the memory bandwidth of {product}, {value}, but {under}",
                 figure=same(judgement.figure.text), product=match.product.name, value=value,
                 under=under(hit.entry, hit.count))  # fmt: skip
    return message, [], statement(hit.entry, all_of(match, "link"))


SLIPS = {
    8: Text("a factor of 8: bits and bytes", "相差 8 倍：比特与字节混淆"),
    1000: Text("a factor of 1,000: a prefix slip", "相差 1,000 倍：前缀写错"),
    10**6: Text("a factor of 1,000,000: a prefix slip", "相差 1,000,000 倍：前缀写错"),
    2: Text("a factor of 2", "相差 2 倍"),
    4: Text("a factor of 4", "相差 4 倍"),
    10: Text("a factor of 10: a digit slip", "相差 10 倍：数位写错"),
}  # fmt: skip


def in_bits(judgement: Judgement) -> Told | None:
    """Digits that are right in bytes where bits stand, or the other way round."""
    match, figure = judgement.best, judgement.figure
    bits = any(symbol.lower().endswith("bit") for symbol, _ in figure.unit.terms)
    true = figure.interval.scaled(8 if bits else Fraction(1, 8))
    kinds = {e.kind for e in match.plain}
    hit = next((e for e in match.sheet
                if e.kind in kinds and not e.other and true.meets(e.interval)), None)  # fmt: skip
    if hit is None or "information" not in dict(figure.dimension.powers):
        return None
    message = tr("{figure} has the digits of {value}, {under}, but counts {what}: a byte is 8 bits",
                 figure=same(figure.text), value=size(hit.quantity), under=under(hit),
                 what=BITS if bits else BYTES)  # fmt: skip
    line = same(f"{digits(figure.quantity)} ÷ 8 {equals(size(in_bytes(figure.quantity)))}")
    return message, [line] if bits else [], statement(hit, all_of(match, hit.kind))


def in_bytes(bits: Quantity) -> Quantity:
    """A quantity as bytes."""
    made = {"information": "byte", "time": "byte/s"}
    units = made["time"] if "time" in dict(bits.dimension.powers) else made["information"]
    return Quantity(bits.base / unit(units).factor, unit(units))


def other_gb(judgement: Judgement) -> Told | None:
    """Digits that are right with GB where GiB stands: 80 GiB are 85.9 GB."""
    match, figure = judgement.best, judgement.figure
    if not figure.unit.text.startswith("GiB"):
        return None
    decimal = Quantity(figure.value, unit("GB"))
    true = figure.interval.scaled(decimal.base / figure.quantity.base)
    hit = next((e for e in all_of(match, "memory") if true.meets(e.interval)), None)
    if hit is None:
        return None
    message = tr("{figure} has the digits of {decimal}, which are {value}: GB (10^9) and GiB (2^30) are exchanged",
                 figure=same(figure.text), decimal=size(decimal), value=size(hit.quantity))  # fmt: skip
    return (
        message,
        [quotient(decimal, Quantity(Fraction(1), unit("GiB")))],
        of_memory(match.product),
    )


def of_several(judgement: Judgement, meant: Entry) -> Told | None:
    """A sum over the devices that are named, where it lies nearer than the value of one."""
    counts, figure = judgement.best.said.counts, judgement.figure
    if len(counts) != 1 or meant.kind not in ("memory", "memory_bandwidth", "peak"):
        return None
    count = next(iter(counts))
    whole = times_devices(meant.quantity, count)
    asked = figure.quantity.base
    if apart(asked, whole.base) >= apart(asked, meant.quantity.base):
        return None
    told = {"devices": counted(judgement.best.product, count), "total": size(whole),
            "value": size(meant.quantity), "conditions": conditions(meant)}  # fmt: skip
    message = tr("{figure} is not the sum over {devices}: {total}, {value} each ({conditions})",
                 figure=same(figure.text), **told)  # fmt: skip
    corrected = tr("{devices} have {total} together, {value} each ({conditions}).", **told)
    return message, [product_line(count, meant.quantity)], corrected


def apart(one: Fraction, other: Fraction) -> Fraction:
    """By which factor two values differ."""
    return max(one / other, other / one)


def unlike(judgement: Judgement) -> Told:
    """No value of the spec under any condition."""
    match = judgement.best
    meant = plain_of(match)
    figure = judgement.figure
    if meant is None:
        message = tr("{figure} is no value of {product} under any condition",
                     figure=same(figure.text), product=match.product.name)  # fmt: skip
        return message, [], None
    if not figure.unit.terms and meant.quantity.unit.terms:
        message = tr("{figure} is written without a unit; the cited value of {product} is {value} ({conditions})",
                     figure=same(figure.text), product=match.product.name,
                     value=size(meant.quantity), conditions=conditions(meant))  # fmt: skip
        return message, [], statement(meant, all_of(match, meant.kind))
    message = tr("{figure} is no value of {product} under any condition; the cited one is {value} ({conditions})",
                 figure=same(figure.text), product=match.product.name,
                 value=size(meant.quantity), conditions=conditions(meant))  # fmt: skip
    if not figure.value or not figure.unit.terms:
        return message, [], statement(meant, all_of(match, meant.kind))
    if told := in_bits(judgement) or other_gb(judgement) or of_several(judgement, meant):
        return told
    ratio = figure.quantity.base / meant.quantity.base
    larger = max(ratio, 1 / ratio)
    slip = next((t for n, t in SLIPS.items() if abs(larger / n - 1) * 100 < 1), None)
    message = joined([message, slip]) if slip else message
    line = same(f"{digits(figure.quantity)} ÷ {digits(meant.quantity)} {equals(times(ratio))}")
    return message, [line], statement(meant, all_of(match, meant.kind))
