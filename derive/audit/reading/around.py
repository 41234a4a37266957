"""What stands right before and behind a figure, where that settles what it is a figure of."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.reading.sentence import gap
from derive.units import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.audit.reading.figures import Read
    from derive.audit.reading.normal import Normal
    from derive.audit.reading.sentence import Sentence

PARAM, PER_TOKEN, BYTE = unit("param"), unit("param/token"), unit("byte")
PER_MILLION = {unit(c): unit(f"{c}/Mtoken") for c in ("USD", "CNY", "EUR")}
TOKEN_RATE = unit("token/s")
EACH_SECOND = re.compile(
    r"每秒钟?(?!内)(?:可以?|能够?)?(?:处理|生成|输出|产出|吐出?|吞|跑|解码|读|消化)"
    r"(?:[^,;:.]|\.(?=[0-9])){0,48}$"
)
TOKEN, REQUEST, REQUEST_RATE = unit("token"), unit("request"), unit("request/s")
BYTE_PER_TOKEN = unit("B/token")
BILLIONS = re.compile(r"[0-9.,]+ ?B per ")  # B alone: bytes, or billions
MANY = 10**6  # what parameters are counted in
LEAST = 10**9  # bytes of the smallest device memory
NEAR = 32  # characters between a noun and its bare number
MAGNITUDE = re.compile(r"[万亿]|illion")
MODEL = re.compile(r" ?的?(?: (?:dense|MoE))? ?(?:model|checkpoint|稠密模型|模型)(?![A-Za-z])")
BOUNDS = (
    (re.compile(r" ?(?:is|are) the (?:minimum|shortest|lowest|least|lower (?:bound|limit))"
                r"|(?:是|为)(?:最小|最短|最低|最少|下限)"), ">="),
    (re.compile(r" ?(?:is|are) the (?:maximum|highest|most|upper (?:bound|limit))"
                r"|(?:是|为)(?:最大|最高|最多|上限)"), "<="),
)  # fmt: skip
FLIGHT = ("concurrency", "batch", "devices")
LINKS = ("network", "link")
REQUESTS = re.compile(r"(?:request|user|sequence|session)s? (?:of|with|at) $")
OF_REQUESTS = re.compile(
    r" (?:requests?|sequences?|conversations?|sessions?|chats?|documents?|prompts and)(?![a-z])"
    r"| ?长?度?的(?:请求|会话|序列|对话|文档)"
)
LENGTH = re.compile(
    r"(?:prompt|input|output) (?:length|size)(?: of| is|:|=)? ?$"
    r"|(?:输入|输出|提示词?)长度 ?[为是:=]? ?$",
    re.IGNORECASE,
)
EACH_OF = re.compile(
    r" ?[个路条] ?[0-9][0-9,.]* ?[kK]? ?(?:token|词元|上下文)s? ?长?度?的(?:请求|会话|序列|对话)"
)
OF_MILLION = re.compile(
    r"(?:(?:an?|one|1|every|each|per) ?(?:million|M)|百万(?:个)?)"
    r" ?(?:(?:output|input|generated|输出|输入|生成) ?)?tokens?"
    r" ?(?:costs?(?: you)?|is|are|at|for|runs?(?: to| at)?|c[ao]mes? (?:to|out at|in at)"
    r"|works? out (?:to|at)"
    r"|的?(?:成本|价格|费用))?"
    r" ?(?:为|是|约|about|only|just|:|=)? ?$", re.IGNORECASE,
)  # fmt: skip
BY_REQUEST = re.compile(
    r"(?:[每一单]个?[条路]?(?:请求|会话|用户|对话|序列)"
    r"|(?<![a-z])(?:per|each|every|one|an?|a single) "
    r"(?:request|user|sequence|conversation|session)(?![a-z]))[^,.;:]*$",
    re.IGNORECASE,
)
TAKES = re.compile(
    r"(?:needs?|requires?|takes?|at least|must (?:reach|exceed|have)|(?:需要?|至少|要)(?:达到|有)?)"
    r"(?: (?:at least|an?|arithmetic|intensity|of|only))*[ 约]*$", re.IGNORECASE,
)  # fmt: skip
FOLLOWING = re.compile(  # 首 token 500ms，后续 25ms 一个
    r"(?:后续|之后|其后|随后)(?:的)?(?:每个?)?(?: ?token)?(?:约|大约| )*$"
)
APIECE = re.compile(r" (?:each|apiece|(?:per|a) (?:token|piece))(?![A-Za-z])", re.IGNORECASE)
ONE_TOKEN = re.compile(
    r"(?<![A-Za-z])(?:one|a single) token(?!s)|(?:一|1|单) ?个? ?(?:token|词元)", re.IGNORECASE
)
PACES = ("at", "×", "*", "x", "乘", "times")
KILO = re.compile(r"[0-9] ?[kK]$")
OF_TEXT = re.compile(
    r"[ -]?(?:的? ?(?:输入|输出|提示)|(?:input|output|prompt)(?![a-z]))", re.IGNORECASE
)
YEAR = re.compile(r"(?:19|20)[0-9]{2}")
PART = re.compile(r"[{}\\/^_*×÷=(] ?$|[一二三四五六七八九十]$")  # of an expression
COUNTED = re.compile(
    r"[A-Za-z]"
    r"| ?(?:[{}\\/^_*×÷]|[个张块条次步类种项章节年倍%边侧行]|x(?![a-z])|times|orders?|variants?"
    r"|kinds?|cards?)",
    re.IGNORECASE,
)


def counted(read: Read, at: int, found: Sentence, held: Normal, nouns: Sequence[str]) -> Read:
    """What a number counts where only the words tell: parameters, requests, bytes."""
    text, end = held.text[found[at].start : found[at].end], found[at].end
    if not read.unit.terms and read.value >= MANY and MAGNITUDE.search(text):
        return replace(read, unit=PARAM) if nouns[:1] in (["parameters"], ["active"]) else read
    if not read.unit.terms and LENGTH.search(held.text[: found[at].start]):
        return replace(read, unit=TOKEN)  # prompt length 1,909
    if not read.unit.terms and KILO.search(text) and OF_TEXT.match(held.text, end):
        return replace(read, unit=TOKEN)  # 8K 输入, a 4k prompt
    if not read.unit.terms and EACH_OF.match(held.text, end):
        return replace(read, unit=REQUEST)  # 256 个 8,192 token 的请求
    if read.unit == PARAM and text.endswith("B") and beside_token(at, found):
        if of_parameters(found):
            return read  # stores 46.7B parameters, uses 12.9B per token
        return replace(read, value=read.value / 10**9, half=read.half / 10**9, unit=BYTE)
    if read.unit in PER_MILLION and OF_MILLION.search(held.text[: found[at].start]):
        return replace(read, unit=PER_MILLION[read.unit])  # a million tokens cost $0.69
    if read.unit == TOKEN and each_second(at, found, held):
        return replace(read, unit=TOKEN_RATE)  # 每秒可以处理某模型 20 万个 token
    if read.unit == BYTE_PER_TOKEN and BILLIONS.match(text) and of_parameters(found):
        return replace(read, value=read.value * 10**9, half=read.half * 10**9, unit=PARAM)
    if not read.unit.terms and nouns[:1] == ["qps"]:
        return replace(read, unit=REQUEST_RATE)
    if read.unit == PER_TOKEN:
        return replace(read, unit=PARAM)  # activates 22B parameters per token
    return read


def each_second(at: int, found: Sentence, held: Normal) -> bool:
    """Whether a number of tokens is what is done each second, a name between both."""
    told = EACH_SECOND.search(held.text[: found[at].start])
    return told is not None and not any(
        t.kind == "number" and t.start > told.start() for t in found[:at]
    )


def of_parameters(found: Sentence) -> bool:
    """Whether a sentence counts parameters and speaks of no cache: its B are billions then."""
    nouns = {found[i].says for i in found.terms.get("noun", ())}
    counts = any(t.read and t.read.unit == PARAM for t in found)
    return (counts or bool(nouns & {"parameters", "active"})) and "kv" not in nouns


def beside_token(at: int, found: Sentence) -> bool:
    """Whether "per token" stands directly before or behind."""
    beside = (*found[max(0, at - 1) : at], *found[at + 1 : at + 2])
    return any(t.of == "per" and t.says == "token" for t in beside)


def adjusted(
    role: str, bound: str, at: int, found: Sentence, held: Normal, nouns: Sequence[str]
) -> tuple[str, str]:
    """The role and the bound of a figure by what stands directly around it."""
    token = found[at]
    assert token.read is not None
    size = token.read.value * token.read.unit.factor
    bound = bound or next((sign for said, sign in BOUNDS if said.match(held.text, token.end)), "")
    if bound == ">=" and role in FLIGHT and summed_over(at, found, held):
        bound = ""
    told = {"memory", "memory_bandwidth"} & set(nouns)
    if role == "memory_bandwidth" and not told and "hardware" not in found.about:
        role = next((t.says for t in found if t.of == "noun" and t.says in LINKS), role)
    elif role in ("bytes", "memory") and MODEL.match(held.text, token.end):
        role = "weights"  # a 40.6 GB dense model
    elif role == "memory" and found[at - 1 if at else 0].says == "token":
        role = "kv"  # 每 token 约 2 MB
    elif role == "memory" and token.read.unit.dimension == BYTE.dimension and size < LEAST:
        role = "bytes"  # no device has so little
    elif role == "ridge" and not (token.read.unit.terms or bare_ridge(at, found, held)):
        role = "number"
    elif (
        role in ("weights", "bytes")
        and "weights" not in nouns
        and BY_REQUEST.search(held.text[: token.start])
    ):
        role = "kv"  # what a request holds beside the weights that all share
    elif role == "intensity" and needed_to_be_bound(at, found, held):
        role = "ridge"
    elif role == "tokens" and of_requests(at, found, held):
        role = "context"
    return role, bound


def bare_ridge(at: int, found: Sentence, held: Normal) -> bool:
    """Whether a bare number can be a ridge point: near its noun, counting nothing else."""
    token = found[at]
    low, high = found.clauses[at]
    near = any(found[i].says == "ridge" and gap(found[i], token) <= NEAR for i in range(low, high))
    alone = not COUNTED.match(held.text, token.end) and not PART.search(held.text[: token.start])
    return near and alone and not YEAR.fullmatch(held.text[token.start : token.end])


def needed_to_be_bound(at: int, found: Sentence, held: Normal) -> bool:
    """Whether an intensity is what it takes to be bound by compute: that is the ridge point."""
    low, high = found.clauses[at]
    bound = any(t.of == "subject" and t.says == "ridge_batch" for t in found[low:high])
    return bound and bool(TAKES.search(held.text[: found[at].start]))


def of_requests(at: int, found: Sentence, held: Normal) -> bool:
    """Whether a number of tokens is that of each request: "256 requests of 8,192 tokens"."""
    start, end = found[at].start, found[at].end
    return bool(REQUESTS.search(held.text[:start]) or OF_REQUESTS.match(held.text, end))


def summed_over(at: int, found: Sentence, held: Normal) -> bool:
    """Whether "over" counts what a rate is summed over: 529 token/s over 57 requests."""
    low, _ = found.clauses[at]
    before = found[low:at]
    over = any(held.text[t.start : t.end].lower() == "over" for t in before[-3:])
    return over and any(t.kind == "number" for t in before)


def of_each(at: int, found: Sentence, held: Normal) -> bool:
    """Whether bytes are those of each token before them: "150,000 tokens at 56 bytes each"."""
    return held.text.startswith(" each", found[at].end) and tokens_before(at, found)


def paced(at: int, found: Sentence, held: Normal) -> bool:
    """Whether a time is that of each token before it: "100 tokens at 10 ms", "… 10 ms each"."""
    if APIECE.match(held.text, found[at].end) and tokens_before(at, found):
        return True
    if FOLLOWING.search(held.text[: found[at].start]):
        return True
    if at < 2 or held.text[found[at - 1].start : found[at - 1].end].lower() not in PACES:
        return False
    return tokens_before(at - 1, found)


def of_one_token(at: int, found: Sentence, held: Normal) -> bool:
    """Whether an amount of work is that of one token: "生成一个 token 约需 14 GFLOP"."""
    low, high = found.clauses[at]
    return bool(ONE_TOKEN.search(held.text, found[low].start, found[high - 1].end))


def tokens_before(at: int, found: Sentence) -> bool:
    """Whether the number shortly before counts tokens."""
    before = [t for t in found[max(0, at - 3) : at] if t.kind == "number"]
    return bool(before) and before[-1].read is not None and before[-1].read.unit == TOKEN
