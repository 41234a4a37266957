"""DeepSeek's layers under other names: DeepSeekMoE, Mistral 4, Sarvam, A.X K1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import V3, stack
from derive.architecture.family import Family

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming


def deepseek(c: Config) -> Model:
    """DeepSeekMoE 16B: the experts of V2 with plain attention."""
    c.only("use_mla", False)
    c.data = {**c.data, "use_mla": False}
    return stack(c, bias=False)


def mistral4(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """Mistral Small 4: no correction bias on the router."""
    return stack(c, bias=False, naming=naming, tied=tied)


def sarvam(c: Config) -> Model:
    """Sarvam 105B: DeepSeek-V3; the release gives the size of the latent as that of a head."""
    c.only("q_head_dim", None, c.integer("qk_nope_head_dim") + c.integer("qk_rope_head_dim"))
    if "n_shared_experts" not in c.data and "num_shared_experts" in c.data:
        c.data = {**c.data, "n_shared_experts": c.data["num_shared_experts"]}
    c.only("num_shared_experts", c.data.get("n_shared_experts"))
    return stack(c, bias=True)


def axk1(c: Config) -> Model:
    """A.X K1: a norm behind the experts."""
    return stack(c, bias=True, after="mlp.post_mlp_layernorm")


MISTRAL4: dict[str, object] = {
    **V3,
    "q_lora_rank": 1024,
    "kv_lora_rank": 256,
    "qk_nope_head_dim": 64,
    "first_k_dense_replace": 0,
    "max_position_embeddings": 1048576,
}

FAMILIES = (
    Family(
        ("deepseek",),
        ("DeepseekForCausalLM",),
        "deepseek-ai/deepseek-moe-16b-base, configuration_deepseek.py",
        deepseek,
        {
            "num_key_value_heads": None,
            "n_shared_experts": None,
            "first_k_dense_replace": 0,
            "attention_bias": False,
            "num_nextn_predict_layers": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 2048,
        },
    ),
    Family(
        ("mistral4",),
        ("Mistral4ForCausalLM",),
        "transformers 5.24.0, Mistral4Config",
        mistral4,
        MISTRAL4,
    ),
    Family(
        ("sarvam_mla", "sarvam_mla_moe"),
        ("SarvamMLAForCausalLM",),
        "transformers 5.24.0, SarvamMLAConfig",
        sarvam,
        {**V3, "q_lora_rank": None, "first_k_dense_replace": 1},
    ),
    Family(
        ("axk1", "AXK1"),
        ("AXK1ForCausalLM",),
        "transformers 5.24.0, AXK1Config",
        axk1,
        {**V3, "first_k_dense_replace": 1, "max_position_embeddings": 32768},
    ),
)
