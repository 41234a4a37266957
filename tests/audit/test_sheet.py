"""Figures of products against their specs: the verdict, the rule and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.rule import rules
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.words import digits
from derive.audit.types import Finding, Judged
from derive.errors import DeriveError
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.units import Quantity, read_quantity

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
MINE = [r for i, r in rules().items() if i in {*(f"COND{n:03}" for n in range(1, 17)), "SRC001",
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
    ("Dense BF16 peak of the H800 SXM: 990 TFLOPS", "consistent", ""),
    ("H800 SXM 的 BF16 稠密峰值为 990 TFLOPS。", "consistent", ""),
    ("H800 SXM，稠密 BF16，990 TFLOP/s", "consistent", ""),
    ("990 TFLOP/s is the dense BF16 peak of the H800 SXM.", "consistent", ""),
    ("Ｈ８００ ＳＸＭ 的稠密 BF16 峰值是 ９９０ ＴＦＬＯＰＳ", "consistent", ""),
    ("稠密 BF16 峰值：H100 SXM 989 TFLOPS，H100 PCIe 756 TFLOPS，H100 NVL 1,671 TFLOPS，H200 SXM 1,979 TFLOPS。", "contradicted", ""),
    ("BF16 dense: H200 SXM = 1979 TFLOP/s; H100 SXM = 989 TFLOP/s", "contradicted", ""),
    ("H100 SXM 989, H200 SXM 1979 TFLOPS dense BF16", "contradicted", ""),
    ("An A100 computes at 624 TFLOPS when the weights are FP8.", "contradicted", ""),
    ("A100 用 FP8 权重时算力为 624 TFLOP/s，而不是 312。", "contradicted", ""),
    ("FP8 doubles the A100 to 624 TFLOPS", "contradicted", ""),
    ("使用 FP8 权重，A100 的算力可达 624 TFLOPS", "contradicted", ""),
    ("The memory of an H100 SXM is 86 GB.", "ambiguous", ""),
    ("H100 SXM 有 86 GB 显存。", "ambiguous", ""),
    ("86GB of HBM on the H100 SXM", "ambiguous", ""),
    ("H100 SXM: 86 GB VRAM", "ambiguous", ""),
    ("8 张 H100 上 all-reduce 总线带宽为 360 GB/s，仅为 NVLink 带宽 900 GB/s 的 40 %。", "contradicted", ""),
    ("All-reduce busbw of 360 GB/s on 8x H100 SXM: just 40% of NVLink's 900 GB/s.", "contradicted", ""),
    ("The NVLink bandwidth of 8x H100 is 900 GB/s, so a bus bandwidth of 360 GB/s is 40 % of it.", "contradicted", ""),
    ("NVLink（双向 900 GB/s）是 400 Gb/s 以太网端口（单向 50 GB/s）的 18 倍。", "contradicted", ""),
    ("A 400 Gb/s Ethernet port (50 GB/s each way) is 18 times slower than NVLink at 900 GB/s (both directions).", "contradicted", ""),
    ("NVLink, 900 GB/s bidirectional, is 18x a 400 Gb/s Ethernet port, 50 GB/s per direction.", "contradicted", ""),
    ("FP16 on the H100 SXM: 1979 TFLOP/s", "ambiguous", ""),
    ("The FP16 throughput of the H100 SXM is 1.979 PFLOPS.", "ambiguous", ""),
    ("H100 SXM 半精度算力 1979 TFLOPS", "ambiguous", ""),
    ("H100 SXM 的 FP16 算力为每秒 1979 万亿次浮点运算", "ambiguous", ""),
    ("H100 SXM delivers 1,979 teraFLOPS of FP16 performance", "ambiguous", ""),
    ("B200 最高可提供 20 PFLOPS 的 FP4 算力", "ambiguous,contradicted", ""),
    ("Up to 20 PFLOPS FP4 from one B200", "ambiguous,contradicted", ""),
    ("FP4 on B200: 20 petaFLOP/s", "ambiguous,contradicted", ""),
    ("GB200 NVL72 的实时推理比 H100 快 30 倍。", "ambiguous,unverifiable", ""),
    ("In real-time inference the GB200 NVL72 is up to 30 times faster than the H100.", "ambiguous,unverifiable", ""),
    ("30x faster real-time inference: GB200 NVL72 vs H100", "ambiguous,unverifiable", ""),
    ("Compared to the H100, GB200 NVL72 delivers 30x faster LLM inference", "ambiguous,unverifiable", ""),
    ("B300 的稠密 FP4 算力为 15 PFLOPS。", "ambiguous", ""),
    ("Dense FP4 on the B300 is 15 petaflops", "ambiguous", ""),
    ("B300 FP4（稠密）：15 PFLOP/s", "ambiguous", ""),
    ("NVLink of the H100: 900GB/s", "ambiguous", ""),
    ("H100 的 NVLink 带宽为 900 GB/s。", "ambiguous", ""),
    ("The H100 has 900 GB/s of NVLink bandwidth.", "ambiguous", ""),
    ("H100 的 NVLink 单向带宽为 900 GB/s。", "contradicted", ""),
    ("NVLink on the H100 runs at 900 GB/s per direction.", "contradicted", ""),
    ("One-way NVLink bandwidth of the H100: 900 GB/s", "contradicted", ""),
    ("GB200 NVL72 的对分带宽为 130 TB/s", "contradicted", ""),
    ("130 TB/s bisection bandwidth in a GB200 NVL72", "contradicted", ""),
    ("Bisection bandwidth of the GB200 NVL72: 130 TB/s", "contradicted", ""),
    ("Gaudi 3（1,856 BF16 TFLOPS）略低于 H100 的 1,979。", "contradicted", ""),
    ("With 1,856 BF16 TFLOPS the Gaudi 3 is slightly slower than the H100 with 1,979 TFLOPS.", "contradicted", ""),
    ("Gaudi 3: 1,856 TFLOPS BF16, slightly below the H100: 1,979 TFLOPS", "contradicted", ""),
    ("Gaudi 3 的 BF16 为 1856 TFLOPS，略低于 H100 的 1979 TFLOPS", "contradicted", ""),
    ("Gaudi 3 的网络带宽为 9.6 Tb/s。", "ambiguous", ""),
    ("Networking of Gaudi 3: 9.6 Tbps", "ambiguous", ""),
    ("Gaudi 3 网络 1200 GB/s", "ambiguous", ""),
    ("由 9,216 颗芯片组成的 Ironwood pod 有 42.5 exaflops，是 El Capitan 的 24 倍。", "ambiguous,unverifiable", ""),
    ("42.5 EFLOPS in an Ironwood pod of 9216 chips: 24x El Capitan", "ambiguous,unverifiable", ""),
    ("An Ironwood pod (9,216 chips) delivers 42.5 exaflops, more than 24x the compute of El Capitan", "ambiguous,unverifiable", ""),
    ("DGX Spark 的 AI 算力为 1 PFLOPS。", "ambiguous", ""),
    ("DGX Spark delivers 1 petaflop of AI performance", "ambiguous", ""),
    ("DGX Spark: up to 1 PFLOP of AI compute", "ambiguous", ""),
    ("1 petaFLOP AI performance on the DGX Spark", "ambiguous", ""),
    ("MI300X FP16（稠密）2,615 TFLOPS", "contradicted", ""),
    ("2,615 TFLOPS of dense FP16 on the MI300X", "contradicted", ""),
    ("The MI300X's dense FP16 peak is 2.615 PFLOPS.", "contradicted", ""),
    ("ridge point of the A100", "ambiguous", ""),
    ("A100 的拐点", "ambiguous", ""),
    ("What is the A100's ridge point?", "ambiguous", ""),
    ("A100 的脊点是多少", "ambiguous", ""),
    ("B300：288 GB 显存，约 8 TB/s", "consistent", ""),
    ("B300 with 288 GB at about 8 TB/s", "consistent", ""),
    ("The B300 has 288GB of HBM3e and roughly 8 TB/s of bandwidth.", "consistent", ""),
    ("B300 显存 288GB，带宽约 8TB/s", "consistent", ""),
    ("989 TFLOP/s", "consistent", ""),
    ("每秒 989 万亿次浮点计算", "consistent", ""),
    ("3.35 TB/s", "consistent", ""),
    ("3.35 万亿字节每秒", "consistent", ""),
    ("bandwidth of 3.35 TB/s", "consistent", ""),
    ("Compared to the H100 SXM, the H200 SXM has 1.43x the memory bandwidth.", "consistent", ""),
    ("H200 SXM 相比 H100 SXM 显存带宽提升到 1.43 倍", "consistent", ""),
    ("H200 SXM has twice the FP8 compute of the H100 SXM", "contradicted", ""),
    ("Eight H100 SXM provide 640 GB of memory in total.", "consistent", ""),
    ("A DGX H100 node has 640 GB of GPU memory.", "consistent", ""),
    ("HGX B200: 1.44 TB of HBM3e in total for 8 GPUs", "consistent", ""),
    ("DGX B200 has 72 PFLOPS FP8 with sparsity", "consistent", ""),
    ("DGX H100: 32 PFLOPS FP8", "ambiguous,consistent", ""),
    ("Each H100 SXM has 80 GB, so 8 of them have 640 GB.", "consistent", ""),
    ("An H100 SXM draws up to 700 W.", "consistent", ""),
    ("The L40S has no NVLink and 864 GB/s of memory bandwidth.", "consistent", ""),
    ("RTX 4090 显存 24GB，带宽 1TB/s", "consistent", ""),
    ("TPU v5p: 459 TFLOPS, 95 GB, 2,765 GB/s", "consistent", ""),
    ("Trainium2 的稠密 BF16 算力为 667 TFLOPS", "consistent", ""),
    ("The T4 has 320 TB/s of memory bandwidth.", "contradicted", ""),
    ("V100 SXM2 32GB: 1.9 TB/s memory bandwidth", "contradicted", ""),
    ("Llama-3-70B in bf16 needs 141 GB, more than the 80 GB of an H100 SXM.", "unverifiable,consistent,infeasible,exceeds_bound", ""),
    ("MI355X 的 FP4 稠密算力为 10.1 PFLOPS", "consistent", ""),
    ("MI355X: 10.1 PFLOPS FP8", "ambiguous", ""),
    ("MI355X: 10.1 PFLOPS FP8 dense", "contradicted", ""),
    ("The A100 and the H100 SXM have 312 and 989 TFLOPS of dense BF16.", "consistent", ""),
    ("H100 SXM has 989 dense BF16 TFLOPS, the A100 has 312.", "consistent", ""),
    ("A100 312 TFLOPS, H100 SXM 989.5 TFLOPS (dense BF16)", "consistent", ""),
    ("Going from the A100 SXM4 80GB to the H100 SXM, bandwidth rises from 2.039 TB/s to 3.35 TB/s.", "consistent", ""),
    ("H100 SXM FP8 3,958 TFLOPS (2:4 sparsity)", "consistent", ""),
    ("H100 SXM：FP8 带稀疏 3,958 TFLOPS，稠密 1,979 TFLOPS", "consistent", ""),
    ("H100 SXM INT8 3,958 TOPS", "ambiguous", ""),
    ("STREAM on an H100 SXM sustains 3.0 TB/s.", "unverifiable,consistent", ""),
    ("We measured 620 TFLOPS BF16 on an H100 SXM.", "unverifiable,consistent", ""),
    ("H100 SXM 上实测显存带宽 2.9 TB/s。", "unverifiable,consistent", ""),
    ("An all-reduce on 8x H100 SXM reaches 360 GB/s of bus bandwidth.", "unverifiable,consistent", ""),
    ("The KV cache takes 40 GB of the 80 GB of an H100 SXM.", "unverifiable,consistent", ""),
    ("A 4090 with 24 GB cannot hold 26 GB of weights.", "unverifiable,consistent,infeasible", ""),
    ("Loading 140 GB over PCIe at 64 GB/s to an H100 SXM takes 2.2 s.", "unverifiable,consistent", ""),
    ("The L2 cache of the H100 SXM has 50 MB.", "unverifiable,consistent", ""),
    ("The L2 bandwidth of the H100 SXM is about 5.5 TB/s.", "unverifiable,consistent", ""),
    ("H100 SXM 的二级缓存为 50 MB。", "unverifiable,consistent", ""),
    ("A 10 GB checkpoint on an H100 SXM loads in 3 s.", "unverifiable,consistent", ""),
    ("The H100 SXM has 132 SMs at 1,830 MHz.", "unverifiable,consistent", ""),
    ("An H100 SXM costs 2.50 USD per hour.", "unverifiable,consistent", ""),
    ("GH200 96GB: 96 GB HBM3 at 4 TB/s, NVLink-C2C at 900 GB/s.", "consistent", ""),
    ("The H100 SXM connects to the host with PCIe 5.0 at 64 GB/s per direction.", "unverifiable,consistent", ""),
    ("An H100 SXM node has 8 GPUs with 80 GB each.", "consistent", ""),
    ("Each GPU of a DGX H100 has 80 GB of memory.", "consistent", ""),
    ("DGX H100 每张卡 80 GB 显存，整机 640 GB。", "consistent", ""),
    ("The H100 SXM is 3.2 times faster than the A100 in dense BF16: 989.5 against 312 TFLOPS.", "consistent,unverifiable", ""),
    ("H100 SXM 的稠密 BF16 算力是 A100 的 3.17 倍。", "consistent", ""),
    ("H100 SXM 的稠密 BF16 算力是 A100 的 6.3 倍。", "contradicted", ""),
    ("Two A100 SXM4 80GB have 160 GB.", "consistent", ""),
    ("2× RTX 4090 give 48 GB of VRAM together.", "consistent", ""),
    ("RTX 4090: 48 GB VRAM", "contradicted,ambiguous", ""),
    ("RTX 4090: 32 GB VRAM", "contradicted", ""),
    ("RTX 5090 的显存带宽为 1.0 TB/s", "contradicted", ""),
    ("RTX 5090 的显存带宽为 1.79 TB/s", "consistent", ""),
    ("The M3 Ultra has up to 512 GB of memory and 819 GB/s.", "consistent", ""),
    ("M3 Ultra: 100 TFLOPS FP16", "unverifiable", ""),
    ("Cloud AI 100 Ultra: 870 TOPS INT8", "consistent", ""),
    ("AWS Inferentia2: 190 TFLOPS BF16, 32 GiB", "consistent", ""),
    ("Inferentia2: 820 GB/s memory bandwidth", "ambiguous,consistent", ""),
    ("TPU v5e ICI: 400 GB/s", "ambiguous", ""),
    ("TPU v5e ICI: 1600 Gb/s in one direction", "consistent", ""),
    ("TPU v5e: 1,600 GB/s ICI", "ambiguous,contradicted", ""),
    ("The H200 SXM has 1.76 times the memory of the H100 SXM.", "consistent", ""),
    ("Gaudi 3 runs FP8 at 1,835 TFLOPS, the same as BF16.", "consistent", ""),
    ("Gaudi 3 delivers 3,670 TFLOPS in FP8.", "contradicted", ""),
    ("昇腾 910B 的显存带宽为 12 TB/s", "contradicted", ""),
    ("华为昇腾 910C FP16 算力 752 TFLOPS，显存 128 GB，带宽 3.2 TB/s", "consistent", ""),
    ("L20: 119.5 TFLOPS BF16 dense, 48 GB, 864 GB/s", "consistent", ""),
    ("H20 的显存带宽为 4.0 TB/s，NVLink 双向 900 GB/s", "consistent", ""),
    ("GB200: 372 GB", "ambiguous", ""),
    ("GB200 NVL72: each GPU has 372 GB of memory", "contradicted", ""),
    ("GB200 NVL72 机柜 FP4 稠密算力 720 PFLOPS", "consistent", ""),
    ("GB200 NVL72 机柜 FP4 算力 1,440 PFLOPS", "ambiguous", ""),
    ("GB200 NVL72: 1,440 PFLOPS FP4 with sparsity, 576 TB/s HBM bandwidth", "consistent", ""),
    ("H100 SXM peak: 1.979e3 TFLOPS FP8 dense", "consistent", ""),
    ("H100 SXM peak FP8 dense = 1.979 × 10^15 FLOP/s", "consistent", ""),
    ("H100 SXM: 0.9895 PFLOPS BF16 dense", "consistent", ""),
    ("H100 SXM: 98.95 TFLOPS BF16 dense", "contradicted", ""),
    ("H100 SXM: 989 GFLOPS BF16 dense", "contradicted", ""),
    ("H100 SXM 显存带宽 3.35 Tb/s", "contradicted", ""),
    ("H100 SXM has a memory bandwidth of 26.8 TB/s", "ambiguous", ""),
    ("H100 SXM has a memory bandwidth of 26.8 Tb/s", "consistent", ""),
    ("A100 80GB SXM vs. H100 SXM in dense BF16: 312 vs. 989 TFLOPS", "consistent", ""),
    ("H100 NVL: 94 GB, 3.9 TB/s, 835 TFLOPS BF16 dense", "consistent", ""),
    ("H100 NVL: 188 GB", "ambiguous", ""),
    ("A pair of H100 NVL has 188 GB.", "consistent", ""),
    ("MI250X: 383 TFLOPS FP16, 128 GB, 3.28 TB/s", "consistent", ""),
    ("B200 FP8 10 PFLOPS", "ambiguous,contradicted", ""),
    ("The NVIDIA H100 SXM achieves 1,979 TFLOPS in FP16.", "ambiguous", ""),
    ("NVIDIA's H100 SXM: 1979 TFLOPS (FP16)", "ambiguous", ""),
    ("FP16 performance: 1,979 TFLOPS (H100 SXM)", "ambiguous", ""),
    ("The H100 SXM's HBM3 delivers 3.35 TB/s.", "consistent", ""),
    ("HBM3: 3.35 TB/s on H100 SXM", "consistent", ""),
    ("H100 SXM 3350 GB/s", "consistent", ""),
    ("H100 SXM memory bandwidth 3,350 GB/s", "consistent", ""),
    ("H100 SXM 的带宽约为 3.4 TB/s", "consistent", ""),
    ("H100 SXM 的稠密 BF16 约 1 PFLOPS", "consistent", ""),
    ("H100 SXM: roughly 1 PFLOPS of dense BF16", "consistent", ""),
    ("dense BF16 on H100 SXM is nearly 990 TFLOPS", "consistent", ""),
    ("H100 SXM: 1.5 PFLOPS dense BF16", "contradicted", ""),
    ("A100 TF32 156 TFLOPS, with sparsity 312 TFLOPS", "consistent", ""),
    ("A100 INT8: 624 TOPS dense, 1,248 TOPS sparse", "consistent", ""),
    ("A100 INT8: 1,248 TOPS", "ambiguous", ""),
    ("A100 FP64: 9.7 TFLOPS", "consistent", ""),
    ("A100 FP64: 19.5 TFLOPS", "contradicted,ambiguous", ""),
    ("MI300X: 5.3 TB/s, H100 SXM: 3.35 TB/s", "consistent", ""),
    ("MI300X (5.3 TB/s) has 1.58 times the bandwidth of the H100 SXM (3.35 TB/s).", "consistent", ""),
    ("MI300X 192GB vs H100 SXM 80GB", "consistent", ""),
    ("The MI300X has 2.4x the memory of the H100 SXM.", "consistent", ""),
    ("与 H100 SXM 的 80 GB 相比，MI300X 有 192 GB 显存。", "consistent", ""),
    ("MI300X FP8 5,220 TFLOPS beats H100 SXM FP8 1,979 TFLOPS", "contradicted,ambiguous", ""),
    ("MI300X with 2,614.9 TFLOPS dense FP8 beats the H100 SXM with 1,979 TFLOPS dense FP8", "consistent", ""),
    ("The GB300 with 20 PFLOPS of sparse FP4 is twice the MI355X with 10.1 PFLOPS dense FP4.", "contradicted", ""),
    ("The GB300's dense FP4 of 15 PFLOPS is 1.49 times the 10.1 PFLOPS of the MI355X.", "consistent,ambiguous", ""),
    ("B200 TDP 1,000 W; H100 SXM TDP 700 W", "consistent", ""),
    ("B200 功耗 1000W，比 H100 SXM 的 700W 高 43 %", "consistent", ""),
    ("On H100 SXM prefill runs at 55 % MFU.", "unverifiable,consistent", ""),
    ("H100 SXM 上 decode 的 MBU 为 70 %", "unverifiable,consistent", ""),
    ("The H100 SXM has 3.35 TB/s, so Llama-3-70B in FP8 (70.6 GB) reads in 21 ms.", "consistent", ""),
    ("H100 SXM: 0.9 TB/s NVLink", "ambiguous", ""),
    ("H100 SXM: NVLink 7.2 Tb/s in both directions", "consistent", ""),
    ("H100 SXM NVLink4: 18 links of 50 GB/s both directions, 900 GB/s bidirectional", "consistent", ""),
    ("8 个 H100 SXM 的 NVLink 双向总带宽为 7.2 TB/s", "consistent", ""),
    ("HGX H100 total NVLink bandwidth 7.2 TB/s", "ambiguous,consistent", ""),
    ("HGX H100 bisection bandwidth 1.8 TB/s each way", "consistent", ""),
    ("HGX H100 bisection bandwidth 7.2 TB/s", "contradicted", ""),
    ("TPU v4: 275 TFLOPS bf16 per chip, 32 GiB HBM", "consistent", ""),
    ("TPU v4 pod: 4096 chips, 1.1 exaflops bf16", "consistent", ""),
    ("TPU v4: 1.1 exaflops", "ambiguous", ""),
    ("v5p chip: 459 TFLOPs bf16", "consistent", ""),
    ("Trillium 的 bf16 算力为 918 TFLOPS，HBM 32 GB", "consistent", ""),
    ("Trillium: 926 TFLOPS bf16", "ambiguous", ""),
    ("The H200 (141 GB, 4.8 TB/s) fits Llama-3-70B in bf16.", "consistent,ambiguous", ""),
    ("H200: 141 GB HBM3e, 4.8 TB/s", "consistent", ""),
    ("H200: 989 TFLOPS BF16 dense", "ambiguous", ""),
    ("Training achieves 494 TFLOPS BF16 on an H100 SXM.", "unverifiable,consistent", ""),
    ("The kernel achieves 620 TFLOPS in FP16 on an H100 SXM.", "unverifiable,consistent", ""),
    ("FlashAttention-3 reaches 740 TFLOPS FP16 on the H100 SXM, 75 % of the peak of 989 TFLOPS.", "consistent,unverifiable", ""),
    ("GEMM on MI300X reaches 800 TFLOPS BF16 in practice.", "unverifiable,consistent", ""),
    ("2 个 H100 SXM 共 160 GB 显存，放不下 405B 模型的权重。", "consistent", ""),
    ("8x H100 SXM serve Llama-3-70B at 3,000 token/s in total.", "unverifiable,consistent,exceeds_bound", ""),
    ("At batch 64 the H100 SXM draws 620 W.", "unverifiable,consistent", ""),
    ("单张 H100 SXM 显存 80GB、带宽 3.35TB/s、BF16 稠密 989 TFLOPS", "consistent", ""),
    ("H100 SXM（80GB，3.35TB/s，700W）", "consistent", ""),
    ("使用两张 A100 80GB，总显存 160 GB。", "consistent", ""),
    ("A100 80GB 的带宽约 2 TB/s", "ambiguous,consistent", ""),
    ("Our cluster has 400 Gb/s InfiniBand per H100 SXM.", "unverifiable,consistent", ""),
    ("Each H100 SXM gets a 400 Gb/s NIC.", "unverifiable,consistent,contradicted", ""),
    ("H100 SXM 节点之间用 400 Gb/s 网络互联", "consistent,unverifiable", ""),
    ("The DGX H100 has 3.2 Tb/s of InfiniBand networking.", "consistent,unverifiable", ""),
    ("The KV cache budget on an H100 SXM is 20 GB.", "consistent,unverifiable", ""),
    ("Weights of 16 GB leave 56 GB on an H100 SXM at 0.9 memory utilization.", "consistent,unverifiable", ""),
    ("CUDA graphs use 2 GB on the A100 80GB.", "consistent,unverifiable", ""),
    ("Activations need 5 GB of memory on the H100 SXM.", "consistent,unverifiable", ""),
    ("模型在 H100 SXM 上占用 60 GB 显存。", "consistent,unverifiable", ""),
    ("H100 SXM 的显存用了 72 GB。", "consistent,unverifiable", ""),
    ("The ridge of the H100 SXM divides prefill and decode.", "consistent,unverifiable", ""),
    ("H100 SXM 的脊点在 FP8 下约为 591。", "consistent,unverifiable", ""),
    ("FP8 ridge of the H100 SXM: 590.7 FLOP/byte", "consistent", ""),
    ("With 3.35 TB/s and 140 GB of weights, an H100 SXM cannot exceed 24 token/s.", "consistent,unverifiable", ""),
    ("A 30 GB/s SSD feeds the H100 SXM.", "consistent,unverifiable", ""),
    ("The H100 SXM loads 30 GB of weights from disk at 7 GB/s.", "consistent,unverifiable", ""),
    ("H100 SXM 与 CPU 之间的 PCIe 带宽为 64 GB/s", "consistent,unverifiable", ""),
    ("On Gaudi 3 dense FP8 is twice as fast as BF16.", "contradicted", "COND015"),
    ("Gaudi 3 的 FP8 算力是 BF16 的 2 倍。", "contradicted", "COND015"),
    ("Gaudi 3 的 FP8 算力是 BF16 的 1 倍。", "consistent", "COND015"),
    ("H100 SXM 的 FP8 稠密算力是 BF16 的 2 倍。", "consistent", "COND015"),
    ("GB300: dense FP4 is 2 times dense FP8.", "contradicted", "COND015"),
    ("GB300: dense FP4 is 3 times dense FP8.", "consistent", "COND015"),
    ("Sparsity makes FP4 on the B300 2 times faster.", "contradicted", "COND015"),
    ("Structured sparsity makes FP8 on the H100 SXM 2 times faster.", "consistent", "COND015"),
    ("NVLink on the H100 SXM has 27 % of its HBM bandwidth.", "ambiguous", "COND016"),
    ("H100 SXM 的 NVLink 单向带宽是显存带宽的 27 %。", "contradicted", "COND016"),
    ("H100 SXM 的 NVLink 单向带宽是显存带宽的 13 %。", "consistent", "COND016"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "verdict", "rule"), CLAIMS)
def test_claims_get_their_verdict_from_their_rule(text: str, verdict: str, rule: str) -> None:
    found = judged(text)
    said = [(f.rule, f.message.en) for f in found.findings]
    assert found.verdict in verdict.split(","), said
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
    for entry in entries(LIBRARY.by_id(name)):
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
    for entry in entries(LIBRARY.by_id(name)):
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
    assert [line.en for line in found.derivation] == ["1,979 TFLOP/s ÷ 989.5 TFLOP/s = 2"]
    assert found.corrected
    assert found.corrected.en == (
        "The FP16 peak of NVIDIA H100 SXM5 80 GB is 989.5 TFLOP/s dense and 1,979 TFLOP/s with "
        "structured sparsity."
    )
    assert "稠密 989.5 TFLOP/s" in found.corrected.zh
    assert found.sources == ("nv-h100-page", "klock")


def test_sparsity_is_never_halved() -> None:
    found = finding("B300 的 FP4 算力为 18 PFLOPS", "COND001")
    assert [line.en for line in found.derivation] == ["18,000 TFLOP/s ÷ 14,000 TFLOP/s ≈ 1.286"]
    found = finding("Trainium2: 2,563 dense BF16 TFLOPS", "COND001")
    assert [line.en for line in found.derivation] == ["2,563 TFLOP/s ÷ 667 TFLOP/s ≈ 3.843"]


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
    assert [line.en for line in found.derivation] == ["1,835 TFLOP/s ÷ 989.5 TFLOP/s ≈ 1.854"]
    assert found.verdict == "contradicted"


def test_a_rounded_number_meets_at_half_a_unit_and_not_beyond() -> None:
    for number, verdict in (("989", "consistent"), ("990", "consistent"), ("988", "contradicted"), ("991", "contradicted"), ("989.3", "contradicted"), ("about 1000", "consistent")):  # fmt: skip
        assert judged(f"H100 SXM: {number} TFLOPS dense BF16.").verdict == verdict, number


def test_another_word_of_the_claim_tells_the_variant() -> None:
    assert judged("The A100 with 80 GB in the SXM form has 2,039 GB/s of HBM bandwidth.").verdict == "consistent"  # fmt: skip
    assert judged("The A100 has 2,039 GB/s of HBM bandwidth.").verdict == "ambiguous"


NUMBER = re.compile(r"[0-9][0-9,.]*")


@given(st.sampled_from([row[0] for row in CLAIMS]), st.lists(st.sampled_from(
    ["0", "0.0", "-5", "1e60", "99999999999999999999", "0.000001", "3-5", "≥ 3", "about 7", ""]),
    min_size=1, max_size=4))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_odd_numbers_are_judged_or_refused_never_a_crash(text: str, numbers: list[str]) -> None:
    parts = iter(numbers)
    odd = NUMBER.sub(lambda m: next(parts, m[0]), text)
    with suppress(DeriveError):
        assert judged(odd).findings


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
