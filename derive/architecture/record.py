"""One call from a path to everything that is derived of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from derive.architecture import kv, totals
from derive.architecture.config import Config, Log, brief
from derive.architecture.family import family_of
from derive.architecture.json_file import Source, read_json
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.architecture.model import Model
    from derive.text import Text

CONTEXTS = (2048, 8192, 32768, 131072)


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
    not_included: list[Text] = field(default_factory=list)

    def derivations(self) -> list[totals.Derivation]:
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
            "file": self.source.file,
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
            "not_included": [n.json() for n in self.not_included],
            "assumptions": [n.json() for n in self.assumptions()],
            "derivations": [d.json() for d in self.derivations()],
        }

    def assumptions(self) -> list[Text]:
        """What was taken as given without standing in the file."""
        taken = [
            tr("{field} is not in the file: {value}, the default of {owner}",
               field=name, value=brief(value), owner=owner)
            for name, value, owner in self.log.defaults
        ]  # fmt: skip
        return [*taken, *self.log.notes]


def read(path: str | Path, contexts: Sequence[int] = CONTEXTS) -> Architecture:
    """Read a config file or a folder that holds one; DeriveError where it is not understood."""
    place = Path(path)
    file = place / "config.json" if place.is_dir() else place
    return build(read_json(file), contexts)


def build(source: Source, contexts: Sequence[int] = CONTEXTS) -> Architecture:
    """The architecture of a config that was read."""
    c = Config(source)
    family = family_of(c)
    c.defaults, c.owner = dict(family.defaults), family.source
    c.used |= {"model_type", "architectures", "torch_dtype", "dtype", "quantization_config"}
    model = family.build(c)
    c.finish()
    made = totals.count(model)
    return Architecture(
        source, str(c.data["model_type"]), model, made, kv.kept(model), c.log, tuple(contexts)
    )
