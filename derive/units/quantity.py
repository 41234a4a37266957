"""Dimension, unit and quantity: exact, immutable, with our own printing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any

from derive.text import Text
from derive.units.definitions import base_of
from derive.units.digits import exact
from derive.units.names import symbols

# How an engineer calls a dimension, in the order the bases are printed.
BASES = (
    "operation", "information", "energy", "currency", "yuan", "euro", "parameter", "element",
    "token", "request", "time", "device",
)  # fmt: skip
BASE_NAMES = {
    "operation": Text("operation", "运算"),
    "information": Text("information", "信息量"),
    "energy": Text("energy", "能量"),
    "currency": Text("US dollar", "美元"),
    "yuan": Text("yuan", "人民币"),
    "euro": Text("euro", "欧元"),
    "parameter": Text("parameter", "参数"),
    "element": Text("element", "元素"),
    "token": Text("token", "token"),
    "request": Text("request", "请求"),
    "time": Text("time", "时间"),
    "device": Text("device", "设备"),
}
BASE_SYMBOLS = {
    "operation": "FLOP", "information": "byte", "energy": "J", "currency": "USD",
    "yuan": "CNY", "euro": "EUR",
    "parameter": "param", "element": "element", "token": "token", "request": "request",
    "time": "s", "device": "device",
}  # fmt: skip


@dataclass(frozen=True)
class Dimension:
    """Exponents of the base dimensions; the empty one is a pure number."""

    powers: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def of(powers: dict[str, int]) -> Dimension:
        """Normal form: base order, no zeros."""
        return Dimension(tuple((b, powers[b]) for b in BASES if powers.get(b)))

    def __mul__(self, other: Dimension) -> Dimension:
        powers = dict(self.powers)
        for base, p in other.powers:
            powers[base] = powers.get(base, 0) + p
        return Dimension.of(powers)

    def __pow__(self, exponent: int) -> Dimension:
        return Dimension.of({b: p * exponent for b, p in self.powers})

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def in_(self, lang: str) -> str:
        """`operation / time / device`: the expanded form of messages."""

        def show(base: str, power: int) -> str:
            name = BASE_NAMES[base].in_(lang)
            return name if power == 1 else f"{name}^{power}"

        top = [show(b, p) for b, p in self.powers if p > 0]
        below = [show(b, -p) for b, p in self.powers if p < 0]
        if not top and not below:
            return Text("a pure number", "纯数").in_(lang)
        return " / ".join([" · ".join(top) or "1", *below])

    @property
    def text(self) -> Text:
        """The expanded dimension in both languages."""
        return Text(self.in_("en"), self.in_("zh"))

    @property
    def everyday(self) -> Text | None:
        """The everyday name, where there is one; a rate per device keeps its name."""
        powers = dict(self.powers)
        if powers.get("device") == -1:
            del powers["device"]
        return everyday_names().get(Dimension.of(powers))

    @property
    def unit(self) -> Unit:
        """The coherent base unit of this dimension; times come first, as in s*request/token."""
        times_first = sorted(self.powers, key=lambda power: power[0] != "time" or power[1] < 0)
        return Unit(tuple((BASE_SYMBOLS[b], p) for b, p in times_first))


NUMBER = Dimension()


@dataclass(frozen=True)
class Unit:
    """A product of unit symbols with integer powers, in the writer's order."""

    terms: tuple[tuple[str, int], ...] = ()

    @cached_property
    def factor(self) -> Fraction:
        """How many coherent base units one of this unit is, exactly."""
        result = Fraction(1)
        for symbol, power in self.terms:
            result *= base_of(symbols()[symbol][0])[0] ** power
        return result

    @cached_property
    def dimension(self) -> Dimension:
        """The dimension by the definitions file."""
        result = NUMBER
        for symbol, power in self.terms:
            result = result * Dimension.of(dict(base_of(symbols()[symbol][0])[1])) ** power
        return result

    @property
    def pint_powers(self) -> tuple[tuple[str, int], ...]:
        """(pint unit name, exponent) pairs, each name once."""
        powers: dict[str, int] = {}
        for symbol, power in self.terms:
            name = symbols()[symbol][0]
            powers[name] = powers.get(name, 0) + power
        return tuple((n, p) for n, p in powers.items() if p)

    @property
    def text(self) -> str:
        """`token/s/device`, `s*request/token`, `1/s`: the contract's notation."""

        def show(symbol: str, power: int) -> str:
            return symbol if power == 1 else f"{symbol}^{power}"

        top = "*".join(show(s, p) for s, p in self.terms if p > 0)
        below = "".join("/" + show(s, -p) for s, p in self.terms if p < 0)
        return (top or "1") + below if self.terms else ""

    def __mul__(self, other: Unit) -> Unit:
        powers: dict[str, int] = {}
        for symbol, power in (*self.terms, *other.terms):
            powers[symbol] = powers.get(symbol, 0) + power
        return Unit(tuple((s, p) for s, p in powers.items() if p))

    def __pow__(self, exponent: int) -> Unit:
        return Unit(tuple((s, p * exponent) for s, p in self.terms))


@dataclass(frozen=True)
class Quantity:
    """An exact value with its unit."""

    value: Fraction
    unit: Unit

    @cached_property
    def base(self) -> Fraction:
        """The value in coherent base units."""
        return self.value * self.unit.factor

    @property
    def dimension(self) -> Dimension:
        """The dimension of the unit."""
        return self.unit.dimension

    def to(self, unit: Unit) -> Quantity:
        """The same quantity in another unit of the same dimension."""
        if unit.dimension != self.unit.dimension:
            raise ValueError(f"{self.unit.text} is not {unit.text}")
        return Quantity(self.base / unit.factor, unit)

    @property
    def text(self) -> str:
        """The exact value with its unit, as `read` reads it back: `2/3 byte/param`."""
        return f"{exact(self.value)} {self.unit.text}".rstrip()

    @property
    def pint(self) -> Any:
        """The same quantity as pint holds it, for the independent recomputation."""
        from derive.units.registry import pint_quantity

        return pint_quantity(self.value, self.unit.pint_powers)


UNIT = re.compile(r"(?:1|[A-Za-zµ%]+(?:\^[0-9])?)(?:[*/][A-Za-zµ%]+(?:\^[0-9])?)*")
MOST_TERMS = 8


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit:
    """A unit in the notation of the contract (`byte/s/device`); KeyError where it is none."""
    text = text.replace(" ", "")
    if not text:
        return Unit()
    pieces = re.findall(r"[*/]|[^*/]+", text)
    if not UNIT.fullmatch(text) or len(pieces) > 2 * MOST_TERMS:
        raise KeyError(f"no unit: {text[:40]!r}")
    terms = []
    for sign, word in zip(["*", *pieces[1::2]], pieces[::2], strict=True):
        symbol, _, power = word.partition("^")
        if symbol == "1":
            continue
        if symbol not in symbols():
            raise KeyError(f"unknown unit {symbol!r} in {text[:40]!r}")
        terms.append((symbol, int(power or 1) * (1 if sign == "*" else -1)))
    return Unit(tuple(terms))


@cache
def everyday_names() -> dict[Dimension, Text]:
    """Dimensions that engineers have a name for."""
    named = (
        ("FLOP/s", "a compute rate", "算力"),
        ("byte/s", "a data rate", "带宽"),
        ("FLOP/byte", "an arithmetic intensity", "算术强度"),
        ("byte", "an amount of data", "字节数"),
        ("FLOP", "an operation count", "运算量"),
        ("byte/token", "bytes per token", "每 token 字节数"),
        ("byte/param", "bytes per parameter", "每参数字节数"),
        ("byte/element", "bytes per element", "每元素字节数"),
        ("FLOP/param/token", "operations per parameter and token", "每参数每 token 运算量"),
        ("s", "a time", "时间"),
        ("s*request/token", "a time per output token", "每 token 时间"),
        ("s/token", "a time per token", "每 token 时间"),
        ("token/s", "a token rate", "token 速率"),
        ("token/s/request", "a token rate per request", "单请求 token 速率"),
        ("token/request", "tokens per request", "每请求 token 数"),
        ("request/s", "a request rate", "请求速率"),
        ("token", "a token count", "token 数"),
        ("param", "a parameter count", "参数量"),
        ("request", "a number of requests", "请求数"),
        ("device", "a number of devices", "设备数"),
        ("W", "a power", "功率"),
        ("J", "an energy", "能量"),
        ("USD", "an amount of money", "金额"),
        ("USD/s", "a price per time", "单位时间价格"),
        ("USD/token", "a price per token", "每 token 价格"),
        ("CNY", "an amount of money", "金额"),
        ("EUR", "an amount of money", "金额"),
    )
    return {unit(text).dimension: Text(en, zh) for text, en, zh in named}
