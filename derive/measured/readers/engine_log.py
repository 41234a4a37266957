"""Start-up logs of vLLM, SGLang and TensorRT-LLM; several starts and replicas in one file."""

from __future__ import annotations

from derive.measured.files import Found, refuse
from derive.measured.logs.scan import Filled, Start, starts
from derive.measured.logs.sglang import SGLANG
from derive.measured.logs.tensorrt_llm import TENSORRT_LLM
from derive.measured.logs.vllm import VLLM
from derive.measured.reader import TEXT, Reader
from derive.measured.record import Run
from derive.text import Text, tr

ENGINES = (VLLM, SGLANG, TENSORRT_LLM)
SIGNS = [
    pattern.pattern
    for engine in ENGINES
    for kind, pattern in engine.patterns.items()
    if kind not in ("start", "block", "states")
]


def read(found: Found) -> list[Run]:
    """A run for each start of each replica that tells anything of its memory."""
    made = []
    for start in starts(found, ENGINES):
        filled = Filled(start)
        start.engine.fill(start, filled)
        if filled.figures:
            made.append((start, filled))
    if not made:
        refuse("B105", tr("no start of an engine in the log says what its memory holds"),
               found.place)  # fmt: skip
    return [filled.run(label(start, [s for s, _ in made])) for start, filled in made]


def label(start: Start, every: list[Start]) -> str:
    """What tells starts of one file apart: engine, number of the start, replica."""
    alike = [s for s in every if s.engine is start.engine and s.replica == start.replica]
    parts = [start.engine.name] if len({s.engine.name for s in every}) > 1 else []
    parts += [f"start {alike.index(start) + 1}"] if len(alike) > 1 else []
    replicas = {s.replica for s in every if s.engine is start.engine}
    parts += [start.replica or "DP0"] if len(replicas) > 1 else []
    return ", ".join(parts)


READERS = [
    Reader(
        "engine-log", "vLLM, SGLang, TensorRT-LLM", TEXT, tuple((sign,) for sign in SIGNS), read,
        Text("what the engine printed at its start", "引擎启动时打印的日志"),
    )
]  # fmt: skip
