"""A number with its unit at one place of a text, with the interval that it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from derive.audit.interval import half_unit
from derive.units import Unit, unit
from derive.units.names import unclear
from derive.units.numerals import (
    CHINESE,
    CHINESE_PLACES,
    MULTIPLIER,
    MULTIPLIERS,
    NUMBER,
    POWER_OF_TEN,
    Unusable,
    chinese,
)
from derive.units.reading import composed
from derive.units.unit_words import Fault, UnitWords

ABOUT = re.compile(
    r"(?:≈|~|=|(?:about|around|approximately|approx\.?|roughly|nearly|almost|close to|near"
    r"|just (?:under|over|above|below|short of)|some|ca\.|circa)"
    r"(?![a-z])|大约|约等于|约为|约是|约|将近|接近|近|大概|差不多|左右) *",
    re.IGNORECASE,
)
AFTERWARDS = re.compile(
    r" ?(?:左右|上下|or so(?![a-z])|or thereabouts|give or take)", re.IGNORECASE
)
NEARLY = re.compile(
    r"(?:大?约|大概)(?:需要?|有|占用?|合|在|可达) ?$"
)  # before the digits: 约需 1,410 亿次
EVERY = re.compile(
    r"(?:每(?P<unit>秒|分钟|小时|天|日)|(?P<mean>日)均)(?:可以?|能够?)?"
    r"(?:传输?|搬运|读取?|写入?|处理|生成|解码|输出|产出|完成|执行)? *"
    r"|每(?P<million>百万|1 ?M)(?: ?个)? ?tokens?(?:的)?"
    r"(?:价格|成本|费用|收费)?(?:约?为|是|只要|仅?需要?|收|花)? *"
    r"|每(?P<parameter>个?参数)(?:占用?|需要?|用|为|按)? *(?=[0-9.]+ ?(?:字节|bytes?|B))",
    re.IGNORECASE,
)
MONEY = re.compile(
    r"(?:(?P<usd>US\$|\$|USD(?= ?[0-9.]))|(?P<cny>[¥￥]|(?:RMB|CNY)(?= ?[0-9.]))"
    r"|(?P<eur>€|EUR(?= ?[0-9.]))) ?",
    re.IGNORECASE,
)
RANGE = re.compile(r" ?(?:-|~|to|至|到) ?(?=[0-9.])", re.IGNORECASE)
SHORT = re.compile(
    r" ?(?P<letter>[kKMBT])(?![A-Za-z0-9/])|(?P<many>[kKM])(?= ?(?:token|context|上下文|个))"
)
LETTERS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
# how far a unit may reach behind its number: words, signs between them
PIECE = re.compile(
    r" ?(?:(?:/|÷|·|per(?![A-Za-z])|每|an?(?= (?:second|minute|hour|day)\b)) ?)?"
    r"(?:[^\W\d_]+(?:-[a-z]+)?|[%$])(?:\^-?[0-9])?",
    re.IGNORECASE,
)
CHANGES = re.compile(
    r"(?<![a-z])(?:doubl|tripl|increas|rais|gr[eo]w|r[io]s[ei]|improv|boost|reduc|drop|f[ae]ll|cut|lower|halv|go|shrink)"
    r"|提升|提高|增|升|降|减|翻倍|变",
    re.IGNORECASE,
)
SHORTHAND = (  # spellings of slides that no unit table should accept
    (re.compile(r"(?P<prefix>[MGTPE])F(?:/s(?:ec)?|ps)?"), "FLOP/s"),
    (re.compile(r"(?P<prefix>[MGTPE]) FLOP(?:S|/s)"), "FLOP/s"),
    (re.compile(r"(?P<prefix>)t/s(?:ec)?"), "token/s"),
    (
        re.compile(r"(?P<prefix>)(?:bpw|bits?(?: per |-per-| ?/ ?)weight)", re.IGNORECASE),
        "bit/param",
    ),
    (re.compile(r"(?P<prefix>)bytes?(?: per | ?/ ?)weight", re.IGNORECASE), "byte/param"),
    (re.compile(r"(?P<prefix>[MGT])bE"), "bit/s"),  # 100 GbE: the speed of an Ethernet port
    (
        re.compile(
            r"(?P<prefix>[MGT])(?:igabit|bit|b)?[ -]?(?:Ethernet|InfiniBand|RoCE)", re.IGNORECASE
        ),
        "bit/s",
    ),
)
A_TIME = re.compile(r" (?:an?|each|every) (?=(?:second|minute|hour|day)\b)")
SIZED = re.compile(r"[kKMBT]-?(?:param|token)")  # the letter is a factor, not a unit
FLOATING = re.compile(r"floating[ -]point (?=operation)", re.IGNORECASE)
WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "four": 4, "ten": 10}
WRITTEN = re.compile(
    r"(?P<word>an?|one|two|four|ten)(?= (?:tera|peta|exa)[a-z])"
    r"|(?:(?<=for )|(?<=takes )|(?<=in )|(?<=every ))(?P<one>an?|one)"
    r"(?= (?:hour|day|minute|second)(?![a-z]))",
    re.IGNORECASE,
)
ALONE = re.compile(r"(?<![0-9A-Za-z.^])10(?:\^|\*\*)([+-]?[0-9]{1,2})(?![0-9.^*])")  # 10^12
OF_THESE = re.compile(  # 400 GB of data per second
    r" of (?:[A-Za-z0-9]+ ){1,2}?(?:per|each|every|a) "
    r"(?P<unit>second|millisecond|microsecond|minute|hour)(?![A-Za-z])",
    re.IGNORECASE,
)
TIME_UNITS = {"second": "s", "millisecond": "ms", "microsecond": "µs", "minute": "min", "hour": "h"}
UNIT_TIME = unit("s")
DEVICE_RATE = unit("device/s").dimension
HAN = {c: n for n, c in enumerate("一二三四五六七八九", 1)} | {"两": 2}
TENTHS = re.compile(  # no 成本, 成为, 三成立
    r"(?P<about>大?约|近|将近|接近)?"
    r"(?:(?P<han>[一二两三四五六七八九])|(?<![0-9.])(?P<digit>[1-9]) ?)"
    r"成(?P<more>[一二三四五六七八九](?![成十百千万]))?(?![本为立功果员都品长熟绩千百倍交型像对一了分份套就])"
)
THOUSANDS = re.compile(r"^[1-9][0-9]?,?[0-9]{2}0 ?亿")  # no more digits than billions have
HUNDRED_MILLION = 10**8
MOST_PIECES = 5
DECIMAL_COMMA = re.compile(
    r"(?P<whole>[0-9]{1,3}),(?P<part>[0-9]{1,2}|[0-9]{4,})"
    r"(?= ?(?:[kKMGTP]i?[Bb](?:ps|it)?(?![A-Za-z])|[TGP]FLOP|ms(?![A-Za-z])))"
)
DOTTED = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,5}(?![0-9.])")
LOOSE_BYTES = {
    "gb": "GB", "tb": "TB", "gb/s": "GB/s", "tb/s": "TB/s", "mb/s": "MB/s", "G": "GB",
}  # fmt: skip
GIGA = re.compile(
    r"(?:显存|内存|HBM|VRAM|memory)[^0-9.]{0,4}[0-9.]{1,8} ?G(?![A-Za-z0-9])"
    r"|[0-9.]{1,8} ?G ?(?:的|of )?(?:显存|内存|HBM|VRAM|memory)", re.IGNORECASE,
)  # fmt: skip
PARAMETERS, BYTES = unit("param"), unit("byte")
SPELLED_OUT = 10**6  # 1050673152 B is a number of bytes, 70 B is a model


@dataclass(frozen=True)
class Read:
    """A number in a text: its end, its value and half unit in `unit`, the words before it."""

    end: int
    value: Fraction
    half: Fraction
    unit: Unit
    about: bool = False
    loose: bool = False  # the unit may be a count or a rate (Tflops): a rate is read


def figure_at(text: str, start: int) -> Read | None:
    """The number that begins here, with as much unit as can be read; None where none begins."""
    at, below = start, ""
    about = bool(NEARLY.search(text[max(0, start - 6) : start]))
    if tenths := TENTHS.match(text, at):
        return in_tenths(tenths, about=about)
    for _ in range(2):  # 约每秒 11.6 万, 每秒约 11.6 万
        if not below and (every := EVERY.match(text, at)):
            at, below = every.end(), unit_below(every)
        while said := ABOUT.match(text, at):
            at, about = said.end(), about or said[0].strip() != "="
    if money := MONEY.match(text, at):
        at = money.end()
    digits = number_at(text, at)
    if digits is None:
        return None
    value, half, end = digits
    if about:
        half = loosened(text, at, value, half)
    arithmetic = in_expression(text, at) or changing(text, at)
    other = None if arithmetic else RANGE.match(text, end)
    upper = number_at(text, other.end()) if other else None
    if upper and upper[0] > value:
        low, high = value - half, upper[0] + upper[1]
        value, half, end = (low + high) / 2, (high - low) / 2, upper[2]
    read, loose, end = unit_at(text, end)
    if read is None and (short := SHORT.match(text, end)):
        letter = short["letter"] or short["many"]
        factor, tail = LETTERS[letter], unit_at(text, short.end())
        read, loose = tail[0], tail[1]
        end = tail[2] if read is not None else short.end()
        if read is None and letter == "B":
            counts = value < SPELLED_OUT or value.denominator != 1
            read, factor = (PARAMETERS, factor) if counts else (BYTES, 1)
        value, half = value * factor, half * factor
    made = read or Unit()
    if money:
        made = unit((money.lastgroup or "usd").upper()) * made
    if THOUSANDS.search(text[at:end]):
        half = max(half, Fraction(5 * HUNDRED_MILLION))  # 2,360 亿 is 236 billion written out
    if not below and (each := OF_THESE.match(text, end)) and (not timed(made) or loose):
        whole = made * UNIT_TIME if loose else made  # TFLOPs is read as a rate
        made, end, loose = whole * unit(TIME_UNITS[each["unit"].lower()]) ** -1, each.end(), False
    if below:
        made = made * composed(Fraction(1), UnitWords(below).read()).quantity.unit ** -1
    read_so = Read(end, value, half, made, about, loose)
    return read_so if about else roughened(read_so, text, at, ranged=bool(upper))


def roughened(read: Read, text: str, at: int, *, ranged: bool) -> Read:
    """A number behind which words say that it is rough: 206 左右, 300 or so."""
    if not AFTERWARDS.match(text, read.end):
        return read
    half = read.half if ranged else loosened(text, at, read.value, read.half)
    return replace(read, half=half, about=True)


def in_tenths(tenths: re.Match[str], *, about: bool) -> Read:
    """三成 and 3 成 are thirty percent, to half a tenth."""
    about = about or bool(tenths["about"])
    value = Fraction(HAN[tenths["han"]] if tenths["han"] else int(tenths["digit"]))
    if tenths["more"]:  # 七成五
        return Read(
            tenths.end(), value * 10 + HAN[tenths["more"]], Fraction(5, 2), unit("%"), about
        )
    return Read(tenths.end(), value * 10, Fraction(5), unit("%"), about)


def unit_below(every: re.Match[str]) -> str:
    """What the words before a number say that it is for each of."""
    if every["parameter"]:
        return "param"
    if every["million"]:
        return "Mtoken"
    said = every["unit"] or every["mean"]
    return "天" if said == "日" else said


def timed(of: Unit) -> bool:
    """Whether a unit is a rate, a time, or nothing that is moved or done."""
    return not of.terms or "time" in dict(of.dimension.powers)


def in_expression(text: str, at: int) -> bool:
    """Whether a sign of arithmetic stands before a number: a dash behind it is a minus then."""
    return text[:at].rstrip()[-1:] in ("*", "×", "+", "/", "÷")


def changing(text: str, at: int) -> bool:
    """Whether a number is what something changes from ("doubles from 312 to 624"), not a range."""
    return text[:at].rstrip().endswith(("from", "从")) and bool(
        CHANGES.search(text[max(0, at - 80) : at])
    )


def number_at(text: str, at: int) -> tuple[Fraction, Fraction, int] | None:
    """A bare number with 万, million and ×10^n: value, half a unit of its last digit, end."""
    if european := european_at(text, at):
        return european
    if power := ALONE.match(text, at):
        return Fraction(10) ** int(power[1]), Fraction(0), power.end()
    found = NUMBER.match(text, at)
    if found is None and (written := WRITTEN.match(text, at)):
        word = written["word"] or written["one"]
        return Fraction(WORDS[word.lower()]), Fraction(0), written.end()
    if found is None:
        numeral = CHINESE.match(text, at)
        whole = chinese(numeral[0]) if numeral else None
        article = numeral is not None and numeral[0] == "一" and text[numeral.end() :][:1] == "个"
        if numeral is None or whole is None or article or not counted_by(text, numeral.end()):
            return None
        return Fraction(whole), Fraction(0), numeral.end()
    if at and ((text[at - 1].isalnum() and text[at - 1].isascii()) or text[at - 1] == "."):
        return None
    end = found.start("below") - 1 if found["below"] else found.end()
    exponent = int(found["power"][1:]) if found["power"] else 0
    if len(found["digits"]) > 60 or abs(exponent) > 60:
        raise Unusable
    scale = Fraction(10) ** exponent
    value = Fraction(found["sign"] + found["digits"].replace(",", ""))
    half = half_unit(found["digits"])
    if power := POWER_OF_TEN.match(text, end):
        if abs(int(power[1])) > 60:
            raise Unusable
        scale, end = scale * Fraction(10) ** int(power[1]), power.end()
    if word := MULTIPLIER.match(text, end):
        scale *= CHINESE_PLACES.get(word["small"] or "", 1) * MULTIPLIERS[word["large"]]
        end = word.end()
    return value * scale, half * scale, end


def european_at(text: str, at: int) -> tuple[Fraction, Fraction, int] | None:
    """3,35 TB/s and 3.350.000 MB/s: a decimal comma, points between thousands."""
    if at and (text[at - 1].isalnum() or text[at - 1] in ".,"):
        return None
    if comma := DECIMAL_COMMA.match(text, at):
        digits = f"{comma['whole']}.{comma['part']}"
        return Fraction(digits), half_unit(digits), comma.end()
    if dotted := DOTTED.match(text, at):
        digits = dotted[0].replace(".", "")
        return Fraction(digits), half_unit(digits), dotted.end()
    return None


def loose_bytes(text: str, at: int, end: int) -> Unit | None:
    """Bytes written beyond the rules of units (936gb/s, 24G of memory)."""
    words = text[at:end].strip()
    if words not in LOOSE_BYTES or (words == "G" and not memory_near(text, at)):
        return None
    return unit(LOOSE_BYTES[words])


def memory_near(text: str, at: int) -> bool:
    """Whether the number before this place is one of memory."""
    low = max(0, at - 24)
    return any(m.start() + low < at < m.end() + low for m in GIGA.finditer(text[low : at + 12]))


def base(text: str, at: int) -> Fraction:
    """The digits of a number as they stand, without what multiplies them."""
    found = NUMBER.match(text, at)
    return Fraction(found["digits"].replace(",", "")) if found else Fraction(0)


def loosened(text: str, at: int, value: Fraction, half: Fraction) -> Fraction:
    """What a number that is said to be rough may be off by."""
    alone = base(text, at)
    return max(half, loose_half(text, at) * value / alone) if alone else half


def loose_half(text: str, at: int) -> Fraction:
    """Half a unit of the last digit that is no trailing zero: what "about 300" may stand for."""
    found = NUMBER.match(text, at)
    return half_unit(found["digits"], rounded=True) if found else Fraction(0)


def counted_by(text: str, at: int) -> bool:
    """Whether a Chinese numeral counts something: 两张, 八卡; 一 alone is an article."""
    return bool(re.match(r" ?(?:[张块卡台路个条]|tokens?|词元|小时|分钟|秒|天)", text[at : at + 8]))


def written_out(words: str) -> str:
    """A unit in full where it is written in a shorthand of slides (TF/s, t/s)."""
    for shorthand, full in SHORTHAND:
        if found := shorthand.fullmatch(words):
            return found["prefix"] + full
    return words


def unit_at(text: str, at: int) -> tuple[Unit | None, bool, int]:
    """The longest unit that begins here, whether it may be a count, and where it ends."""
    ends, end = [], at
    for _ in range(MOST_PIECES):
        piece = PIECE.match(text, end)
        if piece is None:
            break
        end = piece.end()
        ends += [end, *(piece.start() + i for i, c in enumerate(piece[0]) if c == "-")]
        if not text[piece.start() : end].isascii():
            ends += range(end - 1, piece.start(), -1)
    for end in sorted(set(ends), reverse=True):
        if text[end : end + 1].isdigit() and text[end - 1].isascii():
            continue  # the B of B200
        words = A_TIME.sub("/", FLOATING.sub("", text[at:end])).strip()
        if text[at - 1 : at + 1] == "亿次" and words[:1] == "次" and words[1:2] in ("", "/", "每"):
            words = f"FLOP{words[1:]}"  # 989 万亿次/秒: nothing else is counted in 亿 a second
        if short := loose_bytes(text, at, end):
            return short, False, end
        made, loose = unit_of(words)
        if made is not None:
            return made, loose, end
    return None, False, at


@lru_cache(maxsize=4096)
def unit_of(words: str) -> tuple[Unit | None, bool]:
    """The unit that words name, and whether it may be a count; None where they name none."""
    words = written_out(words)
    if words in ("x", "X", "M", "B") or SIZED.match(words):
        return None, False
    try:
        found = composed(Fraction(1), UnitWords(words).read())
    except (Fault, Unusable):
        if words in unclear():
            return Unit(((unclear()[words], 1), ("s", -1))), True
        return None, False
    if found.value != 1:
        return None, False
    made = found.quantity.unit if found.unit else Unit()
    if found.unit and not made.terms:
        return None, False  # 8 张卡每张 …: nothing is counted per itself
    if made.dimension == DEVICE_RATE:
        return None, False  # 8 张卡每小时 18 美元: what follows is each hour's
    if ("s", -2) in made.terms and made.terms[0][0].endswith("FLOP"):
        made = Unit((*made.terms[:-1], ("s", -1)))  # teraflops per second
    return made, False
