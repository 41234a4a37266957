"""The Grafana dashboard: its structure, its queries and its reference lines."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from derive.monitoring import dashboard, rules

from .monitored import CASES, LAUNCH, UNFIT, WINDOWS, checked, ledger, renamed

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = re.compile(r"derive:[a-z0-9_]+:[a-z0-9_]+")
every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def board(*case: str, lang: str = "en") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dashboard(ledger(*case), lang))
    return found


def charts(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {p["title"]: p for p in found["panels"] if p["type"] == "timeseries"}


def lines(panel: dict[str, Any]) -> dict[str, float]:
    """Reference lines of a chart by their words."""
    rows = [t for t in panel["targets"] if t["expr"].startswith("vector(")]
    return {t["legendFormat"].partition(":")[0]: float(t["expr"][7:-1]) for t in rows}


def steps(panel: dict[str, Any]) -> list[float | None]:
    return [s["value"] for s in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]]


@every_case
def test_the_structure_is_what_grafana_reads(case: tuple[str, ...]) -> None:
    """Required fields, unique ids, sorted thresholds, a grid of 24: by the dashboard kind."""
    found = board(*case)
    assert isinstance(found["schemaVersion"], int)
    assert found["schemaVersion"] >= 36
    assert re.fullmatch("[a-zA-Z0-9_-]{8,40}", found["uid"])
    assert "id" not in found, "a number of one Grafana instance"
    panels = found["panels"]
    assert len({p["id"] for p in panels}) == len(panels) >= 9
    places = [p["gridPos"] for p in panels]
    for place in places:
        assert min(place["w"], place["h"]) > 0
        assert min(place["x"], place["y"]) >= 0
        assert place["x"] + place["w"] <= 24
    for a, b in combinations(places, 2):
        beside = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
        assert beside or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"], (a, b)
    for panel in charts(found).values():
        refs = [t["refId"] for t in panel["targets"]]
        assert len(set(refs)) == len(refs) > 0
        dashed = {o["matcher"]["options"] for o in panel["fieldConfig"]["overrides"]}
        assert dashed == {t["refId"] for t in panel["targets"] if t["expr"].startswith("vector")}
        first, *rest = steps(panel)
        assert first is None
        assert rest == sorted(rest, key=lambda v: v or 0)
        assert panel["description"]


@every_case
def test_every_query_is_promql_over_series_that_the_rules_record(
    case: tuple[str, ...], tmp_path: Path
) -> None:
    found, text = board(*case), rules(ledger(*case))
    asked = [t["expr"] for p in charts(found).values() for t in p["targets"]]
    asked += [found["annotations"]["list"][0]["expr"]]
    exprs = [e.replace("$instance", ".*").replace("$model_name", ".*") for e in asked]
    group = {"name": "g", "rules": [{"record": f"r{i}", "expr": e} for i, e in enumerate(exprs)]}
    checked(tmp_path, yaml.safe_dump({"groups": [group]}))
    (own,) = yaml.safe_load(text)["groups"]
    recorded = {r["record"] for r in own["rules"] if "record" in r}
    variables = [v["definition"] for v in found["templating"]["list"] if v["type"] == "query"]
    used = {name for e in (*asked, *variables) for name in RECORDED.findall(e)}
    assert used <= recorded
    assert len(used) > 10


def test_the_data_source_is_a_choice() -> None:
    found = board(LAUNCH)
    (source,) = [v for v in found["templating"]["list"] if v["type"] == "datasource"]
    assert (source["name"], source["query"]) == ("datasource", "prometheus")
    wanted = {"type": "prometheus", "uid": "${datasource}"}
    for panel in charts(found).values():
        assert panel["datasource"] == wanted
        assert all(t["datasource"] == wanted for t in panel["targets"])


def test_reference_lines_and_thresholds_are_the_ledgers() -> None:
    found, results = charts(board(LAUNCH)), ledger(LAUNCH)["results"]
    ttft, tpot = found["Time to first token (TTFT)"], found["Time per output token (TPOT)"]
    assert lines(ttft) == {
        "at peak rates": results["t_prefill"]["value"],
        "reachable, fast end": results["TTFT"]["low"],
        "reachable, slow end": results["TTFT"]["high"],
    }
    assert (steps(ttft), steps(tpot)) == ([None, 0.5], [None, 0.025])
    assert lines(found["Running batch"]) == {
        "scenario": 8, "TPOT target allows": 79, "memory holds": 220,
    }  # fmt: skip
    assert steps(found["Running batch"]) == [None, 79]
    assert lines(found["Share of the bound, MBU and MFU"]) == {"bound": 1, "typical MBU": 0.6}
    assert steps(found["Share of the bound, MBU and MFU"]) == [None, 0.3, 0.6]
    assert steps(found["KV cache in use"]) == [None, 0.9]
    assert lines(found["Throughput"])["reachable, slow end"] == results["X"]["low"]


def test_what_the_ledger_lacks_has_no_line() -> None:
    unfit, windows = charts(board(UNFIT)), charts(board(WINDOWS))
    assert list(lines(unfit["Time per output token (TPOT)"])) == []
    assert list(lines(unfit["Running batch"])) == ["scenario"]
    assert "TPOT target allows" not in lines(windows["Running batch"])
    assert steps(unfit["Running batch"]) == [None]


def test_titles_are_in_the_language_asked_for() -> None:
    english, mandarin, both = (board(LAUNCH, lang=lang) for lang in ("en", "zh", "both"))
    assert not re.search("[\u4e00-\u9fff]", json.dumps(english, ensure_ascii=False))
    for en, zh, two in zip(english["panels"], mandarin["panels"], both["panels"], strict=True):
        if en["title"]:
            assert re.search("[\u4e00-\u9fff]", zh["title"])
            assert two["title"] == f"{en['title']} · {zh['title']}"


def test_words_of_a_spec_stay_words() -> None:
    name = "<script>alert(1)</script>\"b\\c'd"
    found = json.loads(dashboard(renamed(name)))
    assert found["title"] == name
    text = found["panels"][0]["options"]["content"]
    assert "<script" not in text
    query = next(iter(charts(found).values()))["targets"][0]["expr"]
    assert query.startswith(
        'derive:ttft_seconds:mean5m{scenario="<script>alert(1)</script>\\"b\\\\c'
    )
