"""The published weights of a model: their bytes as stored, and what that is for one parameter."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.specs.types import Value
from derive.text import Text
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.specs.types import Model

MEAN = Text(
    "mean of the model as published: "
    "bytes of all its tensors, scales included, over the parameters",
    "按发布的模型取平均：全部张量的字节数（含缩放因子）除以参数量",
)
RELATIVE = Text("bytes per parameter here over the mean of all", "该部分每参数字节数与总体均值之比")
UNREAD = Text("bytes as published, over all", "按发布的字节数，占全部的比例")
ONE_FORMAT = Text("one format for all weights", "全部权重同一格式")
TIED = Text(
    "the table is shared with the output head, which decode reads",
    "词表与输出头共用，decode 需要读取",
)
UNREAD_FIXED = Text(
    "bytes as published, over those of all but the routed experts and towers",
    "按发布的字节数，占路由专家与各塔以外部分的比例",
)
COUNTED_FIXED = Text(
    "parameters, over all but those of the routed experts and towers",
    "按参数量，占路由专家与各塔以外部分的比例",
)
COUNTED = Text("parameters, over all", "按参数量，占全部的比例")


PARTS = {"r_fix": "N_fix", "r_exp": "N_exp", "r_side": "N_side"}


def published(model: Model) -> dict[str, Value]:
    """Bytes per parameter of the published weights, and how their parts differ from the mean."""
    stored = model.stored
    assert stored is not None
    total, count = stored.total.quantity.base, stored.count
    mean = figure(stored.total, total, count, "byte/param", MEAN)
    if model.values["N"].quantity.base != count:  # set from outside: another size of model
        return {**in_one_format(model), "w": mean}
    routed, towers = (
        v.quantity.base if v else Fraction(0) for v in (stored.experts, stored.towers)
    )
    sizes = {"r_fix": total - routed - towers, "r_exp": routed, "r_side": towers}
    made = {"w": mean}
    for name, part in PARTS.items():
        if part in model.structure:
            own = model.structure[part].quantity.base
            made[name] = figure(stored.total, sizes[name] * count, total * own, "", RELATIVE)
    unread = stored.unread.quantity.base
    if "N_fix" in model.structure:
        made["s_idle"] = figure(stored.unread, unread, sizes["r_fix"], "", UNREAD_FIXED)
    else:
        made["s_idle"] = figure(stored.unread, unread, total, "", UNREAD)
    return made


def in_one_format(model: Model) -> dict[str, Value]:
    """The same where every weight takes as many bytes as the next."""
    count, parts = model.values["N"], [n for n, part in PARTS.items() if part in model.structure]
    made = {n: figure(count, Fraction(1), Fraction(1), "", ONE_FORMAT) for n in parts}
    tied = model.tied_embeddings is True
    unread = model.unread or (model.embedding if parts and not tied else None)
    if unread is not None:
        fixed = model.structure.get("N_fix")
        whole, how = (fixed, COUNTED_FIXED) if fixed else (count, COUNTED)
        made["s_idle"] = figure(unread, unread.quantity.base, whole.quantity.base, "", how)
    elif parts and tied:
        made["s_idle"] = figure(count, Fraction(0), Fraction(1), "", TIED)
    return made


def figure(of: Value, above: Fraction, below: Fraction, units: str, how: Text) -> Value:
    """A quotient of two whole numbers, written as such."""
    text = f"{above}/{below} {units}".strip() if below != 1 else f"{above} {units}".strip()
    return replace(
        of, quantity=Quantity(above / below, unit(units)), text=text, how=how, printed=""
    )
