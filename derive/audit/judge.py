"""A claim through every rule to its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.audit.rule import rules
from derive.audit.settle import settled
from derive.audit.sheet.ratios import multiple
from derive.audit.types import SEVERITIES, VERDICTS, Finding, Judged, gravest
from derive.text import joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

NOTHING = "READ001"


def judge(claim: Claim, library: Library) -> Judged:
    """Every finding, gravest first, and the verdict that they make together."""
    claim = settled(claim, library)
    found = [f for each in rules().values() for f in each.check(claim, library)]
    if not found:
        found = [nothing(claim)]
    if gravest(found) == "consistent":
        found += unjudged(claim, found)
    found.sort(key=lambda f: (SEVERITIES.index(f.severity), VERDICTS.index(f.verdict)))
    return Judged(claim, gravest(found), found[0].severity, tuple(found))


INPUTS = ("devices", "tp", "batch", "concurrency", "prompt", "output", "context", "tokens", "shape",
          "rejected", "number", "")  # fmt: skip
WEIGHED = (
    "weights",
    "parameters",
    "active",
    "memory",
    "memory_bandwidth",
    "peak_rate",
    "kv",
    "bytes",
)


def unjudged(claim: Claim, found: list[Finding]) -> list[Finding]:
    """A note of the figures that no rule held against anything, beside those that are right.

    What a bound of physics took as its input counts as used.
    """
    weighed = any(f.rule.startswith("PHYS") for f in found)
    seen = [s for f in found for s in f.spans]
    left = [
        f for f in claim.figures
        if f.role not in (*INPUTS, *(WEIGHED if weighed else ()))
        and not any(s[0] < f.span[1] and f.span[0] < s[1] for s in seen)
    ]  # fmt: skip
    left += [m.figure for m in [multiple(claim)] if m and m.figure and m.span not in seen]
    if not left:
        return []
    what = tr("not judged: {figures}", figures=joined(same(f.text) for f in left))
    return [Finding("READ003", "consistent", "info", what, tuple(f.span for f in left))]


def nothing(claim: Claim) -> Finding:
    """No rule found anything to compare: say what is missing."""
    speeds = claim.of("speed", "tpot", "itl", "ttft")
    if speeds and claim.models and not claim.hardware:
        what = tr("no accelerator that has a spec is named that this could be held against")
    elif speeds and claim.hardware and not claim.models:
        what = tr("no model and no weight bytes are named that this could be held against")
    elif claim.says("subject", "ridge_batch", "memory_bound"):
        what = tr(
            "an accelerator, and the batch of decode or the input length of prefill, decide on "
            "which side of the ridge it lies: they are not named"
        )
    elif not claim.figures and (claim.hardware or claim.models or claim.terms):
        what = tr(
            "no figure with a unit was found, and no formula here decides the statement without one"
        )
    elif claim.figures:
        what = tr("no second figure, product or model is named that this could be held against")
    else:
        what = tr("no figure with a unit was found")
    return Finding(NOTHING, "unverifiable", "warning", what, tuple(f.span for f in claim.figures))
