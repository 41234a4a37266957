"""The compressed-tensors recipe: groups of targets with bits, type and strategy."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from derive.architecture.config import brief
from derive.architecture.quantization import formats
from derive.architecture.quantization.matching import Names, read_names
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.quantization.formats import Format

UNCOUNTED = {"Embedding", "Conv1d", "Conv2d", "Conv3d"}  # classes of modules that are not linear
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
    for first, other in combinations([targets for _, targets in groups], 2):
        if target := shared_target(first, other):
            what = tr("{name} has two groups for the target {target}",
                      name=c.where("config_groups"), target=brief(target))  # fmt: skip
            c.reject("config_groups", what, code="M107")
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
    strategy, group = grouping(w)
    symmetric = w.data.get("symmetric", True)
    w.only("symmetric", True, False)
    if symmetric is False and name != "pack-quantized":
        what = tr("{name} is false: zero points are not counted for this format",
                  name=w.where("symmetric"))  # fmt: skip
        w.reject("symmetric", what, code="M109")
    order = w.data.get("actorder")
    w.only("actorder", None, "weight", "static", "group", "dynamic")
    packs = name == "pack-quantized" and bits in (4, 8) and kind.startswith("int")
    if packs and strategy in ("channel", "group"):
        made = formats.packed(bits, group, symmetric=bool(symmetric),
                              ordered=order in ("group", "dynamic"), compute=compute)  # fmt: skip
    else:
        made = by_strategy(w, kind, strategy, group, compute, static=static)
    w.used.add("block_structure")
    targets = read_names(g, "targets", "regex")
    if others := sorted(targets.exact & UNCOUNTED):
        what = tr("{name} names {value}: only the quantization of linear layers is counted",
                  name=g.where("targets"), value=", ".join(others))  # fmt: skip
        g.reject("targets", what, code="M109")
    return made, None if "Linear" in targets.exact else targets


def shared_target(first: Names | None, other: Names | None) -> str:
    """A target that two groups both name; empty where there is none."""
    if first is None and other is None:
        return "Linear"
    if first is None or other is None:
        return ""
    return min({e for e, _ in first.entries} & {e for e, _ in other.entries}, default="")


def grouping(w: Config) -> tuple[str, int]:
    """Strategy and size of groups, -1 where there are none; refused where they do not go together.

    Without a strategy the library takes groups for a size, a scale a row for -1, else one scale.
    """
    size = w.data.get("group_size")
    w.only("group_size", None, -1, 16, 32, 64, 128, 256)
    w.only("strategy", None, "tensor", "channel", "group", "block", "tensor_group")
    implied = "tensor" if size is None else "channel" if size == -1 else "group"
    strategy = str(w.data.get("strategy") or implied)
    grouped = strategy in ("group", "tensor_group")
    named, other = w.where("group_size"), w.where("strategy")
    if grouped and size in (None, -1):
        what = tr("{name} is {value}, but {other} is {strategy}: it needs groups of a size",
                  name=named, value=brief(size), other=other, strategy=strategy)  # fmt: skip
        w.reject("group_size", what, code="M107")
    if not grouped and size not in (None, -1):
        what = tr("{name} is {value}, but {other} is {strategy}, which has no groups",
                  name=named, value=brief(size), other=other, strategy=strategy)  # fmt: skip
        w.reject("group_size", what, code="M107")
    if size == -1 and strategy != "channel":
        what = tr("{name} is {value}, which means a scale for each row, but {other} is {strategy}",
                  name=named, value=-1, other=other, strategy=strategy)  # fmt: skip
        w.reject("group_size", what, code="M107")
    return strategy, size if isinstance(size, int) else -1


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
        return replace(formats.nvfp4(inputs=bool(compute)), compute=compute)
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
