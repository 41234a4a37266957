"""Claims about a model on hardware: what is impossible, what fits, what its own figures are."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from derive.audit.document import claims_of
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.rule import rules
from derive.audit.types import Finding, Judged
from derive.specs.lookup import spec_roots
from tests.clock import within

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
OWN = [r for r in rules() if r.startswith(("PHYS", "COND02"))]


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def spoken(text: str, rule: str) -> list[Finding]:
    return [f for f in judged(text).findings if f.rule == rule and f.severity != "info"]


@pytest.mark.parametrize("rule", OWN)
def test_a_rule_speaks_on_its_example_and_is_silent_on_the_other(rule: str) -> None:
    assert spoken(rules()[rule].fires, rule)
    assert not spoken(rules()[rule].quiet, rule)
    assert judged(rules()[rule].quiet).verdict in ("consistent", "unverifiable")


CLAIMS = yaml.safe_load((Path(__file__).parent / "physics-claims.yaml").read_text("utf-8"))[
    "claims"
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c["text"][:60])
def test_a_claim_gets_its_verdict(claim: dict[str, str]) -> None:
    found = judged(claim["text"])
    assert found.verdict == claim["verdict"], [(f.rule, f.message.en) for f in found.findings]


HOSTILE = [
    "Mixtral-8x7B in BF16 at batch 100000000 on one H200 SXM: 400 token/s for each user.",
    "Mixtral-8x7B in BF16 on one H200 SXM: TTFT of 1 ms for a prompt of 1000000000 tokens.",
    "Llama-3-70B on 99999999999 H100 SXM: 10^30 token/s.",
    "Llama-3-70B on one H100 SXM: 0 token/s, TPOT 0 ms, TTFT 0 ms, MFU 0 %.",
    "Llama-3-70B with tensor parallelism 0 keeps 5 bytes of KV per token on each GPU.",
    "A 0 x 0 x 0 matmul takes 0 ms on an H100 SXM.",
    "0B model in BF16 on one H100 SXM gives a single user 60 token/s.",
    "Llama-3-70B at batch 0 and context 0 tokens on one H100 SXM is compute bound, 50 token/s.",
    "A dense model with 0 GB of weights decodes at 4 token/s on a device with 0 GB/s.",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_senseless_numbers_end_in_a_verdict_soon(text: str) -> None:
    LIBRARY.every()
    with within(1):
        assert judged(text).verdict


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c["text"][:60])
def test_what_is_said_is_said_in_both_languages(claim: dict[str, str]) -> None:
    for finding in judged(claim["text"]).findings:
        said = (finding.message, finding.corrected, *finding.derivation, *finding.remedies)
        for text in (t for t in said if t is not None):
            assert text.en
            assert text.zh
            assert "{" not in text.en + text.zh
        if finding.severity == "error" and finding.rule != "READ001":
            assert finding.corrected or finding.remedies or finding.readings, finding.rule


QUIET = [  # sentences of articles, behind a model and a device that earlier lines named
    "若这张卡上还剩 16 GB 可用，大概只能到 8,000 个 token，两者争抢同一块显存。",
    "若实测 400 ms/token，比值 0.10，问题多半在软件，而不是硬件不够。",
    "当年那篇提出 MFU 的论文(2022)，在六千多块 TPU 上训练，MFU 是 46.2%。",
    "同样的速度，可以用两张低带宽卡或一张高带宽卡实现，成本可能差一倍。",
    "每个参数 2 字节，那么搬运量就是 2N 字节。",
]


@pytest.mark.parametrize("text", QUIET)
def test_prose_of_a_document_raises_no_false_alarm(text: str, tmp_path: Path) -> None:
    path = tmp_path / "article.md"
    path.write_text(f"70B fp16 模型在 H100 SXM 上运行。\n\n{text}\n", "utf-8")
    for claim in claims_of(path, ROOTS):
        for finding in judge(claim, LIBRARY).findings:
            own = finding.rule.startswith(("PHYS", "COND02"))
            assert not (own and finding.severity == "error"), finding.message.en
