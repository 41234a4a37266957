"""What a file says of its run that the scenario does not: another model, accelerator, count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from derive.formula import standing_in
from derive.measured.against.accelerators import accelerator
from derive.measured.against.setting import Setting
from derive.measured.against.shares import get
from derive.measured.quantities import MEASURABLE
from derive.measured.record import Run
from derive.specs.types import Hardware
from derive.text import Text, tr
from derive.units import Quantity, show

# words of a name that tell no model from another
IDLE = {"instruct", "chat", "it", "base", "hf", "meta", "fp8", "awq", "gptq", "int4", "int8",
        "bf16", "fp16", "nvfp4", "fp4", "gguf", "w8a8", "w4a16", "preview", "model"}  # fmt: skip
CLOSE = Fraction(1, 20)  # formats carry scales, tables may be counted or not
SIZE = re.compile(r"(\d+(?:\.\d+)?)([bm])")


def cautions(run: Run, setting: Setting, hardware: Sequence[Hardware]) -> Iterator[Text]:
    """A sentence for each disagreement; only what the file itself says is compared."""
    scenario = setting.bound.scenario
    if (model := run.facts.get("model")) and not alike(
        model.text, [scenario.model.id, scenario.model.name.en, *scenario.model.aliases]
    ):
        yield tr("the file's model is {model}, the scenario's {own}: the bound is that of the "
                 "scenario", model=model.text, own=scenario.model.name)  # fmt: skip
    if told := run.facts.get("hardware"):
        named = accelerator(told.text, hardware)
        if named and scenario.hardware.id not in named:
            yield tr("the file's accelerator is {hardware}, the scenario's {own}",
                     hardware=told.text, own=scenario.hardware.name)  # fmt: skip
    yield from counted(run, setting)
    yield from sizes(run, setting)
    yield from formats(run, setting)


def counted(run: Run, setting: Setting) -> Iterator[Text]:
    """Devices of a replica."""
    found = next((v for s in ("one", "mean") if (v := run.value("g", s)) is not None), None)
    own = setting.bound.inputs.get("g")
    if found and own is not None and found != own.quantity.base:
        yield tr("the file's run is on {count} devices, the scenario on {own}",
                 count=f"{int(found):,}", own=f"{int(own.quantity.base):,}")  # fmt: skip


def sizes(run: Run, setting: Setting) -> Iterator[Text]:
    """Parameters and weight bytes, which some tools read off the model itself."""
    with standing_in(setting.bound.variants):
        for name, words in (("N", tr("parameters")), ("W", tr("weight bytes"))):
            found = next((f for s in ("one", "mean") if (f := run.get(name, s))), None)
            own = get(setting.bound.peak, name)
            if found is None or not own or abs(found.quantity.base / own - 1) <= CLOSE:
                continue
            units = MEASURABLE[name].unit
            yield tr("{what} in the file: {found}, in the scenario: {own}", what=words,
                     found=show(found.quantity).text,
                     own=show(Quantity(own / units.factor, units)).text)  # fmt: skip


def formats(run: Run, setting: Setting) -> Iterator[Text]:
    """A narrow format that the file names and the scenario has not, or the other way round."""
    for key, what in (("weights", tr("weights")), ("kv_cache", tr("KV cache"))):
        told = run.facts.get(key)
        own = setting.bound.scenario.precision.get(key, "")
        if not told or not own or width(told.text) is None or width(own) is None:
            continue
        if width(told.text) != width(own):
            yield tr("the file's {what} is {format}, the scenario's {own}",
                     what=what, format=told.text, own=own)  # fmt: skip


def width(text: str) -> Fraction | None:
    """Bits of a format's name; None where it is not told."""
    plain = text.lower()
    for word, bits in (("nvfp4", 4), ("mxfp4", 4), ("fp4", 4), ("int4", 4), ("awq", 4), ("gptq", 4),
                       ("fp8", 8), ("float8", 8), ("int8", 8), ("e4m3", 8), ("e5m2", 8),
                       ("bfloat16", 16), ("bf16", 16), ("float16", 16), ("fp16", 16),
                       ("half", 16), ("float32", 32), ("fp32", 32)):  # fmt: skip
        if word in plain:
            return Fraction(bits)
    return None


def words(name: str) -> set[str]:
    """The words of a model's name that tell it, without its owner."""
    plain = name.lower().replace("\\", "/").rstrip("/").rpartition("/")[2]
    plain = re.sub(r"(?<=[a-z])(?=\d)", "-", plain)
    return {w for w in re.split(r"[^a-z0-9.]+", plain) if w} - IDLE


def alike(told: str, names: Sequence[str]) -> bool:
    """Whether a name may be one of these: a size that differs says no, else a common word yes."""
    said = words(told)
    if not said:
        return True
    for name in names:
        known = words(name)
        sizes, others = ({w for w in part if SIZE.fullmatch(w)} for part in (said, known))
        if sizes and others and not sizes & others:
            continue
        if (said & known) - {w for w in said if SIZE.fullmatch(w)}:
            return True
    return False
