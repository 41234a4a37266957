"""Bilingual means bilingual: the Chinese catalogue is complete, and terms are used one way."""

import re
import sys
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import messages  # noqa: E402  a tool, not a package

# what the glossary calls each term, and stray variants that must not appear
GLOSSARY = {
    "算术强度": ("运算强度", "计算强度", "算数强度"),
    "脊点": ("屋脊点", "拐点"),
    "首 token": ("首个token", "首token"),
    "批大小": ("批量大小", "批次大小", "批尺寸"),
    "显存": ("显卡内存",),
    "权重": ("权值",),
    "上下文": ("语境",),
    "互联": ("互连",),
    "token": ("词元",),
}
# what others write and we read: every variant stands there
READ = ("lexicon.py", "changes.py", "claims", "names.py", "normal.py", "figures.py", "around.py",
        "scan.py")  # fmt: skip


def test_the_catalogue_is_complete() -> None:
    assert messages.faults() == []


@pytest.mark.parametrize("term", GLOSSARY)
def test_one_term_for_one_thing(term: str) -> None:
    texts = [messages.PO.read_text(encoding="utf-8")]
    ours = [p for p in (ROOT / "derive").rglob("*.py") if p.name not in READ]
    ours += [p for p in (ROOT / "specs").rglob("*.yaml") if p.parent.name not in READ]
    texts += [p.read_text(encoding="utf-8") for p in ours]
    texts.append((ROOT / "README.zh.md").read_text(encoding="utf-8"))
    whole = "\n".join(texts)
    assert term in whole
    stray = [v for v in GLOSSARY[term] if v in whole]
    assert not stray


def test_every_translation_is_chinese_or_needs_none() -> None:
    with messages.PO.open("rb") as file:
        entries = [m for m in read_po(file, locale="zh") if m.id]
    plain = [str(m.id) for m in entries if not re.search(r"[\u4e00-\u9fff]", str(m.string))]
    words = [i for i in plain if re.search(r"[a-z]{4,}", re.sub(r"\{\w+\}", "", i))]
    english_in_both = {
        "prefill", "decode", "kernel", "KV cache", "prefill {numbers}", "decode {numbers}",
    }  # fmt: skip
    assert [i for i in words if i not in english_in_both] == []
