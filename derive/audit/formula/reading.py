r"""A formula as people write it, plain or LaTeX, put into the words of the one grammar.

`\frac{2N}{B_{\mathrm{peak}}}` becomes `((2 * N) / (B_peak))`. Nothing is evaluated; what is not
known is refused where it stands. The text is read once, left to right, to a bounded depth.
"""

from __future__ import annotations

import re
from functools import cache

from derive.audit.fields.quantities import ALIASES, LOCAL
from derive.audit.reading.figures import unit_of
from derive.audit.reading.normal import normal
from derive.errors import DeriveError, Place, Problem, printable
from derive.expression.grammar import UNIT
from derive.expression.tree import FUNCTIONS
from derive.formula import catalogue, letters
from derive.notation import known
from derive.text import tr

DEEPEST = 60
LONGEST_DIGITS = 60
TOKEN = re.compile(
    r"\s*(?:\\(?P<command>[A-Za-z]+|[^A-Za-z])"
    r"|(?P<number>[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+(?![A-Za-z0-9]))?)"
    r"|(?P<word>[A-Za-z\u0391-\u03c9]+[0-9]*)|(?P<sign>\*\*|==|[-+*/^_=(){}\[\],·⋅×÷−≈|&])|(?P<other>\S))"
)
# what stands raised behind a name: ^{\mathrm{eff}}, ^{*}, ^2
RAISED = re.compile(
    r"\s*\^\s*(?:\{\s*\\(?:mathrm|text)\s*\{([A-Za-z0-9*]+)\}\s*\}|\{\s*([A-Za-z0-9*]+)\s*\}|([A-Za-z0-9*]))"
)
PLAIN_WORD = re.compile(r"[A-Za-z_\u0391-\u03c9][A-Za-z0-9_\u0391-\u03c9]*")
UNIT_AFTER = re.compile(rf" (?P<unit>{UNIT})(?=[\s)\],*/+-]|$)")
# 989\,\text{TFLOP/s}, 3.35~\mathrm{TB/s}
LATEX_UNIT = re.compile(
    r"(?:\\[,;:! ]|~|\s)*\\(?:text|mathrm|textrm|operatorname|mbox|rm)\s*"
    r"\{(?P<unit>[^{}\\]{1,40})\}"
)
WRAPPERS = {
    "mathrm", "text", "textrm", "mathit", "operatorname", "mathsf", "mathbf", "textit", "mbox",
    "textbf", "rm",
}  # fmt: skip
BLANK = {
    ",", ";", "!", ":", " ", "\\", "quad", "qquad", "left", "right", "big", "Big", "bigl", "bigr",
    "Bigl", "Bigr", "displaystyle", "limits", "nolimits",
}  # fmt: skip
SIGNS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "approx": "=", "equiv": "=",
    "lbrace": "(", "rbrace": ")", "{": "(", "}": ")",
    "lfloor": "floor(", "rfloor": ")", "lceil": "ceil(", "rceil": ")",
}  # fmt: skip
SPELLINGS = {
    "·": "*", "⋅": "*", "×": "*", "÷": "/", "−": "-", "**": "^", "==": "=", "≈": "=",
    "[": "(", "]": ")",
}  # fmt: skip
NAMES = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi",
    "psi", "omega",
)  # fmt: skip
GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", NAMES, strict=True))


def refuse(text: str, what: str) -> DeriveError:
    """What cannot be read, and in which formula."""
    shown = tr("cannot read {found} in a formula", found=printable(what, 20))
    return DeriveError(Problem("A110", shown, Place(key=printable(text, 80))))


@cache
def ids() -> frozenset[str]:
    """Every name that stands for something."""
    return frozenset({*known(), *catalogue(), *ALIASES, *LOCAL})


@cache
def by_letters() -> dict[str, str]:
    """The letters of each id, without type faces and braces -> the id."""
    made: dict[str, str] = {}
    for name in (*known(), *catalogue()):
        key = re.sub(r"\\(?:mathrm|text|overline)\b|[{}\s]", "", letters(name)).replace("\\", "")
        made.setdefault(key.replace(",", "_"), name)
    return made


def converted(text: str) -> str:
    """The formula in the grammar's words; sides stay divided by "="."""
    plain = normal(text).text.replace("$", " ").strip()
    for letter, name in GREEK.items():
        plain = plain.replace(letter, f"\\{name} " if "\\" in plain else name)
    return _Converter(plain).whole()


class _Converter:
    """One pass over the tokens; groups are read to a bounded depth."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.latex = bool(re.search(r"\\|_\{|\^\{", text))
        self.made: list[str] = []

    def whole(self) -> str:
        self.group("")
        return " ".join(self.made)

    def peek(self) -> re.Match[str] | None:
        return TOKEN.match(self.text, self.at)

    def emit(self, piece: str, *, operand: bool = False) -> None:
        """A piece, with the product sign that writers leave out."""
        last = self.made[-1] if self.made else ""
        ended = bool(last) and (last[-1].isalnum() or last[-1] in "_)")
        opens = piece == "(" or piece in ("floor(", "ceil(")
        call = piece == "(" and last in FUNCTIONS
        if ended and (operand or opens) and not call:
            self.made.append("*")
        self.made.append(piece)

    def group(self, end: str) -> None:
        """Everything up to a closing brace."""
        self.depth += 1
        if self.depth > DEEPEST:
            what = tr("the expression is nested too deeply")
            raise DeriveError(Problem("A111", what, Place(key=printable(self.text, 80))))
        while (found := self.peek()) is not None:
            if found["sign"] == "}":
                if end != "}":
                    raise refuse(self.text, "}")
                self.at = found.end()
                self.depth -= 1
                return
            self.token(found)
        if end:
            raise refuse(self.text, "{")
        self.depth -= 1

    def token(self, found: re.Match[str]) -> None:
        start, self.at = found.start(found.lastgroup or 0), found.end()
        if found["command"]:
            self.command(found["command"])
        elif found["number"]:
            self.number(found["number"])
        elif found["word"]:
            self.word(start)
        elif found["sign"] == "{":
            self.bracketed()
        elif found["sign"] == "^":
            self.power()
        elif found["sign"] == "&":
            return
        elif found["sign"] in ("_", "|") or found["other"]:
            raise refuse(self.text, found[0].strip())
        else:
            self.emit(SPELLINGS.get(found["sign"], found["sign"]))

    def bracketed(self) -> None:
        """`{…}`: a bracket."""
        self.emit("(")
        self.group("}")
        self.emit(")")

    def number(self, digits: str) -> None:
        """A number, with the unit behind it where it has one."""
        if len(digits) > LONGEST_DIGITS:
            raise refuse(self.text, digits)
        following = self.peek()
        if following is not None and following["sign"] == "_":  # 1_{\\mathrm{req}}: one request
            self.name(digits)
            return
        behind = self.unit_behind()
        self.emit(f"{digits} {behind}" if behind else digits, operand=True)

    def unit_behind(self) -> str:
        """The unit that stands behind a number, which is passed then; else nothing."""
        found = LATEX_UNIT.match(self.text, self.at) if self.latex else None
        found = found or UNIT_AFTER.match(self.text, self.at)
        if found is None or (found.re is UNIT_AFTER and self.latex):
            return ""
        words = found["unit"].strip()
        if re.split(r"[*/^]", words)[0] in ids():
            return ""
        made, loose = unit_of(words)
        if made is None or loose or not made.terms:
            return ""
        self.at = found.end()
        return made.text

    def argument(self) -> None:
        """What a command takes: a group, or the next token alone."""
        found = self.peek()
        if found is None:
            raise refuse(self.text, "\\")
        if found["sign"] == "{":
            self.at = found.end()
            self.bracketed()
        elif found["number"]:  # \\frac12 is one half
            start = found.start("number")
            self.at = start + 1
            self.emit(self.text[start], operand=True)
        else:
            self.emit("(")
            self.token(found)
            self.emit(")")

    def command(self, name: str) -> None:
        if name in BLANK:
            return
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            self.emit("(")
            self.argument()
            self.made.append("/")
            self.argument()
            self.emit(")")
        elif name in SIGNS:
            sign = SIGNS[name]
            if sign.endswith("(") and len(sign) > 1:
                self.emit(sign[:-1], operand=True)
                self.made.append("(")
            else:
                self.emit(sign)
        elif name in ("max", "min"):
            self.emit(name, operand=True)
        elif name in WRAPPERS:
            self.name(self.raw())
        elif name in ("overline", "bar"):
            base = self.raw()
            self.emit("T_mean" if base == "T" else base, operand=True)
        elif name in GREEK.values() or name.lower() in GREEK.values():
            self.name(name)
        else:
            raise refuse(self.text, "\\" + name)

    def raw(self) -> str:
        """The letters of a group, of whatever type face; anything else is refused."""
        found = self.peek()
        if found is None:
            raise refuse(self.text, "\\")
        self.at = found.end()
        if found["sign"] != "{":
            if found["command"] in WRAPPERS:
                return self.raw()
            return found["word"] or found["number"] or found["command"] or self.stop(found)
        made = ""
        while (found := self.peek()) is not None:
            self.at = found.end()
            if found["sign"] == "}":
                return made
            if found["command"] in WRAPPERS:
                made += self.raw()
            elif found["command"] in BLANK:
                continue
            elif found["sign"] in (",", "-", "_"):
                made += "_"
            else:
                made += found["word"] or found["number"] or found["command"] or self.stop(found)
            if len(made) > LONGEST_DIGITS:
                raise refuse(self.text, made)
        raise refuse(self.text, "{")

    def stop(self, found: re.Match[str]) -> str:
        raise refuse(self.text, found[0].strip())

    def word(self, start: int) -> None:
        """A name: in plain text with its underscores, in LaTeX the letters of a product."""
        if not self.latex:
            plain = PLAIN_WORD.match(self.text, start)
            assert plain is not None
            self.at = plain.end()
            for piece in pieces(plain[0]):
                self.emit(piece, operand=True)
            return
        word = self.text[start : self.at]
        following = self.peek()
        indexed = following is not None and following["sign"] in ("_", "^")
        for piece in (
            pieces(word) if not indexed else [*pieces(word[:-1] if word not in ids() else ""), ""]
        ):
            if piece:
                self.emit(piece, operand=True)
        if indexed:
            self.name(word if word in ids() or word[:-1] == "" else word[-1])

    def name(self, base: str) -> None:
        """A base letter with the index that follows it, as one id."""
        key = base
        found = self.peek()
        if found is not None and found["sign"] == "_":
            self.at = found.end()
            key = f"{base}_{self.raw()}"
            found = self.peek()
        if found is not None and found["sign"] == "^":
            behind = RAISED.match(self.text, self.at)
            raised = next(filter(None, behind.groups()), "") if behind else ""
            if behind and f"{key}^{raised}" in by_letters():
                key, self.at = f"{key}^{raised}", behind.end()
        if key in ids():
            self.emit(key, operand=True)
        else:
            self.emit(by_letters().get(key, key), operand=True)

    def power(self) -> None:
        """A whole exponent."""
        found = re.compile(r"\s*\{?\s*([-−]?)\s*([0-9]{1,3})\s*\}?(?![0-9.])").match(
            self.text, self.at
        )
        if found is None:
            raise refuse(self.text, "^" + self.text[self.at : self.at + 8])
        self.at = found.end()
        self.made += ["^", *(["-"] if found[1] else []), found[2]]


def pieces(word: str) -> list[str]:
    """A known name as it stands; else letters that are each a symbol, as a product (2Nb)."""
    if word in ids() or word in FUNCTIONS or not word:
        return [word] if word else []
    if word in by_letters():
        return [by_letters()[word]]
    if len(word) <= 4 and all(letter in ids() for letter in word):
        return list(word)
    return [word]
