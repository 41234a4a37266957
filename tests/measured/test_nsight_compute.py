"""Nsight Compute's CSV: the same launch in each form, notations of numbers, units, broken files."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.measured.profile.decimals import decimal_mark, evidence, parsed
from derive.measured.reader import read
from derive.measured.record import Kernel

SAMPLES = Path(__file__).parent / "samples"
HEAD = '"ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"'
FMA = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
TENSOR = "sm__inst_executed_pipe_tensor.sum"


def table(tmp_path: Path, *rows: tuple[str, str, str], cc: str = "9.0", before: str = "") -> Path:
    path = tmp_path / "ncu.csv"
    lines = [f'"0","k","{cc}","{name}","{unit}","{value}"' for name, unit, value in rows]
    path.write_text("\n".join([before + HEAD, *lines]) + "\n")
    return path


def only(path: Path) -> Kernel:
    (run,) = read(path)
    (kernel,) = run.kernels
    return kernel


TIME = ("gpu__time_duration.sum", "us", "38.40")


def test_long_and_wide_tell_the_same_launch() -> None:
    long, wide = only(SAMPLES / "ncu_long.csv"), only(SAMPLES / "ncu_wide_raw.csv")
    assert long.time == wide.time == Fraction("38.4e-6")
    assert long.flops == wide.flops == 458752 * 4096
    assert long.traffic == Fraction("117.96e6") + Fraction("0.46e6")
    assert wide.traffic == 117964800 + 458752
    assert long.how is not None
    assert "assumed: 4,096 FLOP" in long.how.en


def test_a_decimal_comma_is_seen() -> None:
    (run,) = read(SAMPLES / "ncu_long_decimal_comma.csv")
    assert run.kernels[0].time == Fraction("38.4e-6")
    assert run.kernels[0].flops is run.kernels[0].traffic is None
    assert any("decimal mark" in note.en for note in run.notes)


@pytest.mark.parametrize(
    ("rows", "flops"),
    [
        ([(FMA, "inst", "1,000")], 2000),
        ([(FMA, "inst", "1,000"), (FMA.replace("ffma", "dadd"), "inst", "7")], 2007),
        ([(FMA, "", "10"), (FMA.replace("ffma", "hmul"), "inst", "7")], 27),
        ([("sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", "8192"), (TENSOR, "inst", "2")], 8192),
        ([("sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_on.sum", "", "8192")], None),
        ([(TENSOR, "Kinst", "2"), (FMA, "inst", "5")], 2000 * 4096 + 10),
        ([("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "14.20")], None),
    ],
)
def test_operations(tmp_path: Path, rows: list[tuple[str, str, str]], flops: int | None) -> None:
    assert only(table(tmp_path, TIME, *rows)).flops == flops


@pytest.mark.parametrize(("cc", "each"), [("7.0", 512), ("7.5", 2048), ("8.6", 4096), ("10.0", 0),
                                          ("", 0)])  # fmt: skip
def test_a_tensor_instruction_is_assumed_by_architecture(
    tmp_path: Path, cc: str, each: int
) -> None:
    kernel = only(table(tmp_path, TIME, (TENSOR, "inst", "3"), cc=cc))
    assert kernel.flops == (3 * each or None)
    assert kernel.how is not None
    assert ("assumed" if each else "unknown") in kernel.how.en


@pytest.mark.parametrize(
    ("rows", "time"),
    [
        ([("gpu__time_duration.sum", "ns", "38,400")], "38.4e-6"),
        ([("gpu__time_duration.sum", "msecond", "0.0384")], "38.4e-6"),
        ([("Duration", "us", "38.40")], "38.4e-6"),
        ([("sm__cycles_elapsed.avg", "cycle", "67,584"),
          ("sm__cycles_elapsed.avg.per_second", "Ghz", "1.76")], "38.4e-6"),
        ([("sm__cycles_elapsed.avg", "cycle", "67,584"),
          ("sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.76")], "38.4e-6"),
    ],
)  # fmt: skip
def test_times(tmp_path: Path, rows: list[tuple[str, str, str]], time: str) -> None:
    rows = [*rows, (FMA, "inst", "1,000"), ("dram__throughput.x", "%", "91.70")]
    assert only(table(tmp_path, *rows)).time == Fraction(time)


@pytest.mark.parametrize(
    ("unit", "value", "bytes_"),
    [("byte", "118,423,552", 118423552), ("Gbyte", "0.12", 120_000_000), ("Kbyte", "4", 4000)],
)
def test_bytes_in_the_unit_that_stands_there(
    tmp_path: Path, unit: str, value: str, bytes_: int
) -> None:
    assert only(table(tmp_path, TIME, ("dram__bytes.sum", unit, value))).traffic == bytes_


def test_launches_of_a_kernel_add_up(tmp_path: Path) -> None:
    path = table(tmp_path, TIME, ("dram__bytes.sum", "byte", "100"))
    text = path.read_text().replace('"0","k"', '"1","k"').split("\n", 1)[1]
    path.write_text(path.read_text() + text)
    kernel = only(path)
    assert (kernel.calls, kernel.time, kernel.traffic) == (2, Fraction("76.8e-6"), 200)


def test_what_the_program_printed_may_stand_before(tmp_path: Path) -> None:
    before = "loading, please wait\nready, set, go, now\n==PROF== Disconnected\n"
    assert only(table(tmp_path, TIME, before=before)).time == Fraction("38.4e-6")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (("gpu__time_duration.sum", "inst", "3"), "the unit of gpu__time_duration.sum is inst"),
        (("gpu__time_duration.sum", "us", "fast"), "gpu__time_duration.sum is fast"),
        (("gpu__time_duration.sum", "us", "-3"), "gpu__time_duration.sum is -3"),
        (("gpu__time_duration.sum", "us", "1.2.3"), "gpu__time_duration.sum is 1.2.3"),
        (("dram__bytes.sum", "byte/second", "3"), "the unit of dram__bytes.sum"),
    ],
)
def test_faults_name_line_and_metric(tmp_path: Path, row: tuple[str, str, str], says: str) -> None:
    with pytest.raises(DeriveError) as fault:
        read(table(tmp_path, ("Duration", "us", "3.25"), row))
    (problem,) = fault.value.problems
    assert problem.code == "B106"
    assert says in problem.what.en
    assert problem.place is not None
    assert (problem.place.line, problem.place.key) == (3, row[0])


def test_a_table_without_times_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeriveError) as fault:
        read(table(tmp_path, (FMA, "inst", "3")))
    assert fault.value.problems[0].code == "B105"


def test_a_row_cut_off_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, TIME)
    path.write_text(path.read_text()[:-12])
    with pytest.raises(DeriveError) as fault:
        read(path)
    assert fault.value.problems[0].code in ("B103", "B106")


@pytest.mark.parametrize(
    ("text", "unit", "mark"),
    [("91,70", "%", ","), ("91.70", "%", "."), ("1,234", "us", ""), ("1,234", "inst", "."),
     ("1.234", "inst", ","), ("1,234,567", "us", "."), ("1.234.567,8", "us", ","), ("5", "us", ""),
     ("0,123", "us", ","), ("1234,567", "us", ","), ("n/a", "us", "")],
)  # fmt: skip
def test_what_a_number_proves(text: str, unit: str, mark: str) -> None:
    assert evidence(text, unit) == mark


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([".", ","]))
def test_a_printed_number_is_read_back(whole: int, cents: int, mark: str) -> None:
    text = f"{whole:,}".replace(",", "," if mark == "." else ".") + f"{mark}{cents:02d}"
    assert decimal_mark([(text, "us")]) == (mark, True)
    assert parsed(text, mark) == whole + Fraction(cents, 100)


def test_mixed_notations_are_not_mixed_up() -> None:
    assert decimal_mark([("91,70", "%"), ("38.40", "us")]) == (".", False)
    assert parsed("91,70", ".") is None


def test_damaged_files_never_end_in_a_traceback(tmp_path: Path) -> None:
    draw = random.Random(3)
    path = tmp_path / "odd.csv"
    for name in ("ncu_long.csv", "ncu_wide_raw.csv"):
        source = (SAMPLES / name).read_text()
        for _ in range(200):
            at = draw.randrange(len(source))
            path.write_text(source[:at] + draw.choice(["", "\x00", '"', ",", "\n", "9", "é"])
                            + source[at + draw.randrange(4) :])  # fmt: skip
            for kernel in kernels_or_refused(path):
                assert kernel.time > 0


def kernels_or_refused(path: Path) -> tuple[Kernel, ...]:
    try:
        return read(path)[0].kernels
    except DeriveError as fault:
        refused = {p.code for p in fault.problems}
    assert refused <= {"B103", "B104", "B105", "B106"}
    return ()
