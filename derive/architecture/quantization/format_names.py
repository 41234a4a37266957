"""What the formats of `formats.py` are called in Chinese; the English names are theirs."""

from __future__ import annotations

import re

from derive.text import Text

NAMES = tuple(
    (re.compile(pattern), chinese)
    for pattern, chinese in (
        (r"(\w+), (\d+) x (\d+) blocks, (\d+)-byte scales", r"\1，\2 x \3 分块，缩放因子 \4 字节"),
        (r"(\w+), one scale per row", r"\1，每行一个缩放因子"),
        (r"(\w+), one scale", r"\1，每个矩阵一个缩放因子"),
        (r"ternary, four weights a byte", "三值，每字节 4 个权重"),
        (r"aqlm, (\d+) x (\d+) bits for (\d+) weights", r"aqlm，每 \3 个权重 \1 x \2 位"),
        (r"nvfp4, inputs in 16 bits", "nvfp4，输入为 16 位"),
        (r"(\S+) packed, groups of -1", r"\1 打包，每行一组"),
        (r"(\S+) packed, groups of (\d+)", r"\1 打包，每组 \2 个"),
        (r"(\S+) (\d+)-bit, groups of -1", r"\1 \2 位，每行一组"),
        (r"(\S+) (\d+)-bit, groups of (\d+)", r"\1 \2 位，每组 \3 个"),
        (r"(\S+) (\d+)-bit", r"\1 \2 位"),
        (r"(\d+)-bit", r"\1 位"),
    )
)


def format_name(name: str) -> Text:
    """A format in both languages; a bare identifier reads alike in both."""
    for pattern, chinese in NAMES:
        found = pattern.fullmatch(name)
        if found:
            return Text(name, found.expand(chinese))
    return Text(name, name)
