"""What each cause of a wrong or open figure is told as: message, arithmetic, corrected sentence."""

from __future__ import annotations

from collections.abc import Sequence
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
    total,
    under,
)
from derive.text import Text, joined, same, tr

if TYPE_CHECKING:
    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.records import Judgement

Told = tuple[Text, list[Text], Text | None]


def variants(judgement: Judgement) -> Told:
    """Right for one variant of the name, not for another."""
    name = judgement.figure.hardware
    fits = [m for m in judgement.each if m.verdict == "consistent"]
    listed = [(m, e) for m in judgement.each if (e := plain_of(m)) is not None]
    each = joined([tr("{product}: {value}", product=e.product.name, value=size(e.quantity))
                   for _, e in listed])  # fmt: skip
    message = tr(
        "{name} is the name of {count} variants: {figure} is right for {fits}, not for the others",
        name=same(name.text if name else ""), count=len(judgement.each),
        figure=same(judgement.figure.text),
        fits=joined([m.product.name for m in fits], ", ", "、"),
    )  # fmt: skip
    return (
        message,
        spread([e for _, e in listed]),
        tr("It depends on the variant: {each}.", each=each),
    )


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
    if hit.count == 1:
        sizes = sorted(d.devices for d in match.product.domains)
        message = tr(
            "{figure} is the value of one device of {product} ({conditions}), not of the whole system that is named",
            **what,
        )
        return (
            message,
            [product_line(sizes[-1], one)],
            statement(hit.entry, all_of(match, hit.entry.kind)),
        )
    message = tr("{figure} is {count} devices of {product} together ({conditions}); one has {value}",
                 count=f"{hit.count:,}", value=size(one), **what)  # fmt: skip
    corrected = tr("{count} × {product}: {total} together, {value} each ({conditions}).",
                   count=f"{hit.count:,}", product=match.product.name, total=size(total(hit)),
                   value=size(one), conditions=conditions(hit.entry))  # fmt: skip
    return message, [product_line(hit.count, one)], corrected


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
                 source=", ".join(main.sources), figure=same(judgement.figure.text),
                 other=origin(entry))  # fmt: skip
    corrected = tr("{product}, {conditions}: {value} by {source}, {second} by {other}.",
                   product=match.product.name, conditions=conditions(entry),
                   value=size(main.quantity), source=", ".join(main.sources),
                   second=size(entry.quantity), other=", ".join(entry.sources))  # fmt: skip
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
    2: Text("a factor of 2: two values were added, or one operation counted as two", "相差 2 倍：两值相加，或一次运算记为两次"),
    4: Text("a factor of 4", "相差 4 倍"),
    10: Text("a factor of 10: a digit slip", "相差 10 倍：数位写错"),
}  # fmt: skip


def unlike(judgement: Judgement) -> Told:
    """No value of the spec under any condition."""
    match = judgement.best
    meant = plain_of(match)
    figure = judgement.figure
    if meant is None:
        message = tr("{figure} is no value of {product} under any condition",
                     figure=same(figure.text), product=match.product.name)  # fmt: skip
        return message, [], None
    message = tr("{figure} is no value of {product} under any condition; the cited one is {value} ({conditions})",
                 figure=same(figure.text), product=match.product.name,
                 value=size(meant.quantity), conditions=conditions(meant))  # fmt: skip
    if not figure.value or not figure.unit.terms:
        return message, [], statement(meant, all_of(match, meant.kind))
    ratio = figure.quantity.base / meant.quantity.base
    larger = max(ratio, 1 / ratio)
    slip = next((t for n, t in SLIPS.items() if abs(larger / n - 1) * 100 < 1), None)
    message = joined([message, slip]) if slip else message
    line = same(f"{digits(figure.quantity)} ÷ {digits(meant.quantity)} {equals(times(ratio))}")
    return message, [line], statement(meant, all_of(match, meant.kind))
