"""The compressed-tensors recipe: groups of targets with bits, type and strategy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.architecture.config import brief
from derive.architecture.quantization import formats
from derive.architecture.quantization.matching import Names, read_names
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.quantization.formats import Format

FORMATS = (
    "float-quantized", "int-quantized", "naive-quantized", "pack-quantized",
    "nvfp4-pack-quantized", "mxfp4-pack-quantized", "mixed-precision",
)  # fmt: skip
CALIBRATION = Text("how scales were found, not what is stored", "只说明缩放因子的求法，不影响存储")
CACHES = {"fp8": "fp8 (halve the bf16 numbers)", "int8": "int8 (halve the bf16 numbers)"}


def read(c: Config) -> tuple[list[tuple[Format, Names | None]], Names]:
    """Formats with their targets, and what is ignored."""
    c.only("format", *FORMATS)
    c.only("quantization_status", "compressed", "frozen")
    c.only("sparsity_config", {}, None)
    c.only("transform_config", {}, None)
    c.only("run_compressed", True)
    c.pass_by(CALIBRATION, "version", "global_compression_ratio")
    c.used.add("kv_cache_scheme")
    table = c.table("config_groups")
    groups = []
    for name in table.data:
        group = table.table(name)
        made, targets = one(group, c.data.get("format"))
        groups.append((made, targets))
    if not groups:
        c.reject("config_groups", tr("{name} is missing", name="config_groups"), code="M109")
    return groups, read_names(c, "ignore", "regex")


def one(g: Config, overall: object) -> tuple[Format, Names | None]:
    """The format and the targets of a group."""
    g.only("format", *FORMATS)
    name = g.data.get("format") or overall
    inputs = g.data.get("input_activations")
    g.used |= {"input_activations", "output_activations"}
    static = isinstance(inputs, dict) and inputs.get("dynamic") is False
    compute = computed_in(g, inputs)
    w = g.table("weights")
    w.pass_by(CALIBRATION, "observer", "observer_kwargs", "scale_dtype", "zp_dtype", "dynamic")
    w.only("type", "int", "float")
    bits = w.integer("num_bits", 4, 8)
    kind = f"{'fp' if w.data.get('type') == 'float' else 'int'}{bits}"
    strategy = w.data.get("strategy") or ("group" if w.data.get("group_size") else "tensor")
    w.only("strategy", "tensor", "channel", "group", "block", "tensor_group")
    size = w.data.get("group_size")
    w.only("group_size", None, -1, 16, 32, 64, 128, 256)
    group = size if isinstance(size, int) else -1
    symmetric = w.data.get("symmetric", True)
    w.only("symmetric", True, False)
    if symmetric is False and name != "pack-quantized":
        what = tr("{name} is false: zero points are not counted for this format",
                  name=w.where("symmetric"))  # fmt: skip
        w.reject("symmetric", what, code="M109")
    order = w.data.get("actorder")
    w.only("actorder", None, "weight", "static", "group", "dynamic")
    if name == "pack-quantized" and bits in (4, 8) and kind.startswith("int"):
        made = formats.packed(bits, group, symmetric=bool(symmetric),
                              ordered=order in ("group", "dynamic"), compute=compute)  # fmt: skip
    else:
        made = by_strategy(w, kind, str(strategy), group, compute, static=static)
    w.used.add("block_structure")
    targets = read_names(g, "targets", "regex")
    everything = targets.exact == {"Linear"} and targets.pattern is None
    if not everything and "Linear" in targets.exact:
        everything = True
    return made, None if everything else targets


def computed_in(g: Config, inputs: object) -> str:
    """The format of the products: that of the activations where they are quantized."""
    if not isinstance(inputs, dict):
        return ""
    bits, kind = inputs.get("num_bits", 8), inputs.get("type", "int")  # defaults of the library
    name = f"{'fp' if kind == 'float' else 'int'}{bits}"
    if name not in ("fp8", "int8", "fp4", "int4", "fp16"):
        what = tr("{name} is {value}, which is not understood",
                  name=g.where("input_activations"), value=f"{kind} {bits}"[:40])  # fmt: skip
        g.reject("input_activations", what, code="M109")
    return "" if name == "fp16" else name


def by_strategy(  # noqa: RET503  the last line raises
    w: Config, kind: str, strategy: str, group: int, compute: str, *, static: bool
) -> Format:
    """The format of a strategy."""
    if kind in ("fp8", "int8") and strategy == "tensor":
        return formats.eight_bit_tensor(kind, compute, static=static)
    if kind in ("fp8", "int8") and strategy == "channel":
        return formats.eight_bit_channel(kind, 2, compute)
    if kind == "fp8" and strategy == "block":
        rows, columns = w.integers("block_structure", 2, 1, 65536)
        return formats.fp8_blocks(rows, columns, 2, compute)
    if kind == "fp4" and strategy == "tensor_group" and group == 16:
        return replace(formats.nvfp4(), compute=compute)
    if kind == "fp4" and strategy == "group" and group == 32:
        return formats.mxfp4(compute)
    what = tr("{name} is {value}, which is not understood", name=w.where("strategy"),
              value=f"{kind} {strategy} {group}")  # fmt: skip
    w.reject("strategy", what, code="M109")


def cache_format(c: Config) -> str:
    """The format of the KV cache, if the recipe names one."""
    found = c.data.get("kv_cache_scheme")
    if found is None:
        return ""
    bits = found.get("num_bits") if isinstance(found, dict) else found
    kind = found.get("type") if isinstance(found, dict) else ""
    name = "fp8" if (bits, kind) == (8, "float") else "int8" if (bits, kind) == (8, "int") else ""
    name = "fp8" if str(found).upper() == "FP8" else name
    if not name:
        what = tr("{name} is {value}, which is not understood", name=c.where("kv_cache_scheme"),
                  value=brief(found))  # fmt: skip
        c.reject("kv_cache_scheme", what, code="M109")
    return CACHES[name]
