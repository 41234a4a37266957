"""True sentences in which a figure is easily taken for another's, and false ones beside them."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import Judged
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)

# verdicts that are admissible|claim
CASES = """
consistent|The A100 80GB SXM draws up to 2,039 GB/s; its PCIe card with 80 GB stops at 1,935 GB/s.
contradicted|The A100 80GB PCIe has a memory bandwidth of 1,935 GB/s, the SXM4 module 3,350 GB/s.
consistent|Board power climbed from 300 W (V100 SXM2 32GB) over 400 W (A100 80GB SXM) to 700 W (H200 SXM).
contradicted|Board power climbed from 400 W (A100 80GB SXM) to 1,400 W (H100 SXM).
consistent|功耗从 400 W（A100 80GB SXM）涨到 700 W（H100 SXM）。
consistent,unverifiable|H200 把 H100 SXM 的 80 GB / 3.35 TB/s 提高到 141 GB / 4.8 TB/s。
contradicted|The H100 SXM and the H200 have 4.8 and 3.35 TB/s respectively.
contradicted|H100 SXM 有 141 GB，H200 有 80 GB。
consistent|TPU v5p: 459 bf16 TFLOPS over 2,765 GB/s, a ridge close to 170 FLOP/byte.
contradicted|TPU v5p: 459 bf16 TFLOPS over 2,765 GB/s, a ridge close to 250 FLOP/byte.
consistent|The MI300X moves 5.3 TB/s, 150 % or so of what the H100 SXM moves.
consistent|MI300X 的带宽是 5,300 GB/s，H100 SXM 是 3,350 GB/s，前者约为后者的 1.6 倍左右。
consistent|At 8 bits a 70B model takes 70 GB.
contradicted|At 8 bits a 70B model takes 140 GB.
consistent,unverifiable|FP8 的 Llama-3-70B 单张 H100 SXM 放得下，两张 RTX 4090 放不下。
consistent|Mixtral 8x7B stores 46.7B parameters; 12.9B are read by each token.
contradicted|Mixtral 8x7B stores 12.9B parameters; 46.7B are read by each token.
consistent|Of the 235B parameters of Qwen3-235B-A22B only 22B, less than a tenth, are active.
consistent|Llama-3-8B 的 KV 每 token 128 KiB，2048 上下文为 256 MiB，批大小 32 时共 8 GiB。
contradicted|Llama-3-8B 的 KV 每 token 128 KiB，2048 上下文为 256 MiB，批大小 32 时共 20 GiB。
consistent|On Llama-3-70B every token keeps 320 KiB of KV, and a 4,096-token context about 1.34 GB.
contradicted|On Llama-3-70B every token keeps 320 KiB of KV, and a 4,096-token context about 4 GB.
consistent|Each decoder layer of Llama-3-70B keeps 4 KiB of bf16 KV per token.
contradicted|Each decoder layer of Llama-3-70B keeps 16 KiB of bf16 KV per token.
consistent|Qwen2.5-7B: 56 KiB × 10,000 = 573 MB of bf16 KV.
consistent,unverifiable|Sixteen sessions of 8,192 tokens on Llama-3-8B take 16 × 1 GiB = 16 GiB of bf16 KV cache.
consistent|Goodput rose from 900 to 1,350 tok/s, up 50%, whereas TTFT went from 200 ms to 300 ms.
contradicted|Goodput rose from 900 to 1,350 tok/s, up 80%.
unverifiable|工具定义 3000 token，用户问题 1000 token，命中缓存后预填充减少 75%。
consistent|A 13B pass takes 26 GFLOP a token; 2,000 tokens are 52 TFLOP, next to the 312 TFLOPS of an A100.
contradicted|H200 的带宽是 H100 SXM 的 2.4 倍，算力不变。
consistent,ambiguous|H200 SXM 的脊点从 H100 SXM 的 295 降到 206 上下。
consistent,unverifiable|Per token an MoE that activates 3B costs 6 GFLOP, a dense model of 30B 60 GFLOP.
unverifiable|With speculative decoding a round takes 40 ms and yields 4 tokens, an effective TPOT of 10 ms.
unverifiable|Fifty Llama-3-8B users share a 1,024-token prefix, so 128 MiB are stored once.
consistent|The MI325X carries a third more memory than the MI300X, 256 GB against 192 GB.
contradicted|The MI325X carries two thirds more memory than the MI300X, 256 GB against 192 GB.
consistent|MI325X 显存 256 GB、MI300X 显存 192 GB，多三分之一。
consistent|TPU v6e has a memory bandwidth of 1,640 GB/s.
contradicted|TPU v6e has a memory bandwidth of 1,700 GB/s.
consistent,unverifiable|Moving single-stream decode from the A100 80GB SXM to the H200 swaps 2.04 TB/s for 4.8 TB/s.
consistent,unverifiable|A 34B model in bf16 is 68 GB, and about 12 GB stay free on an 80 GB card.
consistent|DeepSeek-V3 每 token 前向约 74 GFLOP，相当于稠密 37B 模型。
contradicted|DeepSeek-V3 每 token 前向约 740 GFLOP。
contradicted|L40S 带宽 864 GB/s，比 RTX 4090 还高。
consistent|RTX 4090 带宽 1008 GB/s，比 L40S 高。
consistent|$3.00 per GPU-hour on eight GPUs comes to $24 per hour and $576 per day.
contradicted|$3.00 per GPU-hour on eight GPUs comes to $36 per hour.
consistent|单卡每小时 3.00 美元，16 卡每小时 48 美元。
contradicted|单卡每小时 3.00 美元，16 卡每小时 96 美元。
consistent|A 100 Gb/s port carries 12.5 GB in one second.
contradicted|A 100 Gb/s port carries 100 GB in one second.
consistent|TTFT 0.4 s 加 200 个 token × 15 ms，合计约 3.4 s。
contradicted|TTFT 0.4 s 加 200 个 token × 15 ms，合计约 34 s。
consistent|留给 KV 24 GB，每个会话占 1.5 GB，可容纳 16 个请求。
contradicted|留给 KV 24 GB，每个会话占 1.5 GB，可容纳 36 个请求。
consistent|If 24 GB are free and each session holds 1.5 GB, the box has room for 16 requests.
consistent|100 chats of 2,000 tokens at 100 KB per token keep 20 GB of KV cache.
contradicted|100 chats of 2,000 tokens at 100 KB per token keep 200 GB of KV cache.
consistent|每天 8640 万 token，平均到每秒 1000 token。
contradicted|每天 8640 万 token，平均到每秒 10000 token。
consistent|At 5 requests per second where users wait 4 s, so 20 requests are in flight.
consistent|A 13B model in fp16 has 26 GB of weights and leaves 54 GB to spare on an 80 GB card.
contradicted|A 13B model in fp16 has 52 GB of weights.
unverifiable,consistent|A 7B draft (bf16, 14 GB) beside a 32B target in FP8 (32 GB) makes 46 GB.
unverifiable,consistent|1B 草稿模型（bf16 2 GB）与 30B 的 FP8 目标模型（30 GB）共占 32 GB。
consistent|A 13B pass over 1,000 tokens: 2 × 13 × 1,000 GFLOP = 26 TFLOP.
contradicted|A 13B pass over 1,000 tokens: 2 × 13 × 1,000 GFLOP = 260 TFLOP.
consistent|H200 显存 141 GB，H100 SXM 显存 80 GB，容量增加约四分之三。
contradicted|H200 显存 141 GB，H100 SXM 显存 80 GB，容量增加约四分之一。
contradicted|Llama-2-13B keeps 800 KiB a token, a 2,048-token context 3.2 GiB per sequence.
consistent|Llama-2-13B keeps 800 KiB a token, a 2,048-token context 1.56 GiB per sequence.
unverifiable,consistent|FP8 KV of Llama-3-70B is 160 KiB per token, so 16K contexts fall from 5 GiB to 2.5 GiB.
consistent|The MI355X has half again the memory of the MI300X, 288 GB against 192 GB.
contradicted|The MI325X has half again the memory of the MI300X, 256 GB against 192 GB.
consistent,unverifiable|H800 的 NVLink 从 H100 SXM 的 900 GB/s 砍到 400 GB/s，少了一半多。
consistent,ambiguous|A800 把 A100 80GB SXM 的 NVLink 从 600 GB/s 压到 400 GB/s，少了三分之一。
contradicted|The L40S and the RTX 4090 differ in bandwidth: the former has 1,008 GB/s, the latter 864 GB/s.
consistent|The L40S and the RTX 4090 differ in bandwidth: the former has 864 GB/s, the latter 1,008 GB/s.
consistent,unverifiable|L40S 与 RTX 4090 的带宽不同：前者 864 GB/s，后者 1008 GB/s。
consistent|TPU v6e: 918 BF16 TFLOPS, 32 GB, ridge near 560 FLOP/byte.
unverifiable|On an H200 a decode of one request can use at most 4.8 TFLOPS of its 141 GB part's compute.
contradicted|The H200 SXM has a BF16 peak of 480 TFLOPS.
consistent|Ten 16 GB cards hold 160 GB, room for 70B in bf16 at 140 GB.
contradicted|Ten 16 GB cards hold 160 GB, room for 70B in bf16 at 280 GB.
consistent,unverifiable|An H200 keeps a 30B model in bf16 (60 GB) and 75 GB of cache.
consistent,unverifiable|A thousand tokens of Qwen2.5-7B context take 57 MB.
consistent|共享前缀的 50 个会话，Llama-3-8B 可省 49 × 256 MiB ≈ 12.25 GiB。
"""  # noqa: E501


def audited(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_a_figure_is_held_against_its_own_product_and_clause(case: str) -> None:
    verdicts, text = case.split("|", 1)
    found = audited(text)
    assert found.verdict in verdicts.split(","), [(f.rule, f.message.en) for f in found.findings]


def test_a_figure_whose_owner_is_open_has_none() -> None:
    text = "The MI325X lifts the 192 GB of the MI300X to 256 GB."
    memory = audited(text).claim.of("memory")
    assert [f.text for f in memory] == ["192 GB", "256 GB"]
    assert memory[0].hardware is not None
    assert memory[0].hardware.text == "MI300X"
    assert memory[1].hardware is None


def test_the_room_for_requests_is_said_in_both_languages() -> None:
    text = "With 20 GB free and 2.5 GB of KV cache per request 50 requests fit."
    found = next(f for f in audited(text).findings if f.rule == "CONS048")
    assert found.corrected
    assert found.corrected.en == "20 GB holds 8 requests of 2.5 GB."
    assert found.corrected.zh == "20 GB 可容纳 8 个各占 2.5 GB 的请求。"


def test_a_number_that_words_behind_it_call_rough_may_be_rounded_to_its_digits() -> None:
    exact, rough = (
        read_claim(text, ROOTS).figures[-1] for text in ("ridge 300 FLOP/byte", "脊点 300 左右")
    )
    assert not exact.about
    assert exact.half * 2 == 1
    assert rough.about
    assert rough.half == 50
