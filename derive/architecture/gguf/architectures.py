"""Which key of which GGUF architecture is which field of which family: declarations only.

A key stands without the name of its architecture. What a key says nothing about, llama.cpp's code
says (a pattern of windows), or the tensors do (a bias, a head of its own).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Fields = Mapping[str, str]

BASIC: Fields = {
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "attention.head_count": "num_attention_heads",
    "context_length": "max_position_embeddings",
}
DENSE: Fields = {**BASIC, "feed_forward_length": "intermediate_size"}
EXPERTS: Fields = {
    **BASIC,
    "expert_count": "num_experts",
    "expert_used_count": "num_experts_per_tok",
    "expert_feed_forward_length": "moe_intermediate_size",
}
WINDOW: Fields = {"attention.sliding_window": "sliding_window"}
LATENT: Fields = {
    **EXPERTS,
    "feed_forward_length": "intermediate_size",
    "attention.kv_lora_rank": "kv_lora_rank",
    "expert_shared_count": "n_shared_experts",
    "leading_dense_block_count": "first_k_dense_replace",
}


@dataclass(frozen=True)
class Architecture:
    """One `general.architecture`: the family it is, and where each field of that comes from.

    `optional` keys may be absent: None is set. `says` is what the code of llama.cpp fixes;
    `tensors` are fields that are yes where a tensor of layer 0 is in the file. `head_size` is
    "" where the family divides the hidden size by the heads.
    """

    family: str
    keys: Fields
    optional: Fields = field(default_factory=dict)
    says: Mapping[str, object] = field(default_factory=dict)
    tensors: Fields = field(default_factory=dict)
    head_size: str = "head_dim"
    latent: bool = False
    unused: tuple[str, ...] = ()  # keys written, and of no use here


BIAS: Fields = {"attention_bias": "attn_q.bias"}
MLP_BIAS: Fields = {"mlp_bias": "ffn_down.bias"}
WITHOUT_DENSE = ("feed_forward_length",)
ALL = {"decoder_sparse_step": 1, "mlp_only_layers": None}

ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": Architecture("llama", DENSE, tensors={**BIAS, **MLP_BIAS}),
    "llama+experts": Architecture(
        "mixtral",
        {**DENSE, "expert_count": "num_experts", "expert_used_count": "num_experts_per_tok"},
        says={"sliding_window": None},
    ),
    "qwen2": Architecture("qwen2", DENSE, head_size="", says={"use_sliding_window": False}),
    "qwen2moe": Architecture(
        "qwen2_moe",
        {**EXPERTS, "expert_shared_feed_forward_length": "shared_expert_intermediate_size"},
        says={**ALL, "use_sliding_window": False},
        tensors={"qkv_bias": "attn_q.bias"},
        head_size="",
        unused=WITHOUT_DENSE,
    ),
    "qwen3": Architecture("qwen3", DENSE, tensors=BIAS, says={"use_sliding_window": False}),
    "qwen3moe": Architecture(
        "qwen3_moe",
        EXPERTS,
        says={**ALL, "use_sliding_window": False},
        tensors=BIAS,
        unused=WITHOUT_DENSE,
    ),
    "gemma": Architecture("gemma", DENSE, tensors=BIAS),
    "gemma2": Architecture(
        "gemma2", {**DENSE, **WINDOW}, tensors=BIAS, says={"layer_types": (1, 1)}
    ),
    "gemma3": Architecture(
        "gemma3_text",
        {**DENSE, **WINDOW},
        says={"layer_types": (5, 1), "sliding_window_pattern": 6},
        tensors=BIAS,
    ),
    "phi3": Architecture("phi3", DENSE, optional=WINDOW, head_size=""),
    "command-r": Architecture(
        "cohere",
        DENSE,
        tensors={**BIAS, "use_qk_norm": "attn_q_norm.weight"},
        head_size="",
    ),
    "cohere2": Architecture(
        "cohere2",
        {**DENSE, **WINDOW},
        says={"layer_types": (3, 1), "sliding_window_pattern": 4},
        tensors=BIAS,
    ),
    "olmo2": Architecture("olmo2", DENSE, tensors=BIAS, head_size=""),
    "granite": Architecture("granite", DENSE, tensors={**BIAS, **MLP_BIAS}, head_size=""),
    "internlm2": Architecture("internlm2", DENSE),
    "starcoder2": Architecture(
        "starcoder2", DENSE, tensors={"use_bias": "attn_q.bias"}, says={"sliding_window": None},
        head_size="",
    ),
    "smollm3": Architecture(
        "smollm3", DENSE, tensors={**BIAS, **MLP_BIAS}, head_size=""
    ),
    "glm4": Architecture("glm4", DENSE, tensors=BIAS),
    "seed_oss": Architecture(
        "seed_oss",
        DENSE,
        tensors={**BIAS, **MLP_BIAS, "attention_out_bias": "attn_output.bias"},
    ),
    "olmoe": Architecture(
        "olmoe",
        {**DENSE, "expert_count": "num_experts", "expert_used_count": "num_experts_per_tok"},
        tensors=BIAS,
        head_size="",
    ),
    "gpt-oss": Architecture(
        "gpt_oss",
        {
            **BASIC, **WINDOW,
            "expert_count": "num_experts",
            "expert_used_count": "num_experts_per_tok",
            "expert_feed_forward_length": "intermediate_size",
        },
        says={"layer_types": (1, 1)},
        tensors=BIAS,
        unused=WITHOUT_DENSE,
    ),
    "deepseek2": Architecture(
        "deepseek_v2",
        LATENT,
        optional={"attention.q_lora_rank": "q_lora_rank"},
        says={"num_nextn_predict_layers": None},
        head_size="",
        latent=True,
    ),
    "deepseek2+correction": Architecture(
        "deepseek_v3",
        LATENT,
        optional={"attention.q_lora_rank": "q_lora_rank"},
        says={"num_nextn_predict_layers": None},
        head_size="",
        latent=True,
    ),
}  # fmt: skip

# keys of an architecture that carry no weight and no cache
_NO_WEIGHT = """rope.dimension_count rope.dimension_count_swa rope.dimension_sections rope.freq_base
    rope.freq_base_swa rope.scaling.type rope.scaling.factor rope.scaling.attn_factor
    rope.scaling.original_context_length rope.scaling.finetuned rope.scaling.yarn_log_multiplier
    rope.scaling.yarn_ext_factor rope.scaling.yarn_attn_factor rope.scaling.yarn_beta_fast
    rope.scaling.yarn_beta_slow rope.scale_linear
    attention.layer_norm_epsilon attention.layer_norm_rms_epsilon attention.scale
    attention.output_scale attention.clamp_kqv attention.temperature_length
    attention.temperature_scale attn_logit_softcapping final_logit_softcapping
    router_logit_softcapping logit_scale residual_scale embedding_scale tensor_data_layout
    expert_weights_scale expert_weights_norm expert_gating_func expert_group_count
    expert_group_used_count expert_group_scale vocab_size
    pooling_type"""
NO_WEIGHT = frozenset(_NO_WEIGHT.split())
# keys understood only at these values
ONLY: Mapping[str, tuple[object, ...]] = {
    "attention.causal": (True,),
    "use_parallel_residual": (False,),
    "nextn_predict_layers": (0,),
    "expert_count": (0,),
    "expert_used_count": (0,),
    "attention.sliding_window": (0,),
    "attention.max_alibi_bias": (0, 0.0),
}
