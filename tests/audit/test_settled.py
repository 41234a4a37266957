"""What a figure is of, once the specs are at hand: true claims stay quiet, false ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from derive.audit.fields.claims_file import read_claims
from derive.audit.fields.stated import stated_claims
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.settle import settled
from derive.audit.types import Judged
from derive.errors import DeriveError
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def roles(text: str) -> list[tuple[str, str]]:
    claim = settled(read_claim(text, ROOTS), LIBRARY)
    return [(f.text.strip("~≈"), f.role) for f in claim.figures]


# a true claim, its false twin, and the twin's verdict
TWINS = [
    # the memory of a card is not the weight bytes of the model
    ("8B Q4 on a 24GB 4090 runs at 100 tok/s for one user", "8B Q4 on a 24GB 4090 runs at 300 tok/s for one user", "exceeds_bound"),
    ("A 48GB L40S runs Llama-3-8B BF16 at 50 tok/s for one user", "A 48GB L40S runs Llama-3-8B BF16 at 90 tok/s for one user", "exceeds_bound"),
    ("在 80GB 的 H100 SXM 上 Llama-3-8B FP8 单路 300 token/s", "在 80GB 的 H100 SXM 上 Llama-3-8B FP8 单路 900 token/s", "exceeds_bound"),
    ("70B Q4 with 64GB M4 Max (546GB/s): 11 tok/s for one user", "70B Q4 with 64GB M4 Max (546GB/s): 25 tok/s for one user", "exceeds_bound"),
    ("A 8xH100 SXM node (640 GB) serves Llama-3-70B BF16 at 100 tok/s per user", "A 8xH100 SXM node (640 GB) serves Llama-3-70B BF16 at 300 tok/s per user", "exceeds_bound"),
    ("Llama-3.1-8B FP16 权重 16GB，4090 24GB 能放下", "Llama-3.1-8B FP16 权重 8GB，4090 24GB 能放下", "contradicted"),
    ("Qwen2.5-72B in int4 is ~36GB of weights so two 24GB cards suffice", "Qwen2.5-72B in int4 is ~18GB of weights so two 24GB cards suffice", "contradicted"),
    ("Llama-3-8B: 128 KB/token KV, so 8k tokens = 1 GB", "Llama-3-8B: 128 KB/token KV, so 8k tokens = 10 GB", "contradicted"),
    ("Two 80GB A100s hold Llama-3-70B in FP16 (141 GB)", "Two 80GB A100s hold Llama-3-70B in FP16 (281 GB)", "contradicted"),
    # bytes of a token are counted in 1,024s
    ("Llama-3-70B KV cache is 320 KB per token", "Llama-3-70B KV cache is 340 KB per token", "contradicted"),
    ("Llama-3-70B 的 KV cache 每 token 320 KB", "Llama-3-70B 的 KV cache 每 token 200 KB", "contradicted"),
    ("Llama-3-70B needs 0.31 MB of KV per token", "Llama-3-70B needs 0.41 MB of KV per token", "contradicted"),
    # what is measured is no datasheet peak
    ("Llama 3 405B training ran at 380-430 TFLOPS/GPU, 38-43% BF16 MFU on H100", "Llama 3 405B training ran at 380-430 TFLOPS/GPU, 68-73% BF16 MFU on H100", "contradicted"),
    ("MFU of 50% at 495 TFLOPS BF16 on H100 SXM", "MFU of 62% at 495 TFLOPS BF16 on H100 SXM", "contradicted"),
    ("Our GEMM gets 660 TFLOPS BF16 on H100 SXM", "Our GEMM gets 1,100 TFLOPS BF16 on H100 SXM", "exceeds_bound"),
    ("H100 SXM 上 cuBLAS BF16 矩阵乘大约 750 TFLOPS", "H100 SXM 上 cuBLAS BF16 矩阵乘大约 1200 TFLOPS", "exceeds_bound"),
    ("A100 80GB SXM 上带宽测试得到 1.75 TB/s", "A100 80GB SXM 上带宽测试得到 2.5 TB/s", "exceeds_bound"),
    ("On an H100 SXM we got 2.9 TB/s with the STREAM benchmark", "On an H100 SXM we got 3.9 TB/s with the STREAM benchmark", "exceeds_bound"),
    # the size in a name is rounded
    ("Llama-2-7B in fp16 is 14 GB", "Llama-2-7B in fp16 is 16 GB", "contradicted"),
    ("Llama-3.1-70B BF16 weights are 140 GB", "Llama-3.1-70B BF16 weights are 148 GB", "contradicted"),
    ("Llama-3.1-405B in BF16 is 810 GB", "Llama-3.1-405B in BF16 is 405 GB", "contradicted"),
    ("Qwen2.5-72B BF16 144GB", "Qwen2.5-72B BF16 72GB", "contradicted"),
    ("a 7B model quantised to 4 bits is about 3.5-4 GB", "a 7B model quantised to 4 bits is about 7-8 GB", "contradicted"),
    # what is rejected is not claimed
    ("The H100 SXM does not have 1,979 dense BF16 TFLOPS, it has 989", "The H100 SXM does not have 989 dense BF16 TFLOPS, it has 1,979", "contradicted"),
    ("Mixtral 8x7B isn't 56B: it has 46.7B parameters", "Mixtral 8x7B isn't 46.7B: it has 56B parameters", "contradicted"),
    ("不是 1979，H100 SXM 的 BF16 稠密只有 989 TFLOPS", "不是 989，H100 SXM 的 BF16 稠密有 1979 TFLOPS", "contradicted"),
    # what a token uses
    ("Qwen3-235B-A22B activates 22B of its 235B", "Qwen3-235B-A22B activates 32B of its 235B", "contradicted"),
    ("Mixtral-8x7B: each token touches 12.9B of 46.7B params", "Mixtral-8x7B: each token touches 22.9B of 46.7B params", "contradicted"),
    ("DeepSeek-V3: 671B total parameters, 37B activated per token", "DeepSeek-V3: 671B total parameters, 21B activated per token", "contradicted"),
    ("gpt-oss-20b: 21B total / 3.6B active", "gpt-oss-20b: 21B total / 12B active", "contradicted"),
    ("Qwen3-30B-A3B: 30.5B total params and 3.3B activated", "Qwen3-30B-A3B: 30.5B total params and 13B activated", "contradicted"),
    # operands, links, variants
    ("A100-80GB SXM ridge: 312e12/2.039e12 = 153 FLOP/B", "A100-80GB SXM ridge: 312e12/2.039e12 = 163 FLOP/B", "contradicted"),
    ("HGX H100 8-GPU: 7.2 TB/s of NVLink bandwidth in total", "HGX H100 8-GPU: 9.2 TB/s of NVLink bandwidth in total", "contradicted"),
    ("双向900GB/s，单向450GB/s的NVLink（H100）", "双向900GB/s，单向900GB/s的NVLink（H100）", "contradicted"),
    ("A100 80G PCIe版显存带宽1935GB/s", "A100 80G PCIe版显存带宽2039GB/s", "contradicted"),
    ("8卡H100合计640GB显存", "8卡H100合计800GB显存", "contradicted"),
    # a multiple beside figures
    ("H200 显存带宽 4.8TB/s，是 H100 SXM 的 1.4 倍", "H200 显存带宽 4.8TB/s，是 H100 SXM 的 3 倍", "contradicted"),
    ("H200's 141 GB is 1.76x the memory of the H100 SXM (80 GB)", "H200's 141 GB is 3x the memory of the H100 SXM (80 GB)", "contradicted"),
    ("B200 FP8 dense 4.5 PFLOPS vs H100 SXM 1.98 PFLOPS: 2.3x", "B200 FP8 dense 4.5 PFLOPS vs H100 SXM 1.98 PFLOPS: 5x", "contradicted"),
    # an aside is not what a sentence compares
    ("Llama 3.1 8B at bf16 on a 4090 (1008 GB/s) tops out at ~63 tok/s for one user since the weights are 16 GB",
     "Llama 3.1 8B at bf16 on a 4090 (1008 GB/s) tops out at ~83 tok/s for one user since the weights are 16 GB", "exceeds_bound"),
]  # fmt: skip


@pytest.mark.parametrize("text", [row[0] for row in TWINS])
def test_a_true_claim_is_consistent(text: str) -> None:
    found = judged(text)
    assert found.verdict == "consistent", [f.message.en for f in found.findings]


@pytest.mark.parametrize(("text", "verdict"), [row[1:] for row in TWINS])
def test_its_false_twin_is_caught(text: str, verdict: str) -> None:
    found = judged(text)
    assert found.verdict == verdict, [f.message.en for f in found.findings]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Llama-3-8B on a 24 GB RTX 4090", "memory"),
        ("two 24GB cards hold a 70B model", "memory"),
        ("an RTX 4090 with 24 GB runs an 8B model", "memory"),
        ("8 卡 H200（1128GB）跑 671B 模型", "memory"),
        ("Llama-3-8B takes 16 GB on a 4090", "weights"),
        ("Llama-3-70B in bf16 needs 141 GB of weights on an H200 SXM", "weights"),
        ("一张 A100 放不下 70B 模型（140GB）", "weights"),
    ],
)
def test_whose_bytes_they_are(text: str, role: str) -> None:
    found = [r for t, r in roles(text) if t.replace(" ", "").upper().endswith("GB")]
    assert found == [role]


def test_the_node_of_a_rate_is_not_one_device() -> None:
    text = "Each H800 node does 73.7k tok/s input and 14.8k tok/s output for DeepSeek-V3"
    assert judged(text).verdict == "consistent"
    assert "node" in settled(read_claim(text, ROOTS), LIBRARY).said("scope")
    assert "node" not in settled(read_claim("An H800 does 10 tok/s", ROOTS), LIBRARY).said("scope")


def test_the_name_of_a_model_is_noted_with_the_exact_bytes() -> None:
    (found,) = judged("Llama-3.1-70B BF16 weights are 140 GB").findings
    assert (found.rule, found.severity) == ("COND021", "info")
    assert "141.1 GB" in found.message.en
    assert "141.1 GB" in found.message.zh


def test_weights_of_the_active_parameters_alone_are_told_beside_a_card() -> None:
    found = judged("Mixtral 8x7B in fp16 takes 26 GB so fits a 4090")
    assert found.verdict == "contradicted"


def test_what_no_rule_judged_is_named_beside_what_is_right() -> None:
    found = judged("H100 SXM: 80 GB, with 18 ms of something")
    notes = [f for f in found.findings if f.rule == "READ003"]
    assert found.verdict == "consistent"
    assert [n.message.en for n in notes] == ["not judged: 18 ms"]
    assert not [f for f in judged("H100 SXM: 80 GB").findings if f.rule == "READ003"]


def test_conditions_of_a_file_are_read_by_their_keys(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    speed = "subject: Llama-3-70B on H100 SXM, quantity: speed, value: {} token/s, conditions: {{precision: bf16, devices: 4, user: one}}"
    peak = "subject: H100 SXM, quantity: peak_rate, value: {} TFLOP/s, conditions: {{precision: bf16, sparsity: dense}}"
    rows = [speed.format(60), speed.format(120), peak.format(989), peak.format(1979)]
    path.write_text("".join(f"- {{{row}}}\n" for row in rows))
    claims = stated_claims([path], [], ROOTS)
    assert [judge(c, LIBRARY).verdict for c in claims] == [
        "consistent", "exceeds_bound", "consistent", "contradicted",
    ]  # fmt: skip
    first = claims[0].figures[0]
    assert claims[0].one("devices") is not None
    assert (first.conditions["precision"], first.conditions["user"]) == (("bf16",), ("one",))


def test_a_condition_that_is_not_known_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text("- {text: a, conditions: {precison: bf16, sparsity: densee, devices: 2}}\n")
    with pytest.raises(DeriveError) as caught:
        read_claims(path)
    found = [(p.code, p.hint.en if p.hint else "") for p in caught.value.problems]
    assert found == [("A113", "did you mean precision?"), ("A113", "did you mean dense?")]
