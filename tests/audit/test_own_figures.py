"""Claims held against themselves: units, laws, arithmetic, directions, in both languages."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import Judged
from derive.specs.lookup import spec_roots
from tests.clock import within

ROOTS = spec_roots(())
LIBRARY = Library(ROOTS)
QUIET = ("consistent", "unverifiable")


def judged(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


def said(found: Judged) -> str:
    return "; ".join(f"{f.rule} {f.verdict}: {f.message.en}" for f in found.findings)


# verdict | claim; "quiet" is consistent or unverifiable
CLAIMS = """
unit_error|The compute of 312 TFLOPS exceeds the bandwidth of 2.039 TB/s.
unit_error|2.039 TB/s is less than 312 TFLOPS
unit_error|312 TFLOPS 大于 2.039 TB/s
unit_error|312 TFLOPS 比 2.039 TB/s 大
unit_error|３１２ ＴＦＬＯＰＳ 比 ２．０３９ ＴＢ／ｓ 大。
unit_error|算力 312 TFLOPS 高于带宽 2.039 TB/s
unit_error|Compared with 2.039 TB/s, 312 TFLOPS is larger.
unit_error|312 TFLOPS > 2.039 TB/s
unit_error|80 GB is smaller than 900 GB/s.
unit_error|与 2.039 TB/s 相比，312 TFLOPS 更大
unit_error|312 TFLOP/s exceed 2,039 GB/s by far.
consistent|3.35 TB/s is larger than 2.039 TB/s
consistent|3.35 TB/s 大于 2,039 GB/s
consistent|2,039 GB/s 比 3.35 TB/s 小
consistent|40 ms is faster than 0.1 s.
contradicted|400 Gb/s is more than 100 GB/s.
contradicted|2,039 GB/s 大于 3.35 TB/s
contradicted|50 ms is shorter than 0.04 s.
quiet|A device with 312 TFLOPS and 2.039 TB/s runs faster than one with 19.5 TFLOPS.
quiet|The card has 989 TFLOPS and more than 3 TB/s of bandwidth.
unit_error|The total work of the run was 312 TFLOP/s.
unit_error|In total the run did 312 TFLOP/s of work.
unit_error|这次运行的总计算量为 312 TFLOP/s。
unit_error|总运算量是 312 TFLOP/s
unit_error|The amount of work is 3.12e14 FLOP/s.
unit_error|The TPOT is 24 token/s.
unit_error|TPOT 为 24 token/s
unit_error|The arithmetic intensity is 295 TFLOP/s.
unit_error|The ridge point is 153 GB/s.
unit_error|脊点为 153 TFLOP/s
unit_error|A memory bandwidth of 3.35 TB.
unit_error|An MFU of 400 TFLOP/s.
unit_error|The throughput is 40 ms.
quiet|The total work of the run was 312 TFLOP.
quiet|总计算量为 3.12e24 FLOP
consistent|The TPOT is 40 ms, i.e. 25 token/s per user.
consistent|Reading 140 GB of weights at 3.35 TB/s takes 41.8 ms.
quiet|带宽为 3.35 TB/s
quiet|An arithmetic intensity of 295 FLOP/byte.
quiet|The KV cache is read at 3.35 TB/s.
unit_error|利用率 0.5 是实测吞吐除以理论下限
unit_error|Utilisation is the measured throughput over the lower bound of the time.
unit_error|0.5 与 0.6 为实测吞吐与理论下界之比
consistent|Utilisation is measured throughput divided by peak throughput.
consistent|The ridge point is peak compute divided by memory bandwidth.
consistent|0.7 is the lower bound of TPOT divided by the measured TPOT
contradicted|MAC 是 FLOP 的两倍：1 FLOP = 2 MAC
contradicted|The number of MACs is twice the number of FLOPs.
consistent|FLOPs are twice the MACs.
consistent|1 MAC = 2 FLOPs
consistent|4.1 GMACs are 8.2 GFLOPs
contradicted|4.1 GMACs equal 4.1 GFLOPs.
contradicted|1 次浮点运算等于 2 次乘加
consistent|一次乘加算作两次浮点运算
contradicted|80 GB equals 80 GiB.
contradicted|80 GB 等于 80 GiB
contradicted|８０ ＧＢ ＝ ８０ ＧｉＢ
consistent|80 GiB = 85.9 GB
consistent|80 GiB is 85.9 GB
consistent|4 GB 即 4 GiB
consistent|16 GiB（17.2 GB）
ambiguous|The cache holds 8,589,934,592 bytes (8 GB).
consistent|The cache holds 8,589,934,592 bytes (8.59 GB).
consistent|The cache holds 8,589,934,592 bytes (8 GiB).
contradicted|The cache holds 8,589,934,592 bytes (85.9 GB).
ambiguous|1 GB = 1024 MB
consistent|1 GB = 1000 MB
consistent|1 GiB = 1024 MiB
contradicted|1 GB = 1 GiB
contradicted|A 400 Gb/s link moves 400 GB/s.
contradicted|400 Gb/s 网络即 400 GB/s
consistent|400 Gb/s 即 50 GB/s
consistent|A 400 Gb/s port moves 50 GB/s.
quiet|A 400 Gb/s network beside a 900 GB/s NVLink.
contradicted|200 Gbps equals 200 GB/s
consistent|13,540 tokens per minute are 225.7 token/s.
consistent|每分钟 13,540 token 即 225.7 token/s
consistent|225.7 token/s，即每分钟 13,540 token。
contradicted|13,540 tokens per minute are 2,257 token/s.
consistent|0.08 s = 80 ms
contradicted|0.08 s = 8 ms
contradicted|TTFT 为 0.5 s，即 50 ms
consistent|TTFT 为 0.5 s，即 500 ms
contradicted|70 亿 = 70 billion
consistent|70 亿 = 7 billion
contradicted|K size: 8.23 GB, V size: 8.23 GB; KV cache in total: 8.23 GB
contradicted|K 缓存 8.23 GB，V 缓存 8.23 GB，KV 缓存合计 8.23 GB。
consistent|K 缓存 8.23 GB，V 缓存 8.23 GB，KV 缓存合计 16.46 GB。
consistent|K cache 8.23 GiB, V cache 8.23 GiB, KV cache 16.5 GiB in total.
contradicted|A 256 bit bus with 10 Gbps per pin delivers 32 GB/s.
consistent|A 256-bit memory bus at 10 Gb/s per pin gives 320 GB/s.
consistent|A 5120-bit bus at 5.2 Gb/s per pin gives 3.33 TB/s of bandwidth.
contradicted|256 位总线，每引脚 10 Gb/s，带宽为 32 GB/s。
consistent|256 位总线，每引脚 10 Gb/s，带宽为 320 GB/s。
contradicted|7.7 GiB of KV cache for 150,000 tokens is 56 bytes per token.
contradicted|15 万 token 的 KV cache 占 7.7 GiB，每 token 56 字节。
consistent|150,000 tokens of KV cache in 7.7 GiB are 55.1 kB per token.
consistent|15 万 token 的 KV cache 占 7.7 GiB，每 token 55.1 kB。
contradicted|57 requests in flight at 529 token/s in total: a TPOT of 1.9 ms.
contradicted|总吞吐 529 token/s，在途请求 57 个，意味着 TPOT 为 1.9 ms。
consistent|总吞吐 529 token/s，在途请求 57 个，TPOT 为 108 ms。
consistent|529 token/s in total with 57 requests in flight means a TPOT of 108 ms.
consistent|A TPOT of 40 ms gives a single user 25 token/s.
contradicted|A TPOT of 40 ms gives a single user 250 token/s.
consistent|TPOT 40 ms，单用户 25 token/s
ambiguous|A TPOT of 40 ms means 500 token/s.
contradicted|A TPOT of 40 ms means 12 token/s.
ambiguous|The inference speed of 2,000 token/s counts prompt + generated tokens.
ambiguous|推理速度 2,000 token/s，提示和生成合计
ambiguous|6,144 input tokens and 2,048 output tokens in 100 s are 81.9 token/s.
consistent|6,144 input tokens and 2,048 output tokens in 100 s are 20.5 token/s.
contradicted|6,144 input tokens and 2,048 output tokens in 100 s are 400 token/s.
ambiguous|The service reaches 2,000 token/s.
consistent|At 50 token/s it generates 1,000 tokens in 20 s.
contradicted|At 50 token/s it generates 1,000 tokens in 2 s.
contradicted|以 50 token/s 生成 1,000 个 token 需要 2 s。
consistent|以 50 token/s 生成 1,000 个 token 需要 20 s。
consistent|A model with 7 billion parameters at 2 bytes per parameter has 14 GB of weights.
contradicted|A model with 7 billion parameters at 2 bytes per parameter has 140 GB of weights.
consistent|A 13B model in FP16 has 26 GB of weights.
contradicted|130 亿参数的模型在 FP16 下权重为 2.6 GB。
consistent|20 GB is 25 % of 80 GB.
contradicted|20 GB is 40 % of 80 GB.
consistent|20 GB 占 80 GB 的 25 %
contradicted|20 GB 占 80 GB 的 40％
consistent|900 GB/s is 18 times 50 GB/s.
contradicted|900 GB/s 是 50 GB/s 的 8 倍
consistent|3.35 TB/s is 1.64 times 2,039 GB/s.
consistent|4 TB/s is twice 2 TB/s.
contradicted|4 TB/s is twice 1 TB/s.
consistent|312 TFLOP/s / 2,039 GB/s = 153 FLOP/byte
contradicted|312 TFLOP/s / 2,039 GB/s = 1,530 FLOP/byte
consistent|8 × 80 GB = 640 GB
contradicted|8 × 80 GB = 64 GB
consistent|140 GB + 40 GB = 180 GB
consistent|Weights 140 GB, KV cache 40 GB, together 180 GB.
contradicted|Weights 140 GB plus KV cache 40 GB, 200 GB in total.
consistent|权重 140 GB、KV 40 GB，合计 180 GB
quiet|Weights take 140 GB and the KV cache 40 GB; the node has 640 GB in total.
quiet|The service keeps 20 GB of an 80 GB card free at 90 % utilisation.
contradicted|TTFT 200 ms, TPOT 20 ms: 101 output tokens take 20.2 s end to end.
consistent|TTFT 200 ms, TPOT 20 ms: 101 output tokens take 2.2 s end to end.
consistent|TTFT 为 200 ms，TPOT 为 20 ms，输出 101 个 token 的端到端时间为 2.2 s。
ambiguous|TTFT 1,000 ms, 100 output tokens, ITL 10 ms, TPOT 19.9 ms
ambiguous|batch 64 gives 4x latency and 14x throughput
contradicted|batch 64: latency x4 and throughput x30
consistent|From batch 1 to 64: latency x4 and throughput x16
contradicted|带宽越小，脊点越低
consistent|带宽越小，脊点越高
consistent|quantization lowers TPOT
contradicted|Longer contexts lower TPOT.
consistent|Longer contexts lower concurrency.
contradicted|在端侧设备上带宽只有几十 GB/s，因此脊点极低，几乎所有负载都在带宽侧
contradicted|Edge devices have only tens of GB/s of bandwidth; hence the ridge is very low.
contradicted|增加卡并不会让每张卡上的 KV 变小
contradicted|More GPUs do not make the KV cache per GPU smaller.
ambiguous|加卡会让每张卡上的 KV 变小
contradicted|混合专家模型搬运的字节和运算量都随激活参数
consistent|MoE: memory follows the total parameters
ambiguous|估算误差通常在 10% 以内；预测绝对性能时误差 10% 到 30%
quiet|the estimate is within 10 %
ambiguous|KV cache dominates beyond 2,000 tokens whatever the batch.
consistent|每秒 989 万亿次浮点运算
consistent|每秒989万亿次浮点运算
consistent|989 trillion floating-point operations per second
consistent|3.35 trillion bytes per second
consistent|每秒 3.35 万亿字节。
quiet|A card with 8 TB/s memory bandwidth, 175 GB memory
# other wordings of the public cases
contradicted|1 FLOP = 2 MACs, so MACs are twice the FLOPs.
contradicted|The MAC count is double the FLOP count.
contradicted|A FLOP equals two MACs.
contradicted|MACs 是 FLOPs 的 2 倍
contradicted|一次浮点运算等于两次乘加。
contradicted|MAC 数等于两倍的 FLOP 数
contradicted|There are twice as many MACs as FLOPs.
consistent|There are twice as many FLOPs as MACs.
unit_error|The run's total work was 312 TFLOP/s.
unit_error|312 TFLOP/s was the total work of the run.
unit_error|The total work done in the run amounts to 312 TFLOPS.
unit_error|整个运行的总工作量为 312 TFLOPS。
unit_error|该次运行的计算总量是 312 TFLOP/s
unit_error|本次训练的总运算量达 ３１２ ＴＦＬＯＰ／ｓ。
unit_error|总计算量：312 TFLOPS
unit_error|Total work of the run: 312 teraflops per second.
contradicted|The K cache is 8.23 GB and the V cache is 8.23 GB; the KV cache is 8.23 GB in total.
contradicted|KV cache 8.23 GB in total: K size 8.23 GB, V size 8.23 GB.
contradicted|K 占 8.23 GB，V 占 8.23 GB，KV 缓存共 8.23 GB。
contradicted|K size = 8.23GB, V size = 8.23GB, total KV cache = 8.23GB
contradicted|K 大小 8.23 GB，V 大小 8.23 GB，KV cache 总计 8.23 GB。
contradicted|With 10 Gb/s per pin, a 256-bit bus gives 32 GB/s.
contradicted|A memory bus 256 bits wide at 10 Gbit/s per pin yields 32 GB/s.
contradicted|256-bit 位宽、每引脚 10 Gb/s，带宽 32 GB/s。
contradicted|位宽 256 bit，每个引脚 10 Gbps，带宽为 32 GB/s
contradicted|32 GB/s from a 256-bit bus at 10 Gb/s per pin.
contradicted|In 7.7 GiB, 150,000 tokens of KV cache take 56 bytes per token.
contradicted|7.7 GiB holds the KV cache of 150,000 tokens at 56 bytes per token.
contradicted|7.7 GiB for 150K tokens of KV cache: 56 B/token
contradicted|150000 个 token 的 KV cache 共 7.7 GiB，即每 token 56 字节。
contradicted|每个 token 的 KV 为 56 字节，150,000 个 token 共 7.7 GiB。
contradicted|１５０，０００ 个 token 的 KV 缓存占 ７．７ ＧｉＢ，每个 token 为 ５６ 字节
contradicted|The KV cache is 1,050,673,152 bytes, i.e. 7.8 GB.
contradicted|1,050,673,152 bytes of KV cache are 7.8 GB.
contradicted|KV cache 占 1,050,673,152 字节（7.8 GB）。
contradicted|KV cache 为 1050673152 字节，即 7.8 GB
contradicted|The KV cache takes 1050673152 B (7.8 GB)
contradicted|The KV cache takes 7.8 GB (1,050,673,152 bytes).
contradicted|With 57 requests in flight and 529 token/s in total, the TPOT is 1.9 ms.
contradicted|57 个并发请求合计 529 token/s，TPOT 为 1.9 ms。
contradicted|在途请求 57 个、总计 529 token/s，所以每 token 时间是 1.9 ms
contradicted|A TPOT of 1.9 ms follows from 529 token/s in total with 57 requests in flight.
consistent|13,540 tokens/min is 225.7 tokens/s.
consistent|225.7 token/s are 13,540 tokens per minute.
consistent|13540 tokens per minute equals 225.7 tokens per second.
consistent|每分钟 13,540 个 token 等于每秒 225.7 个 token。
consistent|13,540 token/分钟 即 225.7 token/秒
consistent|１３，５４０ token/分钟等于 ２２５．７ token/秒。
ambiguous|An inference speed of 2,000 token/s (prompt and generated tokens together).
ambiguous|2,000 tokens per second, counting prompt plus generated tokens.
ambiguous|推理速度 2,000 token/s，提示词与生成合计。
ambiguous|推理速度为 2000 token/s（输入和输出一起算）
ambiguous|Inference speed: 2000 tok/s, input and output tokens combined.
contradicted|80 GB is equal to 80 GiB.
contradicted|80 GiB equal 80 GB.
contradicted|80 GB = 80 GiB
contradicted|80 GB 就是 80 GiB。
contradicted|80GB 和 80GiB 相等
contradicted|80 GB and 80 GiB are the same.
contradicted|80 GB 与 80 GiB 是一样的。
contradicted|A network of 400 Gb/s moves 400 GB/s.
contradicted|A 400 Gbps network moves 400 GB per second.
contradicted|400 Gb/s 的网络每秒传 400 GB。
contradicted|400 Gb/s 网络的传输速率为 400 GB/s。
contradicted|The 400 Gbit/s network carries 400 GB/s.
contradicted|网络 400 Gbps，也就是 400 GB/s
contradicted|４００ Ｇｂ／ｓ 的网络可传 ４００ ＧＢ／ｓ
unit_error|2.039 TB/s is smaller than 312 TFLOPS
unit_error|312 teraflops is bigger than 2.039 terabytes per second.
unit_error|312 TFLOPS 比 2.039 TB/s 更大
unit_error|312 TFLOPS 要大于 2.039 TB/s
unit_error|312 TFLOP/s exceeds 2.039 TB/s
unit_error|The A100 80GB's 312 TFLOPS is larger than its 2.039 TB/s.
ambiguous|At batch 64, latency is 4 times and throughput 14 times.
ambiguous|With batch 64, latency x 4, throughput x 14.
ambiguous|批大小为 64 时，延迟变为 4 倍，吞吐变为 14 倍。
ambiguous|batch=64：延迟 ×4，吞吐 ×14
ambiguous|batch size 64: 14x throughput at 4x latency
contradicted|Because bandwidth on edge devices is only tens of GB/s, the ridge is very low.
contradicted|端侧设备的带宽只有几十 GB/s，脊点因此极低，几乎所有负载都落在带宽侧。
contradicted|端侧带宽只有几十 GB/s，脊点很低，几乎所有负载都在带宽侧
unit_error|0.5 and 0.6 are the measured throughput over the theoretical lower bound.
unit_error|0.5 and 0.6 are the ratio of measured throughput to the theoretical lower bound.
unit_error|0.5 与 0.6 是实测吞吐除以理论下界。
unit_error|0.5、0.6 指实测吞吐与理论下限之比
unit_error|实测吞吐 / 理论下限 为 0.5 和 0.6
contradicted|Adding GPUs does not make the KV on each GPU smaller.
contradicted|The KV on each card does not get smaller when cards are added.
contradicted|加卡并不会让每张卡上的 KV 变小。
contradicted|增加卡数不会使每卡的 KV 变小
contradicted|每张卡上的 KV 不会因为加卡而变小
contradicted|Adding cards won't shrink the KV cache per card.
contradicted|MoE: both bytes moved and operations follow the activated parameters.
contradicted|For MoE, bytes moved and FLOPs are both proportional to the active parameters.
contradicted|MoE 模型搬运的字节数和运算次数都跟着激活参数走。
contradicted|MoE：搬运字节与运算都按激活参数计
ambiguous|The estimate is usually within 10%; for absolute performance it is 10-30% off.
ambiguous|该估算误差通常在 10% 以内；用它预测绝对性能会偏差 10% 到 30%。
ambiguous|Usually the estimate is within 10 %, but absolute performance is off by 10 % to 30 %.
ambiguous|估算通常在 10% 以内，预测绝对性能则偏差 10%–30%
ambiguous|Beyond roughly 2,000 tokens of context the KV cache dominates for every batch size.
ambiguous|At any batch the KV cache dominates past about 2,000 tokens of context.
ambiguous|上下文超过约 2,000 个 token，KV cache 在任何批大小下都占主导。
ambiguous|超过大约两千 token 的上下文后，KV cache 在各种批大小下都占主导
consistent|989 万亿次浮点运算每秒
consistent|每秒 989 万亿次浮点运算。
consistent|3.35 万亿字节每秒
consistent|每秒3.35万亿字节
consistent|每秒 ３．３５ 万亿字节
consistent|3.35 万亿字节/秒
consistent|7B 参数的模型在 BF16 下权重为 14 GB。
contradicted|7B 参数的模型在 BF16 下权重为 140 GB。
contradicted|A model with 7 billion parameters has 140 GB of BF16 weights.
consistent|A 7B model in BF16 takes 14 GB of weights.
contradicted|TTFT 1000 ms, 100 tokens at 10 ms: TPOT 1.99 ms.
"""


@pytest.mark.parametrize("row", [r for r in CLAIMS.strip().splitlines() if not r.startswith("#")])
def test_claims_of_our_own(row: str) -> None:
    wanted, text = row.split("|", 1)
    found = judged(text)
    assert found.verdict in (QUIET if wanted == "quiet" else (wanted,)), said(found)


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        # 1,050,673,152 / 10^9
        ("The KV cache takes 1,050,673,152 bytes (7.8 GB).", "CONS001", "≈ 1.051 GB"),
        # 7.7 × 2^30 / 150,000 = 55,119.26
        ("150,000 tokens of KV cache in 7.7 GiB are 56 bytes per token.", "CONS015", "≈ 55.12 kB"),
        # 256 × 10 / 8
        ("A 256-bit bus at 10 Gb/s per pin gives 32 GB/s.", "CONS014", "= 320 GB/s"),
        # 8.23 + 8.23
        ("K size 8.23 GB, V size 8.23 GB, KV cache 8.23 GB in total.", "CONS017", "= 16.46 GB"),
        # 80 × 10^9 / 2^30
        ("80 GB equal 80 GiB.", "UNIT012", "≈ 74.51 GiB"),
        ("A 400 Gb/s network moves 400 GB/s.", "UNIT010", "= 50 GB/s"),
        ("From batch 1 to 64: latency x4 and throughput x20", "CONS007", "4 × 20 = 80"),
        # 23.08 × 2 − 13.95 − 0.25 − 0.19
        ("23.08 GB × 2 - 13.95 GB - 0.25 GB - 0.19 GB = 41.77 GB", "CONS002", "= 31.77 GB"),
    ],
)  # fmt: skip
def test_the_arithmetic_is_shown(text: str, rule: str, line: str) -> None:
    finding = next(f for f in judged(text).findings if f.rule == rule)
    assert finding.verdict == "contradicted"
    assert any(line in step.en for step in finding.derivation), finding.derivation


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("A 400 Gb/s network moves 400 GB/s.", "bits taken for bytes"),
        ("80 GB equal 80 GiB.", "GB against GiB"),
        ("A TTFT of 0.08 s, i.e. 0.08 ms.", "ms against s"),
        ("70 亿 = 70 billion", "亿 is 10^8"),
        ("150,000 tokens of KV cache in 7.7 GiB are 56 bytes per token.", "factor of 1,000"),
        ("A 256-bit bus at 10 Gb/s per pin gives 32 GB/s.", "factor of 10"),
        ("529 token/s in total with 57 requests in flight means a TPOT of 1.9 ms.", "57 requests"),
        ("K size 8.23 GB, V size 8.23 GB, KV cache 8.23 GB in total.", "factor of 2"),
    ],
)
def test_the_likely_cause_is_named(text: str, cause: str) -> None:
    assert any(cause in f.message.en for f in judged(text).findings if f.severity == "error")


def test_the_figure_to_correct_is_the_conclusion() -> None:
    # 57 / 529 s = 107.75 ms
    found = judged("529 token/s in total with 57 requests in flight means a TPOT of 1.9 ms.")
    corrected = next(f.corrected for f in found.findings if f.corrected)
    assert "107.8 ms" in corrected.en
    assert "107.8 ms" in corrected.zh


def test_gb_and_gib_that_round_alike_are_an_info() -> None:
    found = judged("4 GB (4 GiB)")
    assert found.verdict == "consistent"
    assert [f.severity for f in found.findings if f.rule == "UNIT012"] == ["info"]


def test_operations_of_a_device_are_read_as_a_rate() -> None:
    found = judged("The H100 SXM has 989 TFLOPs of dense BF16.")
    assert found.verdict == "consistent"
    assert [f.severity for f in found.findings if f.rule == "UNIT003"] == ["info"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("每秒 989 万亿次浮点运算", "989 TFLOP/s"),
        ("每秒 3.35 万亿字节", "3.35 TB/s"),
        ("3.35 trillion bytes per second", "3.35 TB/s"),
    ],
)
def test_a_bare_quantity_is_read_out(text: str, value: str) -> None:
    finding = next(f for f in judged(text).findings if f.rule == "READ002")
    assert (finding.verdict, finding.severity) == ("consistent", "info")
    assert value in finding.message.en


def test_every_message_stands_in_both_languages() -> None:
    for row in CLAIMS.strip().splitlines():
        if row.startswith("#"):
            continue
        for finding in judged(row.split("|", 1)[1]).findings:
            texts = [
                finding.message,
                *finding.derivation,
                *([finding.corrected] if finding.corrected else []),
            ]
            assert all(t.en.strip() and t.zh.strip() for t in texts), row
            assert not any("{" in t.en + t.zh for t in texts), row


@pytest.mark.parametrize(
    "piece",
    ["of ", "80 GB ", "1 GB = ", "weights 1 GB/s ", "1,", "1 MAC = 2 FLOP ", "divided by ",
     "measured throughput divided by ", "MoE follows active ", "latency x4 throughput x", "越大",
     "降低带宽", "8 × ", "twice as many MACs as ", "K size 8 GB V size 8 GB KV cache 8 GB "],
)  # fmt: skip
def test_repeated_pieces_end_soon(piece: str) -> None:
    with within(5):
        judged((piece * 2000)[:1990])


@pytest.mark.parametrize(
    "text",
    ["1 GB = 0 GB", "0 GB = 0 GB", "0 GB/s is 0 times 0 GB/s", "A TPOT of 0 ms is 999 token/s",
     "0 tokens of KV cache in 0 GiB are 0 bytes per token.", "batch 0: latency x0, throughput x0",
     "0 requests in flight at a TPOT of 0 ms give 0 token/s in total", "20 GB is 25 % of 0 GB"],
)  # fmt: skip
def test_nothing_divides_by_nothing(text: str) -> None:
    assert judged(text).findings
