"""Measured against the bound: MBU, MFU and the articles' ratio."""

import derive.formulas.latency  # noqa: F401
from derive.formula import formula

formula(
    "MBU_meas",
    r"\mathrm{MBU}_{\mathrm{meas}}",
    "",
    section="measured",
    is_="(W_read + b * T_mean * kappa) / (n * TPOT_meas) / (g * B_peak)",
    name=("measured bandwidth utilization", "实测带宽利用率（MBU）"),
    reason=(
        "bytes of a step at the mean context over the measured time and the peak bandwidth",
        "按平均上下文计的一步字节数，除以实测时间与峰值带宽",
    ),
    sources=("databricks2023",),
    example=(
        {
            "W_read": "14 GB",
            "b": "1 request",
            "T_mean": "1 token/request",
            "kappa": "0 byte/token",
            "n": "1 token/request",
            "TPOT_meas": "14 ms*request/token",
            "g": "1 device",
            "B_peak": "2 TB/s/device",
        },
        "0.5",
    ),
)

formula(
    "MFU_meas",
    r"\mathrm{MFU}_{\mathrm{meas}}",
    "",
    section="measured",
    is_="X_meas * F_tok / (g * P_peak)",
    name=("measured FLOPs utilization of decode", "实测 decode 算力利用率（MFU）"),
    reason=(
        "operations the model needs for the measured output over peak compute; decode alone",
        "实测输出所需的模型运算除以峰值算力；仅计 decode",
    ),
    sources=("palm2022",),
    example=(
        {
            "X_meas": "1000 token/s",
            "F_tok": "140 GFLOP/token",
            "g": "1 device",
            "P_peak": "1000 TFLOP/s/device",
        },
        "0.14",
    ),
)

formula(
    "MFU_prefill_meas",
    r"\mathrm{MFU}_{\mathrm{prefill}}",
    "",
    section="measured",
    is_="F_tok * one_request * T_in / TTFT_meas / (g * P_peak)",
    name=("measured FLOPs utilization of prefill", "实测 prefill 算力利用率"),
    reason=(
        "operations of the prompt over the measured TTFT and peak compute",
        "输入的运算量除以实测 TTFT 与峰值算力",
    ),
    sources=("palm2022", "databricks2023"),
    example=(
        {
            "F_tok": "13298573312 FLOP/token",
            "T_in": "512 token/request",
            "TTFT_meas": "46 ms",
            "g": "1 device",
            "P_peak": "312 TFLOP/s/device",
        },
        "0.4744",
    ),
)

formula(
    "utilisation",
    r"\eta",
    "",
    section="measured",
    is_="TPOT_floor / TPOT_meas",
    name=("TPOT floor over measured TPOT", "TPOT 下限与实测 TPOT 之比"),
    reason=(
        "weights only: a perfect server with a large KV cache scores below 1",
        "只计权重：KV cache 很大时，完美的服务也低于 1",
    ),
    sources=("databricks2023",),
    example=(
        {"TPOT_floor": "41.7910 ms*request/token", "TPOT_meas": "60 ms*request/token"},
        "0.6965",
    ),
)

formula(
    "MFU_training",
    r"\mathrm{MFU}_{\mathrm{train}}",
    "",
    section="measured",
    is_="(c_op + c_bwd) * N_act * X_meas / (g * P_peak)",
    name=("measured FLOPs utilization of training", "实测训练算力利用率"),
    reason=(
        "forward and backward operations over peak compute; attention operations left out",
        "前向与反向运算除以峰值算力；未计注意力运算",
    ),
    sources=("palm2022", "kaplan2020"),
    example=(
        {
            "N_act": "540.35 Gparam",
            "X_meas": "238300 token/s",
            "g": "6144 device",
            "P_peak": "275 TFLOP/s/device",
        },
        "0.4573",
    ),
)
