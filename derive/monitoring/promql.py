"""The PromQL reading of a formula: what varies is a time series, everything else a number."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from derive.expression.tree import Binary, Call, Name, Negative, Node, Number, Power

LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
ATOM = 4
CLAMP = {"min": "clamp_max", "max": "clamp_min"}


def quoted(text: str) -> str:
    """A string literal of PromQL."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r") + '"'


def matchers(labels: Mapping[str, str]) -> str:
    """`{name="value",…}`; nothing where there are none."""
    inside = ",".join(f"{name}={quoted(value)}" for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def number(value: Fraction | float) -> str:
    """A number as Prometheus holds it, in 64 bits."""
    near = float(value)
    return str(int(near)) if near == int(near) and abs(near) < 10**15 else repr(near)


def promql(tree: Node, series: Mapping[str, str]) -> str:
    """The expression; `series` names the time series of each variable."""
    return printed(tree, series)[0]


def printed(tree: Node, series: Mapping[str, str]) -> tuple[str, int]:
    """Text and how tightly it binds."""
    match tree:
        case Name(id=name):
            return series[name], ATOM
        case Number(value=value):
            return number(value), ATOM if value >= 0 else 0
        case Negative(inner=inner):
            return operation("*", ("-1", 0), printed(inner, series))
        case Binary(op=op, left=left, right=right):
            return operation(op, printed(left, series), printed(right, series))
        case Power(base=base, exponent=exponent):
            return operation("^", printed(base, series), (str(exponent), ATOM))
        case Call(function="pow", args=(base, exponent)):
            return operation("^", printed(base, series), printed(exponent, series))
        case Call(function=("min" | "max") as function, args=args):
            return extreme(function, list(args), series), ATOM
        case Call(function=function, args=(inner,)):
            return f"{function}({promql(inner, series)})", ATOM
    raise TypeError(tree)


def operation(op: str, left: tuple[str, int], right: tuple[str, int]) -> tuple[str, int]:
    """Two sides with the brackets they need; ^ binds from the right, so both of its sides get them."""
    level = LEVEL[op]
    first = left[0] if left[1] > level or (left[1] == level and op != "^") else f"({left[0]})"
    second = right[0] if right[1] > level else f"({right[0]})"
    return f"{first} {op} {second}", level


def extreme(function: str, args: list[Node], series: Mapping[str, str]) -> str:
    """The smaller or larger one: PromQL clamps at numbers, and compares series by a filter."""
    varying = [promql(a, series) for a in args if not isinstance(a, Number)]
    fixed = [a.value for a in args if isinstance(a, Number)]
    sign = "<=" if function == "min" else ">="
    found = varying[0]
    for other in varying[1:]:
        found = f"((({found}) {sign} ({other})) or ({other}))"
    for value in fixed:
        found = f"{CLAMP[function]}({found}, {number(value)})"
    return found
