"""Speculative decoding in the second-order terms, and the devices that its TPOT target needs."""

import derive.formulas.with_speculation_copies  # noqa: F401
from derive.formula import formula

formula(
    "N_mat_draft", r"N_{\mathrm{mm},\mathrm{drf}}", "param",
    section="second",
    is_="N_draft - N_emb_draft",
    name=("parameters of the draft model that are read for every token", "草稿模型每个 token 都要读取的参数量"),
    reason=("all but its input table, which is looked up", "除只查表的输入嵌入表外的全部参数"),
    sources=("kaplan2020", "leviathan2022"),
    example=({"N_draft": "1.1 Gparam", "N_emb_draft": "0.1 Gparam"}, "1 Gparam"),
)  # fmt: skip

formula(
    "Q_stream_draft", r"Q_{\mathrm{str},\mathrm{drf}}", "byte",
    section="second",
    is_="Q_draft - N_emb_draft * w_draft",
    name=("bytes that one pass of the draft model streams", "草稿模型一次前向流式读取的字节数"),
    reason=("its weights but the input table, and its own KV cache", "除输入嵌入表外的权重，以及其自身的 KV cache"),
    sources=("jax-book", "leviathan2022"),
    example=({"Q_draft": "3.2 GB", "N_emb_draft": "0.1 Gparam", "w_draft": "2 byte/param"}, "3 GB"),
)  # fmt: skip

formula(
    "t_draft_peak", r"t_{\mathrm{drf}}^{\mathrm{peak}}", "s",
    section="second",
    is_="max(c_op * N_mat_draft * b * one_token / (g * P_peak), Q_stream_draft / (g * B_peak))",
    name=("time to draft one token of each request at peak rates", "峰值速率下为每个请求起草一个 token 的时间"),
    reason=("a decode step of the draft model, split over the devices of the replica, without its input table, which is looked "
            "up; no launches, no collectives",
            "草稿模型的一个 decode 步，切分到副本的全部设备，不含只查表的输入嵌入表；不计 kernel 启动与集合通信"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_mat_draft": "1 Gparam", "b": "10 request", "g": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "Q_stream_draft": "3 GB"}, "1 ms"),
)  # fmt: skip

formula(
    "t_draft_exp", r"t_{\mathrm{drf}}^{\mathrm{exp}}", "s",
    section="second",
    is_="max(c_op * N_mat_draft * b * one_token / (g * MFU * P_peak), Q_stream_draft / (g * MBU * B_peak))",
    calibre="reachable",
    name=("time to draft one token of each request at reachable rates, second order", "可达速率下为每个请求起草一个 token 的时间（二阶）"),
    reason=("the same at the share of each peak that is reachable", "同上，各按峰值中可达的比例"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_mat_draft": "1 Gparam", "b": "10 request", "g": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "Q_stream_draft": "3 GB", "MFU": "0.5", "MBU": "0.5"}, "2 ms"),
)  # fmt: skip

formula(
    "t_draft_over", r"t_{\mathrm{over},\mathrm{drf}}", "s",
    section="second",
    is_="L_draft * t_launch",
    name=("time of a drafting step in which no bytes stream", "起草一步中不搬运显存数据的时间"),
    reason=("the kernels of every layer of the draft model start and drain", "草稿模型每层 kernel 的启动与收尾"),
    sources=("nv-cuda-graphs", "hazy2025"),
    example=({"L_draft": "32", "t_launch": "5 µs"}, "160 µs"),
)  # fmt: skip

formula(
    "t_draft_over_group", "t", "s",
    section="second", instead_of="t_draft_over",
    is_="L_draft * t_launch "
        "+ c_ring * L_draft * (TP * PP - one_device) / (TP * PP) * ceil(b / DP) * one_token * d_draft * w_act / (B_link * one_device)",
    name=("time of a drafting step in which no bytes stream", "起草一步中不搬运显存数据的时间"),
    reason=("the kernels of every layer of the draft model start and drain, and its all-reduces, two a layer over the devices "
            "of a group, do not overlap",
            "草稿模型每层 kernel 的启动与收尾，以及每层在组内各设备间做的两次不重叠的 all-reduce"),
    sources=("nv-cuda-graphs", "hazy2025", "pope2022"),
    example=({"L_draft": "32", "t_launch": "5 µs", "g": "4 device", "PP": "1", "DP": "1", "b": "8 request",
              "d_draft": "4096 element/token", "w_act": "2 byte/element", "B_link": "450 GB/s/device"},
             "173.98101333 µs"),
)  # fmt: skip

formula(
    "t_draft_over_waits", "t", "s",
    section="second", instead_of="t_draft_over",
    is_="L_draft * t_launch "
        "+ c_ring * L_draft * (TP * PP - one_device) / (TP * PP) * ceil(b / DP) * one_token * d_draft * w_act / (B_link * one_device) "
        "+ c_ar * L_draft * min(1, TP * PP / one_device - 1) * t_hop",
    name=("time of a drafting step in which no bytes stream", "起草一步中不搬运显存数据的时间"),
    reason=("the kernels of every layer of the draft model start and drain, and its all-reduces, two a layer over the devices "
            "of a group, do not overlap, each with its fixed latency",
            "草稿模型每层 kernel 的启动与收尾，以及每层在组内各设备间做的两次不重叠的 all-reduce 及其固定时延"),
    sources=("nv-cuda-graphs", "hazy2025", "pope2022"),
    example=({"L_draft": "32", "t_launch": "5 µs", "t_hop": "10 µs", "g": "4 device", "PP": "1", "DP": "1",
              "b": "8 request", "d_draft": "4096 element/token", "w_act": "2 byte/element",
              "B_link": "450 GB/s/device"}, "813.98101333 µs"),
)  # fmt: skip

formula(
    "b_max_dev_draft", "b", "request",
    section="parallel", instead_of="b_max_dev",
    is_="max(0, DP * floor((M_frac * M_dev - M_other - W_dev - W_draft / (TP * PP)) / (T * (kappa_dev + kappa_draft_dev))))",
    name=("requests that fit by what each device holds", "按单设备存放量计可容纳的请求数"),
    reason=("whole requests of each group, each with its full context in both caches; the devices of a group share the weights "
            "of the draft model evenly",
            "每组只计整数个请求，每个在两份 KV cache 中都带完整上下文；草稿模型的权重由组内设备均分"),
    sources=("vllm2023", "leviathan2022"),
    example=({"DP": "2", "PP": "1", "g": "4 device", "M_frac": "0.9", "M_dev": "80 GB/device", "M_other": "0 byte/device",
              "W_dev": "35 GB/device", "W_draft": "2 GB", "T": "2000 token/request", "kappa_dev": "0.9 MB/token/device",
              "kappa_draft": "0.2 MB/token"}, "36 request"),
)  # fmt: skip

formula(
    "TPOT_ideal_spec", "t", "s*request/token",
    section="second", instead_of="TPOT_ideal",
    is_="max(t_ops, (PP * W_stream_dev + KV_dev) / B_peak) / n_gain",
    name=("ideal TPOT, second order at peak", "理想 TPOT（二阶，峰值速率）"),
    reason=("with speculation: verification over the tokens of a round", "启用投机解码：校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "1 TB/s/device", "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device",
              "PP": "1", "alpha": "0.5", "k_draft": "2 token/request"}, "20 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_ideal_draft", "t", "s*request/token",
    section="second", instead_of="TPOT_ideal",
    is_="(max(t_ops, (PP * W_stream_dev + KV_dev) / B_peak) + k_draft / one_token * t_draft_peak) / n_gain",
    name=("ideal TPOT, second order at peak", "理想 TPOT（二阶，峰值速率）"),
    reason=("with speculation: verification, and the drafts before it, over the tokens of a round",
            "启用投机解码：起草与校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "1 TB/s/device", "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device",
              "PP": "1", "alpha": "0.5", "k_draft": "2 token/request", "t_draft_peak": "3.5 ms"}, "24 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_second_spec", "t", "s*request/token",
    section="second", instead_of="TPOT_second",
    is_="(max(t_ops, (PP * W_stream_dev + KV_dev + Q_more_dev) / B_peak) + t_over) / n_gain",
    name=("TPOT of the second order at peak, overheads counted", "峰值速率下的二阶 TPOT（计入开销）"),
    reason=("with speculation: verification over the tokens of a round", "启用投机解码：校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "1 TB/s/device", "Q_more_dev": "0 byte/device", "t_over": "7 ms",
              "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device", "PP": "1", "alpha": "0.5",
              "k_draft": "2 token/request"}, "24 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_second_draft", "t", "s*request/token",
    section="second", instead_of="TPOT_second",
    is_="(max(t_ops, (PP * W_stream_dev + KV_dev + Q_more_dev) / B_peak) + t_over + k_draft / one_token * (t_draft_peak + t_draft_over)) / n_gain",
    name=("TPOT of the second order at peak, overheads counted", "峰值速率下的二阶 TPOT（计入开销）"),
    reason=("with speculation: verification, and the drafts before it with their launches and collectives, over the tokens of a round",
            "启用投机解码：起草（含其 kernel 启动与集合通信）与校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "1 TB/s/device", "Q_more_dev": "0 byte/device", "t_over": "7 ms",
              "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device", "PP": "1", "alpha": "0.5",
              "k_draft": "2 token/request", "t_draft_peak": "3 ms", "t_draft_over": "0.5 ms"}, "28 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_exp_spec", "t", "s*request/token",
    section="second", instead_of="TPOT_exp",
    is_="(max(t_ops / MFU, (PP * W_stream_dev + KV_dev + Q_more_dev) / (MBU * B_peak)) + t_over) / n_gain",
    calibre="reachable",
    name=("expected TPOT, second order at reachable rates", "预期 TPOT（二阶，可达速率）"),
    reason=("with speculation: verification over the tokens of a round", "启用投机解码：校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5", "Q_more_dev": "0 byte/device",
              "t_over": "7 ms", "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device", "PP": "1", "alpha": "0.5",
              "k_draft": "2 token/request"}, "24 ms*request/token"),
)  # fmt: skip

formula(
    "TPOT_exp_draft", "t", "s*request/token",
    section="second", instead_of="TPOT_exp",
    is_="(max(t_ops / MFU, (PP * W_stream_dev + KV_dev + Q_more_dev) / (MBU * B_peak)) + t_over + k_draft / one_token * (t_draft_exp + t_draft_over)) / n_gain",
    calibre="reachable",
    name=("expected TPOT, second order at reachable rates", "预期 TPOT（二阶，可达速率）"),
    reason=("with speculation: verification, and the drafts before it with their launches and collectives, over the tokens of a round",
            "启用投机解码：起草（含其 kernel 启动与集合通信）与校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5", "Q_more_dev": "0 byte/device",
              "t_over": "7 ms", "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device", "PP": "1", "alpha": "0.5",
              "k_draft": "2 token/request", "t_draft_exp": "3 ms", "t_draft_over": "0.5 ms"}, "28 ms*request/token"),
)  # fmt: skip

formula(
    "share_launch_spec", "s", "",
    section="second", instead_of="share_launch",
    is_="L * t_launch / (TPOT_ideal * n_gain)",
    name=("kernel-launch floor over the ideal step", "kernel 启动下限与理想步时间之比"),
    reason=("the kernels of every layer start and drain once a round, which yields n_gain tokens", "每轮中每层 kernel 各启动与收尾一次，一轮产出 n_gain 个 token"),
    sources=("nv-cuda-graphs", "leviathan2022"),
    example=({"L": "80", "t_launch": "5 µs", "TPOT_ideal": "8 ms*request/token", "alpha": "0.5",
              "k_draft": "2 token/request"}, "0.028571429"),
)  # fmt: skip

formula(
    "g_tpot_draft", "g", "device",
    section="targets", instead_of="g_tpot",
    is_="ceil(g * TPOT / target_TPOT)",
    needed=True,
    calibre="reachable",
    name=("devices that meet the TPOT target", "满足 TPOT 目标所需的设备数"),
    reason=("drafts and verification both shrink with the devices of a replica at first order; collectives are not counted",
            "一阶下起草与校验的时间都随副本的设备数缩短；未计集合通信"),
    sources=("pope2022", "leviathan2022"),
    example=({"g": "4 device", "TPOT": "30 ms*request/token", "target_TPOT": "25 ms*request/token"}, "5 device"),
)  # fmt: skip
