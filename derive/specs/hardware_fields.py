"""The keys of a hardware spec."""

from __future__ import annotations

from derive.specs.fields import (
    ALIASES,
    BOTH,
    DENSE,
    ID,
    NAME,
    NOTES,
    ONE_WAY,
    PEAK,
    SPARSE,
    Field,
    count,
    per_device,
    table,
)
from derive.specs.precision import BASES, PRECISIONS
from derive.specs.words import ENGINES, MEASURES
from derive.text import Text, same

_RATE = ("TFLOP/s", "PFLOP/s")
_peaks = tuple(
    table(
        precision,
        Text(f"peak compute in {precision}", f"{precision} 峰值算力"),
        Field("engine", "choice", Text("units", "计算单元"), choices=tuple(ENGINES)),
        per_device(
            "dense", "FLOP/s", Text("without sparsity", "不带稀疏"),
            likely=_RATE, least=10**9, most=10**21, basis=(DENSE, PEAK),
        ),
        per_device(
            "with_sparsity", "FLOP/s", Text("with structured sparsity", "带结构化稀疏"),
            likely=_RATE, least=10**9, most=10**21, basis=(SPARSE, PEAK),
        ),
        basis=(same(precision),),
        bases=BASES,
    )
    for precision in PRECISIONS
)  # fmt: skip
_DOMAIN = (
    Field("name", "text", Text("as it is sold", "产品名称"), required=True),
    count("devices", "device", Text("devices in it", "其中的设备数"), required=True, least=2, most=10**6),
    Field("all_to_all", "bool", Text("each reaches each at its full link rate", "任意两设备间均可达满互联带宽")),
)  # fmt: skip

_BYTES_PER_SECOND = ("TB/s", "GB/s")
HARDWARE = (
    ID,
    NAME,
    Field("vendor", "text", Text("vendor", "厂商")),
    Field("year", "year", Text("year of release, not graded", "发布年份（未定级）")),
    ALIASES,
    table("peak", Text("peak compute by precision", "各精度峰值算力"), *_peaks),
    Field(
        "lacks", "choices", Text("precisions that its units do not have", "计算单元不支持的精度"),
        choices=PRECISIONS,
    ),
    Field(
        "sold_as", "choice", Text("how one device is counted; a card where left out", "单个设备的计数方式，缺省为卡"),
        choices=tuple(MEASURES),
    ),
    Field(
        "other_builds", "bool",
        Text("the name covers builds that this spec does not", "同名还有本规格未收录的版本"),
    ),
    Field(
        "domains", "rows", Text("systems that one link joins", "由同一互联组成的系统"), fields=_DOMAIN
    ),
    table(
        "memory", Text("device memory", "显存"),
        Field("type", "text", Text("memory type", "显存类型")),
        per_device(
            "marketed", "byte", Text("capacity as marketed", "标称容量"),
            required=True, likely=("GB", "GiB"), least=10**8, most=10**16,
            basis=(Text("marketed", "标称"),),
        ),
        per_device(
            "driver_visible", "byte", Text("capacity as the driver reports it", "驱动可见容量"),
            likely=("MiB", "GiB", "GB"), least=10**8, most=10**16,
            basis=(Text("driver-visible", "驱动可见"),),
        ),
        per_device(
            "bandwidth", "byte/s", Text("peak memory bandwidth", "显存带宽峰值"),
            required=True, likely=_BYTES_PER_SECOND, least=10**6, most=10**18, basis=(PEAK,),
        ),
        required=True,
    ),
    table(
        "interconnect", Text("link between devices", "设备间互联"),
        Field("type", "text", Text("link type", "互联类型")),
        per_device(
            "per_direction", "byte/s", Text("one direction", "单方向"),
            likely=_BYTES_PER_SECOND, least=10**6, most=10**18, basis=(ONE_WAY, PEAK),
        ),
        per_device(
            "total", "byte/s", Text("both directions together", "双向合计"),
            likely=_BYTES_PER_SECOND, least=10**6, most=10**18, basis=(BOTH, PEAK),
        ),
    ),
    per_device("power", "W", Text("power limit", "功耗上限"), likely=("W",), most=10**6),
    NOTES,
)  # fmt: skip
