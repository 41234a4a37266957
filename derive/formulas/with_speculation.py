"""Speculative decoding: tokens a round yields, what it costs, and up to which batch it pays.

One pass verifies n = k + 1 tokens of each request: the drafted ones and the one that it yields itself.
"""

import derive.formulas.batching
import derive.formulas.capacity
import derive.formulas.latent
import derive.formulas.utilisation  # noqa: F401
from derive.formula import formula

formula(
    "n_gain", r"n_{\mathrm{gain}}", "token/request",
    section="step",
    is_="one_token * (1 - pow(alpha, k_draft / one_token + 1)) / (1 - alpha)",
    name=("tokens a round of speculation yields, expected", "一轮投机解码的期望产出 token 数"),
    reason=("1 + α + … + α^k for k drafted tokens, each accepted with probability α if all before it were; the last term is the token that verification itself yields",
            "k 个草稿 token 逐个以概率 α 被接受（前面的都被接受时），期望为 1 + α + … + α^k；其中含校验自身产出的那个 token"),
    reading=("Acceptance is taken as equal and independent from token to token; measure it on your own traffic.",
             "假设各 token 的接受率相同且相互独立；应以自己的流量实测。"),
    sources=("leviathan2022", "chen2023"),
    example=({"alpha": "0.5", "k_draft": "2 token/request"}, "1.75 token/request"),
)  # fmt: skip

formula(
    "W_draft", r"W_{\mathrm{drf}}", "byte",
    section="bytes",
    is_="N_draft * w_draft",
    name=("weight bytes of the draft model", "草稿模型的权重字节数"),
    reason=("they stay in memory beside the model, and each drafted token reads them once for the batch",
            "与目标模型一同驻留显存；每起草一个 token，整批读一遍"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_draft": "1 Gparam", "w_draft": "2 byte/param"}, "2 GB"),
)  # fmt: skip

formula(
    "Q_draft", r"Q_{\mathrm{drf}}", "byte",
    section="bytes",
    is_="W_draft + b * T * kappa_draft",
    name=("bytes one pass of the draft model moves", "草稿模型一次前向搬运的字节数"),
    reason=("its weights once for the batch, its own KV cache once for each request", "其权重整批读一遍，其 KV cache 每个请求各读一遍"),
    reading=("Every byte is counted once, as in Q_step: data-parallel groups each read a copy of their own.",
             "与 Q_step 一样，每个字节只计一次：各数据并行组实际各读自己的副本。"),
    sources=("leviathan2022", "chen2023"),
    example=({"W_draft": "2 GB", "b": "10 request", "T": "1000 token/request", "kappa_draft": "100 kB/token"}, "3 GB"),
)  # fmt: skip

formula(
    "t_draft", r"t_{\mathrm{drf}}", "s",
    section="step",
    is_="max(c_op * N_draft * b * one_token / (g * MFU * P_peak), Q_draft / (g * MBU * B_peak))",
    calibre="reachable",
    name=("time to draft one token of each request", "为每个请求起草一个 token 的时间"),
    reason=("a decode step of the draft model, split over the devices of the replica", "草稿模型的一个 decode 步，切分到副本的全部设备"),
    reading=("A small model split over many devices reaches less than MBU: an optimistic figure.",
             "小模型切分到多个设备后达不到 MBU：偏乐观的估计。"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_draft": "1 Gparam", "b": "10 request", "g": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "Q_draft": "3 GB"}, "2 ms"),
)  # fmt: skip

formula(
    "t_round", r"t_{\mathrm{round}}", "s",
    section="step", switch="alpha",
    is_="t_step_eff",
    calibre="reachable",
    name=("time of one round of speculation", "一轮投机解码的时间"),
    reason=("one pass verifies n tokens of each request; drafts that are looked up take no time",
            "一次前向校验每个请求的 n 个 token；查表得到的草稿不计耗时"),
    sources=("leviathan2022", "chen2023"),
    example=({"F_step": "1120 GFLOP", "Q_step": "156 GB", "g": "4 device", "P_peak": "989.5 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "alpha": "0.5"}, "26 ms"),
)  # fmt: skip

formula(
    "t_round_draft", "t", "s",
    section="step", instead_of="t_round",
    is_="t_step_eff + k_draft / one_token * t_draft",
    calibre="reachable",
    name=("time of one round of speculation", "一轮投机解码的时间"),
    reason=("one pass verifies n tokens of each request, after the draft model made all but one of them one by one",
            "一次前向校验每个请求的 n 个 token；其中除一个外，都由草稿模型逐个生成"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_step_eff": "20 ms", "k_draft": "4 token/request", "t_draft": "2 ms"}, "28 ms"),
)  # fmt: skip

formula(
    "TPOT_spec", "t", "s*request/token",
    section="step", instead_of="TPOT",
    is_="t_round / n_gain",
    calibre="reachable",
    name=("time per output token", "每输出 token 时间（TPOT）"),
    reason=("with speculation: the time of a round over the tokens that it yields", "启用投机解码：一轮的时间除以该轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_round": "35 ms", "alpha": "0.5", "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_tp_spec", "t", "s*request/token",
    section="step", instead_of="TPOT_tp",
    is_="(max(F_step / (g * MFU * P_peak), (W_read + (Q_step - W_read) * g_tp / one_device) / (g * MBU * B_peak)) + t_round - t_step_eff) / n_gain",
    calibre="reachable",
    name=("time per output token under tensor parallelism", "张量并行下的每输出 token 时间"),
    reason=("with speculation; each device of a group reads the whole latent cache of the batch",
            "启用投机解码；组内每个设备都读整批的潜向量 KV cache"),
    sources=("leviathan2022", "sglang2024"),
    example=({"F_step": "1 TFLOP", "W_read": "40 GB", "Q_step": "50 GB", "g_tp": "2 device", "g": "2 device",
              "P_peak": "1000 TFLOP/s/device", "B_peak": "3 TB/s/device", "MFU": "0.5", "MBU": "0.5", "t_round": "20 ms",
              "t_step_eff": "20 ms", "alpha": "0", "k_draft": "4 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "X_spec", "x", "token/s",
    section="step", instead_of="X",
    is_="b * n_gain / t_round",
    calibre="reachable",
    name=("decode throughput of one replica", "单副本 decode 吞吐"),
    reason=("with speculation: the tokens that a round yields over its time, while the replica only decodes",
            "启用投机解码：一轮产出的 token 除以该轮时间（副本只做 decode 时）"),
    sources=("leviathan2022", "chen2023"),
    example=({"b": "8 request", "t_round": "35 ms", "alpha": "0.5", "k_draft": "2 token/request"}, "400 token/s"),
)  # fmt: skip

formula(
    "TPOT_floor_spec", "t", "s*request/token",
    section="floor", instead_of="TPOT_floor",
    is_="W_read / (g * B_peak) / n_gain",
    name=("TPOT floor", "TPOT 下限"),
    reason=("a round cannot end before the weights are read once; it yields n_gain tokens on average",
            "读完一遍权重之前，一轮不可能结束；一轮平均产出 n_gain 个 token"),
    reading=("A mean: a request whose drafts are all accepted is faster.", "这是均值：草稿全被接受的请求会更快。"),
    sources=("leviathan2022", "chen2023"),
    example=({"W_read": "105 GB", "g": "1 device", "B_peak": "3 TB/s/device", "alpha": "0.5",
              "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_floor_draft", "t", "s*request/token",
    section="floor", instead_of="TPOT_floor",
    is_="(W_read + k_draft / one_token * W_draft) / (g * B_peak) / n_gain",
    name=("TPOT floor", "TPOT 下限"),
    reason=("a round reads the weights once and those of the draft model once for each drafted token; it yields n_gain tokens on average",
            "一轮读一遍权重，每个草稿 token 再读一遍草稿模型的权重；一轮平均产出 n_gain 个 token"),
    reading=("A mean: a request whose drafts are all accepted is faster.", "这是均值：草稿全被接受的请求会更快。"),
    sources=("leviathan2022", "chen2023"),
    example=({"W_read": "101 GB", "W_draft": "2 GB", "g": "1 device", "B_peak": "3 TB/s/device", "alpha": "0.5",
              "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "bytes_per_token_spec", "q", "byte/token",
    section="bytes", instead_of="bytes_per_token",
    is_="Q_step / (b * n_gain)",
    name=("bytes moved per token", "每 token 搬运的字节数"),
    reason=("with speculation: the bytes of a round shared by the tokens it yields", "启用投机解码：一轮搬运的字节由该轮产出的 token 分摊"),
    sources=("leviathan2022", "chen2023"),
    example=({"Q_step": "140 GB", "b": "8 request", "alpha": "0.5", "k_draft": "2 token/request"}, "10 GB/token"),
)  # fmt: skip

formula(
    "bytes_per_token_draft", "q", "byte/token",
    section="bytes", instead_of="bytes_per_token",
    is_="(Q_step + k_draft / one_token * Q_draft) / (b * n_gain)",
    name=("bytes moved per token", "每 token 搬运的字节数"),
    reason=("with speculation: the bytes of a round, drafts included, shared by the tokens it yields",
            "启用投机解码：一轮搬运的字节（含起草）由该轮产出的 token 分摊"),
    sources=("leviathan2022", "chen2023"),
    example=({"Q_step": "136 GB", "Q_draft": "2 GB", "b": "8 request", "alpha": "0.5",
              "k_draft": "2 token/request"}, "10 GB/token"),
)  # fmt: skip

formula(
    "I_decode_spec", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode",
    is_="I_step",
    name=("arithmetic intensity of decode", "decode 阶段的算术强度"),
    reason=("with speculation: that of the pass that verifies n tokens of each request", "启用投机解码：即校验每个请求 n 个 token 的那次前向"),
    sources=("leviathan2022", "chen2023"),
    example=({"F_step": "1120 GFLOP", "Q_step": "140 GB"}, "8 FLOP/byte"),
)  # fmt: skip

formula(
    "Q_mean", r"\overline{Q}_{\mathrm{step}}", "byte",
    section="measured", switch="alpha",
    of="Q_step", at={"T": "T_mean"},
    name=("bytes of a verification pass at the mean context", "平均上下文下一次校验前向的字节数"),
    reason=("what a measured mean over the output is held against", "用于对照输出期间的实测均值"),
    sources=("leviathan2022", "chen2023"),
    example=({"W_read": "140 GB", "b": "1 request", "T_mean": "1000 token/request", "kappa": "1 MB/token",
              "alpha": "0.5"}, "141 GB"),
)  # fmt: skip

formula(
    "MBU_meas_spec", "m", "",
    section="measured", instead_of="MBU_meas",
    is_="Q_mean / (n_gain * TPOT_meas) / (g * B_peak)",
    name=("measured bandwidth utilization", "实测带宽利用率（MBU）"),
    reason=("bytes of a verification pass over the measured time of a round, drafts not counted, and the peak bandwidth",
            "一次校验前向的字节数（不计起草），除以实测的一轮时间与峰值带宽"),
    sources=("databricks2023", "leviathan2022"),
    example=({"Q_mean": "52.5 GB", "alpha": "0.5", "k_draft": "2 token/request", "TPOT_meas": "20 ms*request/token",
              "g": "1 device", "B_peak": "3 TB/s/device"}, "0.5"),
)  # fmt: skip
