"""The LaTeX printer. Equations hold no words, so one picture serves both languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from derive.expression.text import digits_of, needs_brackets, number_text
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power, walk

LEFT, RIGHT = r"\left(", r"\right)"
Letters = Callable[[str], str]
BRACKETS = {"floor": (r"\left\lfloor", r"\right\rfloor"), "ceil": (r"\left\lceil", r"\right\rceil")}


def quantity_latex(number: str, unit: str) -> str:
    """A number with an upright unit; the number stays one text node."""
    body = rf"\text{{{number}}}"
    return rf"{body}\ {unit_latex(unit)}" if unit else body


def unit_latex(unit: str) -> str:
    """A unit in upright letters, its powers raised."""
    safe = unit.replace("%", r"\%").replace("*", "·")
    first, *powers = safe.split("^")
    made = rf"\text{{{first}}}"
    for power in powers:  # the digit of a power, then the rest of the unit
        made += f"^{{{power[0]}}}" + (rf"\text{{{power[1:]}}}" if power[1:] else "")
    return made


def latex(node: Node, letters: Letters, *, stacked: bool = False, inline: bool = False) -> str:
    """The tree in LaTeX.

    `stacked` sets arguments of min and max one below the other; `inline` keeps quotients on one
    line, with a stroke.
    """
    printer = _Printer(letters, stacked, r"\times" if has_measures(node) else r"\cdot")
    return printer.bare(node, deep=inline)


@dataclass(frozen=True)
class _Printer:
    letters: Letters
    stacked: bool
    times: str

    def inside(self, part: Node, parent: Node, *, right: bool = False, deep: bool = False) -> str:
        """A part within its parent, in brackets where they are needed."""
        body = self.bare(part, deep=deep)
        if not deep:
            quotient = is_fraction(part) and not isinstance(parent, Power)
            if is_fraction(parent) or quotient:
                return body  # a set fraction needs no brackets, nor do its parts
        return rf"\left({body}\right)" if needs_brackets(part, parent, right) else body

    def bare(self, part: Node, *, deep: bool = False) -> str:
        """A part without brackets around it; `deep` inside a fraction, where / stays a stroke."""
        match part:
            case Name(id=name):
                return self.letters(name)
            case Number() | Measure():
                return number_latex(part)
            case Negative(inner=inner):
                return "-" + self.inside(inner, part, deep=deep)
            case Power(base=base, exponent=exponent):
                return f"{{{self.inside(base, part, deep=deep)}}}^{{{exponent}}}"
            case Binary(op="/", left=left, right=second) if not deep:
                top, below = self.bare(left, deep=True), self.bare(second, deep=True)
                return rf"\frac{{{top}}}{{{below}}}"
            case Binary(op=op, left=left, right=second):
                sign = self.times if op == "*" else op
                one = self.inside(left, part, deep=deep)
                return f"{one} {sign} {self.inside(second, part, right=True, deep=deep)}"
            case Call(function=function, args=args):
                if function == "pow":
                    return self.power(*args)
                return self.call(function, [self.bare(a, deep=deep) for a in args])
        raise TypeError(part)

    def power(self, base: Node, exponent: Node) -> str:
        """A base to a symbolic exponent."""
        below, above = self.bare(base, deep=True), self.bare(exponent, deep=True)
        if not isinstance(base, Name):
            below = f"{LEFT}{below}{RIGHT}"
        return f"{{{below}}}^{{{above}}}"

    def call(self, function: str, args: list[str]) -> str:
        """min, max, floor or ceil."""
        if function in BRACKETS:
            opening, closing = BRACKETS[function]
            return f"{opening} {args[0]} {closing}"
        if self.stacked:
            rows = r" ,\\ ".join(f"& {a}" for a in args)
            return rf"\{function}\left(\,\begin{{aligned}}{rows}\end{{aligned}}\,\right)"
        row = r" ,\; ".join(args)
        return rf"\{function}\left({row}\right)"


def is_fraction(node: Node) -> bool:
    """Whether a node is set as a fraction."""
    return isinstance(node, Binary) and node.op == "/"


def number_latex(part: Number | Measure) -> str:
    """A number; with a unit it stays on one line, without one a fraction is set as such."""
    text = digits_of(part)
    if "e" in text.lower():  # 7e9 is how a user types it, not how it is set
        text = number_text(part.quantity.value if isinstance(part, Measure) else part.value)
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)  # a minus, no hyphen
    if isinstance(part, Measure):
        return sign + quantity_latex(text, part.quantity.unit.text)
    top, _, below = text.partition("/")
    number = rf"\frac{{\text{{{top}}}}}{{\text{{{below}}}}}" if below else rf"\text{{{text}}}"
    return sign + number


def has_measures(node: Node) -> bool:
    """Whether a tree is a line of values."""
    return any(isinstance(part, Measure) for part in walk(node))
