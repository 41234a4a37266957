"""Traces of the PyTorch profiler: sums worked by hand, odd layouts, broken files, and memory."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derive import measure_command
from derive.cli import main
from derive.errors import DeriveError
from derive.measured.profile.shapes import Inputs, Work, work
from derive.measured.reader import read
from derive.measured.record import Kernel, Run
from tests.measured.trace_maker import write

SAMPLES = Path(__file__).parent / "samples"
BF16 = "c10::BFloat16"
PEAK = 400  # MiB that a trace may take


def trace(tmp_path: Path, events: list[object], **more: object) -> Path:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events, **more}))
    return path


def kernel(name: str = "k", **args: object) -> dict[str, object]:
    times = {key: args.pop(key) for key in ("ts", "dur") if key in args}
    return {"ph": "X", "cat": "kernel", "name": name, "ts": 10, "dur": 2, **times,
            "args": {"stream": 7, **args}}  # fmt: skip


def operator(call: int, name: str = "aten::mm", **args: object) -> dict[str, object]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "ts": 0, "dur": 1,
            "args": {"External id": call, **args}}  # fmt: skip


MM = {"Input Dims": [[16, 4096], [4096, 14336]], "Input type": [BF16, BF16]}


def only(path: Path) -> tuple[Run, Kernel]:
    (run,) = read(path)
    assert len(run.kernels) == 1
    return run, run.kernels[0]


def test_the_sample_by_hand() -> None:
    (run,) = read(SAMPLES / "torch_profiler_trace.json")
    product, copied = run.kernels
    assert product.name == "aten::mm (16×4096, 4096×14336)"
    assert (product.calls, product.time) == (1, Fraction("38.4e-6"))
    assert product.flops == 2 * 16 * 4096 * 14336
    assert product.traffic == 2 * (16 * 4096 + 4096 * 14336 + 16 * 14336)
    assert (copied.name[:11], copied.time, copied.traffic) == (
        "Memcpy HtoD",
        Fraction(3, 10**6),
        65536,
    )
    assert run.facts["hardware"].text == "Example GPU 80GB"
    assert run.phase == "profile"


def test_the_old_layout_has_no_types_so_no_bytes() -> None:
    _, product = only(SAMPLES / "torch_profiler_trace_old.json")
    assert (product.flops, product.traffic) == (2 * 16 * 4096 * 14336, None)
    assert product.time == Fraction("38e-6")
    assert product.how is not None
    assert "a type is not given" in product.how.en


def test_kernels_without_shapes_give_times_alone() -> None:
    (run,) = read(SAMPLES / "deepseek_profile_data_like.json")
    assert [(k.name, k.flops, k.traffic) for k in run.kernels] == [
        ("example_fp8_gemm_kernel", None, None),
        ("example_dispatch_all_to_all", None, None),
        ("example_mla_attention", None, None),
    ]
    assert run.value("t_kernels", "total") == Fraction("560.7e-6")
    # 5000 to 5210.5 with 5010 to 5200 inside it, then 5215 to 5375.2
    assert run.value("t_busy", "total") == Fraction("370.7e-6")
    assert run.value("duration", "total") == Fraction("375.2e-6")
    assert any("times alone" in note.en for note in run.notes)
    assert any("overlap" in note.en for note in run.notes)


def test_two_kernels_of_one_call_count_its_operations_once(tmp_path: Path) -> None:
    owner = {"External id": 3}
    events = [kernel("split", **owner, ts=1), kernel("reduce", **owner, ts=5), operator(3, **MM)]
    path = trace(tmp_path, list(events))
    _, row = only(path)
    assert (row.calls, row.time, row.flops) == (1, Fraction(4, 10**6), 2 * 16 * 4096 * 14336)


def test_a_kernel_is_joined_through_its_launch(tmp_path: Path) -> None:
    launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 1, "dur": 1,
              "args": {"External id": 3, "correlation": 900}}  # fmt: skip
    path = trace(tmp_path, [kernel(correlation=900), launch, operator(3, **MM)])
    assert only(path)[1].name.startswith("aten::mm")


def launched(at: int, number: int, **args: object) -> dict[str, object]:
    return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at, "dur": 1,
            "pid": 1, "tid": 1, "args": {"correlation": number, **args}}  # fmt: skip


def test_an_owner_that_only_repeats_the_launch_is_none(tmp_path: Path) -> None:
    # traces of 2022 and 2023: the launch's number happens to be that of another operator's call
    outer = {**operator(1, "aten::linear"), "ts": 100, "dur": 50, "pid": 1, "tid": 1}
    inner = {**operator(2, **MM), "ts": 110, "dur": 20, "pid": 1, "tid": 1}
    other = {**operator(900, "aten::add"), "ts": 0, "dur": 5, "pid": 1, "tid": 1}
    elsewhere = {**operator(4, "aten::mul"), "ts": 114, "dur": 5, "pid": 1, "tid": 2}
    events = [other, outer, inner, elsewhere, launched(115, 900, **{"External id": 900}),
              launched(140, 901, **{"External id": 901}), launched(160, 902),
              kernel("a", correlation=900, **{"External id": 900}),
              kernel("b", correlation=901, **{"External id": 901}, ts=20),
              kernel("c", correlation=902, ts=30)]  # fmt: skip
    (run,) = read(trace(tmp_path, list(events)))
    assert {k.name.partition(" ")[0] for k in run.kernels} == {"aten::mm", "aten::linear", "c"}
    assert any(note.en.startswith("2 kernels name no operator") for note in run.notes)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=8),
       st.lists(st.integers(0, 80), min_size=1, max_size=8, unique=True))  # fmt: skip
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_innermost_call_launches(
    tmp_path: Path, spans: list[tuple[int, int]], launches: list[int]
) -> None:
    calls: list[tuple[int, int]] = []
    for start, length in sorted(set(spans), key=lambda s: (s[0], -s[1])):
        ends = [end for begin, end in calls if begin <= start <= end]
        if all(start + length <= end for end in ends):  # calls of a thread lie inside each other
            calls.append((start, start + length))
    events: list[object] = [
        {**operator(0, f"op{n}"), "ts": start, "dur": end - start, "pid": 1, "tid": 1}
        for n, (start, end) in enumerate(calls)
    ]
    events += [launched(at, 1000 + at) for at in launches]
    events += [kernel(f"k{at}", ts=100 + 3 * at, correlation=1000 + at) for at in launches]
    wanted = []
    for at in launches:
        inside = [n for n, (start, end) in enumerate(calls) if start <= at <= end]
        wanted.append(f"op{inside[-1]}" if inside else f"k{at}")
    (run,) = read(trace(tmp_path, events))
    assert {k.name for k in run.kernels} == set(wanted)


def test_kernels_of_a_graph_keep_their_names(tmp_path: Path) -> None:
    launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "ts": 1, "dur": 1,
              "args": {"External id": 3, "correlation": 900}}  # fmt: skip
    path = trace(tmp_path, [launch, kernel("a", correlation=900, **{"External id": 3}),
                            kernel("b", correlation=900, ts=11), operator(3, **MM)])  # fmt: skip
    (run,) = read(path)
    assert {k.name for k in run.kernels} == {"a", "b"}
    assert run.value("graphs", "total") == 1
    assert any("CUDA graph" in note.en for note in run.notes)


def test_what_the_trace_counts_itself_comes_first(tmp_path: Path) -> None:
    path = trace(tmp_path, [operator(3, FLOPs=1234, **MM), kernel(**{"External id": 3})])
    _, row = only(path)
    assert row.flops == 1234
    assert row.how is not None
    assert "as the trace counts them" in row.how.en


def test_devices_are_told_apart(tmp_path: Path) -> None:
    path = trace(tmp_path, [kernel(device=0), kernel(device=1)],
                 distributedInfo={"rank": 3})  # fmt: skip
    (run,) = read(path)
    assert [f.quantity.base for f in run.figures if f.id == "t_busy"] == [Fraction(2, 10**6)] * 2


@pytest.mark.parametrize(
    ("name", "inputs", "flops", "traffic"),
    [
        ("aten::mm", Inputs([(2, 3), (3, 5)], [BF16] * 2), 60, 2 * (6 + 15 + 10)),
        ("aten::mm", Inputs([(2, 3), (4, 5)], [BF16] * 2), None, None),
        ("aten::addmm", Inputs([(5,), (2, 3), (3, 5)], ["float"] * 3), 60, 4 * (5 + 6 + 15 + 10)),
        ("aten::linear", Inputs([(7, 2, 3), (5, 3)], [BF16] * 2), 420, 2 * (42 + 15 + 70)),
        ("aten::bmm", Inputs([(7, 2, 3), (7, 3, 5)], [BF16] * 2), 420, 2 * (42 + 105 + 70)),
        # the second factor is one matrix, repeated with stride 0
        ("aten::bmm", Inputs([(7, 2, 3), (7, 3, 5)], [BF16] * 2, [(6, 3, 1), (0, 5, 1)]), 420,
         2 * (42 + 15 + 70)),
        ("aten::_int_mm", Inputs([(2, 3), (3, 5)], ["signed char"] * 2), 60, 6 + 15 + 4 * 10),
        # result in bfloat16 (15), scales of one float each
        ("aten::_scaled_mm", Inputs([(2, 3), (3, 5), (1,), (1,)], ["c10::Float8_e4m3fn"] * 2 +
         ["float"] * 2, (), ["", "", "", "", "", "", "15"]), 60, 6 + 15 + 4 + 4 + 20),
        ("aten::_scaled_mm", Inputs([(2, 3), (3, 5)], ["c10::Float8_e4m3fn"] * 2), 60, None),
        ("_C::cutlass_scaled_mm", Inputs([(2, 5), (2, 3), (3, 5)], [BF16, "c10::Float8_e4m3fn",
         "c10::Float8_e4m3fn"]), 60, 6 + 15 + 20),
        ("aten::add", Inputs([(2, 3), (3,)], [BF16, "float"]), None, 12 + 12 + 24),
        ("aten::silu", Inputs([(2, 3)], [BF16]), None, None),
    ],
)  # fmt: skip
def test_work_of_one_call(
    name: str, inputs: Inputs, flops: int | None, traffic: int | None
) -> None:
    assert work(name, inputs) == Work(flops, traffic)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(0, 2)), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_busy_time_is_the_union_of_the_kernels(
    tmp_path: Path, times: list[tuple[int, int, int]]
) -> None:
    events: list[object] = [kernel(ts=s, dur=d, stream=lane) for s, d, lane in times]
    (run,) = read(trace(tmp_path, events))
    covered = {t for s, d, _ in times for t in range(s, s + d)}
    assert run.value("t_busy", "total") == Fraction(len(covered), 10**6)
    assert run.value("t_kernels", "total") == Fraction(sum(d for _, d, _ in times), 10**6)


@pytest.mark.parametrize(
    ("events", "code", "says"),
    [
        ([kernel(dur=-1)], "B106", "traceEvents[0].dur is -1"),
        ([kernel(), kernel(dur="long")], "B106", "traceEvents[1].dur is long"),
        ([kernel(dur=1e30)], "B106", "dur"),
        ([kernel(ts=None)], "B106", "ts"),
        ([kernel(), 3], "B106", "traceEvents[1] is 3"),
        ([operator(1)], "B105", "no kernel"),
    ],
)
def test_what_no_profiler_writes(
    tmp_path: Path, events: list[object], code: str, says: str
) -> None:
    with pytest.raises(DeriveError) as fault:
        read(trace(tmp_path, events))
    assert fault.value.problems[0].code == code
    assert says in fault.value.problems[0].what.en


@pytest.mark.parametrize("packed", [False, True])
def test_a_trace_that_was_cut_off(tmp_path: Path, packed: bool) -> None:
    whole = (SAMPLES / "torch_profiler_trace.json").read_bytes()
    for at in random.Random(5).sample(range(700, len(whole) - 8), 40):
        path = tmp_path / "cut.json"
        path.write_bytes(gzip.compress(whole[:at]) if packed else whole[:at])
        with pytest.raises(DeriveError) as fault:
            read(path)
        assert fault.value.problems[0].code == "B103", at


def test_odd_values_never_end_in_a_traceback(tmp_path: Path) -> None:
    source = json.loads((SAMPLES / "torch_profiler_trace.json").read_text())
    draw = random.Random(7)
    odd = [None, -1, 1e300, "x", [], {}, [[[]]], True, 10**30, "9" * 30, [-1, 2], "\x1b[31m"]
    for _ in range(300):
        changed = json.loads(json.dumps(source))
        event = draw.choice(changed["traceEvents"])
        inside = draw.choice([event, event.get("args") or event])
        inside[draw.choice(list(inside))] = draw.choice(odd)
        path = tmp_path / "odd.json"
        path.write_text(json.dumps(changed))
        for row in kernels_or_refused(path):
            assert row.time >= 0
            assert row.name.isprintable()


def kernels_or_refused(path: Path) -> tuple[Kernel, ...]:
    try:
        return read(path)[0].kernels
    except DeriveError as fault:
        refused = {p.code for p in fault.problems}
    assert refused <= {"B102", "B103", "B105", "B106"}
    return ()


def test_packed_and_plain_are_the_same(tmp_path: Path) -> None:
    plain = SAMPLES / "torch_profiler_trace.json"
    packed = tmp_path / "trace.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(packed)[0].kernels == read(plain)[0].kernels


MEASURE = """
import re, resource, sys
from pathlib import Path
from derive.measured.reader import read
told = []
(run,) = read(Path(sys.argv[1]), lambda done, total: told.append((done, total)))
print(sum(k.calls for k in run.kernels), run.label, sum(k.flops for k in run.kernels))
print(told == sorted(told) and told[-1][0] == told[-1][1], len(told))
# getrusage also counts what the parent held when it forked; Linux tells our own peak
status = Path("/proc/self/status")
own = re.search(r"VmHWM:\\s*(\\d+)", status.read_text()) if status.exists() else None
print(int(own[1] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // 1024)
"""


def test_a_large_trace_takes_little_memory_and_tells_its_progress(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    calls = write(path, 24_000_000)
    made = subprocess.run([sys.executable, "-c", MEASURE, str(path)], check=True,
                          capture_output=True, text=True)  # fmt: skip
    counts, progress, peak = made.stdout.splitlines()
    rows = sum(16 << call % 4 for call in range(1, calls + 1))
    assert counts == f"{calls} rank 3 {2 * rows * 4096 * 14336}"
    assert progress.startswith("True")
    # what grows with the file: 24 MB of it may take a twentieth of what 500 MB may
    assert int(peak) < 60 + PEAK // 20


def test_the_command_tells_how_much_of_a_large_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_command, "LARGE", 2_000_000)
    path = tmp_path / "large.json"
    write(path, 3_000_000)
    done = CliRunner().invoke(main, ["measure", str(path), "--json"])
    assert "large.json" in done.stderr  # where stderr is no terminal the bar is its label
    small = CliRunner().invoke(main, ["measure", str(SAMPLES / "ncu_long.csv")])
    assert "ncu_long.csv" not in small.stderr
