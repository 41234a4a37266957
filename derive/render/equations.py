"""Formulas of the document: MathML on screen, pictures with text alternatives in print."""

from __future__ import annotations

from collections.abc import Sequence
from markupsafe import Markup, escape

from derive.render import math
from derive.render.symbols import symbol_html

PRINT_SIZE = 13.0  # px: STIX letters beside 9.5 pt of Noto
ROOMIER = 1.4  # how much more a card on a wide screen takes than one on paper
NARROWEST_SCALE = 0.65  # below it a formula in print could not be read


class Screen:
    """MathML, the alternative chosen for a wide window; narrow ones scroll inside the card."""

    medium = "screen"

    def row(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """A formula on a line of its own."""
        chosen = math.fit(latex, room * ROOMIER, PRINT_SIZE)
        return Markup(math.mathml(chosen, alt=alt))  # noqa: S704 - math-core escapes

    def inline(self, latex: str, alt: str) -> Markup:
        """A formula within a line or a cell."""
        return Markup(math.mathml(latex, display=False, alt=alt))  # noqa: S704 - math-core escapes

    def symbol(self, latex: str, alt: str) -> Markup:
        """One symbol."""
        return Markup(symbol_html(latex)) or self.inline(latex, alt)  # noqa: S704 - escaped there


class Print:
    """SVG pictures in the closed store of the PDF."""

    medium = "print"

    def __init__(self) -> None:
        self.store: dict[str, tuple[bytes, str]] = {}
        self.squeezed: list[tuple[str, float]] = []  # plain text of formulas scaled down, and by how much
        self._known: dict[tuple[str, bool], str] = {}

    def row(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """A formula on a line of its own, never wider than `room` px."""
        chosen = math.fit(latex, room, PRINT_SIZE)
        return self._image(chosen, alt, room, display=True)

    def inline(self, latex: str, alt: str, room: float = 400.0) -> Markup:
        """A formula within a line or a cell."""
        return self._image(latex, alt, room, display=False)

    def symbol(self, latex: str, alt: str) -> Markup:
        """One symbol: text where it can be, else a picture."""
        return Markup(symbol_html(latex)) or self.inline(latex, alt)  # noqa: S704 - escaped there

    def _image(self, latex: str, alt: str, room: float, *, display: bool) -> Markup:
        drawn = math.picture(latex, size=PRINT_SIZE, display=display)
        scale = min(1.0, room / drawn.width) if drawn.width else 1.0
        if scale < 1:
            self.squeezed.append((alt, scale))
        key = (latex, display)
        if key not in self._known:
            self._known[key] = f"derive:m{len(self._known)}"
            self.store[self._known[key]] = (drawn.svg, "image/svg+xml")
        size = f"width:{drawn.width * scale:.2f}px;height:{drawn.height * scale:.2f}px"
        low = f"vertical-align:{-drawn.descent * scale:.2f}px"
        return Markup(  # noqa: S704 - escaped here
            f'<img src="{self._known[key]}" alt="{escape(alt)}" style="{size};{low}">'
        )


Equations = Screen | Print


def height(latex: Sequence[str], room: float) -> float:
    """How tall a row stands in print, px."""
    return math.picture(math.fit(latex, room, PRINT_SIZE), size=PRINT_SIZE).height

