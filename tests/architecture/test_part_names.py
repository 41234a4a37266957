"""The names of parts and kinds are Chinese under --lang zh, for every family at hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from derive.architecture import Architecture, read
from derive.architecture.json_file import read_text
from derive.architecture.listing import HEADS, lines
from derive.architecture.opening import Opened
from derive.architecture.part_names import KINDS, PARTS, kind_name, part_name
from derive.architecture.record import build

HERE = Path(__file__).parent
STRANGERS = json.loads((HERE / "strangers.json").read_text("utf-8"))
FILES = sorted((HERE / "configs").glob("*__*.json"))
CHINESE = re.compile(r"[\u4e00-\u9fff]")
TERMS = {"MHA", "GQA", "MQA", "MLA", "FFN", "Mamba-1", "Mamba-2", "RG-LRU"}  # said so in Chinese


def stranger(name: str) -> Architecture:
    return build(Opened(read_text(json.dumps(STRANGERS[name]["config"]), "config.json")))


def every() -> list[Architecture]:
    return [*(read(f) for f in FILES), *(stranger(n) for n in STRANGERS)]


def test_every_name_has_a_chinese_one() -> None:
    rows = [row for found in every() for row in found.derivations()]
    parts = {part for row in rows if row.part != row.kind for part in row.part.split(", ")}
    kinds = {kind for row in rows for kind in row.kind.split("||")}
    assert len(parts) > 40
    for name in parts:
        assert CHINESE.search(part_name(name).zh), name
    for name in kinds:
        assert name in KINDS
        assert CHINESE.search(KINDS[name]) or KINDS[name] in TERMS, name
    assert {row.quantity for row in rows} <= set(HEADS)


@pytest.mark.parametrize("name", [*PARTS, "sliding with shared keys and values", "mamba experts"])
def test_a_name_is_told_in_both_languages(name: str) -> None:
    said = part_name(f"{name}, last norm")
    assert said.en == f"{name}, last norm"
    assert said.zh == f"{part_name(name).zh}、末层归一化"
    assert not re.search(r"[a-z] [a-z]", said.zh)


def test_composite_names() -> None:
    assert part_name("chunked experts, full experts").zh == "分块注意力专家层、全注意力专家层"
    assert part_name("sliding with shared keys and values").zh == "滑动窗口层（共享 K、V）"
    assert kind_name("gqa||mamba2").zh == "GQA 与 Mamba-2"
    assert kind_name("something new").zh == "something new"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_listing_states_live_and_reserved_bytes(lang: str) -> None:
    found = read(HERE / "configs" / "google__gemma-3n-E4B-it.json", (2001, 8192))
    text = "\n".join(lines(found, lang))
    said = {
        "en": ("live", "reserved in blocks of 16 tokens", "every layer reserved in full"),
        "zh": ("有效占用", "按 16 token 的整块预留", "各层都按完整上下文预留"),
    }[lang]
    for words in said:
        assert text.count(words) == 2  # once for each context
    # 2048 bytes a layer and token: 4 layers in full and 16 with a window of 512; blocks of 16
    live, blocks, full = (2048 * n for n in (4 * 2001 + 16 * 512, 4 * 2016 + 16 * 512, 20 * 2016))
    for number in (live, blocks, full):
        assert f"{number / 1e6:.4g} MB" in text
    assert ("last norm" in text) == (lang == "en")
    assert ("末层归一化" in text) == (lang == "zh")
