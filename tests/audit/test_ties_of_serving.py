"""Rates, times and bytes of serving that tie together, in both languages: right and wrong."""

from __future__ import annotations

import pytest

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import Judged
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)


def audit(text: str) -> Judged:
    return judge(read_claim(text, ROOTS), LIBRARY)


CASES = [
    # request rate × tokens of a request
    ("120 requests per second at 250 output tokens each are 30,000 tokens/s.", "consistent"),
    ("120 requests per second at 250 output tokens each are 3,000 tokens/s.", "contradicted"),
    ("QPS 为 40,每个请求输出 500 token,总吞吐 2 万 token/s。", "consistent"),
    ("QPS 为 40,每个请求输出 500 token,总吞吐 20 万 token/s。", "contradicted"),
    ("120 requests per second at 250 output tokens each, 30 tokens/s per user.", "unverifiable"),
    # requests in flight = request rate × latency
    ("At 8 requests per second with an end-to-end latency of 5 s, 40 requests are in flight.",
     "consistent"),
    ("At 8 requests per second with an end-to-end latency of 5 s, 4 requests are in flight.",
     "contradicted"),
    ("At 50 requests per second, p50 latency is 3 s and we allow 256 requests in flight.",
     "unverifiable"),
    # batch / step time
    ("A batch of 48 sequences at 20 ms per step yields 2,400 tokens/s.", "consistent"),
    ("A batch of 48 sequences at 20 ms per step yields 24,000 tokens/s.", "contradicted"),
    ("批大小 48,每步 20 毫秒,总吞吐 2400 token/s。", "consistent"),
    ("批大小 48,每步 20 毫秒,总吞吐 24000 token/s。", "contradicted"),
    # a rate of a day and of a second
    ("每天 50 亿 token 的调用量,平均每秒约 5.8 万个 token。", "consistent"),
    ("每天 50 亿 token 的调用量,平均每秒约 58 万个 token。", "contradicted"),
    # users × rate of one
    ("20 个并发用户、每人每秒 40 个 token,系统吞吐为 800 token/s。", "consistent"),
    ("20 个并发用户、每人每秒 40 个 token,系统吞吐为 8000 token/s。", "contradicted"),
    # a network in bits and in bytes
    ("200 Gb/s InfiniBand moves at most 25 GB/s.", "consistent"),
    ("200 Gb/s InfiniBand moves at most 23 GB/s.", "consistent"),
    ("200 Gb/s InfiniBand moves 200 GB of data per second.", "contradicted"),
    ("200Gbps 网卡的理论带宽是 25GB/s。", "consistent"),
    ("200Gbps 网卡的理论带宽是 200GB/s。", "contradicted"),
    # one direction beside both
    ("NVLink on the H100 SXM totals 900 GB/s, i.e. 450 GB/s in each direction.", "consistent"),
    # digits multiplied without their units
    ("10 TFLOPS for 2 hours is 20 TFLOP of work.", "contradicted"),
    ("10 TFLOPS for 2 hours is 72,000 TFLOP of work.", "consistent"),
    # the time to read bytes
    ("On an RTX 4090, streaming a 20 GB checkpoint once takes at least 19.8 ms.", "consistent"),
    ("On an RTX 4090, streaming a 20 GB checkpoint once takes 2 ms.", "exceeds_bound"),
    ("A100 80GB SXM 读一遍 140GB 权重需要 6.9 毫秒。", "exceeds_bound"),
    ("2 张 A100 80GB SXM 读一遍 140GB 权重需要 34.4 毫秒。", "consistent"),
    # operations of a prompt
    ("Prefilling 4,000 tokens on Llama-3-70B costs about 560 TFLOP.", "consistent"),
    ("Prefilling 4,000 tokens on Llama-3-70B costs about 5,600 TFLOP.", "contradicted"),
    ("Prefilling 4,000 tokens with Llama-3-8B costs 64 TFLOP/s.", "unit_error"),
    ("用 Llama-3-8B 预填充 4000 个 token 需要约 64 TFLOP。", "consistent"),
    ("用 Llama-3-8B 预填充 4000 个 token 需要约 64 TFLOP/s。", "unit_error"),
    # the time of a prefill
    ("One H200 in FP8 prefills a 50k-token prompt of Llama-3.1-8B in 30 ms.", "exceeds_bound"),
    ("One H200 in FP8 prefills a 50k-token prompt of Llama-3.1-8B in 900 ms.", "consistent"),
    ("单张 H200 用 FP8 的 Llama-3-8B,5 万 token 的提示只需 30 毫秒完成预填充。", "exceeds_bound"),
    # bytes of a cache of a number of tokens
    ("A 16,384-token sequence takes 5.4 GB of KV cache on Llama-3.1-70B in BF16.", "consistent"),
    ("A 16,384-token sequence takes 54 GB of KV cache on Llama-3.1-70B in BF16.", "contradicted"),
    ("长度 4096、并发 8 时,Llama-3-8B 的 KV cache(BF16)合计约 4.3GB。", "consistent"),
    ("长度 4096、并发 8 时,Llama-3-8B 的 KV cache(BF16)合计约 0.54GB。", "contradicted"),
    ("With 128K of context Llama-3.1-70B keeps 42.9 GB of KV cache in BF16.", "consistent"),
    ("With 128K of context Llama-3.1-70B keeps 41.9 GB of KV cache in BF16.", "consistent"),
    ("With 128K of context Llama-3.1-70B keeps 47 GB of KV cache in BF16.", "contradicted"),
    # parameters in 亿, parameters of a token
    ("DeepSeek-V2 总参数 2360 亿。", "consistent"),
    ("DeepSeek-V2 总参数 2368 亿。", "contradicted"),
    ("Llama-3-70B 每 token 约需 1410 亿次浮点运算。", "consistent"),
    ("Mixtral 8x7B stores 46.7B parameters but uses only 12.9B per token.", "consistent"),
    ("Mixtral 8x7B stores 46.7B parameters but uses only 39B per token.", "contradicted"),
    ("DeepSeek-V3 每个 token 要读取全部 6710 亿参数。", "contradicted"),
    # multiples beside two quantities, power, kind of memory
    ("MI325X: 256 GB at 6 TB/s, that is 1.33x the capacity of MI300X.", "consistent"),
    ("The H200 SXM has the same compute as the H100 SXM but 1.43x its bandwidth.", "consistent"),
    ("H200 SXM 的算力与 H100 SXM 相同,但带宽是它的 1.43 倍。", "consistent"),
    ("H200 SXM 的算力与 H100 SXM 相同,但带宽是它的 2.4 倍。", "contradicted"),
    ("L4 draws 300 W.", "exceeds_bound"),
    ("L4 draws up to 72 W.", "consistent"),
    ("At batch 64 the H100 SXM draws 620 W.", "consistent"),
    ("A server with 8 H100 SXM draws 10.2 kW.", "unverifiable"),
    ("L4 实测功耗 300W。", "exceeds_bound"),
    ("RTX 4090 has 24 GB of HBM2e.", "contradicted"),
    ("H200 配备 141GB HBM3 显存。", "consistent"),
    ("RTX 5090 配备 32GB GDDR6X 显存。", "contradicted"),
    ("Unlike the RTX 4090, which has 24 GB of GDDR6X, the L4 is small.", "consistent"),
    # a clause with a multiple of its own, a generation and the next
    ("An H100 SXM costs 1.5x as much as an A100 80GB SXM, but offers 1.64x the bandwidth.",
     "consistent"),
    ("An H100 SXM costs 1.5x as much as an A100 80GB SXM, but offers 2.64x the bandwidth.",
     "contradicted"),
    ("Bandwidth grew 1.64x from the A100 80GB SXM to the H100 SXM.", "consistent"),
    ("Bandwidth grew 0.61x from the A100 80GB SXM to the H100 SXM.", "contradicted"),
    ("H200 SXM 的显存是 H100 SXM 的 1.76 倍,带宽是 1.43 倍。", "consistent"),
    # what a request holds, other builds, effective rates, days
    ("One user holds about 1.3 GB at 4,096 tokens on Llama-3-70B.", "consistent"),
    ("One user holds about 13 GB at 4,096 tokens on Llama-3-70B.", "contradicted"),
    ("The A100 40GB has 1,555 GB/s, the 80GB version more.", "consistent"),
    ("One H100 SXM prefills 20,000 tokens/s for Llama-3-8B, an effective 320 TFLOPS.",
     "consistent"),
    ("2 billion tokens a day is 23,148 tokens/s on average.", "consistent"),
    ("2 billion tokens a day is 231,480 tokens/s on average.", "contradicted"),
    ("日均 20 亿 token,平均每秒约 2.3 万 token。", "consistent"),
    # powers of ten, systems, what a run sustains, what was before a change
    ("1 TOPS is 10^12 operations per second.", "consistent"),
    ("1 TOPS is 10^9 operations per second.", "contradicted"),
    ("Two DGX H100 hold 1.28 TB of HBM.", "consistent"),
    ("两台 DGX H100 共有 1.28TB 显存。", "consistent"),
    ("At an MFU of 40%, 512 H100 SXM sustain about 203 PFLOPS in BF16.", "consistent"),
    ("At an MFU of 40%, 512 H100 SXM sustain about 506 PFLOPS in BF16.", "contradicted"),
    ("FP8 halves the weights of Llama-3-70B from 141 GB to 71 GB.", "consistent"),
    ("FP8 halves the weights of Llama-3-70B from 141 GB to 35 GB.", "contradicted"),
    ("Qwen3-30B-A3B reads 3.3B parameters per token but stores 30.5B.", "consistent"),
    ("DeepSeek-V3 activates 37B of its 671B parameters per token.", "consistent"),
    ("吞吐 3000 token/s、100 个并发用户,平均每人 30 token/s。", "consistent"),
    ("吞吐 3000 token/s、100 个并发用户,平均每人 300 token/s。", "contradicted"),
    ("INT8 的模型每个参数占 2 字节。", "contradicted"),
    ("FP4 的模型每个参数占 0.5 字节。", "consistent"),
    ("We use 4 H200 per replica, that is 564 GB of memory and 19.2 TB/s of bandwidth.",
     "consistent"),
    # the server delivers, each stream gets: whose rates they are
    ("At concurrency 96 and 25 tokens/s per user the server delivers 2,400 tokens/s.",
     "consistent"),
    ("At concurrency 96 and 25 tokens/s per user the server delivers 4,800 tokens/s.",
     "contradicted"),
    ("96 并发、每路 25 token/s,系统总吞吐 2400 token/s。", "consistent"),
    ("96 并发、每路 25 token/s,系统总吞吐 4800 token/s。", "contradicted"),
    ("With an ITL of 20 ms a stream emits 50 tokens every second.", "consistent"),
    ("With an ITL of 20 ms a stream emits 500 tokens every second.", "contradicted"),
    # times of each token, a million output tokens, what was run at
    ("TTFT 400 ms plus 500 output tokens at 20 ms each is about 10.4 s end-to-end.", "consistent"),
    ("TTFT 400 ms plus 500 output tokens at 20 ms each is about 2.4 s end-to-end.",
     "contradicted"),
    ("At $3/hour and 1,500 tok/s, one million output tokens come to $0.56.", "consistent"),
    ("At $3/hour and 1,500 tok/s, one million output tokens come to $0.06.", "contradicted"),
    ("每小时 3 美元、每秒 1500 token,每百万输出 token 成本 0.56 美元。", "consistent"),
    ("每小时 3 美元、每秒 1500 token,每百万输出 token 成本 5.6 美元。", "contradicted"),
    ("Loading 100 GB of weights over PCIe at 50 GB/s takes 2 s.", "consistent"),
    ("Loading 100 GB of weights over PCIe at 50 GB/s takes 20 s.", "contradicted"),
    ("Loading 100 GB of weights over a 50 GB/s link took 20 s.", "unverifiable"),
    ("At 1,000 TFLOPS peak, 2 s give 200 TFLOP of work at 10% MFU.", "consistent"),
    ("Reading 140 GB at 3.35 TB/s takes 42 ms per token.", "consistent"),
    ("Reading 140 GB at 3.35 TB/s takes 4.2 ms per token.", "contradicted"),
    # operations of one token, weights that a token reads, factors of a product
    ("7B 模型生成一个 token 约需 14 GFLOPs 计算量。", "consistent"),
    ("7B 模型生成一个 token 约需 140 GFLOPs 计算量。", "contradicted"),
    ("At batch 1, each token of Llama-3-70B BF16 reads 141 GB of weights.", "consistent"),
    (("Per token, Qwen2.5-32B keeps 2 x 64 layers x 8 KV heads x 128 x 2 bytes = 262,144 bytes of "
     "KV cache."), "consistent"),
    # bits of a weight, what a device holds of the weights
    ("At 4 bits per weight, Llama-3-70B shrinks to about 35 GB.", "consistent"),
    ("At 4 bits per weight, Llama-3-70B shrinks to about 70 GB.", "contradicted"),
    ("TP=4 时每卡权重约 35GB(Llama-3-70B BF16)。", "consistent"),
    ("TP=4 时每卡权重约 141GB(Llama-3-70B BF16)。", "contradicted"),
    ("With TP=8 each GPU holds about 17.6 GB of the BF16 weights of Llama-3-70B.", "consistent"),
    ("With TP=8 each GPU holds about 141 GB of the BF16 weights of Llama-3-70B.", "contradicted"),
    ("Each of the 8 GPUs holds 17.6 GB of the 141 GB weights.", "consistent"),
    ("Each of the 8 GPUs holds 35 GB of the 141 GB weights.", "contradicted"),
    ("KV cache 从 FP16 换成 FP8,Llama-3-8B 每 token 从 128KiB 降到 64KiB。", "consistent"),
    ("KV cache 从 FP16 换成 FP8,Llama-3-8B 每 token 从 128KiB 降到 32KiB。", "contradicted"),
    # multiples of a change, with or without units
    ("KV cache per token drops 8x, from 2.5 MB to 320 KB.", "consistent"),
    ("KV cache per token drops 4x, from 2.5 MB to 320 KB.", "contradicted"),
    ("权重从 141 GB 降到 35 GB,缩小约 4 倍。", "consistent"),
    ("权重从 141 GB 降到 35 GB,缩小 8 倍。", "contradicted"),
    ("From 64 KV heads to GQA with 8 KV heads the KV cache shrinks 8x.", "consistent"),
    ("Going from 64 KV heads to 8 KV heads shrinks the KV cache 8x.", "consistent"),
    ("Going from 64 KV heads to 8 KV heads shrinks the KV cache 4x.", "contradicted"),
    ("FP8 cuts the weights from 141 GB to 71 GB and speeds decode up 1.7x.", "unverifiable"),
    # two precisions and two sizes in one order, a step that yields several tokens, limits
    ("Going from FP16 to FP8 halves the weights of Qwen2.5-72B from 145 GB to about 73 GB.",
     "consistent"),
    ("Going from FP16 to FP8 halves the weights of Qwen2.5-72B from 145 GB to about 36 GB.",
     "contradicted"),
    ("从 FP16 到 FP8,Qwen2.5-72B 的权重从 145 GB 降到 73 GB。", "consistent"),
    ("从 FP16 到 FP8,Qwen2.5-72B 的权重从 145 GB 降到 36 GB。", "contradicted"),
    (("Speculative decoding with 3.0 accepted tokens per step at 20 ms per step is 150 tokens/s "
     "for one user."), "unverifiable"),
    ("At 20 ms per step one user gets 50 tokens/s.", "consistent"),
    ("用户体验要求每秒 20 个 token,即 TPOT 不超过 50ms。", "consistent"),
    ("At 5,600 tokens/s on 8 GPUs each GPU contributes 700 tokens/s.", "consistent"),
    ("At 5,600 tokens/s on 8 GPUs each GPU contributes 7,000 tokens/s.", "contradicted"),
    ("单请求 8K 输入、Llama-3-70B BF16、8 张 H100 SXM,TTFT 约 300ms。", "consistent"),
    ("单请求 8K 输入、Llama-3-70B BF16、8 张 H100 SXM,TTFT 只要 50ms。", "exceeds_bound"),
    ("Llama-3-70B in BF16 on 8 H100 SXM answers an 8K prompt with a TTFT of 50 ms.",
     "exceeds_bound"),
    # one request alone and each of many, two contexts in one order, a device's part of the weights
    ("Llama-3-70B 在 8 张 A100 80GB SXM 上 BF16 单路约 45 token/s,64 并发总吞吐约 1500 token/s。",
     "consistent"),
    (("We saw 2,100 tok/s at concurrency 64 on one H100 SXM with Llama-3-8B FP8, 33 tok/s per "
     "user."), "consistent"),
    (("We saw 4,200 tok/s at concurrency 64 on one H100 SXM with Llama-3-8B FP8, 33 tok/s per "
     "user."), "contradicted"),
    ("上下文从 8K 增加到 32K 时,Llama-3-8B 单请求 KV cache 从 1.07GB 增加到 4.29GB。",
     "consistent"),
    ("上下文从 8K 增加到 32K 时,Llama-3-8B 单请求 KV cache 从 1.07GB 增加到 3.2GB。",
     "contradicted"),
    ("Of each H100 SXM, weights take 17.6 GB under TP=8 for Llama-3-70B in BF16.", "consistent"),
    ("Under TP=8 the weights of Llama-3-70B in BF16 take 17.6 GB.", "ambiguous"),
    ("Under TP=8 the weights of Llama-3-70B in BF16 take 141 GB.", "consistent"),
    # the share of active parameters
    ("671B parameters in all, 37B active, an activation ratio of 5.5%.", "consistent"),
    ("DeepSeek-V3 has 671B parameters and 37B active ones: 15% of the parameters are active.",
     "contradicted"),
    ("MoE 模型 DeepSeek-V3 总参数 671B、激活 37B,激活比例约 5.5%。", "consistent"),
    ("MoE 模型 DeepSeek-V3 总参数 671B、激活 37B,激活比例约 15%。", "contradicted"),
    # a side of the ridge by the intensity
    ("At 100 FLOP/byte a BF16 kernel on the H100 SXM is memory bound.", "consistent"),
    ("At 100 FLOP/byte a BF16 kernel on the H100 SXM is compute bound.", "contradicted"),
    ("H100 SXM 上算术强度 400 FLOP/byte 的 BF16 算子是计算受限的。", "consistent"),
    ("H100 SXM 上算术强度 400 FLOP/byte 的 BF16 算子是带宽受限的。", "contradicted"),
    ("An A100 with 312 TFLOPS and 2.0 TB/s needs about 300 FLOPs per byte to be compute-bound.",
     "contradicted"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "verdict"), CASES)
def test_verdict(text: str, verdict: str) -> None:
    found = audit(text)
    assert found.verdict == verdict, [(f.rule, f.message.en) for f in found.findings]


def test_the_corrected_sentences() -> None:
    work = audit("Prefilling 4,000 tokens with Llama-3-8B costs 64 TFLOP/s.").findings[0]
    assert work.corrected
    assert work.corrected.en.startswith("4,000 tokens through Llama 3 8B take 64.24 TFLOP")
    read = audit("On an RTX 4090, streaming a 20 GB checkpoint once takes 2 ms.").findings[0]
    assert read.corrected
    assert "19.8 ms" in read.corrected.en
    assert "至少需要 19.8 ms" in read.corrected.zh
    kind = audit("RTX 5090 配备 32GB GDDR6X 显存。").findings[0]
    assert kind.corrected
    assert kind.corrected.zh == "NVIDIA GeForce RTX 5090 32 GB 的显存类型为 GDDR7。"
