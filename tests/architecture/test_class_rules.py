"""Rules of the classes that a config can silently trip over, each checked with the class."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError

HERE = Path(__file__).parent
STRANGERS = json.loads((HERE / "strangers.json").read_text("utf-8"))


def made(config: dict[str, Any]) -> Architecture:
    return build(Opened(read_text(json.dumps(config), "config.json")))


def changed(name: str, path: str, value: object = None) -> dict[str, Any]:
    """A config with one field set, or dropped where no value is given."""
    file = HERE / "configs" / f"{name}.json"
    found = json.loads(file.read_text("utf-8")) if file.exists() else STRANGERS[name]["config"]
    config = copy.deepcopy(found)
    *way, last = path.split(".")
    holder = config
    for step in way:
        holder = holder[step]
    holder.pop(last, None)
    if value is not None:
        holder[last] = value
    return config


def test_siglip_has_its_pooling_head_unless_the_file_says_no() -> None:
    """vision_use_head is true in SiglipVisionConfig; releases of Gemma 3 say false."""
    head = 4 * 1152**2 + 2 * 1152 * 4304 + 8 * 1152 + 4304
    for name in ("gemma-3-4b-it", "paligemma-3b-pt-224"):
        with_head = made(changed(name, "vision_config.vision_use_head"))
        without = made(changed(name, "vision_config.vision_use_head", value=False))
        assert with_head.totals.total_unique - without.totals.total_unique == head
        assert any("vision_use_head" in t.en for t in with_head.assumptions())


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        # Gemma4VisionConfig takes 12 key-value heads where none are named, beside 16 query heads
        ("google__gemma-4-26B-A4B", "vision_config.num_key_value_heads", None),
        # Glm4vTextAttention divides the width by the heads, whatever head_dim says
        ("GLM-4.1V-9B-Thinking", "text_config.head_dim", 96),
        ("GLM-4.1V-9B-Thinking", "text_config.attention_bias", False),
        # Glm4vMoeTextAttention has no norms on q and k
        ("GLM-4.5V", "text_config.use_qk_norm", True),
        # a window without the switch that turns it off
        ("IQuest-Coder-40B", "sliding_window", 4096),
        # the outer classes of these tie the tables, their inner part says it has two
        ("paligemma-3b-pt-224", "text_config.tie_word_embeddings", False),
        ("vip-llava-7b-hf", "vision_feature_layer", []),
        # Llama4ForConditionalGeneration ties nothing, and its projector has no bias
        ("meta-llama__Llama-4-Scout-17B-16E-Instruct", "tie_word_embeddings", True),
        (
            "meta-llama__Llama-4-Scout-17B-16E-Instruct",
            "vision_config.multi_modal_projector_bias",
            True,
        ),
        # Qwen2VLVisionConfig reads in_channels alone
        ("Qwen__Qwen2-VL-7B-Instruct", "vision_config.in_chans", 6),
    ],
)
def test_refused_by_name(name: str, path: str, value: object) -> None:
    with pytest.raises(DeriveError) as caught:
        made(changed(name, path, value))
    assert path.rpartition(".")[2] in caught.value.problems[0].what.en


def test_defaults_of_the_class() -> None:
    """BitNetConfig takes 5 key-value heads where none are named."""
    silent = made(changed("bitnet-b1.58-2B-4T", "num_key_value_heads"))
    assert silent.totals.total_unique == STRANGERS["bitnet-b1.58-2B-4T"]["total"]
    glm = made(changed("GLM-4.1V-9B-Thinking", "text_config.attention_bias"))
    assert glm.totals.total_unique == STRANGERS["GLM-4.1V-9B-Thinking"]["total"]
