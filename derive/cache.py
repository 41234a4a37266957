"""Content-addressed cache of slow results: formulas, font subsets, charts.

A value is found by the digest of everything that made it, so nothing here is ever stale. Values
are stored with their own digest and checked when read: a damaged one is made anew. The whole
folder may be deleted at any time, and where it cannot be written the program only works slower.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

MAGIC = b"derive cache 1\n"
SMALL = 64 * 1024  # smaller values of a kind share one pack file, larger ones get a file each
PACK_LIMIT = 24 * 1024 * 1024  # bytes of one pack, about 8,000 formulas
FILES_LIMIT = 96 * 1024 * 1024  # bytes of the single files of one kind
PENDING_LIMIT = 512  # new small values held in memory before they are written

Pack = dict[bytes, bytes]


def folder() -> Path | None:
    """The cache's folder: DERIVE_CACHE, else the user's cache folder; None where there is none."""
    if own := os.environ.get("DERIVE_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():  # the XDG rule: a relative path is to be ignored
        return Path(base) / "derive"
    try:
        return Path.home() / ".cache" / "derive"
    except RuntimeError:
        return None


@lru_cache(maxsize=256)
def version(package: str) -> str:
    """The installed version of a package, a part of every key that the package influences."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed(package)
    except PackageNotFoundError:
        return "absent"


@lru_cache(maxsize=256)
def source(*files: str) -> str:
    """The digest of our own source files, so that an edited program never finds old results."""
    parts = []
    for file in files:
        try:
            parts.append(Path(file).read_bytes())
        except OSError:  # run from an archive: its program version stands for the source
            parts.append(version("derive").encode())
    return digest(*parts).hex()


def digest(*parts: str | bytes) -> bytes:
    """SHA-256 over parts whose borders count: ("ab", "c") and ("a", "bc") differ."""
    state = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big") + data)
    return state.digest()


class Cache:
    """One cache folder. New small values reach the disk at `flush`, at the latest at exit."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._packs: dict[str, Pack] = {}
        self._fresh: dict[str, Pack] = {}
        self._used: dict[str, set[bytes]] = {}

    def get(self, kind: str, key: bytes) -> bytes | None:
        """The stored value, or None where there is none or it is damaged."""
        value = self._pack(kind).get(key)
        if value is not None:
            self._used.setdefault(kind, set()).add(key)
            return value
        return self._read_file(kind, key)

    def put(self, kind: str, key: bytes, value: bytes) -> None:
        """Keep a value: a small one until `flush`, a large one on disk at once."""
        if len(value) >= SMALL:
            self._write(self._file(kind, key), [MAGIC, _record(key, value)])
            self._trim(kind)
            return
        self._pack(kind)[key] = value
        fresh = self._fresh.setdefault(kind, {})
        fresh[key] = value
        if len(fresh) >= PENDING_LIMIT:
            self.flush()

    def cached(self, kind: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        """The value of a key, made only where it is not stored."""
        value = self.get(kind, key)
        if value is None:
            value = make()
            self.put(kind, key, value)
        return value

    def beside(self, kind: str, name: str, content: bytes) -> None:
        """A plain file for human readers in the folder of a kind, such as a licence."""
        if self.path is not None:
            self._write(self.path / kind / name, [content])

    def flush(self) -> None:
        """Write the small new values; what another process added meanwhile stays."""
        for kind, fresh in self._fresh.items():
            if not fresh or self.path is None:
                continue
            pack = self._load(kind)
            pack.update(fresh)
            self._write(self.path / f"{kind}.pack", [MAGIC, *self._bounded(kind, pack)])
        self._fresh.clear()

    def _bounded(self, kind: str, pack: Pack) -> list[bytes]:
        """Records of a pack, the ones used now and the newest ones kept when it grows too large."""
        keep = self._used.get(kind, set()) | self._fresh.get(kind, {}).keys()
        records: list[bytes] = []
        size = 0
        for key in sorted(pack, key=lambda k: k in keep)[::-1]:
            size += len(pack[key])
            if size > PACK_LIMIT:
                break
            records.append(_record(key, pack[key]))
        return records[::-1]

    def _pack(self, kind: str) -> Pack:
        if kind not in self._packs:
            self._packs[kind] = self._load(kind)
        return self._packs[kind]

    def _load(self, kind: str) -> Pack:
        if self.path is None:
            return {}
        try:
            return dict(_records((self.path / f"{kind}.pack").read_bytes()))
        except OSError:
            return {}

    def _file(self, kind: str, key: bytes) -> Path | None:
        return None if self.path is None else self.path / kind / key.hex()

    def _read_file(self, kind: str, key: bytes) -> bytes | None:
        file = self._file(kind, key)
        try:
            data = b"" if file is None else file.read_bytes()
        except OSError:
            return None
        return dict(_records(data)).get(key)

    def _trim(self, kind: str) -> None:
        """Drop the oldest single files of a kind past its limit."""
        if self.path is None:
            return
        with contextlib.suppress(OSError):
            stored = [file for file in (self.path / kind).iterdir() if not file.suffix]
            ages = {file: file.lstat() for file in stored}
            total = 0
            for file in sorted(stored, key=lambda f: ages[f].st_mtime_ns, reverse=True):
                total += ages[file].st_size
                if total > FILES_LIMIT:
                    file.unlink()

    def _write(self, file: Path | None, records: Iterable[bytes]) -> None:
        """A file written whole or not at all; a folder that cannot be written is no error."""
        if file is None:
            return
        temporary = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".new-")
            with os.fdopen(handle, "wb") as out:
                out.writelines(records)
            Path(temporary).replace(file)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()


def _record(key: bytes, value: bytes) -> bytes:
    """Digest of the rest, key, length, value."""
    rest = key + len(value).to_bytes(8, "big") + value
    return sha256(rest).digest() + rest


def _records(data: bytes) -> Iterable[tuple[bytes, bytes]]:
    """The sound records of a file; reading ends where a border can no longer be trusted."""
    if not data.startswith(MAGIC):
        return
    at = len(MAGIC)
    while at + 72 <= len(data):
        key = data[at + 32 : at + 64]
        end = at + 72 + int.from_bytes(data[at + 64 : at + 72], "big")
        if end > len(data):
            return
        if sha256(data[at + 32 : end]).digest() == data[at : at + 32]:
            yield key, data[at + 72 : end]
        at = end


@lru_cache(maxsize=8)
def _at(path: Path | None) -> Cache:
    cache = Cache(path)
    atexit.register(cache.flush)
    return cache


def cache() -> Cache:
    """The program's cache, by the environment of the moment."""
    return _at(folder())


def flush() -> None:
    """Write what is new; to be called before leaving by `os._exit`."""
    cache().flush()
