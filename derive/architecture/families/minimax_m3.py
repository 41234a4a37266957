"""MiniMax-M3: experts beside a shared one, an indexer that chooses blocks of tokens, a tower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import FULL, decoder_layer, note_rule, read_layers
from derive.architecture.layers.encoders import MLP, NAMES, NORMS, read_sizes
from derive.architecture.layers.ffn import correction, experts, gated, read_experts, router
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    vision_table,
    whole_patch,
)
from derive.architecture.model import assemble, read_outer
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, linear, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

SPARSE = "minimax_m3_sparse"
EXPERTS = tuple(f"block_sparse_moe.experts.{{e}}.{n}" for n in ("w1", "w3", "w2"))
SHARED = tuple(f"block_sparse_moe.shared_experts.{n}_proj" for n in ("gate", "up", "down"))
# how the class and how the release call a size of the indexer
INDEX = {
    "H_i": ("index_n_heads", "sparse_num_index_heads"),
    "d_i": ("index_head_dim", "sparse_index_dim"),
    "B_i": ("index_block_size", "sparse_block_size"),
    "k_i": ("index_topk_blocks", "sparse_topk_blocks"),
}
RUN = Text("how images are cut and joined, not what is stored", "只影响图像如何切分与拼接")
AT = "self_attn.indexer."


def text(c: Config) -> Model:
    """Dense layers where the lists say so; the correction bias is a buffer."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    c.only("use_qk_norm", True)
    c.only("qk_norm_type", "per_head")
    c.only("use_routing_bias", True)
    c.only("n_shared_experts", 1)
    c.only("attention_output_gate", False)
    c.pass_by(Text("the form of a norm without more weights", "归一化的形式，不增加权重"),
              "use_gemma_norm", "swiglu_beta")  # fmt: skip
    c.size("d_s", "shared_intermediate_size")
    layers = read_layers(c)
    chosen, sparse = index_layers(c, layers), expert_layers(c, layers)
    if not all(sparse):
        c.size("d_ff", "dense_intermediate_size")
    c.used.add("dense_intermediate_size")
    network = (*router("block_sparse_moe.gate"), *experts(names=EXPERTS),
               *gated("d_s", kind="shared_expert", names=SHARED),
               *correction("block_sparse_moe.e_score_correction_bias"))  # fmt: skip

    def make(indexed: bool, moe: bool) -> Layer:
        name = f"{'indexed' if indexed else 'full'} {'experts' if moe else 'dense'}"
        return decoder_layer(c.sheet, name, attention(c, indexed), network if moe else gated())

    made = {key: make(*key) for key in sorted(set(zip(chosen, sparse, strict=True)))}
    model = assemble(c, [made[key] for key in zip(chosen, sparse, strict=True)])
    modules, count = c.maybe("num_mtp_modules", 0), c.maybe("num_nextn_predict_layers", 0)
    c.pass_by(tr("settings of layers for further tokens"), "use_mtp", "mtp_transformer_layers")
    if modules or count:
        what = tr("{count} modules for further tokens, named by num_mtp_modules, are not counted",
                  count=modules or count)  # fmt: skip
        model.absent.append(what)
    return model


def attention(c: Config, indexed: bool) -> Mixer:
    """Norms on each head; where an indexer chooses, its one key is kept as well."""
    made = grouped_query(c.sheet, qk_norm="head")
    if not indexed:
        return made
    tensors = (
        *linear(f"{AT}q_proj", "d_model", "H_i * d_i", "indexer"),
        *linear(f"{AT}k_proj", "d_model", "d_i", "indexer"),
        *norm(f"{AT}q_norm", "d_i"), *norm(f"{AT}k_norm", "d_i"),
    )  # fmt: skip
    kept = made.cache
    shown = (*kept.shown, ("idx", "d_i"))
    cache = type(kept)(f"{kept.kind}+indexer", kept.width, flops=kept.flops, index="d_i",
                       scores="2 * H_i * d_i", topk="k_i * B_i", shown=shown)  # fmt: skip
    return Mixer((*made.tensors, *tensors), cache)


def index_layers(c: Config, layers: int) -> list[bool]:
    """Layers with an indexer: a list of kinds, or the frequency that the release gives."""
    older = c.table("sparse_attention_config") if c.data.get("sparse_attention_config") else None
    c.used.add("sparse_attention_config")
    found: list[bool] | None = None
    if older is not None:
        older.only("use_sparse_attention", True)
        older.pass_by(RUN, "sparse_disable_index_value", "sparse_score_type", "sparse_init_block",
                      "sparse_local_block")  # fmt: skip
        if older.has("sparse_attention_freq"):
            found = [bool(f) for f in older.integers("sparse_attention_freq", layers, 0, 1)]
    if c.has("layer_types"):
        found = [k == SPARSE for k in c.words("layer_types", (SPARSE, FULL), layers)]
    c.used.add("layer_types")
    for symbol, (name, release) in INDEX.items():
        if older is not None and older.has(release):
            older.size(symbol, release)
            c.used.add(name)
        else:
            c.size(symbol, name)
    c.used.add("index_local_blocks")
    if found and any(found):
        c.note(tr("attention reads the {count} tokens that the indexer chose at most; the "
                  "attention FLOPs that derive model states are those of dense attention, "
                  "without the indexer's scores",
                  count=c.sheet["k_i"] * c.sheet["B_i"]))  # fmt: skip
    if found is None:
        note_rule(c, "layer_types")
    return found or [False] * layers


def expert_layers(c: Config, layers: int) -> list[bool]:
    """A list of kinds, a list of 0 and 1, or experts everywhere."""
    c.used |= {"mlp_layer_types", "moe_layer_freq"}
    if c.has("mlp_layer_types"):
        return [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    if c.has("moe_layer_freq"):
        return [bool(f) for f in c.integers("moe_layer_freq", layers, 0, 1)]
    note_rule(c, "moe_layer_freq")
    return [True] * layers


def seeing(c: Config) -> Model:
    """With the tower, if the file describes it: CLIP's layers, rotated positions."""
    inner, model = text_model(c, "minimax_m3_vl_text", allowed=("minimax_m3_vl_text",))
    c.pass_by(RUN, "image_seq_length", "image_grid_pinpoints", "vision_feature_layer",
              "vision_feature_select_strategy", "process_image_mode", "projector_hidden_act",
              "image_token_compression_method", "num_reward_heads", "img_token_compression_config",
              "spatial_merge_size", "temporal_patch_size", "merged_hidden_size")  # fmt: skip
    c.only("multimodal_projector_bias", True)
    c.only("num_reward_heads", 0)
    c.size("d_pj", "projector_hidden_size")
    v = vision_table(c, VISION, "transformers 5.24.0, MiniMaxM3VLVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "minimax_m3_vl_vision", "clip_vision_model")
    v.only("position_embedding_type", "rope")
    v.pass_by(RUN, "image_size", "projection_dim", "rope_mode", "vocab_size",
              "vision_segment_max_frames", "image_token_compression_method",
              "img_token_compression_config")  # fmt: skip
    read_sizes(v)
    whole_patch(v)
    v.size("t", "temporal_patch_size")
    v.size("s", "spatial_merge_size")
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    v.sheet.let("d_pj", c.sheet["d_pj"], c.origin("projector_hidden_size"))
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    start = (
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "t", "p", "p", bias=False),
        *norm("pre_layrnorm", "d_vit", bias=True),
    )
    each = block(norms=NORMS, attention=NAMES, mlp=MLP)
    last = (
        *dense("linear_1", "d_vit", "d_pj"), *dense("linear_2", "d_pj", "d_model"),
        *dense("merge_linear_1", "s * s * d_model", "d_pj"),
        *dense("merge_linear_2", "d_pj", "d_model"),
    )  # fmt: skip
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_tower.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "vision_tower.layers.{i}.")
    model.tower(layer(v.sheet, "projector", last), 1, "multi_modal_projector.")
    return model


VISION: dict[str, object] = {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 16,
    "num_channels": 3,
    "patch_size": 14,
    "temporal_patch_size": 2,
    "spatial_merge_size": 2,
}

FAMILIES = (
    Family(
        types=("minimax_m3_vl_text",),
        classes=("MiniMaxM3VLForCausalLM", "MiniMaxM3SparseForCausalLM"),
        source="transformers 5.24.0, MiniMaxM3VLTextConfig",
        build=text,
        defaults={
            "vocab_size": 200064,
            "hidden_size": 6144,
            "intermediate_size": 3072,
            "num_hidden_layers": 60,
            "num_attention_heads": 64,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "num_experts": 128,
            "num_experts_per_tok": 4,
            "dense_intermediate_size": 12288,
            "shared_intermediate_size": 3072,
            "index_n_heads": 4,
            "index_head_dim": 128,
            "index_block_size": 128,
            "index_topk_blocks": 16,
            "num_mtp_modules": None,
            "num_nextn_predict_layers": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 524288,
        },
    ),
    Family(
        types=("minimax_m3_vl",),
        classes=("MiniMaxM3SparseForConditionalGeneration",),
        source="transformers 5.24.0, MiniMaxM3VLConfig",
        build=seeing,
        defaults={"projector_hidden_size": 6144, "tie_word_embeddings": False},
    ),
)
