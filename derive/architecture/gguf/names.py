"""Tensors of a GGUF file by what they are, as the counts of a config are kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from derive.architecture.quantization.stored import Stored
from derive.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from derive.architecture.gguf.header import Info

# module of the file, without its layer -> kind; gguf-py/gguf/constants.py names them
_KINDS = {
    "embedding": "token_embd",
    "lm_head": "output",
    "norm": """output_norm attn_norm ffn_norm post_attention_norm post_ffw_norm attn_q_norm
        attn_k_norm attn_q_a_norm attn_kv_a_norm""",
    "attention": """attn_q attn_k attn_v attn_qkv attn_output attn_q_a attn_q_b attn_kv_a_mqa
        attn_kv_b attn_k_b attn_v_b attn_sinks""",
    "mlp": "ffn_gate ffn_up ffn_down",
    "routed_expert": "ffn_gate_exps ffn_up_exps ffn_down_exps ffn_gate_up_exps",
    "shared_expert": "ffn_gate_shexp ffn_up_shexp ffn_down_shexp",
    "router": "ffn_gate_inp ffn_gate_inp_shexp",
    "correction": "exp_probs_b",
    "rotation": "rope_freqs rope_factors_long rope_factors_short attn_rot_embd",
}
KINDS = {name: kind for kind, text in _KINDS.items() for name in text.split()}
LAYER = re.compile(r"blk\.(\d+)\.")
ONE_EXPERT = re.compile(r"(ffn_(?:gate|up|down))\.\d+")  # files before experts were stacked
OTHER = "other"
BESIDE = {  # in the file, but no parameter of the model
    "rotation": Text("frequencies of the rotary position encoding", "旋转位置编码的频率表"),
    "scale": Text("scales of quantized matrices", "量化矩阵的缩放因子"),
}


def kind_of(name: str) -> str:
    """The kind of a tensor; OTHER where its name is not known."""
    stem, _, leaf = LAYER.sub("", name, count=1).rpartition(".")
    if leaf in ("scale", "input_scale"):
        return "scale"
    stem = ONE_EXPERT.sub(r"\1_exps", stem)
    return KINDS.get(stem, OTHER) if leaf in ("weight", "bias") else OTHER


def elements(infos: Iterable[Info]) -> dict[str, int]:
    """How many numbers the file holds of each kind."""
    found: dict[str, int] = {}
    for one in infos:
        kind = kind_of(one.name)
        found[kind] = found.get(kind, 0) + one.elements
    return found


def stored(infos: Iterable[Info]) -> Stored:
    """The bytes of the file by kind and by format, exactly as the header states them."""
    made = Stored()
    for one in infos:
        made.add(kind_of(one.name), one.kind.format, one.elements, one.bytes)
    return made
