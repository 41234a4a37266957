"""Claims in the words of slides, logs and chats, with verdicts worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from derive.audit.document import claims_of
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import Judged
from derive.specs.lookup import spec_roots

ROOTS = spec_roots(())
LIBRARY = Library(ROOTS)
VERDICTS = {
    "quiet": ("consistent", "unverifiable"), "c": ("consistent",), "x": ("contradicted",),
    "a": ("ambiguous",), "e": ("exceeds_bound",), "i": ("infeasible",), "u": ("unit_error",),
    "xa": ("contradicted", "ambiguous"), "ei": ("exceeds_bound", "infeasible"),
}  # fmt: skip


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


# verdict | claim
CLAIMS = """
xa|The table is wrong: with FP16 at 2,000 TFLOP/s, 400 TFLOP/s on an H100 SXM is 20 % MFU.
# units of slides
a|h100 sxm fp16: 1979 TF/s
a|H100 SXM 在 FP16 下可达 1,979 万亿次/秒
a|b300 dense fp4 = 15 PF/s
c|H800 SXM 稠密 BF16 峰值：990 万亿次每秒
c|989 TFLOPS 即 989 万亿次/秒
x|989 TFLOP/s 即 9,890 万亿次/秒
c|312 TF32 TFLOPS with sparsity: A100 SXM 80GB
a|The DGX Spark packs one petaFLOP of AI performance.
c|13.54k tokens/min is 225.7 t/s
c|13,540 tokens a minute is the same as 225.7 tokens a second.
ei|An H200 serves llama 3.1 405b at 506 t/s.
e|A single user gets 60 t/s from a 70B FP16 model on a single H100 card.
c|60 t/s for one user with Llama-3-70B in FP8 on two H100 SXM
# grouped digits, spelled-out amounts
x|The KV cache holds 150 000 tokens in 7.7 GiB (56 bytes/token).
x|1 050 673 152 bytes, i.e. 7.8 GB, are taken by the KV cache.
x|KV 缓存大小 1,050,673,152 字节，约 7.8 GB
c|KV cache: 1,050,673,152 bytes, about 1.05 GB
quiet|An H100 SXM node has 8 400 Gb/s ports.
# what a number counts
c|The number of parameters of Qwen2.5-7B is 7.6 billion.
c|76 亿是 Qwen2.5-7B 的参数量
x|Qwen2.5-7B 的参数量是 7.6 亿
c|In bf16 a 7B-parameter model takes 14 GB for its weights.
x|In bf16 a 7B-parameter model takes 140 GB for its weights.
c|Qwen3-235B-A22B activates 22B parameters per token.
c|Qwen3-30B-A3B 共 30.5B 参数，激活 3.3B
x|7.7 GiB 的 KV cache 可放 150,000 token，每 token 56 B
x|A KV cache of 7.7 GiB holds 150,000 tokens at 56 bytes each.
c|70B 模型每 token 需 140 GFLOP 运算。
x|Qwen3-32B (bf16) stores 160 KiB of KV for every token.
c|700 亿即 70B
x|700 亿即 7B
x|7.62 billion parameters are 7.62 亿参数
c|7.62 billion parameters are 76.2 亿参数
c|1 byte = 8 bit
x|1 字节等于 4 bit
x|0.25 即 2.5 %
c|141 GB 约为 131.3 GiB
# one heading, one unit, a bracket
x|dense bf16 peak of h100 sxm = 989 TFLOPS, h100 pcie = 756 TFLOPS, h200 sxm = 1979 TFLOPS
x|H100 SXM、H100 PCIe、H200 SXM 的 BF16 稠密峰值依次为 989、756、1979 TFLOPS
c|H100 SXM、H100 PCIe、H200 SXM 的 BF16 稠密峰值依次为 989、756、989 TFLOPS
c|Dense BF16 peaks: H100 SXM 989 TFLOPS, H100 PCIe 756 TFLOPS
c|H100 SXM BF16: 989 TFLOPS (1,979 with sparsity)
c|A100 SXM 80GB BF16 312 TFLOPS（带稀疏 624）
x|H100 SXM BF16: 1,979 TFLOPS dense (3,958 with sparsity)
xa|NVLink (900 GB/s, bidirectional) is 18x a 400 Gbps Ethernet port (50 GB/s one way).
xa|At 900 GB/s both ways NVLink is 18× the 50 GB/s unidirectional of a 400 Gb/s Ethernet port.
x|Gaudi 3 BF16 算力 1856 TFLOPS，稍逊于 H100 的 1979 TFLOPS
# order of words
x|400 GB/s is what a 400 Gb/s network moves.
x|400G 网络（400 Gb/s）带宽即 400 GB/s
c|400G 网络（400 Gb/s）带宽即 50 GB/s
x|At 10 Gb/s/pin, a 256-bit memory interface provides 32 GB/s.
x|位宽 256 位，每引脚 10 Gb/s，总带宽 32 GB/s
c|256bit总线，单引脚10Gbps，带宽320GB/s
x|2.2 ms is the minimum time of a BF16 matmul of 16384 x 16384 x 16384 on one H100 SXM.
x|FP8 weights double the A100's compute from 312 to 624 TFLOPS.
x|a100 with fp8 weights: 624 TFLOPS compute rather than 312 TFLOPS
x|With K at 8.23 GB and V at 8.23 GB, the KV cache is 8.23 GB in total.
c|With K at 8.23 GB and V at 8.23 GB, the KV cache is 16.46 GB in total.
x|A total throughput of 529 t/s over 57 concurrent requests: TPOT 1.9 ms.
c|40.6 GB 权重的稠密模型在 273 GB/s 的设备上每秒解码 4 个 token
c|4 tokens per second for a 40.6 GB dense model on a 273 GB/s device.
a|batch size 64: 4 times the latency, 14 times the throughput
quiet|GB200 NVL72实时推理性能是H100的30倍
u|阈值 0.5 与 0.6 指实测吞吐除以理论下界
u|The total work of prefill is 140 TFLOP/s.
x|加卡并不能让每张卡的KV变小
x|即使增加 GPU 数量，每张卡上的 KV cache 也不会减少
x|MoE模型的搬运字节和运算量都跟激活参数走
# totals, requests, contexts
x|100 concurrent requests at 20 token/s each are 200 token/s in total.
c|并发 64、每用户 30 token/s，总吞吐 1,920 token/s
x|并发 64、每用户 30 token/s，总吞吐 192 token/s
x|40 ms per token are 250 token/s per user.
i|Llama-3-70B in BF16 on two H100 SXM serves 256 concurrent requests of 8,192 tokens.
i|两张 H100 SXM 上 Llama-3-70B BF16 可同时服务 256 个 8,192 token 的请求
c|一张 H100 SXM 上 Llama-3.1-8B BF16 可同时服务 32 个 4,096 token 的请求
i|Llama-3-70B in BF16 runs on one A100 80GB.
c|Llama-3-8B supports a context of 8,192 tokens.
x|Llama-3-8B supports a context of 128,000 tokens.
x|Llama-3-8B 支持 128K 上下文
c|Llama-3.1-8B 支持 128K 上下文
a|Qwen2.5-72B supports 128K tokens of context.
quiet|Qwen2.5-72B supports 128K tokens of context with YaRN.
quiet|We serve Llama-3.1-8B with a context of 8,192 tokens.
# complaints that are wrong themselves, and what they complain of
c|400 TFLOP/s on an H100 SXM in BF16 is 40 % MFU.
x|400 TFLOP/s on an H100 SXM in BF16 is 20 % MFU.
c|The H100 SXM (989 TFLOPS dense BF16) trained at 40 % MFU.
c|400 TFLOP/s on the H100 SXM is 40 % MFU because the BF16 peak is 989.5 TFLOP/s.
xa|400 TFLOP/s on the H100 SXM is only 20 % MFU because the BF16 peak is 2,000 TFLOP/s.
xa|The BF16 peak of the H800 SXM should be 1,979 TFLOP/s, not 990.
x|A TPOT of 108 ms is wrong: 529 token/s in total with 57 requests in flight is a TPOT of 1.9 ms.
c|A TPOT of 1.9 ms is wrong: 529 token/s in total with 57 requests in flight is a TPOT of 108 ms.
c|221,000 个 token、每 token 49,152 字节，KV cache 共 10.12 GiB
x|221,000 tokens at 49,152 bytes per token are 20.23 GiB.
c|23.08 GiB - 13.95 GiB - 0.25 GiB - 0.19 GiB = 8.69 GiB
x|23.08 GiB × 2 - 13.95 GiB - 0.25 GiB - 0.19 GiB = 8.69 GiB
x|The BF16 job gets 400 TFLOPS out of an H100 SXM, which makes 81 % MFU.
quiet|H100 SXM: 989 TFLOPS BF16 dense; our training achieved 40 % MFU.
x|K: 8.23 GB, V: 8.23 GB, KV cache total: 8.23 GB
x|256 位显存接口，单引脚速率 10 Gb/s，带宽 32 GB/s
e|TTFT of 1 ms on one A100 80GB SXM: 8B in BF16, prompt length 1,909
x|Gaudi 3 (BF16 1,856 TFLOPS) trails the H100 (BF16 1,979 TFLOPS) slightly.
# figures that are not the product's
quiet|The L2 cache of the H100 SXM is 50 MB.
quiet|H100 SXM 采用 4 nm 工艺，有 800 亿个晶体管
quiet|H100 SXM 每读一个字节要做近 300 次浮点运算
quiet|A100 SXM 80GB：要把 2,039 GB/s 喂饱只需要约 2.04 TFLOPS
quiet|H100 SXM 上权重 140 GB，这 140 GB 都要从显存读一遍
quiet|H100 SXM 的脊点把图分成两半
"""


@pytest.mark.parametrize("row", [r for r in CLAIMS.strip().splitlines() if not r.startswith("#")])
def test_a_wording_gets_its_verdict(row: str) -> None:
    wanted, text = row.split("|", 1)
    found = judged(text)
    assert found.verdict in VERDICTS[wanted], [(f.rule, f.message.en) for f in found.findings]


PROSE = """H100 SXM 的脊点约为 295 FLOP/字节，BF16 稠密算力 989 TFLOPS。

计算单元每从显存读进一个字节，就能对它做将近 300 次浮点运算，差了两个数量级。
若一步只读 2 MB，两类负载就落在脊点两侧，约是 300 FLOP/字节。
它的 KV cache 既抢显存又抢带宽，第 1 节已经说过。
"""


def test_prose_about_a_product_named_before_is_not_accused(tmp_path: Path) -> None:
    path = tmp_path / "prose.md"
    path.write_text(PROSE, encoding="utf-8")
    found = [judge(claim, LIBRARY) for claim in claims_of(path, ROOTS)]
    assert found[0].verdict == "consistent"
    assert {j.verdict for j in found[1:]} <= {"consistent", "unverifiable"}


def test_a_name_is_not_carried_far(tmp_path: Path) -> None:
    path = tmp_path / "far.md"
    path.write_text(
        "The H100 SXM is fast.\n\n" + "We like 3 things.\n\n" * 7 + "Memory: 60 GB.\n",
        encoding="utf-8",
    )
    claims = list(claims_of(path, ROOTS))
    assert claims[0].figures[0].hardware is not None
    assert claims[-1].figures[0].hardware is None


def test_a_sentence_that_names_the_quantity_is_still_judged(tmp_path: Path) -> None:
    path = tmp_path / "near.md"
    path.write_text("We bought the H100 SXM. Its memory bandwidth is 5 TB/s.\n", encoding="utf-8")
    assert judge(list(claims_of(path, ROOTS))[-1], LIBRARY).verdict == "contradicted"
