"""The LaTeX printer. Equations hold no words, so one picture serves both languages."""

from __future__ import annotations

from collections.abc import Callable

from derive.expression.text import needs_brackets, number_text
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power

Letters = Callable[[str], str]
BRACKETS = {"floor": (r"\left\lfloor", r"\right\rfloor"), "ceil": (r"\left\lceil", r"\right\rceil")}


def quantity_latex(number: str, unit: str) -> str:
    """A number with an upright unit; the number stays one text node."""
    body = rf"\text{{{number}}}"
    return body + rf"\ \text{{{unit.replace('%', chr(92) + '%')}}}" if unit else body


def latex(node: Node, letters: Letters, *, stacked: bool = False, flat: bool = False) -> str:
    """The tree in LaTeX; `stacked` sets arguments of min and max one below the other, `flat`
    also breaks a quotient before its divisor, for lines too wide for the column."""

    def show(part: Node, parent: Node | None = None, right: bool = False) -> str:
        body = bare(part, parent)
        fraction = isinstance(part, Binary) and part.op == "/"
        inside_fraction = isinstance(parent, Binary) and parent.op == "/"
        if parent is None or (inside_fraction and not isinstance(parent, Power)):
            return body
        if fraction and not isinstance(parent, Power):
            return body  # a set fraction needs no brackets inside a product or a sum
        if needs_brackets(part, parent, right):
            return rf"\left({body}\right)"
        return body

    def bare(part: Node, parent: Node | None) -> str:
        match part:
            case Name(id=name):
                return letters(name)
            case Number(value=value):
                text = number_text(value)
                top, _, below = text.partition("/")
                return rf"\frac{{{top}}}{{{below}}}" if below else rf"\text{{{text}}}"
            case Measure(quantity=quantity):
                return quantity_latex(number_text(quantity.value), quantity.unit.text)
            case Negative(inner=inner):
                return "-" + show(inner, part)
            case Power(base=base, exponent=exponent):
                return f"{show(base, part)}^{{{exponent}}}"
            case Binary(op="/", left=left, right=second):
                return rf"\frac{{{show(left, part)}}}{{{show(second, part)}}}"
            case Binary(op=op, left=left, right=second):
                both = (left, second)
                values = any(isinstance(p, Measure) for p in both) or has_measures(part)
                sign = {"*": r"\times" if values else r"\cdot"}.get(op, op)
                return f"{show(left, part)} {sign} {show(second, part, True)}"
            case Call(function="min" | "max" as function, args=args):
                inner = [show(a) for a in args]
                if stacked:
                    rows = r" ,\\ ".join(f"& {a}" for a in inner)
                    return rf"\{function}\left(\begin{{aligned}}{rows}\end{{aligned}}\right)"
                row = r" ,\; ".join(inner)
                return rf"\{function}\left({row}\right)"
            case Call(function=function, args=args):
                left_bracket, right_bracket = BRACKETS[function]
                return f"{left_bracket} {show(args[0])} {right_bracket}"
        raise TypeError(part)

    if flat and isinstance(node, Binary) and node.op == "/":
        top, below = show(node.left), show(node.right)
        return rf"\begin{{aligned}}& \left({top}\right)\\& \quad \div \left({below}\right)\end{{aligned}}"
    return show(node)


def has_measures(node: Node) -> bool:
    """Whether a tree is a line of values."""
    from derive.expression.tree import walk

    return any(isinstance(part, Measure) for part in walk(node))


def alternatives(node: Node, letters: Letters) -> list[str]:
    """The same tree from the widest setting to the narrowest, duplicates left out."""
    forms = [
        latex(node, letters),
        latex(node, letters, stacked=True),
        latex(node, letters, stacked=True, flat=True),
    ]
    return list(dict.fromkeys(forms))
