"""How the report's font files are made: subset, one weight each, a name of their own.

No time stamp enters a file, so the same packages give the same bytes.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

SANS = "Derive Sans SC"
RARE = "Derive Sans SC Rare"  # characters beyond the fixed subset, built when a text needs them
MATH = "Derive Math"
WEIGHTS = (400, 700)
LARGE = 500_000  # bytes of a variable font whose two weights are worth two processes
FEATURES = ("kern", "mark", "mkmk", "ccmp", "liga", "halt")
NAMES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 14)  # copyright, names, licence

# Beyond GB2312; what the font lacks of these comes from Derive Math or is reported.
BLOCKS = (
    (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x2000, 0x206F), (0x2070, 0x209F),
    (0x20A0, 0x20CF), (0x2100, 0x214F), (0x2150, 0x218F), (0x2190, 0x21FF), (0x2200, 0x22FF),
    (0x2300, 0x23FF), (0x2460, 0x24FF), (0x2500, 0x257F), (0x2580, 0x259F), (0x25A0, 0x25FF),
    (0x2600, 0x26FF), (0x2700, 0x27BF), (0x3000, 0x303F), (0xFF00, 0xFFEF),
)  # fmt: skip

# Blanks that Noto Sans SC has not: their width in em, or the character they are as wide as.
BLANKS: dict[int, float | str] = {
    0x2002: 0.5, 0x2003: 1.0, 0x2007: "0", 0x2008: ".", 0x2009: 0.2, 0x200A: 0.1,
    0x200B: 0.0, 0x200C: 0.0, 0x200D: 0.0, 0x202F: 0.2, 0x2060: 0.0, 0xFEFF: 0.0,
}  # fmt: skip


def noto_sans() -> Path:
    """The variable font that Derive Sans SC is made from; its licence lies beside it."""
    return Path(str(files("justmytype_intl_cjk") / "fonts/ofl/notosanssc/NotoSansSC[wght].ttf"))


def stix_math() -> Path:
    """The font that Derive Math is made from."""
    spec = find_spec("ziamath")  # found without importing it
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("ziamath")
    return Path(spec.origin).with_name("fonts") / "STIXTwoMath-Regular.ttf"


def opened(font: Path | bytes) -> TTFont:
    """A font to be read or changed; no file stays open, no time enters when it is saved."""
    from fontTools.ttLib import TTFont

    data = font.read_bytes() if isinstance(font, Path) else font
    return TTFont(BytesIO(data), lazy=True, recalcTimestamp=False)


def characters() -> frozenset[int]:
    """Code points of the fixed subset: GB2312 and the blocks above."""
    chinese = {
        ord(bytes((row, cell)).decode("gb2312", "ignore") or " ")
        for row in range(0xA1, 0xF8)
        for cell in range(0xA1, 0xFF)
    }
    return frozenset(chinese.union(*(range(a, b + 1) for a, b in BLOCKS)))


def subset(font: TTFont, codes: Iterable[int], features: Iterable[str]) -> None:
    """Reduce a font to some code points and what its layout features need for them."""
    from fontTools.subset import Options, Subsetter

    options = Options()
    options.layout_features = list(features)
    options.name_IDs = list(NAMES)
    options.notdef_outline = True
    options.hinting = False
    options.glyph_names = False
    options.legacy_kern = False
    options.drop_tables += ["DSIG", "BASE", "vhea", "vmtx", "VORG"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Millions of small objects live until the end: looking for garbage costs a fifth."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@_without_collector()
def build_sans(codes: frozenset[int], family: str) -> dict[int, bytes]:
    """Static faces of some code points: subset first, then each weight. No time enters them."""
    variable = opened(noto_sans())
    subset(variable, codes | {ord("0"), ord(".")}, FEATURES)
    compact = to_bytes(variable)
    first, second = WEIGHTS
    with _elsewhere(compact, family, second) as other:
        built = {first: instance(compact, family, first)}
    return {**built, second: other[0] if other else instance(compact, family, second)}


def instance(variable: bytes, family: str, weight: int) -> bytes:
    """One weight of a variable font, under our name."""
    from fontTools.varLib.instancer import instantiateVariableFont

    font = instantiateVariableFont(opened(variable), {"wght": weight}, inplace=True)
    if family == SANS:
        _add_blanks(font)
    _rename(font, family, weight)
    return to_bytes(font)


@contextmanager
def _elsewhere(variable: bytes, family: str, weight: int) -> Iterator[list[bytes]]:
    """Another process makes an instance meanwhile; the list holds it at the end, if all went well.

    A small font is not worth a process.
    """
    done: list[bytes] = []
    if len(variable) < LARGE or not sys.executable:
        yield done
        return
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path)  # noqa: PTH100 - "" is the folder
    ask = f"from derive.render import font_build as b; b.serve({family!r}, {weight})"
    with TemporaryFile() as given, TemporaryFile() as made:
        given.write(variable)
        given.seek(0)
        try:
            helper = subprocess.Popen(  # noqa: S603 - this Python, our own words
                [sys.executable, "-P", "-c", ask], stdin=given, stdout=made,
                stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path},
            )  # fmt: skip
        except OSError:
            yield done
            return
        try:
            yield done
        except BaseException:
            helper.kill()
            raise
        finally:
            failed = helper.wait()
        if not failed:
            made.seek(0)
            done.append(made.read())


@_without_collector()
def serve(family: str, weight: int) -> None:
    """The other process: a variable font on standard input, its instance on standard output."""
    made = instance(sys.stdin.buffer.read(), family, weight)
    sys.stdout.buffer.write(made)


def _add_blanks(font: TTFont) -> None:
    """Give the font the blanks it lacks, above all a figure space exactly one digit wide."""
    from fontTools.ttLib.tables._g_l_y_f import Glyph

    em = font["head"].unitsPerEm
    names = font.getBestCmap()
    widths = {c: font["hmtx"][names[ord(c)]][0] for c in "0."}
    for code, width in BLANKS.items():
        if code in names:
            continue
        name = f"uni{code:04X}"
        font.setGlyphOrder([*font.getGlyphOrder(), name])
        font["glyf"].glyphs[name] = Glyph()
        advance = widths[width] if isinstance(width, str) else round(width * em)
        font["hmtx"].metrics[name] = (advance, 0)
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[code] = name
    font["glyf"].glyphOrder = font.getGlyphOrder()
    font["maxp"].numGlyphs = len(font.getGlyphOrder())


def _rename(font: TTFont, family: str, weight: int) -> None:
    style = {400: "Regular", 700: "Bold"}[weight]
    names = font["name"]
    postscript = f"{family.replace(' ', '')}-{style}"
    wanted = {1: family, 2: style, 3: postscript, 4: f"{family} {style}", 6: postscript}
    for name_id, text in wanted.items():
        names.setName(text, name_id, 3, 1, 0x409)
    names.names = [n for n in names.names if n.nameID in NAMES and n.platformID == 3]
    font["OS/2"].usWeightClass = weight
    bold = weight >= 700
    font["OS/2"].fsSelection = (font["OS/2"].fsSelection & ~0x61) | (0x20 if bold else 0x40)
    font["head"].macStyle = 1 if bold else 0
    if "STAT" in font:
        del font["STAT"]


def to_bytes(font: TTFont, flavor: str | None = None) -> bytes:
    """The font as a TrueType or WOFF2 file."""
    font.flavor = flavor
    out = BytesIO()
    font.save(out, reorderTables=False)
    return out.getvalue()


def math_face(codes: Iterable[int] | None, *, table: bool) -> Any:
    """STIX Two Math under our name; `table` keeps what stretches braces."""
    font = opened(stix_math())
    if not table:
        del font["MATH"]
    subset(font, font.getBestCmap() if codes is None else codes, ("kern", "ssty", "dtls", "flac"))
    _rename(font, MATH, 400)
    return font


def math_codes(chars: str) -> set[int]:
    """Code points a browser may need for formulas: letters are shown as mathematical italics."""
    plain = set(chars).union(map(chr, range(0x20, 0x7F)))
    alphabets = map(chr, range(0x1D400, 0x1D7CC))
    letters = {c for c in alphabets if unicodedata.normalize("NFKC", c) in plain and _serif(c)}
    return {ord(c) for c in plain | letters | set("ℎ−′√")}.union(BLANKS)


def _serif(char: str) -> bool:
    """Bold or italic of the serif alphabet: the ones that letters of a formula become."""
    name = unicodedata.name(char, "")
    return not any(w in name for w in ("SANS", "SCRIPT", "FRAKTUR", "DOUBLE", "MONOSPACE"))
