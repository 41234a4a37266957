"""Closed vocabularies of spec files, in both languages."""

from __future__ import annotations

from derive.text import Text, same

# How a figure was made from another one of the same file; the loader recomputes each.
HOW: dict[str, Text] = {
    "half of with_sparsity": Text("half of the figure with sparsity", "带稀疏数值的一半"),
    "half of total": Text("half of the total of both directions", "双向合计的一半"),
}
TERMS: dict[str, Text] = {
    "TDP": same("TDP"),
    "max TDP": Text("max TDP", "最大 TDP"),
    "max power": Text("max power", "最大功耗"),
    "total board power": Text("total board power", "整卡功耗"),
    "module power": Text("module power: CPU, GPU and memory", "模组功耗：含 CPU、GPU 与内存"),
    "measured maximum": Text("measured maximum", "实测最大值"),
}
KINDS_OF_EVIDENCE: dict[str, Text] = {
    "measured": Text("measured", "实测"),
    "computed from a measurement": Text("computed from a measurement", "由实测推算"),
    "rule of thumb": Text("rule of thumb", "经验值"),
}
# how a device is sold: the Chinese measure word that counts it
MEASURES: dict[str, str] = {"card": "张", "chip": "颗", "system": "台", "rack": "柜"}
ENGINES: dict[str, Text] = {
    "matrix": Text("matrix units", "矩阵单元"),
    "vector": Text("vector units", "向量单元"),
}
KIND_NAMES: dict[str, Text] = {
    "hardware": Text("hardware", "硬件"),
    "model": Text("model", "模型"),
    "calibration": Text("calibration", "标定"),
    "scenario": Text("scenario", "场景"),
    "claims": Text("collection of claims", "论断集"),
    "measurements": Text("collection of measurements", "实测集"),
}
