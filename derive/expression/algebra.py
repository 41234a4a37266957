"""The algebra reading: to sympy and back into the same kind of tree, ordered by symbol rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from derive.expression.grammar import LARGEST_EXPONENT
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power

LARGEST_NUMERIC = 256
Rank = Callable[[str], int]

# Every symbol is positive (counts, rates, sizes) but these, of which algebra may assume no sign.
SIGNED = frozenset({"M_free", "share_lookup", "margin_TTFT", "margin_TPOT"})


def symbol(name: str) -> Any:
    """The symbol of an id; real, and positive where it always is."""
    import sympy

    return sympy.Symbol(name, real=True) if name in SIGNED else sympy.Symbol(name, positive=True)


def to_sympy(node: Node) -> Any:
    """The tree as a sympy expression; ZeroDivisionError where it divides by nought.

    Numbers with units are not algebra: TypeError.
    """
    import sympy

    match node:
        case Name(id=name):
            return symbol(name)
        case Number(value=number):
            return sympy.Rational(number.numerator, number.denominator)
        case Negative(inner=inner):
            return -to_sympy(inner)
        case Power(base=base, exponent=exponent):
            return not_nought(to_sympy(base), exponent < 0) ** exponent
        case Binary(op=op, left=left, right=right):
            a, b = to_sympy(left), to_sympy(right)
            if op == "+":
                return a + b
            if op == "-":
                return a - b
            return a * b if op == "*" else a / not_nought(b)
        case Call(function="pow", args=(base, exponent)):
            below, above = to_sympy(base), to_sympy(exponent)
            if below.is_number and above.is_number and above > LARGEST_NUMERIC:
                raise ArithmeticError("a power of numbers that is too large")
            return below**above
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


def not_nought(divisor: Any, divides: bool = True) -> Any:
    """A divisor that is not nought by itself."""
    if divides and divisor == 0:
        raise ZeroDivisionError
    return divisor


def from_sympy(expression: Any, rank: Rank) -> Node:
    """A sympy expression as a tree: one fraction, factors and terms ordered by rank.

    ArithmeticError where it is no expression of ours (a root, a logarithm, infinity).
    """
    import sympy

    if not expression.is_Add:
        expression = sympy.factor_terms(sympy.together(expression))
    return _Tree(rank).of(expression)


@dataclass(frozen=True)
class _Tree:
    rank: Rank

    def key(self, part: Any) -> tuple[int, list[int], str]:
        """Numbers first, then by the ranks of the symbols."""
        ranks = sorted(self.rank(s.name) for s in part.free_symbols)
        return (1 if part.free_symbols else 0, ranks, str(part))

    def of(self, part: Any) -> Node:
        """Any part."""
        import sympy

        if part.is_Add:
            return self.sum(part)
        top, below = sympy.fraction(part)
        if below != 1 and not part.is_Rational:
            return Binary("/", self.of(top), self.of(below))
        return self.product(part) if part.is_Mul else self.leaf(part)

    def sum(self, part: Any) -> Node:
        """Terms by rank, those with a minus sign last."""
        terms = sorted(part.args, key=lambda t: (is_negative(t), self.key(t)))
        made = self.of(terms[0])
        for term in terms[1:]:
            if is_negative(term):
                made = Binary("-", made, self.of(-term))
            else:
                made = Binary("+", made, self.of(term))
        return made

    def product(self, part: Any) -> Node:
        """Factors by rank, one minus sign in front."""
        negative = is_negative(part)
        factors = sympy_factors(-part if negative else part)
        leaves = [self.leaf(f) for f in sorted(factors, key=self.key)]
        made = reduce(lambda a, b: Binary("*", a, b), leaves)
        return Negative(made) if negative else made

    def leaf(self, part: Any) -> Node:
        """A symbol, a number, a power or a function."""
        if part.is_Symbol:
            return Name(part.name)
        if part.is_Rational:
            number = Number(Fraction(abs(int(part.p)), int(part.q)))
            return Negative(number) if part.p < 0 else number
        if part.is_Pow and part.exp.is_Integer and part.exp > 0:
            return powers(self.of(part.base), int(part.exp))
        if part.is_Pow and not part.exp.is_Rational:
            return Call("pow", (self.of(part.base), self.of(part.exp)))
        if part.is_Add:
            return self.sum(part)
        name = {"Min": "min", "Max": "max", "floor": "floor", "ceiling": "ceil"}.get(
            type(part).__name__
        )
        if name is None:
            raise ArithmeticError(f"no expression of ours: {part}")
        return Call(name, tuple(self.of(a) for a in sorted(part.args, key=self.key)))


def powers(base: Node, exponent: int) -> Node:
    """A power as the grammar takes it: b^20 is b^8 · b^8 · b^4."""
    pieces = [LARGEST_EXPONENT] * (exponent // LARGEST_EXPONENT)
    pieces += [exponent % LARGEST_EXPONENT] if exponent % LARGEST_EXPONENT else []
    made: list[Node] = [base if piece == 1 else Power(base, piece) for piece in pieces]
    return reduce(lambda a, b: Binary("*", a, b), made)


def is_negative(part: Any) -> bool:
    """Whether a term has a minus sign in front."""
    return bool(part.as_coeff_Mul()[0].is_negative)


def sympy_factors(part: Any) -> list[Any]:
    """The factors of a product without a leading 1."""
    return [f for f in (part.args if part.is_Mul else [part]) if f != 1] or [part]
