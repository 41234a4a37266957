"""The algebra reading: to sympy and back into the same kind of tree, ordered by symbol rank."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power

Rank = Callable[[str], int]


def symbol(name: str) -> Any:
    """Every symbol is positive and real: counts, rates, sizes."""
    import sympy

    return sympy.Symbol(name, positive=True)


def to_sympy(node: Node) -> Any:
    """The tree as a sympy expression; numbers with units are not algebra and are refused."""
    import sympy

    match node:
        case Name(id=name):
            return symbol(name)
        case Number(value=number):
            return sympy.Rational(number.numerator, number.denominator)
        case Negative(inner=inner):
            return -to_sympy(inner)
        case Power(base=base, exponent=exponent):
            return to_sympy(base) ** exponent
        case Binary(op=op, left=left, right=right):
            a, b = to_sympy(left), to_sympy(right)
            if op == "+":
                return a + b
            if op == "-":
                return a - b
            return a * b if op == "*" else a / b
        case Call(function=function, args=args):
            made = {
                "min": sympy.Min, "max": sympy.Max, "floor": sympy.floor, "ceil": sympy.ceiling,
            }[function]  # fmt: skip
            return made(*(to_sympy(a) for a in args))
        case Measure(quantity=quantity):
            if quantity.value == 0:  # nought is nought in any unit
                return sympy.Integer(0)
            raise TypeError("a number with a unit is no algebra")
    raise TypeError(node)


def from_sympy(expression: Any, rank: Rank) -> Node:
    """A sympy expression as a tree: one fraction, factors and terms ordered by rank."""
    import sympy

    def key(part: Any) -> tuple[int, list[int], str]:
        ranks = sorted(rank(s.name) for s in part.free_symbols)
        return (0 if not part.free_symbols else 1, ranks, str(part))

    def leaf(part: Any) -> Node:
        if part.is_Symbol:
            return Name(part.name)
        if part.is_Rational:
            number = Number(Fraction(abs(int(part.p)), int(part.q)))
            return Negative(number) if part.p < 0 else number
        if part.is_Pow and part.exp.is_Integer and part.exp > 0:
            return Power(convert(part.base), int(part.exp))
        functions = {sympy.Min: "min", sympy.Max: "max", sympy.floor: "floor", sympy.ceiling: "ceil"}
        if part.func in functions:
            return Call(functions[part.func], tuple(convert(a) for a in sorted(part.args, key=key)))
        return convert(part)

    def product(part: Any) -> Node:
        factors = sorted(part.args if part.is_Mul else [part], key=key)
        sign = 1
        plain = []
        for factor in factors:
            if factor.is_Rational and factor < 0:
                sign, factor = -sign, -factor
            if factor != 1 or len(factors) == 1:
                plain.append(factor)
        made = reduce(lambda a, b: Binary("*", a, b), [leaf(f) for f in plain or [sympy.Integer(1)]])
        return Negative(made) if sign < 0 else made

    def convert(part: Any) -> Node:
        if part.is_Add:
            terms = sorted(part.args, key=lambda t: (t.could_extract_minus_sign(), key(t)))
            made = convert(terms[0])
            for term in terms[1:]:
                if term.could_extract_minus_sign():
                    made = Binary("-", made, convert(-term))
                else:
                    made = Binary("+", made, convert(term))
            return made
        top, below = sympy.fraction(part)
        if below != 1:
            return Binary("/", convert(top), convert(below))
        return product(part) if part.is_Mul else leaf(part)

    return convert(sympy.factor_terms(sympy.together(expression)) if not expression.is_Add else expression)
