"""Claims with fields: statements of printed values, exact evaluation, rounding, readings of GB."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derive.audit.fields.claims_file import Stated
from derive.audit.fields.stated import claim_of, stated_claims
from derive.audit.fields.statements import statements
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.rule import rules
from derive.audit.types import Entry, Judged
from derive.errors import Place
from derive.specs.lookup import spec_roots
from derive.units import unit

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)


def audit(quantity: str, value: str, subject: str = "", **given: str) -> Judged:
    entry = Entry(quantity=quantity, value=value, subject=subject, given=given)
    return judge(claim_of(Stated("", Place(), entry), ROOTS), LIBRARY)


def said(found: Judged, lang: str = "en") -> str:
    return "\n".join(f.message.in_(lang) for f in found.findings)


OPEN = None
Bound = str | None
# printed, then for each statement: kind, low, high in its unit, the unit
PRINTED = [
    ("about 201", [("figure", "200.5", "201.5", None)]),
    ("about 300", [("figure", "250", "350", None)]),
    ("2,097,152 bytes, about 2.0 MB/token",
     [("figure", "2097151.5", "2097152.5", "byte"), ("figure", "1.95", "2.05", "MB/token")]),
    ("64 GB, more than a third of 140 GB",
     [("figure", "63.5", "64.5", "GB"), ("ratio", "0.3", OPEN, None)]),
    ("under 1 %", [("figure", OPEN, "1.5", "%")]),
    ("hundreds of GB", [("many", "100", "1000", "GB")]),
    ("几十 GB", [("many", "10", "100", "GB")]),
    ("30 % or more apart", [("figure", "29.5", OPEN, "%")]),
    ("doubles (1.4 to 1.8 in practice)", [("ratio", "1.8", "2.2", None)]),
    ("四成", [("ratio", "0.35", "0.45", None)]),
    ("four tenths of the bandwidth unused", [("ratio", "0.35", "0.45", None)]),
    ("0.33 and 0.625", [("figure", "0.325", "0.335", None), ("figure", "0.6245", "0.6255", None)]),
    ("nearly 300 times", [("ratio", "250", "350", None)]),
    ("7B class", [("figure", "5600000000", "8400000000", "param")]),
    ("70B class and above", [("figure", "56000000000", OPEN, "param")]),
    ("6N", [("coefficient", "5.5", "6.5", None)]),
    ("about 1 for 8B and for 671B", [("figure", "0.5", "1.5", None)]),
    ("不到 5 ms", [("figure", OPEN, "5.5", "ms")]),
    ("41.8 ms*request/token", [("figure", "41.75", "41.85", "ms*request/token")]),
    ("an order of magnitude", [("ratio", "5", "50", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), PRINTED)
def test_words_around_numbers(
    text: str, wanted: list[tuple[str, str | None, str | None, str | None]]
) -> None:
    found, _ = statements(text)
    assert [(s.kind, s.low, s.high, s.unit.text if s.unit else None) for s in found] == [
        (kind, low and Fraction(low), high and Fraction(high), of) for kind, low, high, of in wanted
    ]


def test_a_change_has_two_ends_and_fits_say_how_many() -> None:
    (changed,), _ = statements("4 becomes 2")
    assert (changed.kind, changed.low) == ("change", Fraction(7, 2))
    assert changed.after is not None
    assert changed.after.high == Fraction(5, 2)
    (fits,), _ = statements("does not fit one card")
    assert (fits.kind, fits.no, fits.count) == ("fits", True, 1)
    (fits,), _ = statements("放不下")
    assert (fits.no, fits.count) == (True, None)


@given(st.text(alphabet="0123456789., ->→%kGB/约一二三成 abcdefghijklmnopqrst()", max_size=300))
@settings(max_examples=200)
def test_any_words_are_read_without_fault(text: str) -> None:
    found, left = statements(text)
    assert all(s.text for s in found)
    assert all(left)


RIDGE = {"P_peak": "989.5 TFLOP/s", "B_peak": "3.35 TB/s"}


def test_the_ridge_by_hand() -> None:
    """989.5 / 3.35 = 295.373; 3.345 to 3.355 and 989.45 to 989.55 leave 294.9 to 295.8."""
    for value, verdict in [
        ("295.4", "consistent"), ("295.8", "consistent"), ("295.95", "contradicted"),
        ("about 300", "consistent"), ("300", "contradicted"), ("591", "contradicted"),
    ]:  # fmt: skip
        assert audit("I_ridge", value, **RIDGE).verdict == verdict, value
    wrong = audit("I_ridge", "591", **RIDGE)
    assert wrong.findings[0].derivation[0].en == "I_ridge = P_peak / B_peak"
    assert "295.4 FLOP/byte" in said(wrong)
    assert "实为" in said(wrong, "zh")


def test_gb_and_gib_are_two_readings() -> None:
    """2 × 64 × 8192 × 2 = 2,097,152 bytes a token; × 8192 tokens = 17.18 GB = 16 GiB."""
    kappa = {"kappa": "2097152 byte/token"}
    assert audit("KV_request", "16 GB", T="8192 token/request", **kappa).verdict == "ambiguous"
    assert audit("KV_request", "17 GB", T="8192 token/request", **kappa).verdict == "consistent"
    assert audit("KV_request", "16 GiB", T="8192 token/request", **kappa).verdict == "consistent"
    assert audit("KV_request", "18 GB", T="8192 token/request", **kappa).verdict == "contradicted"
    assert audit("b_max", "4", M_free="16 GB", T="2048", **kappa).verdict == "ambiguous"
    assert audit("b_max", "3", M_free="16 GB", T="2048", **kappa).verdict == "consistent"
    assert audit("b_max", "5", M_free="16 GB", T="2048", **kappa).verdict == "contradicted"


def test_what_is_not_given_may_be_anything_or_is_named() -> None:
    assert (
        audit("b_crit", "295", I_ridge="295.373 FLOP/byte", w="2 byte/param").verdict
        == "consistent"
    )
    missing = audit("TPOT_floor", "41.8 ms", W="140 GB")
    assert missing.verdict == "unverifiable"
    assert "B_peak" in said(missing)
    meant = audit("TPOT_floor", "41.8 ms", W="140 GB", B_peek="3.35 TB/s")
    assert "B_peek" in said(meant)
    assert audit("nonsense", "1", W="1 GB").verdict == "unverifiable"


def test_products_ratios_and_changes() -> None:
    kappa = {"L": "64", "w_kv": "2 byte/element", "H_kv*d_head": "8192"}
    assert audit("kappa", "2,097,152 bytes", **kappa).verdict == "consistent"
    assert audit("R_max ratio", "doubles", w="2 -> 1 byte/param").verdict == "consistent"
    assert audit("R_max ratio", "triples", w="2 -> 1 byte/param").verdict == "contradicted"
    assert audit("c_kv * w_kv", "4 becomes 2", w_kv="2 -> 1 byte/element").verdict == "consistent"
    assert audit("c_kv * w_kv", "4 becomes 3", w_kv="2 -> 1 byte/element").verdict == "contradicted"
    assert audit("ratio", "0.57", before="46 ms", after="26 ms").verdict == "consistent"
    assert audit("ratio", "0.50", before="46 ms", after="26 ms").verdict == "contradicted"


def test_a_figure_that_only_rounding_excuses_is_told() -> None:
    found = audit("ratio", "about 0.56", before="46 ms", after="26 ms")
    assert found.verdict == "consistent"
    assert "0.5652" in said(found)
    assert "rounding" in said(found)


def test_a_bound_on_too_few_devices_is_told_and_changes_nothing() -> None:
    rate = {"W": "140 GB", "B_peak": "3.35 TB/s"}
    small = audit("R_max", "23.9", subject="H100 SXM", **rate)
    assert (small.verdict, "at least 2 devices" in said(small)) == ("consistent", True)
    enough = audit("R_max", "47.9", subject="H100 SXM", g="2 device", **rate)
    assert (enough.verdict, "devices" in said(enough)) == ("consistent", False)


def test_more_than_the_roof() -> None:
    over = audit("MFU_meas", "104 %", achieved="324.5 TFLOP/s", P_peak="312 TFLOP/s")
    assert over.verdict == "exceeds_bound"
    assert (
        audit("MFU_meas", "45 %", achieved="140 TFLOP/s", P_peak="312 TFLOP/s").verdict
        == "consistent"
    )


def test_the_subject_gives_what_the_fields_do_not() -> None:
    found = audit("TPOT_floor", "10.5 ms", subject="Llama-3-70B on H100 SXM", g="4 device")
    assert found.verdict == "consistent", said(found)
    found = audit("TPOT_floor", "21 ms", subject="Llama-3-70B on H100 SXM", g="4 device")
    assert found.verdict == "contradicted"


def rounded(value: Fraction, figures: int) -> tuple[str, Fraction]:
    """A positive number to so many significant figures, and half a unit of the last."""
    power = 0
    while value >= Fraction(10) ** (power + 1):
        power += 1
    while value < Fraction(10) ** power:
        power -= 1
    step = Fraction(10) ** (power - figures + 1)
    number = round(value / step) * step
    places = max(0, figures - 1 - power)
    return f"{float(number):.{places}f}", step / 2


QUANTITIES = [
    ("I_ridge", {"P_peak": ("TFLOP/s", 10, 3000), "B_peak": ("TB/s", 1, 9)}, "FLOP/byte"),
    ("TPOT_floor", {"W": ("GB", 1, 900), "B_peak": ("TB/s", 1, 9)}, "ms*request/token"),
    ("KV_total", {"b": ("request", 1, 500), "T": ("token/request", 100, 9000),
                  "kappa": ("byte/token", 1000, 900000)}, "MB"),
    ("utilisation", {"TPOT_floor": ("ms*request/token", 1, 90),
                     "TPOT_meas": ("ms*request/token", 100, 900)}, ""),
]  # fmt: skip


def exact(name: str, value: dict[str, Fraction]) -> Fraction:
    """The value by hand, in base units."""
    match name:
        case "I_ridge":
            return value["P_peak"] / value["B_peak"]
        case "TPOT_floor":
            return value["W"] / value["B_peak"]
        case "KV_total":
            return value["b"] * value["T"] * value["kappa"]
    return value["TPOT_floor"] / value["TPOT_meas"]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(QUANTITIES), st.data(), st.integers(2, 5))
def test_true_claims_are_consistent_however_they_are_rounded(
    case: tuple[str, dict[str, tuple[str, int, int]], str], data: st.DataObject, figures: int
) -> None:
    name, inputs, units = case
    values, texts = {}, {}
    for symbol, (of, low, high) in inputs.items():
        number = data.draw(st.integers(low, high))
        values[symbol] = number * unit(of).factor
        texts[symbol] = f"{number} {of}"
    true = exact(name, values) / unit(units).factor
    assume(true >= Fraction(1, 10**6))
    digits, _ = rounded(true, figures)
    assume("." in digits or figures >= len(digits))  # a zero that stands for a digit is a digit
    assert audit(name, f"{digits} {units}", **texts).verdict == "consistent"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(QUANTITIES), st.data(), st.sampled_from([Fraction(1, 2), Fraction(3)]))
def test_claims_off_by_more_than_rounding_are_contradicted(
    case: tuple[str, dict[str, tuple[str, int, int]], str], data: st.DataObject, factor: Fraction
) -> None:
    """Inputs of four digits leave less than a factor of 1.002, GiB 1.074."""
    name, inputs, units = case
    values, texts = {}, {}
    for symbol, (of, low, _) in inputs.items():
        number = Fraction(data.draw(st.integers(low * 1000, low * 9999)), 1000)
        whole = of in ("request", "token/request")
        number = Fraction(max(1, int(number))) if whole else number
        values[symbol] = number * unit(of).factor
        texts[symbol] = f"{int(number)} {of}" if whole else f"{float(number):.3f} {of}"
    off = exact(name, values) / unit(units).factor * factor
    assume(off >= Fraction(1, 10**6))
    digits, _ = rounded(off, 4)
    assert audit(name, f"{digits} {units}", **texts).verdict == "contradicted"


FIELDS = [
    # the quantity in words, in both languages, beside its conditions
    ("{subject: H100 SXM, quantity: memory bandwidth, value: 3.35 TB/s}", "consistent"),
    ("{subject: H100 SXM, quantity: 显存带宽, value: 4.8 TB/s}", "contradicted"),
    ("{subject: H100 SXM, quantity: Peak compute, value: 1979 TFLOPS, conditions: [BF16, dense]}",
     "contradicted"),
    ("{subject: H100 SXM, quantity: 峰值算力, value: 989 TFLOPS, conditions: [BF16, 稠密]}",
     "consistent"),
    ("{subject: H100 SXM, quantity: NVLink, value: 900 GB/s, conditions: {direction: one}}",
     "contradicted"),
    ("{subject: H100 SXM, quantity: 互联带宽, value: 900 GB/s, conditions: [双向]}", "consistent"),
    ("{subject: H100 SXM, quantity: ridge point, value: '295', conditions: [BF16]}", "consistent"),
    ("{subject: Llama-3-70B, quantity: KV cache per token, value: 320 KiB}", "consistent"),
    ("{subject: Llama-3-70B, quantity: 每 token 的 KV cache, value: 2.5 MiB}", "contradicted"),
    ("{subject: DeepSeek-V3, quantity: active parameters, value: 37B}", "consistent"),
    ("{subject: DeepSeek-V3, quantity: 激活参数, value: 671B}", "contradicted"),
    (("{subject: Llama-3-70B on 2x H100 SXM, quantity: token rate, value: 60 token/s, "
     "conditions: {precision: bf16, user: one}}"), "exceeds_bound"),
    (("{subject: Llama-3-70B on 2x H100 SXM, quantity: 单路速度, value: 30 token/s, "
     "conditions: [BF16]}"), "consistent"),
    ("{subject: 'Llama-3-70B, H100 SXM', quantity: TPOT, value: 5 ms, conditions: [FP8, batch 1]}",
     "exceeds_bound"),
    ("{subject: H100 SXM, quantity: MFU, value: 115 %, conditions: [BF16, training]}",
     "exceeds_bound"),
    # a value of another kind than the quantity, without a unit, without a number
    ("{subject: H100 SXM, quantity: memory, value: 3.35 TB/s}", "unit_error"),
    ("{subject: H100 SXM, quantity: 显存带宽, value: 80 GB}", "unit_error"),
    ("{subject: Llama-3-70B, quantity: 参数量, value: 141 GB}", "unit_error"),
    ("{subject: H100 SXM, quantity: memory, value: '80'}", "unverifiable"),
    ("{subject: H100 SXM, quantity: 功耗, value: 七百瓦}", "unverifiable"),
    ("{subject: H100 SXM, quantity: flavour, value: 81 GB}", "unverifiable"),
    # a symbol stays a symbol
    (("{subject: H100 SXM, quantity: I_ridge, value: 395 FLOP/byte, "
     "given: {P_peak: 989 TFLOP/s, B_peak: 3.35 TB/s}}"), "contradicted"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "verdict"), FIELDS)
def test_a_quantity_may_be_told_in_words(fields: str, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(f"claims:\n- {fields}\n", encoding="utf-8")
    (claim,) = stated_claims([path], [], ROOTS)
    found = judge(claim, LIBRARY)
    assert found.verdict == verdict, [(f.rule, f.message.en) for f in found.findings]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_rule_of_fields_speaks_on_its_example_and_not_on_the_other(
    lang: str, tmp_path: Path
) -> None:
    each = rules()["UNIT015"]
    path = tmp_path / "claims.yaml"
    path.write_text(
        "claims:\n" + "".join(f"- {e}\n" for e in each.examples(lang)), encoding="utf-8"
    )
    fires, quiet = stated_claims([path], [], ROOTS)
    assert [f.verdict for f in each.check(fires, LIBRARY)] == ["unit_error"]
    assert not list(each.check(quiet, LIBRARY))
