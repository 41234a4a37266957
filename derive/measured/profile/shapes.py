"""Operations and least traffic of an operator, from the shapes and types of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import prod

# bytes of one element, by the type's name in the trace
SIZES = {
    "double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2,
    "long int": 8, "long": 8, "int": 4, "short int": 2, "short": 2,
    "signed char": 1, "unsigned char": 1, "bool": 1,
    "c10::Float8_e4m3fn": 1, "c10::Float8_e5m2": 1, "c10::Float8_e8m0fnu": 1,
    "c10::Float8_e4m3fnuz": 1, "c10::Float8_e5m2fnuz": 1, "c10::Float4_e2m1fn_x2": 1,
}  # fmt: skip
PAIRS = "c10::Float4_e2m1fn_x2"  # two values in one element
# torch's numbers for the types that a product is written in
WRITTEN = {"5": 2, "6": 4, "7": 8, "15": 2, "3": 4}


@dataclass(frozen=True)
class Product:
    """Where the arguments of a matrix product stand."""

    a: int
    b: int
    others: tuple[int, ...] = ()  # read besides: bias, scales
    transposed: bool = False  # the weight is written N × K
    out: int | None = None  # an argument that the result is written to
    kind: int | None = None  # the argument that numbers the result's type
    size: int | None = None  # the result's bytes of an element where the operator fixes them


PRODUCTS = {
    "aten::mm": Product(0, 1),
    "aten::bmm": Product(0, 1),
    "aten::matmul": Product(0, 1),
    "aten::addmm": Product(1, 2, (0,)),
    "aten::baddbmm": Product(1, 2, (0,)),
    "aten::linear": Product(0, 1, (2,), transposed=True),
    "aten::_int_mm": Product(0, 1, size=4),
    "aten::_scaled_mm": Product(0, 1, (2, 3, 4), kind=6),
    "_C::cutlass_scaled_mm": Product(1, 2, (3, 4, 5), out=0),
}
ELEMENTWISE = {"aten::add", "aten::add_", "aten::mul", "aten::mul_"}


@dataclass(frozen=True)
class Inputs:
    """What the trace says of an operator's arguments; an argument that is no tensor has ()."""

    dims: Sequence[tuple[int, ...]]
    types: Sequence[str]
    strides: Sequence[tuple[int, ...]] = ()
    values: Sequence[str] = ()

    def shape(self, at: int) -> tuple[int, ...]:
        """Sizes of one argument."""
        return self.dims[at] if at < len(self.dims) else ()

    def bytes(self, at: int) -> int | None:
        """Bytes of one argument, repeated (stride 0) parts once; None where its type is unknown."""
        size = SIZES.get(self.types[at]) if at < len(self.types) else None
        if size is None:
            return None
        strides = self.strides[at] if at < len(self.strides) else ()
        shape = self.shape(at)
        if len(strides) == len(shape):
            shape = tuple(d for d, s in zip(shape, strides, strict=True) if s)
        return prod(shape) * size


@dataclass(frozen=True)
class Work:
    """Operations and bytes of one call; None where the shapes do not tell."""

    flops: int | None = None
    traffic: int | None = None


def work(name: str, inputs: Inputs) -> Work:
    """A matrix product's 2·M·K·N and its inputs and result once; of others what is certain."""
    if name in PRODUCTS:
        return product(PRODUCTS[name], inputs)
    if name in ELEMENTWISE:
        return Work(None, elementwise(inputs))
    return Work()


def product(of: Product, inputs: Inputs) -> Work:
    """A matrix product; nothing where the inner sizes do not agree."""
    a, b = inputs.shape(of.a), inputs.shape(of.b)
    if len(a) < 2 or len(b) < 2:
        return Work()
    (m, inner), (n, other) = a[-2:], (b[-2:] if of.transposed else (b[-1], b[-2]))
    batch = broadcast(a[:-2], b[:-2])
    if inner != other or batch is None:
        return Work()
    pairs = 2 if of.a < len(inputs.types) and inputs.types[of.a] == PAIRS else 1
    results = prod(batch) * m * n
    read = [inputs.bytes(of.a), inputs.bytes(of.b)]
    read += [inputs.bytes(i) for i in of.others if inputs.shape(i)]
    size = written(of, inputs)
    known = [r for r in read if r is not None]
    if size is None or len(known) < len(read):
        return Work(2 * results * inner * pairs)
    return Work(2 * results * inner * pairs, sum(known) + results * size)


def written(of: Product, inputs: Inputs) -> int | None:
    """Bytes of one element of the result; that of the inputs where the operator keeps the type."""
    if of.size is not None:
        return of.size
    if of.kind is not None:
        return WRITTEN.get(inputs.values[of.kind]) if of.kind < len(inputs.values) else None
    at = of.a if of.out is None else of.out
    return SIZES.get(inputs.types[at]) if at < len(inputs.types) else None


def elementwise(inputs: Inputs) -> int | None:
    """Both inputs read, the result written in the wider of their types."""
    out = broadcast(inputs.shape(0), inputs.shape(1))
    first, second = inputs.bytes(0), inputs.bytes(1)
    if not inputs.shape(0) or out is None or first is None:
        return None
    if not inputs.shape(1):
        return first + prod(out) * SIZES[inputs.types[0]]
    if second is None:
        return None
    return first + second + prod(out) * max(SIZES[inputs.types[i]] for i in (0, 1))


def broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...] | None:
    """The common shape; None where there is none."""
    pairs = list(zip_longest(reversed(one), reversed(other), fillvalue=1))
    if any(x != y and 1 not in (x, y) for x, y in pairs):
        return None
    return tuple(y if x == 1 else x for x, y in reversed(pairs))
