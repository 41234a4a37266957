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
            if token.kind == "stop" and token.says not in "()" and not self.remarked(at):
                made += [(low, at)] * (at + 1 - low)
                low = at + 1
        return made + [(low, len(self))] * (len(self) - low)

    def remarked(self, at: int) -> bool:
        """Whether only words stand behind a comma in a bracket: (900 GB/s, both ways)."""
        if self[at].says != "," or at not in self.bracketed:
            return False
        for token in self[at + 1 :]:
            if token.kind == "number" or token.kind in ("hardware", "model"):
                return False
            if token.kind == "stop":
                return token.says == ")"
        return False

    @cached_property
    def bracketed(self) -> frozenset[int]:
        """The places inside a bracket."""
        made, deep = set(), 0
        for at, token in enumerate(self):
            deep = max(
                0, deep + {"(": 1, ")": -1}.get(token.says if token.kind == "stop" else "", 0)
            )
            if deep:
                made.add(at)
        return frozenset(made)

    @cached_property
    def remark(self) -> list[int]:
        """Where the bracket begins that a token stands in, if a number stands in it too; else -1.

        What such a bracket says is said of its own number: 312 TFLOPS (624 with sparsity).
        """
        made = [-1] * len(self)
        for at, token in enumerate(self):
            if token.kind == "stop" and token.says == "(":
                close = next(
                    (
                        i
                        for i in range(at, len(self))
                        if self[i].says == ")" and self[i].kind == "stop"
                    ),
                    at,
                )
                if any(t.kind == "number" for t in self[at:close]):
                    made[at:close] = [at] * (close - at)
        return made

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
