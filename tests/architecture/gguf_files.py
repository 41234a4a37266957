"""GGUF headers as llama.cpp's converter writes them from a config, by the library `gguf`.

Only the header is written, never a weight: what a config says becomes keys, and every tensor of the
checkpoint is listed under its name in the file, with shape and type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter

Config = dict[str, Any]
Tensor = tuple[str, tuple[int, ...]]
F32, F16 = GGMLQuantizationType.F32, GGMLQuantizationType.F16
Types = Callable[[str, tuple[int, ...]], GGMLQuantizationType]
HERE = Path(__file__).parent
STRANGERS: dict[str, Any] = json.loads((HERE / "strangers.json").read_text("utf-8"))

ARCHITECTURES = {
    "llama": "llama", "mistral": "llama", "mixtral": "llama", "qwen2": "qwen2",
    "qwen2_moe": "qwen2moe", "qwen3": "qwen3", "qwen3_moe": "qwen3moe", "gemma": "gemma",
    "gemma2": "gemma2", "gemma3_text": "gemma3", "phi3": "phi3", "cohere": "command-r",
    "olmo2": "olmo2", "internlm2": "internlm2", "starcoder2": "starcoder2", "gpt_oss": "gpt-oss",
    "deepseek_v2": "deepseek2", "deepseek_v3": "deepseek2", "kimi_k2": "deepseek2",
    "granite": "granite", "cohere2": "cohere2", "smollm3": "smollm3",
    "glm4": "glm4", "seed_oss": "seed_oss", "olmoe": "olmoe",
}  # fmt: skip
ALWAYS_TIED = ("gemma", "gemma2", "gemma3", "command-r", "cohere2")
CONFIGS = (
    "meta-llama__Llama-2-70b-hf", "meta-llama__Llama-2-7b-hf", "meta-llama__Llama-3.2-1B",
    "meta-llama__Meta-Llama-3.1-70B", "meta-llama__Meta-Llama-3.1-8B",
    "mistralai__Mixtral-8x7B-v0.1", "Qwen__Qwen1.5-MoE-A2.7B-Chat", "Qwen__Qwen2.5-0.5B",
    "Qwen__Qwen2.5-7B", "Qwen__Qwen3-0.6B", "Qwen__Qwen3-30B-A3B", "Qwen__Qwen3-8B",
    "Qwen__Qwen3-Coder-480B-A35B-Instruct", "google__gemma-2-9b", "google__gemma-2b",
    "google__gemma-3-1b-it", "microsoft__Phi-3-mini-128k-instruct", "microsoft__phi-4",
    "CohereForAI__c4ai-command-r-v01", "internlm__internlm2-7b", "openai__gpt-oss-20b",
    "deepseek-ai__DeepSeek-V2-Lite", "deepseek-ai__DeepSeek-V3", "moonshotai__Kimi-K2-Instruct",
)  # fmt: skip
FURTHER = (
    "Llama-3.2-3B", "Llama-3.1-405B", "Yi-34B", "SmolLM2-1.7B", "Qwen2.5-1.5B", "Qwen3-14B",
    "Qwen3-235B-A22B", "Mistral-Nemo-12B", "Mixtral-8x22B", "gemma-2-27b", "Phi-3-medium-128k",
    "DeepSeek-V2", "OLMo-2-1124-7B", "OLMoE-1B-7B-0924", "gpt-oss-120b",
)  # fmt: skip


def config(name: str) -> Config:
    """A config of the project."""
    if name in STRANGERS:
        found: Config = STRANGERS[name]["config"]
        return found
    return json.loads((HERE / "configs" / f"{name}.json").read_text("utf-8"))


def first(c: Config, *names: str, default: Any = None) -> Any:
    """The first of some fields that the config has."""
    return next((c[n] for n in names if c.get(n) is not None), default)


def is_tied(c: Config) -> bool:
    """Whether the converter writes no output.weight."""
    return ARCHITECTURES[c["model_type"]] in ALWAYS_TIED or bool(c.get("tie_word_embeddings"))


def keys(c: Config) -> Iterator[tuple[str, Any]]:
    """Keys of the architecture, in the converter's order."""
    arch, heads = ARCHITECTURES[c["model_type"]], c["num_attention_heads"]
    experts = first(c, "num_experts", "num_local_experts", "n_routed_experts")
    yield "context_length", c["max_position_embeddings"]
    yield "embedding_length", c["hidden_size"]
    yield "block_count", c["num_hidden_layers"]
    yield "feed_forward_length", c["intermediate_size"]
    yield "attention.head_count", heads
    kv = 1 if arch == "deepseek2" else first(c, "num_key_value_heads", default=heads)
    yield "attention.head_count_kv", kv
    yield "attention.layer_norm_rms_epsilon", 1e-6
    yield "rope.freq_base", 10000.0
    if c.get("head_dim") and arch != "deepseek2":
        yield "attention.key_length", c["head_dim"]
        yield "attention.value_length", c["head_dim"]
    if experts:
        yield "expert_count", experts
        yield "expert_used_count", c["num_experts_per_tok"]
    width = c.get("moe_intermediate_size")
    if arch in ("qwen2moe", "qwen3moe", "deepseek2"):
        yield "expert_feed_forward_length", width
    if arch == "gpt-oss":
        yield "expert_feed_forward_length", c["intermediate_size"]
    if arch == "qwen2moe":
        yield "expert_shared_feed_forward_length", c["shared_expert_intermediate_size"]
    if arch in ("gemma2", "gemma3", "cohere2", "gpt-oss"):
        yield "attention.sliding_window", c["sliding_window"]
    if arch == "phi3":
        yield "attention.sliding_window", c.get("sliding_window") or 0
        yield "rope.dimension_count", c["hidden_size"] // heads
    if arch == "deepseek2":
        rope, rank = c["qk_rope_head_dim"], c["kv_lora_rank"]
        yield "leading_dense_block_count", c["first_k_dense_replace"]
        yield "vocab_size", c["vocab_size"]
        if c["q_lora_rank"]:
            yield "attention.q_lora_rank", c["q_lora_rank"]
        yield "attention.kv_lora_rank", rank
        yield "attention.key_length", rank + rope
        yield "attention.value_length", rank
        yield "attention.key_length_mla", c["qk_nope_head_dim"] + rope
        yield "attention.value_length_mla", c["v_head_dim"]
        yield "expert_shared_count", c["n_shared_experts"]
        yield "expert_weights_scale", 2.5
        yield "expert_weights_norm", True
        yield "rope.dimension_count", rope


def tensors(c: Config) -> Iterator[Tensor]:
    """Every tensor of the file; lengths from the outermost on, as numpy has them."""
    arch, d = ARCHITECTURES[c["model_type"]], c["hidden_size"]
    yield "token_embd.weight", (c["vocab_size"], d)
    yield "output_norm.weight", (d,)
    if arch == "starcoder2":
        yield "output_norm.bias", (d,)
    if not is_tied(c):
        yield "output.weight", (c["vocab_size"], d)
    if (first(c, "rope_scaling", default={}) or {}).get("rope_type") == "llama3":
        size = first(c, "head_dim", default=d // c["num_attention_heads"])
        yield "rope_freqs.weight", (size // 2,)
    if arch == "phi3" and c.get("rope_scaling"):
        for name in ("rope_factors_long", "rope_factors_short"):
            yield f"{name}.weight", (d // c["num_attention_heads"] // 2,)
    for i in range(c["num_hidden_layers"]):
        for name, shape in (*norms(arch, d), *attention(arch, c), *network(arch, c, i)):
            yield f"blk.{i}.{name}", shape


def norms(arch: str, d: int) -> Iterator[Tensor]:
    """Norms of a layer."""
    names = {
        "gemma2": "attn_norm post_attention_norm ffn_norm post_ffw_norm",
        "gemma3": "attn_norm post_attention_norm ffn_norm post_ffw_norm",
        "glm4": "attn_norm post_attention_norm ffn_norm post_ffw_norm",
        "seed_oss": "attn_norm post_attention_norm",
        "olmo2": "post_attention_norm post_ffw_norm",
        "gpt-oss": "attn_norm post_attention_norm",
        "command-r": "attn_norm", "cohere2": "attn_norm",
    }.get(arch, "attn_norm ffn_norm")  # fmt: skip
    for name in names.split():
        yield f"{name}.weight", (d,)
        if arch == "starcoder2":
            yield f"{name}.bias", (d,)


def attention(arch: str, c: Config) -> Iterator[Tensor]:
    """Projections of a layer, with biases and norms where the class has them."""
    d, heads = c["hidden_size"], c["num_attention_heads"]
    if arch == "deepseek2":
        yield from latent(c)
        return
    size = first(c, "head_dim", default=d // heads)
    q, kv = heads * size, first(c, "num_key_value_heads", default=heads) * size
    if arch == "phi3":
        yield "attn_qkv.weight", (q + 2 * kv, d)
        yield "attn_output.weight", (d, q)
        return
    whole = ("gpt-oss", "starcoder2")
    some = ("qwen2", "qwen2moe", "glm4", "seed_oss")
    biased = "qkvo" if arch in whole else "qkv" if arch in some else ""
    for letter, name, shape in (
        ("q", "attn_q", (q, d)), ("k", "attn_k", (kv, d)),
        ("v", "attn_v", (kv, d)), ("o", "attn_output", (d, q)),
    ):  # fmt: skip
        yield f"{name}.weight", shape
        if letter in biased:
            yield f"{name}.bias", shape[:1]
    if arch in ("qwen3", "qwen3moe", "gemma3"):
        yield from (("attn_q_norm.weight", (size,)), ("attn_k_norm.weight", (size,)))
    if arch in ("olmo2", "olmoe"):
        yield from (("attn_q_norm.weight", (q,)), ("attn_k_norm.weight", (kv,)))
    if arch == "gpt-oss":
        yield "attn_sinks.weight", (heads,)


def latent(c: Config) -> Iterator[Tensor]:
    """Latent attention; k_b and v_b stand apart, as newer files have them."""
    d, heads, rank = c["hidden_size"], c["num_attention_heads"], c["kv_lora_rank"]
    nope, rope, value = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
    if c["q_lora_rank"]:
        yield "attn_q_a.weight", (c["q_lora_rank"], d)
        yield "attn_q_a_norm.weight", (c["q_lora_rank"],)
        yield "attn_q_b.weight", (heads * (nope + rope), c["q_lora_rank"])
    else:
        yield "attn_q.weight", (heads * (nope + rope), d)
    yield "attn_kv_a_mqa.weight", (rank + rope, d)
    yield "attn_kv_a_norm.weight", (rank,)
    yield "attn_k_b.weight", (heads, rank, nope)
    yield "attn_v_b.weight", (heads, value, rank)
    yield "attn_output.weight", (d, heads * value)


def network(arch: str, c: Config, layer: int) -> Iterator[Tensor]:
    """The network of a layer: experts stand stacked in one tensor."""
    d, width = c["hidden_size"], c["intermediate_size"]
    count = first(c, "num_experts", "num_local_experts", "n_routed_experts")
    if not count or (arch == "deepseek2" and layer < c["first_k_dense_replace"]):
        up = 2 * width if arch in ("phi3", "glm4") else width
        if arch not in ("phi3", "glm4", "starcoder2"):
            yield "ffn_gate.weight", (width, d)
        yield "ffn_up.weight", (up, d)
        yield "ffn_down.weight", (d, width)
        if arch == "starcoder2":
            yield from (("ffn_up.bias", (width,)), ("ffn_down.bias", (d,)))
        return
    inner = first(c, "moe_intermediate_size", default=width)
    yield "ffn_gate_inp.weight", (count, d)
    for name, shape in (("gate", (inner, d)), ("up", (inner, d)), ("down", (d, inner))):
        yield f"ffn_{name}_exps.weight", (count, *shape)
        if arch == "gpt-oss":
            yield f"ffn_{name}_exps.bias", (count, shape[0])
    if arch == "gpt-oss":
        yield "ffn_gate_inp.bias", (count,)
    if c["model_type"] in ("deepseek_v3", "kimi_k2"):
        yield "exp_probs_b.bias", (count,)
    shared = c.get("shared_expert_intermediate_size") or inner * c.get("n_shared_experts", 0)
    if shared:
        yield from (("ffn_gate_shexp.weight", (shared, d)), ("ffn_up_shexp.weight", (shared, d)))
        yield "ffn_down_shexp.weight", (d, shared)
    if arch == "qwen2moe":
        yield "ffn_gate_inp_shexp.weight", (1, d)


def half(name: str, shape: tuple[int, ...]) -> GGMLQuantizationType:
    """Sixteen bits for matrices, as `--outtype f16` gives."""
    return F16 if len(shape) > 1 else F32


def sixteen(name: str, shape: tuple[int, ...]) -> GGMLQuantizationType:
    """Sixteen bits everywhere: what 2 bytes a parameter means."""
    return GGMLQuantizationType.BF16


def start(path: Path, arch: str, **options: Any) -> GGUFWriter:
    """A writer of headers."""
    return GGUFWriter(path, arch, **options)


def add_key(writer: GGUFWriter, key: str, value: Any) -> None:
    """A key of the type that the converter gives it."""
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)


def add_tensor(
    writer: GGUFWriter, name: str, shape: tuple[int, ...], kind: GGMLQuantizationType
) -> int:
    """A tensor without its data; its bytes, by the library's table."""
    block, size = GGML_QUANT_SIZES[kind]
    count = int(np.prod(shape, dtype=object))
    writer.add_tensor_info(name, list(shape), np.dtype(np.float16), count // block * size,
                           raw_dtype=kind)  # fmt: skip
    return count // block * size


def finish(writer: GGUFWriter) -> None:
    """Write what stands before the weights."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()


def write(
    path: Path, c: Config, types: Types = half, changes: dict[str, Any] | None = None,
    further: tuple[Tensor, ...] = (), without: tuple[str, ...] = (), **options: Any,
) -> int:  # fmt: skip
    """Write the header of a model; the bytes of its tensors. A changed key of None is left out."""
    arch = ARCHITECTURES[c["model_type"]]
    writer = start(path, arch, **options)
    said = {f"{arch}.{k}": v for k, v in keys(c)} | (changes or {})
    add_key(writer, "general.type", "model")
    for key, value in said.items():
        if value is not None:
            add_key(writer, key, value)
    listed = [t for t in (*tensors(c), *further) if t[0] not in without]
    total = sum(add_tensor(writer, name, shape, types(name, shape)) for name, shape in listed)
    finish(writer)
    return total
