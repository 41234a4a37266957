"""The cache never changes a result: damaged, deleted or unwritable, it only costs time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from derive import cache as module
from derive.cache import Cache, digest, folder

SMALL = b"<svg/>" * 10
LARGE = bytes(range(256)) * 1024
KEY = digest("a")


def filled(path: Path) -> Cache:
    cache = Cache(path)
    for n in range(5):
        cache.put("math", digest(str(n)), b"%d" % n * 20)
    cache.put("math", KEY, SMALL)
    cache.put("fonts", KEY, LARGE)
    cache.flush()
    return cache


def test_values_survive_the_process(tmp_path: Path) -> None:
    filled(tmp_path)
    again = Cache(tmp_path)
    assert again.get("math", KEY) == SMALL
    assert again.get("fonts", KEY) == LARGE
    assert again.get("math", digest("never")) is None
    assert again.get("fonts", digest("1")) is None  # kinds are apart


def test_cached_makes_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return SMALL

    cache = Cache(tmp_path)
    assert [cache.cached("math", KEY, make) for _ in range(3)] == [SMALL] * 3
    assert len(made) == 1


def test_parts_of_a_key_keep_their_borders() -> None:
    keys = {digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest(b"abc")}
    assert len(keys) == 4  # text and its UTF-8 bytes are the same part


@pytest.mark.parametrize("at", [0, 14, 20, 60, 80, 100, -1])
def test_a_damaged_pack_gives_no_wrong_value(tmp_path: Path, at: int) -> None:
    filled(tmp_path)
    pack = tmp_path / "math.pack"
    data = bytearray(pack.read_bytes())
    data[at] ^= 0xFF
    pack.write_bytes(data)
    again = Cache(tmp_path)
    for n in range(5):
        assert again.get("math", digest(str(n))) in (None, b"%d" % n * 20)
    assert again.get("math", KEY) in (None, SMALL)
    assert again.cached("math", KEY, lambda: SMALL) == SMALL


@pytest.mark.parametrize("size", range(0, 700, 37))
def test_a_cut_pack_keeps_what_is_whole(tmp_path: Path, size: int) -> None:
    filled(tmp_path)
    pack = tmp_path / "math.pack"
    pack.write_bytes(pack.read_bytes()[:size])
    again = Cache(tmp_path)
    again.put("math", digest("new"), b"new")
    again.flush()
    assert Cache(tmp_path).get("math", digest("new")) == b"new"
    for n in range(5):
        assert again.get("math", digest(str(n))) in (None, b"%d" % n * 20)


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    (file,) = (f for f in (tmp_path / "fonts").iterdir())
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert cache.get("fonts", KEY) is None
    assert cache.cached("fonts", KEY, lambda: LARGE) == LARGE
    assert Cache(tmp_path).get("fonts", KEY) == LARGE


def test_a_value_under_a_foreign_key_is_not_taken(tmp_path: Path) -> None:
    filled(tmp_path)
    fonts = tmp_path / "fonts"
    (fonts / KEY.hex()).rename(fonts / digest("other").hex())
    assert Cache(tmp_path).get("fonts", digest("other")) is None


def test_two_processes_keep_each_others_values(tmp_path: Path) -> None:
    one, two = Cache(tmp_path), Cache(tmp_path)
    assert one.get("math", KEY) is None
    assert two.get("math", KEY) is None
    one.put("math", digest("1"), b"one")
    two.put("math", digest("2"), b"two")
    one.flush()
    two.flush()
    third = Cache(tmp_path)
    assert third.get("math", digest("1")) == b"one"
    assert third.get("math", digest("2")) == b"two"


@pytest.mark.parametrize("path", [None, Path("/proc/derive"), Path("/dev/null/derive")])
def test_without_a_folder_everything_still_works(path: Path | None) -> None:
    cache = Cache(path)
    assert cache.cached("math", KEY, lambda: SMALL) == SMALL
    assert cache.cached("fonts", KEY, lambda: LARGE) == LARGE
    cache.beside("fonts", "LICENCE.txt", b"text")
    cache.flush()


def test_no_half_files_are_left(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    cache.beside("fonts", "LICENCE.txt", b"text")
    names = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert names == [f"fonts/{KEY.hex()}", "fonts/LICENCE.txt", "math.pack"]
    assert (tmp_path / "fonts/LICENCE.txt").read_bytes() == b"text"


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACK_LIMIT", 5_000)
    monkeypatch.setattr(module, "FILES_LIMIT", 3 * len(LARGE))
    for n in range(30):
        cache = Cache(tmp_path)
        cache.put("math", digest(str(n)), b"x" * 400)
        cache.put("fonts", digest(str(n)), LARGE)
        os.utime(tmp_path / "fonts" / digest(str(n)).hex(), ns=(n, n))
        cache.flush()
    assert (tmp_path / "math.pack").stat().st_size < 6_000
    assert len(list((tmp_path / "fonts").iterdir())) <= 3
    last = Cache(tmp_path)
    assert last.get("math", digest("29")) is not None  # the newest stay
    assert last.get("math", digest("0")) is None


def test_values_in_use_outlive_newer_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACK_LIMIT", 2_000)
    first = Cache(tmp_path)
    first.put("math", digest("used"), b"u" * 400)
    first.flush()
    for n in range(8):
        cache = Cache(tmp_path)
        assert cache.get("math", digest("used")) is not None
        cache.put("math", digest(str(n)), b"x" * 400)
        cache.flush()


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DERIVE_CACHE", str(tmp_path / "own"))
    assert folder() == tmp_path / "own"
    monkeypatch.delenv("DERIVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder() == tmp_path / "derive"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert folder() == tmp_path / "home/.cache/derive"


def test_what_is_new_is_written_at_exit(tmp_path: Path) -> None:
    code = "from derive.cache import cache, digest\ncache().put('math', digest('exit'), b'value')\n"
    env = {**os.environ, "DERIVE_CACHE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
    assert Cache(tmp_path).get("math", digest("exit")) == b"value"
