"""LongCat-Flash: two latent attentions and two dense networks in a layer, experts beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.decoder import TWO_NORMS, decoder_layer
from derive.architecture.layers.ffn import experts, gated, read_experts
from derive.architecture.layers.mla import latent, read_latent
from derive.architecture.layers.mtp import with_projection
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Tensor, layer, linear, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

EXPERTS = tuple(f"mlp.experts.{{e}}.{n}_proj" for n in ("gate", "up", "down"))
RUN = Text("scales the latents, has no weights", "只缩放潜向量，没有权重")


def build(c: Config) -> Model:
    """`num_layers` counts pairs; experts that do nothing have a row in the router only."""
    read_outer(c)
    read_latent(c)
    read_experts(c, "")
    c.size("d_e", "expert_ffn_hidden_size")
    c.size("d_ff", "ffn_hidden_size")
    pairs = c.size("L", "num_layers", high=2048)
    c.only("num_hidden_layers", None, 2 * pairs)
    c.sheet.let("E_0", c.maybe("zero_expert_num", 0) or 0, c.origin("zero_expert_num"))
    c.only("zero_expert_type", "identity")
    c.only("attention_method", "MLA")
    c.pass_by(RUN, "mla_scale_q_lora", "mla_scale_kv_lora")
    c.integer("q_lora_rank")  # the class has no queries without a rank
    bias, router_bias = c.flag("attention_bias"), c.flag("router_bias")
    norms = [f"{name}.{i}" for i in (0, 1) for name in TWO_NORMS]
    mixers = [latent(c, bias=bias, at=f"self_attn.{i}.") for i in (0, 1)]
    dense = [gated(names=tuple(f"mlps.{i}.{n}_proj" for n in ("gate", "up", "down")))
             for i in (0, 1)]  # fmt: skip
    correction = Tensor("mlp.router.e_score_correction_bias", "correction", ("E + E_0",), leaf="")
    tensors = (
        *(t for name in norms for t in norm(name)),
        *mixers[0].tensors, *mixers[1].tensors, *dense[0], *dense[1],
        *linear("mlp.router.classifier", "d_model", "E + E_0", "router", bias=router_bias,
                plain=False),
        *experts(names=EXPERTS), correction,
    )  # fmt: skip
    one = layer(c.sheet, "double", tensors, *(m.cache for m in mixers))
    model = assemble(c, [one] * pairs)
    if c.sheet["E_0"]:
        c.note(tr("{zero} of the {all} experts that the router chooses from do nothing: the "
                  "{top} of a token are counted as if all of them worked", zero=c.sheet["E_0"],
                  all=c.sheet["E"] + c.sheet["E_0"], top=c.sheet["k"]))  # fmt: skip
    further_tokens(c, model, bias=bias)
    return model


def further_tokens(c: Config, model: Model, *, bias: bool) -> None:
    """One dense layer, which the config of the release names by its count or not at all."""
    count = c.maybe("num_nextn_predict_layers", 0, 1)
    c.pass_by(Text("a setting of the layer for further tokens", "多 token 预测层的设置"),
              "mtp_num_layers", "mtp_disable_over_tokenizer", "mtp_replace_moe")  # fmt: skip
    if count == 0:
        return
    if count is None:
        model.absent.append(
            tr("the released checkpoints hold one layer for further tokens, which this config "
               "does not name; it is counted on a line of its own")
        )  # fmt: skip
    body = decoder_layer(c.sheet, "mtp", latent(c, bias=bias), gated())
    with_projection(c, model, body, 1, at="model.mtp.layers.{i}.",
                    norms=("enorm", "hnorm", "norm"), projection="eh_proj")  # fmt: skip


FAMILIES = (
    Family(
        types=("longcat_flash",),
        classes=("LongcatFlashForCausalLM", "LongcatCausalLM"),
        source="transformers 5.24.0, LongcatFlashConfig",
        build=build,
        defaults={
            "q_lora_rank": 1536,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "zero_expert_num": 256,
            "attention_bias": False,
            "router_bias": False,
            "num_nextn_predict_layers": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 131072,
        },
    ),
)
