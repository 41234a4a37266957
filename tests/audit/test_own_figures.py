"""Claims held against themselves: units, laws, arithmetic, directions, in both languages."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import Judged
from derive.specs.lookup import spec_roots

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
    (finding,) = judged(text).findings
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
