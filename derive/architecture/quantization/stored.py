"""Bytes of a checkpoint: every tensor in the format that the recipe gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.architecture.json_file import refuse
from derive.architecture.quantization import formats
from derive.architecture.quantization.matching import any_holds
from derive.architecture.totals import kind_of
from derive.errors import Place
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from derive.architecture.model import Placed
    from derive.architecture.parts import Tensor
    from derive.architecture.quantization.formats import Format
    from derive.architecture.quantization.recipes import Plan

HEADS = ("lm_head", "language_model.lm_head")
BUFFER = 4  # bytes of a value of the router's correction


@dataclass
class Stored:
    """Bytes by format and by kind."""

    total: int = 0
    by_format: dict[str, dict[str, object]] = field(default_factory=dict)
    by_kind: dict[str, int] = field(default_factory=dict)
    elements: dict[Format, int] = field(default_factory=dict)

    def add(self, kind: str, made: Format, elements: int, size: int) -> None:
        """Count some tensors."""
        self.total += size
        self.by_kind[kind] = self.by_kind.get(kind, 0) + size
        self.elements[made] = self.elements.get(made, 0) + elements
        row = self.by_format.setdefault(
            made.name, {"bytes_of_a_matrix": made.text, "elements": 0, "bytes": 0}
        )
        row["elements"] = int(str(row["elements"])) + elements
        row["bytes"] = int(str(row["bytes"])) + size

    @property
    def main(self) -> Format | None:
        """The format of most of the quantized weights; None where nothing is quantized."""
        quantized = [made for made, count in self.elements.items() if made.kind and count]
        return max(quantized, key=lambda made: self.elements[made], default=None)


def stored_bytes(placed: Iterable[Placed], plan: Plan | None, width: int) -> Stored:
    """The bytes of some parts; `width` is that of what is not quantized."""
    made, plain = Stored(), formats.plain(width)
    for one in placed:
        for tensor in one.layer.tensors:
            kind, size = kind_of(tensor, one), one.layer.count(tensor.count)
            if tensor.kind in ("correction", "buffer"):
                bytes_each = BUFFER if tensor.kind == "correction" else width
                made.add(
                    kind,
                    formats.plain(bytes_each),
                    size * one.stored,
                    bytes_each * size * one.stored,
                )
                continue
            left = one.stored
            if plan and tensor.quantized and left:
                for chosen, count in choices(one, tensor, plan):
                    if chosen is not None:
                        left -= count
                        add_matrix(made, one, tensor, kind, chosen, count)
            made.add(kind, plain, size * left, width * size * left) if left else None
    return made


def add_matrix(
    made: Stored, one: Placed, tensor: Tensor, kind: str, chosen: Format, times: int
) -> None:
    """Count a matrix, and its copies, in a format."""
    inputs, outputs = (one.layer.count(d) for d in tensor.dims)
    copies = one.layer.count(tensor.copies) if tensor.copies else 1
    each = chosen.bytes(outputs, inputs)
    if each is None:
        what = tr("{module} of {rows} x {columns} does not fit the format {format}",
                  module=tensor.module, rows=outputs, columns=inputs,
                  format=chosen.name)  # fmt: skip
        refuse("M109", what, Place(key="quantization_config"))
    made.add(kind, chosen, inputs * outputs * copies * times, each * copies * times)


def choices(one: Placed, tensor: Tensor, plan: Plan) -> Iterator[tuple[Format | None, int]]:
    """The format of a tensor in each layer that holds it, equal layers at once."""
    single = any(n.single for n in plan.excluded) or any(
        r.targets is not None and r.targets.single for r in plan.rules
    )
    indices = one.indices or (0,)
    if not single:
        yield format_of(one, tensor, plan, indices[0]), one.stored
        return
    for index in indices:
        yield format_of(one, tensor, plan, index), 1


def format_of(one: Placed, tensor: Tensor, plan: Plan, index: int) -> Format | None:
    """The format of a tensor in one layer; None where it is left as it is."""
    if tensor.kind == "lm_head" and not plan.head:
        return None
    if one.role in ("vision", "audio") and not plan.towers:
        return None
    names = [
        name
        for prefix in one.prefixes
        for name in spellings(prefix.replace("{i}", str(index)) + tensor.module)
    ]
    names += HEADS if tensor.kind == "lm_head" else ()
    if any_holds(plan.excluded, names):
        return None
    for rule in plan.rules:
        if rule.kinds and tensor.kind not in rule.kinds:
            continue
        if rule.targets is None or any_holds([rule.targets], names):
            return rule.format
    return None


def spellings(name: str) -> tuple[str, ...]:
    """A module, and for a routed expert the first one and all of them together."""
    if "{e}" not in name:
        return (name,)
    before, _, after = name.partition(".{e}")
    return (f"{before}.0{after}", f"{before}{after}", before)
