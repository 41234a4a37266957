"""The one grammar: declarations, ledgers, printed lines and `--formula` are read by it.

expression := term (("+" | "-") term)* ; term := factor (("*" | "/") factor)*
factor := "-" factor | atom ["^" ["-"] digit]
atom := number [" " unit] | name | name "(" expression ("," expression)* ")" | "(" expression ")"
number := 1,234.5 or 7e9 or 3/4

A number, a fraction and a unit have no space inside; the unit belongs to the number before it. A
fraction follows a space, a bracket or a sign: `a / 3/4` divides by three quarters, `a/3/4` twice.
Nothing is ever evaluated, and what a text can grow into is bounded here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.errors import DeriveError, Place, Problem, printable
from derive.expression.marks import underlined
from derive.expression.text import needs_brackets, number_text
from derive.expression.tree import (
    FUNCTIONS,
    Binary,
    Call,
    Measure,
    Name,
    Negative,
    Node,
    Number,
    Power,
    children,
)  # fmt: skip
from derive.text import Text, tr
from derive.units import Quantity, unit

LONGEST, DEEPEST, MOST = 4000, 60, 1000  # characters, nested brackets as printed, tokens
LARGEST_EXPONENT, LARGEST_POWER_OF_TEN, LONGEST_NUMBER = 8, 60, 60
HEAVIEST = 8000  # digits that the value of a tree can have, roughly
WEIGHT_OF_NAME = 30
DIGITS = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
END = r"(?=[\s)\],]|$)"
UNIT = r"(?:1(?=/)|[A-Za-zµ%]+(?:\^[0-9])?)(?:[*·/][A-Za-zµ%]+(?:\^[0-9])?)*"
FRACTION = rf"(?<![/÷^*]){DIGITS}/{DIGITS}{END}"
DECIMAL = rf"{DIGITS}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{{1,3}}(?![0-9.]))?"
TOKEN = re.compile(
    rf"\s*(?:(?P<number>{FRACTION}|{DECIMAL})(?: (?P<unit>{UNIT}){END})?"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<op>\*\*|[-+*/^(),·⋅×÷−]))"
)
SPELLINGS = {"·": "*", "⋅": "*", "×": "*", "÷": "/", "−": "-", "**": "^"}


@dataclass
class _Token:
    kind: str
    text: str
    unit: str
    start: int
    end: int


class _Parser:
    def __init__(self, text: str, place: Place | None) -> None:
        self.text, self.place, self.at, self.depth = text, place, 0, 0
        if len(text) > LONGEST:
            raise self.too_long()
        self.tokens = self.scan()

    def error(self, start: int, end: int, what: Text, hint: Text | None = None) -> DeriveError:
        excerpt = underlined(self.text, [(start, end)])
        return DeriveError(Problem("E101", what, self.place, excerpt, hint=hint))

    def too_long(self, start: int = 0, end: int = 1) -> DeriveError:
        return self.error(start, end, tr("the expression is too long to be read"))

    def scan(self) -> list[_Token]:
        tokens: list[_Token] = []
        at = 0
        while self.text[at:].strip():
            match = TOKEN.match(self.text, at)
            if not match:
                start = at + len(self.text[at:]) - len(self.text[at:].lstrip())
                found = printable(self.text[start : start + 10], 12)
                what = tr("cannot read {found} in a formula", found=found)
                raise self.error(start, start + 1, what)
            kind = "number" if match["number"] else match.lastgroup or ""
            word, start, at = match[kind], match.start(kind), match.end()
            tokens.append(_Token(kind, SPELLINGS.get(word, word), match["unit"] or "", start, at))
            if len(tokens) > MOST:
                raise self.too_long(start, at)
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def take(self) -> _Token:
        if self.at >= len(self.tokens):
            end = len(self.text.rstrip())
            raise self.error(end, end + 1, tr("the expression ends too early"))
        self.at += 1
        return self.tokens[self.at - 1]

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > 2 * DEEPEST:  # brackets as typed may be more than are needed
            here = self.tokens[min(self.at, len(self.tokens) - 1)]
            raise self.too_deep(here.start, here.end)

    def too_deep(self, start: int, end: int) -> DeriveError:
        return self.error(start, end, tr("the expression is nested too deeply"))

    def whole(self) -> Node:
        node = self.sum()
        if self.at < len(self.tokens):
            extra = self.tokens[self.at]
            found = printable(extra.text, 20)
            what = tr("expected an operator before {found}", found=found)
            raise self.error(extra.start, extra.end, what)
        if weight(node) > HEAVIEST:
            raise self.too_long(*node.span)
        if nesting(node) > DEEPEST:  # what is read can be printed and read again
            raise self.too_deep(*node.span)
        return node

    def sum(self) -> Node:
        self.deeper()
        node = self.product()
        while self.peek() in ("+", "-"):
            op = self.take().text
            right = self.product()
            node = Binary(op, node, right, span=(node.span[0], right.span[1]))
        self.depth -= 1
        return node

    def product(self) -> Node:
        node = self.factor()
        while self.peek() in ("*", "/"):
            op = self.take().text
            right = self.factor()
            node = Binary(op, node, right, span=(node.span[0], right.span[1]))
        return node

    def factor(self) -> Node:
        if self.peek() == "-":
            start = self.take().start
            inner = self.factor()
            return Negative(inner, span=(start, inner.span[1]))
        node = self.atom()
        if self.peek() == "^":
            self.take()
            sign = 1
            if self.peek() == "-":
                self.take()
                sign = -1
            token = self.take()
            small = token.kind == "number" and token.text.isdigit() and len(token.text) <= 2
            if not small or token.unit or int(token.text) > LARGEST_EXPONENT:
                what = tr("an exponent must be a whole number up to {largest}",
                          largest=LARGEST_EXPONENT)  # fmt: skip
                raise self.error(token.start, token.end, what)
            node = Power(node, sign * int(token.text), span=(node.span[0], token.end))
            if weight(node) > HEAVIEST:
                what = tr("powers of powers grow too large to be computed")
                raise self.error(*node.span, what)
        return node

    def atom(self) -> Node:
        token = self.take()
        span = (token.start, token.end)
        if token.kind == "number":
            return self.number(token)
        if token.kind == "name":
            if self.peek() == "(":
                return self.call(token)
            return Name(token.text, span=span)
        if token.text == "(":
            node = self.sum()
            close = self.close()
            return replace(node, span=(token.start, close.end))
        what = tr("expected a symbol or a number, found {found}", found=token.text)
        raise self.error(*span, what)

    def close(self) -> _Token:
        token = self.take()
        if token.text != ")":
            raise self.error(token.start, token.end, tr("expected a closing bracket"))
        return token

    def number(self, token: _Token) -> Node:
        span = (token.start, token.end)
        value = exact_value(token.text)
        if value is None:
            what = tr("{found} is no usable number", found=printable(token.text, 30))
            raise self.error(*span, what)
        digits = token.text if token.text != number_text(value) else ""
        if not token.unit:
            return Number(value, digits=digits, span=span)
        try:
            measured = unit(token.unit.replace("·", "*"))
            return Measure(Quantity(value, measured), digits=digits, span=span)
        except KeyError:
            what = tr("unknown unit {found} in a formula", found=printable(token.unit, 30))
            raise self.error(token.end - len(token.unit), token.end, what) from None

    def call(self, token: _Token) -> Node:
        if token.text not in FUNCTIONS:
            found, known = printable(token.text, 30), ", ".join(FUNCTIONS)
            what = tr("{found} is no function here; known are {known}", found=found, known=known)
            raise self.error(token.start, token.end, what)
        self.take()
        args = [self.sum()]
        while self.peek() == ",":
            self.take()
            args.append(self.sum())
        close = self.close()
        if token.text == "pow" and len(args) != 2:
            what = tr("{found} takes two arguments", found=token.text)
            raise self.error(token.start, close.end, what)
        one = token.text in ("floor", "ceil")
        if (len(args) != 1) if one else (len(args) < 2):
            what = tr("{found} takes two or more arguments", found=token.text)
            if one:
                what = tr("{found} takes one argument", found=token.text)
            comma = (
                not one and "," in self.text[token.end : close.start]
            )  # max(1,234) is one number
            hint = tr("write a space after the comma between arguments") if comma else None
            raise self.error(token.start, close.end, what, hint)
        return Call(token.text, tuple(args), span=(token.start, close.end))


def exact_value(text: str) -> Fraction | None:
    """The value of a number token; None where it is too long, too large or divided by zero."""
    digits, _, below = text.replace(",", "").partition("/")
    mantissa, _, power = digits.lower().partition("e")
    too_long = len(mantissa) + len(below) > LONGEST_NUMBER
    if too_long or abs(int(power or 0)) > LARGEST_POWER_OF_TEN or (below and int(below) == 0):
        return None
    return Fraction(mantissa) * Fraction(10) ** int(power or 0) / int(below or 1)


def weight(node: Node) -> int:
    """Roughly how many digits the value of a tree can have."""
    match node:
        case Name():
            return WEIGHT_OF_NAME
        case Number(value=value) | Measure(quantity=Quantity(value=value)):
            return (value.numerator.bit_length() + value.denominator.bit_length()) // 3 + 1
        case Power(base=base, exponent=exponent):
            return weight(base) * abs(exponent)
    return sum(weight(child) for child in children(node))


def nesting(node: Node) -> int:
    """How many brackets stand within each other where a tree is printed."""
    right = node.right if isinstance(node, Binary) else None
    return isinstance(node, Call) + max(
        (nesting(c) + needs_brackets(c, node, c is right) for c in children(node)), default=0
    )


def parse(text: str, place: Place | None = None) -> Node:
    """Read one expression; DeriveError marks what cannot be read."""
    return _Parser(text, place).whole()
