"""Switches of a scenario: what drafts, and what does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError
from derive.specs.types import Draft
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from derive.specs.nodes import Scalar
    from derive.specs.reader import Reader
    from derive.specs.types import Model


def drafts(
    given: Mapping[str, Any], reader: Reader, resolve: Callable[[Scalar], Model]
) -> Draft | None:
    """What drafts: a model by name, or its parameters; None where drafts are looked up."""
    named, stated = given.get("draft_model"), given.get("parameters")
    if named is not None and stated is not None:
        what = tr(
            "{name} and {other} name one thing: set one of them",
            name="speculation.draft_model", other="speculation.parameters",
        )  # fmt: skip
        reader.faults.add("S503", what, stated.place)
        return None
    if named is None:
        return Draft(None, stated, given.get("weights", "bf16"), stated.place) if stated else None
    try:
        model = resolve(named)
    except DeriveError as error:
        reader.faults.adopt(error, named.place, named.text)
        return None
    if "E" in model.structure:
        what = tr(
            "{model} has experts: drafts by such a model are not supported yet", model=model.id
        )
        reader.faults.add("S410", what, named.place, mark=named.text)
        return None
    weights = given.get("weights", model.native)
    return Draft(model, None, weights, named.place)


def check(read: Mapping[str, Any], reader: Reader) -> None:
    """Note what cannot be: every draft accepted, and chunks on devices that do not decode."""
    speculation = read.get("speculation") or {}
    acceptance = speculation.get("acceptance")
    if acceptance is not None and acceptance.quantity.base >= 1:
        what = tr("an acceptance of 1 is a model that drafts itself: give one below 1")
        reader.faults.add("S305", what, acceptance.place, mark=acceptance.text)
    if read.get("chunk") is not None and read.get("disaggregation"):
        what = tr("chunk mixes prefill with decode, disaggregation parts them: give one of the two")
        reader.faults.add("S503", what, read["chunk"].place)


__all__ = ["check", "drafts"]
