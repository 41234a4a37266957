"""Models of scans only: Mamba, Falcon-Mamba, Mamba-2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ssm import Fields2, mamba1, mamba2, read_mamba2
from derive.architecture.model import Naming, assemble, read_outer
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMING = Naming(("backbone.layers.{i}.",), "backbone.embeddings", "backbone.norm_f")
MAMBA2 = Fields2("num_heads", "head_dim", "state_size", "n_groups", "conv_kernel")
UNUSED = Text("a copy of sizes that the class computes", "类自行计算的尺寸的副本")


def read_step_rank(c: Config, name: str) -> None:
    """r_dt: a number, or "auto" for hidden_size / 16 rounded up."""
    if c.value(name) == "auto":
        source = f"{c.origin('hidden_size')} / 16, rounded up"
        c.sheet.let("r_dt", -(-c.sheet["d_model"] // 16), source)
    else:
        c.size("r_dt", name)


def read_inner(c: Config, expand: str, *, explicit: str = "") -> int:
    """The inner width: a field of its own where it rules, else expand times the hidden size."""
    if explicit and (given := c.maybe(explicit)) is not None:
        c.pass_by(tr("{name} gives the width", name=c.where(explicit)), expand)
        return given
    width = c.fraction(expand) * c.sheet["d_model"]
    if width.denominator != 1:
        c.reject(expand, tr("{name} does not make a whole width", name=c.where(expand)))
    return width.numerator


def mamba(c: Config) -> Model:
    """A norm and a scan per layer."""
    read_outer(c)
    given = c.value("intermediate_size") is not None
    inner = read_inner(c, "expand", explicit="intermediate_size")
    source = c.origin("intermediate_size") if given else f"expand * {c.origin('hidden_size')}"
    c.sheet.let("d_inner", inner, source)
    c.size("d_state", "state_size")
    c.size("d_conv", "conv_kernel")
    read_step_rank(c, "time_step_rank")
    c.pass_by(UNUSED, "d_inner", "ssm_cfg", "use_falcon_mambapy", "mixer_rms_eps", "layer_types",
              "num_heads", "n_groups", "head_dim")  # fmt: skip
    mixer = mamba1("mixer.", bias=c.flag("use_bias"), conv_bias=c.flag("use_conv_bias"))
    one = decoder_layer(c.sheet, "mamba", mixer, (), norms=("norm",))
    return assemble(c, [one] * read_layers(c), naming=NAMING)


def mamba_2(c: Config) -> Model:
    """A norm and a scan with heads per layer; head_dim is a head of the scan."""
    read_outer(c)
    read_mamba2(c, MAMBA2, read_inner(c, "expand"))
    c.only("intermediate_size", c.sheet["d_inner"])
    c.only("rms_norm", True)
    c.pass_by(UNUSED, "time_step_rank", "norm_before_gate", "layer_types")
    mixer = mamba2("mixer.", bias=c.flag("use_bias"), conv_bias=c.flag("use_conv_bias"))
    one = decoder_layer(c.sheet, "mamba2", mixer, (), norms=("norm",))
    return assemble(c, [one] * read_layers(c), naming=NAMING)


MAMBA: dict[str, object] = {
    "intermediate_size": None,
    "state_size": 16,
    "expand": 2,
    "conv_kernel": 4,
    "use_bias": False,
    "use_conv_bias": True,
    "time_step_rank": "auto",
    "tie_word_embeddings": True,
}

FAMILIES = (
    Family(
        ("mamba",), ("MambaForCausalLM",), "transformers 5.24.0, MambaConfig", mamba, MAMBA
    ),
    Family(
        ("falcon_mamba",),
        ("FalconMambaForCausalLM",),
        "transformers 5.24.0, FalconMambaConfig",
        mamba,
        MAMBA,
    ),
    Family(
        ("mamba2",),
        ("Mamba2ForCausalLM",),
        "transformers 5.24.0, Mamba2Config",
        mamba_2,
        {
            "num_heads": 128,
            "head_dim": 64,
            "state_size": 128,
            "expand": 2,
            "conv_kernel": 4,
            "n_groups": 8,
            "use_bias": False,
            "use_conv_bias": True,
            "tie_word_embeddings": False,
        },
    ),
)  # fmt: skip
