"""One formula, two pictures: LaTeX to MathML for the page and to SVG for print.

Both start from the same MathML (math-core), so that page and print cannot show different formulas.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from derive.cache import cache, digest, source, version
from derive.render import ziamath_adapter
from derive.render.fonts import MATH_STACK

# Chromium does not know `menclose`: the strike is a diagonal gradient over the factor.
MATH_CSS = f"""\
math, math * {{ font-family: {MATH_STACK}; font-weight: 400 }}
math[display="block"] {{ display: block math }}
mtable:has(mfrac) mtd {{ padding-block: .35em }}
menclose {{ display: inline-block math; position: relative }}
.menclose-updiagonalstrike {{ display: block; position: absolute; inset: -.06em; color: inherit;
  background: linear-gradient(to top left,
    transparent calc(50% - .04em), currentcolor calc(50% - .04em),
    currentcolor calc(50% + .04em), transparent calc(50% + .04em)) }}
"""

DIGITS = re.compile(r'<mn>([\d,]+)</mn><mo rspace="0">,</mo><mn>(\d{3}(?:\.\d+)?)</mn>')


class MathError(ValueError):
    """LaTeX that cannot be set: a fault of the program, never of the user."""


@dataclass(frozen=True)
class Picture:
    """A formula as SVG; width, height and depth below the baseline in px."""

    svg: bytes
    width: float
    height: float
    descent: float


def mathml(latex: str, *, display: bool = True, alt: str | None = None) -> str:
    """MathML for HTML, with the TeX as annotation; `alt` is the text for readers without MathML.

    Faster than any look-up (some microseconds), hence not cached. Raises MathError.
    """
    text = _convert(latex, display, True)
    if alt is None:
        return text
    return text.replace("<math", f'<math alttext="{html.escape(alt, quote=True)}"', 1)


def picture(latex: str, *, size: float, display: bool = True) -> Picture:
    """SVG for WeasyPrint at a type size in px; its letters need the faces of `fonts.faces`.

    Raises MathError for LaTeX that is not understood and for a character without a glyph.
    """
    return _picture(latex, float(size), display)


def measure(latex: str, size: float) -> float:
    """The width in px of a formula set in display style."""
    return picture(latex, size=size).width


def fit(alternatives: Sequence[str], width: float, size: float) -> str:
    """The first alternative that is no wider than `width` px, else the narrowest."""
    widths = []
    for latex in alternatives:
        widths.append(measure(latex, size))
        if widths[-1] <= width:
            return latex
    return alternatives[widths.index(min(widths))]


@lru_cache(maxsize=4096)
def _picture(latex: str, size: float, display: bool) -> Picture:
    key = digest(_recipe(), repr(size), str(display), latex)
    stored = cache().get("math", key)
    if stored is None:
        try:
            drawing = ziamath_adapter.draw(_convert(latex, display, False), size)
        except ziamath_adapter.MissingGlyph as error:
            raise MathError(f"{error} in {latex!r}") from error
        head = json.dumps([drawing.width, drawing.height, drawing.descent])
        stored = head.encode() + b"\n" + drawing.svg
        cache().put("math", key, stored)
    head_line, svg = stored.split(b"\n", 1)
    return Picture(svg, *json.loads(head_line))


@lru_cache(maxsize=1)
def _recipe() -> bytes:
    packages = ("math-core", "ziamath", "ziafont")
    return digest(source(__file__, ziamath_adapter.__file__), *(version(p) for p in packages))


@lru_cache(maxsize=2)
def _converter(annotation: bool) -> Any:
    from math_core import LatexToMathML

    return LatexToMathML(annotation=annotation, fancy_error=False)


def _convert(latex: str, display: bool, annotation: bool) -> str:
    from math_core import LatexError

    try:
        text: str = _converter(annotation).convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise MathError(f"{error} in {latex!r}") from error
    # 70{,}553{,}706{,}496 is one number, also for a reader and for the clipboard
    while (joined := DIGITS.sub(r"<mn>\1,\2</mn>", text)) != text:
        text = joined
    return text
