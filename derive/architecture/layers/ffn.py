"""Feed-forward networks: gated and plain, and mixtures of experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.parts import Tensor, Tensors, linear, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config

GATED = ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
EXPERTS = ("mlp.experts.{e}.gate_proj", "mlp.experts.{e}.up_proj", "mlp.experts.{e}.down_proj")
SHARED = ("mlp.shared_experts.gate_proj", "mlp.shared_experts.up_proj",
          "mlp.shared_experts.down_proj")  # fmt: skip


def gated(
    width: str = "d_ff",
    *,
    kind: str = "mlp",
    names: tuple[str, ...] = GATED,
    bias: bool = False,
    hidden: str = "d_model",
    copies: str = "",
    used: str = "",
) -> Tensors:
    """Gate, up and down: three matrices; two names mean gate and up are stored as one."""
    *into, out = names
    outputs = [width, width] if len(into) == 2 else [f"2 * {width}"]
    tensors: Tensors = ()
    for module, output in zip(into, outputs, strict=True):
        tensors += linear(module, hidden, output, kind, bias=bias, copies=copies, used=used)
    return tensors + linear(out, width, hidden, kind, bias=bias, copies=copies, used=used)


def plain(
    width: str = "d_ff",
    *,
    kind: str = "mlp",
    names: tuple[str, str] = ("mlp.up_proj", "mlp.down_proj"),
    bias: bool = False,
    hidden: str = "d_model",
    copies: str = "",
    used: str = "",
) -> Tensors:
    """Up and down: two matrices, no gate."""
    up = linear(names[0], hidden, width, kind, bias=bias, copies=copies, used=used)
    return up + linear(names[1], width, hidden, kind, bias=bias, copies=copies, used=used)


def experts(
    width: str = "d_e",
    *,
    names: tuple[str, ...] = EXPERTS,
    bias: bool = False,
    gate: bool = True,
    hidden: str = "d_model",
) -> Tensors:
    """E routed experts of which k work on a token."""
    if gate:
        return gated(width, kind="routed_expert", names=names, bias=bias, hidden=hidden,
                     copies="E", used="k")  # fmt: skip
    up, down = names
    return plain(width, kind="routed_expert", names=(up, down), bias=bias, hidden=hidden,
                 copies="E", used="k")  # fmt: skip


def router(module: str = "mlp.gate", *, bias: bool = False, hidden: str = "d_model") -> Tensors:
    """The matrix that scores the experts."""
    return linear(module, hidden, "E", "router", bias=bias, plain=False)


def correction(module: str = "mlp.gate.e_score_correction_bias") -> Tensors:
    """The correction bias of the router: a buffer of the class, a tensor of the checkpoint."""
    return (Tensor(module, "correction", ("E",), leaf=""),)


def shared_gate(module: str = "mlp.shared_expert_gate") -> Tensors:
    """The vector that weighs the shared expert; the truth files it under the router."""
    return linear(module, "d_model", "1", "router", plain=False)


def scale(module: str, kind: str, *dims: str) -> Tensors:
    """A learned scale that is no normalisation."""
    return vector(module, kind, *dims)


def read_experts(c: Config, width: str = "moe_intermediate_size", *, low: int = 1) -> None:
    """E, k and the width of an expert."""
    count = c.size("E", "num_experts", low)
    top = c.size("k", "num_experts_per_tok", low)
    if top > count:
        what = tr("{top} experts per token of {count} experts", top=top, count=count)
        c.reject("num_experts_per_tok", what, code="M107")
    if width:
        c.size("d_e", width)
