"""The fonts: complete, ours by name and licence, the same bytes every time."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from derive.render import font_build, fonts

TEXT = "容量报告 Capacity: 算术强度 ≥ 295.4 FLOP/byte，⌈W/M⌉ ✓ 10⁻³ 𝐼"


@pytest.fixture(scope="module")
def opened() -> dict[tuple[str, int], TTFont]:
    return {(f.family, f.weight): TTFont(BytesIO(f.data)) for f in fonts.faces()}


def test_the_faces_of_a_report(opened: dict[tuple[str, int], TTFont]) -> None:
    assert set(opened) == {(fonts.SANS, 400), (fonts.SANS, 700), (fonts.MATH, 400)}
    for (family, weight), font in opened.items():
        names = font["name"]
        assert names.getBestFamilyName() == family
        assert font["OS/2"].usWeightClass == weight
        assert "fvar" not in font
        assert font["glyf"] is not None  # TrueType outlines: WOFF2 and CFF are slower in print
        assert "Copyright" in names.getDebugName(0) or "(c)" in names.getDebugName(0)
        assert "SIL Open Font License" in names.getDebugName(13)
        assert names.getDebugName(14).endswith("scripts.sil.org/OFL")
        shown = [n.toUnicode() for n in names.names if n.nameID in (1, 2, 3, 4, 6, 16, 17)]
        assert not any("Noto" in n or "Source" in n or "STIX" in n for n in shown)


def test_no_time_of_building(opened: dict[tuple[str, int], TTFont]) -> None:
    noto, stix = map(font_build.opened, (font_build.noto_sans(), font_build.stix_math()))
    for (family, _), font in opened.items():
        origin = stix if family == fonts.MATH else noto
        assert font["head"].modified == origin["head"].modified
        assert font["head"].created == origin["head"].created


def test_every_hanzi_of_gb2312(opened: dict[tuple[str, int], TTFont]) -> None:
    rows = [bytes((r, c)) for r in range(0xB0, 0xF8) for c in range(0xA1, 0xFF)]
    hanzi = {c for pair in rows if (c := pair.decode("gb2312", "ignore"))}
    assert len(hanzi) == 6763
    for weight in fonts.WEIGHTS:
        have = opened[fonts.SANS, weight].getBestCmap()
        assert not [c for c in hanzi if ord(c) not in have]


def test_what_reports_are_written_with_is_covered() -> None:
    used = "×÷·−±≈≠≤≥→∞κληαβ∂√∑⌈⌉⌊⌋✓□■○●▲▼◆│─┌┐└┘├┤┼█░，。：；（）《》、“”‘’…—–°µ⁻⁰¹²³₀₁"
    blanks = "\u2002\u2003\u2007\u2008\u2009\u200a\u200b\u202f\u2060\u00a0\u3000\n\t\u00ad"
    assert fonts.uncovered(used + blanks + TEXT) == set()


def test_every_message_of_the_program_is_covered() -> None:
    from derive.text import CATALOGUE

    if CATALOGUE.exists():
        assert fonts.uncovered(CATALOGUE.read_text("utf-8")) == set()


def test_uncovered_characters_are_named() -> None:
    assert fonts.uncovered("a🚀b✗") == {"🚀", "✗"}
    assert fonts.spelled("a🚀b") == "a[U+1F680]b"


@pytest.mark.parametrize("weight", fonts.WEIGHTS)
def test_figures_line_up(opened: dict[tuple[str, int], TTFont], weight: int) -> None:
    font = opened[fonts.SANS, weight]
    cmap, widths = font.getBestCmap(), font["hmtx"].metrics
    digits = {widths[cmap[ord(c)]][0] for c in "0123456789\u2007"}
    assert len(digits) == 1
    assert widths[cmap[ord(".")]][0] == widths[cmap[0x2008]][0]
    assert widths[cmap[0x200B]][0] == 0


def test_weights_differ(opened: dict[tuple[str, int], TTFont]) -> None:
    regular, bold = opened[fonts.SANS, 400], opened[fonts.SANS, 700]
    glyph = regular.getBestCmap()[ord("容")]
    assert (
        regular["glyf"][glyph].coordinates
        != bold["glyf"][bold.getBestCmap()[ord("容")]].coordinates
    )


def test_rare_characters_get_a_face_of_their_own() -> None:
    rare = "镕堃喆"
    faces = fonts.faces("普通 " + rare)
    found = {f.weight: f for f in faces if f.family == fonts.RARE}
    assert set(found) == set(fonts.WEIGHTS)
    for face in found.values():
        assert set(map(ord, rare)) <= set(TTFont(BytesIO(face.data)).getBestCmap())
        assert len(face.data) < 20_000
    assert fonts.uncovered(rare) == set()
    assert fonts.faces("普通") == fonts.faces()


def web_fonts(css: str) -> dict[tuple[str, int], TTFont]:
    address = r"src:url\(data:font/woff2;base64,(.*?)\)"
    rule = rf'@font-face\{{font-family:"([^"]+)";font-weight:(\d+);{address}\}}'
    return {
        (family, int(weight)): TTFont(BytesIO(base64.b64decode(data)))
        for family, weight, data in re.findall(rule, css)
    }


def test_web_fonts_have_just_the_characters() -> None:
    css = fonts.web_faces(TEXT, bold="容量")
    found = web_fonts(css)
    assert set(found) == {(fonts.SANS, 400), (fonts.SANS, 700), (fonts.MATH, 400)}
    regular = set(found[fonts.SANS, 400].getBestCmap())
    math = set(found[fonts.MATH, 400].getBestCmap())
    assert {ord(c) for c in TEXT} <= regular | math
    assert len(regular) <= len(set(TEXT))
    assert set(found[fonts.SANS, 700].getBestCmap()) == {ord(c) for c in "容量"}
    assert "MATH" in found[fonts.MATH, 400]  # without it no bracket grows
    assert {ord(c) for c in "𝑃𝑏𝜅ℎ−"} - {ord("𝜅")} <= math  # letters of formulas become italic
    assert len(css) < 150_000
    assert css.count("SIL Open Font License") == 2  # the notice travels with the page
    assert all(f.flavor == "woff2" for f in found.values())


def test_web_fonts_are_kept_by_content() -> None:
    assert fonts.web_faces(TEXT, bold="容量") == fonts.web_faces(TEXT[::-1], bold="量容量")
    assert fonts.web_faces("a") != fonts.web_faces("b")


def test_greek_of_formulas() -> None:
    math = web_fonts(fonts.web_faces("κ"))[fonts.MATH, 400].getBestCmap()
    assert {ord("κ"), ord("𝜅")} <= set(math)


BUILD = """
import sys
from hashlib import sha256
from derive.render import font_build, fonts
built = font_build.build_sans(frozenset(map(ord, "容量报告 Capacity 0123 κ→")), fonts.SANS)
rules = fonts._web_rules("容量 Capacity κ", "容量")
print([sha256(data).hexdigest() for data in (*built.values(), rules)])
"""


def test_two_builds_give_the_same_bytes() -> None:
    def build(seed: str) -> str:
        env = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": seed}
        done = subprocess.run(
            [sys.executable, "-c", BUILD], check=True, env=env, capture_output=True, text=True
        )
        return done.stdout

    assert build("0") == build("1")


def test_the_licence_is_whole() -> None:
    text = fonts.licence()
    assert "SIL OPEN FONT LICENSE Version 1.1" in text
    assert "with Reserved Font Name 'Source'" in text
    assert "The STIX Fonts Project Authors" in text
    from derive.cache import cache

    if (path := cache().path) and (path / "fonts").is_dir():
        assert Path(path / "fonts/LICENCE.txt").read_text("utf-8") == text
