"""A long line of mathematics over several rows, broken before its operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from derive.expression.latex import Letters, has_measures, latex, number_latex
from derive.expression.text import needs_brackets, plain
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power

LENGTHS = (84, 68, 54)  # characters of a row, from wide columns to narrow ones
EARLIEST = 0.45  # share of a row from which on a place outside brackets is better than a later one
PLAIN_BRACKETS = {"floor": (r"\lfloor ", r"\rfloor "), "ceil": (r"\lceil ", r"\rceil ")}


@dataclass(frozen=True)
class Piece:
    """What is never broken: its LaTeX, about how many characters wide, how deep in brackets."""

    latex: str
    wide: int
    depth: int

    def between(self, before: str, after: str, wide: int) -> Piece:
        """With something at its ends."""
        return replace(self, latex=f"{before}{self.latex}{after}", wide=self.wide + wide)


def settings(head: str, node: Node, letters: Letters) -> list[str]:
    """A line, `head` and a tree, from the widest setting to the narrowest, without duplicates."""
    forms = [
        f"{head} {latex(node, letters)}",
        f"{head} {latex(node, letters, stacked=True)}",
        *(form.replace("& ", rf"{head} \; & ", 1) for form in wrapped(node, letters)),
    ]
    return list(dict.fromkeys(forms))


def wrapped(node: Node, letters: Letters) -> list[str]:
    """The tree over rows of each length, quotients on one line; nothing where one row is enough."""
    pieces = list(_Breaker(letters, r"\times" if has_measures(node) else r"\cdot").pieces(node, 0))
    forms = []
    for length in LENGTHS:
        rows = list(_rows(pieces, length))
        if len(rows) > 1:
            body = r"\\& \quad {} ".join(rows)
            forms.append(rf"\begin{{aligned}}& {body}\end{{aligned}}")
    return forms


def _rows(pieces: Sequence[Piece], length: int) -> Iterator[str]:
    """Rows as long as `length` lets them be, ended where the fewest brackets are open."""
    start = 0
    while start < len(pieces):
        end, taken, best = start, 0, start + 1
        while end < len(pieces) and (end == start or taken + pieces[end].wide <= length):
            taken += pieces[end].wide
            end += 1
            after = pieces[end].depth if end < len(pieces) else -1
            if taken >= EARLIEST * length or end == len(pieces):
                least = pieces[best].depth if best < len(pieces) else -1
                if after <= least or taken - pieces[end - 1].wide < EARLIEST * length:
                    best = end
        yield " ".join(p.latex for p in pieces[start:best])
        start = best


@dataclass(frozen=True)
class _Breaker:
    letters: Letters
    times: str

    def pieces(self, node: Node, depth: int) -> Iterator[Piece]:
        """A node as pieces; each but the first begins with its operator."""
        match node:
            case Binary(op=op, left=left, right=right):
                sign = {"*": self.times, "/": r"\div"}.get(op, op)
                yield from self.inside(left, node, depth)
                first, *rest = self.inside(right, node, depth, right=True)
                yield first.between(f"{sign} ", "", 3)
                yield from rest
            case Negative(inner=inner):
                first, *rest = self.inside(inner, node, depth)
                yield first.between("-", "", 1)
                yield from rest
            case Power(base=base, exponent=exponent) if not isinstance(base, Name | Number):
                yield from _enclosed("(", list(self.pieces(base, depth + 1)), f")^{{{exponent}}}")
            case Call(function="pow", args=(base, exponent)) if not isinstance(base, Name):
                above = latex(exponent, self.letters, inline=True)
                end = f")^{{{above}}}"
                yield from _enclosed("(", list(self.pieces(base, depth + 1)), end, len(above) // 3)
            case Call(function=function, args=args) if function != "pow":
                opening, closing = PLAIN_BRACKETS.get(function, (rf"\{function}(", ")"))
                made: list[Piece] = []
                for number, arg in enumerate(args, 1):
                    one = list(self.pieces(arg, depth + 1))
                    made += _enclosed("", one, r" ,\;", 2) if number < len(args) else one
                yield from _enclosed(opening, made, closing, 4)
            case _:
                whole = (
                    number_latex(node)
                    if isinstance(node, Number | Measure)
                    else latex(node, self.letters)
                )
                yield Piece(whole, len(plain(node)), depth)

    def inside(self, part: Node, parent: Node, depth: int, *, right: bool = False) -> list[Piece]:
        """A part within its parent, in brackets where they are needed."""
        if not needs_brackets(part, parent, right):
            return list(self.pieces(part, depth))
        return _enclosed("(", list(self.pieces(part, depth + 1)), ")")


def _enclosed(before: str, pieces: list[Piece], after: str, wide: int = 2) -> list[Piece]:
    first, *rest = pieces
    if not rest:
        return [first.between(before, after, wide)]
    return [first.between(before, "", wide), *rest[:-1], rest[-1].between("", after, 1)]
