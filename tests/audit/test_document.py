"""Claims of a document: sentences with their lines, tables, and what a section has named."""

from __future__ import annotations

from pathlib import Path

import pytest

from derive.audit.document import LARGEST, claims_of, pieces, plain
from derive.audit.types import Claim
from derive.errors import DeriveError
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
NOTES = """# Launch notes

The **H100 SXM** delivers 1,979 TFLOPS in FP16. Its memory
bandwidth is 3.35 TB/s, e.g. for decode. NVLink moves 900 GB/s
in each direction.

| card | FP16 dense (TFLOPS) | memory |
|---|---|---|
| A100 SXM 80GB | 312 | 80 GB |

```
ignored: 4,000 TFLOPS
```

1. Step 1 has no unit.
2. H200 SXM 的显存带宽为 4.8 TB/s。B200 的为 8 TB/s！

## Another section

It has 80 GB.
"""


def of(text: str, tmp_path: Path) -> list[Claim]:
    path = tmp_path / "notes.md"
    path.write_text(text, encoding="utf-8")
    return list(claims_of(path, ROOTS))


def test_each_sentence_with_a_number_and_its_line(tmp_path: Path) -> None:
    found = [(c.place.line, c.text) for c in of(NOTES, tmp_path)]
    assert found == [
        (3, "The H100 SXM delivers 1,979 TFLOPS in FP16."),
        (3, "Its memory bandwidth is 3.35 TB/s, e.g. for decode."),
        (4, "NVLink moves 900 GB/s in each direction."),
        (9, "A100 SXM 80GB, FP16 dense (TFLOPS): 312 TFLOPS"),
        (9, "A100 SXM 80GB, memory: 80 GB"),
        (15, "Step 1 has no unit."),
        (16, "H200 SXM 的显存带宽为 4.8 TB/s。"),
        (16, "B200 的为 8 TB/s！"),
        (20, "It has 80 GB."),
    ]


def test_a_sentence_speaks_of_what_its_section_named_last(tmp_path: Path) -> None:
    by_text = {c.text: c for c in of(NOTES, tmp_path)}
    carried = by_text["NVLink moves 900 GB/s in each direction."].figures[0]
    assert carried.hardware is not None
    assert carried.hardware.ids == ("nvidia-h100-sxm5-80gb",)
    assert by_text["It has 80 GB."].figures[0].hardware is None
    for claim in by_text.values():
        for figure in claim.figures:
            assert claim.text[slice(*figure.span)].strip()


def test_marks_of_markdown_are_not_read() -> None:
    assert plain("**H100** *and* `x` [a](http://b) > c") == "H100 and x a > c"
    assert plain("1,979 TFLOPS* and 3,958 TFLOPS*") == "1,979 TFLOPS* and 3,958 TFLOPS*"
    assert plain("snake_case_name") == "snake_case_name"


def test_hidden_characters_of_a_document_are_passed_over(tmp_path: Path) -> None:
    (claim,) = of("H100 SXM: 989\u202e TFLOPS FP16\n", tmp_path)
    assert claim.figures[0].value == 989


def test_hostile_documents_end_soon(tmp_path: Path) -> None:
    for text in ("|" * 5000, "# " * 5000, "*" * 5000, "[" * 5000, "a. " * 3000, "```\n" * 3000):
        of(text + "\n", tmp_path)
    assert len(list(pieces(["1. " * 2000]))) >= 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_cannot_be_read_is_refused(tmp_path: Path, lang: str) -> None:
    missing, binary, large = tmp_path / "no.md", tmp_path / "b.md", tmp_path / "l.md"
    binary.write_bytes(b"\xff\xfe\x00")
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    for path, code in ((missing, "A201"), (binary, "A203"), (large, "A202"), (tmp_path, "A201")):
        with pytest.raises(DeriveError) as found:
            list(claims_of(path, ROOTS))
        assert found.value.problems[0].code == code
        assert path.name in found.value.problems[0].what.in_(lang)
