"""Charts: a figure of the ledger, plain data, to one SVG picture.

Drawn by ourselves: the bulk is placing two-line labels so that none overlaps or is cut, which a
plotting library does not do either; what it would add is axes, at the price of its import, of ids
that collide in one page, and of rewriting its output for languages and palettes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from derive.cache import cache, digest, source
from derive.render.charts.sheet import PALETTES, Theme
from derive.render.charts.words import Mode

__all__ = ["PALETTES", "Mode", "Theme", "svg"]


def svg(figure: Mapping[str, Any], *, mode: Mode, theme: Theme, width: int = 640) -> str:
    """One figure as SVG, `width` CSS pixels wide; title and table are the page's to print.

    Theme `css` takes its colours from the page (--memory, --compute, --met, --missed, --ink,
    --grid, --paper) and marks text with the classes `zh` and `en`. ValueError: cannot be drawn.
    """

    def make() -> bytes:
        from derive.render.charts.compose import compose

        return compose(figure, mode, theme, width)[0].encode()

    what = json.dumps([figure, mode, theme, width], sort_keys=True)
    own = source(*map(str, sorted(Path(__file__).parent.glob("*.py"))))
    return cache().cached("charts", digest(own, what), make).decode()
