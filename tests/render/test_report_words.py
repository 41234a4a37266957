"""The small parts of the report: words, symbols, numbers, Markdown."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.render import numbers, page, sections
from derive.render.markdown_text import code, escape, table
from derive.render.symbols import symbol_html
from derive.render.words import Words, glued, seen, set_signs
from derive.text import Text

from .report_ledgers import ledger

NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("≈ 18.30 ms/token", f"≈{NBSP}18.30{NBSP}ms/token"),
        ("目标 500 ms：满足", f"目标 500{NBSP}ms：满足"),
        ("4 × NVIDIA", "4 × NVIDIA"),
        ("1 % more of x", f"1{NBSP}% more of x"),
        ("10^9 byte", f"10^9{NBSP}byte"),
        ("H100 SXM5", "H100 SXM5"),
        ("−63.03 GB", f"−63.03{NBSP}GB"),
    ],
)
def test_number_and_unit_never_part(text: str, kept: str) -> None:
    assert glued(text) == kept


def test_words_in_both_languages_are_tagged() -> None:
    both = Words("both", {})
    assert both.bi(Text("ridge <b>", "脊点 &")) == (
        '<span class="zh" lang="zh">脊点 &amp;</span> '
        '<span class="en" lang="en">ridge &lt;b&gt;</span>'
    )
    assert both.bi({"en": "MFU", "zh": "MFU"}) == "MFU"
    assert both.plain(Text("a", "b")) == "b / a"
    assert Words("en", {}).bi(Text("ridge", "脊点")) == "ridge"
    assert Words("zh", {}).pair(Text("ridge", "脊点")) == '<div class="prose"><p>脊点</p></div>'
    assert both.bi({"en": "", "zh": "只有中文"}) == "只有中文"
    assert seen("a\x00b\u202ec\nd") == "a[U+0000]b[U+202E]c\nd"


def test_prose_sets_symbols_and_powers() -> None:
    words = Words("en", {"T_wall": {"latex": r"T_{\mathrm{wall}}"}, "b": {"latex": "b"}})
    assert words.prose("past T_wall it is") == (
        'past <span class="sy">𝑇<sub>wall</sub></span> it is'
    )
    assert words.prose("10^9 and QKᵀ") == "10<sup>9</sup>\u00a0and QK<sup>T</sup>"
    b = '<span class="sy">𝑏</span>'
    assert words.prose("x_T_wall b") == f"x_T_wall {b}"
    assert words.prose("a batch of 8 b, b's, sub-b and (T_wall, b)") == (
        f'a batch of 8\u00a0b, b&#39;s, sub-b and (<span class="sy">𝑇<sub>wall</sub></span>, {b})'
    )
    assert words.prose("(vendor, b_x)") == "(vendor, b_x)"
    assert words.prose("2 · m · T_wall").startswith('2 ⋅ <span class="sy">𝑚</span> ⋅ <span')


def test_signs_are_set_as_print_sets_them() -> None:
    said = {
        "2022-2026, 2026-11-30": "2022–2026, 2026-11-30",
        "128 x 128, 8x7B, 0x1F": "128 × 128, 8x7B, 0x1F",
        "g · B_peak, FLOP·request": "g ⋅ B_peak, FLOP⋅request",
        "词表 · 权重": "词表 · 权重",
        "16990208 of 2026, 0.123456, id-123456": "16,990,208 of 2026, 0.123456, id-123456",
    }
    for typed, wanted in said.items():
        assert set_signs(typed) == wanted


def test_words_of_a_user_stand_as_written() -> None:
    words = Words("both", {"T_wall": {"latex": r"T_{\mathrm{wall}}"}})
    assert words.prose("**MoE** and a*b") == "**MoE** and a*b"
    assert words.bi({"en": "10^9 T_wall <*>", "zh": "10^9 T_wall <*>"}, own=True) == (
        "10^9 T_wall &lt;*&gt;"
    )
    assert page.unit("≈ 16.99 MFLOP*request/token^2") == "≈ 16.99 MFLOP⋅request/token²"
    assert page.unit("s*request/token") == "s/token"


def test_a_value_keeps_to_its_symbol() -> None:
    words = Words("en", {"T_in": {"latex": r"T_{\mathrm{in}}"}})
    assert f"</span>{NBSP}={NBSP}2,048{NBSP}" in words.prose("with T_in = 2,048 tokens")
    assert words.prose("expect TPOT ≈ 18 ms") == f"expect TPOT{NBSP}≈{NBSP}18{NBSP}ms"


@pytest.mark.parametrize(
    ("latex", "html"),
    [
        ("N", "𝑁"),
        ("h", "ℎ"),
        (r"\kappa", "𝜅"),
        (r"1_{\mathrm{tok}}", "1<sub>tok</sub>"),
        (r"b_{\mathrm{crit}}(T)", "𝑏<sub>crit</sub>(𝑇)"),
        (r"I_{\mathrm{decode},\infty}", "𝐼<sub>decode,∞</sub>"),
        (r"\mathrm{TPOT}^{*}", "TPOT<sup>*</sup>"),
        (r"R_{\max}", "𝑅<sub>max</sub>"),
    ],
)
def test_a_symbol_is_text(latex: str, html: str) -> None:
    assert symbol_html(latex) == f'<span class="sy">{html}</span>'


@pytest.mark.parametrize("latex", [r"\frac{a}{b}", r"\overline{T}", "a_{b}^{c}", r"\evil", "<b>"])
def test_more_than_a_symbol_is_left_to_mathematics(latex: str) -> None:
    assert symbol_html(latex) == ""


def test_every_symbol_of_the_ledger_can_be_set() -> None:
    from derive.render.equations import Plain, Print, Screen

    for name, about in ledger()["symbols"].items():
        for equations in (Screen(), Print(), Plain()):
            assert equations.symbol(about["latex"], name)


def test_columns_stand_on_the_decimal_point() -> None:
    column = numbers.aligned(["≈ 146.0", "1.168", "79", "–", ""])
    assert column == ["≈ 146.0\u2007\u2007", "1.168", "79\u2008\u2007\u2007\u2007", "–", ""]
    assert numbers.grouped(["1.000", "1,5", "512.0"]) == ["1", "1,5", "512"]
    assert numbers.grouped(["4096.00", "–"]) == ["4,096", "–"]
    assert numbers.grouped(["1.5", "2000.0", "12345"]) == ["1.5", "2,000.0", "12,345"]


@given(st.lists(st.decimals(-(10**6), 10**6, places=3).map(str) | st.integers().map(str)))
def test_alignment_only_adds_space(cells: list[str]) -> None:
    found = numbers.aligned(cells)
    assert [c.strip("\u2007\u2008") for c in found] == cells
    if cells:
        places = {
            len(c.partition(".")[2]) if "." in c else len(c.partition("\u2008")[2]) for c in found
        }
        widths = {
            len(re.split("[.\u2008]", c)[-1]) if re.search("[.\u2008]", c) else 0 for c in found
        }
        assert len(widths) == 1
        assert places


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("-1/1", "−1.000"),
        ("0/1", "0.000"),
        ("1/3", "+0.333"),
        ("-1/8", "−0.125"),
        ("2/1", "+2.000"),
    ],
)
def test_elasticities(exact: str, shown: str) -> None:
    assert numbers.elasticity(exact) == shown


@given(st.fractions(-1000, 1000))
def test_elasticities_are_rounded_not_cut(value: Fraction) -> None:
    text = numbers.elasticity(f"{value.numerator}/{value.denominator}").replace("−", "-")
    assert Fraction(text) == round(value, 3)


def test_values_in_parts() -> None:
    found = numbers.split("≈ 18.30 ms/token")
    assert (found.sign, found.number, found.unit) == ("≈ ", "18.30", "ms/token")
    assert numbers.split("220 request").unit == "request"
    assert numbers.split("-0.5").number == "−0.5"
    assert numbers.split("bf16").number == "bf16"
    assert numbers.written("1/80", "s*request/token", "ms/token").text == "12.5 ms/token"


def test_sections_have_both_languages() -> None:
    parts = [*sections.parts(checklist=True), *sections.groups()]
    for text in (t for p in parts for t in (p.title, p.lead) if t is not None):
        assert text.zh != text.en
    assert [p.key for p in sections.parts(checklist=False)].count("checklist") == 0
    assert sections.group("unheard of").title.en == "unheard of"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a*b [c] `d` #e", r"a\*b \[c\] \`d\` \#e"),
        ("<b>&</b>", "&lt;b&gt;&amp;&lt;/b&gt;"),
        ("B_peak and _x_", r"B_peak and \_x\_"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("121.7 – 182", "121.7 – 182"),
        ("two\nlines | pipe", r"two lines \| pipe"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_code_spans_hold_anything() -> None:
    assert code("a | b") == r"`a \| b`"
    assert code("a ``b`") == "``` a ``b` ```"
    assert code("") == ""
    assert table(["a", "b"], [["1", "2"]], right=(1,)) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"


def test_a_negative_number_in_a_column_has_a_minus_and_stands_on_the_decimal_point() -> None:
    from derive.render.numbers import aligned, grouped

    assert aligned(grouped(["10.53", "-0.1568", "–"])) == ["10.53\u2007\u2007", "−0.1568", "–"]
