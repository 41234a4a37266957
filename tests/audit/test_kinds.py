"""Kinds of claims that general rules decide, in both languages, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import Finding, Judged
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
CLAIMS = yaml.safe_load((Path(__file__).parent / "kinds-claims.yaml").read_text(encoding="utf-8"))


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def said(text: str, rule: str) -> Finding:
    return next(f for f in judged(text).findings if f.rule == rule)


@pytest.mark.parametrize("row", CLAIMS["claims"], ids=lambda row: row["text"][:60])
def test_a_kind_of_claim_gets_its_verdict(row: dict[str, str]) -> None:
    found = judged(row["text"])
    assert found.verdict == row["verdict"], [(f.rule, f.message.en) for f in found.findings]
    for each in found.findings:
        assert each.message.zh != each.message.en or each.message.en.isascii() is False


def test_weights_that_fill_the_memory_are_told_with_every_reading_of_it() -> None:
    found = said("DeepSeek-V3 FP8 weights fit on 8 H100 SXM GPUs", "PHYS006")
    lines = [line.en for line in found.derivation]
    assert lines == ["W ≈ 673.2 GB", "g · M_dev ≈ 684.2 GB", "as sold: g · M_dev = 640 GB"]
    assert found.corrected
    assert "at least 9 × NVIDIA H100" in found.corrected.en


def test_a_total_is_told_beside_the_value_of_one() -> None:
    found = said("8 张 H100 SXM 显存共 80 GB", "COND006")
    assert (
        found.message.zh
        == "80 GB 是单张 NVIDIA H100 SXM5 80 GB 的数值（标称显存）；8 张合计 640 GB"
    )
    assert [line.en for line in found.derivation] == ["8 × 80 GB = 640 GB"]


def test_letters_that_leave_the_unit_open_are_told_with_both_readings() -> None:
    small = said("H100 SXM 显存带宽 3350 gb/s", "READ005")
    assert [r.value.unit.text for r in small.readings] == ["GB/s", "Gbit/s"]
    bare = said("H100 SXM 80G 显存", "READ005")
    assert [r.value.unit.text for r in bare.readings] == ["GB", "GiB"]


def test_faster_by_a_percentage_is_read_of_the_time_and_of_the_rate() -> None:
    wrong = said("TPOT drops from 50 ms to 30 ms, 50% faster", "CONS036")
    assert [line.en for line in wrong.derivation] == [
        "1 − 30 ms / 50 ms = 40 %",
        "50 ms / 30 ms − 1 ≈ 66.67 %",
    ]


def test_a_missing_batch_is_named_with_the_batch_at_which_the_side_changes() -> None:
    found = said("Decode on H100 SXM is compute-bound", "PHYS009")
    assert found.verdict == "unverifiable"
    assert found.message.en.startswith(
        "the batch is missing: decode is memory-bound below about 295"
    )


def test_two_rates_of_one_precision_are_two_conditions() -> None:
    found = judged("H100 SXM FP64 67 TFLOPS").findings
    assert [f.rule for f in found] == ["COND025"]
    assert found[0].corrected
    assert found[0].corrected.en == (
        "The FP64 peak of NVIDIA H100 SXM5 80 GB is 34 TFLOP/s on the vector units and 67 TFLOP/s "
        "on the Tensor Cores."
    )


def test_another_build_of_a_name_is_told_by_what_the_spec_has() -> None:
    found = said("昇腾 910B 显存 48 GB", "SRC003")
    assert "Huawei Ascend 910B 32 GB has 32 GB" in found.message.en
