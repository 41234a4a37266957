"""Writes a trace of any size as the PyTorch profiler lays it out, its sums known beforehand.

`python tests/measured/trace_maker.py FILE MEGABYTES`
"""

from __future__ import annotations

import sys
from pathlib import Path

HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "Example GPU 80GB", "totalGlobalMem": 85024112640, "numSms": 132
    }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1767435300000000000,
  "traceEvents": [
"""
STEP = """  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4242, "tid": 4242,
    "ts": {op}.125, "dur": 42.500,
    "args": {{
      "External id": {call},"Record function id": 0, "Concrete Inputs": ["", ""], "Input type": ["c10::BFloat16", "c10::BFloat16"], "Input Strides": [[4096, 1], [1, 4096]], "Input Dims": [[{rows}, 4096], [4096, 14336]], "Ev Idx": {call}
    }}
  }},
  {{
    "ph": "X", "cat": "python_function", "name": "torch/nn/modules/linear.py(124): forward", "pid": 4242, "tid": 4242,
    "ts": {op}.100, "dur": 50.000,
    "args": {{
      "Python parent id": {call}, "Python id": {call}, "Python module id": 17, "Ev Idx": {call}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242,
    "ts": {op}.500, "dur": 5.100,
    "args": {{
      "External id": {call}, "cbid": 211, "correlation": {launch}
    }}
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "example_gemm_bf16_64x64", "pid": 0, "tid": 7,
    "ts": {op}.875, "dur": 38.400,
    "args": {{
      "External id": {call}, "queued": 0, "device": 0, "context": 1, "stream": {stream}, "correlation": {launch}, "registers per thread": 168, "shared memory": 99328, "blocks per SM": 1.7, "warps per SM": 6.8, "grid": [224, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 10
    }}
  }},
  {{
    "ph": "s", "id": {launch}, "pid": 4242, "tid": 4242, "ts": {op}.500, "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "f", "id": {launch}, "pid": 0, "tid": 7, "ts": {op}.875, "cat": "ac2g", "name": "ac2g", "bp": "e"
  }}"""  # noqa: E501


def write(path: Path, size: int) -> int:
    """A trace of at least `size` bytes; how many calls it has, each with one kernel."""
    calls = 0
    with path.open("w", encoding="ascii") as out:
        out.write(HEAD)
        while out.tell() < size:
            pieces = []
            for _ in range(512):
                calls += 1
                pieces.append(
                    STEP.format(op=1_000_000 + 40 * calls, call=calls, launch=calls + 7,
                                rows=16 << calls % 4, stream=7 + calls % 2)
                )  # fmt: skip
            out.write((",\n" if calls > 512 else "") + ",\n".join(pieces))
        out.write('\n  ],\n  "traceName": "trace.json"\n}\n')
    return calls


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), int(float(sys.argv[2]) * 1e6)))
