"""The one grammar: declarations, ledgers, printed lines and `--formula` are read by it.

expression := term (("+" | "-") term)* ; term := factor (("*" | "/") factor)*
factor := ["-"] atom ["^" integer] ; atom := number [unit] | name | name "(" args ")" | "(" … ")"

An operator has a space on each side or stands between names; a number, a fraction and a unit
have none inside; the unit belongs to the number before it. Nothing is ever evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.errors import DeriveError, Place, Problem, printable
from derive.expression.tree import (
    FUNCTIONS, Binary, Call, Measure, Name, Negative, Node, Number, Power,
)  # fmt: skip
from derive.text import tr
from derive.units import Quantity, unit

LONGEST, DEEPEST, MOST = 4000, 60, 800
LARGEST_EXPONENT, LARGEST_POWER = 8, 64
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[1-9]\d{0,2}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:/\d+(?=[\s)\],]|$))?)"
    r"(?:[ ](?P<unit>[A-Za-zµ%1][A-Za-zµ]*(?:\^\d+)?(?:[*/][A-Za-zµ]+(?:\^\d+)?)*)(?=[\s)\],]|$))?"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<op>\*\*|[-+*/^(),·×÷−]))"
)
SPELLINGS = {"·": "*", "×": "*", "÷": "/", "−": "-", "**": "^"}


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
            raise self.error(0, 0, "the expression is too long to be read")
        self.tokens = self.scan()
        if len(self.tokens) > MOST:
            raise self.error(0, 0, "the expression is too long to be read")

    def error(self, start: int, end: int, what: str, **values: str) -> DeriveError:
        marks = " " * start + "^" * max(1, end - start)
        excerpt = (printable(self.text, 160), marks) if len(self.text) <= 160 else ()
        return DeriveError(Problem("E101", tr(what, **values), self.place, excerpt))

    def scan(self) -> list[_Token]:
        tokens, at = [], 0
        while self.text[at:].strip():
            match = TOKEN.match(self.text, at)
            if not match:
                start = at + len(self.text[at:]) - len(self.text[at:].lstrip())
                found = printable(self.text[start : start + 10], 12)
                raise self.error(start, start + 1, "cannot read {found} in a formula", found=found)
            kind = match.lastgroup or ""
            kind = "number" if match["number"] else kind
            word = match[kind]
            start = match.start(kind)
            tokens.append(_Token(kind, SPELLINGS.get(word, word), match["unit"] or "", start, match.end()))
            at = match.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def take(self) -> _Token:
        if self.at >= len(self.tokens):
            end = len(self.text)
            raise self.error(end, end + 1, "the expression ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(0, 0, "the expression is nested too deeply")

    def whole(self) -> Node:
        node = self.sum()
        if self.at < len(self.tokens):
            extra = self.tokens[self.at]
            raise self.error(
                extra.start, extra.end, "expected an operator before {found}", found=printable(extra.text, 20)
            )
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
            self.deeper()
            inner = self.factor()
            self.depth -= 1
            return Negative(inner, span=(start, inner.span[1]))
        node = self.atom()
        if self.peek() == "^":
            self.take()
            sign = -1 if self.peek() == "-" else 1
            if sign < 0:
                self.take()
            token = self.take()
            if token.kind != "number" or not token.text.isdigit() or token.unit:
                raise self.error(token.start, token.end, "an exponent must be a small integer")
            exponent = sign * int(token.text[:9])
            if abs(exponent) > LARGEST_EXPONENT or abs(exponent) * power_inside(node) > LARGEST_POWER:
                raise self.error(token.start, token.end, "an exponent must be a small integer")
            node = Power(node, exponent, span=(node.span[0], token.end))
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
        raise self.error(*span, "expected a symbol or a number, found {found}", found=token.text)

    def close(self) -> _Token:
        token = self.take()
        if token.text != ")":
            raise self.error(token.start, token.end, "expected a closing bracket")
        return token

    def number(self, token: _Token) -> Node:
        span = (token.start, token.end)
        digits, _, below = token.text.replace(",", "").partition("/")
        if len(token.text) > 120 or (below and int(below) == 0):
            raise self.error(*span, "{found} is no usable number", found=printable(token.text, 30))
        value = Fraction(digits) / int(below or 1)
        if not token.unit:
            return Number(value, span=span)
        try:
            return Measure(Quantity(value, unit(token.unit)), span=span)
        except (KeyError, ValueError):
            found = printable(token.unit, 30)
            raise self.error(*span, "unknown unit {found} in a formula", found=found) from None

    def call(self, token: _Token) -> Node:
        if token.text not in FUNCTIONS:
            raise self.error(
                token.start, token.end, "{found} is no function here; known are min, max, floor, ceil",
                found=printable(token.text, 30),
            )  # fmt: skip
        self.take()
        args = [self.sum()]
        while self.peek() == ",":
            self.take()
            args.append(self.sum())
        close = self.close()
        wanted = 1 if token.text in ("floor", "ceil") else 2
        if len(args) < wanted or (wanted == 1 and len(args) > 1):
            raise self.error(token.start, close.end, "wrong number of arguments")
        return Call(token.text, tuple(args), span=(token.start, close.end))


def power_inside(node: Node) -> int:
    """The largest product of exponents already nested in a tree: powers of powers stay small."""
    from derive.expression.tree import children

    inner = max((power_inside(c) for c in children(node)), default=1)
    return inner * abs(node.exponent) if isinstance(node, Power) else inner


def parse(text: str, place: Place | None = None) -> Node:
    """Read one expression; DeriveError marks what cannot be read."""
    return _Parser(text, place).whole()
