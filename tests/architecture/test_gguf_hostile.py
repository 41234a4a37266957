"""GGUF files that are cut, wrong or mean harm: one clear problem, bounded time and memory."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derive.architecture import read
from derive.architecture.gguf.architectures import ARCHITECTURES
from derive.architecture.gguf.header import MOST_KEYS, MOST_TENSORS, read_header
from derive.errors import DeriveError, Problem
from tests.architecture.gguf_files import config, half, write
from tests.clock import within

SMALL = {**config("meta-llama__Llama-3.2-1B"), "num_hidden_layers": 1}
START = b"GGUF" + struct.pack("<I", 3)
SLOW = 5.0  # seconds, on a busy machine


def counts(tensors: int, keys: int) -> bytes:
    return START + struct.pack("<QQ", tensors, keys)


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name.encode()) + struct.pack("<I", kind) + value


def array(kind: int, count: int, value: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, count) + value


def tensor(name: str, dims: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    shape = struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
    return text(name.encode()) + shape + struct.pack("<IQ", kind, offset)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    tokens = {"tokenizer.ggml.tokens": [str(i) for i in range(50)], "general.name": "small"}
    write(path, {**SMALL, "vocab_size": 50}, half, changes=tokens)
    return path.read_bytes()


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with within(SLOW), pytest.raises(DeriveError) as caught:
        read(path)
    problem = caught.value.problems[0]
    assert problem.place is not None
    assert problem.place.file == str(path)
    assert problem.what.zh != problem.what.en
    return f"{problem.code} {problem.place.key}: {problem.what.en}"


U8, U32, TEXT, ARRAY, BOOL = 0, 4, 8, 9, 7
NO_KEYS = counts(1, 0)
CASES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "M101 : this is no GGUF file"),
    "short": (b"GGU", "M101 : this is no GGUF file"),
    "other": (b'{"model_type": "llama"}', "M101 : this is no GGUF file"),
    "magic": (b"GGML" + counts(0, 0)[4:], "M101 : this is no GGUF file"),
    "version 1": (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "M101 : version 1"),
    "version 99": (b"GGUF" + struct.pack("<IQQ", 99, 0, 0), "M101 : version 99"),
    "version 0": (b"GGUF" + struct.pack("<IQQ", 0, 0, 0), "M101 : version 0"),
    "cut": (START, "M101 : the file ends at byte 8"),
    "nothing": (counts(0, 0), "M104 general.architecture"),
    "tensors": (counts(2**64 - 1, 0), "M102 : the header announces 18446744073709551615"),
    "keys": (counts(0, 2**63), "M102 : the header announces 9223372036854775808 keys"),
    "many keys": (counts(0, MOST_KEYS), "M101 : the file ends"),
    "many tensors": (counts(MOST_TENSORS, 0), "M101 : the file ends"),
    "long name": (counts(0, 1) + struct.pack("<Q", 2**63), "M102 : the name at byte 24"),
    "cut name": (counts(0, 1) + struct.pack("<Q", 9) + b"abc", "M101 : the file ends"),
    "no UTF-8": (counts(0, 1) + text(b"\xff\xfe"), "M101 : a text at byte 32"),
    "kind": (counts(0, 1) + key("a.b", 77, b""), "M105 a.b: the value has the unknown type 77"),
    "cut value": (counts(0, 1) + key("a.b", U32, b"\0"), "M101 a.b: the file ends"),
    "long text": (counts(0, 1) + key("a.b", TEXT, struct.pack("<Q", 2**62)), "M101 a.b"),
    "text": (counts(0, 1) + key("a.b", TEXT, text(b"\xff")), "M101 a.b: a text at byte"),
    "flag": (counts(0, 1) + key("a.b", BOOL, b"\2"), "M105 a.b: a.b must be true or false"),
    "twice": (counts(0, 2) + key("a", U8, b"\1") * 2, "M103 a: a stands twice"),
    "list of lists": (counts(0, 1) + key("a.b", ARRAY, array(ARRAY, 1)), "M105 a.b: a list of"),
    "deep": (counts(0, 1) + key("a.b", ARRAY, array(ARRAY, 1) * 100_000), "M105 a.b: a list of"),
    "list of 77": (counts(0, 1) + key("a.b", ARRAY, array(77, 1)), "M105 a.b: the value has"),
    "long list": (counts(0, 1) + key("a.b", ARRAY, array(U32, 2**61)), "M101 a.b: the file ends"),
    "longest list": (counts(0, 1) + key("a.b", ARRAY, array(U32, 2**64 - 1)), "M101 a.b"),
    "texts": (counts(0, 1) + key("a.b", ARRAY, array(TEXT, 2**60)), "M102 a.b: the lists hold"),
    "text in list": (
        counts(0, 1) + key("a.b", ARRAY, array(TEXT, 2, struct.pack("<Q", 2**64 - 1))),
        "M101 a.b: the file ends",
    ),
    "no dimension": (NO_KEYS + tensor("t", ()), "M105 t: a tensor has 1 to 4"),
    "dimensions": (NO_KEYS + text(b"t") + struct.pack("<I", 2**31), "M105 t: a tensor has 1 to 4"),
    "nought": (NO_KEYS + tensor("t", (4, 0)), "M105 t: a dimension must be"),
    "huge": (NO_KEYS + tensor("t", (2**63, 2)), "M105 t: a dimension must be"),
    "old type": (NO_KEYS + tensor("t", (32,), 4), "M109 t: the tensor has the unknown type 4"),
    "block": (NO_KEYS + tensor("t", (100,), 12), "M107 t: rows of 100 are no multiple of the 256"),
    "tensor twice": (counts(2, 0) + tensor("t", (1,)) * 2, "M103 t: t stands twice"),
    "architecture": (
        counts(0, 1) + key("general.architecture", U32, struct.pack("<I", 3)),
        "M104 general.architecture",
    ),
    "unknown": (
        counts(0, 1) + key("general.architecture", TEXT, text(b"lama")),
        "M108 general.architecture: GGUF architecture lama is not known",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_no_model_is_refused_by_its_place(name: str, path: Path) -> None:
    content, expected = CASES[name]
    assert refused(path, content).startswith(expected)


def test_other_order_of_bytes_is_bounded_too(path: Path) -> None:
    big = b"GGUF" + struct.pack(">IQQ", 3, 0, 2**40)
    assert refused(path, big).startswith("M102 : the header announces 1099511627776 keys")


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(DeriveError, match="M101"):
        read(tmp_path / "none.gguf")
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(DeriveError, match="M101"):
        read(tmp_path / "pipe.gguf")
    folder = tmp_path / "folder.gguf"
    folder.mkdir()
    with pytest.raises(DeriveError, match=r"holds no config\.json"):
        read(folder)


LARGE = "M102 the header is larger than 128000000 bytes"


@pytest.mark.parametrize(
    ("kind", "size", "entries", "expected"),
    [
        (U8, 1, 200_000, LARGE),  # 200 MB of lists
        (TEXT, 8, 25_000, "M102 the lists hold 4025000 texts; at most 4000000 are read"),
        (U32, 4, 4096, "M104 general.architecture is missing"),  # short enough to be kept
    ],
)
def test_many_keys_cost_no_more_than_they_must(
    kind: int, size: int, entries: int, expected: str, path: Path
) -> None:
    content = array(kind, entries, (b"\0" if kind == TEXT else b"\xff") * size * entries)
    with path.open("wb") as file:
        file.write(counts(0, MOST_KEYS))
        for i in range(MOST_KEYS):
            file.write(key(f"{i:06}", ARRAY, content))
    with within(SLOW), pytest.raises(DeriveError, match=expected):
        read(path)
    if kind == TEXT:
        return  # nothing but the bytes is kept, and tracing would take a minute
    tracemalloc.start()
    try:
        with pytest.raises(DeriveError):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 350_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("each", [0, 8])
def test_a_vocabulary_of_millions_is_passed_over(each: int, path: Path) -> None:
    count = 2_000_000
    tokens = array(TEXT, count, text(b"x" * each) * count)
    path.write_bytes(counts(0, 1) + key("tokenizer.ggml.tokens", ARRAY, tokens))
    with within(SLOW):
        found = read_header(path).values["tokenizer.ggml.tokens"]
    assert getattr(found, "count", None) == count


def test_a_sparse_file_of_a_terabyte_is_not_read(path: Path, whole: bytes) -> None:
    with path.open("wb") as file:
        file.write(whole)
        file.truncate(10**12)
    with within(SLOW):
        assert read(path).checks[0].agrees


def test_a_header_cut_anywhere_is_refused(path: Path, whole: bytes) -> None:
    for end in range(0, len(whole) - 64, 37):
        path.write_bytes(whole[:end])
        with pytest.raises(DeriveError, match="M101"):
            read(path)


@settings(max_examples=300, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.binary(min_size=1, max_size=9)),
                     min_size=1, max_size=4),
)  # fmt: skip
def test_changed_bytes_are_read_or_refused(
    changes: list[tuple[int, bytes]], path: Path, whole: bytes
) -> None:
    content = bytearray(whole)
    for at, new in changes:
        place = at % len(content)
        content[place : place + len(new)] = new
    path.write_bytes(content)
    read_or_refuse(path)


NUMBERS = st.sampled_from([0, 1, 2, 3, 31, 64, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
VALUES = st.one_of(
    st.tuples(st.just(U32), NUMBERS.map(lambda n: struct.pack("<I", n % 2**32))),
    st.tuples(st.just(10), NUMBERS.map(lambda n: struct.pack("<Q", n))),
    st.tuples(st.just(6), st.floats(width=32).map(lambda x: struct.pack("<f", x))),
    st.tuples(st.just(BOOL), st.sampled_from([b"\0", b"\1"])),
    st.tuples(st.just(TEXT), st.text(max_size=9).map(lambda t: text(t.encode()))),
    st.tuples(st.just(ARRAY), st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4).map(
        lambda ns: array(5, len(ns), struct.pack(f"<{len(ns)}i", *ns)))),
    st.tuples(st.just(ARRAY), st.lists(st.booleans(), max_size=4).map(
        lambda ns: array(BOOL, len(ns), bytes(ns)))),
)  # fmt: skip
KEYS = """block_count context_length embedding_length feed_forward_length attention.head_count
    attention.head_count_kv attention.key_length attention.value_length expert_count
    expert_used_count expert_feed_forward_length attention.sliding_window
    attention.sliding_window_pattern attention.kv_lora_rank attention.q_lora_rank
    attention.key_length_mla attention.value_length_mla rope.dimension_count expert_shared_count
    leading_dense_block_count vocab_size expert_shared_feed_forward_length"""
SUFFIXES = st.sampled_from(sorted(KEYS.split()))
ARCHITECTURE_NAMES = st.sampled_from(sorted(n for n in ARCHITECTURES if "+" not in n))


@settings(max_examples=300, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(
    name=ARCHITECTURE_NAMES,
    values=st.dictionaries(SUFFIXES, VALUES, min_size=8),
    dims=st.tuples(NUMBERS, NUMBERS),
)
def test_any_values_of_known_keys_are_read_or_refused(
    name: str, values: dict[str, tuple[int, bytes]], dims: tuple[int, int], path: Path
) -> None:
    made = counts(1, len(values) + 1) + key("general.architecture", TEXT, text(name.encode()))
    made += b"".join(key(f"{name}.{k}", kind, value) for k, (kind, value) in values.items())
    path.write_bytes(made + tensor("token_embd.weight", dims))
    read_or_refuse(path)


def read_or_refuse(path: Path) -> None:
    """Nothing but a record or a DeriveError with places and both languages."""
    with within(SLOW):
        problems: tuple[Problem, ...] = ()
        try:
            read(path).json()
        except DeriveError as error:
            problems = error.problems
        assert all(p.place is not None and p.what.zh for p in problems)


def test_a_config_does_not_pay_for_it() -> None:
    """Neither the reader nor numpy is loaded for a config.json."""
    code = (
        "import sys; from derive.architecture import read; "
        f"read({str(Path(__file__).parent / 'configs' / 'Qwen__Qwen3-8B.json')!r}); "
        "print([m for m in sys.modules if m.startswith(('derive.architecture.gguf', 'numpy', "
        "'gguf'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
