"""Each law on random figures.

True statements, rounded to any digit, are never accused; those wrong by more than it always are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.audit.consistency.law import CONSTANTS, interval, tree, used
from derive.audit.interval import Interval
from derive.audit.reading.roles import BY_UNIT, ROLES
from derive.audit.rule import rules
from derive.audit.rules.laws import LAWS
from derive.expression.dimension import dimension
from derive.expression.tree import names
from derive.units import Dimension, unit
from tests.audit.test_own_figures import QUIET, judged, said


def printed(value: Fraction, decimals: int) -> str:
    """A number as a text prints it: rounded, thousands in groups."""
    scaled = round(value * 10**decimals)
    whole, part = divmod(scaled, 10**decimals)
    return f"{whole:,}" + (f".{part:0{decimals}d}" if decimals else "")


def enough(value: Fraction, extra: int) -> int:
    """Decimals that leave at least two significant figures, and up to `extra` more."""
    decimals = 0
    while value * 10**decimals < 10:
        decimals += 1
    return decimals + extra


def around(text: str) -> tuple[Fraction, Fraction]:
    """What printed digits may stand for."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return Fraction(text.replace(",", "")) - half, Fraction(text.replace(",", "")) + half


@dataclass(frozen=True)
class Statement:
    """A law in words: sentences over drawn figures, and what follows from them."""

    rule: str
    sentences: tuple[str, ...]
    follows: Callable[..., Fraction]
    ranges: tuple[tuple[int, int], ...]


GIB, GB = Fraction(2**30), Fraction(10**9)
STATEMENTS = (
    Statement(
        "CONS010",
        ("At {0} token/s it generates {r} tokens in {1} s.",
         "以 {0} token/s 生成，{1} s 内产出 {r} 个 token。"),
        lambda rate, time: rate * time, ((20, 900), (2, 90)),
    ),
    Statement(
        "CONS012",
        ("{0} requests in flight with a TPOT of {1} ms give {r} token/s in total.",
         "在途请求 {0} 个，TPOT 为 {1} ms，总吞吐 {r} token/s。"),
        lambda flight, tpot: flight * 1000 / tpot, ((3, 400), (5, 200)),
    ),
    Statement(
        "CONS013",
        ("A TPOT of {0} ms is {r} token/s for a single user.",
         "TPOT 为 {0} ms，单用户 {r} token/s。"),
        lambda tpot: 1000 / tpot, ((5, 90),),
    ),
    Statement(
        "CONS014",
        ("A {0}-bit bus at {1} Gb/s per pin gives {r} GB/s.",),
        lambda width, pin: width * pin / 8, ((64, 8192), (2, 30)),
    ),
    Statement(
        "CONS015",
        ("{0} tokens of KV cache in {1} GiB are {r} kB per token.",
         "{0} 个 token 的 KV cache 占 {1} GiB，每 token {r} kB。"),
        lambda tokens, size: size * GIB / tokens / 1000, ((2000, 900_000), (2, 90)),
    ),
    Statement(
        "CONS015",
        ("{0} tokens of KV cache in {1} GB are {r} KiB per token.",),
        lambda tokens, size: size * GB / tokens / 1024, ((2000, 900_000), (2, 90)),
    ),
    Statement(
        "CONS016",
        ("A model with {0} billion parameters at {1} bytes per parameter has {r} GB of weights.",),
        lambda count, each: count * each, ((3, 900), (1, 4)),
    ),
    Statement(
        "CONS017",
        ("K size {0} GB, V size {1} GB, KV cache {r} GB in total.",
         "K 缓存 {0} GB，V 缓存 {1} GB，KV 缓存合计 {r} GB。"),
        lambda k, v: k + v, ((2, 90), (2, 90)),
    ),
    Statement(
        "CONS018",
        ("TTFT {0} ms, TPOT {1} ms: {2} output tokens take {r} s end to end.",),
        lambda ttft, tpot, count: (ttft + (count - 1) * tpot) / 1000,
        ((20, 900), (5, 90), (200, 900)),
    ),
    Statement(
        "CONS021",
        ("{0} TFLOP/s and {1} GB/s put the ridge at {r} FLOP/byte.",
         "算力 {0} TFLOP/s、带宽 {1} GB/s，脊点为 {r} FLOP/byte。"),
        lambda compute, bandwidth: compute * 1000 / bandwidth, ((20, 3000), (200, 9000)),
    ),
    Statement(
        "CONS003",
        ("{0} GB of {1} GB is {r} %.",
         "{0} GB 占 {1} GB 的 {r}％。"),
        lambda part, whole: part * 100 / whole, ((2, 90), (95, 900)),
    ),
    Statement(
        "CONS004",
        ("{0} GB/s is {r} times {1} GB/s.",
         "{0} GB/s 是 {1} GB/s 的 {r} 倍。"),
        lambda one, other: one / other, ((100, 5000), (5, 90)),
    ),
    Statement(
        "CONS006",
        ("Weights {0} GB and KV cache {1} GB, {r} GB in total.",
         "权重 {0} GB 与 KV {1} GB，合计 {r} GB。"),
        lambda one, other: one + other, ((20, 900), (20, 900)),
    ),
    Statement(
        "CONS002",
        ("{0} TFLOP / {1} TFLOP/s = {r} s",
         "{0} TFLOP ÷ {1} TFLOP/s ＝ {r} s"),
        lambda work, rate: work / rate, ((200, 90_000), (20, 900)),
    ),
    Statement(
        "CONS001",
        ("{0} tokens per minute are {r} token/s.",
         "每分钟 {0} token 即 {r} token/s。"),
        lambda count: count / 60, ((900, 90_000),),
    ),
    Statement(
        "UNIT012",
        ("{0} GiB equal {r} GB.",
         "{0} GiB 即 {r} GB。"),
        lambda size: size * GIB / GB, ((15, 900),),
    ),
    Statement(
        "UNIT013",
        ("A TTFT of {0} ms, i.e. {r} s.",
         "TTFT 为 {0} ms，即 {r} s。"),
        lambda time: time / 1000, ((20, 900),),
    ),
    Statement(
        "UNIT010",
        ("A {0} Gb/s network moves {r} GB/s.",
         "{0} Gb/s 即 {r} GB/s。"),
        lambda rate: rate / 8, ((10, 900),),
    ),
)  # fmt: skip
OF = st.sampled_from([(s, sentence) for s in STATEMENTS for sentence in s.sentences])


@st.composite
def stated(draw: st.DrawFn) -> tuple[Statement, str, list[Fraction], list[str], int]:
    """A statement, its sentence, the exact figures, and how they are printed."""
    statement, sentence = draw(OF)
    exact, shown = [], []
    for low, high in statement.ranges:
        if (
            high <= 9000
            and draw(st.booleans())
            and "requests" not in sentence
            and "请求" not in sentence
        ):
            value = Fraction(draw(st.integers(low * 1000, high * 1000)), 1000)
        else:
            value = Fraction(draw(st.integers(low, high)))
        exact.append(value)
        shown.append(printed(value, 0 if value.denominator == 1 else draw(st.integers(1, 3))))
    return statement, sentence, exact, shown, draw(st.integers(0, 2))


def whole_only(sentence: str) -> bool:
    """Whether the result counts tokens."""
    return "{r} tokens" in sentence or "{r} 个 token" in sentence


@given(stated())
def test_true_statements_are_never_accused(
    drawn: tuple[Statement, str, list[Fraction], list[str], int],
) -> None:
    statement, sentence, exact, shown, extra = drawn
    if "-bit" in sentence:
        exact[0] = Fraction(int(exact[0]))
        shown[0] = printed(exact[0], 0).replace(",", "")
    if "output tokens" in sentence:
        exact[2] = Fraction(int(exact[2]))
        shown[2] = printed(exact[2], 0)
    result = statement.follows(*exact)
    decimals = 0 if whole_only(sentence) else enough(result, extra)
    text = sentence.format(*shown, r=printed(result, decimals))
    found = judged(text)
    assert found.verdict in QUIET, f"{text}: {said(found)}"


@given(
    stated(),
    st.sampled_from([Fraction(1, 3), Fraction(3, 5), Fraction(17, 10), Fraction(3), Fraction(25)]),
)
def test_statements_beyond_their_rounding_are_always_told(
    drawn: tuple[Statement, str, list[Fraction], list[str], int], factor: Fraction
) -> None:
    statement, sentence, _, shown, extra = drawn
    values = [Fraction(s.replace(",", "")) for s in shown]
    if "-bit" in sentence:
        values[0] = Fraction(int(values[0]))
        shown[0] = printed(values[0], 0).replace(",", "")
    wrong = statement.follows(*values) * factor
    decimals = 0 if whole_only(sentence) else enough(wrong, extra)
    ends = [statement.follows(*corner) for corner in product(*(around(s) for s in shown))]
    low, high = around(printed(wrong, decimals))
    assume(high < min(ends) or max(ends) < low)
    text = sentence.format(*shown, r=printed(wrong, decimals))
    found = judged(text)
    assert found.verdict in ("contradicted", "ambiguous"), f"{text}: {said(found)}"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_both_sides_of_a_law_have_one_dimension(law) -> None:  # type: ignore[no-untyped-def]
    first = {r: unit(u).dimension for u, roles in reversed(BY_UNIT.items()) for r in roles}
    first |= {role: unit(u).dimension for role, u in TOLD_BY_WORDS.items()}
    fixed = {"one_token": "token", "one_bit": "byte", "w": "byte/param"}

    def of(name: str) -> Dimension:
        return unit(fixed[name]).dimension if name in fixed else first[law.slots[name][0]]

    def without_request(of: Dimension) -> Dimension:
        return Dimension(tuple(p for p in of.powers if p[0] != "request"))

    for form in law.forms:
        assert {*used(form.text)} <= {*law.slots}, form
        if law.id in BARE:
            continue
        left, right = of(law.result), dimension(tree(form.text), of)
        assert without_request(left) == without_request(right), (
            form.text,
            left.in_("en"),
            right.in_("en"),
        )


# a bit of the bus is a pin, a price may be each device's: the words carry what the unit leaves out
BARE = ("CONS014", "CONS035", "CONS040", "CONS041", "CONS042")
TOLD_BY_WORDS = {"output": "token", "prompt": "token", "achieved_rate": "FLOP/s", "mfu": "",
                 "tpot": "s/token", "itl": "s/token", "batch": "request"}  # fmt: skip


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.id)
def test_every_role_of_a_law_exists(law) -> None:  # type: ignore[no-untyped-def]
    assert {r for roles in law.slots.values() for r in roles} <= set(ROLES)
    assert all(names(tree(f.text)) for f in law.forms)


@given(
    st.lists(st.tuples(st.integers(1, 999), st.integers(0, 20)), min_size=3, max_size=3),
    st.lists(st.integers(0, 100), min_size=3, max_size=3),
)
def test_intervals_hold_every_value_between(pairs: list[tuple[int, int]], at: list[int]) -> None:
    text = "ttft + (tokens - one_token) * tpot"
    bounds = {
        n: Interval.of(Fraction(v), Fraction(h, 40))
        for n, (v, h) in zip(used(text), pairs, strict=True)
    }
    whole = interval(text, bounds, Fraction(0))
    inside = {
        n: b.low + (b.high - b.low) * Fraction(k, 100)
        for (n, b), k in zip(bounds.items(), at, strict=True)
    }
    value = inside["ttft"] + (inside["tokens"] - CONSTANTS["one_token"]) * inside["tpot"]
    assert whole is not None
    assert whole.low <= value <= whole.high


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, r in rules().items()
        if n.startswith(("UNIT", "CONS", "READ002")) and r.form == "text"
    ],
)
def test_a_rule_speaks_on_its_example_and_not_on_the_other(name: str) -> None:
    from derive.audit.library import Library
    from derive.audit.reading.claim import read_claim
    from tests.audit.test_own_figures import ROOTS

    each = rules()[name]
    heard = list(each.check(read_claim(each.fires, ROOTS), Library(ROOTS)))
    silent = list(each.check(read_claim(each.quiet, ROOTS), Library(ROOTS)))
    assert heard
    assert name in ("READ002", "UNIT003") or any(f.severity != "info" for f in heard)
    assert all(f.severity == "info" for f in silent)
