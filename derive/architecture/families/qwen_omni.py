"""Qwen models that hear and see: the thinker of 2.5-Omni and 3-Omni, which answers in text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.architecture.families import qwen2, qwen_moe
from derive.architecture.families.qwen_vl import vision3, vision25
from derive.architecture.family import Family
from derive.architecture.layers.tower import text_table
from derive.architecture.model import Naming, read_tied
from derive.architecture.parts import layer, linear, norm, vector
from derive.architecture.symbols import Sheet
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Tensors

KIND, THINKER = "audio", "thinker."
NAMING = Naming(("model.layers.{i}.",)).under(THINKER, "")
CUT = Text("how sound is cut into pieces, and its positions", "音频如何分段，以及其位置编码")
SPEAKING = ("talker_config", "token2wav_config", "code2wav_config", "enable_talker",
            "enable_audio_output")  # fmt: skip
RATE = Text("how time is counted in positions", "时间如何计入位置")
NO_WEIGHT = Text("no weight of the thinker depends on it", "thinker 的权重与它无关")


def whole(thinker: Callable[[Config], Model]) -> Callable[[Config], Model]:
    """The file of the whole model: the thinker in it, and two parts that speak."""

    def build(c: Config) -> Model:
        inner = c.table("thinker_config", {"tie_word_embeddings": False}, c.owner)
        inner.used.add("model_type")
        model = thinker(inner)
        c.used |= set(SPEAKING)
        c.pass_by(NO_WEIGHT, "hidden_size", "system_token_id", "user_token_id", "tts_eos_token_id",
                  "assistant_token_id", "im_start_token_id", "tts_bos_token_id", "tts_pad_token_id",
                  "im_end_token_id")  # fmt: skip
        model.absent.append(
            tr("the parts that speak, talker and vocoder: an answer in text does not pass them")
        )
        return model

    return build


def finished(c: Config, model: Model) -> Model:
    """The fields of the thinker itself; the towers under both paths that checkpoints use."""
    c.pass_by(RATE, "position_id_per_seconds", "seconds_per_chunk")
    c.pass_by(NO_WEIGHT, "user_token_id", "ignore_index")
    for v in (child for child in c.children if "d_vit" in child.sheet):
        v.only("embed_dim", v.sheet["d_vit"])  # older names that the class passes over
        v.only("spatial_patch_size", v.sheet["p"])
        v.only("apply_vit_abs_pos_embed", True)
        v.pass_by(NO_WEIGHT, "tokens_per_second", "image_size")
    model.placed = [
        p if p.role == "text" else replace(p, prefixes=(THINKER + p.prefixes[0], *p.prefixes))
        for p in model.placed
    ]
    return model


def thinker25(c: Config) -> Model:
    """Qwen2 with the tower of Qwen2.5-VL and an encoder of sound like Whisper's."""
    text = text_table(c, TEXT25, "transformers 5.24.0, Qwen2_5OmniTextConfig")
    model = qwen2.stack(text, bias=True, o_bias=False, head_dim="", naming=NAMING,
                        tied=read_tied(text, c))  # fmt: skip
    vision25(model, c)
    a = audio_table(c, model, AUDIO, "Qwen2_5OmniAudioEncoderConfig")
    if a is not None:
        start = vector("audio_bos_eos_token", KIND, "2", "d_ao")
        for name, into in (("conv1", "n_mel"), ("conv2", "d_aud")):
            start += vector(name, KIND, "d_aud", into, "3")
            start += vector(name, KIND, "d_aud", leaf="bias")
        last = (*norm("ln_post", "d_aud", bias=True),
                *linear("proj", "d_aud", "d_ao", KIND, bias=True))  # fmt: skip
        hear(model, a, start, encoder_layer(key_bias=False), last)
    return finished(c, model)


def thinker3(c: Config) -> Model:
    """Qwen3 with experts and the tower of Qwen3-VL; sound through three convolutions."""
    text = text_table(c, TEXT3, "transformers 5.24.0, Qwen3OmniMoeTextConfig")
    text.only("shared_expert_intermediate_size", 0)
    text.only("use_qk_norm", True)
    bias = text.flag("attention_bias")
    model = qwen_moe.stack(text, bias=bias, o_bias=bias, qk_norm="head", head_dim="head_dim",
                           shared=False, naming=NAMING, tied=read_tied(text, c))  # fmt: skip
    vision3(model, c, deep=True)
    a = audio_table(c, model, AUDIO3, "Qwen3OmniMoeAudioEncoderConfig")
    if a is not None:
        a.size("c_1", "downsample_hidden_size")
        left = a.sheet["n_mel"]
        for _ in range(3):  # each convolution steps by two
            left = (left + 1) // 2
        a.sheet.let("n_f", left, f"{a.origin('num_mel_bins')}, halved three times")
        start = vector("conv2d1", KIND, "c_1", "1", "3", "3")
        for name in ("conv2d2", "conv2d3"):
            start += vector(name, KIND, "c_1", "c_1", "3", "3")
        for name in ("conv2d1", "conv2d2", "conv2d3"):
            start += vector(name, KIND, "c_1", leaf="bias")
        start += linear("conv_out", "c_1 * n_f", "d_aud", KIND)
        last = (*norm("ln_post", "d_aud", bias=True),
                *linear("proj1", "d_aud", "d_aud", KIND, bias=True),
                *linear("proj2", "d_aud", "d_ao", KIND, bias=True))  # fmt: skip
        hear(model, a, start, encoder_layer(key_bias=True), last)
    return finished(c, model)


def audio_table(c: Config, model: Model, defaults: dict[str, object], owner: str) -> Config | None:
    """The config of the encoder of sound with symbols of its own; None where there is none."""
    if not isinstance(c.data.get("audio_config"), dict) or not c.data["audio_config"]:
        c.only("audio_config", None, {})
        model.absent.append(tr("the audio tower: the config does not describe it"))
        return None
    a = c.table("audio_config", defaults, f"transformers 5.24.0, {owner}")
    a.sheet = Sheet()
    for symbol, name in (("n_mel", "num_mel_bins"), ("d_aud", "d_model"),
                         ("d_aff", "encoder_ffn_dim"), ("d_ao", "output_dim"),
                         ("H_a", "encoder_attention_heads")):  # fmt: skip
        a.size(symbol, name)
    if a.sheet["d_aud"] % a.sheet["H_a"]:
        what = tr("{name} does not divide the width", name="encoder_attention_heads")
        a.reject("encoder_attention_heads", what, code="M107")
    depth = a.size("L_a", "encoder_layers", high=1024)
    a.only("num_hidden_layers", depth)
    a.used.add("model_type")
    a.pass_by(CUT, "max_source_positions", "n_window", "n_window_infer", "conv_chunksize",
              "scale_embedding", "encoder_layerdrop")  # fmt: skip
    return a


def encoder_layer(*, key_bias: bool) -> Tensors:
    """Attention and two matrices, each behind a norm with shift."""
    made = (*norm("self_attn_layer_norm", "d_aud", bias=True),
            *norm("final_layer_norm", "d_aud", bias=True))  # fmt: skip
    for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
        bias = key_bias or name != "k_proj"
        made += linear(f"self_attn.{name}", "d_aud", "d_aud", KIND, bias=bias)
    return (*made, *linear("fc1", "d_aud", "d_aff", KIND, bias=True),
            *linear("fc2", "d_aff", "d_aud", KIND, bias=True))  # fmt: skip


def hear(model: Model, a: Config, start: Tensors, each: Tensors, last: Tensors) -> None:
    """Convolutions, layers, projection."""
    at = "audio_tower."
    model.tower(layer(a.sheet, "audio input", start), 1, at, role=KIND)
    model.tower(layer(a.sheet, "audio layer", each), a.sheet["L_a"], f"{at}layers.{{i}}.",
                role=KIND)  # fmt: skip
    model.tower(layer(a.sheet, "audio projector", last), 1, at, role=KIND)


AUDIO: dict[str, object] = {
    "num_mel_bins": 128, "encoder_layers": 32, "encoder_attention_heads": 20,
    "encoder_ffn_dim": 5120, "d_model": 1280, "output_dim": 3584,
}  # fmt: skip
AUDIO3: dict[str, object] = {**AUDIO, "downsample_hidden_size": 480}
TEXT25: dict[str, object] = {
    **qwen2.QWEN2, "vocab_size": 152064, "hidden_size": 3584, "intermediate_size": 18944,
    "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
    "max_window_layers": 28,
}  # fmt: skip
TEXT3: dict[str, object] = {
    **qwen_moe.QWEN3, "vocab_size": 3584, "hidden_size": 2048, "intermediate_size": 18944,
    "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
    "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
    "max_position_embeddings": 32768,
}  # fmt: skip
UNTIED: dict[str, object] = {"tie_word_embeddings": False}
SOURCE25, SOURCE3 = (f"transformers 5.24.0, {n}Config" for n in ("Qwen2_5Omni", "Qwen3OmniMoe"))

FAMILIES = (
    Family(("qwen2_5_omni",), ("Qwen2_5OmniModel", "Qwen2_5OmniForConditionalGeneration"),
           SOURCE25, whole(thinker25)),
    Family(("qwen2_5_omni_thinker",), ("Qwen2_5OmniThinkerForConditionalGeneration",),
           "transformers 5.24.0, Qwen2_5OmniThinkerConfig", thinker25, UNTIED),
    Family(("qwen3_omni_moe",), ("Qwen3OmniMoeForConditionalGeneration",), SOURCE3,
           whole(thinker3)),
    Family(("qwen3_omni_moe_thinker",), ("Qwen3OmniMoeThinkerForConditionalGeneration",),
           "transformers 5.24.0, Qwen3OmniMoeThinkerConfig", thinker3, UNTIED),
)  # fmt: skip
