"""Claims of a document: sentences with their lines, tables, and what a section has named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from derive.audit.document import LARGEST, claims_of
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.prose import pieces, plain
from derive.audit.types import Claim
from derive.cli import main
from derive.errors import DeriveError
from derive.specs.lookup import spec_roots
from tests.clock import within

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
    assert len(list(pieces("1. " * 2000))) >= 1


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


def test_what_is_no_prose_is_passed_over(tmp_path: Path) -> None:
    text = (
        "---\ntitle: H100 2024\n---\nThe H100 SXM has 80 GB[^1].\n\n    A100 has 9 TB/s\n\n"
        "<!-- 1 GB\n2 GB -->\n<script>x = 3 GB</script>\n[ref]: http://x/4-GB\n\n"
        "~~~\n5 GB\n```\n~~~\n"
        "- one\n\n    It moves 6 GB.\n\n[^1]: A footnote of 7 GB.\n"
    )
    assert [c.text for c in of(text, tmp_path)] == [
        "The H100 SXM has 80 GB.", "It moves 6 GB.", "A footnote of 7 GB.",
    ]  # fmt: skip


def test_subjects_nest_with_headings(tmp_path: Path) -> None:
    text = (
        "# Notes\n\n## NVIDIA H100 SXM\n\n### Memory\n\nIt has 80 GB.\n\n"
        "### L4\n\nIt has 24 GB.\n\n"
        "### Power\n\nIt draws 700 W.\n\n## Other\n\nIt costs 9 W.\n"
    )
    named = [c.hardware[0].text if c.hardware else "" for c in of(text, tmp_path)]
    assert named == ["NVIDIA H100 SXM", "L4", "NVIDIA H100 SXM", ""]


def test_units_and_products_of_a_transposed_table(tmp_path: Path) -> None:
    text = "| | H100 SXM | L4 |\n|---|---|---|\n| BF16 dense (TFLOPS) | 989 | ~121 |\n"
    first, second = of(text, tmp_path)
    assert first.figures[0].role == second.figures[0].role == "peak_rate"
    assert [c.hardware[0].text for c in (first, second)] == ["H100 SXM", "L4"]
    assert second.figures[0].about


def test_devices_and_precision_go_with_the_model(tmp_path: Path) -> None:
    text = "4 张 H100 SXM 上运行 Llama-3-70B（BF16）。batch=8 时合计 500 token/s。\n"
    claim = of(text, tmp_path)[-1]
    assert claim.said("precision") == ("bf16",)
    devices = claim.one("devices")
    assert devices is not None
    assert devices.value == 4
    assert claim.text[slice(*claim.figures[-1].span)] == "500 token/s"


def test_the_model_stays_named_behind_a_count_of_its_parameters(tmp_path: Path) -> None:
    path = tmp_path / "model.md"
    path.write_text(
        "We serve Llama-3.1-70B in BF16. It has 70.6 billion parameters.\n"
        "Its weights take 141 GB. In FP8 the weights shrink to 35 GB.\n"
        "With 8,192 tokens of context one request holds 2.7 GB.\n\n"
        "我们部署 BF16 的 Qwen2.5-72B。它共有 727 亿参数。\n换成 INT4 后,权重只要 73GB。\n",
        encoding="utf-8",
    )
    library = Library(ROOTS)
    found = [(c.text[:24], judge(c, library).verdict) for c in claims_of(path, ROOTS)]
    assert [v for _, v in found] == [
        "consistent", "consistent", "contradicted", "consistent", "consistent", "contradicted",
    ], found  # fmt: skip


def test_the_subject_of_a_comparison_is_what_comes_next(tmp_path: Path) -> None:
    path = tmp_path / "cards.md"
    path.write_text(
        "The H200 SXM has 1.43x the bandwidth of the H100 SXM. It has 141 GB.\n", encoding="utf-8"
    )
    *_, last = claims_of(path, ROOTS)
    assert [n.ids for n in last.hardware] == [("nvidia-h200-sxm-141gb",)]


def test_columns_count_in_the_line_as_written(tmp_path: Path) -> None:
    text = "- See *this*. The **L4** has 24 GB. It\n  draws 72 W.\n"
    first, second = of(text, tmp_path)
    line = text.splitlines()[0]
    assert first.columns is not None
    assert line[first.columns[0] - 1 : first.columns[1] - 1] == "The **L4** has 24 GB."
    assert (second.place.line, second.columns) == (1, None)


def test_splitting_is_linear() -> None:
    with within(10):
        assert sum(1 for _ in pieces("It moves 4 GB e.g. here. " * 100_000)) == 100_000
        assert sum(1 for _ in pieces("It is No. 4 " * 200_000)) == 1


def test_numbers_without_a_subject_are_counted_only(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("It took 12 minutes with 3 people.\n\nThe L4 has 24 GB.\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["audit", "--doc", str(path), "--lang", "en"])
    assert f"{path.as_posix()}:3" in done.stdout
    assert "12 minutes" not in done.stdout
    assert done.stderr.endswith("2 numbers without a subject were not judged\n")
