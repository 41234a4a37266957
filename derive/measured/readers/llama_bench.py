"""llama.cpp's `llama-bench -o json|jsonl|csv|md`: every test is a run of one sequence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from derive.measured.files import Document, Found, Table
from derive.measured.gather import Gather
from derive.measured.reader import ARRAY, OBJECT, TABLE, TEXT, Reader
from derive.measured.record import MEAN, Run
from derive.text import Text, tr

TOOL = "llama-bench"
TEST = re.compile(
    r"(?:pp ?(?P<prompt>\d{1,9}))?(?: ?\+ ?)?(?:tg ?(?P<output>\d{1,9}))?"
    r"(?: @ d ?(?P<depth>\d{1,9}))?"
)
SIZE = re.compile(r"(?P<value>\d+(\.\d+)?) (?P<unit>[KMGT]iB|B|M|K)")
UNITS = {"M": 10**6, "B": 10**9, "K": 10**3}
# a table that passed through other hands may have thousands parted, and its ± in another encoding
SPEED = re.compile(
    r"(?P<mean>(\d{1,3}(,\d{3})+|\d+)(\.\d+)?)(\s*(±|\+/-|[^\s\d.,]{1,3})\s*[\d,]+(\.\d+)?)?"
)
DIVIDER = re.compile(r":?-+:?")
HEADER = r"(?m)^[ \t]*\|(?=[^\n]*\|[ \t]*test[ \t]*\|)[^\n]*\|[ \t]*t/s[ \t]*\|[ \t]*$"


def array(document: Document) -> list[Run]:
    """The JSON array, a test an object."""
    listed = document.data if isinstance(document.data, list) else []
    return [one(document.part(f"[{number}]", data)) for number, data in enumerate(listed)]


def line(document: Document) -> list[Run]:
    """JSON lines, a test a line."""
    return [one(document)]


def tables(given: tuple[Table, ...]) -> list[Run]:
    """The CSV: the same fields as JSON, a test a row."""
    return [
        one(Document(dict(row), table.file, number))
        for table in given
        for number, row in table.rows
    ]


def one(document: Document) -> Run:
    """One test."""
    gather = Gather(TOOL, document)
    counts = [gather.number(key) for key in ("n_prompt", "n_gen", "n_depth")]
    prompt, output, depth = (c or Fraction(0) for c in counts)
    whole(gather, prompt, output)
    speed(gather, "avg_ts", gather.number("avg_ts"), prompt, output)
    load(gather, prompt, output, depth, ("n_prompt", "n_gen", "n_depth"))
    gather.figure("N", "model_n_params", "param", "one")
    gather.figure("W", "model_size", "byte", "one")
    for fact, key in (("model", "model_type"), ("hardware", "cpu_info"), ("hardware", "gpu_info"),
                      ("engine", "build_commit"), ("kv_cache", "type_k")):  # fmt: skip
        gather.fact(fact, key)
    placement(gather)
    return gather.run()


def placement(gather: Gather) -> None:
    """Where the weights lay, as far as it decides which bandwidth is the bound."""
    gpus = gather.raw("gpu_info")
    if not isinstance(gpus, str) or not gpus.strip():
        return
    if gather.raw("n_gpu_layers") in (0, "0"):
        gather.note(tr("no layer was placed on the accelerator"))
    elif gather.raw("n_cpu_moe") not in (None, 0, "0"):
        gather.note(tr("experts of some layers stayed in the memory of the host"))
    elif "," in gpus and gather.raw("split_mode") == "layer":
        gather.fact("parallel", "split_mode")
        gather.note(tr("layers are split over several accelerators, of which one works at a time:"
                       " the bandwidth of one is the bound"))  # fmt: skip


def whole(gather: Gather, prompt: Fraction, output: Fraction) -> None:
    """The time of one repetition, as a time of what the test does."""
    time = gather.number("avg_ns")
    if time is None:
        return
    seconds = time / 10**9
    if prompt and output:
        gather.add("E2E_meas", seconds, "s", "avg_ns")
    elif prompt:
        gather.add("t_prefill_meas", seconds, "s", "avg_ns")
    elif output:
        how = tr("{above} / {below}", above="avg_ns", below="n_gen")
        gather.add("t_step_meas", seconds / output, "s", "avg_ns", MEAN, how)


def speed(
    gather: Gather, key: str, found: Fraction | None, prompt: Fraction, output: Fraction
) -> None:
    """Tokens per second mean prompt tokens, output tokens or both, by the test."""
    mean = tr("the mean of the rates of all repetitions")
    if prompt and output:
        gather.add("X_all", found, "token/s", key, MEAN, mean)
    elif prompt:
        gather.add("X_in", found, "token/s", key, MEAN, mean)
    elif output:
        gather.add("X_meas", found, "token/s", key, MEAN, mean)
        gather.add("R_meas", found, "token/s/request", key, MEAN, mean)


def load(
    gather: Gather, prompt: Fraction, output: Fraction, depth: Fraction, keys: tuple[str, ...]
) -> None:
    """What was run: always one sequence."""
    gather.phase = "serving" if prompt and output else "decode" if output else "prefill"
    gather.add("b_meas", Fraction(1), "request", keys[0], MEAN, tr("llama-bench runs one sequence"))
    for name, value, key in (("T_in_meas", prompt, keys[0]), ("T_out_meas", output, keys[1]),
                             ("T_depth", depth, keys[2])):  # fmt: skip
        if value:
            gather.add(name, value, "token/request", key)
    if output and not prompt:
        before = tr("tokens in the cache before the first that is generated")
        gather.add("T_in_meas", depth, "token/request", keys[2], MEAN, before)
    if not prompt and not output:
        gather.fault(f"{keys[0]}, {keys[1]}", "0")
    gather.label = "+".join(f"{w}{n}" for w, n in (("pp", prompt), ("tg", output)) if n)
    gather.label += f" @ d{depth}" if depth else ""


def markdown(found: Found) -> list[Run]:
    """Tables in Markdown; columns come and go, these always stand last: test and t/s."""
    return [row(found, number, cells) for number, cells in rows(found.lines)]


def rows(lines: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of all tables of the tool among the lines."""
    header: list[str] = []
    for number, text in enumerate(lines, 1):
        bare = text.strip()
        cells = [c.strip() for c in bare[1:-1].split("|")] if bare[:1] == bare[-1:] == "|" else []
        if not cells:
            header = []
        elif {"test", "t/s"} <= set(cells):
            header = cells
        elif header and not all(DIVIDER.fullmatch(c) for c in cells):
            yield number, dict(zip(header, cells, strict=False))


def row(found: Found, number: int, cells: dict[str, str]) -> Run:
    """One row of a table."""
    gather = Gather(TOOL, Document(cells, found.name, number))
    test, rate = TEST.fullmatch(cells.get("test", "")), SPEED.fullmatch(cells.get("t/s", ""))
    if not test or not (test["prompt"] or test["output"]):
        gather.fault("test", cells.get("test", ""))
    elif not rate:
        gather.fault("t/s", cells.get("t/s", ""))
    else:
        prompt, output, depth = (Fraction(test[k] or 0) for k in ("prompt", "output", "depth"))
        speed(gather, "t/s", gather.checked(rate["mean"].replace(",", ""), "t/s"), prompt, output)
        load(gather, prompt, output, depth, ("test",) * 3)
    rounded = tr("rounded by the table")
    for name, key, units in (("W", "size", "byte"), ("N", "params", "param")):
        if size := SIZE.fullmatch(cells.get(key, "")):
            value, unit = Fraction(size["value"]), size["unit"]
            if unit.endswith("iB"):
                gather.add(name, value, unit, key, "one", rounded)
            else:
                gather.add(name, value * UNITS[unit], units, key, "one", rounded)
    for fact, key in (
        ("model", "model"),
        ("engine", "build"),
        ("kv_cache", "type_k"),
        ("parallel", "sm"),
    ):
        gather.fact(fact, key)
    return gather.run()


FIELDS = ("n_prompt", "n_gen", "avg_ts", "model_type")
READERS = [
    Reader("llama-bench-json", TOOL, ARRAY, (FIELDS,), array, Text("`-o json`", "`-o json`")),
    Reader("llama-bench-jsonl", TOOL, OBJECT, (FIELDS,), line, Text("`-o jsonl`", "`-o jsonl`")),
    Reader("llama-bench-csv", TOOL, TABLE, (FIELDS,), tables, Text("`-o csv`", "`-o csv`")),
    Reader("llama-bench-md", TOOL, TEXT, ((HEADER,),), markdown, Text("`-o md`", "`-o md`")),
]
