"""The tokens of a text with what is asked of them again and again, found once for each."""

from __future__ import annotations

from functools import cached_property

from derive.audit.reading.scan import Token
from derive.units import unit

PARAM = unit("param")


def gap(one: Token, other: Token) -> int:
    """Characters between two tokens."""
    return max(other.start - one.end, one.start - other.end, 0)


class Sentence(tuple[Token, ...]):  # noqa: SLOT001  what is cached lives in its __dict__
    """Tokens in their order; every answer is a list with one entry a token."""

    @cached_property
    def clauses(self) -> list[tuple[int, int]]:
        """The tokens between two stops around each; a stop ends the clause before it."""
        made: list[tuple[int, int]] = []
        low = 0
        for at, token in enumerate(self):
            if token.kind == "stop" and token.says not in "()":
                made += [(low, at)] * (at + 1 - low)
                low = at + 1
        return made + [(low, len(self))] * (len(self) - low)

    @cached_property
    def owners(self) -> list[int]:
        """The figure of its clause that is nearest to each token; the one before it on a tie."""
        before = self.numbers(range(len(self)))
        after = self.numbers(range(len(self) - 1, -1, -1))[::-1]
        made = []
        for at, token in enumerate(self):
            near = [i for i in (before[at], after[at]) if i >= 0]
            made.append(min(near, key=lambda i: gap(self[i], token), default=-1))
        return made

    def numbers(self, order: range) -> list[int]:
        """The last number met in each token's clause on a walk in this order; -1 without one."""
        made, last = [], -1
        for at in order:
            if self[at].kind == "number":
                last = at
            low, high = self.clauses[at]
            made.append(last if low <= last < high else -1)
        return made

    @cached_property
    def about(self) -> frozenset[str]:
        """Which of "model" and "hardware" it speaks of, by names, sizes, device words."""
        made = {t.kind for t in self if t.kind in ("model", "hardware")}
        made |= {"model" for t in self if t.read and t.read.unit == PARAM}
        made |= {"hardware" for t in self if t.of == "noun" and t.says == "device"}
        return frozenset(made)

    @cached_property
    def terms(self) -> dict[str, list[int]]:
        """The words of each kind of the lexicon."""
        made: dict[str, list[int]] = {}
        for at, token in enumerate(self):
            if token.kind == "term":
                made.setdefault(token.of, []).append(at)
        return made

    @cached_property
    def apart(self) -> dict[str, list[int]]:
        """The words of each kind that stand in a clause without a figure."""
        return {
            kind: far
            for kind, places in self.terms.items()
            if (far := [at for at in places if self.owners[at] < 0])
        }
