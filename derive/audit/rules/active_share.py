"""The share of a model's parameters that a token activates, beside both counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import result
from derive.audit.consistency.between import before, behind
from derive.audit.rule import rule
from derive.text import same
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Finding

PERCENT = unit("%")
AHEAD = re.compile(
    r"(?:激活(?:参数)?(?:的)?(?:比例|占比|率)|(?:active|activated|activation) (?:fraction|ratio|share))"
    r"[^0-9,;.。；，]{0,8}$"
)
BEHIND = re.compile(
    r" ?(?:of (?:its|the|all|total|their)? ?(?:total )?(?:parameters|weights) (?:are|is) active"
    r"|(?:的)?参数(?:被)?激活|(?:active|activated)(?![a-z]))"
)


@rule(
    "CONS039",
    name=("share of active parameters", "激活参数占比"),
    page=(
        "Where a claim gives the parameters of a mixture of experts, those that one token activates, and the share, "
        "the share is the quotient of the two.",
        "同时给出 MoE 的总参数、激活参数与激活比例时，比例等于二者之商。",
    ),
    fires="671B parameters in all, 37B active, an activation ratio of 15%.",
    quiet="671B parameters in all, 37B active, an activation ratio of 5.5%.",
    chinese=(
        "总参数 671B、激活 37B，激活比例约 15%。",
        "总参数 671B、激活 37B，激活比例约 5.5%。",
    ),
)
def active_share(claim: Claim, _: Library) -> Iterator[Finding]:
    """One share that the words call that of what is active, and both counts."""
    if not claim.of("share"):
        return
    whole, active = claim.of("parameters"), claim.of("active")
    shares = [f for f in claim.of("share") if f.unit == PERCENT and is_active(claim, f)]
    if len(shares) != 1 or len(whole) != 1 or len(active) != 1 or whole[0].value <= 0:
        return
    share = shares[0]
    expected = active[0].interval / whole[0].interval
    exact = Quantity(active[0].quantity.base / whole[0].quantity.base / PERCENT.factor, PERCENT)
    line = same(f"{active[0].text} / {whole[0].text} {show(exact).equals}")
    yield result("CONS039", claim, (share, active[0], whole[0]), share, expected, line)


def is_active(claim: Claim, share: Figure) -> bool:
    """Whether the words around a share say that it is that of the active parameters."""
    return bool(AHEAD.search(before(claim, share, 40)) or BEHIND.match(behind(claim, share, 48)))
