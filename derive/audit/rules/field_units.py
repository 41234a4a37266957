"""The unit of a stated value against the quantity that its field names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.fields.stated import role_of
from derive.audit.reading.roles import BY_UNIT, ROLES, possible
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import same, tr
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim


@rule(
    "UNIT015",
    name=("unit of a field against its quantity", "字段单位与其所指的量"),
    page=(
        "A claim with fields names its quantity, and the quantity fixes the dimension of the value: a memory is an "
        "amount of bytes, a bandwidth a rate of them. A value of another dimension is a unit error, even where it is "
        "right of something else.",
        "带字段的论断写明是什么量，量决定数值的量纲：显存是字节数，带宽是字节速率。量纲不同即单位错误，即使该数值恰好是另一个量的正确值。",
    ),
    fires="{subject: H100 SXM, quantity: memory, value: 3.35 TB/s}",
    quiet="{subject: H100 SXM, quantity: memory, value: 80 GB}",
    as_="claim",
    chinese=(
        "{subject: H100 SXM, quantity: 显存容量, value: 3.35 TB/s}",
        "{subject: H100 SXM, quantity: 显存容量, value: 80 GB}",
    ),
)
def unlike_field(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding where no figure of the value can be what the quantity names."""
    entry = claim.entry
    role = role_of(entry.quantity) if entry and entry.value and not entry.given else ""
    if entry is None or not role:
        return
    stated = [f for f in claim.figures if f.text.strip() in entry.value]
    units = [unit(u) for u, roles in BY_UNIT.items() if role in roles]
    if not stated or not units or any(role in possible(f.dimension) for f in stated):
        return
    figure, word, right = stated[0], ROLES[role].name, units[0]
    if not figure.unit.terms:
        what = tr("{key}: {number} has no unit", key=word, number=figure.text)
        said = tr("{word} has to be given in {unit}.", word=word, unit=same(right.text))
        yield Finding("UNIT015", "unverifiable", "warning", what, (figure.span,), (), (), said)
        return
    everyday = right.dimension.everyday or right.dimension.text
    found = figure.dimension.everyday or figure.dimension.text
    what = tr("{word} is {name}, but {figure} is {found}", word=word, name=everyday,
              figure=same(figure.text), found=found)  # fmt: skip
    said = tr("{word} has to be given in {unit}.", word=word, unit=same(right.text or "%"))
    lines = tuple(
        tr("{word}: [{dimension}]", word=name, dimension=of.text)
        for name, of in ((word, right.dimension), (same(figure.text), figure.dimension))
    )
    yield Finding("UNIT015", "unit_error", "error", what, (figure.span,), (), lines, said)
