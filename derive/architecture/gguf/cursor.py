"""The bytes of a header, read front to back: never past the file, never without bound."""

from __future__ import annotations

import struct
from typing import BinaryIO, NoReturn

from derive.architecture.json_file import refuse
from derive.errors import Place, printable
from derive.text import Text, tr

LARGEST = 128_000_000  # bytes of a header; the largest known, with half a million tokens, has 20 MB
MOST_TEXTS = 4_000_000  # a vocabulary and its merges have up to 0.8 million
CHUNK = 4_000_000


class Cursor:
    """A place in the header; `inside` names what is read, for messages."""

    def __init__(self, stream: BinaryIO, size: int, file: str) -> None:
        self.stream, self.size, self.file = stream, size, file
        self.held = bytearray()
        self.at = 0
        self.order = "<"
        self.inside = ""
        self.passed = 0  # texts passed over so far

    def place(self, key: str = "") -> Place:
        """Where the file is being read."""
        return Place(self.file, 0, 0, printable(key or self.inside, 80))

    def refuse(self, code: str, what: Text, hint: Text | None = None) -> NoReturn:
        """Refuse the file here."""
        refuse(code, what, self.place(), hint)

    def need(self, count: int) -> int:
        """Hold so many bytes from here, move past them, give the place where they start."""
        start, end = self.at, self.at + count
        if end > self.size:
            what = tr("the file ends at byte {size}, in the middle of its header", size=self.size)
            self.refuse("M101", what, tr("it may not have been downloaded whole"))
        if end > LARGEST:
            what = tr("the header is larger than {largest} bytes", largest=LARGEST)
            self.refuse("M102", what)
        while len(self.held) < end:
            more = self.stream.read(max(CHUNK, end - len(self.held)))
            if not more:
                self.size = len(self.held)
                return self.need(count)
            self.held += more
        self.at = end
        return start

    def number(self, letter: str) -> int | float:
        """One number, by the letter of `struct`."""
        form = self.order + letter
        start = self.need(struct.calcsize(form))
        found: int | float = struct.unpack_from(form, self.held, start)[0]
        return found

    def whole(self, letter: str) -> int:
        """One whole number."""
        return int(self.number(letter))

    def numbers(self, letter: str, count: int) -> tuple[int | float, ...]:
        """Several numbers of one kind."""
        form = f"{self.order}{count}{letter}"
        return struct.unpack_from(form, self.held, self.need(struct.calcsize(form)))

    def text(self, length: int) -> str:
        """A text of so many bytes."""
        start = self.need(length)
        try:
            return self.held[start : start + length].decode()
        except UnicodeDecodeError:
            self.refuse("M101", tr("a text at byte {at} is not UTF-8", at=start))

    def skip_texts(self, count: int) -> None:
        """Pass over texts; only their lengths are looked at."""
        self.passed += count
        if self.passed > MOST_TEXTS:
            what = tr("the lists hold {count} texts; at most {most} are read", count=self.passed,
                      most=MOST_TEXTS)  # fmt: skip
            self.refuse("M102", what)
        read = struct.Struct(self.order + "Q").unpack_from
        held, at = self.held, self.at
        for _ in range(count):
            if at + 8 > len(held):
                self.at = at
                self.need(8)
            at += 8 + read(held, at)[0]
            if at > len(held):  # also where the length is absurd
                self.at = at
                self.need(0)
        self.at = at
