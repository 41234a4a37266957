"""Every value of every spec as a sentence: right as said, wrong when changed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.words import digits
from derive.audit.types import Judged
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.units import Quantity

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


SENTENCES = {
    "peak": (
        "{id}: {value} {precision} {units} {sparsity}.",
        "{id} 的 {precision} {zh_units}{zh_sparsity}算力为 {value}。",
    ),
    "memory_bandwidth": (
        "The {id} has a memory bandwidth of {value}.",
        "{id} 的显存带宽是 {value}",
    ),
    "link": (
        "The interconnect of the {id} moves {value} {direction}.",
        "{id} 的互联{zh_direction}带宽为 {value}。",
    ),
    "memory": ("{id} with {value} of memory", "{id} 的显存为 {value}"),
    "power": ("The {id} has a TDP of {value}.", "{id} 的功耗为 {value}"),
    "ridge": ("The {precision} {sparsity} ridge point {units} of the {id} is {value}.",
              "{id} 的 {precision} {zh_units}{zh_sparsity}脊点为 {value}"),
}  # fmt: skip
UNITS = {
    "": ("", ""),
    "vector": ("on the vector units", "向量单元"),
    "matrix": ("on the Tensor Cores", " Tensor Core "),
}
SPARSITY = {"": ("", ""), "dense": ("dense", "稠密"), "with_sparsity": ("with sparsity", "带稀疏")}
DIRECTION = {
    "": ("", ""),
    "one": ("in each direction", "单向"),
    "both": ("in both directions", "双向"),
}


def sentences(entry: Entry, value: Quantity) -> Iterator[str]:
    """What the spec says of a value, with every condition, in both languages."""
    for template in SENTENCES[entry.kind]:
        yield template.format(
            id=entry.product.id, value=digits(value), precision=entry.precision.upper(),
            sparsity=SPARSITY[entry.sparsity][0], zh_sparsity=SPARSITY[entry.sparsity][1],
            units=UNITS[entry.engine][0], zh_units=UNITS[entry.engine][1],
            direction=DIRECTION[entry.direction][0], zh_direction=DIRECTION[entry.direction][1],
        )  # fmt: skip


@pytest.mark.parametrize("name", load.names("hardware", ROOTS))
def test_every_cited_value_is_right_as_said_and_wrong_when_changed(name: str) -> None:
    for entry in entries(LIBRARY.by_id(name)):
        if entry.other or entry.form == "relabelled":
            continue
        changed = Quantity(entry.quantity.value * Fraction(137, 100), entry.quantity.unit)
        for text in sentences(entry, entry.quantity):
            found = judged(text)
            assert found.verdict == "consistent", (text, [f.message.en for f in found.findings])
            assert "READ001" not in [f.rule for f in found.findings], text
        wrong = {"contradicted", "ambiguous"}
        if entry.product.other_builds:  # it may be a build that no spec here covers
            wrong.add("unverifiable")
        for text in sentences(entry, changed):
            assert judged(text).verdict in wrong, text


@pytest.mark.parametrize("name", load.names("hardware", ROOTS))
def test_a_number_of_another_source_alone_shows_both(name: str) -> None:
    for entry in entries(LIBRARY.by_id(name)):
        if entry.other is None or entry.kind == "ridge":
            continue
        for text in sentences(entry, entry.quantity):
            found = judged(text)
            if entry.other.same:
                assert found.verdict == "consistent", text
                continue
            assert found.verdict in ("ambiguous", "consistent"), text
            if found.verdict == "ambiguous":
                listed = {s for f in found.findings for s in f.sources}
                assert set(entry.sources) <= listed, text
