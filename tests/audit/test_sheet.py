"""Figures of products against their specs: the verdict, the rule and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.rule import rules
from derive.audit.sheet.entries import Entry
from derive.audit.sheet.words import digits
from derive.audit.types import Finding, Judged
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.units import Quantity, read_quantity

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
MINE = [r for i, r in rules().items() if i in {*(f"COND{n:03}" for n in range(1, 15)), "SRC001",
                                               "SRC002", "SRC003", "SRC004"}]  # fmt: skip


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def finding(text: str, rule: str) -> Finding:
    found = [f for f in judged(text).findings if f.rule == rule]
    assert found, (text, [(f.rule, f.message.en) for f in judged(text).findings])
    return found[0]


CLAIMS = [
    ("H100 SXM: 3.35 TB/s of memory bandwidth.", "consistent", "SRC001"),
    ("The A100 has a dense BF16 peak of 312 TFLOPS.", "consistent", "SRC001"),
    ("A100 SXM4 80GB: HBM bandwidth 2,039 GB/s", "consistent", "SRC001"),
    ("A100-SXM4-80GB 的显存带宽是 2039 GB/s。", "consistent", "SRC001"),
    ("英伟达 H200 SXM 的显存带宽为 4.8 TB/s，显存 141 GB。", "consistent", "SRC001"),
    ("The A100 has a memory bandwidth of 2,039 GB/s.", "ambiguous", "COND003"),
    ("A100 的显存带宽为 1555 GB/s。", "ambiguous", "COND003"),
    ("H100: 3.35 TB/s.", "ambiguous", "COND003"),
    ("MI300X: 192 GB, 5.3 TB/s.", "consistent", "SRC001"),
    ("AMD MI300X delivers up to 1,307.4 TFLOPS of dense FP16.", "consistent", "SRC001"),
    ("MI300X 的 FP16 稠密算力为 2,615 TFLOPS。", "contradicted", "COND001"),
    ("MI300X: 2,615 TFLOPS FP16", "ambiguous", "COND001"),
    ("MI300X: 2,615 TFLOPS FP8 dense", "consistent", "SRC001"),
    ("MI300X FP8 稠密 2614.9 TFLOPS", "consistent", "SRC001"),
    ("H100 SXM FP8: 1,979 TFLOPS dense, 3,958 TFLOPS with sparsity.", "consistent", "SRC001"),
    ("H100 SXM 的 FP16 算力（带结构化稀疏）为 1979 TFLOPS。", "consistent", "SRC001"),
    ("H100 SXM FP16 Tensor Core 1,979 TFLOPS*", "consistent", "SRC001"),
    ("H100 SXM 的 FP8 稠密算力为 3,958 TFLOPS。", "contradicted", "COND001"),
    ("The H100 SXM reaches up to 4 petaflops of FP8.", "ambiguous", "COND001"),
    ("H100 SXM: 1,200 TFLOPS FP16 dense.", "contradicted", "SRC001"),
    ("H100 SXM: 3.35 GB/s memory bandwidth", "contradicted", "SRC001"),
    ("The H100 SXM has 2.0 TB/s of HBM bandwidth.", "contradicted", "SRC001"),
    ("B200: 9 PFLOPS dense FP4", "consistent", "SRC001"),
    ("B200 的 FP4 算力为 18 PFLOPS", "ambiguous", "COND001"),
    ("B200 的 FP4 稠密算力为 18 PFLOPS", "contradicted", "COND001"),
    ("B200: 192 GB HBM3E", "consistent", "SRC002"),
    ("B200: 180 GB HBM3E", "consistent", "SRC001"),
    ("B200: 8 TB/s memory bandwidth, 175 GB memory", "ambiguous", "SRC002"),
    ("B300: 13.5 PFLOPS dense FP4.", "consistent", "SRC002"),
    ("B300: 14 PFLOPS dense FP4.", "consistent", "SRC001"),
    ("B300: 9 PFLOPS dense FP4.", "contradicted", "SRC001"),
    ("GB300: 20 PFLOPS FP4", "ambiguous", "COND001"),
    ("GB300 的 FP4 稠密算力为 15 PFLOPS", "consistent", "SRC001"),
    ("The H200 NVL has 4.2 TB/s of memory bandwidth.", "ambiguous", "SRC002"),
    ("The H200 NVL has 4.8 TB/s of memory bandwidth.", "consistent", "SRC001"),
    ("A100 的 FP8 算力为 624 TFLOPS。", "contradicted", "COND004"),
    ("H100 SXM: 4 PFLOPS FP4", "contradicted", "COND004"),
    ("The L40S delivers 1,466 TFLOPS of dense FP4.", "contradicted", "COND004"),
    ("The L40S delivers 733 TFLOPS of dense FP8.", "consistent", "SRC001"),
    ("NVLink on the B200 has 1.8 TB/s.", "ambiguous", "COND005"),
    ("NVLink on the B200 has 1.8 TB/s in both directions together.", "consistent", "SRC001"),
    ("B200 的 NVLink 单向带宽为 900 GB/s。", "consistent", "SRC001"),
    ("B200 的 NVLink 单向带宽为 1.8 TB/s。", "contradicted", "COND005"),
    ("H100 SXM 的 NVLink 双向带宽为 900 GB/s", "consistent", "SRC001"),
    ("Gaudi 3: 600 GB/s of networking per direction", "consistent", "SRC001"),
    ("Gaudi 3 的网络单向带宽为 4.8 Tb/s", "consistent", "SRC001"),
    ("Gaudi 3 的网络单向带宽为 9.6 Tb/s", "contradicted", "COND005"),
    ("Gaudi 3 has 4.8 TB/s of networking per direction.", "contradicted", "SRC001"),
    ("H100 SXM: 900 GB/s of bandwidth.", "ambiguous", "COND010"),
    ("8x B200 have 72 PFLOPS of dense FP4.", "consistent", "SRC001"),
    ("A B200 has 72 PFLOPS of dense FP4.", "ambiguous", "COND006"),
    ("Each B200 GPU has 72 PFLOPS of dense FP4, per GPU.", "contradicted", "COND006"),
    ("8 张 H100 SXM 的显存合计 640 GB。", "consistent", "SRC001"),
    ("H100 SXM 的显存为 640 GB", "ambiguous", "COND006"),
    ("GB200 NVL72: 13.4 TB of HBM3e memory in the rack", "consistent", "SRC001"),
    ("An H100 SXM has 85.5 GB of memory.", "ambiguous", "COND007"),
    ("The driver shows 81,559 MiB of memory on an H100 SXM.", "consistent", "SRC001"),
    ("H100 SXM 80 GiB memory", "consistent", "SRC001"),
    ("H100 SXM 显存 80 GB", "consistent", "SRC001"),
    ("H100 SXM 显存约 86 GB", "ambiguous", "COND007"),
    ("The H100 SXM has 96 GB of memory.", "contradicted", "SRC001"),
    ("Trainium2 has 96 GB of HBM.", "consistent", "COND007"),
    ("Trainium2 has 96 GiB of HBM.", "consistent", "SRC001"),
    ("RTX 5090: 3,352 AI TOPS.", "ambiguous", "COND001"),
    ("H100 SXM: 1,979 TOPS INT8.", "consistent", "SRC001"),
    ("H100 SXM: 3,958 TOPS INT8.", "ambiguous", "COND001"),
    ("TPU v5e: 197 TFLOPS bf16, 819 GB/s, 16 GB", "consistent", "SRC001"),
    ("TPU v5e 的 INT8 算力为 393 TOPS", "consistent", "SRC001"),
    ("Gaudi 3: 1,677 TFLOPS BF16", "ambiguous", "SRC002"),
    ("H100 SXM: 1,979 TFLOPS TF32 dense.", "contradicted", "COND002"),
    ("The RTX 4090 has 82.6 TFLOPS of BF16.", "contradicted", "COND002"),
    ("GB200 NVL72 的对分带宽为 130 TB/s。", "contradicted", "COND008"),
    ("The GB200 NVL72 has 32.4 TB/s of bisection bandwidth.", "consistent", "COND008"),
    ("The GB200 NVL72 has 64.8 TB/s of bisection bandwidth.", "ambiguous", "COND008"),
    ("The GB200 NVL72 has 130 TB/s of NVLink bandwidth.", "ambiguous", "COND005"),
    ("H100 SXM 上 all-reduce 总线带宽 360 GB/s，只有 NVLink 900 GB/s 的 40%。", "contradicted", "COND011"),
    ("H100 SXM 上 all-reduce 总线带宽 360 GB/s，为 NVLink 单向 450 GB/s 的 80%。", "consistent", "COND011"),
    ("MI355X with 20.1 PFLOPS of FP4 is 1.34 times the GB300 with 15 PFLOPS.", "contradicted", "SRC001"),
    ("The H200 SXM with 4.8 TB/s is faster than the H100 SXM with 3.35 TB/s.", "consistent", "SRC001"),
    ("The H200 SXM has 1.43 times the memory bandwidth of the H100 SXM.", "consistent", "COND013"),
    ("The H200 SXM has twice the memory bandwidth of the H100 SXM.", "contradicted", "COND013"),
    ("H200 SXM 的显存带宽是 H100 SXM 的 1.43 倍。", "consistent", "COND013"),
    ("B200 的 FP8 稠密算力是 H100 SXM 的 2.27 倍。", "consistent", "COND013"),
    ("The B200 has 9.1 times the FP8 compute of the H100 SXM.", "contradicted", "COND013"),
    ("B200 的推理速度是 H100 的 15 倍。", "unverifiable", "COND014"),
    ("The GB200 NVL72 is 30 times faster than the H100.", "unverifiable", "COND014"),
    ("A100 的脊点", "ambiguous", "COND003"),
    ("The ridge point of the A100 is 153 FLOP/byte.", "ambiguous", "COND003"),
    ("The ridge point of the H100 SXM is 295 FLOP/byte.", "consistent", "SRC001"),
    ("H100 SXM 的脊点约为 591 FLOP/byte。", "ambiguous", "COND001"),
    ("H20: 296 TFLOPS FP8.", "unverifiable", "SRC003"),
    ("H20: 148 TFLOPS BF16, 4 TB/s, 96 GB.", "consistent", "SRC001"),
    ("Power of the H100 SXM: 700 W.", "consistent", "SRC001"),
    ("H100 SXM 的功耗为 350 W。", "contradicted", "SRC001"),
    ("The H100 SXM offers more than 3 TB/s of memory bandwidth.", "consistent", "SRC001"),
    ("The L4 offers more than 500 GB/s of memory bandwidth.", "contradicted", "SRC001"),
    ("3.35 TB/s on the H100 SXM against 2.039 TB/s on the A100 SXM4 80GB.", "consistent", "SRC001"),
    ("H100 SXM vs A100 SXM4 80GB: 3.35 TB/s vs 2.039 TB/s", "consistent", "SRC001"),
    ("H100 SXM 与 H200 SXM 的显存带宽分别为 3.35 TB/s 和 4.8 TB/s。", "consistent", "SRC001"),
    ("Compared with the A100, the H100 SXM has 989.5 TFLOPS of dense BF16.", "consistent", "SRC001"),
    ("V100 SXM2 16GB: 125 TFLOPS FP16, 900 GB/s", "consistent", "SRC001"),
    ("The RTX 4090 has 24 GB and 1,008 GB/s.", "consistent", "SRC001"),
    ("RTX 4090: 660.6 TFLOPS FP8 dense", "ambiguous", "SRC002"),
    ("V100 SXM2 的 BF16 算力为 125 TFLOPS。", "contradicted", "COND004"),
    ("T4: 65 TFLOPS FP16, 16 GB, 320 GB/s.", "consistent", "SRC001"),
    ("The Ｈ１００ ＳＸＭ has ３．３５ ＴＢ／ｓ．", "consistent", "SRC001"),
    ("Ironwood: 4,614 TFLOPS FP8 per chip", "consistent", "SRC001"),
    ("Ironwood: 4,614 TFLOPS", "ambiguous", "COND002"),
    ("Ironwood 的 BF16 算力为 4,614 TFLOPS。", "contradicted", "COND002"),
    ("A TPU v5p pod of 8,960 chips has 4.11 exaflops of bf16.", "consistent", "SRC001"),
    ("H100 SXM used 60 GB for the model.", "unverifiable", ""),
    ("The H100 SXM needs 140 GB.", "unverifiable", ""),
    ("M2 Ultra: 800 GB/s memory bandwidth", "consistent", "SRC001"),
    ("M2 Ultra: 819.2 GB/s memory bandwidth", "ambiguous", "SRC002"),
    ("Gaudi 3 has 2.5 times the dense BF16 compute of the H100 SXM.", "contradicted", "COND013"),
    ("Trainium2: 667 dense BF16 TFLOPS", "consistent", "SRC001"),
    ("Trainium2: 2,563 dense BF16 TFLOPS", "contradicted", "COND001"),
    ("Trainium2: 1,281 dense BF16 TFLOPS", "contradicted", "SRC001"),
    ("H100 SXM: 989 TOPS.", "ambiguous", "COND009"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "verdict", "rule"), CLAIMS)
def test_claims_get_their_verdict_from_their_rule(text: str, verdict: str, rule: str) -> None:
    found = judged(text)
    said = [(f.rule, f.message.en) for f in found.findings]
    assert found.verdict == verdict, said
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


SENTENCES = {
    "peak": ("{id}: {value} {precision} {sparsity}.", "{id} 的 {precision} {zh_sparsity}算力为 {value}。"),
    "memory_bandwidth": ("The {id} has a memory bandwidth of {value}.", "{id} 的显存带宽是 {value}"),
    "link": ("The interconnect of the {id} moves {value} {direction}.", "{id} 的互联{zh_direction}带宽为 {value}。"),
    "memory": ("{id} with {value} of memory", "{id} 的显存为 {value}"),
    "power": ("The {id} has a TDP of {value}.", "{id} 的功耗为 {value}"),
    "ridge": ("The {precision} {sparsity} ridge point of the {id} is {value}.",
              "{id} 的 {precision} {zh_sparsity}脊点为 {value}"),
}  # fmt: skip
SPARSITY = {"": ("", ""), "dense": ("dense", "稠密"), "with_sparsity": ("with sparsity", "带稀疏")}
DIRECTION = {"": ("", ""), "one": ("in each direction", "单向"), "both": ("in both directions", "双向")}  # fmt: skip


def sentences(entry: Entry, value: Quantity) -> Iterator[str]:
    """What the spec says of a value, with every condition, in both languages."""
    for template in SENTENCES[entry.kind]:
        yield template.format(
            id=entry.product.id, value=digits(value), precision=entry.precision.upper(),
            sparsity=SPARSITY[entry.sparsity][0], zh_sparsity=SPARSITY[entry.sparsity][1],
            direction=DIRECTION[entry.direction][0], zh_direction=DIRECTION[entry.direction][1],
        )  # fmt: skip


@pytest.mark.parametrize("name", load.names("hardware", ROOTS))
def test_every_cited_value_is_right_as_said_and_wrong_when_changed(name: str) -> None:
    for entry in LIBRARY.entries(LIBRARY.by_id(name)):
        if entry.other or entry.form == "relabelled":
            continue
        changed = Quantity(entry.quantity.value * Fraction(137, 100), entry.quantity.unit)
        for text in sentences(entry, entry.quantity):
            found = judged(text)
            assert found.verdict == "consistent", (text, [f.message.en for f in found.findings])
            assert "READ001" not in [f.rule for f in found.findings], text
        for text in sentences(entry, changed):
            assert judged(text).verdict in ("contradicted", "ambiguous"), text


@pytest.mark.parametrize("name", load.names("hardware", ROOTS))
def test_a_number_of_another_source_alone_shows_both(name: str) -> None:
    for entry in LIBRARY.entries(LIBRARY.by_id(name)):
        if entry.other is None or entry.kind == "ridge":
            continue
        for text in sentences(entry, entry.quantity):
            found = judged(text)
            if entry.other.same:
                assert found.verdict == "consistent", text
                continue
            assert found.verdict in ("ambiguous", "consistent"), text
            if found.verdict == "ambiguous":
                listed = {s for f in found.findings for s in f.sources}
                assert set(entry.sources) <= listed, text


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
    assert [line.en for line in found.derivation] == ["1.979 PFLOP/s ÷ 989.5 TFLOP/s = 2"]
    assert found.corrected
    assert found.corrected.en == (
        "The FP16 peak of NVIDIA H100 SXM5 80 GB is 989.5 TFLOP/s dense and 1.979 PFLOP/s with "
        "structured sparsity."
    )
    assert "稠密 989.5 TFLOP/s" in found.corrected.zh
    assert found.sources == ("nv-h100-page", "klock")


def test_sparsity_is_never_halved() -> None:
    found = finding("B300 的 FP4 算力为 18 PFLOPS", "COND001")
    assert [line.en for line in found.derivation] == ["18 PFLOP/s ÷ 14 PFLOP/s ≈ 1.286"]
    found = finding("Trainium2: 2,563 dense BF16 TFLOPS", "COND001")
    assert [line.en for line in found.derivation] == ["2.563 PFLOP/s ÷ 667 TFLOP/s ≈ 3.843"]


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
    assert [line.en for line in found.derivation] == ["1.835 PFLOP/s ÷ 989.5 TFLOP/s ≈ 1.854"]
    assert found.verdict == "contradicted"


def test_a_rounded_number_meets_at_half_a_unit_and_not_beyond() -> None:
    for number, verdict in (("989", "consistent"), ("990", "consistent"), ("988", "contradicted"), ("991", "contradicted"), ("989.3", "contradicted"), ("about 1000", "consistent")):  # fmt: skip
        assert judged(f"H100 SXM: {number} TFLOPS dense BF16.").verdict == verdict, number


def test_another_word_of_the_claim_tells_the_variant() -> None:
    assert judged("The A100 with 80 GB in the SXM form has 2,039 GB/s of HBM bandwidth.").verdict == "consistent"  # fmt: skip
    assert judged("The A100 has 2,039 GB/s of HBM bandwidth.").verdict == "ambiguous"


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
