"""Saved metrics of vLLM: the same run as the clients tell it, names old and new, broken pages."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import DeriveError, Place
from derive.measured.exposition import samples
from derive.measured.files import Found
from derive.measured.histogram import Histogram
from derive.measured.metric_names import COUNTER, HISTOGRAM, VLLM
from derive.measured.reader import read
from derive.measured.readers.vllm_metrics import window
from derive.measured.record import Run
from tests.measured.test_one_truth import TRUTH

SAMPLE = Path(__file__).parent / "samples" / "vllm_metrics.txt"
TEXT = SAMPLE.read_text()


def runs(tmp_path: Path, text: str) -> list[Run]:
    path = tmp_path / "metrics.txt"
    path.write_text(text)
    return read(path)


def test_the_page_tells_what_the_clients_tell() -> None:
    (run,) = read(SAMPLE)
    assert {name: run.value(name) for name in TRUTH} == TRUTH
    one = {
        "tokens_in": 512, "tokens_out": 16, "requests": 4, "failed": 1, "preempted": 0,
        "b_meas": 2, "waiting": 0, "use": Fraction(1, 512), "blocks": 1952, "T_block": 16,
    }  # fmt: skip
    assert {name: run.value(name, "one") for name in one} == one
    assert (run.value("hit"), run.value("ITL_meas")) == (Fraction(1, 4), Fraction("0.01205"))
    assert (run.value("T_in_meas"), run.value("T_out_meas")) == (128, 4)
    assert [note.en for note in run.notes] == [
        "counters and histograms are totals since the server's start, idle times included"
    ]


def test_quantiles_lie_inside_their_bucket() -> None:
    (run,) = read(SAMPLE)
    # 2 of 4 are below 0.04; the 3.6th and the 3.96th of 4 are in the next 0.02
    assert run.value("TTFT_meas", "p50") == Fraction("0.04")
    assert run.value("TTFT_meas", "p90") == Fraction("0.04") + Fraction("0.02") * Fraction("0.8")
    found = run.get("TTFT_meas", "p90")
    assert found is not None
    assert found.note is not None
    assert "certain is 0.04 to 0.06 s" in found.note.en


@pytest.mark.parametrize("found", ["+Inf", "NaN"])
def test_a_sum_without_a_value_is_said(found: str, tmp_path: Path) -> None:
    name = "vllm:time_to_first_token_seconds"
    text, changed = re.subn(rf"(?m)^({name}_sum\S*) .*$", rf"\1 {found}", TEXT)
    assert changed == 1
    (run,) = runs(tmp_path, text)
    assert run.get("TTFT_meas") is None
    assert run.get("TTFT_meas", "p50") is not None
    assert f"{name} has no finite sum: its mean is not known" in [note.en for note in run.notes]


def test_names_of_old(tmp_path: Path) -> None:
    old = re.sub(r"(?m)^.*vllm:request_time_per_output.*\n", "", TEXT)
    old = old.replace("inter_token_latency", "time_per_output_token")
    old = old.replace("kv_cache_usage_perc", "gpu_cache_usage_perc")
    old = old.replace("vllm:prefix_cache", "vllm:gpu_prefix_cache").replace('engine="0",', "")
    (run,) = runs(tmp_path, old)
    assert run.value("ITL_meas") == run.value("TPOT_meas") == Fraction("0.01205")
    assert run.value("use", "one") == Fraction(1, 512)
    assert run.value("hit") == Fraction(1, 4)
    found = run.get("TPOT_meas")
    assert found is not None
    assert found.note is not None
    assert "mean over tokens" in found.note.en


def test_of_two_names_the_newer_one_counts(tmp_path: Path) -> None:
    older = TEXT.replace("kv_cache_usage_perc", "gpu_cache_usage_perc").replace(
        "0.001953125", "0.5"
    )
    both = TEXT + "".join(s + "\n" for s in older.splitlines() if s.startswith("vllm:gpu_cache"))
    for text in (both, "\n".join(reversed(both.splitlines()))):
        assert runs(tmp_path, text)[0].value("use", "one") == Fraction(1, 512)


def test_a_step_of_a_speculating_engine_is_no_token(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^.*vllm:request_time_per_output.*\n", "", TEXT)
    labels = '{engine="0",model_name="example/model"}'
    for name, value in (("drafts", 10), ("draft_tokens", 30), ("accepted_tokens", 12)):
        text += f"vllm:spec_decode_num_{name}_total{labels} {value}.0\n"
    (run,) = runs(tmp_path, text)
    assert run.get("TPOT_meas") is None
    assert run.value("acceptance") == Fraction(12, 30)
    assert run.value("accepted") == 1 + Fraction(12, 10)


def test_engines_and_models_are_told_apart(tmp_path: Path) -> None:
    other = TEXT.replace('engine="0"', 'engine="1"').replace(" 0.1646", " 0.3292")
    first, second = runs(tmp_path, TEXT + other)
    assert (first.value("TTFT_meas"), second.value("TTFT_meas")) == (
        Fraction("0.04115"),
        Fraction("0.0823"),
    )
    assert (first.label, second.label) == ("example/model, engine 0", "example/model, engine 1")


@pytest.mark.parametrize("before", ["ray_vllm_", "kserve_vllm:"])
def test_names_as_ray_and_kserve_change_them(tmp_path: Path, before: str) -> None:
    (run,) = runs(tmp_path, re.sub(r"(?m)^vllm:", before, TEXT))
    assert run.value("TTFT_meas") == Fraction("0.04115")


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        (" 0.001953125", " 97.5", "B106", "a share from 0 to 1"),
        (" 0.001953125", " x", "B103", "x is no sample"),
        ('model"} 0.1646', "model} 0.1646", "B103", "no sample"),
        (" 0.1646", " -0.1646", "B106", "negative"),
        ('le="0.04"', 'le="wide"', "B106", "le is wide"),
        ('le="0.04"', 'le="0.02"', "B103", "stands twice"),
        ('le="0.04",model_name="example/model"} 2.0', 'le="0.04",model_name="example/model"} 9.0',
         "B106", "do not add up"),
    ],
)  # fmt: skip
def test_what_no_server_exposes(tmp_path: Path, old: str, new: str, code: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(DeriveError) as fault:
        runs(tmp_path, TEXT.replace(old, new, 1))
    (problem,) = fault.value.problems
    assert problem.code == code
    assert says in problem.what.en
    assert problem.place is not None
    assert problem.place.line > 0


def test_a_page_of_another_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeriveError) as fault:
        runs(tmp_path, "# TYPE go_threads gauge\ngo_threads 8\n")
    assert fault.value.problems[0].code == "B104"
    with pytest.raises(DeriveError) as fault:
        runs(tmp_path, 'vllm:request_success_created{model_name="m"} 3\n')
    assert fault.value.problems[0].code == "B105"


def test_a_page_that_may_be_cut_off_says_so(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, TEXT[:-1])
    assert any("cut off" in note.en for note in run.notes)


def test_a_page_cut_off_is_read_as_far_as_it_is_whole_or_refused(tmp_path: Path) -> None:
    draw = random.Random(4)
    (whole,) = read(SAMPLE)
    known = {(f.id, f.statistic): f.quantity for f in whole.figures}
    for _ in range(150):
        at = draw.randrange(400, len(TEXT))
        try:
            (run,) = runs(tmp_path, TEXT[:at])
        except DeriveError as fault:
            codes = {p.code for p in fault.problems}
        else:
            codes = set()
            means = [f for f in run.figures if f.statistic == "mean"]
            line = TEXT.count("\n", 0, at) + 1
            assert all(f.quantity == known[f.id, "mean"] for f in means if f.place.line + 8 < line)
        assert codes <= {"B103", "B105", "B106"}


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=20), st.integers(0, 10**6))
def test_labels_of_any_text_are_read_back(label: str, number: int) -> None:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    text = f'a:b{{x="{escaped}",y="1",}} {number}.25 1395066363000\n'
    (found,) = samples(text, "f", lambda _: True)
    assert (dict(found.labels), found.value) == ({"x": label, "y": "1"}, number + Fraction(1, 4))


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 9)), min_size=1, max_size=8))
def test_quantiles_grow_and_stay_below_the_last_limit(steps: list[tuple[int, int]]) -> None:
    histogram, limit, count = Histogram(Place()), 0, 0
    for width, more in steps:
        limit, count = limit + width, count + more
        histogram.buckets[Fraction(limit)] = Fraction(count)
    histogram.buckets[None] = histogram.count = Fraction(count)
    histogram.checked()
    values = [value for _, value, _ in histogram.quantiles()]
    assert values == sorted(values)
    assert 0 < values[0] <= values[-1] <= limit


def test_the_table_of_names_is_in_order() -> None:
    names = [name for metric in VLLM.values() for name in metric.names]
    assert len(names) == len(set(names))
    for key, metric in VLLM.items():
        if key == "iteration":  # a histogram of totals
            continue
        assert all(n.endswith("_total") for n in metric.names) == (metric.kind == COUNTER)
        assert not any(
            n.endswith(("_bucket", "_sum")) for n in metric.names if metric.kind == HISTOGRAM
        )


SAME = '{engine="0",model_name="m"}'
COUNTED = """\
process_start_time_seconds {started}
vllm:num_requests_running{who} 3.0
vllm:generation_tokens_total{who} {tokens}
vllm:iteration_tokens_total_count{who} {steps}
vllm:iteration_tokens_total_sum{who} {tokens}
vllm:request_time_per_output_token_seconds_count{who} {requests}
vllm:request_time_per_output_token_seconds_sum{who} {spent}
"""


def scrape(path: Path, **values: str) -> Path:
    """A page with these counters."""
    text = COUNTED.replace("{who}", SAME)
    for key, value in {"started": "100.0", **values}.items():
        text = text.replace("{" + key + "}", value)
    path.write_text(text, "utf-8")
    return path


def test_two_scrapes_of_one_server_are_a_window(tmp_path: Path) -> None:
    """100 steps brought 800 tokens: 8 requests a step; ten requests at 0.02 s a token."""
    one = scrape(tmp_path / "a", tokens="5000", steps="5000", requests="10", spent="5.0")
    two = scrape(tmp_path / "b", tokens="5800", steps="5100", requests="20", spent="5.2")
    (found,) = window(Found(one), Found(two)) or []
    assert found.value("b_meas") == 8
    assert found.value("TPOT_meas") == Fraction(1, 50)
    assert found.value("tokens_out", "one") == 800
    assert any("between a and b" in note.en for note in found.notes)


@pytest.mark.parametrize("change", [{"started": "200.0"}, {"tokens": "4000"}, {"requests": "9"}])
def test_a_restart_between_scrapes_is_no_window(tmp_path: Path, change: dict[str, str]) -> None:
    start = {"tokens": "5000", "steps": "5000", "requests": "10", "spent": "5.0"}
    one = scrape(tmp_path / "a", **start)
    two = scrape(tmp_path / "b", **{**start, "steps": "5100", **change})
    assert window(Found(one), Found(two)) is None


def test_the_mean_batch_since_the_start_is_tokens_over_steps(tmp_path: Path) -> None:
    path = scrape(tmp_path / "a", tokens="6000", steps="1500", requests="10", spent="0.2")
    (found,) = read(path)
    assert found.value("b_meas") == 4
    assert found.value("b_meas", "one") == 3
