"""Counters of Nsight Compute as time, operations and bytes, in the units the file gives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from derive.errors import Place, Problem, printable
from derive.text import Text, joined, tr

POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "K": 3, "M": 6, "G": 9, "T": 12}
PREFIXES = {prefix: Fraction(10) ** power for prefix, power in POWERS.items()}
TIME = re.compile(r"([num]?)(?:s|second|sec)")
BYTES = re.compile(r"([KMGT]?)byte")
COUNT = re.compile(r"([KMGT]?)(?:inst|cycle|ops?|)")
RATE = re.compile(r"([KMGT]?)[Hh]z|cycle/([num]?)second")

DURATION = ("gpu__time_duration.sum", "gpu__time_duration.avg", "Duration")
CYCLES = ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.max", "Elapsed Cycles")
CLOCK = ("sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second", "SM Frequency")
VECTOR = re.compile(r"sms?p?__sass_thread_inst_executed_op_([dfh])(add|mul|fma)_pred_on\.sum")
TENSOR = ("sm__inst_executed_pipe_tensor.sum", "sm__inst_executed_pipe_tensor_op_hmma.sum",
          "smsp__inst_executed_pipe_tensor.sum")  # fmt: skip
OPERATIONS = re.compile(r"sm__ops_path_tensor_src_\w+?(?<!sparsity_on)(?<!sparsity_off)\.sum")
MEMORY = ("dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum")
# FLOP of one tensor instruction, by compute capability: the shape of the half-precision one
TENSOR_FLOPS = {"7.0": (512, "HMMA 8×8×4"), "7.5": (2048, "HMMA 16×8×8"),
                "8": (4096, "HMMA 16×8×16"), "9": (4096, "HMMA 16×8×16")}  # fmt: skip
Result = tuple[Fraction | None, Text]


@dataclass(frozen=True)
class Metrics:
    """The metrics of one launch: value, unit and place; faults are added to `problems`."""

    values: Mapping[str, tuple[Fraction, str, Place]]
    capability: str
    problems: list[Problem]

    @staticmethod
    def wanted(name: str) -> bool:
        """Whether a metric is read at all."""
        plain = (*DURATION, *CYCLES, *CLOCK, *TENSOR, *MEMORY)
        return name in plain or bool(VECTOR.fullmatch(name) or OPERATIONS.fullmatch(name))

    def get(self, units: re.Pattern[str], *names: str) -> tuple[Fraction, str] | None:
        """The first of them that was measured, its prefix applied, with its name."""
        for name in names:
            if name not in self.values:
                continue
            value, unit, place = self.values[name]
            fits = units.fullmatch(unit)
            if fits:
                per = PREFIXES[fits[2] or ""] if units is RATE else 1  # cycle/nsecond
                return value * PREFIXES[fits[1] or ""] / per, name
            what = tr("the unit of {metric} is {found}; {wanted} is expected",
                      metric=printable(name, 80), found=printable(unit, 40) or '""',
                      wanted=WANTED[units])  # fmt: skip
            self.problems.append(Problem("B106", what, place))
            return None
        return None


WANTED = {TIME: "ns, us, ms, s", BYTES: "byte, Kbyte, Mbyte, Gbyte", COUNT: "inst, cycle",
          RATE: "hz, Ghz, cycle/nsecond"}  # fmt: skip


def seconds(metrics: Metrics) -> Fraction | None:
    """Time on the device: as measured, else cycles over the clock that was measured."""
    found = metrics.get(TIME, *DURATION)
    if found:
        return found[0]
    cycles, clock = metrics.get(COUNT, *CYCLES), metrics.get(RATE, *CLOCK)
    return cycles[0] / clock[0] if cycles and clock and clock[0] else None


def traffic(metrics: Metrics) -> Result:
    """Bytes of device memory: the sum, or what was read and written."""
    found = metrics.get(BYTES, MEMORY[0])
    if found:
        return found[0], tr("bytes as measured ({metrics})", metrics=MEMORY[0])
    halves = [metrics.get(BYTES, name) for name in MEMORY[1:]]
    known = [half[0] for half in halves if half]
    if len(known) < len(halves):
        return None, tr("bytes of device memory not measured")
    return sum(known, Fraction(0)), tr(
        "bytes as measured ({metrics})", metrics=" + ".join(MEMORY[1:])
    )


def flops(metrics: Metrics) -> Result:
    """Operations: adds, products and twice the fused ones, and those of tensor instructions."""
    vector, kinds = Fraction(0), []
    for name in metrics.values:
        kind = VECTOR.fullmatch(name)
        found = metrics.get(COUNT, name) if kind else None
        if kind and found:
            vector += found[0] * (2 if kind[2] == "fma" else 1)
            kinds.append(kind[1] + kind[2])
    tensor, how = tensors(metrics)
    if tensor is None:
        return None, how or tr("operations not measured")
    if not kinds and how is None:
        return None, tr("operations not measured")
    parts = [tr("operations counted: {kinds}", kinds=", ".join(sorted(kinds)))] if kinds else []
    return vector + tensor, joined([*parts, how] if how else parts)


def tensors(metrics: Metrics) -> tuple[Fraction | None, Text | None]:
    """Operations of the tensor cores; None where a count of instructions cannot be turned."""
    counted = [metrics.get(COUNT, name) for name in metrics.values if OPERATIONS.fullmatch(name)]
    if known := [found[0] for found in counted if found]:
        return sum(known, Fraction(0)), tr("tensor operations as counted")
    found = metrics.get(COUNT, *TENSOR)
    if found is None or not found[0]:
        return Fraction(0), None
    capability = metrics.capability
    major = capability.partition(".")[0]
    each = TENSOR_FLOPS.get(capability) or TENSOR_FLOPS.get(major)
    if each is None:
        about = capability or tr("not given")
        return None, tr("operations of a tensor instruction unknown (compute capability: {about})",
                        about=about)  # fmt: skip
    how = tr("assumed: {each} FLOP for each tensor instruction ({shape}), others differ",
             each=f"{each[0]:,}", shape=each[1])  # fmt: skip
    return found[0] * each[0], how
