"""What the YAML parser complains about, in words of our own and at the place to look at."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from derive.errors import printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

BREAKS = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")  # what the parser counts as the end of a line


@cache
def complaints() -> tuple[tuple[str, bool, Text], ...]:
    """A fragment of the parser's words, whether the start of the construct is the place, ours."""
    quotes = tr("a value cannot begin so: put it in quotes")
    astray = tr("this line fits no key above: check indentation and quotes")
    return (
        ("could not find expected ':'", True, tr("this line has no colon")),
        ("mapping values are not allowed", False, astray),
        ("tab character", False, tr("a tab: indent with spaces")),
        ("cannot start any token", False, quotes),
        ("',' or ']'", True, tr("this list is not closed, or a comma is missing in it")),
        ("',' or '}'", True, tr("this mapping is not closed, or a comma is missing in it")),
        ("expected key", False, astray),
        ("<block end>", False, astray),
        ("node content", False, tr("a value is expected here")),
        ("unexpected end of stream", True, tr("this quote is not closed")),
        ("unknown escape", False, tr("no such escape in double quotes: use single ones")),
        ("alphabetic or numeric", True, quotes),
        ("sequence entries are not allowed", False, tr("a list item cannot stand here")),
        ("'-' indicator", False, tr("a list item is expected here")),
        ("comment or line break", False, tr("nothing can stand behind this sign")),
        ("document start", False, tr("the file goes on after its end")),
        ("undefined tag", False, tr("tags (!…) are not read: every value is text")),
        ("incompatible YAML", False, tr("YAML directives are not read")),
        ("nesting depth", False, tr("nested too deep")),
    )


def complaint(error: Any, lines: Sequence[str]) -> tuple[Text, int, int, Text | None]:
    """The parser's error as a sentence, line, column and hint."""
    said = str(error.problem or error.context or "")
    what, at_start = tr("not valid YAML: {why}", why=printable(said)), False
    for fragment, start, text in complaints():
        if fragment in said:
            what, at_start = tr("not valid YAML: {why}", why=text), start
            break
    mark = (at_start and error.context_mark) or error.problem_mark or error.context_mark
    if mark is None:
        return what, 0, 0, None
    line, column = mark.line + 1, mark.column + 1
    here = lines[line - 1] if line <= len(lines) else ""
    if here[column - 1 : column] == "\t":
        what = tr("not valid YAML: {why}", why=tr("a tab: indent with spaces"))
    wide_colon = tr("write a half-width colon and a space instead of ：")
    if "mapping values" in said and ":" in here[: column - 1]:
        what = tr("not valid YAML: {why}", why=tr("a second colon: put the text in quotes"))
    above = lines[max(0, line - 2) : line]
    if any(re.match(r"\s*[\w.]+：", text) for text in above):
        return what, line, column, wide_colon
    if any(re.match(r"\s*[\w.]+:[^\s]", text) for text in above):
        return what, line, column, tr("write a space behind the colon of a key")
    return what, line, column, None
