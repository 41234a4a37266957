"""A ledger as monitoring reads it: values in base units, formulas opened down to what varies."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from derive.expression.grammar import parse
from derive.expression.tree import Binary, Name, Node, Number, names, rebuild
from derive.expression.value import value
from derive.formula import moved
from derive.study.results import said
from derive.text import Text, same
from derive.units import Quantity, unit

VARYING = ("b", "T")  # what an engine tells: the running batch and the context
# a running batch is a mean of steps: over it the fullest micro-batch, and the fullest group that
# drafts for its own requests, is its mean, one request at least
MEANS = {
    parse(f"ceil(b / {parts})"): parse(f"max(one_request, b / {parts})")
    for parts in ("(PP * DP)", "DP")
}
DRAFTED = "t_step + k_draft / one_token * t_draft_peak"


@dataclass(frozen=True)
class Limit:
    """A threshold: its number in base units, how it is shown, where it is from."""

    value: Fraction
    shown: Text
    basis: str  # target, derived or rule_of_thumb


class Deployment:
    """One ledger."""

    def __init__(self, ledger: Mapping[str, Any]) -> None:
        self.ledger = ledger
        self.id: str = ledger["scenario"]["id"]
        self.hash: str = ledger["hash"]
        self.inputs = {row["id"]: row for row in ledger["inputs"]}
        self.constants = {row["id"]: row for row in ledger["constants"]}
        self.results: Mapping[str, Any] = ledger["results"]
        self.opening: dict[str, bool] = {}

    @property
    def title(self) -> Text:
        """What the scenario is called."""
        return Text(**self.ledger["scenario"]["title"])

    @property
    def fits(self) -> bool:
        """Whether memory holds it."""
        return bool(self.ledger["verdict"]["fits"])

    @cached_property
    def trees(self) -> dict[str, Node]:
        """The recorded formulas; what was set by hand has none."""
        cards = self.ledger["derivations"]
        return {
            c["id"]: parse(c["tree"]) for c in cards if c["tree"] and c["id"] not in self.inputs
        }

    def quantity(self, name: str, key: str = "") -> Quantity | None:
        """A value, or one end of its range; None where there is none."""
        row = self.inputs.get(name) or self.constants.get(name) or self.results.get(name)
        if row is None:
            return None
        exact, near = (f"{key}_exact", key) if key else ("exact", "value")
        if row.get(exact) is None and row.get(near) is None:
            return None
        return Quantity(Fraction(row[exact] or row[near]), unit(row["unit"]))

    def get(self, name: str, key: str = "") -> Fraction | None:
        """The same in base units."""
        found = self.quantity(name, key)
        return found.base if found is not None else None

    def shown(self, name: str, key: str = "") -> Text:
        """The same as a sentence names it, without the mark of rounding."""
        found = self.quantity(name, key)
        if found is None:
            return same("–")
        told = said(found)
        return Text(told.en.removeprefix("≈ "), told.zh.removeprefix("≈ "))

    def on(self, switch: str) -> bool:
        """Whether the scenario has a switch on, told by its input as in `derive.switches`."""
        return switch in self.inputs

    def moved(self, name: str) -> str:
        """The id that tells what all devices move in a step."""
        return moved(name, self.inputs)

    @property
    def step(self) -> str:
        """The time between two outputs of a request at peak rates: with a draft model, of a round."""
        return DRAFTED if self.on("alpha") and self.on("N_draft") else "t_step"

    @property
    def gained(self) -> Fraction:
        """Tokens of a request that a step brings, of those verified the ones that are kept."""
        return self.get("n_gain" if self.on("alpha") else "n") or Fraction(1)

    def why_not(self, name: str) -> Text | None:
        """Why a result does not exist."""
        why = self.results.get(name, {}).get("why")
        return Text(**why) if why else None

    def opened(self, name: str, kept: Container[str] = VARYING) -> Node | None:
        """A formula over `VARYING`, and other names kept; None where something it needs is absent."""
        try:
            tree = self.trees[name] if name in self.trees else parse(name)
            return self.open(tree, kept)
        except (LookupError, ArithmeticError):  # absent, or a quotient that has no value here
            return None

    def open(self, node: Node, kept: Container[str] = VARYING) -> Node:
        """The node with names opened or replaced by numbers, and constant parts computed."""
        node = MEANS.get(node, node)
        if isinstance(node, Name):
            if node.id in VARYING or (node.id in kept and self.varies(node.id)):
                return node
            if self.varies(node.id):
                return self.open(self.trees[node.id], kept)
            found = self.get(node.id)
            if found is None:
                raise LookupError(node.id)
            return Number(found)
        made = rebuild(node, lambda part: self.open(part, kept))
        return shorter(made) if names(made) else Number(value(made, self.fixed))

    def varies(self, name: str) -> bool:
        """Whether a formula depends on what varies."""
        if name not in self.opening:
            used = names(self.trees[name]) if name in self.trees else []
            self.opening[name] = any(n in VARYING or self.varies(n) for n in used)
        return self.opening[name]

    def fixed(self, name: str) -> Fraction:
        """Where a constant part is computed no name is left."""
        raise LookupError(name)

    def at(self, tree: Node, batch: Fraction, context: Fraction) -> Fraction:
        """An opened formula at one batch and context."""
        return value(tree, {"b": batch, "T": context}.__getitem__)

    @property
    def critical(self) -> str:
        """Which critical batch decides: by products where these say otherwise, else with attention."""
        names = ("I_decode_inf", "I_wall_att", "I_wall_mat", "I_ridge")
        limits = [v for n in names if (v := self.get(n)) is not None]
        if len(limits) == len(names):
            plain, attention, products, ridge = limits
            if (max(plain, attention) >= ridge) != (products >= ridge):
                return "b_crit_mat"
        return "b_crit_att" if "b_crit_att" in self.results else "b_crit_T"

    @cached_property
    def context(self) -> Fraction:
        """The mean context of the scenario; the end of generation where only that is known."""
        return self.get("T_mean") or self.get("T") or Fraction(1)


def shorter(node: Node) -> Node:
    """A product or quotient by one, or a sum with zero, without it."""
    match node:
        case Binary(op="*" | "/", left=left, right=Number(value=1)):
            return left
        case Binary(op="*", left=Number(value=1), right=right):
            return right
        case Binary(op="+" | "-", left=left, right=Number(value=0)):
            return left
    return node
