"""Rates at another sparsity or precision: message, arithmetic, corrected sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.audit.sheet.findings import all_of, and_also, plain_of, sibling
from derive.audit.sheet.records import Hit
from derive.audit.sheet.words import (
    conditions,
    origin,
    product_line,
    quotient,
    size,
    statement,
    total,
    under,
)
from derive.text import Text, joined, same, tr

if TYPE_CHECKING:
    from derive.audit.sheet.records import Judgement, Match

Told = tuple[Text, list[Text], Text | None]


def sparse(judgement: Judgement) -> Told:
    """The value with sparsity where the dense one is meant, or the other way round."""
    match = judgement.best
    entry = match.hits[0].entry
    other = sibling(match, entry)
    figure = same(judgement.figure.text)
    what = {"figure": figure, "precision": entry.precision.upper(), "product": entry.product.name}
    if other is None:
        message = tr("{figure} is the {precision} value of {product} under {conditions}",
                     conditions=conditions(entry), **what)  # fmt: skip
        return message, [], statement(entry, [entry])
    value = size(other.quantity)
    if entry.sparsity == "with_sparsity":
        message = tr("{figure} is the {precision} value of {product} with structured sparsity; dense it is {value}",
                     value=value, **what)  # fmt: skip
    else:
        message = tr("{figure} is the dense {precision} value of {product}; with structured sparsity it is {value}",
                     value=value, **what)  # fmt: skip
    arithmetic = [quotient(entry.quantity, other.quantity)]
    if entry.other:
        message = joined([message, tr("it stands only in {source}", source=origin(entry))])
    corrected = statement(entry, all_of(match, entry.kind))
    return and_also(unsaid(message, match), match, entry), arithmetic, corrected


def unsaid(message: Text, match: Match) -> Text:
    """The message, and what else the claim leaves open: the precision, the kind of operations."""
    why = match.hits[0].why
    if "precision" in why and not match.said.precisions:
        message = joined([message, tr("the claim does not say the precision")])
    if "operations" in why:
        message = joined([message, tr("TOPS count integer operations, TFLOPS floating-point ones")])
    return message


def precise(judgement: Judgement) -> Told:
    """The value at another precision than the one that is said, or than 16 bit where none is."""
    match = judgement.best
    entry = match.hits[0].entry
    meant = plain_of(match)
    what = {"figure": same(judgement.figure.text), "product": entry.product.name,
            "conditions": conditions(entry)}  # fmt: skip
    if meant is None:
        message = tr(
            "{figure} is the value of {product} in {conditions}; the claim does not say so", **what
        )
        return message, [], statement(entry, all_of(match, entry.kind))
    count = match.hits[0].count
    value, condition = size(total(Hit(meant, count))), conditions(meant)
    if match.said.precisions:
        message = tr("{figure} is the value of {product} in {conditions}; in {meant} it is {value}",
                     value=value, meant=condition, **what)  # fmt: skip
    else:
        message = tr("no precision is said: {figure} is the value of {product} in {conditions}; in {meant} it is {value}",
                     value=value, meant=condition, **what)  # fmt: skip
    corrected = joined([statement(e, all_of(match, e.kind)) for e in (entry, meant)], " ", "")
    lines = [product_line(count, e.quantity) for e in (entry, meant)] if count > 1 else []
    return message, [*lines, quotient(entry.quantity, meant.quantity)], corrected


def lacking(judgement: Judgement) -> Told:
    """A precision that the product's units do not have."""
    match = judgement.best
    precision = same(", ".join(sorted(p.upper() for p in match.said.told)))
    sixteen = [e for e in all_of(match, "peak") if e.basis[1] == "16 bit"]
    dense = next((e for e in sixteen if e.sparsity == "dense"), None)
    named = judgement.figure.hardware
    alike = len({(m.verdict, m.cause) for m in judgement.each}) == 1 and len(judgement.each) > 1
    name = same(named.text) if alike and named else match.product.name
    message = tr("{product} has no {precision} units: such numbers can be stored, but are computed at another precision",
                 product=name, precision=precision)  # fmt: skip
    if match.hits:
        meets = tr("{figure} is {under}", figure=same(judgement.figure.text),
                   under=under(match.hits[0].entry, match.hits[0].count))  # fmt: skip
        message = joined([message, meets])
    if dense is None:
        return message, [], None
    corrected = tr("With {precision} weights {product} computes at its {work} rate, {value} dense; only the bytes shrink.",
                   precision=precision, product=name, work=dense.precision.upper(),
                   value=size(dense.quantity))  # fmt: skip
    return message, [], corrected


def other_units(judgement: Judgement) -> Told:
    """The rate of the matrix units where the vector units' is meant, or the other way round."""
    match = judgement.best
    entry = match.hits[0].entry
    meant = next(
        (e for e in all_of(match, entry.kind)
         if e.precision == entry.precision and e.engine not in ("", entry.engine)), None
    )  # fmt: skip
    what = {"figure": same(judgement.figure.text), "product": match.product.name,
            "conditions": conditions(entry)}  # fmt: skip
    corrected = statement(entry, all_of(match, entry.kind))
    if meant is None:
        message = tr(
            "{figure} is the value of {product} in {conditions}; the claim does not say so", **what
        )
        return message, [], corrected
    message = tr("{figure} is the value of {product} in {conditions}; in {meant} it is {value}",
                 value=size(meant.quantity), meant=conditions(meant), **what)  # fmt: skip
    return message, [quotient(entry.quantity, meant.quantity)], corrected


def counted(judgement: Judgement) -> Told:
    """Integer operations where floating-point ones are meant, or the other way round."""
    match = judgement.best
    entry = match.hits[0].entry
    message = tr("{figure} is the {conditions} value of {product}",
                 figure=same(judgement.figure.text), conditions=conditions(entry),
                 product=match.product.name)  # fmt: skip
    return (
        and_also(unsaid(message, match), match, entry),
        [],
        statement(entry, all_of(match, "peak")),
    )
