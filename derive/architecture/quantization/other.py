"""Recipes of single programs: EETQ, BitNet, AQLM, AutoRound, each as it stores them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.architecture.quantization import formats
from derive.architecture.quantization.matching import MOST, Names, read_names
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.quantization.formats import Format

SKIP = "modules_to_not_convert"
RUNTIME = Text("how the kernels run, not what is stored", "只影响计算内核，不影响存储")
TUNING = Text("how the weights were tuned", "只影响量化时的调优过程")
TUNED = """amp autoround_version backend batch_size block_name_to_quantize data_type dataset
    enable_minmax_tuning enable_norm_bias_tuning enable_quanted_input gradient_accumulate_steps
    iters low_gpu_mem_usage lr minmax_lr model_free nsamples seqlen static_groups
    to_quant_block_names true_sequential damp_percent desc_act super_bits super_group_size act_bits
    act_data_type act_dynamic act_group_size act_sym"""


def eetq(c: Config) -> tuple[Format, list[Names]]:
    """One byte a weight, a 2-byte scale for each row."""
    c.only("weights", "int8")
    return formats.eight_bit_channel("int8", 2, ""), [read_names(c, SKIP, "parts")]


def bitnet(c: Config) -> tuple[Format, list[Names]]:
    """Packed for offline use; online the weights stay as they were trained."""
    c.only("quantization_mode", "offline")
    c.only("linear_class", "bitlinear", "autobitlinear")
    c.only("use_rms_norm", False)
    c.pass_by(RUNTIME, "rms_norm_eps")
    return formats.ternary(), [read_names(c, SKIP, "parts")]


def aqlm(c: Config) -> tuple[Format, list[Names]]:
    """Sums of codebook entries; weights that are left as they are are listed by full path."""
    c.defaults = {"in_group_size": 8, "out_group_size": 1, "num_codebooks": 1,
                  "nbits_per_codebook": 16}  # fmt: skip
    c.owner = "transformers 5.24.0, AqlmConfig"
    into, out = c.integer("in_group_size", 1, 64), c.integer("out_group_size", 1, 64)
    count, bits = c.integer("num_codebooks", 1, 64), c.integer("nbits_per_codebook", 1, 16)
    listed = read_names(c, "linear_weights_not_to_quantize", "parts")
    plain = frozenset(name.removesuffix(".weight") for name in listed.exact)
    return formats.additive(bits, count, into, out), [Names(plain, listed.pattern)]


def autoround(c: Config) -> tuple[list[tuple[Format, Names | None]], list[Names], bool]:
    """Packed as awq packs, without an order of the inputs; layers with bits of their own."""
    c.only("data_type", "int")
    c.only("packing_format", *(f"auto_round:{n}" for n in ("gptq", "auto_gptq", "awq", "auto_awq")))
    c.only("act_bits", 16)
    c.only("sym", True, False)
    bits, group = read_bits(c)
    head = c.data.get("quant_lm_head") is True or c.data.get("lm_head") is True
    c.only("quant_lm_head", True, False)
    c.only("lm_head", True, False)
    c.pass_by(TUNING, *TUNED.split())
    found = c.data.get("extra_config")
    c.used.add("extra_config")
    own: dict[tuple[int, int], set[str]] = {}
    plain: set[str] = set()
    if found is not None:
        if not isinstance(found, dict) or len(found) > MOST:
            c.reject("extra_config", tr("{name} must be an object", name=c.where("extra_config")),
                     code="M109")  # fmt: skip
        for module, said in found.items():
            entry = c.nested(said if isinstance(said, dict) else {"": said}, "extra_config")
            entry.defaults = {"bits": bits, "group_size": group}
            exact = all(letter.isalnum() or letter in "._" for letter in module)
            if not exact or not isinstance(said, dict):
                what = tr("{name} holds {value}, which is not understood",
                          name=c.where("extra_config"), value=module[:60])  # fmt: skip
                c.reject("extra_config", what, code="M109")
            if entry.integer("bits", 2, 32) >= 16:
                plain.add(module)
            else:
                own.setdefault(read_bits(entry), set()).add(module)
    rules: list[tuple[Format, Names | None]] = [
        (packed(*key), Names(frozenset(modules))) for key, modules in sorted(own.items())
    ]
    excluded = [read_names(c, SKIP, "parts"), Names(frozenset(plain))]
    return [*rules, (packed(bits, group), None)], excluded, head


def read_bits(c: Config) -> tuple[int, int]:
    """Bits of a weight and the size of a group."""
    bits, group = c.integer("bits", 2, 8), c.integer("group_size", -1, 65536)
    if bits not in (2, 4, 8) or group == 0:
        name = "bits" if group else "group_size"
        what = tr("{name} is {value}, which is not understood", name=c.where(name),
                  value=bits if group else group)  # fmt: skip
        c.reject(name, what, code="M109")
    return bits, group


def packed(bits: int, group: int) -> Format:
    """The bytes are those of awq with zero points."""
    made = formats.awq(bits, group, zeros=True)
    return replace(made, name=f"auto-round {bits}-bit, groups of {group}")
