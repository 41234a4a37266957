"""The fonts of the report: Derive Sans SC (two weights) and Derive Math, built once into the cache.

Both are subsets of fonts under the SIL Open Font License that come inside installed packages:
Noto Sans SC (`justmytype-intl-cjk`) and STIX Two Math (`ziamath`). They carry a name of their own,
so that they never meet an installed font, and their licence; the same input gives the same bytes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from derive.cache import cache, digest, source, version
from derive.render import font_build
from derive.render.font_build import FEATURES, MATH, RARE, SANS, WEIGHTS
from derive.text import Text, tr

__all__ = ["MATH", "RARE", "SANS", "WEIGHTS", "Face", "faces", "uncovered", "web_faces"]

SANS_STACK = f'"{SANS}", "{RARE}", "{MATH}"'  # Derive Math has the marks that the sans lacks: ⌈✓⁻
MATH_STACK = f'"{MATH}", "{SANS}", "{RARE}"'
INVISIBLE = frozenset(map(ord, "\t\n\f\r\u00ad\ufe0e\ufe0f\u2061\u2062\u2063\u2064"))

Progress = Callable[[Text], None]


@dataclass(frozen=True)
class Face:
    """One font file of the report: family, CSS weight, TrueType bytes."""

    family: str
    weight: int
    data: bytes


def faces(text: str = "", progress: Progress | None = None) -> list[Face]:
    """The faces of a PDF; `text` adds a face of its rare characters, if it has any.

    The first build takes some seconds; `progress` hears of it.
    """
    found = [Face(SANS, weight, _sans(weight, progress)) for weight in WEIGHTS]
    if rare := _rare_characters(text, progress):
        found += [Face(RARE, weight, _rare(rare, weight)) for weight in WEIGHTS]
    return [*found, Face(MATH, 400, _math_ttf())]


def web_faces(text: str, bold: str | None = None, progress: Progress | None = None) -> str:
    """CSS `@font-face` rules with WOFF2 subsets of just the characters of a text, as data URIs.

    `bold` narrows the bold face to the characters that are set in bold.
    """
    coverage(progress)
    plain = "".join(sorted(set(text)))
    strong = plain if bold is None else "".join(sorted(set(bold)))
    key = digest(_recipe(), source(__file__), version("brotli"), plain, strong)
    make = partial(_web_rules, plain, strong)
    return cache().cached("webfonts", key, make).decode()


def uncovered(text: str, progress: Progress | None = None) -> set[str]:
    """The characters of a text that no font of the report has: to be reported, never boxes."""
    sans, math, rare = coverage(progress)
    return {c for c in set(text) if not _known(ord(c), sans, math, rare, INVISIBLE)}


def spelled(text: str) -> str:
    """The text with each uncovered character as its code point, [U+1F680]."""
    missing = uncovered(text)
    return "".join(f"[U+{ord(c):04X}]" if c in missing else c for c in text)


def licence() -> str:
    """Copyright lines of both fonts and the text of the Open Font License."""
    notices = "\n".join(_notices())
    return f"{notices}\n\n" + font_build.noto_sans().with_name("OFL.txt").read_text("utf-8")


@lru_cache(maxsize=1)
def _notices() -> list[str]:
    """One line a font: what it was made from, whose it is, under which licence."""
    sans = font_build.opened(font_build.noto_sans())["name"].getDebugName(0)
    math = font_build.opened(font_build.stix_math())["name"].getDebugName(0)
    terms = "SIL Open Font License 1.1, https://scripts.sil.org/OFL"
    return [f"{SANS}, made from Noto Sans SC: {sans} {terms}",
            f"{MATH}, made from STIX Two Math: {math}. {terms}"]  # fmt: skip


def coverage(progress: Progress | None = None) -> tuple[frozenset[int], ...]:
    """Code points of the sans subset, of the math font and of the whole sans source."""
    return _coverage(cache().path, _recipe(), progress)


@lru_cache(maxsize=4)
def _coverage(
    _folder: Path | None, recipe: bytes, progress: Progress | None
) -> tuple[frozenset[int], ...]:
    def make() -> bytes:
        fonts = (_sans(400, progress), font_build.stix_math(), font_build.noto_sans())
        return json.dumps([_ranges(font_build.opened(f).getBestCmap()) for f in fonts]).encode()

    stored = json.loads(cache().cached("fonts", digest(recipe, "coverage"), make))
    return tuple(frozenset(c for a, b in row for c in range(a, b + 1)) for row in stored)


def _known(code: int, *fonts: frozenset[int]) -> bool:
    return any(code in font for font in fonts)


def _ranges(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Sorted code points as runs."""
    runs: list[tuple[int, int]] = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


def _recipe() -> bytes:
    """What every font's bytes depend on."""
    packages = ("fonttools", "justmytype-intl-cjk", "ziamath")
    return digest(source(font_build.__file__), *(version(p) for p in packages))


def _sans(weight: int, progress: Progress | None) -> bytes:
    recipe = _recipe()
    stored = cache().get("fonts", digest(recipe, "sans", str(weight)))
    if stored is not None:
        return stored
    if progress:
        progress(tr("building the report's fonts; this happens once"))
    built = font_build.build_sans(font_build.characters(), SANS)
    for each, data in built.items():
        cache().put("fonts", digest(recipe, "sans", str(each)), data)
    cache().beside("fonts", "LICENCE.txt", licence().encode())
    return built[weight]


def _rare_characters(text: str, progress: Progress | None) -> str:
    """The characters that only the whole source has, of a text."""
    if text.isascii():
        return ""
    sans, math, full = coverage(progress)
    lacking = {ord(c) for c in set(text)} - sans - math
    return "".join(map(chr, sorted(lacking & full)))


def _rare(chars: str, weight: int) -> bytes:
    recipe = _recipe()
    key = digest(recipe, "rare", str(weight), chars)
    codes = frozenset(map(ord, chars))
    make = partial(font_build.build_sans, codes, RARE)
    return cache().cached("fonts", key, lambda: make()[weight])


def _math_ttf() -> bytes:
    """The face of the glyphs in formula pictures; stretched ones are drawn as paths."""
    key = digest(_recipe(), "math")
    return cache().cached(
        "fonts", key, lambda: font_build.to_bytes(font_build.math_face(None, table=False))
    )


def _web_rules(plain: str, bold: str) -> bytes:
    rules = [f"/* {line} */" for line in _notices()]
    for face in faces(plain + bold):
        chars = bold if face.weight == 700 else plain
        if face.family == MATH:
            font = font_build.math_face(font_build.math_codes(chars), table=True)
        else:
            font = font_build.opened(face.data)
            font_build.subset(font, map(ord, chars), FEATURES)
        data = base64.b64encode(font_build.to_bytes(font, "woff2")).decode()
        rules.append(
            f'@font-face{{font-family:"{face.family}";font-weight:{face.weight};'
            f"src:url(data:font/woff2;base64,{data})}}"
        )
    return "\n".join(rules).encode()
