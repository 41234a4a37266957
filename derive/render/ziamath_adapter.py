"""MathML to SVG through ziamath, with the few changes that a report needs.

ziamath is patched from outside, so the adapter refuses every version it was not tried with:

- a row inside a height probe, or without anything to stretch, does not probe again: without this
  the time is multiplied by four with each level of nested brackets; styles are copied flat and
  kerning is looked up once. None of these changes a drawing (there is a test);
- one em is the size of the type (ziamath takes it a third too wide);
- letters are drawn as text in the font Derive Math, only stretched glyphs as paths: smaller, and
  the formula can be found and copied;
- script forms of letters, which have no code point, are off;
- a struck-out factor gets one line across it and no space of its own;
- a character without a glyph is an error, never an empty box.
"""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from derive.cache import version
from derive.render.font_build import MATH

TRIED = {"ziamath": ("0.13",), "ziafont": ("0.11",)}
TERMS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        ("<math>", '<math display="inline">'),
        ("<mo[^>]*>&ApplyFunction;</mo>", '<mspace width="0.1667em"/>'),
        ("<mo>\u2063</mo>", ""),  # the missing half of a bracket
        ('<mrow class="menclose-[a-z]+"></mrow>', ""),  # what browsers draw the strike with
        (r"<mspace/>", ""),
        (r"<mi>([^<&]{2,})</mi>", r"<mtext>\1</mtext>"),  # words, without space around them
        ("<mo>,</mo>", '<mo rspace="0.1667em">,</mo>'),
        ('<mo stretchy="false">([⇒⇔⟹⟸⟺⟶])', r'<mo lspace="0.2778em" rspace="0.2778em">\1'),
    )
)
TABLE = re.compile("<mtable.*?</mtable>", re.DOTALL)
CELL = re.compile('<mtd style="text-align: (left|right|center);[^"]*">')
MARGIN = 1.0  # px around the drawing, so that no stroke is cut off


class UnknownVersion(RuntimeError):
    """A ziamath that this adapter was not written for."""


class MissingGlyph(ValueError):
    """A formula uses a character that the math font does not have."""


@dataclass(frozen=True)
class Drawing:
    """An SVG picture with its size and its depth below the baseline, in px."""

    svg: bytes
    width: float
    height: float
    descent: float


def check_versions() -> None:
    """Refuse a ziamath or ziafont that was not tried."""
    for package, tried in TRIED.items():
        found = version(package)
        if found not in tried:
            raise UnknownVersion(
                f"{package} {found} is not supported, only {' or '.join(tried)}: "
                "derive/render/ziamath_adapter.py changes its inside"
            )


def draw(mathml: str, size: float) -> Drawing:
    """Lay out MathML at a type size in px. Raises MissingGlyph."""
    math = _patched()(_translate(mathml), size=size)
    svg = math.svgxml()
    low = math.node.bbox.ymin
    width, height = float(svg.get("width", "0")), float(svg.get("height", "0"))
    return Drawing(ET.tostring(svg), width, height, round(MARGIN - low, 3))


def _translate(mathml: str) -> str:
    """MathML Core as math-core writes it, in the older terms that ziamath reads."""
    for pattern, replacement in TERMS:
        mathml = pattern.sub(replacement, mathml)
    return TABLE.sub(_columns, mathml)


def _columns(match: re.Match[str]) -> str:
    """Alignment and distance of a table's columns, from the style of its cells to attributes."""
    table = match[0]
    gap = "1em" if "padding-left:1em" in table else "0em" if "padding-left: 0" in table else "0.8em"
    rows = "0.9em" if "<mfrac" in table else "0.5em"  # stacked fractions must not touch
    table = table.replace("<mtable", f'<mtable columnspacing="{gap}" rowspacing="{rows}"', 1)
    return CELL.sub(r'<mtd columnalign="\1">', table)


@lru_cache(maxsize=1)
def _patched() -> Any:
    """The class Math of ziamath after the changes."""
    check_versions()
    with warnings.catch_warnings():
        # it finds its font by a function that Python 3.11 and 3.12 called deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        zmath = _inside("zmath")
    zmath.config.svg2 = False
    zmath.config.precision = 2
    font = zmath.loadedfonts["default"]
    quicken()
    _fix_em(_inside("nodes.mnode").Mnode)
    _draw_text(_inside("drawable").Glyph)
    _strike(_inside("nodes.menclose").Menclose)
    _no_boxes(_inside("mathfont").MathFont)
    _no_script_forms(_inside("mathfont").MathFont, font)

    class Math(zmath.Math):  # type: ignore[name-defined,misc]
        """The smallest type follows the size of the formula."""

        def __init__(self, mathml: str, size: float) -> None:
            font.basesize = size
            super().__init__(mathml, size=size, margin=MARGIN)

    return Math


def _inside(module: str) -> Any:
    """A module of ziamath, without types: it is about to be changed."""
    return import_module(f"ziamath.{module}")


def quicken() -> None:
    """The changes that only save time."""
    font: Any = import_module("ziafont.font").Font
    row, operators = _inside("nodes.mrow").Mrow, _inside("operators")
    stretchy = {name for (name, _), how in operators.operators.items() if "stretchy" in how}
    probe, advance = row._get_height_nostretch, font.advance  # noqa: SLF001
    known: dict[tuple[Any, ...], int] = {}

    def stretches(element: ET.Element) -> bool:
        return any(
            e.get("stretchy", str((e.text or "").strip() in stretchy).lower()) != "false"
            for e in element.iter()
        )

    def height(self: Any, line: list[ET.Element], **kwargs: Any) -> Any:
        if kwargs.get("nostretch") or not any(map(stretches, line)):
            return 0.0, 0.0  # nobody asks for it
        return probe(self, line, **kwargs)

    def kerned(self: Any, glyph: int, after: int | None) -> int:
        key = (id(self), glyph, after, self.gpos and self.gpos.language.script)
        if key not in known:
            known[key] = advance(self, glyph, after)
        return known[key]

    row._get_height_nostretch = height  # noqa: SLF001
    font.advance = kerned
    _inside("styles").asdict = lambda style: dict(vars(style))


def _fix_em(node: Any) -> None:
    general = node.size_px
    named = {"veryverythin": 1, "verythin": 2, "thin": 3, "medium": 4, "thick": 5, "verythick": 6,
             "veryverythick": 7}  # fmt: skip

    def size_px(self: Any, size: str, fontsize: float | None = None) -> float:
        em = self.glyphsize if fontsize is None else fontsize
        name = size.removesuffix("mathspace")
        if name != size:
            positive = name.removeprefix("negative")
            return float(named[positive] * em / 18 * (-1 if positive != name else 1))
        if size.endswith("em"):
            return float(size[:-2]) * float(em)
        return float(general(self, size, fontsize))

    node.size_px = size_px


def _draw_text(glyph_class: Any) -> None:
    from ziafont.svgpath import fmt
    from ziamath.styles import styledchr

    paths = glyph_class.draw

    def draw_glyph(self: Any, x: float, y: float, svg: ET.Element) -> tuple[float, float]:
        after = x + self.funit_to_points(self.glyph.advance()), y
        font = self.glyph.font
        # a bracket put together of pieces has no outline of its own
        if self.phantom or not (self.glyph.operators or getattr(self.glyph, "glyphs", ())):
            return after
        styled = styledchr(self.char, self.style.mathvariant)
        char = next((c for c in (styled, self.char) if font.glyphindex(c) == self.glyph.index), "")
        if not char:
            result: tuple[float, float] = paths(self, x, y, svg)
            return result
        last = svg[-1] if len(svg) else None
        size, line = fmt(self.size), fmt(y)
        if last is not None and (last.tag, last.get("y"), last.get("font-size")) == (
            "text", line, size
        ):  # fmt: skip
            last.text = (last.text or "") + char
            last.set("x", f"{last.get('x')} {fmt(x)}")
        else:
            at = {"x": fmt(x), "y": line, "font-size": size, "font-family": MATH}
            ET.SubElement(svg, "text", at).text = char
        return after

    glyph_class.draw = draw_glyph


def _strike(menclose: Any) -> None:
    """A cancelled factor: one line from corner to corner, the factor where it stood."""
    from ziafont.fonttypes import BBox
    from ziamath.drawable import Diagonal

    general = menclose._setup  # noqa: SLF001

    def setup(self: Any, **kwargs: Any) -> None:
        if self.notation != ["updiagonalstrike"]:
            general(self, **kwargs)
            return
        box = self.base.bbox
        over = 0.08 * self.glyphsize
        width, height = box.xmax - box.xmin + 2 * over, box.ymax - box.ymin + 2 * over
        line = 1.2 * self.units_to_points(self.font.math.consts.fractionRuleThickness)
        self.nodes += [Diagonal(width, -height, line, style=self.style, **kwargs), self.base]
        self.nodexy += [(box.xmin - over, -box.ymax - over), (0, 0)]
        right = max(box.xmax, self.base.xadvance())
        self.bbox = BBox(box.xmin, right, box.ymin - over, box.ymax + over)

    menclose._setup = setup  # noqa: SLF001


def _no_boxes(font_class: Any) -> None:
    general = font_class.findglyph

    def findglyph(self: Any, char: str, variant: Any) -> Any:
        glyph = general(self, char, variant)
        if glyph.index == 0:
            raise MissingGlyph(f"the math font has no glyph for {char!r} (U+{ord(char):04X})")
        return glyph

    font_class.findglyph = findglyph


def _no_script_forms(font_class: Any, loaded: Any) -> None:
    general = font_class.language

    def language(self: Any, script: str, name: str) -> None:
        general(self, script, name)
        self.features["ssty"] = False

    font_class.language = language
    loaded.features["ssty"] = False
