"""What a config declares beside its shapes: the recipe of quantization, the width of a state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from derive.architecture import quantization
from derive.architecture.config import Config
from derive.errors import printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.json_file import Source
    from derive.architecture.model import Model

RECIPE, EXPERTS = "quantization_config", "expert_dtype"
STATES = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
Read = tuple[str, quantization.Plan]


@dataclass(frozen=True)
class State:
    """The width that a config declares for the recurrent state, and in which field."""

    name: str
    dtype: str

    @property
    def bytes(self) -> int:
        """Bytes of an element."""
        return BYTES[self.dtype]


def recipe(c: Config, beside: Source | None, model: Model, width: int) -> quantization.Plan | None:
    """The recipe of the file, of its text part, or of the file beside it; None without one.

    Several are one where they give the same bytes; else none of them is taken for the right one.
    """
    kind = str(c.data["model_type"])
    around = next((o for o in (c, *c.children) if EXPERTS in o.data), c)
    plans: list[Read] = []
    for one in (c, *c.children):
        one.used.add(RECIPE)
        if one.data.get(RECIPE) is not None:
            plans.append(
                (one.where(RECIPE), quantization.read_plan(one.table(RECIPE), kind, around))
            )
    if beside is not None:
        read = quantization.read_plan(Config(beside, log=c.log), kind, around)
        plans.append((printable(Path(beside.file).name, 60), read))
    if not plans:
        without(c, around)
        return None
    first = plans[0]
    for other in plans[1:]:
        agree(c, first, other, model, width)
    if len(plans) > 1:
        names = [Text(name, name) for name, _ in plans]
        c.note(tr("{first} and {second} declare the same recipe", first=names[0],
                  second=names[-1]))  # fmt: skip
    plan = first[1]
    plan.cache = next((p.cache for _, p in plans if p.cache), "")
    plan.notes += unmatched(plan, model)
    return plan


def without(c: Config, around: Config) -> None:
    """No recipe: then no field may speak of one."""
    if around.data.get(EXPERTS) is not None:
        what = tr("{name} names the format of the experts, but the file declares no recipe",
                  name=around.where(EXPERTS))  # fmt: skip
        around.reject(EXPERTS, what, code="M107")
    around.only(EXPERTS, None)
    c.note(tr("no quantization is declared: every weight is stored in the dtype of the file"))


def agree(c: Config, first: Read, other: Read, model: Model, width: int) -> None:
    """Refuse two recipes that give different bytes or caches."""
    sizes = [
        quantization.stored_bytes(model.placed, plan, width).total for _, plan in (first, other)
    ]
    caches = {plan.cache for _, plan in (first, other) if plan.cache}
    if sizes[0] != sizes[1]:
        what = tr("{first} ({method}) and {second} ({other}) contradict each other: {a} and {b} "
                  "bytes of weights", first=first[0], method=first[1].method, second=other[0],
                  other=other[1].method, a=f"{sizes[0]:,}", b=f"{sizes[1]:,}")  # fmt: skip
        hint = tr("keep the recipe that the checkpoint was written with")
        c.reject(RECIPE, what, hint, code="M107")
    if len(caches) > 1:
        what = tr("{first} and {second} declare different formats of the KV cache",
                  first=first[0], second=other[0])  # fmt: skip
        c.reject(RECIPE, what, code="M107")


def unmatched(plan: quantization.Plan, model: Model) -> list[Text]:
    """What a recipe leaves out, or quantizes, by names that no module has."""
    placed = [*model.placed, *model.mtp]
    made = []
    if entries := quantization.unmatched(plan.excluded, placed):
        made.append(tr("{count} exclusions of the recipe name no module that is counted here: "
                       "{names}", count=len(entries), names=listed(entries)))  # fmt: skip
    targets = [rule.targets for rule in plan.rules if rule.targets is not None]
    if entries := quantization.unmatched(targets, placed):
        made.append(tr("{count} targets of the recipe name no module that is counted here, so "
                       "nothing is quantized by them: {names}",
                       count=len(entries), names=listed(entries)))  # fmt: skip
    return made


def listed(entries: list[str]) -> str:
    """The first entries in a row."""
    return ", ".join(entries[:MOST]) + (", …" if len(entries) > MOST else "")


MOST = 5  # exclusions that are named


def state_width(c: Config) -> State | None:
    """The declared width of the recurrent state; several fields must agree."""
    found: list[State] = []
    for one in (c, *c.children):
        for name in STATES:
            one.used.add(name)
            if one.data.get(name) not in (None, "auto"):
                dtype = one.word(name, (*BYTES, *(f"torch.{b}" for b in BYTES)))
                found.append(State(one.where(name), dtype.removeprefix("torch.")))
                if found[-1].dtype != found[0].dtype:
                    what = tr("{first} and {second} mean the same and differ",
                              first=found[0].name, second=found[-1].name)  # fmt: skip
                    one.reject(name, what, code="M107")
    return found[0] if found else None
