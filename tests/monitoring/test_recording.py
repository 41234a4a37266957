"""What is recorded, held against values by hand, in the real Prometheus."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derive.expression.tree import (
    Binary,
    Call,
    Name,
    Negative,
    Node,
    Number,
    names,
    rebuild,
    walk,
)
from derive.expression.value import value
from derive.monitoring import rules
from derive.monitoring.engines import VLLM
from derive.monitoring.promql import number, promql

from .monitored import EXPERTS, LAUNCH, WINDOWS, holds, ledger, promtool

if TYPE_CHECKING:
    from pathlib import Path

ITL, TPOT = "vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"
TTFT = "vllm:time_to_first_token_seconds"
ONE = {"job": "vllm", "instance": "a:8000", "model_name": "m", "engine": "0"}


def series(name: str, values: str, **labels: str) -> dict[str, str]:
    tags = ",".join(f'{k}="{v}"' for k, v in {**ONE, **labels}.items())
    return {"series": f"{name}{{{tags}}}", "values": values}


def running(
    batch: int, step: str, prompt: int = 2048, output: int = 256, itl: str = ITL, **labels: str
) -> list[dict[str, str]]:
    """A replica with a batch and a step time (seconds): counters grow a minute."""
    each = Fraction(step)
    steps, ended = 60 * batch / each, Fraction(60)
    rows = {
        f"{itl}_sum": 60 * batch, f"{itl}_count": steps, f"{TTFT}_sum": ended / 4,
        f"{TTFT}_count": ended, "vllm:generation_tokens_total": steps + ended,
        "vllm:request_prompt_tokens_sum": ended * prompt, "vllm:request_prompt_tokens_count": ended,
        "vllm:request_generation_tokens_sum": ended * output,
        "vllm:request_generation_tokens_count": ended,
        "vllm:prompt_tokens_total": ended * prompt,
        "vllm:prefix_cache_hits_total": ended * prompt / 4,
    }  # fmt: skip
    counters = [series(n, f"0+{float(v)!r}x60", **labels) for n, v in rows.items()]
    return [*counters, series("vllm:num_requests_running", f"{batch}x60", **labels)]


def near(name: str, wanted: float, **labels: str) -> str:
    """A recorded series within a millionth of a value."""
    tags = ",".join(f'{k}="{v}"' for k, v in labels.items())
    return f"abs(derive:{name}{{{tags}}} / {wanted!r} - 1) < 1e-6"


def test_shares_of_the_bound_by_hand(tmp_path: Path) -> None:
    # 141,107,412,992 B + 8 x 2,176 x 327,680 B = 146,811,666,432 B over 4 x 3.35 TB/s: 10.956 ms
    bound = (141_107_412_992 + 8 * 2176 * 327_680) / 13.4e12
    streamed = (139_006_066_688 + 8 * 2176 * 327_680) / 13.4e12
    output, prompt = 8 / 0.02 + 1, 2048 * 3 / 4  # a second
    holds(
        tmp_path, rules(ledger(LAUNCH)), running(8, "0.02"),
        near("step_bytes:bound", 146_811_666_432.0),
        near("step_seconds:bound", bound),
        near("context_tokens:mean30m", 2176.0),
        near("step_seconds:mean5m", 0.02),
        near("tpot_seconds:mean5m", 0.02),
        near("ttft_seconds:mean5m", 0.25),
        near("mbu:ratio", bound / 0.02),
        near("bound_share:ratio", bound / 0.02),
        near("least_step_share:ratio", streamed / 0.02),
        near("output_tokens:rate5m", output),
        near("computed_prompt_tokens:rate5m", prompt),
        near("output_tokens:bound", 8 / bound),
        near("mfu:ratio", (output + prompt) * 2 * 70_553_706_496 / (4 * 989.5e12)),
    )  # fmt: skip


def test_experts_hit_follow_the_running_batch(tmp_path: Path) -> None:
    # 256 experts, 8 for a token: 1 - (31/32)^16 of their bytes at 16 requests
    cards = {i["id"]: Fraction(i["exact"]) for i in ledger(EXPERTS)["inputs"]}
    w = cards["w"]
    hit = 1 - Fraction(31, 32) ** 16
    read = cards["N_fix"] * w * cards["r_fix"] + cards["N_exp"] * w * cards["r_exp"] * hit
    moved = read + 16 * 2304 * 70_272
    holds(
        tmp_path, rules(ledger(EXPERTS)), running(16, "0.03", output=512),
        near("step_bytes:bound", float(moved)), near("mbu:ratio", float(moved) / 38.4e12 / 0.03),
    )  # fmt: skip


def test_windows_keep_what_they_keep(tmp_path: Path) -> None:
    # 86,016 elements a token in each kind of layer, 4,096 tokens of them kept in windows
    for prompt, kept in ((2000, 2128), (8000, 4096)):
        context = prompt + 128
        moved = 18_483_411_968 + 4 * 2 * 86_016 * (context + kept)
        holds(
            tmp_path, rules(ledger(WINDOWS)), running(4, "0.05", prompt=prompt),
            near("step_bytes:bound", float(moved)),
        )  # fmt: skip


@pytest.mark.parametrize("names", [(ITL,), (TPOT,), (ITL, TPOT)])
def test_old_and_new_names_give_one_series(names: tuple[str, ...], tmp_path: Path) -> None:
    rows = {s["series"]: s for name in names for s in running(8, "0.02", itl=name)}
    usage = ["vllm:gpu_cache_usage_perc"] if TPOT in names else []
    usage += ["vllm:kv_cache_usage_perc"] if ITL in names else []
    given_rows = [*rows.values(), *(series(n, "0.25x60") for n in usage)]
    holds(
        tmp_path, rules(ledger(LAUNCH)), given_rows,
        near("step_seconds:mean5m", 0.02), near("kv_cache_usage:max5m", 0.25),
        "count(derive:step_seconds:mean5m) == 1", "count(derive:kv_cache_usage:max5m) == 1",
    )  # fmt: skip


def test_replicas_stay_apart_and_engines_of_one_latent_replica_together(tmp_path: Path) -> None:
    rows = [
        *running(8, "0.02"), *running(4, "0.01", engine="1"),
        *running(2, "0.05", instance="b:8000"),
    ]  # fmt: skip
    holds(
        tmp_path, rules(ledger(LAUNCH)), rows,
        "count(derive:mbu:ratio) == 3",
        near("requests_running:mean5m", 4.0, engine="1"),
        near("step_seconds:mean5m", 0.05, instance="b:8000"),
        "count(derive:bound_share:ratio) == 3",
    )  # fmt: skip
    holds(
        tmp_path, rules(ledger(EXPERTS)), rows,
        "count(derive:mbu:ratio) == 2",
        near("requests_running:mean5m", 12.0, instance="a:8000"),
    )  # fmt: skip


def test_quantiles_come_from_the_buckets(tmp_path: Path) -> None:
    buckets = [
        series(f"{TTFT}_bucket", f"0+{grow}x60", le=le)
        for le, grow in (("0.1", 30), ("0.2", 54), ("+Inf", 60))
    ]
    # half at 0.1 s; the last tenth lies beyond the last bound, so p95 is that bound
    holds(
        tmp_path, rules(ledger(LAUNCH)), [*running(8, "0.02"), *buckets],
        near("ttft_seconds:p50_5m", 0.1), near("ttft_seconds:p95_5m", 0.2),
    )  # fmt: skip


def test_an_idle_replica_has_no_speed_and_no_alert(tmp_path: Path) -> None:
    idle = [
        {**s, "values": "0x60" if "running" in s["series"] else "100x60"}
        for s in running(8, "0.02")
    ]
    holds(
        tmp_path, rules(ledger(LAUNCH)), idle,
        "absent(derive:step_seconds:mean5m)", "absent(derive:bound_share:ratio)",
        "absent(ALERTS)", "derive:requests_running:mean5m == 0",
        near("context_tokens:mean30m", 2176.0),  # as the scenario says, where nothing finished
    )  # fmt: skip


def test_a_step_that_brings_several_tokens_is_no_tpot(tmp_path: Path) -> None:
    rows = running(8, "0.02")
    for row in rows:
        if "generation_tokens_total" in row["series"]:
            row["values"] = f"0+{3 * 60 * 8 / 0.02 + 60!r}x60"
    holds(
        tmp_path, rules(ledger(LAUNCH)), rows,
        near("step_seconds:mean5m", 0.02), near("tpot_seconds:mean5m", 0.02 / 3),
    )  # fmt: skip


def test_the_rules_name_metrics_of_the_table_alone() -> None:
    text = rules(ledger(LAUNCH))
    named = {n for metric in VLLM.metrics.values() for n in metric.names}
    parts = {f"{n}{end}" for n in named for end in ("", "_sum", "_count", "_bucket")}
    used = set(re.findall(r"vllm:\w+", text))
    assert used <= parts
    assert {n for n in used if n.endswith("_total")} <= {
        n for metric in VLLM.metrics.values() if metric.kind == "counter" for n in metric.names
    }


leaves = st.one_of(
    st.sampled_from(["b", "T"]).map(Name),
    st.fractions(min_value=1, max_value=50, max_denominator=9).map(Number),
)


def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.builds(lambda op, two: Binary(op, *two), st.sampled_from("+-*/"), pair),
        st.builds(Call, st.sampled_from(["min", "max"]), pair),
        st.builds(lambda f, one: Call(f, (one,)), st.sampled_from(["floor", "ceil"]), inner),
        st.builds(lambda one, m: Call("pow", (one, Number(Fraction(m)))), inner, st.integers(0, 3)),
        st.builds(Negative, inner),
    )


def folded(node: Node) -> Node:
    """Constant parts computed, as an opened formula has them."""
    made = rebuild(node, folded)
    return made if names(made) else Number(value(made, {}.__getitem__))


def jumps(node: Node, at: dict[str, Fraction]) -> bool:
    """Whether a floor or ceiling stands at a whole number: 64 bits may fall to either side."""
    calls = [n for n in walk(node) if isinstance(n, Call) and n.function in ("floor", "ceil")]
    inside = [value(c.args[0], at.__getitem__) for c in calls]
    return any(abs(v - round(v)) < Fraction(1, 10**9) for v in inside)


@settings(
    max_examples=8, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(found=st.lists(st.recursive(leaves, larger, max_leaves=6), min_size=20, max_size=40))
def test_promql_means_what_the_formula_means(found: list[Node], tmp_path: Path) -> None:
    """Prometheus itself computes the printed expressions."""
    at = {"b": Fraction(7), "T": Fraction(5, 2)}
    asked = []
    for drawn in found:
        try:
            tree, wanted = folded(drawn), float(value(drawn, at.__getitem__))
        except (ZeroDivisionError, OverflowError):
            continue
        if names(tree) and not jumps(drawn, at):
            limit = number(max(abs(wanted), 1) * 1e-6)
            text = promql(tree, {"b": "batch", "T": "long"})
            asked.append(f"abs(({text}) - {number(wanted)}) <= bool {limit}")
    body = {
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": n, "values": v} for n, v in
                                 (("batch", "7x5"), ("long", "2.5x5"))],
                "promql_expr_test": [
                    {"expr": e, "eval_time": "5m", "exp_samples": [{"labels": "{}", "value": 1}]}
                    for e in asked
                ],
            }
        ],
    }  # fmt: skip
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
    done = promtool("test", "rules", str(tmp_path / "p.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr
