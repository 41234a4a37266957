"""Mixers with a constant state: Mamba 1 and 2, gated delta-net, short convolution, RG-LRU."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derive.architecture.layers.attention import Mixer
from derive.architecture.parts import Cache, Tensors, linear, norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config

CONV2 = "d_inner + 2 * n_g * d_state"


@dataclass(frozen=True)
class Fields2:
    """Names of the fields of a Mamba-2 mixer."""

    heads: str = "mamba_n_heads"
    head_dim: str = "mamba_d_head"
    state: str = "mamba_d_state"
    groups: str = "mamba_n_groups"
    conv: str = "mamba_d_conv"


def depthwise(module: str, width: str, *, bias: bool, kind: str = "ssm") -> Tensors:
    """A convolution of its own for every channel."""
    made = vector(module, kind, width, "d_conv")
    return made + vector(module, kind, width, leaf="bias") if bias else made


def half_step(width: str) -> str:
    """What a convolution keeps: its width less the current token."""
    return f"({width}) * (d_conv - 1)" if " + " in width else f"{width} * (d_conv - 1)"


def read_mamba2(c: Config, fields: Fields2 | None = None, inner: int | None = None) -> None:
    """Heads, head size, state, groups; `inner` is the width that they must multiply to."""
    f = fields or Fields2()
    heads = c.size("H_m", f.heads)
    if c.value(f.head_dim) == "auto":
        if inner is None or inner % heads:
            c.reject(
                f.heads, tr("{name} does not divide the inner width", name=f.heads), code="M107"
            )
        c.sheet.let("d_hm", inner // heads, f"inner width / {c.origin(f.heads)}")
    else:
        c.size("d_hm", f.head_dim)
    product = heads * c.sheet["d_hm"]
    if inner is not None and product != inner:
        what = tr("{heads} heads of {size} do not make the inner width {inner}", heads=heads,
                  size=c.sheet["d_hm"], inner=inner)  # fmt: skip
        c.reject(f.heads, what, code="M107")
    c.sheet.let("d_inner", product, f"{c.origin(f.heads)} * {c.sheet.values['d_hm'].source}")
    c.size("d_state", f.state)
    c.size("n_g", f.groups)
    c.size("d_conv", f.conv)


def mamba2(
    at: str,
    *,
    bias: bool = False,
    out_bias: bool | None = None,
    conv_bias: bool = True,
    gated_norm: bool = True,
) -> Mixer:
    """One projection in, a convolution, a scan with a matrix per head, one projection out."""
    last = bias if out_bias is None else out_bias
    tensors = (
        *linear(f"{at}in_proj", "d_model", "2 * d_inner + 2 * n_g * d_state + H_m", "ssm",
                bias=bias),
        *depthwise(f"{at}conv1d", CONV2, bias=conv_bias),
        *vector(at.rstrip("."), "ssm", "3 * H_m", leaf="A_log, D, dt_bias"),
        *(norm(f"{at}norm", "d_inner") if gated_norm else ()),
        *linear(f"{at}out_proj", "d_inner", "d_model", "ssm", bias=last),
    )  # fmt: skip
    cache = Cache("mamba2", state="H_m * d_hm * d_state", conv=half_step(CONV2),
                  conv_library=f"({CONV2}) * d_conv")  # fmt: skip
    return Mixer(tensors, cache)


def mamba1(
    at: str, *, bias: bool = False, conv_bias: bool = True, inner_norms: bool = False
) -> Mixer:
    """Selective scan: one state per channel; Jamba normalises its three inputs."""
    norms = (
        *norm(f"{at}dt_layernorm", "r_dt"),
        *norm(f"{at}b_layernorm", "d_state"),
        *norm(f"{at}c_layernorm", "d_state"),
    )
    tensors = (
        *linear(f"{at}in_proj", "d_model", "2 * d_inner", "ssm", bias=bias),
        *depthwise(f"{at}conv1d", "d_inner", bias=conv_bias),
        *linear(f"{at}x_proj", "d_inner", "r_dt + 2 * d_state", "ssm"),
        *linear(f"{at}dt_proj", "r_dt", "d_inner", "ssm", bias=True),
        *vector(at.rstrip("."), "ssm", "d_inner", "d_state", leaf="A_log"),
        *vector(at.rstrip("."), "ssm", "d_inner", leaf="D"),
        *(norms if inner_norms else ()),
        *linear(f"{at}out_proj", "d_inner", "d_model", "ssm", bias=bias),
    )
    cache = Cache("mamba1", state="d_inner * d_state", conv=half_step("d_inner"),
                  conv_library="d_inner * d_conv")  # fmt: skip
    return Mixer(tensors, cache)


def read_delta(c: Config) -> None:
    """Heads and head sizes of a gated delta-net."""
    for symbol, name in (
        ("H_lk", "linear_num_key_heads"), ("H_lv", "linear_num_value_heads"),
        ("d_lk", "linear_key_head_dim"), ("d_lv", "linear_value_head_dim"),
        ("d_conv", "linear_conv_kernel_dim"),
    ):  # fmt: skip
        c.size(symbol, name)
    if c.sheet["H_lv"] % c.sheet["H_lk"]:
        what = tr("{queries} query heads are no multiple of {heads} key-value heads",
                  queries=c.sheet["H_lv"], heads=c.sheet["H_lk"])  # fmt: skip
        c.reject("linear_num_key_heads", what, code="M107")


def delta_net(at: str, *, fused: bool) -> Mixer:
    """A matrix per value head, rewritten by every token; `fused` is how the inputs are stored."""
    keys, values = "H_lk * d_lk", "H_lv * d_lv"
    conv = f"2 * {keys} + {values}"
    if fused:
        into = (
            *linear(f"{at}in_proj_qkvz", "d_model", f"2 * {keys} + 2 * {values}", "ssm"),
            *linear(f"{at}in_proj_ba", "d_model", "2 * H_lv", "ssm"),
        )
    else:
        into = (
            *linear(f"{at}in_proj_qkv", "d_model", conv, "ssm"),
            *linear(f"{at}in_proj_z", "d_model", values, "ssm"),
            *linear(f"{at}in_proj_b", "d_model", "H_lv", "ssm"),
            *linear(f"{at}in_proj_a", "d_model", "H_lv", "ssm"),
        )
    tensors = (
        *into,
        *depthwise(f"{at}conv1d", conv, bias=False),
        *vector(at.rstrip("."), "ssm", "2 * H_lv", leaf="A_log, dt_bias"),
        *norm(f"{at}norm", "d_lv"),
        *linear(f"{at}out_proj", values, "d_model", "ssm"),
    )
    cache = Cache("gated-deltanet", state="H_lv * d_lk * d_lv", conv=half_step(conv),
                  conv_library=f"({conv}) * d_conv")  # fmt: skip
    return Mixer(tensors, cache)


def short_conv(at: str, *, bias: bool = False) -> Mixer:
    """A gated convolution over a few tokens."""
    tensors = (
        *linear(f"{at}in_proj", "d_model", "3 * d_model", "ssm", bias=bias),
        *depthwise(f"{at}conv", "d_model", bias=bias),
        *linear(f"{at}out_proj", "d_model", "d_model", "ssm", bias=bias),
    )
    cache = Cache("short-conv", conv=half_step("d_model"), conv_library="d_model * d_conv")
    return Mixer(tensors, cache)


def rg_lru(at: str) -> Mixer:
    """Two branches, a convolution, a recurrence with block-diagonal gates."""
    gates = (
        *linear(f"{at}rg_lru.input_gate", "d_lru", "d_lru / H_q", "ssm", plain=False),
        *vector(f"{at}rg_lru.input_gate", "ssm", "d_lru", leaf="bias"),
        *linear(f"{at}rg_lru.recurrent_gate", "d_lru", "d_lru / H_q", "ssm", plain=False),
        *vector(f"{at}rg_lru.recurrent_gate", "ssm", "d_lru", leaf="bias"),
        *vector(f"{at}rg_lru", "ssm", "d_lru", leaf="recurrent_param"),
    )
    tensors = (
        *linear(f"{at}linear_y", "d_model", "d_lru", "ssm", bias=True),
        *linear(f"{at}linear_x", "d_model", "d_lru", "ssm", bias=True),
        *depthwise(f"{at}conv_1d", "d_lru", bias=True),
        *gates,
        *linear(f"{at}linear_out", "d_lru", "d_model", "ssm", bias=True),
    )
    conv = half_step("d_lru")
    return Mixer(tensors, Cache("rg-lru", state="d_lru", conv=conv, conv_library=conv))


def side_by_side(attention: Mixer, scan: Mixer) -> Mixer:
    """Attention and a scan in one layer, on the same input."""
    a, s = attention.cache, scan.cache
    both = replace(a, kind=f"{a.kind}||{s.kind}", state=s.state, conv=s.conv,
                   conv_library=s.conv_library)  # fmt: skip
    return Mixer((*attention.tensors, *scan.tensors), both)
