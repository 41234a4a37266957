"""Digits that are no figures, shortened units, unusable numbers, words that lead in."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)


def verdict(text: str) -> str:
    return judge(read_claim(text, ROOTS), LIBRARY).verdict


@pytest.mark.parametrize(
    "text",
    [
        "See issue #1979 and PR #989. Page 312 of the manual.",
        "It ran 24/7; see §3.35 and Fig. 4.8; arXiv:2401.14196; RFC 2039; driver 535.129.03",
        "On 2024-03-18, the 2nd day, with CUDA 12.2, released in 2022",
        "发布于 2022 年 3 月 18 日，见第 42 页，驱动 535.129.03",
        "Step 1: see table 4",
    ],
)
def test_dates_versions_and_references_are_no_figures(text: str) -> None:
    assert read_claim(text, ROOTS).figures == ()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("In 2024 tokens", "2024 tokens"),
        ("2000 GB/s on page 3", "2000 GB/s"),
        ("batch 2000", "2000"),
        ("port 400 Gb/s", "400 Gb/s"),
        ("2000/10 = 200", "2000"),
        ("2048-12 tokens", "2048"),
    ],
)
def test_figures_that_look_like_dates_stay(text: str, read: str) -> None:
    assert read_claim(text, ROOTS).figures[0].text.startswith(read)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("936gb/s", "936 GB/s"), ("17 t/s", "17 token/s"), ("2.5 PF", "2.5 PFLOP/s"),
        ("显存24G", "24 GB"), ("80G 显存", "80 GB"), ("H100 SXM 的算力为 989T", "989 TFLOP/s"),
        ("3,35 TB/s", "3.35 TB/s"), ("3.350.000 MB/s", "3350000 MB/s"), ("1,979 GB/s", "1979 GB/s"),
    ],
)  # fmt: skip
def test_shortened_units_and_other_points(text: str, printed: str) -> None:
    figure = read_claim(text, ROOTS).figures[-1]
    assert f"{float(figure.value):.10g} {figure.unit.text}" == printed


@pytest.mark.parametrize(
    "text", ["H100 SXM has 10^10^10 GB", "H100 SXM 显存带宽 1e-99999 TB/s", "It is 1e999 GB"]
)
def test_unusable_numbers_are_named(text: str) -> None:
    judged = judge(read_claim(text, ROOTS), LIBRARY)
    assert judged.verdict == "unverifiable"
    assert [f.rule for f in judged.findings] == ["READ004"]


@pytest.mark.parametrize("text", ["显存 -80 GB 的 H100 SXM", "H100 SXM memory: -80 GB"])
def test_nothing_is_negative(text: str) -> None:
    assert verdict(text) == "contradicted"
    assert verdict(text.replace("-", "")) == "consistent"


@pytest.mark.parametrize(
    "lead",
    ["", "Example: ", "TL;DR: ", "Claim 1: ", "We think the ", "Wrong ones: ", "Q: ",
     "<script>alert(1)</script> ", "<b>", "1) "],
)  # fmt: skip
def test_what_leads_in_changes_no_verdict(lead: str) -> None:
    assert verdict(f"{lead}H100 SXM has 900 GB") == "contradicted"
    assert verdict(f"{lead}H100 SXM has 80 GB") == "consistent"


def test_words_that_change_the_subject_still_count() -> None:
    assert verdict("The 10 GB checkpoint lies on an H100 SXM") != "contradicted"
    assert verdict("H100 SXM checkpoint: 10 GB") != "contradicted"
