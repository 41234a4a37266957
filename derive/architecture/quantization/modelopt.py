"""The modelopt recipe: an algorithm for all linear layers, or one for each layer that is listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from derive.architecture.config import brief
from derive.architecture.quantization import formats
from derive.architecture.quantization.compressed import CALIBRATION, cache_format
from derive.architecture.quantization.matching import MOST, Names, read_names
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.quantization.formats import Format

ALGORITHMS = {
    "FP8": formats.eight_bit_tensor("fp8", "fp8", static=True),
    "FP8_PER_CHANNEL_PER_TOKEN": formats.eight_bit_channel("fp8", 4, "fp8"),
    "NVFP4": formats.nvfp4(),
    "W4A16_NVFP4": formats.nvfp4(inputs=False),
    "MXFP8": formats.mxfp8(),
}
Groups = list[tuple["Format", Names | None]]


def read(c: Config) -> tuple[Groups, list[Names], str]:
    """Formats with their targets, exclusions, the format of the KV cache."""
    c.used |= {"producer", "config_groups", "version", "quant_method"}
    inner = c.table("quantization") if "quantization" in c.data else c
    inner.used.add("quant_method")
    names = [n for n in ("exclude_modules", "ignore") if n in inner.data]
    excluded = [read_names(inner, name, "glob") for name in names]
    cache = cache_name(inner)
    inner.only("has_zero_point", False)
    inner.only("pre_quant_scale", False)
    inner.pass_by(CALIBRATION, "smoothquant_val")
    name = inner.data.get("quant_algo")
    inner.used.add("quant_algo")
    if name == "MIXED_PRECISION":
        return layers(inner), excluded, cache
    inner.only("quantized_layers", None, {})
    inner.only("group_size", None, 32 if name == "MXFP8" else 16)
    if str(name) not in ALGORITHMS:
        unknown(inner, "quant_algo", name)
    check_groups(c, inner, str(name))
    return [(ALGORITHMS[str(name)], None)], excluded, cache


def check_groups(c: Config, inner: Config, algorithm: str) -> None:
    """The groups repeat what the algorithm says; where they differ, one of them is wrong."""
    wanted = {"num_bits": 4 if "NVFP4" in algorithm else 8, "type": "float"}
    groups = c.data.get("config_groups")
    if groups is not None and not isinstance(groups, dict):
        c.reject("config_groups", tr("{name} must be an object", name=c.where("config_groups")))
    for group in (groups or {}).values():
        weights = group.get("weights") if isinstance(group, dict) else None
        for name, value in wanted.items():
            said = weights.get(name, value) if isinstance(weights, dict) else value
            if said != value or isinstance(said, bool):
                what = tr("{first} and {second} contradict each other: {name} is {value}",
                          first=c.where("config_groups"), second=inner.where("quant_algo"),
                          name=f"weights.{name}", value=brief(said))  # fmt: skip
                c.reject("config_groups", what, code="M107")


def layers(c: Config) -> Groups:
    """One entry a layer."""
    found = c.data.get("quantized_layers")
    c.used |= {"quantized_layers", "group_size"}
    if not isinstance(found, dict) or not 0 < len(found) <= MOST:
        unknown(c, "quantized_layers", found)
    by_name: dict[str, set[str]] = {}
    for module, entry in found.items():
        name = entry.get("quant_algo") if isinstance(entry, dict) else None
        if str(name) not in ALGORITHMS:
            unknown(c, "quantized_layers", name)
        by_name.setdefault(str(name), set()).add(module)
    return [
        (ALGORITHMS[name], Names(frozenset(modules), whole=True))
        for name, modules in by_name.items()
    ]


def cache_name(c: Config) -> str:
    """The format of the KV cache, if the recipe names one."""
    found = c.data.get("kv_cache_quant_algo")
    c.used |= {"kv_cache_quant_algo", "kv_cache_scheme"}
    if found is None:
        return cache_format(c)
    if found != "FP8":
        unknown(c, "kv_cache_quant_algo", found)
    return "fp8 (halve the bf16 numbers)"


def unknown(c: Config, name: str, found: object) -> NoReturn:
    """Refuse a value."""
    what = tr("{name} is {value}, which is not understood", name=c.where(name),
              value=brief(found))  # fmt: skip
    c.reject(name, what, tr("known are {known}", known=", ".join(ALGORITHMS)), code="M109")
