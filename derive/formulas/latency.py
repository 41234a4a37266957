"""Times: the step, TTFT, TPOT, the bound on a single request, end to end."""

import derive.formulas.forward_pass  # noqa: F401
from derive.formula import formula

formula(
    "t_step",
    r"t_{\mathrm{step}}",
    "s",
    section="step",
    is_="max(F_step / (g * P_peak), Q_step / (g * B_peak))",
    name=("time of one decode step at peak rates", "峰值速率下一个 decode 步的时间"),
    reason=(
        "operations and data movement overlap; the slower one sets the time",
        "运算与搬运相互重叠，由较慢者决定时间",
    ),
    sources=("williams2009", "kipply2022"),
    example=(
        {
            "F_step": "1120 GFLOP",
            "Q_step": "156 GB",
            "g": "4 device",
            "P_peak": "989.5 TFLOP/s/device",
            "B_peak": "3 TB/s/device",
        },
        "13 ms",
    ),
)

formula(
    "t_step_eff",
    r"t_{\mathrm{step}}^{\mathrm{eff}}",
    "s",
    section="step",
    is_="max(F_step / (g * MFU * P_peak), Q_step / (g * MBU * B_peak))",
    calibre="reachable",
    name=("time of one decode step at reachable rates", "可达速率下一个 decode 步的时间"),
    reason=(
        "the same two times at the share of each peak that is reachable",
        "同样两个时间，各按峰值中可达的比例计算",
    ),
    sources=("databricks2023",),
    example=(
        {
            "F_step": "1120 GFLOP",
            "Q_step": "156 GB",
            "g": "4 device",
            "P_peak": "989.5 TFLOP/s/device",
            "B_peak": "3 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.5",
        },
        "26 ms",
    ),
)

formula(
    "t_prefill",
    r"t_{\mathrm{prefill}}",
    "s",
    section="ttft",
    is_="max(F_tok * one_request * T_in / (g * P_peak), W_read / (g * B_peak))",
    name=("time to prefill one prompt at peak rates", "峰值速率下单个请求的 prefill 时间"),
    reason=(
        "one prompt alone: its operations, or one reading of the weights if that takes longer",
        "单个请求：取其运算时间与读一遍权重的时间中较长者",
    ),
    sources=("kipply2022",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "T_in": "2000 token/request",
            "g": "1 device",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
        },
        "280 ms",
    ),
)

formula(
    "TTFT",
    r"\mathrm{TTFT}",
    "s",
    section="ttft",
    is_="max(F_tok * one_request * T_in / (g * MFU * P_peak), W_read / (g * MBU * B_peak))",
    calibre="reachable",
    name=("time to first token", "首 token 延迟（TTFT）"),
    reason=(
        "one prompt on an idle replica: no queue, no batching",
        "空闲副本上的单个请求：不排队、不拼批",
    ),
    valid=(
        (
            "F_tok * one_request * T_in / (MFU * P_peak) >= W_read / (MBU * B_peak)",
            ("the prompt is long enough to be compute-bound", "输入足够长，prefill 处于算力侧"),
        ),
    ),
    sources=("databricks2023", "pope2022"),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "T_in": "2000 token/request",
            "g": "1 device",
            "W_read": "140 GB",
            "P_peak": "1000 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
            "MFU": "0.5",
            "MBU": "0.6",
        },
        "560 ms",
    ),
)

formula(
    "TPOT",
    r"\mathrm{TPOT}",
    "s*request/token",
    section="step",
    is_="t_step_eff / n",
    calibre="reachable",
    name=("time per output token", "每输出 token 时间（TPOT）"),
    reason=("each request gets n tokens a step", "每个请求每步得到 n 个 token"),
    sources=("databricks2023",),
    example=({"t_step_eff": "20 ms", "n": "1 token/request"}, "20 ms*request/token"),
)

formula(
    "TPOT_floor",
    r"\mathrm{TPOT}_{\mathrm{floor}}",
    "s*request/token",
    section="floor",
    is_="W_read / (g * B_peak) / n",
    name=("TPOT floor", "TPOT 下限"),
    reason=(
        "a step cannot end before the weights are read once",
        "读完一遍权重之前，一步不可能结束",
    ),
    reading=(
        "First order: no software goes below it while all of W_read is read in each step; tables that are only looked up "
        "are not: the floor by bytes really streamed is W_stream over the same bandwidth.",
        "一阶下限：只要每步都读完 W_read，任何软件都快不过它；但只查表的部分并不读取：按实际流式读取字节数的下限是 W_stream 除以同样的带宽。",
    ),
    sources=("kipply2022", "databricks2023"),
    example=(
        {"W_read": "140 GB", "g": "1 device", "B_peak": "3.35 TB/s/device", "n": "1 token/request"},
        "41.7910 ms*request/token",
    ),
)

formula(
    "R_max",
    r"R_{\max}",
    "token/s/request",
    section="floor",
    is_="1 / TPOT_floor",
    name=("largest rate of one request", "单请求最高生成速率"),
    reason=("the reciprocal of the TPOT floor", "TPOT 下限的倒数"),
    sources=("kipply2022",),
    example=({"TPOT_floor": "40 ms*request/token"}, "25 token/s/request"),
)

formula(
    "X",
    "X",
    "token/s",
    section="step",
    is_="b * n / t_step_eff",
    calibre="reachable",
    name=("decode throughput of one replica", "单副本 decode 吞吐"),
    reason=(
        "the tokens of a step over its time, while the replica only decodes",
        "一步产出的 token 除以该步时间（副本只做 decode 时）",
    ),
    sources=("databricks2023",),
    example=({"b": "8 request", "n": "1 token/request", "t_step_eff": "20 ms"}, "400 token/s"),
)

formula(
    "E2E",
    r"\mathrm{E2E}",
    "s",
    section="step",
    is_="TTFT + (T_out - one_token) * TPOT",
    calibre="reachable",
    name=("time of a whole request", "整个请求的时间"),
    reason=(
        "the first token comes from prefill, the others from decode; every step counted at T, the last: "
        "an upper estimate of the ideal, not a bound",
        "首个 token 来自 prefill，其余来自 decode；每步都按最后一步的 T 计：是理想值的偏高估计，不是界",
    ),
    sources=("databricks2023",),
    example=(
        {"TTFT": "100 ms", "T_out": "11 token/request", "TPOT": "20 ms*request/token"},
        "300 ms",
    ),
)

formula(
    "T_mean",
    r"\overline{T}",
    "token/request",
    section="measured",
    is_="T_in + T_out / 2",
    name=("mean context while decoding", "decode 期间的平均上下文长度"),
    reason=(
        "the KV length grows evenly from T_in to T_in + T_out",
        "KV 长度从 T_in 均匀增长到 T_in + T_out",
    ),
    reading=(
        "Every comparison with a measured mean uses it, never T.",
        "与实测均值比较时一律用它，而不用 T。",
    ),
    sources=("jax-book",),
    example=({"T_in": "2048 token/request", "T_out": "256 token/request"}, "2176 token/request"),
)
