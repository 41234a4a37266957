"""What a request keeps of its past: bytes as a function of the context T, per kind of layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.architecture.parts import product
from derive.architecture.symbols import Symbol, names
from derive.architecture.totals import Derivation
from derive.errors import printable
from derive.specs.growth import BLOCK, ELEMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.architecture.declared import State
    from derive.architecture.model import Model
    from derive.architecture.parts import Cache, Layer


__all__ = ["BLOCK", "ELEMENT", "Group", "Kept", "derivations", "groups", "kept", "number"]


@dataclass
class Group:
    """The caches of one kind in all layers that have it."""

    layer: Layer
    cache: Cache
    layers: int

    def number(self, text: str) -> int:
        """The value of a formula of the cache."""
        return self.layer.count(text)

    @property
    def bytes_per_token(self) -> int:
        """Bytes that a token adds in one layer, indexer and compressed entries apart."""
        return ELEMENT * self.number(self.cache.width)

    @property
    def window(self) -> int | None:
        """Tokens that the layer keeps at most."""
        return self.number(self.cache.window) if self.cache.window else None

    @property
    def state(self) -> int:
        """Recurrent elements of one layer."""
        return self.number(self.cache.state)

    @property
    def conv(self) -> int:
        """Elements of the convolution's past in one layer, its width less one."""
        return self.number(self.cache.conv)

    @property
    def flops(self) -> int:
        """FLOPs per token and context token in one layer."""
        return self.number(self.cache.flops)

    @property
    def compressed(self) -> list[tuple[int, int]]:
        """Tokens per entry, bytes of an entry."""
        return [(self.number(r), ELEMENT * self.number(w)) for r, w in self.cache.compressed]

    def bites(self, position: int | None) -> bool:
        """Whether the window is shorter than the longest context."""
        return self.window is not None and (position is None or self.window < position)

    def at(self, context: int, *, block: int = 1, every_token: bool = False) -> int:
        """Bytes of all layers of the group at a context, in whole blocks of tokens."""
        kept = context if self.window is None or every_token else min(context, self.window)
        rounded = -(-kept // block) * block
        everywhere = -(-context // block) * block
        one = rounded * self.bytes_per_token + everywhere * ELEMENT * self.number(self.cache.index)
        # an entry that is being filled has its place in a block, but is not live yet
        entries = (-(-everywhere // r) if block > 1 else context // r for r, _ in self.compressed)
        one += sum(n * width for n, (_, width) in zip(entries, self.compressed, strict=True))
        return self.layers * one

    def intensity(self) -> Fraction | None:
        """FLOP per byte of cache that attention reads; the absorbed form where there is one."""
        absorbed = self.cache.absorbed
        flops = self.number(absorbed) if absorbed else self.flops
        return Fraction(flops, self.bytes_per_token) if flops and self.bytes_per_token else None

    def text(self, element: int = ELEMENT) -> str:
        """The bytes of the group as a function of T, for elements of so many bytes."""
        kept = f"min(T, {self.window})" if self.window is not None else "T"
        parts = [(kept, self.bytes_per_token), ("T", ELEMENT * self.number(self.cache.index))]
        parts += [(f"floor(T / {ratio})", width) for ratio, width in self.compressed]
        parts = [(t, w * element // ELEMENT) for t, w in parts]
        return " + ".join(f"{self.layers} * {t} * {w}" for t, w in parts if w)

    def json(self) -> dict[str, object]:
        """The record's form."""
        made: dict[str, object] = {"kind": self.cache.kind}
        made |= {name: self.number(text) for name, text in self.cache.shown}
        made["n_layers"] = self.layers
        made["bytes_per_token_per_layer"] = self.bytes_per_token
        if self.window is not None:
            made["window_tokens"] = self.window
        made["attn_flops_per_token_per_context_token"] = self.flops
        if self.cache.absorbed:
            made["f_absorbed"] = self.number(self.cache.absorbed)
        if self.cache.topk:
            made["topk"] = self.number(self.cache.topk)
        if self.cache.compressed:
            made["comp"] = [[r, w // ELEMENT] for r, w in self.compressed]
        if self.state or self.conv:
            made["state_elements_conv_width_minus_1"] = self.conv
            made["state_elements_conv_hf"] = self.number(self.cache.conv_library)
            made["state_elements_recurrent"] = self.state
        intensity = self.intensity()
        if intensity is not None:
            made["attention_intensity_flop_per_byte"] = float(intensity)
        return made


@dataclass
class Kept:
    """All groups of a model."""

    groups: list[Group]
    position: int | None
    declared: str = ""  # a narrower format that the config declares for the cache
    recurrent: int = ELEMENT  # bytes of a recurrent element, as the config declares
    state_declared: State | None = None  # a width that the config declares for the state
    notes: list[str] = field(default_factory=list)

    @property
    def unbounded(self) -> Fraction:
        """Bytes that a token adds in layers whose window, if any, never bites."""
        made = Fraction(0)
        for g in self.groups:
            if not g.bites(self.position):
                made += g.layers * g.bytes_per_token
            made += g.layers * ELEMENT * g.number(g.cache.index)
            made += sum((Fraction(g.layers * w, r) for r, w in g.compressed), Fraction(0))
        return made

    @property
    def inside_windows(self) -> Fraction:
        """Bytes that a token adds while the context is shorter than every window."""
        bounded = sum(g.layers * g.bytes_per_token for g in self.groups if g.bites(self.position))
        return self.unbounded + bounded

    def at(self, context: int) -> int:
        """Live bytes at a context, without constant state."""
        return sum(g.at(context) for g in self.groups)

    def reserved(self, context: int, *, block: int = BLOCK, every_layer: bool = False) -> int:
        """Bytes an engine sets aside: whole blocks, every layer in full where pools are shared."""
        return sum(g.at(context, block=block, every_token=every_layer) for g in self.groups)

    def state(self, element: int | None = None) -> int:
        """Constant bytes per request; the recurrent part as wide as declared, or as asked."""
        element = element or self.recurrent
        return sum(g.layers * (ELEMENT * g.conv + element * g.state) for g in self.groups)

    @property
    def recurrent_elements(self) -> int:
        """Recurrent elements per request; the past of convolutions is apart."""
        return sum(g.layers * g.state for g in self.groups)

    @property
    def state_library(self) -> int:
        """Elements that the library's own cache holds."""
        return sum(g.layers * (g.number(g.cache.conv_library) + g.state) for g in self.groups)

    @property
    def cross(self) -> int:
        """Bytes per image token of cross-attention layers."""
        return sum(g.layers * ELEMENT * g.number(g.cache.cross) for g in self.groups)

    @property
    def element(self) -> int:
        """Bytes of an element of the cache in the format that the config declares."""
        return ELEMENT // 2 if self.declared else ELEMENT

    def expression(self, element: int = ELEMENT, state: int | None = None) -> str:
        """Bytes per request as a function of T, state included; the state's width apart."""
        parts = [g.text(element) for g in self.groups]
        state = self.state(state)
        return " + ".join([*(p for p in parts if p), *([str(state)] if state else [])]) or "0"

    def attention(self) -> dict[str, int]:
        """FLOPs per token and context token, layers with a window apart."""
        of = {True: 0, False: 0}
        for g in self.groups:
            of[g.window is not None] += g.layers * g.flops
        return {"unbounded_layers": of[False], "window_layers": of[True]}

    def json(self, contexts: Sequence[int]) -> dict[str, object]:
        """The record's form."""
        made: dict[str, object] = {
            "dtype": "bf16 (2 bytes)",
            "groups": [g.json() for g in self.groups],
            "bytes_per_token_unbounded_layers": number(self.unbounded),
            "bytes_per_token_while_inside_all_windows": number(self.inside_windows),
            "bytes_at_context": {str(t): self.at(t) for t in contexts},
            "state_bytes_per_sequence": {
                "all_bf16_conv_width_minus_1": self.state(ELEMENT),
                "bf16_conv_fp32_recurrent": self.state(4),
                "hf_cache_elements": self.state_library,
            },
            "state_bytes_as_declared": self.state(),
            "declared_recurrent_bytes_per_element": self.recurrent,
            "expression": self.expression(ELEMENT, ELEMENT),
            "expression_as_declared": self.expression(self.element),
            "bytes_per_element_as_declared": self.element,
            "reserved_bytes_at_context": {
                "block_tokens": BLOCK,
                "whole_blocks": {str(t): self.reserved(t) for t in contexts},
                "every_layer_in_full": {
                    str(t): self.reserved(t, every_layer=True) for t in contexts
                },
            },
            "max_position": self.position,
            "contexts_beyond_max_position": [
                t for t in contexts if self.position is not None and t > self.position
            ],
            "dense_attention_flops_per_token_per_context_token": self.attention(),
        }
        index = sum(g.layers * ELEMENT * g.number(g.cache.index) for g in self.groups)
        if index:
            made["bytes_per_token_without_indexer"] = number(self.unbounded - index)
            made["bytes_at_context_without_indexer"] = {
                str(t): self.at(t) - index * t for t in contexts
            }
        if self.cross:
            made["cross_attention_bytes_per_image_token"] = self.cross
        if self.declared:
            made["declared_kv_cache_dtype"] = self.declared
        if self.state_declared and self.recurrent_elements:
            made["declared_state_dtype"] = {
                "field": printable(self.state_declared.name),
                "dtype": self.state_declared.dtype,
                "state_bytes_per_sequence": self.state(self.state_declared.bytes),
            }
        return made


def number(value: Fraction) -> int | float:
    """A whole number as such, anything else as a float."""
    return value.numerator if value.denominator == 1 else float(value)


def kept(model: Model) -> Kept:
    """What a request of a model keeps."""
    return Kept(groups(model), model.position)


def groups(model: Model) -> list[Group]:
    """The groups of a model in the order of its layers; equal caches are one group."""
    made: list[Group] = []
    for placed in model.placed:
        if placed.role != "text":
            continue
        for cache in placed.layer.caches:
            same = next((g for g in made if g.cache == cache and alike(g, placed.layer)), None)
            if same:
                same.layers += placed.used
            else:
                made.append(Group(placed.layer, cache, placed.used))
    return made


def alike(group: Group, other: Layer) -> bool:
    """Whether the symbols that a cache names have the same values in another layer."""
    used = {name for text in group.cache.texts for name in names(text)}
    mine, theirs = dict(group.layer.values), dict(other.values)
    return all(mine[name].value == theirs[name].value for name in used)


def derivations(of: Kept) -> list[Derivation]:
    """Cache bytes, state elements and attention FLOPs of every group as formulas."""
    element = ("w_kv", Symbol(ELEMENT, "2-byte elements"))
    found = []
    for g in of.groups:
        rows = [
            ("kv_bytes_per_token", product("w_kv", g.cache.width)),
            ("indexer_bytes_per_token", product("w_kv", g.cache.index)),
            ("state_elements", g.cache.state),
            ("conv_elements", g.cache.conv),
            ("attention_flops_per_context_token", g.cache.flops),
            ("attention_flops_per_context_token_absorbed", g.cache.absorbed or "0"),
            *(("compressed_entry_bytes", product("w_kv", w)) for _, w in g.cache.compressed),
        ]
        for quantity, text in rows:
            values = tuple(v for v in (element, *g.layer.values) if v[0] in names(text))
            made = Derivation(quantity, g.cache.kind, g.cache.kind, text, values, g.layers)
            if made.one:
                found.append(made)
    return found
