"""Charts: nothing overlaps, nothing is cut, both languages, both palettes, the same bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derive.render import charts
from derive.render.charts import PALETTES, svg
from derive.render.charts.compose import compose
from derive.render.charts.figure import Axis, Label
from derive.render.charts.place import Box, walked
from derive.render.charts.scale import Scale, tick_text
from derive.render.charts.words import SIZE, broken, width

from .sample_figures import FIGURES, Figure, batch_sweep, roofline, t

SVG = "{http://www.w3.org/2000/svg}"
MODES, THEMES = ("en", "zh", "both"), ("light", "dark", "css")
ALL = [
    pytest.param(f, m, th, id=f"{f['id']}-{m}-{th}") for f, m, th in product(FIGURES, MODES, THEMES)
]
SAMPLES = [pytest.param(f, m, id=f"{f['id']}-{m}") for f, m in product(FIGURES, MODES)]


def texts(root: ET.Element) -> list[tuple[str, Box]]:
    """Each line of text with the box of its ink, from the picture alone."""
    found = []
    for element in root.iter(f"{SVG}text"):
        text = "".join(element.itertext())
        size = float(element.get("font-size", SIZE))
        x, y, wide = float(element.get("x", 0)), float(element.get("y", 0)), width(text, size)
        left = {"end": x - wide, "middle": x - wide / 2}.get(element.get("text-anchor", ""), x)
        found.append((text, Box(left, y - 0.8 * size, left + wide, y + 0.2 * size)))
    return found


def strokes(root: ET.Element, *thick: str) -> list[tuple[float, float]]:
    """Pixels along all lines of some widths."""
    spots: list[tuple[float, float]] = []
    for path in root.iter(f"{SVG}path"):
        if path.get("stroke-width") not in thick or path.get("fill") != "none":
            continue
        for piece in re.findall(r"M[^M]+", path.get("d", "")):
            x, y, line = 0.0, 0.0, []
            for command, numbers in re.findall(r"([MLHVhv])([-\d. ]+)", piece):
                values = [float(v) for v in numbers.split()]
                x = {"H": values[0], "h": x + values[0]}.get(
                    command, values[0] if command in "ML" else x
                )
                y = {"V": values[0], "v": y + values[0]}.get(
                    command, values[-1] if command in "ML" else y
                )
                line.append((x, y))
            spots += walked(line, 1.0)
    return spots


def crossed(root: ET.Element, *thick: str) -> list[str]:
    """Texts that a line runs through."""
    spots = strokes(root, *thick)
    return [
        text
        for text, box in texts(root)
        for x, y in spots
        if box.left + 1 < x < box.right - 1 and box.top + 1 < y < box.bottom - 1
    ]


def assert_readable(picture: str, markers: list[Box]) -> ET.Element:
    """Well-formed, small, and no text on another, on a marker, under a leader or cut."""
    root = ET.fromstring(picture)
    assert len(picture.encode()) < 40_000
    _, _, wide, high = map(float, root.get("viewBox", "").split())
    frame = Box(0, 0, wide, high)
    found = texts(root)
    for text, box in found:
        assert box.within(frame), f"cut: {text}"
        assert not any(box.hits(marker) for marker in markers), f"on a point: {text}"
    for (a, one), (b, other) in combinations(found, 2):
        assert not one.hits(other), f"overlap: {a} | {b}"
    assert all(marker.within(frame) for marker in markers)
    assert not crossed(root, ".75")
    return root


@pytest.mark.parametrize(("figure", "mode"), SAMPLES)
@pytest.mark.parametrize("wide", [360, 640])
def test_nothing_overlaps_and_nothing_is_cut(figure: Figure, mode: Any, wide: int) -> None:
    picture, sheet = compose(figure, mode, "css", wide)
    assert_readable(picture, sheet.markers)


@pytest.mark.parametrize(("figure", "mode"), SAMPLES)
def test_no_line_runs_through_a_text(figure: Figure, mode: Any) -> None:
    assert not crossed(ET.fromstring(svg(figure, mode=mode, theme="light")), "1.5", "1.2")


@pytest.mark.parametrize(("figure", "mode"), SAMPLES)
def test_every_label_stands_on_the_drawing(figure: Figure, mode: Any) -> None:
    said = " ".join(text for text, _ in texts(ET.fromstring(svg(figure, mode=mode, theme="css"))))
    parts = figure.get("panels", [figure])
    wanted = [
        x["label"]
        for part in parts
        for kind in ("lines", "points", "marks", "bands", "bars")
        for x in part.get(kind, ())
    ]
    wanted += [axis["label"] for axis in (figure["x"], *(p["y"] for p in parts if "y" in p))]
    for label in wanted:
        for lang in ("en", "zh") if mode == "both" else (mode,):
            assert label[lang] in said


@pytest.mark.parametrize(("figure", "mode", "theme"), ALL)
def test_same_bytes_valid_and_named(figure: Figure, mode: Any, theme: Any) -> None:
    picture = svg(figure, mode=mode, theme=theme)
    if mode == "both":
        assert picture == compose(figure, mode, theme, 640)[0]
    root = ET.fromstring(picture)
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    for lang in ("en", "zh") if mode == "both" else (mode,):
        assert figure["title"][lang] in (title.text or "")
        assert figure["alt"][lang] in (desc.text or "")


def test_same_bytes_in_another_process() -> None:
    code = (
        "from tests.render.sample_figures import roofline\n"
        "from derive.render.charts.compose import compose\n"
        "print(compose(roofline(), 'both', 'css', 640)[0], end='')"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        cwd=Path(charts.__file__).parents[3],
        check=True,
    )
    assert done.stdout.decode() == compose(roofline(), "both", "css", 640)[0]


def test_a_stored_chart_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = svg(roofline(), mode="en", theme="dark")
    monkeypatch.setattr("derive.render.charts.compose.compose", None)
    assert svg(roofline(), mode="en", theme="dark") == first


def test_import_is_light() -> None:
    code = (
        "import sys, derive.render.charts\n"
        "heavy = {'matplotlib', 'numpy', 'fontTools', 'sympy', 'pint', 'weasyprint'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(charts.__file__).parents[3])


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: str(f["id"]))
def test_a_page_can_theme_it_and_hide_a_language(figure: Figure) -> None:
    picture = svg(figure, mode="both", theme="css")
    assert not re.search(r"#[0-9a-f]{3,6}\b|<style| style=| id=", picture)
    assert set(re.findall(r"var\(--(\w+)\)", picture)) <= set(PALETTES["light"])
    for element in ET.fromstring(picture).iter():
        text = element.text or ""
        if element.tag in (f"{SVG}text", f"{SVG}tspan") and re.search("[\u4e00-\u9fff]", text):
            assert (element.get("class"), element.get("lang")) == ("zh", "zh")
    visible = ET.fromstring(picture)
    for parent in list(visible.iter()):
        for child in [c for c in parent if c.get("class") == "zh"]:
            tail = child.tail or ""
            parent.remove(child)
            assert not tail.strip() or parent.tag == f"{SVG}text"
    left = "".join("".join(e.itertext()) for e in visible.iter(f"{SVG}text"))
    assert not re.search("[\u4e00-\u9fff]| / ", left)


def test_roles_differ_without_colour() -> None:
    from derive.render.charts.sheet import DASHES, Sheet

    solid = [DASHES[role][0] for role in ("memory", "compute", "met", "missed")]
    assert len(set(solid)) == 4
    sheet = Sheet("light")
    for role in ("memory", "compute", "met", "missed", "neutral"):
        sheet.marker(role, (10, 10))
    assert len({re.sub("#[0-9a-f]+", "", part) for part in sheet.parts}) == 5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_contrast(theme: str) -> None:
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05

    paper = light(PALETTES[theme]["paper"])
    for role in ("ink", "memory", "compute", "met", "missed"):
        other = light(PALETTES[theme][role])
        assert max(paper, other) / min(paper, other) >= 4.5, role


def test_hostile_words_stay_words() -> None:
    evil = "</text><script>alert(1)</script>&\"'<![CDATA[\x00\x1b\u202e\ud800]]>\ufffe"
    figure = roofline()
    for place in (figure["lines"][0], figure["points"][0], figure["marks"][0], figure["x"]):
        place["label"] = t(evil, evil + "字")
    figure |= {"title": t(evil), "alt": t(evil), "id": evil}
    figure["x"]["unit"], figure["lines"][0]["role"] = evil, evil
    for theme in ("css", "light"):
        picture, sheet = compose(figure, "both", theme, 640)
        root = assert_readable(picture, sheet.markers)
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "text", "tspan", "path", "rect", "circle"}
        assert "\x1b" not in picture
        assert "\u202e" not in picture


def test_what_finds_no_place_is_named_below() -> None:
    figure = roofline()
    figure["points"] = [
        {"id": str(i), "label": t(f"case {i}"), "role": "met", "x": "8", "y": "100"}
        for i in range(60)
    ]
    picture, sheet = compose(figure, "both", "css", 640)
    root = assert_readable(picture, sheet.markers[60:])
    said = [text for text, _ in texts(root)]
    assert all(any(re.fullmatch(rf"case {i}( \(8, 100\))?", s) for s in said) for i in range(60))


@pytest.mark.parametrize("apart", ["0", "0.1", "5"])
def test_guides_that_nearly_coincide_are_both_named(apart: str) -> None:
    ridge, wall = 412.3, 412.3 + float(apart)
    figure = {
        **roofline(),
        "marks": [
            {"id": "ridge", "label": t("ridge point 412.3", "脊点 412.3"), "role": "neutral",
             "axis": "x", "at": str(ridge)},
            {"id": "wall", "label": t("KV wall 417.5", "KV 墙 417.5"), "role": "memory",
             "axis": "x", "at": str(wall)},
        ],
    }  # fmt: skip
    for wide in (340, 760):
        root = ET.fromstring(svg(figure, mode="both", theme="light", width=wide))
        places = dict(texts(root))
        assert places["KV wall 417.5"].bottom < places["ridge point 412.3"].bottom + 30
        assert places["KV wall 417.5"].top < 60, "named above, not in the key below"


def test_no_line_ties_the_name_of_a_band() -> None:
    figure = batch_sweep()
    for panel in figure["panels"]:
        panel["lines"] = []
    picture = svg(figure, mode="both", theme="light", width=800)
    ties = re.findall(r'<path d="M[^"]*" fill="none" stroke="[^"]*" stroke-width="0?.75"', picture)
    named = [p for p in figure["panels"][0]["bands"] if p["label"]]
    assert named
    assert ties == []


def test_guides_of_several_panels_are_named_once() -> None:
    said = [text for text, _ in texts(ET.fromstring(svg(batch_sweep(), mode="en", theme="css")))]
    assert sum("memory limit" in text for text in said) == 1
    assert sum("TPOT target" in text for text in said) == 1


def test_hundreds_of_guides_take_bounded_time() -> None:
    figure = roofline()
    figure["marks"] = [
        {"id": str(i), "label": t(f"guide {i}"), "role": "met", "axis": "x", "at": str(i + 1)}
        for i in range(300)
    ]
    picture, _ = compose(figure, "en", "css", 640)
    said = {text for text, _ in texts(ET.fromstring(picture))}
    assert {f"guide {i}" for i in range(300)} <= said


def test_points_outside_the_range_widen_it() -> None:
    figure = roofline()
    figure["points"].append(
        {"id": "far", "label": t("far"), "role": "met", "x": "90000", "y": "20000"}
    )
    picture, sheet = compose(figure, "en", "css", 640)
    root = assert_readable(picture, sheet.markers)
    assert "10,000" in {text for text, _ in texts(root)}


@pytest.mark.parametrize(
    ("axis", "value"),
    [("x", "0"), ("x", "-1"), ("y", "nan"), ("y", "inf"), ("x", "1e999"), ("y", "many")],
)
def test_what_cannot_be_drawn_is_refused(axis: str, value: str) -> None:
    figure = roofline()
    figure["points"][0][axis] = value
    with pytest.raises(ValueError, match=r"cannot show|could not convert"):
        svg(figure, mode="en", theme="css")


@pytest.mark.parametrize(
    ("low", "high", "log", "room", "wanted"),
    [
        (
            0.5,
            4096,
            True,
            38,
            ["0.5", "1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000", "2,000"],
        ),
        (1, 1e12, True, 60, ["1", "100", "10,000", "1,000,000", "1e8", "1e10", "1e12"]),
        (0, 60, False, 60, ["0", "10", "20", "30", "40", "50", "60"]),
        (-0.3, 0.3, False, 60, ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]),
        (210, 390, True, 90, ["250", "300", "350"]),
    ],
)
def test_ticks(low: float, high: float, log: bool, room: int, wanted: list[str]) -> None:
    scale = Scale(Axis(Label("", ""), "", log, low, high), 500)
    ticks = scale.ticks(lambda _: float(room))
    assert [text for _, text in ticks] == wanted
    assert all(-0.01 <= at <= 500.01 for at, _ in ticks)


def test_tick_text() -> None:
    assert [tick_text(v) for v in (0, 0.05, 1500, 2e7, 5e-6, -20)] == [
        "0",
        "0.05",
        "1,500",
        "2e7",
        "5e−6",
        "−20",
    ]


def test_lines_are_broken_where_each_script_allows() -> None:
    assert broken("memory limit b_max = 220", 100) == ("memory limit", "b_max = 220")
    assert all(not line.startswith(("，", "。")) for line in broken("显存上限，批大小。" * 3, 60))
    assert broken("word " * 80, 80)[-1].endswith("…")
    assert len(broken("x" * 500, 80)) == 3


WORDS = st.one_of(
    st.text(max_size=30),
    st.text("abc xyz,.=0123456789", max_size=60),
    st.text("吞吐显存上限，。批大小 b=", max_size=60),
)
LABELS = st.builds(t, WORDS, WORDS)
ROLES = st.sampled_from(["memory", "compute", "met", "missed", "neutral"])
VALUES = st.one_of(st.sampled_from([1e-3, 1.0, 10.0, 1e6]), st.floats(1e-4, 1e7)).map(repr)


def listed(most: int, **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """A list of items with an id, a label and a role."""
    item = st.fixed_dictionaries(
        {"id": st.text("abc", max_size=2), "label": LABELS, "role": ROLES, **parts}
    )
    return st.lists(item, max_size=most)


AXES = st.fixed_dictionaries(
    {
        "label": LABELS,
        "unit": st.sampled_from(["", "ms", "FLOP/byte"]),
        "scale": st.sampled_from(["log", "linear"]),
        "min": VALUES,
        "max": VALUES,
    }
)
PANELS = st.fixed_dictionaries(
    {
        "y": AXES,
        "lines": listed(
            3, dash=st.booleans(), points=st.lists(st.tuples(VALUES, VALUES), max_size=5)
        ),
        "points": listed(6, x=VALUES, y=VALUES),
        "marks": listed(4, axis=st.sampled_from(["x", "y"]), at=VALUES),
        "bands": listed(2, **{"from": VALUES, "to": VALUES}),
    }
)
ANY = st.builds(
    lambda x, title, panels: {"x": x, "title": title, "alt": title, "panels": panels},
    AXES,
    LABELS,
    st.lists(PANELS, min_size=1, max_size=2),
)


@given(ANY, st.sampled_from(MODES), st.sampled_from([240, 360, 640]))
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_any_figure_is_readable(figure: Figure, mode: Any, wide: int) -> None:
    picture, sheet = compose(figure, mode, "css", wide)
    assert_readable(picture, [])
    for box, marker in product(sheet.texts, sheet.markers):
        assert not box.hits(marker)


def test_measured_widths_are_the_browsers(browser: Any) -> None:
    from derive.render.fonts import web_faces

    pictures = [svg(figure, mode="both", theme="css") for figure in FIGURES]
    page_text = f"<style>{web_faces(''.join(pictures))}</style>{''.join(pictures)}"
    measure = (
        "async () => { await document.fonts.ready; return [...document.querySelectorAll("
        "'svg text')].map(t => [t.textContent, t.getComputedTextLength()]) }"
    )
    page = browser.new_page()
    page.set_content(page_text)
    seen = page.evaluate(measure)
    assert page.get_by_role("img", name="Roofline of 4 × H100").count() == 1
    page.close()
    ours = [pair for picture in pictures for pair in texts(ET.fromstring(picture))]
    assert [text for text, _ in seen] == [text for text, _ in ours]
    for (text, real), (_, box) in zip(seen, ours, strict=True):
        # kerning only draws text together; half a pixel is what hinting may add
        assert real <= box.right - box.left + 0.5, text
        assert real >= 0.9 * (box.right - box.left), text


def test_no_word_is_cut_to_make_lines_equal() -> None:
    from derive.render.charts.words import broken

    assert broken("bandwidth roof: intensity × bandwidth", 170) == (
        "bandwidth roof:",
        "intensity × bandwidth",
    )
