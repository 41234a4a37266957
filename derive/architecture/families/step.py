"""Step 3.5 and 3.7 Flash: a gate on each head, more query heads where there is a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Heads, Mixer, grouped_query
from derive.architecture.layers.decoder import (
    FULL,
    SLIDING,
    decoder_layer,
    dense_width,
    layer_types,
    read_layers,
    read_window,
    windowed,
)
from derive.architecture.layers.ffn import correction, experts, gated, read_experts, router
from derive.architecture.layers.tower import (
    absent_tower,
    conv,
    dense,
    heads_divide,
    patches,
    table,
    vision_table,
)
from derive.architecture.model import assemble, read_outer
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, linear, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors

SLIDES = Heads("H_swa", "H_kv", "d_head")
SHARE = ("moe.shared_expert.gate_proj", "moe.shared_expert.up_proj", "moe.shared_expert.down_proj")
NOT_READ = Text("the class works it out from mlp_ratio", "该类由 mlp_ratio 推得")
ROTATION = Text("rotation of each layer, no weights", "各层的旋转编码，没有权重")
LIMITS = Text("bounds of the activation", "激活值的上下界")


def stack(
    c: Config, slides: list[bool], sparse: list[bool], network: Tensors, window: str, gate: str
) -> Model:
    """The layers; `gate` is `head` for one number a head, else as wide as the heads."""
    bias = c.flag("attention_bias")

    def make(slide: bool, moe: bool) -> Layer:
        heads = SLIDES if slide else Heads()
        mixer = grouped_query(c.sheet, bias=bias, qk_norm="head", heads=heads,
                              window=window if slide else "")  # fmt: skip
        width = heads.q if gate == "head" else f"{heads.q} * {heads.size}"
        both = (*mixer.tensors, *linear("self_attn.g_proj", "d_model", width, "attention"))
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        return decoder_layer(c.sheet, name, Mixer(both, mixer.cache), network if moe else gated())

    made = {key: make(*key) for key in sorted(set(zip(slides, sparse, strict=True)))}
    return assemble(c, [made[key] for key in zip(slides, sparse, strict=True)])


def read_head_counts(c: Config, sliding: int, origin: str) -> None:
    """Query heads of both kinds, key-value heads, head size."""
    for symbol, name in (("H_q", "num_attention_heads"), ("H_kv", "num_key_value_heads"),
                         ("d_head", "head_dim")):  # fmt: skip
        c.size(symbol, name)
    c.sheet.let("H_swa", sliding, origin)
    for queries in (c.sheet["H_q"], sliding):
        if queries % c.sheet["H_kv"]:
            what = tr("{queries} query heads are no multiple of {heads} key-value heads",
                      queries=queries, heads=c.sheet["H_kv"])  # fmt: skip
            c.reject("num_key_value_heads", what, code="M107")


def step(c: Config) -> Model:
    """The lists may go on for the layers for further tokens, which follow the others."""
    if "num_attention_groups" in c.data:
        c.data = {"num_key_value_heads": c.data["num_attention_groups"], **c.data}
    c.used.add("num_attention_groups")
    c.only(
        "num_key_value_heads", c.data.get("num_attention_groups", c.value("num_key_value_heads"))
    )
    read_outer(c)
    sliding_heads(c)
    read_experts(c)
    c.size("d_s", "share_expert_dim")
    layers, window = read_layers(c), read_window(c)
    further = c.maybe("num_nextn_predict_layers", 0, 16) or 0
    listed = c.data.get("layer_types")
    if isinstance(listed, list) and len(listed) == layers + further:
        c.data = {**c.data, "layer_types": listed[:layers]}
    slides = windowed(c, layer_types(c, layers, lambda _: FULL), window)
    sparse = step_experts(c, layers)
    dense_width(c, sparse)
    c.only("mlp_bias", False)
    c.only("use_qk_norm", True)
    c.only("use_head_wise_attn_gate", True)
    c.only("use_moe_router_bias", True)
    c.only("use_moe", True)
    c.only("gating", True, "per-head")
    c.pass_by(ROTATION, "use_rope_layers", "yarn_only_types")
    c.pass_by(LIMITS, "swiglu_limits_shared", "moe_router_activation", "need_fp32_gate",
              "query_pre_attn_scalar")  # fmt: skip
    c.only("sink", False)
    c.only("att_impl_type", "GQA")
    c.pass_by(LIMITS, "zero_centered")
    c.used |= {"mtp_layer_types", "mtp_mlp_layer_types"}
    network = (*router("moe.gate"), *experts(names=STEP_EXPERTS), *correction("moe.router_bias"))
    network += gated("d_s", kind="shared_expert", names=SHARE)
    model = stack(c, slides, sparse, network, window, "head")
    if further:
        model.absent.append(tr("a layer for further tokens, named by the config, is not counted"))
    return model


STEP_EXPERTS = ("moe.gate_proj.{e}", "moe.up_proj.{e}", "moe.down_proj.{e}")


def sliding_heads(c: Config) -> None:
    """Query heads of layers with a window: a field, an object of the release, or as the others."""
    c.used |= {"num_sliding_attention_heads", "attention_other_setting", "per_layer_config"}
    if c.has("num_sliding_attention_heads"):
        name = "num_sliding_attention_heads"
        read_head_counts(c, c.integer(name), c.origin(name))
        return
    if not c.has("attention_other_setting"):
        c.maybe("num_sliding_attention_heads")  # null: as many as the others
        read_head_counts(c, c.integer("num_attention_heads"), c.origin("num_attention_heads"))
        return
    other = c.table("attention_other_setting")
    other.only("attention_type", SLIDING)
    read_head_counts(c, other.integer("num_attention_heads"), other.origin("num_attention_heads"))
    other.only("num_attention_groups", c.sheet["H_kv"])
    other.only("head_dim", c.sheet["d_head"])
    other.only("true_head_dim", c.sheet["d_head"])


def step_experts(c: Config, layers: int) -> list[bool]:
    """A list of kinds, the numbers of the layers in a text, or all but the first three."""
    c.used |= {"mlp_layer_types", "moe_layers_enum", "moe_every_n_layer", "moe_layer_offset"}
    if c.has("mlp_layer_types"):
        listed = c.words("mlp_layer_types", ("dense", "sparse"))
        if len(listed) < layers:
            c.words("mlp_layer_types", ("dense", "sparse"), layers)
        return [k == "sparse" for k in listed[:layers]]
    if not c.has("moe_layers_enum"):
        return [i >= 3 for i in range(layers)]
    text = c.word("moe_layers_enum")
    parts = [p.strip() for p in text.split(",")]
    if len(text) > 20_000 or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in parts):
        c.reject("moe_layers_enum", tr("{name} is not understood", name="moe_layers_enum"))
    return [i in {int(p) for p in parts} for i in range(layers)]


def step3p7(c: Config) -> Model:
    """With the tower, if the file describes it: two convolutions halve the grid of patches."""
    inner, model = text_model(c, "step3p7_text", allowed=("step3p7_text", "step3p5"))
    bias = c.flag("projector_bias")
    c.pass_by(ROTATION, "understand_projector_stride", "image_token_len", "patch_token_len")
    v = vision_table(c, VISION, "transformers 5.24.0, Step3p7VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "step3p5_vision", "step3p7_vision", "perception_encoder")
    for symbol, (first, name) in VISION_SIZES.items():
        v.used |= {first, name}
        v.size(symbol, first if v.has(first) else name, high=65536)
    used = next(n for n in VISION_SIZES["H_v"] if v.has(n) or n in VISION)
    heads_divide(v, used)
    width, times = v.sheet["d_vit"], float(v.fraction("mlp_ratio"))
    v.sheet.let("d_vff", int(width * times), v.origin("mlp_ratio"))  # in doubles, as the class does
    v.pass_by(NOT_READ, "intermediate_size")
    patches(v)
    v.pass_by(ROTATION, "ls_init_value", "layer_scale_init_value", "max_position_embeddings")
    depth = v.sheet["L_v"]
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    start = (
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "p", "p", bias=False),
        *table("embeddings.position_embedding", "n_p", "d_vit"),
        *norm("pre_layernorm", "d_vit", bias=True),
        *conv("downsampler1", "2 * d_vit", "d_vit", "3", "3", bias=True),
        *conv("downsampler2", "4 * d_vit", "2 * d_vit", "3", "3", bias=True),
    )
    each = (
        *norm("layernorm_before", "d_vit", bias=True),
        *norm("layernorm_after", "d_vit", bias=True),
        *(t for n in ("q_proj", "k_proj", "v_proj", "out_proj")
          for t in dense(f"self_attn.{n}", "d_vit", "d_vit")),
        *dense("mlp.fc1", "d_vit", "d_vff"), *dense("mlp.fc2", "d_vff", "d_vit"),
        *table("", "2 * d_vit", leaf="lambda_1, lambda_2"),
    )  # fmt: skip
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_model.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "vision_model.layers.{i}.")
    last = dense("multi_modal_projector", "4 * d_vit", "d_model", bias=bias)
    model.tower(layer(v.sheet, "projector", last), 1, "")
    return model


# Names of the release, which prevail, before those of the library.
VISION_SIZES = {
    "d_vit": ("width", "hidden_size"),
    "L_v": ("layers", "num_hidden_layers"),
    "H_v": ("heads", "num_attention_heads"),
    "c_in": ("num_channels", "num_channels"),
}
VISION: dict[str, object] = {
    "hidden_size": 1536, "mlp_ratio": 8960 / 1536, "num_hidden_layers": 47,
    "num_attention_heads": 16, "num_channels": 3, "image_size": 728, "patch_size": 14,
}  # fmt: skip
STEP: dict[str, object] = {
    "vocab_size": 128815, "hidden_size": 4096, "intermediate_size": 11264,
    "num_hidden_layers": 45, "num_attention_heads": 64, "num_key_value_heads": 8,
    "head_dim": 128, "num_experts": 288, "num_experts_per_tok": 8,
    "moe_intermediate_size": 1280, "share_expert_dim": 1280, "sliding_window": None,
    "num_sliding_attention_heads": None, "num_nextn_predict_layers": 0,
    "attention_bias": False, "tie_word_embeddings": False,
    "max_position_embeddings": 128000,
}  # fmt: skip

FAMILIES = (
    Family(
        ("step3p5", "step3p7_text"),
        ("Step3p5ForCausalLM", "Step3p7TextModel"),
        "transformers 5.24.0, Step3p7TextConfig",
        step,
        STEP,
    ),
    Family(
        ("step3p7",),
        ("Step3p7ForConditionalGeneration",),
        "transformers 5.24.0, Step3p7Config",
        step3p7,
        {"projector_bias": False, "tie_word_embeddings": False},
    ),
)
