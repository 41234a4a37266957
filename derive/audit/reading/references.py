"""Digits that are no quantity: dates, versions, ordinals, numbers of pages and issues."""

from __future__ import annotations

import re

MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
YEAR = r"(?:19[5-9]|20[0-3])[0-9]"
WHOLE = re.compile(
    rf"{YEAR}-(?:0[1-9]|1[0-2])(?:-[0-3][0-9])?(?![0-9-])"
    rf"|{YEAR}[/.](?:0?[1-9]|1[0-2])[/.][0-3]?[0-9](?![0-9./])"
    rf"|{YEAR} ?年(?: ?[0-9]{{1,2}} ?月)?(?: ?[0-9]{{1,2}} ?[日号])?"
    rf"|[0-9]{{1,2}} ?月(?: ?[0-9]{{1,2}} ?[日号])?"
    rf"|[0-9]{{1,2}} {MONTH},? {YEAR}(?![0-9])"
    r"|24/7(?![0-9])|[0-9]+(?:st|nd|rd|th)(?![A-Za-z])"
    r"|[0-9]{1,4}(?:\.[0-9]{1,4}){2,}(?![0-9]| ?[kKMGTP]i?[Bb])"  # a version
    r"|[0-9]{4}\.[0-9]{5}(?![0-9])",  # of arXiv
)
BEFORE = re.compile(
    rf"(?:(?<![A-Za-z])(?:issues?|PR|pull request|bug|ticket|pages?|pp?\.|chapter"
    r"|sections?|sec\.|figure|fig\.|table|eq\.|equation|appendix|step|RFC|arXiv|ISO|IEEE|CVE|lines?|port|No\.|claim|item"
    rf"|CUDA|ROCm|cuDNN|NCCL|PyTorch|Python|vLLM|SGLang|Triton|TensorRT(?:-LLM)?|Ubuntu|driver|version|release|{MONTH})"
    r"|[第§#图表式]|端口|版本|驱动) ?[:#]? ?$",
    re.IGNORECASE,
)
YEARS = re.compile(rf"(?:in|since|by|from|until|of|{MONTH}(?: [0-9]{{1,2}},)?) $", re.IGNORECASE)
YEAR_ALONE = re.compile(rf"{YEAR}(?![0-9.,/%]|[ -]?[A-Za-z])")
LONGEST = 24  # characters looked at before a number


def reference_at(text: str, at: int) -> int:
    """Where a date, a version or an ordinal that begins here ends; 0 where none does."""
    if at and (text[at - 1].isdigit() or text[at - 1] in ".,"):
        return 0
    if found := WHOLE.match(text, at):
        return found.end()
    year = YEAR_ALONE.match(text, at)
    return year.end() if year and YEARS.search(text[max(0, at - LONGEST) : at]) else 0


def is_numbered(text: str, at: int) -> bool:
    """Whether a word before a bare number makes it the number of something (Page 312)."""
    return bool(BEFORE.search(text[max(0, at - LONGEST) : at]))
