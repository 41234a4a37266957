"""Layers that keep a constant state: read in every step at any context, and written back."""

import derive.formulas.batching
import derive.formulas.structure  # noqa: F401
from derive.formula import formula

formula(
    "T_wall_state",
    "T",
    "token/request",
    section="wall",
    instead_of="T_wall",
    solve=("I_decode_inf", "I_ridge", "T"),
    closed="F_tok * n / (kappa * I_ridge)",
    exists=(
        "I_ridge * S_kv < F_tok * n",
        (
            "a request's constant state alone takes longer to read than its operations: past the wall "
            "at any context",
            "单个请求的常量状态本身就比其运算耗时更久：任何上下文长度都已越过 KV 墙",
        ),
    ),
    name=("context of the KV wall", "KV 墙对应的上下文长度"),
    reason=(
        "past it the KV traffic of a request alone takes longer than its operations; attention "
        "operations left out",
        "超过它，单个请求的 KV 搬运就已比其运算更久；未计注意力运算",
    ),
    sources=("mindgap2025", "jax-book"),
    example=(
        {
            "F_tok": "140 GFLOP/token",
            "kappa": "2097152 byte/token",
            "I_ridge": "295.373134328358 FLOP/byte",
            "S_kv": "0 byte/request",
        },
        "226.010 token/request",
    ),
)

formula(
    "I_decode_1_state", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode_1",
    is_="F_tok * one_request * one_token / (W_read + one_request * S_kv)",
    name=("arithmetic intensity of decode, one request, no context", "单请求、无上下文时 decode 的算术强度"),
    reason=("the lower end: one token pays for all the weights and for the constant state of its request",
            "下限：一个 token 独自承担全部权重与该请求常量状态的搬运"),
    sources=("kipply2022",),
    example=({"F_tok": "140 GFLOP/token", "W_read": "139 GB", "S_kv": "1 GB/request"}, "1 FLOP/byte"),
)  # fmt: skip

formula(
    "I_decode_1_state_experts", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode_1",
    is_="F_tok * one_request * one_token / (N_fix * w_fix + N_exp * w_exp * k_exp / E + one_request * S_kv)",
    name=("arithmetic intensity of decode, one request, no context", "单请求、无上下文时 decode 的算术强度"),
    reason=("the lower end: one token pays for the weights that it uses and for the constant state of its request",
            "下限：一个 token 独自承担其所用权重与该请求常量状态的搬运"),
    sources=("kipply2022", "pope2022"),
    example=({"F_tok": "28 GFLOP/token", "N_fix": "4 Gparam", "w_fix": "2 byte/param", "N_exp": "40 Gparam",
              "w_exp": "1 byte/param", "k_exp": "2", "E": "16", "S_kv": "1 GB/request"}, "2 FLOP/byte"),
)  # fmt: skip

formula(
    "I_decode_1_state_two", "i", "FLOP/byte",
    section="intensity", instead_of="I_decode_1",
    is_="F_tok * one_request * one_token / (N_fix * w_fix + ((N_exp - N_exp2) * k_exp / E + N_exp2 * k_exp2 / E2) "
        "* w_exp + one_request * S_kv)",
    name=("arithmetic intensity of decode, one request, no context", "单请求、无上下文时 decode 的算术强度"),
    reason=("the lower end: one token pays for the weights that it uses and for the constant state of its request",
            "下限：一个 token 独自承担其所用权重与该请求常量状态的搬运"),
    sources=("kipply2022", "pope2022"),
    example=({"F_tok": "45 GFLOP/token", "N_fix": "2 Gparam", "w_fix": "2 byte/param", "N_exp": "50 Gparam",
              "N_exp2": "10 Gparam", "w_exp": "1 byte/param", "k_exp": "2", "E": "8", "k_exp2": "3", "E2": "4",
              "S_kv": "1 GB/request"}, "2 FLOP/byte"),
)  # fmt: skip

formula(
    "share_state", r"\sigma_{\mathrm{state}}", "",
    section="second",
    is_="b * S_kv / Q_step",
    name=("writing the constant states back over the bytes of a step", "写回常量状态的字节与一步搬运字节之比"),
    reason=("every step reads the whole state of a request and writes it anew; of a KV cache it writes one token only",
            "每一步都读出并重写一个请求的整个状态；KV cache 只写入一个 token"),
    sources=("mamba2023",),
    example=({"b": "8 request", "S_kv": "200 MB/request", "Q_step": "16 GB"}, "0.1"),
)  # fmt: skip
