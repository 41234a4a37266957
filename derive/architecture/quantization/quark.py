"""The quark recipe: one format for all linear layers, exclusions by name, a cache in fp8."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from derive.architecture.config import brief
from derive.architecture.quantization import formats
from derive.architecture.quantization.matching import Names, read_names
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.quantization.formats import Format

HOW = Text("how the scales were found and packed", "只影响缩放因子的求取与打包方式")
SPEC = """ch_axis is_dynamic observer_cls round_method scale_calculation_mode scale_type symmetric
    mx_element_dtype zero_point_type is_scale_quant"""
FP8 = ("fp8_e4m3", "fp8_e4m3fn")


def read(c: Config) -> tuple[Format, list[Names], str]:
    """The format, the exclusions, the format of the KV cache."""
    every = c.table("global_quant_config")
    made = weight_format(every)
    for name in ("layer_quant_config", "layer_type_quant_config"):
        c.used.add(name)
        found = c.data.get(name)
        if found and not same(c, name, found, made):
            unknown(c, name, "layers of another format")
    c.only("softmax_quant_spec", None)
    c.pass_by(HOW, "algo_config", "quant_mode", "version", "bias_quant_spec", "log_severity_level")
    return made, [read_names(c, "exclude", "regex")], cache(c)


def weight_format(c: Config) -> Format:
    """The format of the weights; `input_tensors` says whether a scale of the inputs is kept."""
    if not isinstance(c.data.get("weight"), dict):
        unknown(c, "weight", c.data.get("weight"))
    weight = c.table("weight")
    inputs = c.data.get("input_tensors")
    static = isinstance(inputs, dict) and inputs.get("is_dynamic") is False
    given = inputs.get("dtype") if isinstance(inputs, dict) else ""
    compute = "fp8" if given in FP8 else str(given)
    if compute not in ("fp8", "int8", "fp4", ""):
        unknown(c, "input_tensors", given)
    c.used |= {"input_tensors", "output_tensors", "bias", "target_device"}
    kind, scheme = weight.data.get("dtype"), weight.data.get("qscheme")
    weight.used |= {"dtype", "qscheme", "group_size", "scale_format"}
    weight.pass_by(HOW, *SPEC.split())
    if kind in FP8 and scheme == "per_tensor":
        return formats.eight_bit_tensor("fp8", compute, static=static)
    if (kind in FP8 or kind == "int8") and scheme == "per_channel" and not static:
        weight.only("ch_axis", 0)
        return formats.eight_bit_channel("fp8" if kind in FP8 else "int8", 4, compute)
    if kind != "fp4" or scheme != "per_group":
        unknown(weight, "dtype", f"{kind}, {scheme}")
    weight.only("group_size", 32)
    weight.only("scale_format", "e8m0")
    weight.only("ch_axis", -1)
    return formats.mxfp4(compute)


def same(c: Config, name: str, found: object, made: Format) -> bool:
    """Whether layers with an entry of their own differ in what they put out alone."""
    if not isinstance(found, dict):
        return False
    entries = [c.nested(e, name) for e in found.values() if isinstance(e, dict)]
    return len(entries) == len(found) and all(weight_format(e) == made for e in entries)


def cache(c: Config) -> str:
    """Keys and values in fp8 where the recipe quantizes what their projections put out."""
    c.used.add("kv_cache_quant_config")
    export = c.table("export") if isinstance(c.data.get("export"), dict) else None
    c.used.add("export")
    group: object = None
    if export is not None:
        export.only("weight_format", "real_quantized")
        export.pass_by(HOW, "pack_method", "min_kv_scale", "weight_merge_groups")
        group = export.data.get("kv_cache_group")
        export.used.add("kv_cache_group")
    declared = bool(c.data.get("kv_cache_quant_config")) or bool(group)
    return "fp8 (halve the bf16 numbers)" if declared else ""


def unknown(c: Config, name: str, found: object) -> NoReturn:
    """Refuse a value."""
    what = tr("{name} is {value}, which is not understood", name=c.where(name),
              value=brief(found))  # fmt: skip
    c.reject(name, what, code="M109")
