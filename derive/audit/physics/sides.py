"""On which side of the ridge a pass lies where the text gives no batch, and a prefill."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.physics.lines import equation
from derive.audit.physics.settings import of_any_model, spoken
from derive.audit.readings import together
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import Text, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.physics.setting import Setting
    from derive.audit.types import Claim, Figure

REQUEST, LENGTH = unit("request"), unit("token/request")
RULE = "PHYS009"
COUNTED = ("prompt", "context", "tokens", "batch", "concurrency", "devices", "tp", "parameters",
           "active")  # fmt: skip


def critical(setting: Setting) -> Fraction | None:
    """The critical batch at the stated context, else in the limit of none; None past the wall."""
    return setting.value(
        "b_crit_T" if "T" in setting.values and setting.value("kappa") else "b_crit", best=False
    )


def without_batch(claim: Claim, library: Library, anchor: Figure) -> Iterator[Finding]:
    """A side of the ridge said of decode without a batch: from which batch on it changes."""
    if not claim.says("tokens", "output") or any(
        f.unit.terms and f.role != "devices" for f in claim.figures
    ):
        return
    found = [(s, limit) for s in of_any_model(claim, library, anchor)
             if "P_peak" in s.values and (limit := critical(s)) is not None]  # fmt: skip
    if not found:
        return
    listed = tuple(Reading(Quantity(limit, REQUEST), s.name) for s, limit in found)
    setting, limit = found[0]
    lines = (*ridge(setting), equation("b_crit", limit, "request"))
    count = f"{int(limit):,}"
    what = tr(
        "the batch is missing: decode is memory-bound below about {count} requests and "
        "compute-bound above: {setting}",
        count=count,
        setting=setting.name,
    )
    said = tr(
        "Decode is memory-bound below about {count} requests: {setting}.",
        count=count,
        setting=setting.name,
    )
    yield Finding(RULE, "unverifiable", "warning", what, (anchor.span,), listed, lines, said,
                  sources=setting.sources)  # fmt: skip


def ridge(setting: Setting) -> tuple[Text, ...]:
    """The ridge point as a line."""
    found = setting.value("I_ridge", best=False)
    return () if found is None else (equation("I_ridge", found, "FLOP/byte"),)


def of_prefill(claim: Claim, library: Library) -> Iterator[Finding]:
    """A side said of prefill: its tokens together count as a batch of as many does in decode."""
    prompt, batch = claim.one("prompt", "context", "tokens"), claim.one("batch", "concurrency")
    if any(f.role not in COUNTED for f in claim.figures):
        return
    anchor = prompt or spoken(claim)
    found = [
        (s, limit)
        for s in of_any_model(claim, library, anchor)
        if "P_peak" in s.values and (limit := s.value("b_crit", best=False)) is not None
    ]
    if not found:
        return
    setting, limit = found[0]
    lines = (*ridge(setting), equation("b_crit", limit, "token"))
    listed = tuple(Reading(Quantity(n, LENGTH), s.name) for s, n in found)
    told = {"count": f"{int(limit):,}", "setting": setting.name}
    said = tr("Prefill is compute-bound from about {count} tokens a pass on: {setting}.", **told)
    if prompt is None:
        verdict = "unverifiable"
        what = tr(
            "the input length is missing: prefill is compute-bound from about {count} tokens a "
            "pass on: {setting}",
            **told,
        )
    else:
        tokens = prompt.quantity.base * (batch.value if batch else Fraction(1))
        wanted = claim.says("subject", "ridge_batch")
        verdict = together(
            "consistent" if (tokens >= n) == wanted else "contradicted" for _, n in found
        )
        what = tr("the tokens of the pass are below about {count}: {setting}", **told)
        if tokens >= limit:
            what = tr("the tokens of the pass are above about {count}: {setting}", **told)
    yield Finding(
        RULE, verdict, GRAVE[verdict], what, (anchor.span,), listed, lines,
        None if verdict == "consistent" else said, sources=setting.sources,
    )  # fmt: skip
