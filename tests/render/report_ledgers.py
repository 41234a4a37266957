"""Ledgers for the tests of the report: real ones, made once a session, and a hostile one."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

LAUNCH = "llama-3-70b-on-4x-h100"
UNFIT = "article-70b-on-1x-h100"
SCENARIOS = (
    LAUNCH,
    UNFIT,
    "article-7b-on-1x-a100",
    "llama-3.1-405b-on-8x-h200",
    "llama-3.1-8b-on-1x-l4",
)
HOSTILE = (
    "<script>alert(1)</script> <img src=http://evil.test/x onerror=alert(1)> "
    "</title></style>{{ 7*7 }} {% raw %} ](http://evil.test) `rm -rf` | pipe *bold* & \u202e 🚀"
)


@cache
def ledger(name: str = LAUNCH) -> dict[str, Any]:
    """The ledger of a scenario; not to be changed."""
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study import study

    made: dict[str, Any] = study(load.scenario(name, spec_roots()), load.sources())
    return made


@cache
def hostile() -> dict[str, Any]:
    """A ledger whose words, those a user may write, are all hostile."""
    made = copy.deepcopy(ledger())
    both = {"en": HOSTILE, "zh": HOSTILE}
    made["scenario"]["title"] = dict(both)
    made["scenario"]["id"] = "../../etc/<b>x</b>"
    for part in ("model", "hardware"):
        made["scenario"][part] = {"id": HOSTILE, "name": dict(both)}
    made["scenario"]["precision"]["weights"] = HOSTILE
    made["verdict"]["sentence"] = dict(both)
    made["findings"] += [{"id": "x", "severity": HOSTILE, "text": dict(both)}]
    for row in made["inputs"][:3]:
        row.update(printed=HOSTILE, origin=f"x: {HOSTILE}", text=HOSTILE, how=dict(both))
        row["basis"] = [dict(both)]
    made["notes"] = [dict(both)]
    made["sources"] = [
        {"key": "a", "title": HOSTILE, "publisher": HOSTILE, "date": HOSTILE, "url": url}
        for url in ("javascript:alert(1)", "http://evil.test/<b>", "file:///etc/passwd", HOSTILE)
    ]
    made["figures"][0]["title"] = dict(both)
    made["figures"][0]["alt"] = dict(both)
    made["checklist"] = [
        {
            "id": HOSTILE,
            "group": HOSTILE,
            "question": dict(both),
            "answer": dict(both),
            "basis": HOSTILE,
            "refs": [HOSTILE],
        }
    ]
    made["misconceptions"] = [
        {
            "id": HOSTILE,
            "claim": dict(both),
            "why": dict(both),
            "here": dict(both),
            "refs": [HOSTILE],
        }
    ]
    return made
