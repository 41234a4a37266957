"""Speculative decoding in the second-order terms, and the devices that its TPOT target needs."""

from derive.formula import formula

formula(
    "t_draft_peak", r"t_{\mathrm{drf}}^{\mathrm{peak}}", "s",
    section="second",
    is_="max(c_op * N_draft * b * one_token / (g * P_peak), Q_draft / (g * B_peak))",
    name=("time to draft one token of each request at peak rates", "峰值速率下为每个请求起草一个 token 的时间"),
    reason=("a decode step of the draft model, split over the devices of the replica; no launches, no collectives",
            "草稿模型的一个 decode 步，切分到副本的全部设备；不计内核启动与集合通信"),
    sources=("leviathan2022", "chen2023"),
    example=({"N_draft": "1 Gparam", "b": "10 request", "g": "1 device", "P_peak": "1000 TFLOP/s/device",
              "B_peak": "3 TB/s/device", "Q_draft": "3 GB"}, "1 ms"),
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
    is_="(max(t_ops, (PP * W_stream_dev + KV_dev + Q_more_dev) / B_peak) + t_over + k_draft / one_token * t_draft_peak) / n_gain",
    name=("TPOT of the second order at peak, overheads counted", "峰值速率下的二阶 TPOT（计入开销）"),
    reason=("with speculation: verification, and the drafts before it, over the tokens of a round",
            "启用投机解码：起草与校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "1 TB/s/device", "Q_more_dev": "0 byte/device", "t_over": "7 ms",
              "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device", "PP": "1", "alpha": "0.5",
              "k_draft": "2 token/request", "t_draft_peak": "3.5 ms"}, "28 ms*request/token"),
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
    is_="(max(t_ops / MFU, (PP * W_stream_dev + KV_dev + Q_more_dev) / (MBU * B_peak)) + t_over + k_draft / one_token * t_draft) / n_gain",
    calibre="reachable",
    name=("expected TPOT, second order at reachable rates", "预期 TPOT（二阶，可达速率）"),
    reason=("with speculation: verification, and the drafts before it, over the tokens of a round",
            "启用投机解码：起草与校验的时间除以一轮产出的 token 数"),
    sources=("leviathan2022", "chen2023"),
    example=({"t_ops": "1 ms", "B_peak": "2 TB/s/device", "MFU": "0.5", "MBU": "0.5", "Q_more_dev": "0 byte/device",
              "t_over": "7 ms", "W_stream_dev": "35 GB/device", "KV_dev": "0 byte/device", "PP": "1", "alpha": "0.5",
              "k_draft": "2 token/request", "t_draft": "3.5 ms"}, "28 ms*request/token"),
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
