"""Nemotron-H and Nemotron 3: one mixer per layer, a letter each.

M is a scan, * attention, - a network, E experts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.mamba import UNUSED
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import correction, experts, plain, read_experts, router
from derive.architecture.layers.ssm import Fields2, mamba2, read_mamba2
from derive.architecture.model import Naming, Placed, assemble, no_cache, read_outer
from derive.architecture.parts import Tensors, layer, linear, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMES = Names(*(f"mixer.{p}_proj" for p in "qkvo"))
SCAN = Fields2("mamba_num_heads", "mamba_head_dim", "ssm_state_size", "n_groups", "conv_kernel")
NAMING = Naming(("backbone.layers.{i}.", "model.layers.{i}."), "backbone.embeddings",
                "backbone.norm_f")  # fmt: skip
EMPTY: Tensors = ()
LETTERS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
WORDS = {
    "mamba": "mamba", "linear_attention": "mamba", "attention": "attention",
    "full_attention": "attention", "mlp": "mlp", "moe": "moe",
}  # fmt: skip


def build(c: Config) -> Model:
    """Read what the kinds at hand need, and make each kind once."""
    read_outer(c)
    c.only("tie_word_embeddings", False)  # the class builds two tables whatever it says
    kinds = block_kinds(c)
    further = further_kinds(c)
    made = {}
    for kind in dict.fromkeys([*kinds, *further]):
        mixer = {"mamba": scan, "attention": attention, "mlp": network, "moe": mixture}[kind](c)
        made[kind] = decoder_layer(c.sheet, kind, mixer, (), norms=("norm",))
    unused(c, {*kinds, *further})
    model = assemble(c, [made[kind] for kind in kinds], naming=NAMING)
    further_tokens(c, model, [made[kind] for kind in further])
    return model


def further_kinds(c: Config) -> list[str]:
    """The mixers of one layer for further tokens, as a word of letters or a list of words."""
    names = ("mtp_hybrid_override_pattern", "mtp_layers_block_type")
    c.used |= set(names)
    if not c.maybe("num_nextn_predict_layers", 0, 16):
        return []
    if c.has(names[1]):
        return [WORDS[w] for w in c.words(names[1], WORDS)]
    return spelled_kinds(c, names[0]) if c.has(names[0]) else []


def further_tokens(c: Config, model: Model, parts: list[Layer]) -> None:
    """So many times: a projection of embedding and hidden state, the mixers, a norm."""
    count = c.maybe("num_nextn_predict_layers", 0, 16) or 0
    if count and not parts:
        model.absent.append(tr("a layer for further tokens, named by the config, is not counted"))
        return
    extra = (
        *norm("enorm"), *norm("hnorm"), *linear("eh_proj", "2 * d_model", "d_model", "mtp"),
        *norm("final_layernorm"),
    )  # fmt: skip
    model.mtp_layers = count
    for step in range(count):
        first = step * len(parts)
        model.mtp += [
            Placed(part, 1, 1, (first + i,), "mtp", ("mtp.layers.{i}.",))
            for i, part in enumerate(parts)
        ]
        joined = layer(c.sheet, "mtp", extra)
        model.mtp.append(Placed(joined, 1, 1, (first,), "mtp", ("mtp.layers.{i}.",)))


def block_kinds(c: Config) -> list[str]:
    """A word of letters, or a list of words."""
    names = ("layers_block_type", "layer_types")
    listed = next((n for n in names if c.data.get(n) is not None), "")
    c.used |= {*names, "hybrid_override_pattern"}
    if listed:
        kinds = [WORDS[w] for w in c.words(listed, WORDS)]
    else:
        kinds = spelled_kinds(c, "hybrid_override_pattern")
    if c.has("num_hidden_layers") and read_layers(c) != len(kinds):
        what = tr("{name} has {count} entries for {length} layers",
                  name=listed or "hybrid_override_pattern", count=len(kinds),
                  length=c.sheet["L"])  # fmt: skip
        c.reject(listed or "hybrid_override_pattern", what, code="M107")
    c.sheet.let("L", len(kinds), listed or "hybrid_override_pattern")
    return kinds


def spelled_kinds(c: Config, name: str) -> list[str]:
    """The kinds that a word of letters names."""
    pattern = c.word(name)
    if not pattern or len(pattern) > 4096 or set(pattern) - set(LETTERS):
        what = tr("{name} may hold the letters {known} only", name=name,
                  known=" ".join(LETTERS))  # fmt: skip
        c.reject(name, what)
    return [LETTERS[letter] for letter in pattern]


def scan(c: Config) -> Mixer:
    """Mamba-2; the inner width is heads times head size, whatever expand says."""
    read_mamba2(c, SCAN)
    bias = c.flag("use_bias")
    c.only("mamba_proj_bias", False, bias)  # the class does not read it
    return mamba2("mixer.", bias=bias, conv_bias=c.flag("use_conv_bias"))


def attention(c: Config) -> Mixer:
    """Grouped attention without positions."""
    c.only("sliding_window", None)
    read_heads(c, head_dim="attention_head_dim" if "attention_head_dim" in c.data else "head_dim")
    c.only("head_dim", c.sheet["d_head"])
    c.only("attention_bias", False)  # the class builds none
    return grouped_query(c.sheet, names=NAMES)


def network(c: Config) -> Mixer:
    """Two matrices."""
    c.size("d_ff", "intermediate_size")
    names = ("mixer.up_proj", "mixer.down_proj")
    return Mixer(plain(names=names, bias=c.flag("mlp_bias")), no_cache("none(mlp)"))


def mixture(c: Config) -> Mixer:
    """Experts of two matrices, in a narrower space where there is a latent size."""
    read_experts(c)
    c.only("moe_shared_expert_overlap", True, False)
    hidden, latent = "d_model", c.maybe("moe_latent_size")
    bias, around = c.flag("mlp_bias"), EMPTY
    if latent is not None:
        c.sheet.let("d_lat", latent, c.origin("moe_latent_size"))
        hidden = "d_lat"
        around = (
            *linear("mixer.fc1_latent_proj", "d_model", "d_lat", "mlp", bias=bias),
            *linear("mixer.fc2_latent_proj", "d_lat", "d_model", "mlp", bias=bias),
        )
    names = ("mixer.experts.{e}.up_proj", "mixer.experts.{e}.down_proj")
    tensors = (*router("mixer.gate"), *around, *experts(names=names, gate=False, hidden=hidden))
    count = c.maybe("n_shared_experts", 0)
    if count:
        c.only("n_shared_experts", 1)
        c.size("d_s", "moe_shared_expert_intermediate_size")
        shared = ("mixer.shared_experts.up_proj", "mixer.shared_experts.down_proj")
        tensors += plain("d_s", kind="shared_expert", names=shared, bias=bias)
    tensors += correction("mixer.gate.e_score_correction_bias")
    return Mixer(tensors, no_cache("none(moe)"))


def unused(c: Config, kinds: set[str]) -> None:
    """Fields of kinds of layers that this model does not have."""
    reason = tr("a field of a kind of layer that this model does not have")
    if "moe" not in kinds:
        c.pass_by(reason, "n_routed_experts", "n_shared_experts", "moe_intermediate_size",
                  "moe_shared_expert_intermediate_size", "moe_latent_size", "num_experts_per_tok",
                  "moe_shared_expert_overlap")  # fmt: skip
    if "mlp" not in kinds:
        c.pass_by(reason, "intermediate_size", "mlp_bias")
    if "mamba" not in kinds:
        c.pass_by(reason, *(f for f in vars(SCAN).values()), "mamba_proj_bias", "use_conv_bias",
                  "use_bias")  # fmt: skip
    if "attention" not in kinds:
        c.pass_by(reason, "num_attention_heads", "num_key_value_heads", "head_dim",
                  "attention_head_dim", "attention_bias", "sliding_window")  # fmt: skip
    c.pass_by(UNUSED, "expand", "time_step_rank", "mamba_ssm_cache_dtype", "mamba_ssm_dtype")


FAMILIES = (
    Family(
        types=("nemotron_h",),
        classes=("NemotronHForCausalLM",),
        source="transformers 5.24.0, NemotronHConfig",
        build=build,
        defaults={
            "num_key_value_heads": 8,
            "head_dim": 128,
            "mlp_bias": False,
            "use_bias": False,
            "ssm_state_size": 128,
            "mamba_num_heads": 128,
            "mamba_head_dim": 64,
            "n_groups": 8,
            "conv_kernel": 4,
            "use_conv_bias": True,
            "n_shared_experts": 1,
            "moe_latent_size": None,
            "num_nextn_predict_layers": 0,
            "tie_word_embeddings": False,
            "max_position_embeddings": 4096,
        },
    ),
)
