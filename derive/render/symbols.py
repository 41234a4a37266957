"""Symbols as text: the LaTeX of one symbol to letters of the mathematics font with sub and super.

Formulas are set by `math`; a lone symbol in prose or in a table is lighter as text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

GREEK = {
    "kappa": "𝜅",
    "lambda": "𝜆",
    "rho": "𝜌",
    "sigma": "𝜎",
    "tau": "𝜏",
    "alpha": "𝛼",
    "eta": "𝜂",
}
NAMED = {"max": "max", "min": "min", "infty": "∞"}
ATOM = re.compile(
    r"\\mathrm\{(?P<upright>[A-Za-z0-9]+)\}|\\(?P<named>[a-z]+)\s*|(?P<letter>[A-Za-z])"
    r"|(?P<digit>\d)|(?P<mark>[,*()])"
)
SCRIPT = re.compile(r"(?P<kind>[_^])(?:\{(?P<body>(?:[^{}]|\{[^{}]*\})*)\}|(?P<one>[A-Za-z0-9*]))")


def italic(letter: str) -> str:
    """The mathematical italic letter."""
    if letter == "h":
        return "ℎ"
    base = 0x1D434 if letter.isupper() else 0x1D44E
    return chr(base + ord(letter) - ord("A" if letter.isupper() else "a"))


@lru_cache(maxsize=1024)
def symbol_html(latex: str) -> str:
    """A symbol's markup, or "" for LaTeX that is more than a symbol."""
    out, at, tight = [], 0, False
    if "_" in latex and "^" in latex:
        return ""  # both on one letter stand above one another: a matter for mathematics
    while at < len(latex):
        if script := SCRIPT.match(latex, at):
            body = _atoms(script["body"] or script["one"])
            if not body:
                return ""
            tag = "sub" if script["kind"] == "_" else "sup"
            out.append(f"<{tag}>{body}</{tag}>")
            at = script.end()
            continue
        atom = ATOM.match(latex, at)
        if atom is None or not (text := _atom(atom)):
            return ""
        out.append(text)
        at = atom.end()
        tight = True
    return f'<span class="sy">{"".join(out)}</span>' if tight else ""


def _atoms(latex: str) -> str:
    out, at = "", 0
    while at < len(latex):
        atom = ATOM.match(latex, at)
        if atom is None or not (text := _atom(atom)):
            return ""
        out += text
        at = atom.end()
    return out


def _atom(atom: re.Match[str]) -> str:
    if atom["upright"]:
        return escape(atom["upright"])
    if atom["letter"]:
        return italic(atom["letter"])
    if atom["named"]:
        return GREEK.get(atom["named"]) or NAMED.get(atom["named"], "")
    return atom["digit"] or atom["mark"]
