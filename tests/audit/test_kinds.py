"""Kinds of claims that general rules decide, in both languages, and what is said of them."""

from __future__ import annotations

import re
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
        == "80 GB 是一张 NVIDIA H100 SXM5 80 GB 的数值（标称显存）；8 个合计 640 GB"
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
    assert [f.rule for f in found] == ["COND027"]
    assert found[0].corrected
    assert found[0].corrected.en == (
        "The FP64 peak of NVIDIA H100 SXM5 80 GB is 34 TFLOP/s on the vector units and 67 TFLOP/s "
        "on the Tensor Cores."
    )


def test_another_build_of_a_name_is_told_by_what_the_spec_has() -> None:
    found = said("昇腾 910B 显存 48 GB", "SRC003")
    assert "Huawei Ascend 910B 32 GB has 32 GB" in found.message.en


def test_what_should_have_been_written_is_a_sentence_in_both_languages() -> None:
    from derive.audit.rule import rules

    texts = [row["text"] for row in CLAIMS["claims"]]
    texts += [
        t for r in rules().values() if r.form == "text" for t in (r.fires, *(r.chinese or ()))
    ]
    for text in texts:
        for found in judged(text).findings:
            lines = " | ".join(line.en for line in (found.message, *found.derivation))
            assert not re.search("[=≈] ?[=≈]", lines), lines
            if found.corrected is not None:
                assert found.corrected.en.endswith("."), (found.rule, found.corrected.en)
                assert found.corrected.zh.endswith("。"), (found.rule, found.corrected.zh)


@pytest.mark.parametrize(
    ("text", "rule", "one"),
    [
        ("Llama-3-70B in FP16 runs on a single 4090", "PHYS006", "6 张 NVIDIA GeForce RTX 4090"),
        ("单颗 TPU v5e 能跑 Llama-3-70B FP16", "PHYS006", "9 颗 Google TPU v5e"),
        ("Llama-3.1-405B in BF16 runs on one DGX Spark", "PHYS006", "6 台 NVIDIA DGX Spark"),
    ],
)
def test_a_device_is_counted_by_its_measure_word(text: str, rule: str, one: str) -> None:
    corrected = said(text, rule).corrected
    assert corrected
    assert one in corrected.zh, corrected.zh


def test_a_document_s_statements_without_a_figure_are_judged(tmp_path: Path) -> None:
    from derive.audit.document import claims_of

    path = tmp_path / "notes.md"
    path.write_text(
        "# 笔记\n\nH100 SXM 上 decode 是计算受限的。\n\n"
        "batch 越大，TPOT 越低。\n\nLlama-3-70B FP16 跑不动 4090。\n\n"
        "The service is fast and memory is cheap.\n",
        encoding="utf-8",
    )
    found = [(c.place.line, judge(c, LIBRARY).verdict) for c in claims_of(path, ROOTS)]
    assert found == [(3, "unverifiable"), (5, "contradicted"), (7, "consistent")]
