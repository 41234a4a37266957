"""The strict YAML reader: exact texts with places, and one clear refusal for everything else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import DeriveError, render
from derive.specs.document import DEEPEST, LARGEST, read_file, read_text
from derive.specs.nodes import Items, Scalar, Table
from tests.clock import within

if TYPE_CHECKING:
    from pathlib import Path


def refused(text: str) -> str:
    with pytest.raises(DeriveError) as caught:
        read_text(text, "case.yaml")
    return caught.value.problems[0].code


def test_scalars_stay_as_written_and_know_their_place() -> None:
    root = read_text('a: 0.40\nb: {c: 012, d: "x y"}\ne: [1, yes]\n', "f.yaml").root
    first = root.entries["a"]
    assert isinstance(first, Scalar)
    assert first.text == "0.40"
    assert (first.place.line, first.place.column, first.place.key) == (1, 4, "a")
    inner = root.entries["b"]
    assert isinstance(inner, Table)
    assert inner.place.key == "b"
    assert [n.text for n in inner.entries.values() if isinstance(n, Scalar)] == ["012", "x y"]
    assert inner.entries["d"].place.key == "b.d"
    items = root.entries["e"]
    assert isinstance(items, Items)
    assert [n.place.key for n in items.entries] == ["e[0]", "e[1]"]


def test_places_count_characters_not_bytes() -> None:
    root = read_text("名: {说: 值}\n", "f.yaml").root
    inner = root.entries["名"]
    assert isinstance(inner, Table)
    assert inner.entries["说"].place.column == 8


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "S115"),
        ("# nothing\n", "S115"),
        ("- a\n- b\n", "S115"),
        ("word", "S115"),
        ("a: &x 1\n", "S107"),
        ("a: *x\n", "S108"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", "S107"),
        ("a: {<<: {b: 1}}\n", "S109"),
        ("a: !!int 3\n", "S110"),
        ("a: !!python/object/apply:os.system [id]\n", "S110"),
        ("a: 1\na: 2\n", "S111"),
        ("a: {b: 1, b: 2}\n", "S111"),
        ("a: 1\n---\nb: 2\n", "S112"),
        ("? {a: 1}\n: 2\n", "S116"),
        ("? [a]\n: 2\n", "S116"),
        ("%YAML 1.1\n---\na: 1\n", "S117"),
        ("a: [1, 2\n", "S106"),
        ("a: b: c\n", "S106"),
        ("a:\t1\n\tb: 2\n", "S106"),
        ("a: \x00\n", "S105"),
        ("a: \x1b[31m\n", "S105"),
    ],
)
def test_everything_clever_is_refused_by_name(text: str, code: str) -> None:
    assert refused(text) == code


def test_a_second_key_names_the_line_of_the_first() -> None:
    with pytest.raises(DeriveError) as caught:
        read_text("a: 1\nb: 2\na: 3\n", "f.yaml")
    assert "f.yaml:3:1" in render(caught.value)
    assert "line 1" in render(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 200_000,
        "a: " + "{a: " * 50_000,
        "[" * 400_000,
        "a:\n" + "".join(" " * n + "b:\n" for n in range(1, 1200)),
        "- " * 100_000 + "x",
    ],
)
def test_deep_nesting_is_refused_quickly(text: str) -> None:
    with within(2):
        assert refused(text) in ("S113", "S106")


def test_the_deepest_allowed_nesting_is_read() -> None:
    depth = DEEPEST - 1
    read_text("a: " + "[" * depth + "]" * depth, "f.yaml")
    assert refused("a: " + "[" * (depth + 1) + "]" * (depth + 1)) == "S113"


def test_alias_bombs_stop_at_the_first_anchor() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    )
    assert refused(bomb) == "S107"


def test_too_many_values_are_refused_quickly() -> None:
    with within(3):
        assert refused("a:\n" + "- 1\n" * 200_000) == "S114"


def code_of(path: Path) -> str:
    with pytest.raises(DeriveError) as caught:
        read_file(path)
    return caught.value.problems[0].code


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    assert code_of(tmp_path / "missing.yaml") == "S101"
    assert code_of(tmp_path) == "S103"
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert code_of(pipe) == "S103"  # opening it would wait for ever
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    assert code_of(loop) == "S102"
    large = tmp_path / "large.yaml"
    large.write_bytes(b"a: 1\n" + b"#" * LARGEST)
    assert code_of(large) == "S104"
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("a: 1\nb: é\n".encode("latin-1"))
    assert code_of(latin) == "S105"
    wide = tmp_path / "wide.yaml"
    wide.write_bytes("a: 1\n".encode("utf-16"))
    assert code_of(wide) == "S105"
    if os.geteuid() != 0:
        closed = tmp_path / "closed.yaml"
        closed.write_text("a: 1\n")
        closed.chmod(0)
        assert code_of(closed) == "S102"


def test_a_name_with_control_characters_reaches_no_terminal(tmp_path: Path) -> None:
    with pytest.raises(DeriveError) as caught:
        read_file(tmp_path / "\x1b[31mred.yaml")
    assert "\x1b" not in render(caught.value)


def test_a_byte_order_mark_is_ignored() -> None:
    assert "a" in read_text("\ufeffa: 1\n", "f.yaml").root.entries


def outcome(text: str) -> Table | None:
    """The root, or None after a clean refusal."""
    try:
        return read_text(text, "any.yaml").root
    except DeriveError as error:
        if not all(p.code.startswith("S1") and render(error) for p in error.problems):
            raise
        return None


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert outcome(text) is None or isinstance(outcome(text), Table)


PIECES = ["a: ", "b", "[", "]", "{", "}", "- ", "\n", "  ", ": ", "'", "&c ", "*c", "!!str ", "? "]


@given(st.lists(st.sampled_from([*PIECES, "|\n", "---\n", "#"]), max_size=40))
def test_any_yaml_like_text_is_read_or_refused(parts: list[str]) -> None:
    assert outcome("".join(parts)) is None or isinstance(outcome("".join(parts)), Table)
