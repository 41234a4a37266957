"""What a claim says: numbers with what they stand for, units, names, roles and conditions."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.audit.interval import Interval, half_unit
from derive.audit.reading.claim import read_claim
from derive.audit.reading.figures import figure_at
from derive.audit.reading.normal import LONGEST, normal
from derive.audit.types import Claim, Figure
from derive.errors import DeriveError, harmless
from derive.specs.lookup import spec_roots
from tests.clock import within

ROOTS = spec_roots()


def read(text: str) -> Claim:
    return read_claim(text, ROOTS)


def figure(text: str, role: str) -> Figure:
    found = read(text).of(role)
    assert len(found) == 1, [(f.text, f.role) for f in read(text).figures]
    return found[0]


# the text, value and half a unit of its last digit in the unit, the unit, what is left behind it
NUMBERS = [
    ("1,979 TFLOPS FP16", "1979", "1/2", "TFLOP/s", " FP16"),
    ("1.979e3 TFLOPS", "1979", "1/2", "TFLOP/s", ""),
    ("1979×10^12 FLOP/s", "1979000000000000", "500000000000", "FLOP/s", ""),
    ("4 petaflops of FP8", "4", "1/2", "PFLOP/s", " of FP8"),
    ("about 300 FLOP/byte", "300", "50", "FLOP/byte", ""),
    ("≈ 0.56", "14/25", "1/200", "", ""),
    ("每秒 989 万亿次浮点运算", "989000000000000", "500000000000", "FLOP/s", ""),
    ("每秒 3.35 万亿字节", "3350000000000", "5000000000", "byte/s", ""),
    ("70B model", "70000000000", "500000000", "param", " model"),
    ("700 亿参数", "70000000000", "50000000", "param", ""),
    ("150K tokens of KV", "150000", "500", "token", " of KV"),
    ("13,540 tokens per minute are", "13540", "1/2", "token/min", " are"),
    ("60 tok/s/user", "60", "1/2", "token/s/request", ""),
    ("9.6 Tb/s", "48/5", "1/20", "Tbit/s", ""),
    ("312 Tflops", "312", "1/2", "TFLOP/s", ""),
    ("0.55-0.60", "23/40", "3/100", "", ""),
    ("81559 MiB", "81559", "1/2", "MiB", ""),
    ("-5 GB", "-5", "1/2", "GB", ""),
]


@pytest.mark.parametrize(("text", "value", "half", "units", "rest"), NUMBERS)
def test_numbers_with_units(text: str, value: str, half: str, units: str, rest: str) -> None:
    found = figure_at(text, 0)
    assert found is not None
    assert (found.value, found.half) == (Fraction(value), Fraction(half))
    assert (found.unit.text, text[found.end :]) == (units, rest)


def test_a_printed_number_stands_for_half_a_unit_of_its_last_digit() -> None:
    assert half_unit("41.8") == Fraction(1, 20)
    assert half_unit("1,979") == Fraction(1, 2)
    assert half_unit("300") == Fraction(1, 2)
    assert half_unit("300", rounded=True) == 50
    assert half_unit("2048", rounded=True) == Fraction(1, 2)


ends = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)
intervals = st.tuples(ends, ends).map(lambda e: Interval(min(e), max(e)))
shares = st.fractions(min_value=0, max_value=1, max_denominator=100)


@given(intervals, intervals, shares, shares)
def test_what_intervals_hold_their_results_hold(
    one: Interval, other: Interval, s: Fraction, t: Fraction
) -> None:
    a = one.low + s * (one.high - one.low)
    b = other.low + t * (other.high - other.low)
    pairs = [(one + other, a + b), (one - other, a - b), (one * other, a * b)]
    if not other.low <= 0 <= other.high:
        pairs.append((one / other, a / b))
    for found, number in pairs:
        assert found.low <= number <= found.high
    assert one.meets(Interval.of(a))


def test_full_width_and_chinese_punctuation_read_alike() -> None:
    plain = read("H100 SXM: 1,979 TFLOPS, FP16")
    wide = read("Ｈ１００ ＳＸＭ：１，９７９ ＴＦＬＯＰＳ，ＦＰ１６")
    assert [(f.value, f.unit, f.role, f.conditions) for f in plain.figures] == [
        (f.value, f.unit, f.role, f.conditions) for f in wide.figures
    ]
    assert wide.text[slice(*wide.figures[0].span)] == "１，９７９ ＴＦＬＯＰＳ"


@given(st.text(alphabet="Ｈ１００ 算力为989 TFLOPS，。×10^¹²FP16", max_size=60))
def test_spans_point_into_the_text_as_written(text: str) -> None:
    claim = read(text)
    for found in claim.figures:
        start, end = found.span
        assert 0 <= start < end <= len(text)
        assert re.search(r"[0-9０-９¹²一二]", text[start:end])
    assert normal(text).text == normal(normal(text).text).text


ROLES = [
    ("H100 SXM: 400 TFLOP/s achieved in BF16 is 40 % MFU.", "achieved_rate", "400 TFLOP/s"),
    ("H100 SXM: 400 TFLOP/s achieved in BF16 is 40 % MFU.", "mfu", "40 %"),
    ("The H800 SXM has a dense BF16 peak of 990 TFLOP/s.", "peak_rate", "990 TFLOP/s"),
    ("DGX Spark: 1 petaFLOP of AI performance.", "peak_rate", "1 petaFLOP"),
    ("A 4096 x 4096 x 4096 matmul is 137 GFLOP.", "work", "137 GFLOP"),
    ("H100 SXM 的显存带宽为 3.35 TB/s", "memory_bandwidth", "3.35 TB/s"),
    ("H100 NVLink: 900 GB/s.", "link", "900 GB/s"),
    ("Gaudi 3 has 9.6 Tb/s of networking.", "network", "9.6 Tb/s"),
    ("An H100 SXM has 86 GB of memory.", "memory", "86 GB"),
    ("The weights of Llama-3.1-8B take 16.06 GB.", "weights", "16.06 GB"),
    ("Qwen3-8B 每 token 的 KV cache 为 144 KiB", "kappa", "144 KiB"),
    ("Llama-3-70B keeps 327,680 bytes of KV per token", "kappa", "327,680 bytes"),
    ("529 token/s in total with 57 requests in flight", "speed", "529 token/s"),
    ("529 token/s in total with 57 requests in flight", "concurrency", "57 requests"),
    ("a TTFT of 90 ms", "ttft", "90 ms"),
    ("TPOT 18 ms", "tpot", "18 ms"),
    ("首 token 延迟 90 ms", "ttft", "90 ms"),
    ("a prompt of 1,909 tokens", "prompt", "1,909 tokens"),
    ("上下文长度 8192 token", "context", "8192 token"),
    ("Qwen2.5-7B has 7.6B parameters.", "parameters", "7.6B parameters"),
    ("with tensor parallelism 4", "tp", "4"),
    ("batch 64", "batch", "64"),
    ("on two H100 SXM", "devices", "two"),
    ("在 8 张 H100 上", "devices", "8 张"),
    ("8x H100", "devices", "8"),
]


@pytest.mark.parametrize(("text", "role", "words"), ROLES)
def test_what_a_figure_is_a_figure_of(text: str, role: str, words: str) -> None:
    assert figure(text, role).text == words


CONDITIONS = [
    ("MI300X FP16 dense: 2,615 TFLOPS.", {"precision": ("fp16",), "sparsity": ("dense",)}),
    (
        "H100：1,979 TFLOPS（BF16，带稀疏）",
        {"precision": ("bf16",), "sparsity": ("with_sparsity",)},
    ),
    ("H100 NVLink moves 900 GB/s in each direction.", {"direction": ("one",)}),
    ("NVLink 双向 900 GB/s", {"direction": ("both",)}),
    ("70B 单路 60 token/s", {"user": ("one",)}),
    ("60 token/s per user", {"user": ("one",)}),
    ("总吞吐 529 token/s", {"user": ("all",)}),
    ("Gaudi 3: 1,856 BF16 TFLOPS", {"precision": ("bf16",)}),
    ("1,979 TFLOPS*, FP16", {"precision": ("fp16",), "sparsity": ("with_sparsity",)}),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_conditions_of_a_figure(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    said = read(text).figures[-1].conditions
    assert {k: said.get(k) for k in expected} == expected


def test_words_that_differ_belong_to_the_nearest_figure() -> None:
    text = "NVLink at 900 GB/s (both directions) is 18 times an Ethernet port (50 GB/s each way)."
    first, last = (f for f in read(text).figures if f.unit.text == "GB/s")
    assert (first.conditions["direction"], last.conditions["direction"]) == (("both",), ("one",))
    assert (first.role, last.role) == ("link", "network")


def test_words_of_a_head_belong_to_every_figure() -> None:
    found = read("Dense BF16 peaks: H100 SXM 989 TFLOPS, H100 PCIe 756 TFLOPS.").figures
    assert [f.conditions["sparsity"] for f in found] == [("dense",)] * 2
    assert [f.hardware.ids for f in found if f.hardware] == [
        ("nvidia-h100-sxm5-80gb",), ("nvidia-h100-pcie-80gb",),
    ]  # fmt: skip


def test_a_name_that_means_several_products_keeps_them_all() -> None:
    (name,) = read("the A100").hardware
    assert len(name.ids) == 4
    (name,) = read("英伟达 A100 80GB SXM").hardware
    assert name.ids == ("nvidia-a100-sxm4-80gb",)


def test_a_bare_number_takes_the_unit_of_what_it_is_compared_with() -> None:
    found = read("Gaudi 3 with 1,856 BF16 TFLOPS is slightly below the H100 with 1,979.").figures
    assert [(f.role, f.unit.text) for f in found] == [("peak_rate", "TFLOP/s")] * 2


def test_what_was_not_understood_is_said() -> None:
    claim = read("The frobnicated H100 SXM delivers 989 TFLOPS")
    assert [claim.text[a:b] for a, b in claim.unread] == ["frobnicated"]


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x07", "\ud800", "\u2066"])
def test_hidden_characters_are_refused_by_their_code(hidden: str) -> None:
    with pytest.raises(DeriveError) as found:
        read(f"H100: 1{hidden}979 TFLOPS")
    assert f"U+{ord(hidden):04X}" in found.value.problems[0].what.zh
    assert found.value.problems[0].code == "A102"


@pytest.mark.parametrize(
    "text",
    ["9" * 1900, "1" + ",000" * 400, "10^10^10 FLOP/s", "1e9999 GB", "1e999999999 GB", "^" * 1900,
     "9^9^9^9^9", "(" * 1900, "1 x " * 400, "亿" * 1900, "每" * 1900, "A100" * 400, "per " * 400,
     "GB/s/" * 300, "≈" * 1900, "0." * 900, "一" * 1900, "with sparsity " * 100, "* " * 900],
)  # fmt: skip
def test_hostile_text_ends_soon(text: str) -> None:
    """Bounded by the number of characters: seconds here would be minutes elsewhere."""
    with within(1):
        read(text)


def test_too_long_a_claim_is_refused() -> None:
    with pytest.raises(DeriveError) as found:
        read("a" * (LONGEST + 1))
    assert found.value.problems[0].code == "A101"


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    claim = None
    with suppress(DeriveError):
        claim = read(text)
    hidden = [c for c in text if not harmless(c) and c not in "\t\r\n"]
    assert (claim is None) == bool(hidden)
    assert claim is None or all(f.half >= 0 for f in claim.figures)
