"""The inputs of a draft model: its parameters, their bytes and its KV cache."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from derive.derivation.points import Point
from derive.errors import Place, printable
from derive.formula import called_for, declaration
from derive.specs.precision import SCALED, SCALES_NOTE, bytes_per
from derive.specs.types import Draft, Model, Scenario
from derive.study.inputs import Input
from derive.text import same, tr
from derive.units import Quantity, unit


def inputs(scenario: Scenario, given: Mapping[str, Input]) -> list[Input]:
    """Parameters, bytes of one and KV bytes of a token of what drafts; none where nothing does."""
    draft = scenario.draft
    if draft is None:
        return []
    size = Quantity(bytes_per(draft.weights), unit("byte/param"))
    how = SCALES_NOTE if draft.weights in SCALED else None
    place = origin(draft.place)
    bytes_of_one = Input(
        "w_draft", size, draft.weights, (same(draft.weights),), how=how, origin=place
    )
    return [
        parameters(draft, place), bytes_of_one, cache(draft, scenario, given, place),
        *second(draft, place),
    ]  # fmt: skip


def origin(place: Place) -> str:
    """File name and key, without a path of this machine."""
    name = place.file.replace("\\", "/").rsplit("/", 1)[-1]
    return ": ".join(printable(part) for part in (name, place.key) if part)


def parameters(draft: Draft, place: str) -> Input:
    """Its parameters: of its spec, or as stated."""
    if draft.model is not None:
        of = draft.model.values["N"]
        how = tr("{model} drafts", model=draft.model.name)
        text = f"{of.quantity.base} param"
        return Input("N_draft", of.quantity, text, sources=of.sources, how=how, origin=place)
    assert draft.parameters is not None
    value = draft.parameters
    return Input("N_draft", value.quantity.to(unit("param")), value.text, origin=place)


def cache(draft: Draft, scenario: Scenario, given: Mapping[str, Input], place: str) -> Input:
    """KV bytes of a token: derived from its spec, or taken as none."""
    if draft.model is None:
        size, how = Fraction(0), tr("KV cache of the draft model: not given, taken as none")
        return Input("kappa_draft", Quantity(size, unit("byte/token")), "0 byte/token", how=how)
    size = kappa(draft.model, scenario, given)
    how = tr(
        "KV-cache bytes per token of {model}, in the format of the KV cache",
        model=draft.model.name,
    )
    quantity = Quantity(size, unit("byte/token"))
    return Input("kappa_draft", quantity, f"{size} byte/token", how=how, origin=place)


def second(draft: Draft, place: str) -> list[Input]:
    """What the second order asks of it: its input table, layers and hidden size."""
    model, none = draft.model, Fraction(0)
    if model is None:
        lacking = (
            ("N_emb_draft", "param", tr("input table of the draft model: not given, taken as none")),
            ("L_draft", "", tr("layers of the draft model: not given, its launches and collectives are not counted")),
            ("d_draft", "element/token", tr("hidden size of the draft model: not given, its collectives are not counted")),
        )  # fmt: skip
        return [
            Input(name, Quantity(none, unit(units)), f"0 {units}".rstrip(), how=how)
            for name, units, how in lacking
        ]
    table = model.embedding if model.tied_embeddings is False else None
    found = (
        ("N_emb_draft", table.quantity if table else Quantity(none, unit("param"))),
        ("L_draft", model.values["L"].quantity),
        ("d_draft", model.values["d_model"].quantity),
        *heads(model),
    )
    how = tr("from the spec of {model}, which drafts", model=model.name)
    return [
        Input(
            name, size, f"{size.value} {size.unit.text}".rstrip(), how=how, origin=place,
            sources=model.values["N"].sources,
        )
        for name, size in found
    ]  # fmt: skip


def heads(model: Model) -> list[tuple[str, Quantity]]:
    """The KV heads that devices share: one of a latent cache, none told where layers differ."""
    if model.latent:  # every device keeps it whole
        return [("H_draft", Quantity(Fraction(1), unit("")))]
    values = {**model.values, **model.structure}
    if "H_kv" not in values or "S_kv" in values:  # channels of a state are no heads
        return []
    return [("H_draft", values["H_kv"].quantity)]


def kappa(model: Model, scenario: Scenario, given: Mapping[str, Input]) -> Fraction:
    """The same formula as that of the model itself, at the draft model's values."""
    values = {**model.values, **model.structure}
    point = {name: value.quantity.base for name, value in values.items()}
    point["w_kv"] = bytes_per(scenario.precision["kv_cache"])
    context = [given[n].quantity.base for n in ("T_in", "T_out") if n in given]
    point["T"] = given["T"].quantity.base if "T" in given else sum(context, Fraction(0))
    tree = declaration("kappa", called_for(point)).tree
    assert tree is not None
    return Point(point).value(tree)


__all__ = ["inputs"]
