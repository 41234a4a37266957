"""What is not a quantity is refused with a message in both languages, quickly, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from derive.errors import DeriveError, Place, render
from derive.units import read, read_quantity
from tests.clock import within

REFUSED = {
    # no number, no unit
    "": "U201",
    "   ": "U201",
    "GB": "U201",
    "GB 3": "U201",
    "TFLOPS": "U201",
    "每秒": "U201",
    "每3": "U201",
    "/": "U201",
    "((((1))))": "U201",
    "__import__('os').system('x')": "U201",
    "{0}": "U201",
    "三个 GB 五": "U202",
    "∞ GB": "U201",
    "½ GB": "U201",
    "٣ GB": "U201",
    "𝟑 GB": "U201",
    "①": "U201",
    "--3 GB": "U201",
    "≥ 3 GB": "U201",
    "e5": "U201",
    # numbers that are none
    "nan": "U203",
    "NaN GB": "U203",
    "inf": "U203",
    "-inf GB": "U203",
    "Infinity": "U203",
    "1e999": "U203",
    "1e61 GB": "U203",
    "1e-61": "U203",
    "1e60 GB": "U203",
    "9" * 61: "U203",
    "1/0 GB": "U203",
    "1 x 10^99 GB": "U203",
    # not a number with a unit
    "9**9**9": "U202",
    "2^10 byte": "U202",
    "1_000 GB": "U202",
    "0x10 GB": "U202",
    "1..5 GB": "U202",
    "1.5.2 GB": "U202",
    "5. GB": "U202",
    "1,23 GB": "U202",
    "3,35 TB/s": "U202",
    "1,234,5 GB": "U202",
    "1234,567 GB": "U202",
    "0,123 GB": "U202",
    "1 234 GB": "U202",
    "5² GB": "U202",
    "5₂ GB": "U202",
    "3 GB\x00": "U202",
    "3\x1cGB": "U202",
    "3 GB\u200b": "U202",
    "3-4 GB": "U202",
    "3±1 GB": "U202",
    "3 GB; rm -rf /": "U202",
    "3 ${x}": "U202",
    "3 {found}": "U202",
    "3 GB RAM": "U202",
    "7B model": "U202",
    "3 GB/": "U202",
    "3 GB//s": "U202",
    "3 (GB)": "U202",
    "2 FLOP/(param·token": "U202",
    "2 FLOP/((param))": "U202",
    "1 GB^99": "U202",
    "1 GB^9": "U202",
    "1/2GB": "U202",
    "$5 tokens": "U202",
    "2 s/token*request": "U202",
    "2 FLOP/param·token": "U202",
    "3 GB 4 GB": "U202",
    "3 " + "/".join(["GB"] * 20): "U202",
    # text direction marks and look-alikes
    "\u202e3 GB": "U201",
    "3 \u202eGB": "U202",
    "3 GΒ": "U205",
    "3 ТB/s": "U205",
    # unknown units
    "5 GBs": "U205",
    "5 TFLPS": "U205",
    "5 tb/s": "U205",
    "5 gbps": "U205",
    "80G": "U205",
    "128k": "U205",
    "3 卢布": "U205",
    "2 K": "U205",
    "5 m": "U205",
    "3 GHz": "U205",
    "1e": "U205",
    # read in two ways
    "70B": "U207",
    "7.5B": "U207",
    "400 Tflops": "U207",
    "400 TFlops": "U207",
    "100 Tops": "U207",
    "4 Gflops/W": "U207",
    # too long
    "3 GB" + " " * 200: "U204",
    "1" * 10_000: "U204",
    "(" * 500: "U204",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(DeriveError) as caught:
        read(text, Place("scenario.yaml", 3, 7, "memory.other"))
    (problem,) = caught.value.problems
    assert problem.code == REFUSED[text]
    english, chinese = (render(caught.value, lang) for lang in ("en", "zh"))
    for shown in (english, chinese):
        assert "scenario.yaml:3:7" in shown
        assert all(c.isprintable() or c == "\n" for c in shown)


def test_a_quantity_needs_a_unit() -> None:
    with pytest.raises(DeriveError, match="U206 80 has no unit"):
        read_quantity("80")


HINTS = {
    "5 TFLPS": "did you mean TFLOP/s?",
    "900 GBs": "did you mean GB/s?",
    "5 tb/s": "upper and lower case matter: TB is terabyte, Tb is Tbit",
    "400 gbps": "upper and lower case matter: Gbps is Gbit/s, GBps is GB/s",
    "80 Gigabyt": None,  # a bit or a byte, who knows
    "41 millisecond/tokenn": "did you mean token?",
    "3 GΒ": "GB is written with a letter of another alphabet",
    "3,35 TB/s": "did you mean 3.35?",
    "0,123 GB": "did you mean 0.123?",
    "81 559 MiB": "did you mean 81,559?",
    "70B": "write 70 byte or 70 billion",
    "400 Tflops": "write TFLOP or TFLOP/s",
    "2 FLOP/param·token": "after / write brackets or a second /",
    "3 xyzzy": None,
    "80G": None,
}


@pytest.mark.parametrize("text", HINTS)
def test_at_most_one_hint_and_only_where_it_is_likely(text: str) -> None:
    with pytest.raises(DeriveError) as caught:
        read(text)
    hint = caught.value.problems[0].hint
    assert (hint.en if hint else None) == HINTS[text]


PIECES = st.sampled_from(
    [
        "3",
        "3.35",
        "1,979",
        "1e3",
        "TB",
        "GB",
        "FLOP",
        "token",
        "每",
        "秒",
        "万",
        "亿",
        "百万",
        "个",
        "张",
        "卡",
        "/",
        "*",
        "·",
        "(",
        ")",
        "^",
        "-",
        " ",
        "per ",
        "k",
        "M",
        "B",
        "$",
        "%",
        "1",
        "2",
        ",",
        ".",
        "e",
        "约",
        "二",
        "次浮点运算",
        "Tflops",
        "\u202e",
        "\x00",
        "Β",
        "²",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map("".join)))
@example("每" * 60)
@example("1/" * 90)
@example("3 " + "张" * 150)
@example("3 " + "百万" * 90)
@example("每1" * 60)
@example("3 GB^-4*GB^4/GB^-4")
def test_any_text_is_read_or_refused_quickly(text: str) -> None:
    with within(0.5):
        try:
            found = read(text)
        except DeriveError as error:
            render(error)
        else:
            assert found.value == found.quantity.value
            float(found.quantity.base)
