"""Batch sizes and contexts at which the regime changes; all found by algebra."""

import derive.formulas.forward_pass
import derive.formulas.latency
import derive.formulas.second_order  # noqa: F401
from derive.formula import formula

formula(
    "b_crit",
    r"b_{\mathrm{crit}}",
    "request",
    section="batch",
    solve=("I_decode", "I_ridge", "b"),
    at={"T": "0"},
    held=("kappa",),
    closed="I_ridge * W_read / (F_tok * n)",
    dense=True,
    name=("critical batch without context", "临界批大小（不计上下文）"),
    reason=(
        "decode reaches the ridge when its intensity equals it; limit of a vanishing context",
        "decode 的算术强度等于脊点时到达脊点；上下文趋于零的极限",
    ),
    reading=(
        "Independent of the model's size: only the ridge and the bytes per parameter are left. An upper "
        "limit, never a goal.",
        "与模型规模无关：只剩脊点与每参数字节数。它是上限，不是目标。",
    ),
    sources=("kipply2022", "jax-book"),
    example=(
        {"I_ridge": "153 FLOP/byte", "W_read": "140 GB", "F_tok": "140 GFLOP/token"},
        "153 request",
    ),
)

formula(
    "b_crit_state",
    "b",
    "request",
    section="batch",
    instead_of="b_crit",
    solve=("F_step / (W_read + b * S_kv)", "I_ridge", "b"),
    closed="I_ridge * W_read / (F_tok * n - I_ridge * S_kv)",
    exists=(
        "I_ridge * S_kv < F_tok * n",
        (
            "a request's constant state alone takes longer to read than its operations: no batch reaches the ridge",
            "单个请求的常量状态本身就比其运算耗时更久：任何批大小都到不了脊点",
        ),
    ),
    name=("critical batch without context", "临界批大小（不计上下文）"),
    reason=(
        "decode reaches the ridge when its intensity equals it; limit of a vanishing context, where "
        "the constant state of each request is still read",
        "decode 的算术强度等于脊点时到达脊点；上下文趋于零的极限，但每个请求的常量状态仍须读取",
    ),
    reading=(
        "An upper limit, never a goal; the state of each request moves it up.",
        "它是上限，不是目标；每个请求的常量状态使其变大。",
    ),
    sources=("kipply2022", "jax-book"),
    example=(
        {
            "I_ridge": "150 FLOP/byte",
            "W_read": "140 GB",
            "F_tok": "140 GFLOP/token",
            "S_kv": "200 MB/request",
        },
        "190.909090909 request",
    ),
)

formula(
    "T_wall",
    r"T_{\mathrm{wall}}",
    "token/request",
    section="wall",
    solve=("I_decode_inf", "I_ridge", "T"),
    closed="F_tok * n / (kappa * I_ridge)",
    name=("context of the KV wall", "KV 墙对应的上下文长度"),
    reason=(
        "past it the KV traffic of a request alone takes longer than its operations; attention "
        "operations left out",
        "超过它，单个请求的 KV 搬运就已比其运算更久；未计注意力运算",
    ),
    reading=(
        "Longer contexts stay memory-bound at every batch.",
        "更长的上下文在任何批大小下都受带宽限制。",
    ),
    sources=("mindgap2025", "jax-book"),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "kappa": "2097152 byte/token",
            "I_ridge": "295.373134328358 FLOP/byte",
        },
        "226.010 token/request",
    ),
)

formula(
    "b_crit_T",
    r"b_{\mathrm{crit}}(T)",
    "request",
    section="batch",
    solve=("I_decode", "I_ridge", "b"),
    closed="I_ridge * W_read / (F_tok * n - I_ridge * kappa * T)",
    exists=(
        "I_ridge < I_decode_inf",  # T < T_wall, where there is a T_wall at all
        ("past the KV wall no batch reaches the ridge", "越过 KV 墙后，任何批大小都到不了脊点"),
    ),
    otherwise=(
        "I_ridge < I_wall_att",
        (
            "past the KV wall of the first order; with attention operations counted a batch still "
            "reaches the ridge: b_crit_att",
            "已越过一阶的 KV 墙；但计入注意力运算后仍有批大小可到达脊点，见 b_crit_att",
        ),
    ),
    name=("critical batch at context T", "上下文为 T 时的临界批大小"),
    reason=("the same equation with the KV cache counted", "同一方程，计入 KV cache"),
    reading=(
        "Counting the KV cache moves the critical batch up, past T_wall it is gone.",
        "计入 KV cache 后临界批大小变大；超过 T_wall 便不存在。",
    ),
    sources=("mindgap2025", "jax-book"),
    example=(
        {
            "I_ridge": "300 FLOP/byte",
            "W_read": "140 GB",
            "F_tok": "140 GFLOP/token",
            "kappa": "100 kB/token",
            "T": "1000 token/request",
        },
        "381.818181818 request",
    ),
)

formula(
    "b_crit_att",
    r"b_{\mathrm{crit}}^{\mathrm{att}}(T)",
    "request",
    section="batch",
    solve=("(F_step + F_att * b * n) / Q_step", "I_ridge", "b"),
    closed="I_ridge * W_read / ((F_tok + F_att) * n - I_ridge * kappa * T)",
    exists=(
        "I_ridge < I_wall_att",
        (
            "with attention operations counted on top of F_tok no batch reaches the ridge either",
            "在 F_tok 之上计入注意力运算后，同样没有批大小能到达脊点",
        ),
    ),
    name=(
        "critical batch at context T, attention operations counted",
        "上下文为 T 时的临界批大小（计入注意力运算）",
    ),
    reason=(
        "the same equation with the operations on the KV cache",
        "同一方程，计入对 KV cache 的运算",
    ),
    reading=(
        "F_tok also counts tables that are only looked up: where these weigh, b_crit_mat decides.",
        "F_tok 还计入了只查表的参数：这部分占比大时，以 b_crit_mat 为准。",
    ),
    sources=("jax-book",),
    example=(
        {
            "I_ridge": "300 FLOP/byte",
            "W_read": "140 GB",
            "F_tok": "140 GFLOP/token",
            "F_att": "10 GFLOP/token",
            "kappa": "100 kB/token",
            "T": "1000 token/request",
        },
        "350 request",
    ),
)

formula(
    "T_cross",
    r"T_{\mathrm{cross}}",
    "token/request",
    section="kv",
    solve=("b * T * kappa", "W_read", "T"),
    closed="W_read / (b * kappa)",
    name=("context at which KV bytes equal weight bytes", "KV 字节数追平权重字节数的上下文长度"),
    reason=("beyond it a step moves more KV than weights", "超过它，一步搬运的 KV 多于权重"),
    reading=("Beyond it, shrink the KV cache before anything else.", "超过它，应先治理 KV cache。"),
    sources=("jax-book",),
    example=(
        {"W_read": "140 GB", "b": "1 request", "kappa": "2097152 byte/token"},
        "66757.2 token/request",
    ),
)

formula(
    "b_slo",
    r"b_{\mathrm{SLO}}",
    "request",
    section="batch",
    largest=("TPOT", "target_TPOT", "b"),
    calibre="reachable",
    name=("largest batch that meets the TPOT target", "满足 TPOT 目标的最大批大小"),
    reason=(
        "TPOT grows with the batch on either side of the ridge; the largest whole batch at or below "
        "the target; not capped by memory",
        "在脊点两侧 TPOT 都随批大小增长；取不超过目标的最大整数；未受显存上限约束",
    ),
    sources=("databricks2023",),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "W_read": "140 GB",
            "g": "4 device",
            "MFU": "0.5",
            "MBU": "0.6",
            "P_peak": "989.5 TFLOP/s/device",
            "B_peak": "3.35 TB/s/device",
            "kappa": "327680 byte/token",
            "T": "2304 token/request",
            "target_TPOT": "25 ms*request/token",
        },
        "80 request",
    ),
)
