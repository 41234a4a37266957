"""What a layer is made of: tensors with symbolic dimensions, and what it keeps of the past.

One tensor declared is the parameter count, the matrix product, the stored bytes and the name that
an exclusion of a quantization recipe matches: nothing is stated twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derive.architecture.symbols import Values, exact, whole

if TYPE_CHECKING:
    from fractions import Fraction

    from derive.architecture.symbols import Sheet


@dataclass(frozen=True)
class Tensor:
    """One stored tensor, or `copies` alike of which `used` work on a token.

    `dims` are formulas; `matmul` marks a weight that multiplies an activation of every token, and
    `module` is its path inside the layer, as the checkpoint names it.
    """

    module: str
    kind: str
    dims: tuple[str, ...]
    copies: str = ""
    used: str = ""
    matmul: bool = False
    quantized: bool = False  # a plain linear layer, which recipes of quantization replace
    leaf: str = "weight"

    @property
    def size(self) -> str:
        """Formula of the elements of one copy."""
        return product(*self.dims)

    @property
    def count(self) -> str:
        """Formula of the elements stored."""
        return product(*([self.copies] if self.copies else []), self.size)

    @property
    def active(self) -> str:
        """Formula of the elements that one token uses."""
        used = self.used or self.copies
        return product(*([used] if used else []), self.size)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every formula of the tensor."""
        return (self.count, *([self.used] if self.used else []))


Tensors = tuple[Tensor, ...]


@dataclass(frozen=True)
class Cache:
    """What one layer keeps per request; formulas in elements, FLOPs per context token.

    `width` grows with every token (up to `window`), `index` too but is never bounded, `compressed`
    holds one entry of the second formula per first many tokens, `state` and `conv` are constant.
    """

    kind: str
    width: str = "0"
    window: str = ""
    chunked: bool = False
    flops: str = "0"
    absorbed: str = ""
    index: str = "0"
    scores: str = "0"  # of the indexer, on every token of the context
    topk: str = ""
    compressed: tuple[tuple[str, str], ...] = ()
    state: str = "0"
    conv: str = "0"
    conv_library: str = "0"
    cross: str = "0"  # per image token, not per token of the text
    shared: bool = False  # reads the cache of another layer
    again: str = "0"  # elements per token of it that this layer reads once more
    shown: tuple[tuple[str, str], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every formula of the cache."""
        shapes = (self.width, self.flops, self.index, self.state, self.conv, self.conv_library)
        more = (self.cross, self.absorbed, self.window, self.topk, self.scores, self.again)
        pairs = [part for pair in self.compressed for part in pair]
        return tuple(t for t in (*shapes, *more, *pairs, *(f for _, f in self.shown)) if t)


@dataclass(frozen=True)
class Layer:
    """One layer, or one of the parts outside the layers: tensors, caches, symbol values."""

    name: str
    tensors: Tensors
    caches: tuple[Cache, ...]
    values: Values

    def count(self, text: str) -> int:
        """The value of a formula in this layer."""
        return whole(text, self.values)

    def fraction(self, text: str) -> Fraction:
        """The exact value of a formula in this layer."""
        return exact(text, self.values)


def layer(sheet: Sheet, name: str, tensors: Tensors, *caches: Cache) -> Layer:
    """A layer with the values of the symbols that it uses."""
    texts = (*(t for one in tensors for t in one.texts), *(t for one in caches for t in one.texts))
    return Layer(name, tensors, caches, sheet.pick(texts))


def factors(text: str) -> list[str]:
    """The factors of a formula, split at its outermost signs; a sum is one factor."""
    found, deep, start = [], 0, 0
    for match in re.finditer(r"[()]| ([*+-]) ", text):
        if match[1] and deep == 0:
            if match[1] != "*":
                return [text]
            found.append(text[start : match.start()])
            start = match.end()
        elif not match[1]:
            deep += 1 if match[0] == "(" else -1
    return [*found, text[start:]]


def product(*parts: str) -> str:
    """The product of formulas: numbers in front as one, sums in brackets."""
    number, rest = 1, []
    for part in (f for text in parts for f in factors(text)):
        if part.isdigit():
            number *= int(part)
        else:
            compound = re.search(r" [-+/] ", part) and not _bracketed(part)
            rest.append(f"({part})" if compound else part)
    return " * ".join([*([str(number)] if number != 1 or not rest else []), *rest])


def _bracketed(text: str) -> bool:
    """Whether one pair of brackets, or one call, holds the whole text."""
    deep = 0
    for at, char in enumerate(text):
        deep += (char == "(") - (char == ")")
        if deep == 0 and char == ")" and at < len(text) - 1:
            return False
    return text.endswith(")")


def total(texts: list[str]) -> str:
    """The sum of formulas, like terms as one."""
    times: dict[tuple[str, ...], int] = {}
    for text in texts:
        parts = factors(text)
        number = int(parts[0]) if parts[0].isdigit() else 1
        rest = tuple(parts[1:] if parts[0].isdigit() else parts)
        key = next((k for k in times if sorted(k) == sorted(rest)), rest)
        times[key] = times.get(key, 0) + number
    return " + ".join(product(str(n), *rest) for rest, n in times.items()) or "0"


def linear(
    module: str,
    inputs: str,
    outputs: str,
    kind: str,
    *,
    bias: bool = False,
    copies: str = "",
    used: str = "",
    plain: bool = True,
) -> Tensors:
    """A matrix that multiplies every token, with its bias; not `plain` where recipes pass it by."""
    weight = Tensor(module, kind, (inputs, outputs), copies, used, matmul=True, quantized=plain)
    if not bias:
        return (weight,)
    return (weight, replace(weight, dims=(outputs,), matmul=False, quantized=False, leaf="bias"))


def vector(module: str, kind: str, *dims: str, leaf: str = "weight") -> Tensors:
    """A tensor that is no matrix product: scales, convolutions, tables."""
    return (Tensor(module, kind, dims, leaf=leaf),)


def norm(module: str, size: str = "d_model", *, bias: bool = False) -> Tensors:
    """A normalisation with its scale, and its shift where it has one."""
    scale = Tensor(module, "norm", (size,))
    return (scale, replace(scale, leaf="bias")) if bias else (scale,)
