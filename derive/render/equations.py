"""Formulas of the document: MathML on screen, pictures with text alternatives in print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from derive.render import math
from derive.render.symbols import symbol_html

PRINT_SIZE = 13.0  # px: STIX letters beside 9.5 pt of Noto
ROOMIER = 1.4  # how much more a card on a wide screen takes than one on paper
TEXT = re.compile(r"<mtext>([^<\s][^<]*)</mtext>")
LEAST_SCALE = 0.86  # rather a little smaller than over several rows
NARROWEST_SCALE = 0.7  # 6.8 pt: below it a formula in print could not be read


def worded(mathml: str) -> str:
    """Numbers as numbers and units as identifiers.

    Text counts as space, and a row of mere space around one operator loses that operator's space.
    """
    return TEXT.sub(
        lambda m: (
            f"<mn>{m[1]}</mn>" if m[1][0].isdigit() else f'<mi mathvariant="normal">{m[1]}</mi>'
        ),
        mathml,
    )


class Screen:
    """MathML, the alternative chosen for a wide window; narrow ones scroll inside the card."""

    medium = "screen"

    def row(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """A formula on a line of its own."""
        chosen = math.fit(latex, room * ROOMIER, PRINT_SIZE)
        return Markup(worded(math.mathml(chosen, alt=alt)))  # noqa: S704 - math-core escapes

    def inline(self, latex: str, alt: str) -> Markup:
        """A formula within a line or a cell."""
        set_large = rf"\displaystyle {latex}"
        return Markup(worded(math.mathml(set_large, display=False, alt=alt)))  # noqa: S704

    def symbol(self, latex: str, alt: str) -> Markup:
        """One symbol."""
        return Markup(symbol_html(latex)) or self.inline(latex, alt)  # noqa: S704 - escaped there


class Print:
    """SVG pictures in the closed store of the PDF."""

    medium = "print"

    def __init__(self) -> None:
        self.store: dict[str, tuple[bytes, str]] = {}
        self.squeezed: list[tuple[str, float]] = []  # formulas scaled down, and by how much
        self._known: dict[str, str] = {}

    def row(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """A formula on a line of its own, never wider than `room` px."""
        return self._image(chosen(latex, room), alt, room)

    def inline(self, latex: str, alt: str, room: float = 600.0) -> Markup:
        """A formula within a line or a cell."""
        return self._image(latex, alt, room)

    def symbol(self, latex: str, alt: str) -> Markup:
        """One symbol: text where it can be, else a picture."""
        return Markup(symbol_html(latex)) or self.inline(latex, alt)  # noqa: S704 - escaped there

    def _image(self, latex: str, alt: str, room: float) -> Markup:
        drawn = math.picture(latex, size=PRINT_SIZE)
        scale = min(1.0, room / drawn.width) if drawn.width else 1.0
        if scale < 1:
            self.squeezed.append((alt, scale))
        if latex not in self._known:
            self._known[latex] = f"derive:m{len(self._known)}"
            self.store[self._known[latex]] = (drawn.svg, "image/svg+xml")
        size = f"width:{drawn.width * scale:.2f}px;height:{drawn.height * scale:.2f}px"
        low = f"vertical-align:{-drawn.descent * scale:.2f}px"
        return Markup(  # noqa: S704 - escaped here
            f'<img src="{self._known[latex]}" alt="{escape(alt)}" style="{size};{low}">'
        )


class Plain:
    """Plain text, for Markdown."""

    medium = "plain"

    def row(self, latex: Sequence[str], alt: str, room: float) -> Markup:  # noqa: ARG002
        """The formula as it reads back."""
        return Markup("{}").format(alt)

    def inline(self, latex: str, alt: str) -> Markup:  # noqa: ARG002
        """The same."""
        return Markup("{}").format(alt)

    def symbol(self, latex: str, alt: str) -> Markup:  # noqa: ARG002
        """The symbol's id."""
        return Markup("{}").format(alt)


Equations = Screen | Print | Plain


def chosen(latex: Sequence[str], room: float) -> str:
    """The setting of a row in print."""
    return math.fit(latex, room / LEAST_SCALE, PRINT_SIZE)


def height(latex: Sequence[str], room: float) -> float:
    """How tall a row stands in print, px."""
    return math.picture(chosen(latex, room), size=PRINT_SIZE).height
