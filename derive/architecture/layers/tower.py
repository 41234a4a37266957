"""Towers for images: transformer layers, patch embeddings, projectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.parts import Tensors, linear, norm, vector
from derive.architecture.symbols import Sheet
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.text import Text

KIND = "vision"
TEXT_NAMES = ("text_config", "language_config", "llm_config")


def text_table(c: Config, defaults: dict[str, object], owner: str) -> Config:
    """The nested config of the language model."""
    name = next((n for n in TEXT_NAMES if c.data.get(n) is not None), TEXT_NAMES[0])
    return c.table(name, defaults, owner)


def vision_table(c: Config, defaults: dict[str, object], owner: str) -> Config | None:
    """The nested config of the tower, with symbols of its own; None where the file has none."""
    if not isinstance(c.data.get("vision_config"), dict) or not c.data["vision_config"]:
        c.only("vision_config", None, {})
        return None
    vision = c.table("vision_config", defaults, owner)
    vision.sheet = Sheet()
    return vision


def absent_tower() -> Text:
    """Said where the class has a tower and the config describes none."""
    return tr("the vision tower: the config does not describe it")


def whole_patch(v: Config, name: str = "patch_size") -> int:
    """The side of a patch; two equal numbers are one."""
    found = v.value(name)
    if isinstance(found, list) and len(found) == 2 and found[0] == found[1]:
        return v.sheet.let("p", v.integers(name, 2, 1)[0], v.origin(name))
    return v.size("p", name)


def heads_divide(v: Config, name: str) -> None:
    """Refuse heads whose size is no whole number; the class would round it down."""
    if v.sheet["d_vit"] % v.integer(name):
        v.reject(name, tr("{name} does not divide the width", name=v.where(name)), code="M107")


def patches(v: Config, image: str = "image_size") -> int:
    """n_p, the number of patches of an image."""
    side, patch = v.integer(image), whole_patch(v)
    count = (side // patch) ** 2
    return v.sheet.let("n_p", count, f"({v.origin(image)} / {v.origin('patch_size')})^2")


def dense(module: str, into: str, out: str, *, bias: bool = True) -> Tensors:
    """A linear layer of a tower."""
    return linear(module, into, out, KIND, bias=bias)


def table(module: str, *dims: str, leaf: str = "weight") -> Tensors:
    """A tensor that is not a linear layer."""
    return vector(module, KIND, *dims, leaf=leaf)


def conv(module: str, *dims: str, bias: bool) -> Tensors:
    """The embedding of patches; the first dimension is the width."""
    made = table(module, *dims)
    return made + table(module, dims[0], leaf="bias") if bias else made


def block(
    *,
    norms: tuple[str, str],
    norm_bias: bool = True,
    attention: tuple[str, ...],
    attention_bias: bool = True,
    mlp: tuple[str, ...],
    mlp_bias: bool = True,
    width: str = "d_vff",
    out_bias: bool | None = None,
) -> Tensors:
    """One layer; two names of attention mean q, k, v as one, three of the network mean a gate."""
    *into, out = attention
    made = (*norm(norms[0], "d_vit", bias=norm_bias), *norm(norms[1], "d_vit", bias=norm_bias))
    for name in into:
        outputs = "3 * d_vit" if len(into) == 1 else "d_vit"
        made += dense(name, "d_vit", outputs, bias=attention_bias)
    made += dense(out, "d_vit", "d_vit", bias=attention_bias if out_bias is None else out_bias)
    *up, down = mlp
    for name in up:
        made += dense(name, "d_vit", width, bias=mlp_bias)
    return made + dense(down, width, "d_vit", bias=mlp_bias)
