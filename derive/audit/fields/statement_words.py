"""The words of printed values, in English and in Chinese. Data only."""

from __future__ import annotations

import re
from fractions import Fraction

LOOSE = Fraction(1, 10)  # what a number given as a word may be off by: "doubles", "a third"
CLASS = Fraction(1, 5)  # what a size given as a class may be off by: "70B class"
SPLIT = re.compile(
    r"[;()]|,(?![0-9])|(?<![A-Za-z])(?:and|as well as)(?! (?:above|more|over|up))(?![a-z])|和"
)
BEHIND = re.compile(r"(?<![A-Za-z])(?:for|in the case of) .*|(?:对于?|针对).*")
PRACTICE = re.compile(r"in practice|in reality|实际上?|实践中|实测", re.IGNORECASE)
NO_FIT = re.compile(
    r"not fit|n't fit|no room|too large|放不下|装不下|容纳不下|存不下", re.IGNORECASE
)
FIT = re.compile(r"(?<![a-z])fits?(?![a-z])|放得下|装得下", re.IGNORECASE)
ONE = re.compile(r"(?<![a-z])(?:one|a|single|1)(?![a-z0-9])|单|一[张块个]", re.IGNORECASE)
CHANGE = re.compile(r"becomes?|turns? into|->|→|=>|变为|变成|降为|降到", re.IGNORECASE)
ORDER = re.compile(r"(?<![a-z])(?:an?|one) order of magnitude|一个数量级", re.IGNORECASE)
MANY = {
    1: r"(?<![a-z])tens of|几十|数十", 2: r"(?<![a-z])hundreds of|几百|数百|上百",
    3: r"(?<![a-z])thousands of|几千|数千|上千",
}  # fmt: skip
TIMES = {
    Fraction(2): r"(?<![a-z])(?:doubl(?:es?|ed|ing)|twice)(?![a-z])|翻倍|翻一番|两倍",
    Fraction(3): r"(?<![a-z])(?:tripl(?:es?|ed)|three times)(?![a-z])|三倍",
    Fraction(4): r"(?<![a-z])(?:quadrupl(?:es?|ed)|four times)(?![a-z])|四倍",
    Fraction(1, 2): r"(?<![a-z])hal(?:ves|ved|f)(?![a-z])|减半|一半",
    Fraction(1, 3): r"(?<![a-z])(?:a|one) third(?![a-z])|三分之一",
    Fraction(2, 3): r"(?<![a-z])two thirds(?![a-z])|三分之二",
    Fraction(1, 4): r"(?<![a-z])(?:a|one) quarter(?![a-z])|四分之一",
    Fraction(3, 4): r"(?<![a-z])three quarters(?![a-z])|四分之三",
}  # fmt: skip
DIGIT_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TENTHS = re.compile(
    rf"(?<![a-z])({'|'.join(DIGIT_WORDS)}) tenths?(?![a-z])|([一二三四五六七八九])成", re.IGNORECASE
)
ABOVE = re.compile(r"(?<![a-z])(?:more than|over|above|at least|exceeds?|or more|and (?:above|more|up)|no less than)(?![a-z])"
                   r"|[>≥]|超过|至少|以上|高于|不低于", re.IGNORECASE)  # fmt: skip
UNDER = re.compile(r"(?<![a-z])(?:under|below|less than|at most|up to|no more than|fewer than|within|or less)(?![a-z])"
                   r"|[<≤]|不到|低于|以下|不超过|至多", re.IGNORECASE)  # fmt: skip
IDLE = re.compile(
    r"(?<![a-z])(?:unused|idle|wasted|left over|not used)(?![a-z])|闲置|未用|浪费", re.IGNORECASE
)
APART = re.compile(
    r"(?<![a-z])(?:apart|different|difference|spread|differ)(?![a-z])|相差|差距|之差", re.IGNORECASE
)
CLASSED = re.compile(r"(?<![a-z])(?:class|sized?)(?![a-z])|级别|级|量级", re.IGNORECASE)
RATIO = re.compile(r"^ ?(?:x|×|times|fold|倍)(?![a-z])", re.IGNORECASE)
OF = re.compile(r"(?<![a-z])of (?=[0-9≈~])|的(?=[0-9])|占(?=[0-9])", re.IGNORECASE)
PRECISIONS = re.compile(
    r"(?<![A-Za-z0-9])(fp64|tf32|fp32|bf16|fp16|fp8|int8|fp4|int4)(?![0-9])", re.IGNORECASE
)
START = re.compile(r"(?<![0-9.A-Za-z_])[0-9]|≈ ?[0-9]|~ ?[0-9]|[约近] ?[0-9]"
                   r"|(?<![a-z])(?:about|around|roughly|nearly|almost|approximately|approx\.?) ?[0-9]"
                   r"|(?:大约|约为|将近|接近|大概) ?[0-9]", re.IGNORECASE)  # fmt: skip
