"""Figures of products against their specs: the verdict, the rule and what it says."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.rule import rules
from derive.audit.types import Finding, Judged
from derive.errors import DeriveError
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.units import read_quantity
from tests.clock import within

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
MINE = [r for i, r in rules().items() if i in {*(f"COND{n:03}" for n in range(1, 17)), "SRC001",
                                               "SRC002", "SRC003", "SRC004"}]  # fmt: skip


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def finding(text: str, rule: str) -> Finding:
    found = [f for f in judged(text).findings if f.rule == rule]
    assert found, (text, [(f.rule, f.message.en) for f in judged(text).findings])
    return found[0]


CLAIMS = [
    (row["text"], row["verdict"], row.get("rule", ""))
    for row in yaml.safe_load(
        (Path(__file__).parent / "sheet-claims.yaml").read_text(encoding="utf-8")
    )["claims"]
]


@pytest.mark.parametrize(("text", "verdict", "rule"), CLAIMS)
def test_claims_get_their_verdict_from_their_rule(text: str, verdict: str, rule: str) -> None:
    found = judged(text)
    said = [(f.rule, f.message.en) for f in found.findings]
    assert found.verdict in verdict.split(","), said
    assert not rule or rule in [f.rule for f in found.findings], said


@pytest.mark.parametrize("rule", MINE, ids=lambda r: r.id)
def test_each_rule_fires_and_keeps_quiet_as_it_says(rule) -> None:  # type: ignore[no-untyped-def]
    fires, quiet = judged(rule.fires), judged(rule.quiet)
    assert rule.id in [f.rule for f in fires.findings], [f.message.en for f in fires.findings]
    if not rule.id.startswith("SRC"):  # those of the sources confirm as well
        assert fires.verdict != "consistent"
    assert quiet.verdict == "consistent" or rule.id == "SRC004"
    counted = [f for f in quiet.findings if f.severity != "info" and f.rule == rule.id]
    assert not counted, [f.message.en for f in counted]


LINE = re.compile(
    r"(?P<one>.+?) ÷ (?P<other>.+?) (?P<sign>[=≈]) (?P<result>[0-9.,]+%?)( [A-Za-z/%]+)?"
)


@pytest.mark.parametrize("text", [row[0] for row in CLAIMS])
def test_the_arithmetic_that_is_shown_is_right(text: str) -> None:
    for found in judged(text).findings:
        for line in found.derivation:
            parts = LINE.fullmatch(line.en)
            if parts is None or parts[5] or " ÷ 2 ×" in line.en:
                continue
            one, other = (
                read_quantity(re.sub("^[^0-9]+", "", parts[k])).base for k in ("one", "other")
            )
            printed = Fraction(parts["result"].replace(",", ""))
            exact = one / other
            assert abs(printed - exact) <= exact / 1000, line.en
            if parts["sign"] == "=":
                assert printed == exact, line.en


@pytest.mark.parametrize("text", [row[0] for row in CLAIMS])
def test_what_counts_is_told_in_both_languages_with_its_correction(text: str) -> None:
    for found in judged(text).findings:
        assert re.search("[\u4e00-\u9fff]", found.message.zh), found.message.zh
        assert not re.search("[\u4e00-\u9fff]", re.sub(re.escape(text), "", found.message.en)) or (
            re.search("[\u4e00-\u9fff]", text)
        ), found.message.en
        if found.rule.startswith("COND") and found.verdict in ("contradicted", "ambiguous"):
            assert found.corrected, (found.rule, found.message.en)
            assert found.corrected.en.endswith((".", ")")), found.corrected.en
            assert found.corrected.zh != found.corrected.en


def test_the_sparse_peak_is_told_with_both_values_of_the_spec() -> None:
    found = finding("H100 SXM: 1,979 TFLOPS FP16.", "COND001")
    assert "1,979 TFLOPS" in found.message.en
    assert "dense it is 989.5 TFLOP/s" in found.message.en
    assert [line.en for line in found.derivation] == ["1,979 TFLOP/s ÷ 989.5 TFLOP/s = 2"]
    assert found.corrected
    assert found.corrected.en == (
        "The FP16 peak of NVIDIA H100 SXM5 80 GB is 989.5 TFLOP/s dense and 1,979 TFLOP/s with "
        "structured sparsity."
    )
    assert "稠密 989.5 TFLOP/s" in found.corrected.zh
    assert found.sources == ("nv-h100-page", "klock")


def test_sparsity_is_never_halved() -> None:
    found = finding("B300 的 FP4 算力为 18 PFLOPS", "COND001")
    assert [line.en for line in found.derivation] == ["18,000 TFLOP/s ÷ 14,000 TFLOP/s ≈ 1.286"]
    found = finding("Trainium2: 2,563 dense BF16 TFLOPS", "COND001")
    assert [line.en for line in found.derivation] == ["2,563 TFLOP/s ÷ 667 TFLOP/s ≈ 3.843"]


def test_variants_are_listed_with_their_spread() -> None:
    for text in ("the ridge of the A100", "A100 的脊点"):
        found = finding(text, "COND003")
        assert found.verdict == "ambiguous"
        values = [round(float(r.value.value), 3) for r in found.readings]
        assert values == [200.643, 161.24, 200.643, 153.016]
        assert [line.en for line in found.derivation] == [
            "200.6 FLOP/byte ÷ 153.0 FLOP/byte ≈ 1.311"
        ]
    assert finding("the dense FP16 peak compute of the A100", "COND003").severity == "info"


def test_a_share_of_both_directions_is_formed_anew() -> None:
    text = "On 8x H100 an all-reduce bus bandwidth of 360 GB/s is only 40 % of the NVLink bandwidth of 900 GB/s."  # fmt: skip
    found = finding(text, "COND011")
    assert [line.en for line in found.derivation] == [
        "360 GB/s ÷ 450 GB/s = 80 %",
        "360 GB/s ÷ 900 GB/s = 40 %",
    ]
    assert found.corrected
    assert found.corrected.en.startswith("360 GB/s is 80 % of the 450 GB/s")
    assert not [f for f in judged(text.replace("40 %", "80 %")).findings
                if f.rule == "COND011" and f.severity != "info"]  # fmt: skip


def test_a_comparison_is_redone_on_one_basis() -> None:
    text = "Gaudi 3 with 1,856 BF16 TFLOPS is slightly below the H100 with 1,979."
    found = finding(text, "COND012")
    assert [line.en for line in found.derivation] == ["1,835 TFLOP/s ÷ 989.5 TFLOP/s ≈ 1.854"]
    assert found.verdict == "contradicted"


def test_a_rounded_number_meets_at_half_a_unit_and_not_beyond() -> None:
    for number, verdict in (("989", "consistent"), ("990", "consistent"), ("988", "contradicted"), ("991", "contradicted"), ("989.3", "contradicted"), ("about 1000", "consistent")):  # fmt: skip
        assert judged(f"H100 SXM: {number} TFLOPS dense BF16.").verdict == verdict, number


def test_another_word_of_the_claim_tells_the_variant() -> None:
    assert judged("The A100 with 80 GB in the SXM form has 2,039 GB/s of HBM bandwidth.").verdict == "consistent"  # fmt: skip
    assert judged("The A100 has 2,039 GB/s of HBM bandwidth.").verdict == "ambiguous"


NUMBER = re.compile(r"[0-9][0-9,.]*")


@given(st.sampled_from([row[0] for row in CLAIMS]), st.lists(st.sampled_from(
    ["0", "0.0", "-5", "1e60", "99999999999999999999", "0.000001", "3-5", "≥ 3", "about 7", ""]),
    min_size=1, max_size=4))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_odd_numbers_are_judged_or_refused_never_a_crash(text: str, numbers: list[str]) -> None:
    parts = iter(numbers)
    odd = NUMBER.sub(lambda m: next(parts, m[0]), text)
    with suppress(DeriveError):
        assert judged(odd).findings


def test_no_rule_knows_a_product() -> None:
    """Products stand in examples and explanations, never in what a rule does."""
    import ast
    from pathlib import Path

    import derive.audit.rules as folder

    packages = [Path(folder.__path__[0]), Path(folder.__path__[0]).parent / "sheet"]
    named = re.compile("|".join(re.escape(a) for n in load.names("hardware", ROOTS)
                                for a in (n, *LIBRARY.by_id(n).aliases) if len(a) > 3))  # fmt: skip
    for path in (p for package in packages for p in package.glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for inner in node.body[1:]:
                    for text in ast.walk(inner):
                        if isinstance(text, ast.Constant) and isinstance(text.value, str):
                            assert not named.search(text.value), (path, text.value)


@pytest.mark.parametrize("text", [
    "H100 A100 " + "5% more " * 240, "H100 A100 " + "rais" * 470 + " 5%",
    "H100 SXM L4 B200 " + "2x the 3 TB/s " * 120, "从 A100 的 1GB/s 降到 " * 80 + "H100",
])  # fmt: skip
def test_many_multiples_end_soon(text: str) -> None:
    with within(2):
        judged(text)
