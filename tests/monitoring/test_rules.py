"""The rule file: promtool accepts it, every alert fires where it must and only there."""

from __future__ import annotations

import copy
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from derive.monitoring import rules, rules_tests
from derive.monitoring.deployment import Deployment
from derive.monitoring.engines import VLLM
from derive.monitoring.signals import step_at
from derive.text import chinese

from .monitored import (
    APART,
    CASES,
    EXPERTS,
    LAUNCH,
    SMALL,
    SPECULATION,
    UNFIT,
    WINDOWS,
    checked,
    ledger,
    ran,
    renamed,
)

if TYPE_CHECKING:
    from pathlib import Path

FILE = "a.rules.yaml"
HOSTILE = "../a\"b\\c'd{{ $value }} {{ x }}: # [b]\n- alert: x\u202e 🚀 {} %!&*"
ALERTS = {
    "TTFTHigh", "TPOTHigh", "FarFromBound", "FasterThanBound", "BatchAboveTPOTLimit",
    "BatchAboveCritical", "BatchAboveMemoryLimit", "KVCacheNearlyFull", "Preemptions",
    "RequestsWaiting", "ThroughputFlat", "ContextAboveAssumed", "EngineMetricsMissing",
}  # fmt: skip


def made(text: str) -> dict[str, dict[str, Any]]:
    """The alerts of a rule file by name."""
    (group,) = yaml.safe_load(text)["groups"]
    return {r["alert"]: r for r in group["rules"] if "alert" in r}


def head(text: str) -> list[str]:
    """The comments above the rules."""
    return [line for line in text.splitlines() if line.startswith("#")]


@pytest.mark.parametrize(
    ("case", "version"), [*((c, 0) for c in CASES), ("dense", 1), ("experts", 1)]
)
def test_every_alert_fires_where_it_must_and_only_there(
    case: str, version: int, tmp_path: Path
) -> None:
    found = ledger(*CASES[case])
    text = rules(found, "both")
    checked(tmp_path, text)
    done = ran(tmp_path, text, rules_tests(found, FILE, version=version))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_unit_tests_notice_an_alert_that_never_or_always_fires(tmp_path: Path) -> None:
    found = ledger(SMALL, "T_in=32", "T_out=32", "target_TPOT=110 ms/token")
    text, tests = rules(found), rules_tests(found, FILE)
    alerts = made(text)
    assert set(alerts) == ALERTS
    for expr, says in (("vector(0) > 1", "exp"), ("vector(1)", "got")):
        data = yaml.safe_load(text)
        for rule in data["groups"][0]["rules"]:
            if "alert" in rule:
                rule["expr"] = expr
        done = ran(tmp_path, yaml.safe_dump(data), tests)
        said = done.stdout + done.stderr
        assert done.returncode != 0
        assert set(re.findall(rf'{says}: \{{alertname="(\w+)"\}}', said)) == ALERTS, said


@pytest.mark.parametrize("name", [HOSTILE, "plain", "{{", "2026-11-30", "null", "中文 场景"])
def test_words_of_a_spec_stay_words(name: str, tmp_path: Path) -> None:
    found = renamed(name)
    text = rules(found, "both", only={"namespace": name})
    checked(tmp_path, text)
    body = text.splitlines()[len(head(text)) :]
    assert body[0] == "groups:", "a word ended its comment"
    (label,) = {a["labels"]["scenario"] for a in made(text).values()}
    assert label.replace('{{ "{{" }}', "{{") == name  # labels of alerts are templates
    assert set(made(text)) <= ALERTS


def test_hostile_words_break_no_expression(tmp_path: Path) -> None:
    found, only = renamed(HOSTILE), {"namespace": HOSTILE}
    done = ran(tmp_path, rules(found, only=only), rules_tests(found, FILE, only=only))
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_an_annotation_tells_is_rendered(tmp_path: Path) -> None:
    """Templates and numbers as the pager shows them, by hand."""
    text = rules(ledger(LAUNCH), "both")
    labels = {"job": "vllm", "instance": "gpu-7:8000", "model_name": "llama", "engine": "0"}
    tags = ",".join(f'{k}="{v}"' for k, v in labels.items())
    ttft = "vllm:time_to_first_token_seconds"
    body = {
        "rule_files": [FILE],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": f"{ttft}_sum{{{tags}}}", "values": "0+45x60"},
                    {"series": f"{ttft}_count{{{tags}}}", "values": "0+60x60"},
                    {"series": f"vllm:num_requests_running{{{tags}}}", "values": "8x60"},
                ],
                "alert_rule_test": [
                    {
                        "alertname": "TTFTHigh",
                        "eval_time": "30m",
                        "exp_alerts": [
                            {
                                "exp_labels": {
                                    **labels,
                                    "severity": "critical",
                                    "scenario": LAUNCH,
                                    "basis": "target",
                                },
                                "exp_annotations": {
                                    "summary": "TTFT on gpu-7:8000 above 500 ms",
                                    "summary_zh": "gpu-7:8000 的 TTFT 超过 500 ms",
                                    "description": "mean TTFT over 5 minutes is 750ms, queueing included; one prompt takes "
                                    "73.01 ms at peak rates on an idle replica",
                                    "description_zh": "5 分钟平均 TTFT 为 750ms（含排队）；空闲副本上，峰值速率下单个请求的 "
                                    "prefill 需 73.01 ms",
                                    "action": "look at the waiting requests first: with a queue add replicas or limit "
                                    "admission; without one compare prompt lengths with 2,048 token/request and look for "
                                    "prefill that is not batched or not cached",
                                    "action_zh": "先看排队的请求数：有排队则加副本或限流；无排队则对比输入长度与 2,048 "
                                    "token/request，并检查 prefill 是否未拼批或未命中前缀缓存",
                                    "threshold": "500 ms: the target of the scenario",
                                    "threshold_zh": "500 ms：场景给定的目标",
                                    "ledger": ledger(LAUNCH)["hash"],
                                },
                            }
                        ],
                    }
                ],
            }
        ],
    }
    done = ran(tmp_path, text, yaml.safe_dump(body, allow_unicode=True))
    assert done.returncode == 0, done.stdout + done.stderr


def test_thresholds_are_the_ledgers() -> None:
    """Values by hand: the scenario's targets, b_slo and b_max of the launch scenario."""
    alerts = made(rules(ledger(LAUNCH)))
    ends = {
        n: a["expr"].rsplit(" ", 1)[1] for n, a in alerts.items() if n != "EngineMetricsMissing"
    }
    assert ends["TTFTHigh"] == "0.5"
    assert ends["TPOTHigh"] == "0.025"
    assert ends["BatchAboveTPOTLimit"] == "79"
    assert ends["BatchAboveMemoryLimit"] == "220"
    assert ends["ContextAboveAssumed"] == "2304"
    assert ends["KVCacheNearlyFull"] == "0.9"
    bases = {n: a["labels"]["basis"] for n, a in alerts.items()}
    assert bases["TTFTHigh"] == "target"
    assert bases["BatchAboveTPOTLimit"] == "derived"
    assert bases["FarFromBound"] == "rule_of_thumb"


def test_without_a_target_the_slow_end_of_the_reachable_range_is_the_threshold() -> None:
    found = ledger(WINDOWS)
    alert = made(rules(found))["TPOTHigh"]
    assert alert["expr"].endswith(f"> {found['results']['TPOT']['high']!r}")
    assert alert["labels"] == {"severity": "warning", "scenario": WINDOWS, "basis": "derived"}
    assert alert["annotations"]["threshold"] == "54.24 ms/token: derived in the ledger"


@pytest.mark.parametrize(
    ("case", "rule", "why"),
    [
        ((LAUNCH,), "BatchAboveCritical", "no batch reaches the ridge either"),
        ((EXPERTS,), "BatchAboveCritical", "memory ends before 6,247 requests: 2,291 requests fit"),
        ((EXPERTS,), "BatchAboveTPOTLimit", "memory ends before 2,661 requests"),
        ((WINDOWS,), "BatchAboveTPOTLimit", "the scenario has no TPOT target"),
        ((UNFIT,), "BatchAboveTPOTLimit", "not even one request meets the target"),
        ((UNFIT,), "BatchAboveMemoryLimit", "the scenario does not fit"),
        ((UNFIT,), "FarFromBound", "the scenario does not fit"),
        (("article-70b-on-1x-h100", "b=1000000"), "BatchAboveMemoryLimit", "does not fit"),
    ],
)
def test_a_rule_without_a_number_is_left_out_and_says_why(
    case: tuple[str, ...], rule: str, why: str
) -> None:
    text = rules(ledger(*case))
    assert rule not in made(text)
    (line,) = [row for row in head(text) if row.startswith(f"# left out: {rule}: ")]
    assert why in line
    zh = [row for row in head(rules(ledger(*case), "zh")) if f"：{rule}：" in row]
    assert len(zh) == 1
    assert re.search("[\u4e00-\u9fff]", zh[0])


def test_uneven_experts_are_named_where_there_are_experts() -> None:
    told = [made(rules(ledger(n)))["FasterThanBound"]["annotations"] for n in (EXPERTS, LAUNCH)]
    assert ["experts chosen evenly" in t["action"] for t in told] == [True, False]


@pytest.mark.parametrize(
    ("products", "name", "limit"),
    [("100000/1", "BatchAboveCritical", "77"), ("1/1", None, None)],
)
def test_products_decide_on_the_ridge_where_they_say_otherwise(
    products: str, name: str | None, limit: str | None
) -> None:
    """The launch scenario reaches no ridge; with other products it would, and the reverse."""
    found = copy.deepcopy(ledger(LAUNCH) if name else ledger(SMALL, "T_in=32", "T_out=32"))
    found["results"]["I_wall_mat"]["exact"] = products
    batch = found["results"]["b_crit_mat"]
    batch |= {"exact": "77/1", "value": 77} if name else {"exact": None, "value": None}
    batch |= {"why": {"en": "by products none", "zh": "按矩阵乘没有"}}
    text = rules(found)
    if name:
        assert made(text)[name]["expr"].endswith(f"> {limit}")
    else:
        assert "# left out: BatchAboveCritical: by products none" in head(text)


def test_switches_that_are_off_leave_no_word() -> None:
    text = rules(ledger(LAUNCH))
    told = (
        "BelowAssumed",
        "speculation is on",
        "chunk",
        "prefix cache is on",
        "engines that decode",
    )
    assert not [word for word in told if word in text]


def test_with_chunks_thresholds_are_those_of_mixed_steps() -> None:
    """Without targets the slow end of what is reachable: of the steps that carry a chunk."""
    plain, chunks = ledger(WINDOWS), ledger(WINDOWS, "chunk=256")
    for name in ("TTFT", "TPOT"):
        expr = made(rules(chunks))[f"{name}High"]["expr"]
        slow = chunks["results"][f"{name}_mix"]["high"]
        assert expr.endswith(f"> {slow!r}")
        assert slow > plain["results"][name]["high"]
    told = made(rules(ledger(LAUNCH, "chunk=512")))["BatchAboveTPOTLimit"]["annotations"]
    assert "by decode alone: steps that carry a chunk" in told["description"]
    assert "at 8 requests a chunk of 342 tokens keeps the target" in told["description"]


def test_assumed_yield_and_share_are_thresholds() -> None:
    """1 + 0.7 + 0.49 + 0.343 + 0.2401 tokens a round, half of the prompts."""
    alerts = made(rules(ledger(LAUNCH, *SPECULATION, "prefix_cache.hit=0.5")))
    assert alerts["AcceptanceBelowAssumed"]["expr"].endswith("< 2.7731")
    assert alerts["PrefixHitsBelowAssumed"]["expr"].endswith("< 0.5")
    assert "a verification pass" in alerts["TPOTHigh"]["annotations"]["description"]
    assert (
        "1,024 token/request of it to compute" in alerts["TTFTHigh"]["annotations"]["description"]
    )


def test_what_nothing_is_assumed_of_is_left_out() -> None:
    text = rules(
        ledger(LAUNCH, "prefix_cache.hit=0", "speculation.draft=4", "speculation.acceptance=0")
    )
    for name in ("PrefixHitsBelowAssumed", "AcceptanceBelowAssumed"):
        assert name not in made(text)
        assert any(row.startswith(f"# left out: {name}: ") for row in head(text))


def test_the_round_of_a_draft_model_is_the_bound() -> None:
    """Four drafts before each verification, at peak: the draft's KV and its weights but the input table."""
    found = ledger(LAUNCH, *SPECULATION, "speculation.draft_model=llama-3.1-8b")
    deployment = Deployment(found)
    step = step_at(deployment, Fraction(8))
    moved = 2 * (8_030_261_248 - 525_336_576) + 8 * Fraction(2176) * 131_072
    drafts = 4 * moved / (4 * 3_350 * 10**9)
    assert step - step_at(deployment, Fraction(8), "t_step") == drafts


def test_a_mean_batch_is_parted_among_groups_as_it_is() -> None:
    """Nine requests on two groups of four are 4.5 on each, on average over steps."""
    draft = (*SPECULATION, "speculation.draft_model=llama-3.1-8b")
    deployment = Deployment(ledger(LAUNCH, *draft, "devices=8", "TP=4", "DP=2"))
    for batch, each in ((Fraction(9), Fraction(9, 2)), (Fraction(1), Fraction(1))):
        step = step_at(deployment, batch) - step_at(deployment, batch, "t_step")
        moved = 2 * (8_030_261_248 - 525_336_576) + each * 2176 * 131_072
        assert step == 4 * moved / (4 * 3_350 * 10**9)


def test_what_no_engine_tells_of_prefill_apart_is_said() -> None:
    text = rules(ledger(LAUNCH, *APART))
    assert "not in any one engine's metric" in made(text)["TTFTHigh"]["annotations"]["description"]
    assert any("these rules are for the engines that decode" in row for row in head(text))
    (group,) = yaml.safe_load(text)["groups"]
    (mfu,) = [r["expr"] for r in group["rules"] if r.get("record") == "derive:mfu:ratio"]
    assert "computed_prompt_tokens" not in mfu


def test_a_target_out_of_reach_is_said() -> None:
    text = rules(ledger(LAUNCH, "target_TPOT=12 ms/token"))
    assert any("TPOTHigh will not end" in row for row in head(text))
    assert not any("will not end" in row for row in head(rules(ledger(LAUNCH))))


def test_each_alert_says_what_it_is_and_what_to_do_in_the_language_asked_for() -> None:
    told = ("summary", "description", "action", "threshold")
    found = ledger(SMALL, "T_in=32", "T_out=32")
    english, both, mandarin = (made(rules(found, lang)) for lang in ("en", "both", "zh"))
    assert english.keys() == both.keys() == mandarin.keys()
    for name, alert in both.items():
        assert set(alert["annotations"]) == {*told, *(f"{t}_zh" for t in told), "ledger"}
        assert alert["labels"]["severity"] in {"critical", "warning", "info"}
        assert alert["for"] in {"10m", "15m"}
        for each in told:
            en, zh = english[name]["annotations"][each], mandarin[name]["annotations"][each]
            assert (en, zh) == (alert["annotations"][each], alert["annotations"][f"{each}_zh"])
            assert not re.search("[\u4e00-\u9fff]", en)
            assert re.search("[\u4e00-\u9fff]", zh)
    assert not re.search("[\u4e00-\u9fff]", rules(found, "en"))
    assert chinese()["requests wait on {replica}"] in rules(found, "zh").replace(
        "{{ $labels.instance }}", "{replica}"
    )


def test_labels_restrict_every_series_of_the_engine() -> None:
    text = rules(ledger(LAUNCH), only={"model_name": "llama", "job": 'v"llm'})
    names = [n for metric in VLLM.metrics.values() for n in metric.names]
    pattern = "|".join(map(re.escape, names))
    uses = re.findall(rf"(?:{pattern})(?:_sum|_count|_bucket)?(\S*?)[\[)]", text)
    assert len(uses) > 20
    assert set(uses) == {'{model_name="llama",job="v\\"llm"}'}
    assert not any("restrict the rules" in row for row in head(text))
    assert any("restrict the rules" in row for row in head(rules(ledger(LAUNCH))))


def test_the_same_ledger_gives_the_same_bytes() -> None:
    found = ledger(EXPERTS)
    assert rules(found, "both") == rules(copy.deepcopy(found), "both")
    assert rules_tests(found, FILE) == rules_tests(copy.deepcopy(found), FILE)
