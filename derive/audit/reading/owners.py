"""Which of the named things a figure belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure, Named

# what may stand between a figure and the name behind it that it belongs to (3.35 TB/s on the H100)
BEHIND = re.compile(
    r" (?:on|of|for|in|from|per) (?:(?:the|an?|one|each) )?(?:NVIDIA |AMD )?", re.IGNORECASE
)

BRACKET = re.compile(r" ?[(（](?:NVIDIA |AMD )?", re.IGNORECASE)  # 700 W (H100 SXM)
STARTS = re.compile(r"(?:(?<![a-z])from(?: the)?|从|由) ?$", re.IGNORECASE)
BECOMES = re.compile(
    r",? ?(?:down |up )?to ?(?:only |about )?"
    r"|,? ?[降减增升提缩砍压][^0-9,;.]{0,4}[到至为成] ?(?:约|只有)? ?",
    re.IGNORECASE,
)
VERSUS = re.compile(r" ?(?:vs\.?|versus|against|compared (?:to|with)|对比?|比) ?", re.IGNORECASE)
IN_ORDER = re.compile(rf"{VERSUS.pattern}|[,、，/ ]+|,? ?(?:and|和|与|及) ?", re.IGNORECASE)
RESPECTIVELY = re.compile(
    r"(?<![a-z])(?:respectively|in that order)(?![a-z])|分别|依次", re.IGNORECASE
)
THAN = re.compile(r"(?:compared (?:to|with)|than|from|相比|对比|较|从) ?(?:the )?$", re.IGNORECASE)

# a memory that tells a product from its siblings: an 80 GB H100, 80GB 的 H100
AHEAD = re.compile(r"[ -]?(?:HBM[0-9]?e? )?(?:版?的 ?)?(?:NVIDIA |AMD |英伟达 ?)?", re.IGNORECASE)
# what stands before a product that another is only held against
STANDARD = re.compile(
    r"(?:(?<![a-z])(?:than|like|keeps?|shares?|inherits?|matches|retains?|compared (?:to|with)"
    r"|exceeds?|beats?|above|below|trails?|outperforms?)"
    r"(?: the| an?)? ?|(?:[相对]?比|超过|超越|高于|低于|多于|少于|大于|小于|不如|不及|优于|逊于"
    r"|胜过|沿用|继承|保留|领先|落后)(?:于|了)? ?)(?:NVIDIA |AMD |英伟达 ?)?$",
    re.IGNORECASE,
)
# a clause that goes on about its subject
GOES_ON = re.compile(
    r"[,;，；] ?(?:(?:but|and|yet|though|however|reaching|hitting|with|while (?:its|having)"
    r"|delivering)(?![a-z])(?! (?:which|whose))|[\u4e00-\u9fff])|; ",
    re.IGNORECASE,
)
AND_HAS = re.compile(r" and (?:has |only |just |about )*")  # 24 GB like the 4090 and 936 GB/s
CLAUSE = re.compile(r"[;；，。:：]|[,.](?![0-9])")
WHICH = re.compile(
    r"(?P<first>(?<![a-z])the former(?![a-z])|前者)|(?<![a-z])the latter(?![a-z])|后者",
    re.IGNORECASE,
)
OF_OTHER = re.compile(r"(?:后者|它|which|whose)", re.IGNORECASE)
BYTES = unit("byte").dimension


def nearest(one: Figure, among: Sequence[Named], text: str) -> Named | None:
    """The name that follows by a preposition, else the last before the figure, else the first.

    One that stands alone in a bracket behind it owns it: 700 W (H100 SXM). A product that the
    subject was held against in an earlier clause is passed over.
    """
    after = [n for n in among if n.span[0] >= one.span[1]]
    before = [n for n in among if n.span[1] <= one.span[0]]
    if after and BEHIND.fullmatch(text[one.span[1] : after[0].span[0]]):
        return after[0]
    closed = after and text[after[0].span[1] : after[0].span[1] + 1] in (")", "）")
    if closed and BRACKET.fullmatch(text[one.span[1] : after[0].span[0]]):
        return after[0]
    sized = (
        one.dimension == BYTES and after and AHEAD.fullmatch(text[one.span[1] : after[0].span[0]])
    )
    if sized and (not before or text[before[-1].span[1] : one.span[0]].strip()):
        return after[0]
    if len({n.ids for n in before}) == 2 and (said := one_of_two(one, text)) is not None:
        return list({n.ids: n for n in before}.values())[said]
    subject = [n for n in before if not only_compared(n, one, text)]
    chosen = subject or before
    return chosen[-1] if chosen else next(iter(among), None)


def one_of_two(figure: Figure, text: str) -> int | None:
    """Which of two names "the former" or "the latter" before a figure points to."""
    told = list(WHICH.finditer(text, 0, figure.span[0]))
    if not told or CLAUSE.search(text[told[-1].end() : figure.span[0]]):
        return None
    return 0 if told[-1]["first"] else 1


def surely_owned(claim: Claim, at: int) -> bool:
    """Whether the words leave no doubt which product a figure is of.

    It is of the only product of its clause, of the first one where no other stands between, or of
    one that a preposition or a bracket ties to it. "The MI325X lifts the 192 GB of the MI300X to
    256 GB" leaves the last figure to either.
    """
    figure = claim.figures[at]
    owner = figure.hardware
    if owner is None or len({n.ids for n in claim.hardware}) < 2:
        return True
    beside = claim.figures[max(0, at - 1) : at + 2]
    listed = any(
        a.role == b.role and IN_ORDER.fullmatch(claim.text[a.span[1] : b.span[0]])
        for a, b in pairwise(beside)
    )
    pointed = one_of_two(figure, claim.text) is not None  # the former, the latter
    if listed or pointed or RESPECTIVELY.search(claim.text):
        return True  # told in the order of the names: 4.8 TB/s vs 3.35 TB/s
    words = claim.text[figure.span[1] : owner.span[0]]
    if owner.span[0] >= figure.span[1] and (BEHIND.fullmatch(words) or BRACKET.fullmatch(words)):
        return True
    stops = [m.end() for m in CLAUSE.finditer(claim.text, 0, figure.span[0])]
    start = stops[-1] if stops else 0
    beyond = CLAUSE.search(claim.text, figure.span[1])
    end = beyond.start() if beyond else len(claim.text)
    here = [n for n in claim.hardware if start <= n.span[0] < end]
    if not here:
        return False  # the clause goes on about one of them
    if here == [owner]:
        return True
    between = [n for n in here if owner.span[1] <= n.span[0] < figure.span[0]]
    earlier = [n for n in here if n.span[1] <= owner.span[0]]
    same_kind = [
        f
        for f in claim.figures
        if owner.span[1] <= f.span[0] < figure.span[0] and f.role == figure.role
    ]
    return owner.span[1] <= figure.span[0] and not (between or earlier or same_kind)


def only_compared(named: Named, figure: Figure, text: str) -> bool:
    """Whether a name is a standard of comparison, and the figure in a clause about the subject.

    "The H20 has 96 GB, more than the 80 GB of the H100, but only 148 TFLOPS".
    """
    words = text[named.span[1] : figure.span[0]]
    goes_on = GOES_ON.search(words) or AND_HAS.fullmatch(words)
    if goes_on is None or OF_OTHER.search(words, goes_on.start()):
        return False
    return bool(STANDARD.search(text[max(0, named.span[0] - 32) : named.span[0]]))


def in_order(figures: Sequence[Figure], among: Sequence[Named]) -> dict[int, Named]:
    """A list of names, then a list of as many figures of one role: each to its own."""
    distinct = {n.ids for n in among}
    if len(among) < 2 or len(distinct) != len(among):
        return {}
    last = among[-1].span[1]
    roles: dict[str, list[int]] = {}
    for i, figure in enumerate(figures):
        if figure.role and figure.unit.terms:
            roles.setdefault(figure.role, []).append(i)
    return {
        i: name
        for places in roles.values()
        if len(places) == len(among) and all(figures[i].span[0] >= last for i in places)
        for i, name in zip(places, among, strict=True)
    }


def against(figures: Sequence[Figure], among: Sequence[Named], text: str) -> dict[int, Named]:
    """Two figures of one role with "vs" between them, behind two names: each to its own.

    "The B200 has 2.4x the bandwidth of the H100 SXM: 8 TB/s vs 3.35 TB/s."
    """
    made: dict[int, Named] = {}
    if len(among) < 2:
        return made
    for i, (one, other) in enumerate(pairwise(figures)):
        before = {n.ids: n for n in among if n.span[1] <= one.span[0]}
        inside = any(one.span[1] <= n.span[0] < other.span[1] for n in among)
        if one.role != other.role or not one.unit.terms or len(before) != 2 or inside:
            continue
        first, second = before.values()
        if THAN.search(text[: first.span[0]]):  # compared with the H100, the H200 …
            first, second = second, first
        if VERSUS.fullmatch(text[one.span[1] : other.span[0]]):
            made |= {i: first, i + 1: second}
    return made


def changed(figures: Sequence[Figure], among: Sequence[Named], text: str) -> dict[int, Named]:
    """What something changes to is the first name's, not that of what it changes from.

    "The A800 cuts NVLink from the 600 GB/s of the A100 to 400 GB/s."
    """
    made: dict[int, Named] = {}
    if len(among) < 2:
        return made
    for i, (one, other) in enumerate(pairwise(figures)):
        before = {n.ids: n for n in among if n.span[1] <= one.span[0]}
        measured = one.unit.terms or one.role == "ridge"
        if one.role != other.role or not measured or len(before) != 2:
            continue
        first, second = before.values()
        told = STARTS.search(text[second.span[1] : one.span[0]]) and not STARTS.search(
            text[: first.span[0]]
        )  # "its compute is that of the H100, its link goes from 450 to 200 GB/s"
        if not told and not STARTS.search(text[first.span[1] : second.span[0]]):
            continue
        if BECOMES.fullmatch(text[one.span[1] : other.span[0]]):
            made |= {i: second, i + 1: first}
    return made
