"""One call from a path to everything that is derived of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.architecture import declared, kv, quantization, totals
from derive.architecture.config import Config, Log, brief
from derive.architecture.crosscheck import Check, against_index, against_name
from derive.architecture.families import params_json
from derive.architecture.family import family_of
from derive.architecture.opening import Opened, open_path
from derive.errors import printable
from derive.specs.growth import CONTEXTS
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from derive.architecture.json_file import Source
    from derive.architecture.model import Model
    from derive.architecture.totals import Derivation
    from derive.text import Text

WIDTHS = {
    "float32": 4, "float16": 2, "bfloat16": 2,
    "torch.float32": 4, "torch.float16": 2, "torch.bfloat16": 2,
}  # fmt: skip


@dataclass
class Architecture:
    """A model as its config describes it."""

    source: Source
    family: str
    model: Model
    totals: totals.Totals
    kept: kv.Kept
    log: Log
    contexts: tuple[int, ...] = CONTEXTS
    plan: quantization.Plan | None = None
    width: int = 2  # bytes of a weight that is not quantized
    checks: list[Check] = field(default_factory=list)
    listed: quantization.Stored | None = None  # what the file itself says of its bytes

    def derivations(self) -> list[Derivation]:
        """Every formula with its numbers; the sums are checked."""
        parameters = totals.derivations(self.model)
        assert sum(d.sum for d in parameters) == self.totals.total_unique
        products = totals.matmul_derivations(self.model)
        assert sum(d.sum for d in products) == self.totals.matmul_sum
        return [*parameters, *products, *kv.derivations(self.kept)]

    def json(self) -> dict[str, object]:
        """The record that `derive model --json` prints."""
        t = self.totals
        return {
            "file": printable(self.source.file),
            "model_type": self.family,
            "params": {
                "total_unique": t.total_unique,
                "tied_embeddings": t.tied,
                "total_if_untied": t.total_if_untied,
                "by_kind": t.by_kind,
                "checkpoint_buffers": t.buffers,
                "total_with_router_correction_bias": t.total_unique + t.correction,
                "text_only_total": t.text_only,
                "active_per_token": t.active_per_token,
                "active_excluding_embedding_table": t.active_without_table,
                "active_excluding_both_tables": t.active_without_tables,
            },
            "matmul_weights_per_token": {**t.matmul, "sum": t.matmul_sum},
            "linear_flops_per_token": t.linear_flops,
            "kv": self.kept.json(self.contexts),
            "weight_bytes_bf16": 2 * t.total_unique,
            "weight_bytes_stored": self.stored.total,
            "quantization": self.quantization(),
            "weight_bytes_read_per_step": self.reads(),
            "mtp": self.mtp(),
            "checks": [check.json() for check in self.checks],
            "not_included": [n.json() for n in self.model.absent],
            "assumptions": [n.json() for n in self.assumptions()],
            "derivations": [d.json() for d in self.derivations()],
        }

    @property
    def stored(self) -> quantization.Stored:
        """Bytes of the checkpoint, without layers for further tokens."""
        if self.listed is not None:
            return self.listed
        return quantization.stored_bytes(self.model.placed, self.plan, self.width)

    def quantization(self) -> dict[str, object]:
        """The recipe, and the bytes by format and by kind."""
        stored = self.stored
        return {
            "method": "gguf" if self.listed else self.plan.method if self.plan else None,
            "unquantized_bytes_per_weight": None if self.listed else self.width,
            "by_format": stored.by_format,
            "by_kind": stored.by_kind,
            "bytes": stored.total,
        }

    def reads(self) -> dict[str, int]:
        """Bytes that a decode step reads: always, and of routed experts when all are hit.

        The input table is a lookup; a tied table is read whole as the output head.
        """
        routed = [
            (p, t) for p in self.model.placed for t in p.layer.tensors if t.kind == "routed_expert"
        ]
        left_out = (*totals.ASIDE, "embedding", "embedding_per_layer", "routed_expert", "buffer")
        kinds = self.stored.by_kind
        always = sum(size for kind, size in kinds.items() if kind not in left_out)
        if self.totals.tied:
            always += kinds["embedding"] if self.listed else self.width * self.totals.head
        made = {"always": always, "routed_experts": kinds.get("routed_expert", 0)}
        numbers = {(v["E"].value, v["k"].value) for p, _ in routed for v in [dict(p.layer.values)]}
        if len(numbers) == 1:
            ((made["experts"], made["experts_per_token"]),) = numbers
        if routed:
            made["layers_with_experts"] = sum(
                p.used for p in {id(p): p for p, _ in routed}.values()
            )
        return made

    def mtp(self) -> dict[str, object] | None:
        """Layers for further tokens, on a line of their own."""
        if not self.model.mtp:
            return None
        tables = ("embedding", "lm_head")
        parts = [(p, t, p.stored * p.layer.count(t.count)) for p in self.model.mtp
                 for t in p.layer.tensors]  # fmt: skip
        copies = sum(n for _, t, n in parts if t.kind in tables)
        buffers = sum(n for _, t, n in parts if t.kind in totals.BUFFERS)
        stored = quantization.stored_bytes(self.model.mtp, self.plan, self.width)
        return {
            "layers": self.model.mtp_layers or self.model.mtp[0].stored,
            "parameters": sum(n for *_, n in parts) - copies - buffers,
            "correction_bias": buffers,
            "copies_of_tables": copies,
            "weight_bytes_stored": stored.total,
        }

    def assumptions(self) -> list[Text]:
        """What was taken as given without standing in the file."""
        counted = tr("keys and values are counted in 2-byte elements")
        if self.kept.declared:
            narrow = self.kept.declared.split()[0]
            counted = tr("keys and values are counted in 2-byte elements; the recipe declares "
                         "{format} for them, half of it", format=narrow)  # fmt: skip
        return [*self.of_the_file(), counted]

    def of_the_file(self) -> list[Text]:
        """The same but for the format of the cache, which a scenario names itself."""
        taken = [
            tr("{field} is not in the file: {value}, the default of {owner}",
               field=name, value=brief(value), owner=owner)
            for name, value, owner in self.log.defaults
        ]  # fmt: skip
        return [*taken, *self.log.notes]


def read(path: str | Path, contexts: Sequence[int] = CONTEXTS) -> Architecture:
    """Read a config, a GGUF file or a folder with a config; DeriveError if not understood."""
    return build(open_path(path), contexts)


def build(opened: Opened, contexts: Sequence[int] = CONTEXTS) -> Architecture:
    """The architecture of a config that was opened."""
    c = Config(opened.config)
    if "model_type" not in c.data and "dim" in c.data and "n_layers" in c.data:
        c.data = {**c.data, "model_type": params_json.TYPE}
    family = family_of(c)
    c.defaults, c.owner = dict(family.defaults), family.source
    c.used |= {"model_type", "architectures", "torch_dtype", "dtype"}
    model = family.build(c)
    held = opened.held
    bytes_each = 2 if held else width(c)
    plan = None if held else declared.recipe(c, opened.quantization, model, bytes_each)
    kept = kv.kept(model)
    state = kept.state_declared = declared.state_width(c)
    kept.recurrent = state.bytes if state else kept.recurrent
    c.finish()
    kept.declared = plan.cache if plan else ""
    for note in plan.notes if plan else []:
        c.note(note)
    if state and kept.recurrent_elements:
        c.note(tr("{field} is {value}: the recurrent state is kept in {size}-byte elements",
                  field=state.name, value=state.dtype, size=state.bytes))  # fmt: skip
    elif kept.recurrent_elements:
        c.note(tr("{field} is not in the file: the recurrent state is counted in {size}-byte "
                  "elements", field=declared.STATES[0], size=kept.recurrent))  # fmt: skip
    name = str(c.data["model_type"])
    made = Architecture(opened.config, name, model, totals.count(model), kept, c.log,
                        tuple(contexts), plan, bytes_each)  # fmt: skip
    if held is not None:
        from derive.architecture.gguf import checks, stored

        made.listed = stored(held.infos)
        made.checks += checks(made, held)
    if opened.index is not None:
        made.checks.append(against_index(made, opened.index))
    named = against_name(made, opened.names)
    made.checks += [named] if named else []
    return made


def width(c: Config) -> int:
    """Bytes of a weight by the dtype of the file, 2 where it says nothing."""
    for one in (c, *c.children):
        for name in ("torch_dtype", "dtype"):
            if one.data.get(name) is not None:
                one.word(name, WIDTHS)
                return WIDTHS[str(one.data[name])]
    c.note(tr("the config names no dtype: 2 bytes a weight where nothing is quantized"))
    return 2
