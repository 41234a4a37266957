"""One pass over a claim: names, numbers with units, words of the lexicon, and what is left over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from derive.audit.reading.figures import Read, figure_at, unit_at
from derive.audit.reading.lexicon import words
from derive.audit.reading.names import Names, names
from derive.audit.reading.references import is_numbered, reference_at
from derive.units import unit
from derive.units.numerals import Unusable

NUMBER_START = re.compile(
    r"[0-9.≈~$¥￥€]|US\$|(?:USD|RMB|CNY|EUR)(?= ?[0-9])|日均"
    r"|每(?=秒|分|小时|天|日|百万|1 ?M|个?参数)"
    r"|[一二两三四五六七八九十]|大约|约|将近|接近|近"
    r"|(?:an?|one|two|four|ten) (?=(?:tera|peta|exa)[a-z])"
    r"|(?:(?<=for )|(?<=takes )|(?<=in )|(?<=every ))(?:an?|one) "
    r"(?=(?:hour|day|minute|second)(?![a-z]))"
    r"|about|around|approx|roughly|nearly|almost"
    r"|(?<![a-z])(?:near|close to|just (?:under|over|above|below|short of)) (?=[0-9$])",
    re.IGNORECASE,
)
SHAPE = re.compile(
    r"(?<![x×*])(?<![x×*] )([0-9][0-9,]*) ?[x×*] ?([0-9][0-9,]*) ?[x×*] ?([0-9][0-9,]*)"
    r"(?![0-9.]|,[0-9])(?! ?[x×*] ?[0-9])"
    r"(?! ?(?:[kKMGTP]?(?:FLOP|i?B(?![A-Za-z])|bytes?(?![a-z]))|tok))"
)
BITS = re.compile(
    r"(?P<bits>[0-9]{1,5})[ -]?(?:bits?|位)[ -]?(?:memory |显存|内存)?(?:wide )?"
    r"(?=bus|interface|wide|位宽|总线|接口)"
    r"|(?:位宽|bus width)(?: of)?[ :=为是]*(?P<wide>[0-9]{1,5})[ -]?(?:bits?|位)(?![A-Za-z])",
    re.IGNORECASE,
)
DEGREE = re.compile(
    r"(?<![A-Za-z0-9])(?:TP ?(?:=|-|of )? ?(?P<count>[0-9]{1,4})(?![0-9.])"
    r"|(?P<ways>[0-9]{1,4})(?:-| )?(?:way |路)(?:tensor parallel(?:ism)?|张量并行))",
    re.IGNORECASE,
)  # degree of tensor parallelism
BEFORE_UNIT = re.compile(
    r" ?(?:of )?(?:(?:(?:FP|BF|INT|TF|NVFP|MXFP)[0-9]+|dense|sparse|peak|AI"
    r"|achieved|effective|sustained|usable|real|measured|稠密|稀疏|峰值|的)"
    r" ?){1,4}"
    r"| (?:input|output|prompt|generated|completion|context|new|total) (?=tok(?:en)?s?\b)"
    r"| ?个? ?(?:输入|输出|生成|提示词?|上下文|(?:input|output|prompt) )(?:的)? ?"
    r"(?=tokens?\b|词元)",
    re.IGNORECASE,
)
WORDS = {
    "a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "pair of": 2, "eight": 8, "ten": 10, "twelve": 12, "sixteen": 16,
}  # fmt: skip
COUNTED = re.compile(
    rf"(?P<word>{'|'.join(sorted(WORDS, reverse=True))})(?: single)? "
    r"(?=[A-Z]|[0-9]{3,4}(?![0-9])|[0-9]{1,4} ?GB? [A-Z]|(?:cards|accelerators)(?![a-z]))",
    re.IGNORECASE,
)
ANY_CARD = re.compile(
    r"[0-9]{1,4} ?GB? (?:cards?|GPUs?|accelerators?)(?![a-z])|(?:cards|GPUs|accelerators)(?![a-z])",
    re.IGNORECASE,
)
OF_THEM = re.compile(  # eight of them need 2.8 kW
    rf"(?P<word>[1-9][0-9]{{0,3}}|{'|'.join(sorted(WORDS, reverse=True))})"
    r" (?:of (?:them|these|those)|such (?:cards?|GPUs?))(?![A-Za-z])",
    re.IGNORECASE,
)
SYSTEMS = re.compile(  # two DGX H100 are sixteen devices
    rf"(?:(?P<count>[0-9]{{1,4}}|{'|'.join(sorted(WORDS, reverse=True))})(?= )"
    r"|(?P<han>[0-9]{1,4}|[两三四五六七八])(?= ?台))"
    r"(?= ?台? ?(?:DGX|HGX)(?![ -]?(?:Spark|Station|GB|Super)))",
    re.IGNORECASE,
)
HAN = "一两三四五六七八"
MEMBERS = 8  # devices of such a system
DEFINED = re.compile(
    r"(?:bytes?|字节) ?(?:=|equals?|is|are|has|等于|为|即|是|有) ?$", re.IGNORECASE
)
SIGN = re.compile(r" ?([x×*])", re.IGNORECASE)
TIMES = re.compile(
    r" ?(?:x|×|\*|张|块|卡|颗|片|台|个)? ?(?:[0-9]{1,4} ?GB? )?(?:NVIDIA |AMD |英伟达 ?)?",
    re.IGNORECASE,
)
WORD = re.compile(r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+|[0-9][0-9.,]*|\S")
DEVICE, GIGABYTE = unit("device"), unit("GB")
SIZE = re.compile(r"[ -]?[0-9]{1,4} ?GB?$")
OF_MEMORY = re.compile(
    r" ?(?:的|of )?(?:显存|内存|HBM|VRAM|memory)(?![^,.;]{0,8}(?:带宽|bandwidth))", re.IGNORECASE
)
BARE_G = re.compile(r"G(?![A-Za-z0-9])")
# more than a number may hold: 10^10^10, 1e-99999
UNUSABLE = re.compile(
    r"[0-9][0-9.,]{0,40}(?:[eE][+-]?[0-9]{3,}|(?:(?:\^|\*\*)[0-9.]{1,40}){2,})(?![0-9])"
)


@dataclass(frozen=True)
class Token:
    """A stretch of the normal text: its kind and what it holds."""

    kind: str  # hardware, model, number, term, word, stop
    start: int
    end: int
    ids: tuple[str, ...] = ()
    read: Read | None = None
    says: str = ""
    of: str = ""  # kind of the lexicon, or a role that the form itself tells (shape, devices)


def tokens(text: str, roots: tuple[Path, ...]) -> list[Token]:
    """Everything in the text, left to right; each character at most once."""
    made: list[Token] = []
    at = 0
    products, models = names("hardware", roots), names("model", roots)
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        found: list[Token] = []
        if text[at] in ",;:()" or (text[at] in ".!?" and text[at + 1 : at + 2] in ("", " ")):
            found = [Token("stop", at, at + 1, says=text[at])]
        elif here := products.at(text, at):
            found = [Token("hardware", at, without_memory(text, at, here[0]), here[1])]
        elif here := models.at(text, at):
            found = [Token("model", at, here[0], here[1])]
        elif text[at].isdigit() and (token := no_figure(text, at)):
            found = [token]
        elif parallel := DEGREE.match(text, at):
            read = Read(
                parallel.end(),
                Fraction(int(parallel["count"] or parallel["ways"])),
                Fraction(0),
                unit(""),
            )
            found = [Token("number", at, parallel.end(), read=read, of="tp")]
        elif shaped := SHAPE.match(text, at):
            found = list(shape(shaped))
        elif wide := BITS.match(text, at):
            read = Read(
                wide.end(), Fraction(int(wide["bits"] or wide["wide"])), Fraction(0), unit("bit")
            )
            found = [Token("number", at, wide.end(), read=read, of="bus_width")]
        elif systems := SYSTEMS.match(text, at):
            read = Read(
                systems.end(), members(systems["count"] or systems["han"]), Fraction(0), DEVICE
            )
            found = [Token("number", at, systems.end(), read=read, of="devices")]
        elif (counted := COUNTED.match(text, at)) and (
            products.at(text, after_times(text, counted.end()))
            or ANY_CARD.match(text, counted.end())
        ):
            read = Read(
                counted.end(), Fraction(WORDS[counted["word"].lower()]), Fraction(0), DEVICE
            )
            found = [Token("number", at, counted.end() - 1, read=read, of="devices")]
        elif (back := OF_THEM.match(text, at)) and any(t.kind == "hardware" for t in made):
            word = back["word"].lower()
            many = Fraction(WORDS.get(word) or int(word))
            read = Read(back.end(), many, Fraction(0), DEVICE)
            found = [Token("number", at, back.end(), read=read, of="devices")]
        elif NUMBER_START.match(text, at) and (number := numbered(text, at)):
            number = gigabytes(number, text, products, made[-1] if made else None)
            found = counted_or_numbered(number, text, products)
            found += words_between(text, number.read.end, number.end) if number.read else ()
        made += found or [left_over(text, at)]
        at = max(at + 1, *(t.end for t in found or made[-1:]))
    return made


def without_memory(text: str, at: int, end: int) -> int:
    """Where a name ends: before a memory in it that the text speaks of (H100 SXM | 80G 显存)."""
    size = SIZE.search(text, at, end)
    return size.start() if size and OF_MEMORY.match(text, end) else end


def gigabytes(number: Token, text: str, products: Names, before: Token | None) -> Token:
    """A number with a bare G beside a product as its memory in GB (4090 24G, 80G A100)."""
    read, end = number.read, number.end
    if read is None or read.unit.terms or not BARE_G.match(text, end):
        return number
    beside = (
        before is not None
        and before.kind == "hardware"
        and text[before.end : number.start].strip() == ""
    )
    if not beside and not products.at(text, after_of(text, end + 1)):
        return number
    return replace(number, end=end + 1, read=replace(read, end=end + 1, unit=GIGABYTE, loose=True))


def after_of(text: str, at: int) -> int:
    """Past "的" and spaces."""
    while text[at : at + 1] in (" ", "的"):
        at += 1
    return at


def members(count: str) -> Fraction:
    """The devices of so many systems of eight."""
    whole = int(count) if count.isdigit() else WORDS.get(count.lower()) or HAN.index(count) + 1
    return Fraction(MEMBERS * whole)


def defined(text: str, at: int) -> bool:
    """Whether a number ends a definition of the byte: its "8 bit" is no precision."""
    return bool(DEFINED.search(text[max(0, at - 24) : at]))


def left_over(text: str, at: int) -> Token:
    """A word of the lexicon, or one that nothing is known of."""
    word = WORD.match(text, at)
    return word_at(text, at) or Token("word", at, word.end() if word else at + 1)


def no_figure(text: str, at: int) -> Token | None:
    """What begins with a digit and is no number: a date, a word of the lexicon (8 bit)."""
    if end := reference_at(text, at):
        return Token("reference", at, end)
    if wild := UNUSABLE.match(text, at):
        return Token("unusable", at, wild.end())
    return None if defined(text, at) else word_at(text, at)


def counted_or_numbered(number: Token, text: str, products: Names) -> list[Token]:
    """A number; before a product it counts devices, behind "page" it counts nothing."""
    read = number.read
    digits = read and not read.unit.terms and text[number.start].isdigit()
    if digits and is_numbered(text, number.start):
        return [Token("reference", number.start, number.end)]
    if read and products.at(text, after_times(text, number.end)) and plain_count(read):
        return devices(number, read, text)
    return [number]


def devices(number: Token, read: Read, text: str) -> list[Token]:
    """A count of devices, and the sign between it and their name (4×H100, 4xH100)."""
    counted = replace(read, unit=DEVICE, half=Fraction(0))
    found = [replace(number, read=counted, of="devices")]
    if sign := SIGN.match(text, number.end):
        found.append(Token("term", *sign.span(1), says="times", of="relation"))
    return found


def word_at(text: str, at: int, end: int = 2**31) -> Token | None:
    """The word of the lexicon that begins here."""
    found = words().at(text, at, end)
    return Token("term", at, found[0], says=found[1][1], of=found[1][0]) if found else None


def words_between(text: str, at: int, end: int) -> Iterator[Token]:
    """The words of the lexicon inside a stretch of the text."""
    while at < end:
        found = word_at(text, at, end)
        if found:
            yield found
        at = found.end if found else at + 1


def plain_count(read: Read) -> bool:
    """Whether a number can count devices: whole, small, bare or already in devices."""
    return (
        read.unit in (DEVICE, unit("")) and read.value.denominator == 1 and 1 <= read.value <= 10**6
    )


def after_times(text: str, at: int) -> int:
    """Past an "x" or a measure word between a number and a name."""
    found = TIMES.match(text, at)
    return found.end() if found else at


def numbered(text: str, at: int) -> Token | None:
    """A number, its unit perhaps behind a precision (1,856 BF16 TFLOPS)."""
    try:
        read = figure_at(text, at)
    except Unusable:
        return None
    if read is None:
        return None
    if not read.unit.terms and text.startswith("-token", read.end):
        end = read.end + len("-token")
        return Token("number", at, end, read=replace(read, unit=unit("token"), end=end))
    if not read.unit.terms and (gap := BEFORE_UNIT.match(text, read.end)):
        found, loose, end = unit_at(text, gap.end())
        if found is not None and found.terms:
            return Token(
                "number", at, end, read=replace(read, unit=found, loose=loose, end=read.end)
            )
    return Token("number", at, read.end, read=read)


def shape(found: re.Match[str]) -> Iterator[Token]:
    """The three sizes of a matrix product."""
    for group in (1, 2, 3):
        size = Fraction(int(found[group].replace(",", "")[:12]))
        start, end = found.span(group)
        yield Token("number", start, end, read=Read(end, size, Fraction(0), unit("")), of="shape")
