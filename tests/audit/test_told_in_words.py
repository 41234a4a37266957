"""Shares, multiples, orders, sums, energies and prices told in words, in both languages."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)

# verdict|claim
CASES = """
consistent|The H20 offers 96 GB, more than the H100 SXM's 80 GB, but its dense BF16 peak is just 148 TFLOPS.
consistent|H200 比 A100 80GB 显存大，141GB 对 80GB，带宽也到了 4.8 TB/s。
consistent|L40S 显存 48GB，超过 RTX 4090 的 24GB，而带宽只有 864 GB/s。
contradicted|L40S 显存 48GB，超过 RTX 4090 的 24GB，而带宽有 1.8 TB/s。
consistent|The 40 GB A100 SXM moves 1,555 GB/s, the 80 GB A100 SXM 2,039 GB/s.
contradicted|The 40 GB A100 SXM moves 2,039 GB/s.
consistent|B200 单向 900 GB/s，双向 1.8 TB/s。
consistent|H100 SXM: 900 GB/s bidirectional.
contradicted|B200 双向 900 GB/s。
consistent|每条 NVLink 4 链路双向 50 GB/s，H100 SXM 有 18 条，合计双向 900 GB/s。
consistent|GB200 NVL72 rack: FP8 dense 360 PFLOPS, that is 5 PFLOPS per GPU.
contradicted|GB200 NVL72 rack: FP8 dense 360 PFLOPS, that is 10 PFLOPS per GPU.
consistent|DGX H100 整机 FP8 稀疏 32 PFLOPS，每张 GPU 约 4 PFLOPS。
consistent|Eight MI300X hold 1.5 TB, 8 x 192 GB.
consistent|The MI325X has about a third more memory than the MI300X.
consistent|The H20 has less than a sixth of the H100 SXM's dense BF16 compute.
contradicted|The H20 has half the dense BF16 compute of the H100 SXM.
consistent|Half of the H100 SXM's bandwidth would be 1.675 TB/s.
contradicted|L40S 的显存带宽是 H100 SXM 的一半。
consistent|L40S 的显存带宽约为 H100 SXM 的四分之一。
consistent|RTX 5090 的带宽超过 RTX 4090 的 1.7 倍。
consistent|TPU v6e 的 BF16 算力是 v5e 的四倍多：918 对 197 TFLOPS。
consistent|Trillium has more than four times the bf16 compute of TPU v5e.
consistent|MI300X 的显存是 80GB H100 的两倍多。
consistent|B300 的显存比 B200 大五成。
contradicted|B300 的显存比 B200 大三成。
consistent|MI355X has more memory than the B200.
contradicted|MI300X has less memory than the H200.
consistent|A100 的 NVLink 带宽比 H100 SXM 低。
contradicted|L40S 的显存带宽比 RTX 4090 高。
ambiguous|H200 与 H100 SXM 的 BF16 算力相同。
contradicted|H200 与 H100 SXM 的显存带宽相同。
ambiguous|The H200 has the same dense BF16 compute as the H100 SXM.
consistent|Gaudi 3 has a larger memory than the H100 SXM.
contradicted|TPU v5e has more HBM than TPU v5p.
consistent|200 users at 15 tok/s each make 3,000 tok/s.
contradicted|200 users at 15 tok/s each make 30,000 tok/s.
consistent|并发 50，每用户 30 token/s，合计 1500 token/s。
consistent|48 streams × 20 tok/s = 960 tok/s
contradicted|48 streams × 20 tok/s = 9,600 tok/s
unverifiable|单用户 100 token/s，64 并发时总吞吐 3,200 token/s。
consistent|At 1 kW and 2,000 tok/s a token costs 0.5 J.
contradicted|At 1 kW and 2,000 tok/s a token costs 2 J.
consistent|整机 10.2 kW，吞吐 25,500 token/s，每 token 0.4 焦耳。
consistent|1000W 的卡跑满一天耗电 24 度。
contradicted|1000W 的卡跑满一天耗电 240 度。
consistent|Running 700 W for a day is 16.8 kWh.
consistent|At 2 EUR/hour, 1,000 tok/s works out to 0.56 EUR per million tokens.
contradicted|每小时 16 元、每秒 2000 token，百万 token 成本 22 元。
consistent|每小时 16 元、每秒 2000 token，百万 token 成本约 2.2 元。
consistent|租金每小时 20 元，一天 480 元。
contradicted|租金每小时 20 元，一天 240 元。
consistent|$2/hour over 24 hours is $48.
unverifiable|H100 每小时 2 美元，折合 14.4 元。
consistent|功耗从 700W 涨到 1000W，增加了四成多。
contradicted|功耗从 700W 涨到 1000W，增加了七成。
consistent|Two 24 GB cards can hold a 20B model in fp16.
infeasible|Two 24 GB cards comfortably hold a 70B model in fp16.
unverifiable|每秒可以生成 50 个 token，10 秒就是 500 个。
exceeds_bound|单张 A100 80GB SXM 每秒能处理 Llama-3.1-70B（bf16）5 万个输入 token。
consistent|生成一个 token 需要 2×8B = 16 GFLOPS。
contradicted|生成一个 token 需要 2×8B = 16 TFLOPS。
consistent|One token through a 70B model costs about 140 GFLOPs.
contradicted|Half of the H100 SXM's bandwidth is 2.4 TB/s.
consistent|H100 SXM 带宽的一半约 1.7 TB/s。
ambiguous|三分之一的 H100 带宽约为 1.1 TB/s。
consistent|The MI325X has 3.2x the memory of the 80 GB H100 (256 GB vs 80 GB).
contradicted|MI325X has more than three times the memory bandwidth of the H100 SXM: 6 vs 3.35 TB/s.
contradicted|L40S 显存带宽 864 GB/s，是 A100 SXM4 40GB 的 1.8 倍。
consistent|A800 的 NVLink 只有 400 GB/s，是 A100 600 GB/s 的三分之二。
ambiguous|A800 的 NVLink 有 400 GB/s。
consistent|64 concurrent users at 25 tok/s each add up to 1,600 tok/s.
infeasible|One 80 GB card at batch 128 and 16k context serves a Llama-3-70B in FP8.
consistent|The A800 SXM has NVLink at 400 GB/s in total, 200 GB/s each way.
consistent|H100 SXM NVLink is 900 GB/s, i.e. 450 GB/s per direction.
consistent|On the A100, 12 NVLink links x 25 GB/s per direction x 2 = 600 GB/s.
contradicted|B300 的 FP4 稠密是稀疏 18 PFLOPS 的一半，即 9 PFLOPS。
consistent|GB200 NVL72 整柜 FP4 稀疏 1,440 PFLOPS，摊到每张 GPU 是 20 PFLOPS。
consistent|MI355X has more memory than the H100.
ambiguous|H800 与 H100 的 BF16 算力一样。
contradicted|H800 与 H100 SXM 的 NVLink 带宽相同，都是 900 GB/s。
unverifiable|MI300X 的性价比比 H100 高。
consistent|租一张 L40S 每小时 1.2 欧元，跑 100 小时要 120 欧元。
contradicted|A TPU v5e at 1.2 EUR/hour for 100 hours costs 1,200 EUR.
contradicted|8 张 H100，每张 700W，跑一天耗电约 1340 度。
consistent|8 张 H100，每张 700W，跑一天耗电约 134 度。
consistent|The H20 has 96 GB and 4.0 TB/s, yet its dense BF16 compute is only about 15% of the H100 SXM's.
consistent|单张 H20 显存 96GB、带宽 4.0 TB/s，但算力只有 H100 SXM 的 15%。
contradicted|单张 H20 显存 96GB、带宽 4.0 TB/s，但算力有 H100 SXM 的 45%。
consistent|GB200 NVL72 共 72 颗 GPU，每颗 186GB，合计约 13.4TB。
consistent|With 24 ms between tokens a user sees about 42 tokens a second.
contradicted|With 24 ms between tokens a user sees about 420 tokens a second.
contradicted|A batch of 16 with a 40 ms step is 4,000 tok/s.
consistent|A batch of 16 with a 40 ms step is 400 tok/s.
contradicted|Gaudi 3 has 24 ports of 200 GbE each, 4.8 TB/s one way in all.
contradicted|把 L40S 的 350W 降到 280W，省了三成电。
consistent|把 L40S 的 350W 降到 280W，省了两成电。
consistent|MI300X 的显存比 80GB H100 大一倍多。
consistent|H200 的显存带宽比 L4 高 15 倍。
contradicted|H200 的显存带宽比 L4 高 30 倍。
contradicted|MI325X 的显存比 H20 大一倍。
consistent|每百万 token 3 元、每秒 2000 token，10 小时收入 216 元。
contradicted|每百万 token 3 元、每秒 2000 token，10 小时收入 2160 元。
contradicted|H100 SXM NVLink is 900 GB/s, i.e. 300 GB/s per direction.
unverifiable|The H20 is not slower in memory bandwidth than the H200 in our tests.
consistent|Llama-3.3-70B 用 FP8 约 70GB，BF16 约 141GB。
contradicted|Llama-3.3-70B 用 FP8 约 141GB，BF16 约 70GB。
consistent|Llama-3.1-8B takes 16 GB in BF16 and 8 GB in FP8.
consistent|A 3090 has 24 GB like the 4090 and 936 GB/s.
consistent|MI355X 的 FP8 稠密算力是 H100 SXM 的两倍半。
contradicted|MI355X 的 FP8 稠密算力是 H100 SXM 的三倍半。
consistent|At 8 TB/s a B200 sweeps 140 GB of weights in 17.5 ms.
exceeds_bound|At 8 TB/s a B200 sweeps 140 GB of weights in 1.75 ms.
consistent|Generating 300,000 tokens at 5,000 tok/s takes a minute.
contradicted|Generating 3,000,000 tokens at 5,000 tok/s takes a minute.
consistent|Six NVLink links at 50 GB/s each is 300 GB/s.
contradicted|Six NVLink links at 50 GB/s each is 450 GB/s.
contradicted|12 条 NVLink 链路，每条 25 GB/s，共 800 GB/s。
consistent|12 条 NVLink 链路，每条 25 GB/s，共 600 GB/s。
consistent|H100 SXM 相比 A100 SXM，功耗提高了七成五，BF16 稠密算力提高了两倍多。
contradicted|H100 SXM 相比 A100 SXM，功耗提高了七成五，BF16 稠密算力提高了五倍。
infeasible|16 张 H100 SXM 跑 Llama-3.1-8B，bf16，每张卡支持 2048 并发、每路 8K 上下文。
consistent|16 张 H100 SXM 跑 Llama-3.1-8B，bf16，每张卡支持 32 并发、每路 8K 上下文。
consistent|A100 SXM4 40GB 的带宽是 80GB SXM 版的四分之三。
consistent|The H200 shares the H100 SXM's 989 dense BF16 TFLOPS; its memory is 141 GB at 4.8 TB/s.
consistent|H200 沿用 H100 SXM 的 989 TFLOPS 稠密 BF16 算力，显存则是 141GB。
consistent|Compared with the L4 at 300 GB/s, the A10 at 600 GB/s is 2 times as fast on memory.
contradicted|Compared with the L4 at 300 GB/s, the A10 at 600 GB/s is 3 times as fast on memory.
consistent|Quantized to 4 bits, a 70B model shrinks from 140 GB to 35 GB and then fits on an A100 40GB SXM.
infeasible|Quantized to 8 bits, a 70B model shrinks from 140 GB to 70 GB and then fits on an A100 40GB SXM.
consistent|NVLink on B200 doubles Hopper's 900 GB/s to 1.8 TB/s (both directions).
contradicted|NVLink on B200 triples Hopper's 900 GB/s to 1.8 TB/s (both directions).
consistent|首 token 400ms，后续 20ms 一个，101 个 token 约 2.4 秒。
contradicted|首 token 400ms，后续 20ms 一个，101 个 token 约 24 秒。
infeasible|一台 8 卡 A100 80GB 部署 BF16 的 DeepSeek-V3 绰绰有余。
consistent|一台 8 卡 H200 部署 FP8 的 DeepSeek-V3 绰绰有余。
consistent|64 GB/s each way is a seventh of the 450 GB/s per direction.
contradicted|64 GB/s each way is half of the 450 GB/s per direction.
consistent|H800 的 BF16 算力与 H100 SXM 相同，NVLink 单向从 450 GB/s 降到 200 GB/s。
contradicted|H800 的 BF16 算力与 H100 SXM 相同，NVLink 单向从 450 GB/s 降到 100 GB/s。
consistent|从 H100 SXM 到 H200，带宽从 3.35 TB/s 涨到 4.8 TB/s。
"""  # noqa: E501


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_claims_in_words_get_their_verdict(case: str) -> None:
    verdict, text = case.split("|", 1)
    found = judge(read_claim(text, ROOTS), LIBRARY)
    assert found.verdict == verdict, [(f.rule, f.message.en) for f in found.findings]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("比 H100 少三成", [30]),
        ("降低了 3 成。", [30]),
        ("成本为 3 成本单位", []),
        ("单机成本三千", []),
        ("分三成立方体", []),
    ],
)
def test_tenths_are_percentages_only_where_they_stand_alone(text: str, values: list[int]) -> None:
    shares = [f for f in read_claim(text, ROOTS).figures if f.role == "share"]
    assert [f.value for f in shares] == values


def test_currencies_are_never_exchanged() -> None:
    text = "每小时 16 元、每秒 2000 token，百万 token 成本 2.2 美元。"
    assert judge(read_claim(text, ROOTS), LIBRARY).verdict == "unverifiable"
