"""Random numbers, units and expression trees for property tests."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power
from derive.notation import CONSTANTS, SYMBOLS
from derive.units import Dimension, Quantity, Unit, unit

NAMES = sorted([*SYMBOLS, *CONSTANTS])
COUNTED = ("request", "device", "token")
# every dimension that a contract unit has, with other units of the same dimension
ALIKE = (
    ("", "%"),
    ("byte", "GB", "MiB", "kbit"),
    ("s", "ms", "µs", "hour"),
    ("token", "Mtoken"),
    ("request",),
    ("device",),
    ("param", "Gparam"),
    ("element", "kelement"),
    ("FLOP", "TFLOP", "GOP"),
    ("USD",),
    ("J", "kJ", "W*s", "kWh"),
    ("byte/s/device", "TB/s/device", "GiB/s/device"),
    ("FLOP/s/device", "PFLOP/s/device"),
    ("FLOP/byte", "TFLOP/GB"),
    ("byte/token", "KiB/token"),
    ("byte/param", "GB/Gparam"),
    ("s*request/token", "ms*request/token"),
    ("token/s/request", "token/ms/request"),
    ("USD/hour/device", "USD/s/device"),
)
UNITS = [unit(text) for row in ALIKE for text in row]

decimals = st.decimals(
    min_value=0, max_value=10**7, allow_nan=False, allow_infinity=False, places=4
).map(Fraction)
numbers = st.one_of(
    st.integers(0, 10**6).map(Fraction),
    decimals,
    st.fractions(min_value=0, max_value=1000, max_denominator=997),
)
positive = numbers.filter(lambda number: number > 0)
units = st.sampled_from(UNITS)
quantities = st.builds(Quantity, numbers, units)
measures = st.builds(Measure, quantities.filter(lambda quantity: bool(quantity.unit.terms)))
dimensions = st.sampled_from([unit(row[0]).dimension for row in ALIKE])


def trees(leaves: st.SearchStrategy[Node], most: int = 12) -> st.SearchStrategy[Node]:
    """Trees of any shape over some leaves; units are not looked at."""

    def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        both = st.tuples(inner, inner)
        return st.one_of(
            st.builds(lambda op, pair: Binary(op, *pair), st.sampled_from("+-*/"), both),
            st.builds(Negative, inner),
            st.builds(Power, inner, st.integers(-3, 4)),
            st.builds(
                Call,
                st.sampled_from(("min", "max")),
                st.lists(inner, min_size=2, max_size=3).map(tuple),
            ),
            st.builds(Call, st.sampled_from(("floor", "ceil")), inner.map(lambda i: (i,))),
        )

    return st.recursive(leaves, larger, max_leaves=most)


symbolic = trees(st.one_of(st.builds(Name, st.sampled_from(NAMES)), st.builds(Number, numbers)))
with_values = trees(st.one_of(st.builds(Number, numbers), measures))


def units_of(wanted: Dimension) -> st.SearchStrategy[Unit]:
    """Units of one dimension, with and without prefixes."""
    found = [u for u in UNITS if u.dimension == wanted]
    return st.sampled_from(found or [wanted.unit])


@st.composite
def measured(draw: st.DrawFn, wanted: Dimension, depth: int = 3) -> Node:
    """A tree of values whose units agree and whose whole has the wanted dimension."""
    kinds = (
        ["leaf"] if depth == 0 else ["leaf", "times", "over", "sum", "extreme", "power", "round"]
    )
    kind = draw(st.sampled_from(kinds))
    inner = depth - 1
    if kind == "times":
        factor = draw(dimensions)
        return Binary("*", draw(measured(wanted / factor, inner)), draw(measured(factor, inner)))
    if kind == "over":
        factor = draw(dimensions)
        return Binary("/", draw(measured(wanted * factor, inner)), draw(measured(factor, inner)))
    if kind == "sum":
        sign = draw(st.sampled_from("+-"))
        return Binary(sign, draw(measured(wanted, inner)), draw(measured(wanted, inner)))
    if kind == "extreme":
        args = [draw(measured(wanted, inner)), draw(measured(wanted, inner))]
        return Call(draw(st.sampled_from(("min", "max"))), tuple(args))
    if kind == "power" and wanted == unit("").dimension:
        return Power(draw(measured(wanted, inner)), draw(st.integers(-2, 3)))
    if kind == "round" and wanted in [unit(u).dimension for u in COUNTED]:
        return Call(draw(st.sampled_from(("floor", "ceil"))), (draw(measured(wanted, inner)),))
    amount, in_unit = draw(positive), draw(units_of(wanted))
    return Measure(Quantity(amount, in_unit)) if in_unit.terms else Number(amount)
