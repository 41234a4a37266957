"""The keys of a header as the fields of a config: each one used, or known to carry no weight."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from derive.architecture.config import MOST_LAYERS
from derive.architecture.gguf.architectures import ARCHITECTURES, NO_WEIGHT, ONLY, Architecture
from derive.architecture.gguf.header import Passed
from derive.architecture.gguf.names import LAYER
from derive.architecture.json_file import Source, refuse
from derive.errors import DeriveError, Place, Problem, printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.gguf.header import Header, Info

KV_HEADS, KEY, VALUE = "attention.head_count_kv", "attention.key_length", "attention.value_length"
OWN_KEYS = re.compile(r"blk\.\d+\.attn_k\.weight")
PATTERN = "attention.sliding_window_pattern"
KINDS = ("sliding_attention", "full_attention")


@dataclass
class Reading:
    """A header on the way to a config: `data` by field, `labels` say which key a field is."""

    header: Header
    tensors: Mapping[str, Info]
    name: str
    used: set[str] = field(default_factory=set)
    data: dict[str, object] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def key(self, name: str) -> str:
        """A key with its architecture in front."""
        return f"{self.name}.{name}"

    def place(self, key: str) -> Place:
        """Where a key stands."""
        return Place(self.header.file, 0, 0, printable(key, 80))

    def refuse(self, code: str, what: Text, key: str, hint: Text | None = None) -> NoReturn:
        """Refuse the file because of a key."""
        refuse(code, what, self.place(key), hint)

    def has(self, name: str) -> bool:
        """Whether the header has a key of the architecture."""
        return self.key(name) in self.header.values

    def number(self, name: str) -> int:
        """A whole number; of a list with an entry a layer, the one that all of them are."""
        key = self.key(name)
        self.used.add(key)
        if key not in self.header.values:
            hint = tr("a header without it cannot be sized, and no default is assumed")
            self.refuse("M104", tr("{name} is missing", name=key), key, hint)
        found = self.header.values[key]
        if isinstance(found, list):
            if len(set(found)) != 1 or len(found) > MOST_LAYERS:
                what = tr("{name} differs from layer to layer, which is not supported for the "
                          "architecture {architecture} yet",
                          name=key, architecture=self.name)  # fmt: skip
                self.refuse("M105", what, key)
            found = found[0]
        if isinstance(found, bool) or not isinstance(found, int):
            self.refuse("M105", tr("{name} must be a whole number", name=key), key)
        return found

    def let(self, name: str, value: object, label: str) -> None:
        """Set a field, and what it is called in messages."""
        self.data[name], self.labels[name] = value, label


def config_of(header: Header, tensors: Mapping[str, Info]) -> Source:
    """The header as a config of one of the families; DeriveError where it is not understood."""
    made = architecture_of(header, tensors)
    r = Reading(header, tensors, said(header, "general.architecture"))
    r.let("model_type", made.family, "general.architecture")
    for name, wanted in made.keys.items():
        r.let(wanted, r.number(name), r.key(name))
    for name, wanted in made.optional.items():
        # nought is how writers say that there is none
        r.let(wanted, r.number(name) or None if r.has(name) else None, r.key(name))
    heads(r, made)
    for wanted, value in made.says.items():
        if wanted != "layer_types":
            r.data[wanted] = value
    if "layer_types" in made.says:
        layer_types(r, made.says["layer_types"])
    for wanted, module in made.tensors.items():
        tensor = f"blk.0.{module}"
        r.let(wanted, tensor in tensors, tensor)
    r.let("tie_word_embeddings", "output.weight" not in tensors, "output.weight")
    vocabulary(r)
    account(r, made)
    contradictions(r, made)
    return Source(r.data, header.file, labels=r.labels)


def said(header: Header, key: str, default: str = "") -> str:
    """A text of the header."""
    found = header.values.get(key, default)
    if not isinstance(found, str) or not found:
        refuse("M104", tr("{name} is missing", name=key), Place(header.file, 0, 0, key))
    return found


def architecture_of(header: Header, tensors: Mapping[str, Info]) -> Architecture:
    """The declaration that the header asks for; DeriveError M108 where there is none."""
    kind = said(header, "general.type", "model")
    if kind != "model":
        what = tr("the file holds no model but: {kind}", kind=printable(kind, 40))
        refuse("M108", what, Place(header.file, 0, 0, "general.type"))
    name = said(header, "general.architecture")
    known = [n for n in ARCHITECTURES if "+" not in n]
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        what = tr("GGUF architecture {name} is not known", name=printable(name, 40))
        hint = tr("known are {known}", known=", ".join(near or known))
        refuse("M108", what, Place(header.file, 0, 0, "general.architecture"), hint)
    if name == "llama" and header.values.get("llama.expert_count"):
        name = "llama+experts"
    if name == "deepseek2" and any(".exp_probs_b." in t for t in tensors):
        name = "deepseek2+correction"
    return ARCHITECTURES[name]


def heads(r: Reading, made: Architecture) -> None:
    """Key-value heads and the sizes of heads, by the rules of llama.cpp."""
    queries, hidden = r.number("attention.head_count"), r.number("embedding_length")
    if r.has(KV_HEADS):
        r.let("num_key_value_heads", r.number(KV_HEADS), r.key(KV_HEADS))
    else:
        r.let("num_key_value_heads", queries, r.key("attention.head_count"))
    if made.latent:
        latent_heads(r)
        return
    sizes = [r.number(name) for name in (KEY, VALUE) if r.has(name)]
    if len(set(sizes)) > 1:
        what = tr("{first} and {second} differ, which is not supported for this architecture",
                  first=r.key(KEY), second=r.key(VALUE))  # fmt: skip
        r.refuse("M107", what, r.key(VALUE))
    if made.head_size:
        r.let(made.head_size, sizes[0] if sizes else None, r.key(KEY))
    elif sizes and sizes[0] * queries != hidden:
        r.refuse("M107", tr("heads and head size do not make the hidden size"), r.key(KEY))


def latent_heads(r: Reading) -> None:
    """Sizes of heads before compression; files of before April 2025 call them by other names."""
    newer = r.has(f"{KEY}_mla")
    key, value = (f"{KEY}_mla", f"{VALUE}_mla") if newer else (KEY, VALUE)
    rope, rank = r.number("rope.dimension_count"), r.number("attention.kv_lora_rank")
    whole = r.number(key)
    if newer and r.has(KEY) and r.number(KEY) != rank + rope:
        what = tr("{name} is {value}; with the latent it must be {expected}", name=r.key(KEY),
                  value=r.number(KEY), expected=rank + rope)  # fmt: skip
        r.refuse("M107", what, r.key(KEY))
    if newer and r.has(VALUE):
        r.number(VALUE)
    r.let("qk_rope_head_dim", rope, r.key("rope.dimension_count"))
    label = f"{r.key(key)} - {r.key('rope.dimension_count')}"
    r.let("qk_nope_head_dim", whole - rope, label)
    r.let("v_head_dim", r.number(value), r.key(value))


def layer_types(r: Reading, rule: object) -> None:
    """Which layers have the window: a list, a period, or the rule of llama.cpp's code."""
    assert isinstance(rule, tuple)
    layers, label = r.number("block_count"), r.key(PATTERN)
    found = r.header.values.get(label)
    if isinstance(found, list) and len(found) > 1:
        r.used.add(label)
        r.let("layer_types", [KINDS[0 if slides else 1] for slides in found], label)
        return
    sliding, full = rule
    if found is not None:
        period = r.number(PATTERN)
        if not 1 <= period <= MOST_LAYERS:
            what = tr("{name} is {value}; it must be between {low} and {high}", name=label,
                      value=period, low=1, high=MOST_LAYERS)  # fmt: skip
            r.refuse("M105", what, label)
        sliding, full = period - 1, 1
    period = sliding + full
    if not 0 < layers <= MOST_LAYERS:
        return  # refused where the number of layers is read
    kinds = [KINDS[0 if i % period < sliding else 1] for i in range(layers)]
    r.let("layer_types", kinds, label)


def vocabulary(r: Reading) -> None:
    """Rows of the embedding table; the list of tokens must be as long, as llama.cpp demands."""
    table = r.tensors.get("token_embd.weight")
    if table is None or len(table.dims) != 2:
        key = "token_embd.weight"
        r.refuse("M104", tr("the tensor {name} is missing", name=key), key,
                 tr("the file holds no whole model"))  # fmt: skip
    rows, label = table.dims[1], "token_embd.weight"
    tokens = r.header.values.get("tokenizer.ggml.tokens")
    if isinstance(tokens, Passed) and tokens.count != rows:
        what = tr("{key} has {count} entries, the embedding table {rows} rows",
                  key="tokenizer.ggml.tokens", count=tokens.count, rows=rows)  # fmt: skip
        r.refuse("M107", what, "tokenizer.ggml.tokens")
    r.let("vocab_size", rows, label)


def contradictions(r: Reading, made: Architecture) -> None:
    """Refuse a file whose tensors have other layers or key-value heads than its keys say."""
    held = {int(m[1]) for m in map(LAYER.match, r.tensors) if m}
    said, label = r.number("block_count"), r.key("block_count")
    if held and 0 < said <= MOST_LAYERS and len(held) != said:
        what = tr("{name} is {value}, but the tensors are those of {count} layers", name=label,
                  value=said, count=len(held))  # fmt: skip
        r.refuse("M107", what, label)
    if made.latent:
        return
    heads, label = r.data["num_key_value_heads"], r.labels["num_key_value_heads"]
    queries, hidden = r.number("attention.head_count"), r.number("embedding_length")
    size = r.number(KEY) if r.has(KEY) else hidden // max(queries, 1)
    for name, one in r.tensors.items():
        if not OWN_KEYS.fullmatch(name) or len(one.dims) != 2:
            continue
        if isinstance(heads, int) and one.dims[1] != heads * size:
            what = tr("{name} is {value}, but {tensor} has {rows} rows: {heads} heads of {size}",
                      name=label, value=heads, tensor=name, rows=one.dims[1],
                      heads=f"{one.dims[1] / size:g}" if size else "?", size=size)  # fmt: skip
            r.refuse("M107", what, label)


def account(r: Reading, made: Architecture) -> None:
    """Refuse the keys of the architecture that nobody read and that may say something."""
    problems = []
    passed = {r.key(n) for n in (*NO_WEIGHT, *made.unused)}
    for key, value in r.header.values.items():
        if not key.startswith(f"{r.name}.") or key in r.used or key in passed:
            continue
        allowed = ONLY.get(key.removeprefix(f"{r.name}."), ())
        if any(value == a and isinstance(value, bool) == isinstance(a, bool) for a in allowed):
            continue
        what = tr("{name} is not understood for the architecture {architecture}",
                  name=printable(key, 80), architecture=r.name)  # fmt: skip
        hint = tr("it may change the count, so the file is not read past it")
        problems.append(Problem("M106", what, r.place(key), hint=hint))
    if problems:
        raise DeriveError(problems)
