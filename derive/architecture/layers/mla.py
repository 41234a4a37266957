"""Latent attention: one compressed vector per token serves as keys and values of all heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.layers.attention import Mixer
from derive.architecture.parts import Cache, Tensors, linear, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config

AT = "self_attn."


def read_latent(c: Config, *, split_value: bool = False) -> None:
    """Ranks and head sizes; num_key_value_heads says nothing here.

    With `split_value` a missing size of value heads is hidden_size / heads.
    """
    c.size("H_q", "num_attention_heads")
    c.pass_by(tr("latent attention has no key-value heads"), c.spelled("num_key_value_heads"))
    rank = c.maybe("q_lora_rank")
    if rank is not None:
        c.sheet.let("r_q", rank, c.origin("q_lora_rank"))
    c.size("r_kv", "kv_lora_rank")
    c.size("d_nope", "qk_nope_head_dim")
    c.size("d_rope", "qk_rope_head_dim")
    if split_value and c.maybe("v_head_dim") is None:
        source = f"{c.origin('hidden_size')} / {c.origin('num_attention_heads')}"
        c.sheet.let("d_v", c.integer("hidden_size") // c.sheet["H_q"], source)
    else:
        c.size("d_v", "v_head_dim")
    whole = c.sheet["d_nope"] + c.sheet["d_rope"]
    c.only("qk_head_dim", None, whole)
    # what the class sets it to, what older files carry, and what a latent has no use for
    c.pass_by(tr("latent attention has its own head sizes"), "head_dim")


def latent(
    c: Config, *, bias: bool = False, indexer: bool = False, index: bool = True, at: str = AT
) -> Mixer:
    """Projections through the ranks; with an indexer, small heads that choose topk tokens.

    Without `index` a layer of an indexed model reuses the choice of an earlier one.
    """
    queries = "H_q * (d_nope + d_rope)"
    if "r_q" in c.sheet:
        tensors = (
            *linear(f"{at}q_a_proj", "d_model", "r_q", "attention", bias=bias),
            *norm(f"{at}q_a_layernorm", "r_q"),
            *linear(f"{at}q_b_proj", "r_q", queries, "attention"),
        )
    else:
        tensors = linear(f"{at}q_proj", "d_model", queries, "attention")
    tensors += (
        *linear(f"{at}kv_a_proj_with_mqa", "d_model", "r_kv + d_rope", "attention", bias=bias),
        *norm(f"{at}kv_a_layernorm", "r_kv"),
        *linear(f"{at}kv_b_proj", "r_kv", "H_q * (d_nope + d_v)", "attention"),
        *linear(f"{at}o_proj", "H_q * d_v", "d_model", "attention", bias=bias),
    )
    own = indexer and index
    tensors += index_heads(at) if own else ()
    shown = (("q_heads", "H_q"), ("kv_lora_rank", "r_kv"), ("qk_rope_head_dim", "d_rope"))
    cache = Cache(
        "mla+indexer" if own else "mla",
        "r_kv + d_rope",
        flops="2 * H_q * (d_nope + d_rope + d_v)",
        absorbed="2 * H_q * (2 * r_kv + d_rope)",
        index="d_i" if own else "0",
        scores="2 * H_i * d_i" if own else "0",
        topk="k_i" if indexer else "",
        shown=(*shown, ("idx", "d_i")) if own else shown,
    )
    return Mixer(tensors, cache)


def read_indexer(c: Config, *, ranked: bool = True) -> None:
    """Heads of the indexer, and how many tokens it chooses.

    Where it is `ranked` its queries come from the rank of those of attention, which must be there.
    """
    if ranked:
        c.integer("q_lora_rank")
    c.size("H_i", "index_n_heads")
    c.size("d_i", "index_head_dim")
    c.size("k_i", "index_topk")
    c.note(tr("attention reads the {count} tokens that the indexer chose at most; the attention "
              "FLOPs that derive model states are those of dense attention, without the indexer's "
              "scores",
              count=c.sheet["k_i"]))  # fmt: skip


def index_heads(at: str) -> Tensors:
    """Queries from the rank of q, one key per token, one weight per head."""
    return (
        *linear(f"{at}indexer.wq_b", "r_q", "H_i * d_i", "indexer"),
        *linear(f"{at}indexer.wk", "d_model", "d_i", "indexer"),
        *norm(f"{at}indexer.k_norm", "d_i", bias=True),
        *linear(f"{at}indexer.weights_proj", "d_model", "H_i", "indexer", plain=False),
    )
