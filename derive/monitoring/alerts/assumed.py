"""What the switches of a scenario assume, held against what an engine counts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from derive.monitoring.alerts.kinds import DERIVED, PERCENT, PLAIN, REPLICA, Alert, Case, LeftOut
from derive.monitoring.deployment import Limit
from derive.monitoring.promql import number
from derive.text import tr

HALF = Fraction(1, 2)


def acceptance(case: Case) -> Alert | LeftOut:
    """Rounds of speculation that yield fewer tokens than assumed."""
    name, limit = "AcceptanceBelowAssumed", case.found.get("n_gain")
    if limit is None or limit <= 1:
        return LeftOut(name, tr("no draft is assumed to be accepted"))
    fewer = 1 + (limit - 1) * HALF
    return Alert(
        name,
        f"{case.own('round_tokens:mean30m')} < {number(limit)}",
        "info",
        Limit(limit, case.found.shown("n_gain"), DERIVED),
        tr("rounds of speculation on {replica} yield fewer tokens than derived for", replica=REPLICA),
        tr(
            "a round of the last 30 minutes yielded {value} tokens of a request on average, {limit} were assumed; TPOT and the "
            "batch limits are those of the assumption, and speculation gains {gain} times with it",
            value=PLAIN, limit=case.found.shown("n_gain"), gain=case.found.shown("gain_spec"),
        ),
        tr("derive the scenario anew with this yield, draft fewer tokens, or change the draft model"),
        (replace(case.calm, tokens=fewer),),
        ((replace(case.calm, tokens=limit + (limit - 1) / 10),),),
    )  # fmt: skip


def prefix_hits(case: Case) -> Alert | LeftOut:
    """A prefix cache that holds less of the prompts than assumed."""
    name, limit = "PrefixHitsBelowAssumed", case.found.get("hit")
    if not limit:
        return LeftOut(name, tr("nothing is assumed to be found in the prefix cache"))
    more = limit + (1 - limit) * HALF
    return Alert(
        name,
        f"{case.own('prefix_hits:ratio30m')} < {number(limit)}",
        "info",
        Limit(limit, case.found.shown("hit"), DERIVED),
        tr("the prefix cache of {replica} holds less than derived for", replica=REPLICA),
        tr(
            "{value} of the prompt tokens of the last 30 minutes were found, {limit} were assumed; TTFT and the load of prefill "
            "are those of the assumption",
            value=PERCENT, limit=case.found.shown("hit"),
        ),
        tr(
            "look for requests that no longer share a beginning, replicas that do not get the same users' requests, and evictions"
        ),
        (replace(case.calm, found=limit * HALF),),
        ((replace(case.calm, found=more),),),
    )  # fmt: skip
