"""What findings show: the values of the numbers as printed, recomputed here by hand."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.record import of_claim
from derive.audit.types import Judged
from derive.render.judged import remedy_groups
from derive.specs.lookup import spec_roots

ROOTS = spec_roots(())
LIBRARY = Library(ROOTS)


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def lines(found: Judged) -> list[str]:
    return [line.en for f in found.findings for line in f.derivation]


def changes(found: Judged) -> list[str]:
    return [t.en for f in found.findings for t in f.remedies]


def said(found: Judged) -> str:
    return next((f.corrected.en for f in found.findings if f.corrected), "")


def test_narrow_formats_are_shown_at_their_bytes() -> None:
    """70e9 × 1/2 byte = 35 GB; the half more that scales may take is no part of the value."""
    found = judged("A 70B model in int4 is 70 GB.")
    assert "35 GB" in said(found)
    assert "43.8125" not in " ".join([said(found), *lines(found)])
    assert judged("A 70B model in int4 is 42 GB.").verdict == "consistent"
    assert judged("A 70B model in int4 is 54 GB.").verdict != "consistent"  # 70.5 / 2 × 1.5 = 52.9


def test_operations_are_shown_without_what_is_only_allowed() -> None:
    """2 × 70e9 = 140 GFLOP: a quarter more is allowed, its middle is nothing."""
    told = " ".join(lines(judged("A 70B model needs 70 GFLOP per token.")))
    assert "140 GFLOP/token" in told
    assert "157.625" not in told


def test_peaks_are_those_of_the_sheet() -> None:
    """989.5 TFLOP/s and 3.35 TB/s, not the ends of their last digits (989.55, 3.355)."""
    rate = judged("A BF16 matmul achieved 1,200 TFLOP/s on one H100 SXM.")
    assert "989.5 TFLOP/s" in rate.findings[0].message.en
    assert said(rate) == (
        "One NVIDIA H100 SXM5 80 GB computes BF16 at 989.5 TFLOP/s at most, dense."
    )
    # 1,200 / 989.5 = 1.21: two devices
    assert "it is the rate of at least 2 devices together" in changes(rate)
    assert any("at least 1.2 PFLOP/s a device (for example: " in c for c in changes(rate))
    read = judged("The kernel achieved a memory bandwidth of 4 TB/s on one H100 SXM.")
    assert "3.35 TB/s" in read.findings[0].message.en
    assert "3.355" not in " ".join([read.findings[0].message.en, *lines(read)])


def test_weights_are_shown_as_printed() -> None:
    """671e9 × 1 byte = 671 GB; 670.5 is only what the digits allow."""
    found = judged("A 671B model in FP8 fits on one H200 SXM.")
    assert "W = 671 GB" in lines(found)
    # 671 / 151.4 = 4.4
    assert said(found) == (
        "The weights of a 671B model in FP8 take at least 5 × NVIDIA H200 SXM 141 GB."
    )


def test_a_time_per_token_is_inverted_as_printed() -> None:
    """1 / 5 ms = 200 token/s; the middle of [1/5.5 ms, 1/4.5 ms] is 202.02."""
    text = "Llama-3.1-8B in BF16 on one A100 80GB SXM: TPOT of 5 ms for a single user."
    found = judged(text)
    # 200 × 15.01 GB of streamed weights = 3.002 TB/s, where 202.02 would take 3.032
    assert any("memory bandwidth is at least ≈ 3.002 TB/s a device" in c for c in changes(found))
    assert not any("total" in c for c in changes(found))


def test_a_time_per_token_is_never_a_total() -> None:
    for text in (
        "Llama-3-70B in BF16 on 4 H100 SXM: TPOT 5 ms",
        "A 70B model in FP16 on one H200 SXM has a TPOT of 1 ms",
    ):
        found = judged(text)
        assert found.verdict == "exceeds_bound"
        assert not any("in one batch" in c or "requests, of which" in c for c in changes(found))
        assert not any("as a total" in line for line in lines(found))


def test_speculation_says_its_factor() -> None:
    """13.4 TB/s over 139.0 GB = 96.4 token/s: 150 is 1.556 tokens a step."""
    found = judged(
        "Llama-3-70B in BF16 on 4 H100 SXM with speculative decoding gives one user 150 token/s."
    )
    assert found.verdict == "consistent"
    told = found.findings[0].message.en
    assert "yields at least 1.56 tokens a step" in told
    assert "≈ 96.40 token/s" in told
    assert "stays below" not in told


def test_what_cannot_run_is_offered_no_speed_there() -> None:
    """140 GB do not fit in 85.5: two devices, 6.7 TB/s / 140 GB = 47.9 token/s."""
    found = judged("A 70B model in FP16 on one H100 SXM gives a single user 60 token/s.")
    assert said(found) == (
        "On one NVIDIA H100 SXM5 80 GB with FP16 weights a 70B model does not fit; it takes at "
        "least 2 × NVIDIA H100 SXM5 80 GB. On 2 × NVIDIA H100 SXM5 80 GB with FP16 weights a 70B "
        "model gives a single request at most 47.9 token/s."
    )


def test_changes_say_what_they_are_for() -> None:
    """3,350 / 60 / 70 = 0.7976 byte for the rate, 85.52 / 70 = 1.222 for the memory."""
    record = of_claim(judged("A 70B model in FP16 on one H100 SXM gives a single user 60 token/s."))
    flat = record["would_have_to_be_true"]
    assert isinstance(flat, list)
    fast = [t["en"] for t in flat if t["en"].startswith("to be fast enough: ")]
    held = [t["en"] for t in flat if t["en"].startswith("to hold the weights: ")]
    assert len(fast) + len(held) == len(flat)
    assert any("at most ≈ 0.7976 byte/param" in t for t in fast)
    assert any("at most ≈ 1.222 byte/param" in t for t in held)
    groups = remedy_groups(record)
    assert [h.en for h, _ in groups] == [
        "to be fast enough, one of these:", "and to hold the weights, one of these:",
    ]  # fmt: skip
    assert [c["en"] for c in groups[1][1]] == [t.split(": ", 1)[1] for t in held]


def test_memory_that_only_the_driver_shows_is_said() -> None:
    """145 GB: an H200 of 141 GB holds it by the driver's 143,771 MiB = 150.8 GB alone."""
    found = judged("A 72.5B model in FP16 fits on one H100 SXM.")
    told = next(c for c in changes(found) if c.startswith("memory is at least"))
    assert told.startswith(
        "memory is at least 145 GB a device as its driver counts it (for example: "
    )
    assert "NVIDIA H200 SXM 141 GB, of which the driver shows" in told


def test_a_total_gets_every_change() -> None:
    """8 × 4,096 × 327,680 bytes and 139.0 GB a step: 149.7 GB at 13.4 TB/s, 716 token/s."""
    found = judged(
        "Llama-3-70B in BF16 on 4 H100 SXM, batch 8, context 4,096 tokens: 1,000 token/s in total."
    )
    assert found.verdict == "exceeds_bound"
    told = changes(found)
    step = (70_553_706_496 - 128_256 * 8_192) * 2 + 8 * 4_096 * 327_680
    each = -(-1000 * step * 100 // (8 * 13_400 * 10**9)) / 100  # rounded up
    assert any(f"at least {each:.2f} tokens a step" in t
               for t in told)  # fmt: skip
    assert any(t.startswith(f"memory bandwidth is at least ≈ {1000 * step / 8 / 4 / 1e12:.3f} TB/s")
               for t in told)  # fmt: skip
    assert "the weights are stored in FP8 / INT4" in told


@pytest.mark.parametrize("text", [
    "A GPU reads at 110 % MBU on an H100 SXM.", "On one H100 SXM decode reaches 110 % MBU.",
])  # fmt: skip
def test_bandwidth_is_not_told_of_compute(text: str) -> None:
    found = judged(text)
    assert found.verdict == "exceeds_bound"
    assert "bandwidth" in said(found)
    assert "dense" not in said(found)


def test_a_device_without_a_name_is_no_empty_place() -> None:
    """140 GB over 80 GB: two."""
    found = judged("A 70B model in FP16 fits in 80 GB of GPU memory.")
    assert found.verdict == "infeasible"
    assert said(found) == (
        "The weights of a 70B model in FP16 take at least 2 devices with 80 GB of memory each."
    )
    assert not any("(s)" in f.message.en for f in found.findings)


@pytest.mark.parametrize(("text", "message", "sentence"), [
    # 8 × 80 = 640
    ("8 卡 H100 SXM 总显存 800GB", "not the sum over 8 × NVIDIA H100 SXM5 80 GB: 640 GB",
     "8 × NVIDIA H100 SXM5 80 GB have 640 GB together, 80 GB each (memory as marketed)."),
    # 900 Gbit/s ÷ 8 = 112.5 GB/s
    ("H100 SXM NVLink 900 Gb/s", "but counts bits: a byte is 8 bits",
     ("The link of NVIDIA H100 SXM5 80 GB moves 450 GB/s in each direction, "
      "900 GB/s both directions together.")),
    # 80 × 2^30 = 85.9e9
    ("H100 80GB = 85.9 GiB", "has the digits of 85.9 GB, which are 80 GiB",
     "NVIDIA H100 PCIe 80 GB is sold with 80 GB of memory."),
    # 500 / 989.5 = 50.53 %
    ("MFU 62% at 500 TFLOPS BF16 on H100 SXM", "62% is not 500 TFLOPS over the dense peak",
     "500 TFLOPS is an MFU of 50.5 % (NVIDIA H100 SXM5 80 GB, BF16, dense)."),
])  # fmt: skip
def test_the_reason_is_the_right_one(text: str, message: str, sentence: str) -> None:
    found = judged(text)
    assert found.verdict == "contradicted"
    assert message in found.findings[0].message.en
    assert said(found) == sentence


def test_a_rounded_share_has_one_sign_and_one_line() -> None:
    """400 / 989.5 = 40.42 %, in BF16 as in FP16."""
    found = judged("H100 SXM: 400 TFLOP/s achieved is 40 % MFU.")
    shares = [line for line in lines(found) if "/ peak" in line]
    assert len(shares) == 1
    assert "≈ 40.42 %" in shares[0]
    assert "= ≈" not in shares[0]


@pytest.mark.parametrize("text", [
    "70 亿参数的模型在 BF16 下权重为 140 GB。", "70B 模型每 token 需要 70 GFLOP。",
    "单张 H100 SXM 上 BF16 的 70亿参数模型单用户 600 token/s。",
    "7B 模型处理 1000 个 token 的前向计算约 14 GFLOP。",
])  # fmt: skip
def test_a_chinese_claim_gets_an_english_sentence_in_english(text: str) -> None:
    sentence = said(judged(text))
    assert sentence.endswith(".")
    assert sentence.isascii() or not any("\u4e00" <= c <= "\u9fff" for c in sentence)


def test_an_article_is_no_row_and_no_missed_word() -> None:
    from derive.render.judged import article

    record = of_claim(judged("On an H100 SXM the bandwidth is 3.35 TB/s and it has 80 GB."))
    read = record["understood"]
    assert isinstance(read, dict)
    rows = [f["text"] for f in read["figures"] if not article(f)]
    assert rows == ["3.35 TB/s", "80 GB"]
    assert not {"the", "it", "and"} & set(read["not_understood"])


def test_sources_are_told_by_their_titles() -> None:
    found = judged("B300: 15 PFLOPS dense FP4.")
    told = " ".join([found.findings[0].message.en, said(found)])
    assert "verge-b200" not in told
    assert not any(f" {key} " in told for f in found.findings for key in f.sources)


@pytest.mark.parametrize(("text", "sentence"), [
    ("7B 模型处理 1000 个 token 的前向计算约 14 GFLOP。",
     "1,000 tokens through a 7B model take 14 TFLOP (forward)."),
    ("八卡 H100 SXM 整机稠密 FP16 算力 32 PFLOPS。",
     "8 × NVIDIA H100 SXM5 80 GB have 7.916 PFLOP/s together, 989.5 TFLOP/s each (FP16, dense)."),
    ("A 7B model in BF16 has 140 GB of weights at 2 bytes per parameter.",
     "At 2 bytes per parameter the weights of a 7B model take 14 GB."),
    ("At 100 FLOP/byte a BF16 kernel on the H100 SXM is compute bound.",
     ("At 100 FLOP/byte work is memory-bound, below the ridge point of ≈ 295.4 FLOP/byte: "
     "NVIDIA H100 SXM5 80 GB.")),
])  # fmt: skip
def test_the_sentence_is_what_should_have_been_written(text: str, sentence: str) -> None:
    assert said(judged(text)) == sentence


def test_a_rise_is_told_from_the_smaller_value() -> None:
    found = judged("H200 SXM 带宽 4.8TB/s，比 H100 SXM 的 3.35TB/s 高出 76%。")
    told = [f.corrected.en for f in found.findings if f.rule == "CONS036" and f.corrected]
    assert told == ["From 3.35TB/s to 4.8TB/s is ≈ 43.28 % more."]
