"""What a figure is a figure of, once the specs are at hand; reading knows only words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.audit.settle.links import links, operands
from derive.audit.settle.measured import measured
from derive.audit.settle.memory import memories
from derive.audit.settle.nodes import nodes
from derive.audit.settle.owners import owners
from derive.audit.settle.rejected import rejected

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim


def settled(claim: Claim, library: Library) -> Claim:
    """The claim with the roles that its words alone could not tell."""
    if not claim.figures:
        return claim
    claim = operands(nodes(rejected(claim)))
    return measured(owners(links(memories(claim, library), library), library), library)
