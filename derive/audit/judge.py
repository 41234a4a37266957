"""A claim through every rule to its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.audit.rule import rules
from derive.audit.types import SEVERITIES, VERDICTS, Finding, Judged, gravest
from derive.text import tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim


def judge(claim: Claim, library: Library) -> Judged:
    """Every finding, gravest first, and the verdict that they make together."""
    found = [f for each in rules().values() for f in each.check(claim, library)]
    if not found:
        found = [nothing(claim)]
    found.sort(key=lambda f: (SEVERITIES.index(f.severity), VERDICTS.index(f.verdict)))
    return Judged(claim, gravest(found), found[0].severity, tuple(found))


def nothing(claim: Claim) -> Finding:
    """No rule found anything to compare: say what is missing."""
    speeds = claim.of("speed", "tpot", "itl", "ttft")
    if speeds and claim.models and not claim.hardware:
        what = tr("no accelerator that has a spec is named that this could be held against")
    elif speeds and claim.hardware and not claim.models:
        what = tr("no model and no weight bytes are named that this could be held against")
    elif claim.figures:
        what = tr("no second figure, product or model is named that this could be held against")
    else:
        what = tr("no figure with a unit was found")
    return Finding("READ001", "unverifiable", "warning", what, tuple(f.span for f in claim.figures))
