"""How the audit judges the claims of specs/claims: expected against found verdicts, as a table.

`python tools/confusion.py` judges each claim as it stands, with `--wordings` its paraphrases too;
what is wrong is listed. Exit code 1 where fewer than 95 % are right.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from derive.audit.fields.claims_file import read_claims
from derive.audit.fields.stated import stated_claims
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.types import VERDICTS
from derive.specs.lookup import spec_roots, specs_home

BAR = 95  # percent that must be right


def judged(
    path: Path, library: Library, *, wordings: bool
) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Id, text, verdict found and verdicts expected of every claim of a file.

    A paraphrase must get the verdict of the claim itself.
    """
    stated = read_claims(path)
    for one, claim in zip(stated, stated_claims([path], [], library.roots), strict=True):
        assert one.entry is not None
        found = judge(claim, library).verdict
        yield one.entry.id, claim.text, found, one.entry.expect
        for text in one.paraphrases if wordings else ():
            yield (
                one.entry.id,
                text,
                judge(read_claim(text, library.roots), library).verdict,
                (found,),
            )


def main(arguments: list[str]) -> int:
    """Judge, list what is wrong, print the table."""
    library = Library(spec_roots())
    table: Counter[tuple[str, str]] = Counter()
    right = total = 0
    for path in sorted((specs_home() / "claims").glob("*.yaml")):
        for name, text, found, expected in judged(
            path, library, wordings="--wordings" in arguments
        ):
            good = found in expected
            right, total = right + good, total + 1
            table[found if good else expected[0], found] += 1
            if not good:
                print(f"{name}: {found}, not {' or '.join(expected)}: {text}")
    print(f"\n{'expected':14}", *(f"{v:>13}" for v in VERDICTS))
    for row in VERDICTS:
        print(f"{row:14}", *(f"{table[row, v] or '·':>13}" for v in VERDICTS))
    print(f"\n{right} of {total} right, {100 * right / total:.1f} %")
    return 0 if 100 * right >= BAR * total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
