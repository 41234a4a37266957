"""A quantization_config read into rules: which modules, in which format."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from derive.architecture.config import brief
from derive.architecture.quantization import compressed, formats, modelopt, other, quark
from derive.architecture.quantization.format_names import format_name
from derive.architecture.quantization.matching import Names, read_names
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from derive.architecture.config import Config
    from derive.architecture.quantization.formats import Format

SKIP = "modules_to_not_convert"
EXPERTS = ("fp4", "fp8")  # formats that expert_dtype names
GPTQ_RUNTIME = """desc_act static_groups true_sequential damp_percent use_exllama exllama_config
    max_input_length use_cuda_fp16 model_seqlen dataset tokenizer batch_size disable_exllama
    block_name_to_quantize module_name_preceding_first_block pad_token_id cache_block_outputs
    meta act_group_aware model_file_base_name model_name_or_path is_marlin_format backend"""
RUNTIME = Text("how the kernels run, not what is stored", "只影响计算内核，不影响存储")


@dataclass(frozen=True)
class Rule:
    """Modules of one format; `targets` None means every linear layer."""

    format: Format
    targets: Names | None = None
    kinds: tuple[str, ...] = ()  # only these kinds of tensors


@dataclass
class Plan:
    """Everything that a recipe says."""

    method: str
    rules: list[Rule]
    excluded: list[Names]
    cache: str = ""  # format of the KV cache that the recipe declares
    head: bool = False  # whether the output head is treated as the other layers
    towers: bool = True  # whether the program quantizes towers unless they are excluded
    notes: list[Text] = field(default_factory=list)


def read_plan(c: Config, model_type: str, outer: Config | None = None) -> Plan:
    """The rules of a quantization_config; DeriveError M109 where it is not understood.

    `outer` is the config around it, which may name the format of the experts.
    """
    named = c.data.get("quant_method")
    c.used.add("quant_method")
    method = named if isinstance(named, str) else "modelopt" if algorithm(c) else ""
    readers: dict[str, Callable[[Config, str], Plan]] = {
        "fp8": partial(fp8, outer=outer),
        "fbgemm_fp8": fbgemm,
        "mxfp4": mxfp4,
        "awq": awq,
        "gptq": gptq,
        "bitsandbytes": bitsandbytes,
        "compressed-tensors": compressed_tensors,
        "modelopt": from_modelopt,
        "modelopt_fp4": from_modelopt,
        "mxfp8": mxfp8,
        "eetq": simple("eetq", other.eetq),
        "bitnet": simple("bitnet", other.bitnet),
        "aqlm": simple("aqlm", other.aqlm, towers=False),
        "auto-round": autoround,
        "intel/auto-round": autoround,
        "quark": from_quark,
    }
    if method not in readers:
        what = tr("{name} is {value}, which is not understood", name=c.where("quant_method"),
                  value=brief(named))  # fmt: skip
        hint = tr("known are {known}", known=", ".join(readers))
        c.reject("quant_method", what, hint, code="M109")
    plan = readers[method](c, model_type)
    if all(n == Names() or n == Names(whole=True) for n in plan.excluded):
        plan.notes.append(
            tr("the recipe excludes nothing, and the head is not left out either")
            if plan.head
            else tr("the recipe excludes nothing but the head (modules_to_not_convert, ignore)")
        )
    c.finish()
    return plan


def algorithm(c: Config) -> bool:
    """Whether the recipe is that of modelopt, which may name no method."""
    return "quant_algo" in c.data or "quantization" in c.data


def fp8(c: Config, model_type: str, outer: Config | None = None) -> Plan:
    """fp8 in blocks (DeepSeek, Qwen, MiniMax) or with one scale a matrix."""
    c.only("fmt", "e4m3", "float8_e4m3fn", "float8_e4m3")
    c.only("scale_fmt", "ue8m0")
    c.only("weight_per_tensor", False)
    scheme = c.data.get("activation_scheme")
    c.only("activation_scheme", "dynamic", "static")
    excluded = [read_names(c, SKIP, "parts"), read_names(c, "ignored_layers", "parts")]
    experts = expert_format(c, model_type, outer)
    if c.data.get("weight_block_size") is None:
        c.only("weight_block_size", None)
        made = formats.eight_bit_tensor("fp8", "fp8", static=scheme == "static")
    else:
        rows, columns = c.integers("weight_block_size", 2, 1, 65536)
        made = formats.fp8_blocks(rows, columns, scale_bytes(model_type))
    rules = [Rule(made)]
    said = format_name(made.name)
    notes = [tr("the config does not say how wide the scales are: {format}", format=said)]
    if experts is not None:
        rules.insert(0, Rule(experts, kinds=("routed_expert",)))
        said = format_name(experts.name)
        notes.append(tr("the routed experts are stored as {format}", format=said))
    return Plan("fp8", rules, excluded, notes=notes)


def expert_format(c: Config, model_type: str, outer: Config | None) -> Format | None:
    """The narrower format of the routed experts in DeepSeek-V4, and in nvidia's form of it."""
    said = expert_dtype(c, model_type, outer)
    if c.data.get("moe_quant_algo") is not None:
        if said == "fp8":
            what = tr("{first} and {second} differ", first=c.where("moe_quant_algo"),
                      second="expert_dtype")  # fmt: skip
            c.reject("moe_quant_algo", what, code="M107")
        c.only("moe_quant_algo", "NVFP4")
        c.only("quant_algo", "MIXED_PRECISION")
        c.only("kv_cache_quant_algo", None)
        c.pass_by(RUNTIME, "config_groups", "group_size", "ignore", "producer", "quantized_layers")
        return formats.nvfp4()
    return formats.mxfp4("fp8") if said == "fp4" else None  # by activations in fp8


def expert_dtype(c: Config, model_type: str, outer: Config | None) -> str:
    """fp4 or fp8 as the recipe or the config around it says; empty where neither does.

    DeepSeek-V4 was released with fp4, which is taken where the field is missing.
    """
    name = "expert_dtype"
    said = [(o, o.word(name, EXPERTS)) for o in (c, outer) if o is not None and name in o.data]
    for one in (c, *([outer] if outer else [])):
        one.used.add(name)
    if len({word for _, word in said}) > 1:
        what = tr("{first} and {second} mean the same and differ", first=said[0][0].where(name),
                  second=said[1][0].where(name))  # fmt: skip
        c.reject(name, what, code="M107")
    if said or model_type != "deepseek_v4":
        return said[0][1] if said else ""
    c.note(tr("{field} is not in the file: {value}, as {owner} was released", field=name,
              value="fp4", owner="DeepSeek-V4-Flash"))  # fmt: skip
    return "fp4"


def scale_bytes(model_type: str) -> int:
    """Width of the scales as the releases of a type store them."""
    if model_type == "deepseek_v4":
        return 1
    return 2 if model_type.startswith("qwen3") else 4


def fbgemm(c: Config, model_type: str) -> Plan:
    """One scale for each row."""
    del model_type
    c.pass_by(RUNTIME, "activation_scale_ub")
    excluded = [read_names(c, SKIP, "parts")]
    return Plan("fbgemm_fp8", [Rule(formats.eight_bit_channel("fp8", 4, "fp8"))], excluded)


def mxfp4(c: Config, model_type: str) -> Plan:
    """The experts only."""
    del model_type
    excluded = [read_names(c, SKIP, "parts")]
    return Plan("mxfp4", [Rule(formats.mxfp4(), kinds=("routed_expert",))], excluded)


def awq(c: Config, model_type: str) -> Plan:
    """Every linear layer but the head and what is excluded."""
    del model_type
    c.only("version", "gemm", "GEMM", "gemv", "GEMV")
    c.pass_by(RUNTIME, "backend", "do_fuse", "fuse_max_seq_len", "modules_to_fuse",
              "exllama_config")  # fmt: skip
    bits = c.integer("bits" if "bits" in c.data else "w_bit", 4, 4)
    group = c.integer("group_size" if "group_size" in c.data else "q_group_size", -1, 65536)
    zeros = c.data.get("zero_point", True)
    c.only("zero_point", True, False)
    excluded = [read_names(c, SKIP, "parts")]
    return Plan("awq", [Rule(formats.awq(bits, checked_group(c, group), zeros=bool(zeros)))],
                excluded)  # fmt: skip


def checked_group(c: Config, group: int) -> int:
    """-1 or a positive size."""
    if group == 0:
        what = tr("{name} is {value}; it must be -1 or at least 1", name=c.where("group_size"),
                  value=group)  # fmt: skip
        c.reject("group_size", what, code="M109")
    return group


def gptq(c: Config, model_type: str) -> Plan:
    """As awq; the head only where the recipe says so."""
    del model_type
    bits = c.integer("bits", 2, 8)
    c.only("bits", 2, 3, 4, 8)
    group = checked_group(c, c.integer("group_size", -1, 65536))
    c.only("sym", True, False)
    c.only("dynamic", None, {})
    c.only("checkpoint_format", "gptq", "gptq_v2")
    c.only("pack_dtype", "int32")
    c.pass_by(RUNTIME, *GPTQ_RUNTIME.split())
    c.only("modules_in_block_to_quantize", None)
    head = c.data.get("lm_head") is True
    c.only("lm_head", True, False)
    excluded = [read_names(c, SKIP, "parts")]
    rules = [Rule(formats.gptq(bits, group))]
    return Plan("gptq", rules, excluded, head=head, towers=False)


def bitsandbytes(c: Config, model_type: str) -> Plan:
    """Four or eight bits; without a list the head stays as it is."""
    del model_type
    four = c.data.get("load_in_4bit") is True or c.data.get("_load_in_4bit") is True
    eight = c.data.get("load_in_8bit") is True or c.data.get("_load_in_8bit") is True
    for name in ("load_in_4bit", "load_in_8bit", "_load_in_4bit", "_load_in_8bit",
                 "llm_int8_has_fp16_weight", "bnb_4bit_use_double_quant"):  # fmt: skip
        c.only(name, True, False)
    if four == eight:
        both = tr("{first} and {second} are both true", first=c.where("load_in_4bit"),
                  second=c.where("load_in_8bit"))  # fmt: skip
        neither = tr("neither {first} nor {second} is true", first=c.where("load_in_4bit"),
                     second=c.where("load_in_8bit"))  # fmt: skip
        c.reject("load_in_4bit", both if four else neither, code="M109")
    c.only("bnb_4bit_quant_type", "nf4", "fp4")
    c.only("bnb_4bit_quant_storage", "uint8", "bfloat16", "float16", "float32")
    c.pass_by(RUNTIME, "llm_int8_threshold", "llm_int8_enable_fp32_cpu_offload",
              "bnb_4bit_compute_dtype")  # fmt: skip
    double = c.data.get("bnb_4bit_use_double_quant") is True
    made = formats.bitsandbytes4(double=double) if four else formats.bitsandbytes8()
    excluded = [read_names(c, "llm_int8_skip_modules", "parts")]
    notes = [tr("the description of each matrix, some hundred bytes, is not counted")]
    return Plan("bitsandbytes", [Rule(made)], excluded, notes=notes)


def compressed_tensors(c: Config, model_type: str) -> Plan:
    """Groups of modules, each with a format."""
    del model_type
    groups, ignored = compressed.read(c)
    rules = [Rule(made, targets) for made, targets in groups]
    return Plan("compressed-tensors", rules, [ignored], compressed.cache_format(c), head=True)


def from_modelopt(c: Config, model_type: str) -> Plan:
    """One algorithm for all linear layers, or one for each that is listed."""
    del model_type
    made, excluded, cache = modelopt.read(c)
    head = any(t is not None and t.names_head for _, t in made)
    return Plan("modelopt", [Rule(f, t) for f, t in made], excluded, cache, head)


def mxfp8(c: Config, model_type: str) -> Plan:
    """fp8 with one byte of scale for 32 weights."""
    del model_type
    c.only("fmt", "e4m3", "float8_e4m3fn", "float8_e4m3")
    c.only("scale_fmt", "ue8m0")
    c.only("activation_scheme", "dynamic")
    c.only("weight_block_size", None, [1, 32])
    c.only("group_size", 32)
    excluded = [read_names(c, SKIP, "parts"), read_names(c, "ignored_layers", "parts")]
    return Plan("mxfp8", [Rule(formats.mxfp8())], excluded)


def simple(
    method: str, read: Callable[[Config], tuple[Format, list[Names]]], *, towers: bool = True
) -> Callable[[Config, str], Plan]:
    """A recipe of one format for every linear layer but the head and what is excluded."""

    def reader(c: Config, model_type: str) -> Plan:
        del model_type
        made, excluded = read(c)
        return Plan(method, [Rule(made)], excluded, towers=towers)

    return reader


def autoround(c: Config, model_type: str) -> Plan:
    """The decoder's layers; the head where the recipe says so."""
    del model_type
    made, excluded, head = other.autoround(c)
    rules = [Rule(one, targets) for one, targets in made]
    return Plan("auto-round", rules, excluded, head=head, towers=False)


def from_quark(c: Config, model_type: str) -> Plan:
    """Every linear layer that is not excluded, the head too."""
    del model_type
    made, excluded, cache = quark.read(c)
    return Plan("quark", [Rule(made)], excluded, cache, head=True)
