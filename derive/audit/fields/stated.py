"""Claims that are stated with fields, in files or as a formula, as the rules take them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.fields.case import target
from derive.audit.fields.claims_file import Stated, read_claims
from derive.audit.formula.equations import equations
from derive.audit.reading.claim import read_claim
from derive.audit.reading.lexicon import words
from derive.audit.reading.roles import ROLES, possible
from derive.audit.types import Claim, Entry
from derive.errors import DeriveError, Place, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from derive.audit.types import Figure


def stated_claims(
    files: Iterable[Path], formulas: Iterable[str], roots: tuple[Path, ...]
) -> list[Claim]:
    """Everything is read before anything is judged: what cannot be read is told in one error."""
    stated = [each for path in files for each in read_claims(path)]
    claims: list[Claim] = []
    problems: list[Problem] = []
    for text in formulas:
        try:
            equations(text)
        except DeriveError as error:
            problems += error.problems
        stated.append(Stated("", Place(), Entry(formula=text)))
    for each in stated:
        try:
            claims.append(claim_of(each, roots))
        except DeriveError as error:
            problems += [replace(p, place=p.place or each.place) for p in error.problems]
    if problems:
        raise DeriveError(problems)
    return claims


def claim_of(stated: Stated, roots: tuple[Path, ...]) -> Claim:
    """A claim as it is understood; its subject names what its words do not."""
    entry = stated.entry
    if entry is None:
        return read_claim(stated.text, roots, stated.place)
    place = stated.place
    about = read_claim("; ".join([entry.subject, *entry.conditions]), roots, place)
    if stated.text:
        read = read_claim(stated.text, roots, place)
    elif entry.quantity and not entry.given and entry.subject and is_said(entry.quantity):
        read = spoken(entry, roots, place)
    else:
        read = Claim(described(entry), place=place)
    hardware, models = read.hardware or about.hardware, read.models or about.models
    figures = tuple(
        replace(f, hardware=f.hardware or next(iter(hardware), None),
                model=f.model or next(iter(models), None))
        for f in read.figures
    )  # fmt: skip
    terms = read.terms if stated.text or read.figures else about.terms
    return replace(
        read, hardware=hardware, models=models, figures=figures, terms=terms, entry=entry
    )


def role_of(quantity: str) -> str:
    """The role of a quantity that specs state: by its own id, its symbol or its name."""
    if quantity in ROLES:
        return quantity
    name = quantity.strip().lower()
    return next(
        (r for r, role in ROLES.items()
         if role.symbol == quantity or name in (role.name.en.lower(), role.name.zh.lower())),
        "",
    )  # fmt: skip


def is_said(quantity: str) -> bool:
    """Whether a quantity is told in the words of a sentence, not by a symbol or an expression."""
    if role_of(quantity):
        return True
    found = words().at(quantity, 0)
    if found and found[0] == len(quantity) and found[1][0] == "noun":
        return True  # TPOT, throughput: words first, although a formula bears that name too
    try:
        target(quantity)
    except DeriveError:
        return any(words().at(quantity, at) for at in range(len(quantity)))
    return False


def spoken(entry: Entry, roots: tuple[Path, ...], place: Place) -> Claim:
    """The fields as a sentence, the printed figure in the role that its quantity names."""
    role = role_of(entry.quantity)
    name = ROLES[role].name.en if role else entry.quantity
    said = ", ".join((f"{entry.subject}: {name} {entry.value}", *entry.conditions))
    read = read_claim(said, roots, place)
    begin = len(entry.subject) + 2 + len(name)

    def cast(figure: Figure) -> Figure:
        inside = begin <= figure.span[0] < begin + 1 + len(entry.value)
        fits = role in possible(figure.dimension)
        return replace(figure, role=role) if inside and fits else figure

    return replace(read, figures=tuple(cast(f) for f in read.figures))


def described(entry: Entry) -> str:
    """What a claim without words says, for its heading."""
    if entry.formula:
        return entry.formula
    given = ", ".join(f"{k} = {v}" for k, v in entry.given.items())
    subject = f"{entry.subject}: " if entry.subject else ""
    return f"{subject}{entry.quantity} = {entry.value}" + (f" ({given})" if given else "")
