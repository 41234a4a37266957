"""From the tokens of a sentence to a claim: which words speak of which figure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from derive.audit.reading.around import adjusted, counted, of_each, of_one_token, paced
from derive.audit.reading.figures import Read
from derive.audit.reading.lexicon import FILLER
from derive.audit.reading.lists import (
    achieved_beside_mfu,
    from_to,
    lend_back,
    of_contexts,
    remarks,
    same_bytes,
    share_unit,
    with_heading,
)
from derive.audit.reading.names import names
from derive.audit.reading.normal import Normal, normal
from derive.audit.reading.owners import against, changed, in_order, nearest
from derive.audit.reading.roles import WAYS, role_of
from derive.audit.reading.scan import Token, tokens
from derive.audit.reading.sentence import Sentence, gap
from derive.audit.reading.together import sum_beside_each
from derive.audit.types import Claim, Figure, Named, Term
from derive.errors import Place
from derive.units import Unit, unit

PARAM, PER_TOKEN = unit("param"), unit("param/token")
PART_OF = re.compile(r"(?:of(?: (?:its|the|all|those))*(?: total)?|的) ?$", re.IGNORECASE)
PER_USER = unit("token/s/request").dimension
TOKEN = unit("token")
WORK, RATE = unit("FLOP").dimension, unit("FLOP/s").dimension
RATED = 10**9  # operations: fewer are no performance of a device
TERA, TERAFLOPS = 10**12, unit("TFLOP/s")
WORKING = {"work", "matmul", "flop", "mac"}  # nouns that make FLOP an amount
CONDITIONS = ("precision", "sparsity", "engine", "scope", "direction", "user", "calibre", "tokens")
COMPARES = ("than", "instead", "less", "more")
ACHIEVED = {"memory_bandwidth": "achieved_bandwidth"}
FAMILY = re.compile(r"[A-Z][0-9]{2,4}(?![0-9])")
BEFORE_FORM = re.compile(r"([0-9]{2,3} ?GB) ?$")  # the 80GB SXM version
SIZE = re.compile(r"([0-9]{2,3} ?GB)(?![A-Za-z])")  # A100 80GB PCIe, then its SXM board
VERSION = re.compile(
    r"(?:SXM[0-9]?|PCIe|NVL)[ -]?(?:版|款|version|variant|part|model|card|board|module"
    r"|SKU|form factor|sibling|卡|模组)",
    re.IGNORECASE,
)
PORT = re.compile(r"(?:bE|Ethernet|InfiniBand|RoCE)$", re.IGNORECASE)
OWN = ("pin", "kv_k", "kv_v", "active")  # nouns that never speak of a second figure


def read_claim(text: str, roots: tuple[Path, ...], place: Place | None = None) -> Claim:
    """One claim as it is understood; DeriveError where the text cannot be read at all."""
    held = normal(text, place)
    found = Sentence(tokens(held.text, roots))
    hardware = tuple(named(t, held) for t in found if t.kind == "hardware")
    hardware = with_siblings(hardware, found, held, roots)
    models = [named(t, held) for t in found if t.kind == "model"]
    figures = [figure(t, i, found, held) for i, t in enumerate(found) if t.kind == "number"]
    inherit_units(figures, found)
    lend_back(figures, text)
    same_bytes(figures)
    achieved_beside_mfu(figures, found, text)
    remarks(figures, text)
    share_unit(figures, hardware, text)
    lend_tokens(figures)
    from_to(figures, text)
    of_contexts(figures)
    sum_beside_each(figures, text)
    named_one = bool(models)  # else a parameter count is all that is known of the model
    sizes = [f for f in figures if f.unit == PARAM and f.role != "active"]
    models += [sized(f) for f in sizes if is_model(f, held) or not named_one]
    listed = (
        changed(figures, hardware, text)
        or against(figures, hardware, text)
        or in_order(figures, hardware)
    )
    own = [n for n in models if n.ids] or models  # what is activated is activated of a named model
    made = [
        replace(
            f,
            hardware=listed.get(i) or nearest(f, hardware, text),
            model=nearest(f, own if f.role == "active" else models, text),
        )
        for i, f in enumerate(figures)
    ]
    made = with_heading(made, found, held)
    terms = tuple(Term(t.of, t.says, held.span(t.start, t.end)) for t in found if t.kind == "term")
    left = tuple(held.span(t.start, t.end) for t in found if t.kind == "word"
                 and held.text[t.start : t.end].lower() not in FILLER
                 and held.text[t.start : t.end].isalnum())  # fmt: skip
    return Claim(text, tuple(made), hardware, tuple(models), terms, left, place or Place())


def with_siblings(
    hardware: tuple[Named, ...], found: Sentence, held: Normal, roots: tuple[Path, ...]
) -> tuple[Named, ...]:
    """The names, and another form of the one product that they name: the SXM version."""
    if len(hardware) != 1 or "variant" not in found.terms:
        return hardware
    family = {m[0] for n in hardware if (m := FAMILY.match(n.text))}
    if len(family) != 1:
        return hardware
    (base,), made = family, list(hardware)
    for token in found:
        words = held.text[token.start : token.end + 12]
        if token.of != "variant" or not VERSION.match(words) or token.start < hardware[0].span[1]:
            continue
        size = BEFORE_FORM.search(held.text[: token.start]) or SIZE.search(hardware[0].text)
        spelled = (
            [f"{base} {size[1]} {token.says}", f"{base} {token.says} {size[1]}"] if size else []
        )
        listed = names("hardware", roots)
        other = next(
            (
                made_out
                for name in (*spelled, f"{base} {token.says}")
                if (made_out := listed.at(name, 0)) and made_out[0] == len(name)
            ),
            None,
        )
        if other and other[1] != hardware[0].ids:
            made.append(
                Named(words[: token.end - token.start], held.span(token.start, token.end), other[1])
            )
    return tuple(made)


def named(token: Token, held: Normal) -> Named:
    """A name with the specs that it may mean."""
    return Named(held.text[token.start : token.end], held.span(token.start, token.end), token.ids)


def figure(token: Token, at: int, found: Sentence, held: Normal) -> Figure:
    """A number with the conditions and the role that the words around it give it."""
    assert token.read is not None
    read, near = token.read, nouns(at, found)
    said = {kind: values for kind in CONDITIONS if (values := conditions(kind, at, found))}
    bound = next(iter(conditions("bound", at, found, before=True)), "")
    percent = any(symbol == "%" for symbol, _ in read.unit.terms)
    read = counted(read, at, found, held, near)
    if read.unit.dimension == PER_USER:
        said["user"] = ("one",)
    about = found.about
    if (
        read.unit.dimension == WORK
        and "hardware" in about
        and read.value * read.unit.factor >= RATED
        and not WORKING & set(near)
        and not rates_beside(token, found, held)
    ):
        read = replace(
            read, unit=read.unit * unit("s") ** -1, loose=True
        )  # a petaFLOP of performance
    if teras(read, held.text[token.start : token.end], near, said, about):
        read = replace(read, value=read.value / TERA, half=read.half / TERA, unit=TERAFLOPS)
    role = token.of or role_of(read.unit.dimension, near, said, about, percent=percent)
    role, bound = adjusted(role, bound, at, found, held, near)
    if role in ("data_rate", "memory_bandwidth") and PORT.search(
        held.text[token.start : token.end]
    ):
        role = "network"
    if role == "network" and held.text[: token.start].endswith("over "):
        bound = ""  # by way of it, not more than it
    role = of_count(role, at, found, held)
    if role == "time" and prefilled(at, found, held):
        role = "ttft"
    if role in ("time", "e2e", "latency", "ttft") and paced(at, found, held):
        role = "itl"
    made = read.unit
    if (
        role in ("kv", "bytes", "weights")
        and near[:1] != ["weights"]  # each token reads 141 GB of weights
        and ("token" in conditions("per", at, found) or of_each(at, found, held))
    ):
        role, made = "kappa", made * unit("token") ** -1
    if per := of_each_token(role, at, found, held) or of_each_device(role, said):
        role, made = per[0], made * per[1]
    if role in ACHIEVED and "achieved" in said.get("calibre", ()):
        role = ACHIEVED[role] if achiever(at, found) else role
    elif role == "achieved_rate" and not achiever(at, found):
        role = "peak_rate"
    if role == "weights" and "weights" not in near and fitted(at, found, held):
        role = "memory"  # a model that fits in 16 GB
    if role in ("time", "latency") and "token" in conditions("per", at, found):
        role = "tpot"
    text, span = held.text[token.start : token.end].strip(), held.span(token.start, token.end)
    return Figure(text, span, read.value, read.half, made, read.about, bound, role, said)


def of_each_device(role: str, said: Mapping[str, tuple[str, ...]]) -> tuple[str, Unit] | None:
    """The role of a price that is said to be that of each device."""
    if role == "price" and "device" in said.get("scope", ()):
        return "device_price", unit("1/device")
    return None


def rates_beside(token: Token, found: Sentence, held: Normal) -> bool:
    """Whether the text writes its rates otherwise: 140 TFLOP beside 989 TFLOPS is an amount."""
    if held.text[token.start : token.end].rstrip().lower().endswith("s"):
        return False
    return any(t.read and t.read.unit.dimension == RATE for t in found if t is not token)


def of_each_token(role: str, at: int, found: Sentence, held: Normal) -> tuple[str, Unit] | None:
    """The role of work or energy that is one token's, and what its unit is multiplied by.

    TFLOPS beside no product are the plural of TFLOP.
    """
    said = "token" in conditions("per", at, found)
    if role == "energy" and said:
        return "token_energy", unit("1/token")
    alone = of_one_token(at, found, held)
    if role == "work" and (alone or said):
        return "token_work", unit("1/token")
    if role == "peak_rate" and alone and "hardware" not in found.about:
        return "token_work", unit("s/token")
    return None


def of_count(role: str, at: int, found: Sentence, held: Normal) -> str:
    """Whether a parameter count is that of all parameters or of those that a token activates."""
    if role == "active" and told_apart(at, found, held):
        role = "parameters"
    if role == "parameters" and (of_token(found[at], held) or sole_of_token(at, found, held)):
        return "active"
    return role


def told_apart(at: int, found: Sentence, held: Normal) -> bool:
    """Whether "active" stands in a clause of its own, nearer to another count than to this one.

    "It has 30.5B parameters, of which 3.3B, or 11 %, are active."
    """
    low, high = found.clauses[at]
    words = [i for i in found.terms.get("noun", ()) if found[i].says == "active"]
    if not words or any(low <= i < high for i in words):
        return False
    counts = [i for i, t in enumerate(found) if t.read and t.read.unit.dimension == PARAM.dimension]
    spelled = held.text[found[at].start : found[at].end].lower()
    return ("param" in spelled or "参数" in spelled) and all(
        min(counts, key=lambda i: gap(found[i], found[w])) != at for w in words
    )


def of_token(token: Token, held: Normal) -> bool:
    """Whether a count is directly that of a token: "reads 3.3B parameters per token".

    Not where it is what a part is taken of: "37B of its 671B parameters per token".
    """
    assert token.read is not None
    per = token.read.unit == PER_TOKEN
    return per and not PART_OF.search(held.text[: token.start])


def sole_of_token(at: int, found: Sentence, held: Normal) -> bool:
    """Whether the one count of a clause is what a token of a named model takes part in.

    "Each token reads all 467 亿 parameters", not "a 7B model needs 14 GFLOP per token".
    """
    low, high = found.clauses[at]
    alone = all(t.kind != "number" or i == at for i, t in enumerate(found[low:high], low))
    spelled = held.text[found[at].start : found[at].end].lower()
    counted_so = "param" in spelled or "参数" in spelled
    named_one = any(t.kind == "model" for t in found)
    return alone and counted_so and named_one and "token" in conditions("per", at, found)


def prefilled(at: int, found: Sentence, held: Normal) -> bool:
    """Whether a time is that of a prefill: the word stands in its clause, decoding does not."""
    low, high = found.clauses[at]
    words = [t for t in found[low:high] if t.of == "tokens"]
    said = [held.text[t.start : t.end].lower() for t in words]
    decodes = any(t.says != "input" for t in words)
    return not decodes and any(s.startswith(("prefill", "预填充")) for s in said)


def teras(
    read: Read, text: str, near: list[str], said: Mapping[str, tuple[str, ...]],
    about: Collection[str],
) -> bool:  # fmt: skip
    """Whether "312T" is a compute rate: of a product, beside compute or a peak."""
    compute = "compute" in near or "peak" in said.get("calibre", ()) or "engine" in said
    return compute and "hardware" in about and not read.unit.terms and text.rstrip().endswith("T")


def achiever(at: int, found: Sentence) -> bool:
    """Whether "achieved" speaks of this figure, where the clause holds several of its kind."""
    low, high = found.clauses[at]
    words = [i for i in range(low, high) if found[i].says == "achieved"]
    mine = found[at].read
    alike = [
        i
        for i in range(low, high)
        if (r := found[i].read) and mine and r.unit.dimension == mine.unit.dimension
    ]
    if not words or len(alike) < 2:
        return True
    return min(alike, key=lambda i: min(gap(found[i], found[w]) for w in words)) == at


def fitted(at: int, found: Sentence, held: Normal) -> bool:
    """Whether the clause says before this figure that something fits; "at 140 GB" is how large."""
    low, _ = found.clauses[at]
    if held.text[: found[at].start].endswith(" at "):
        return False
    return any(t.of == "subject" and t.says == "fits" for t in found[low:at])


def conditions(kind: str, at: int, found: Sentence, *, before: bool = False) -> tuple[str, ...]:
    """What is said of a kind about the figure at a place.

    Words of its own clause; where these differ among themselves, each belongs to the figure nearest
    to it. Words of a clause without figures belong to every figure.
    """
    low, high = found.clauses[at]
    own = [i for i in found.terms.get(kind, ()) if low <= i < high]
    own = [i for i in own if found.remark[i] in (-1, found.remark[at])]
    if before:  # not beyond another figure: "over 100 GbE takes 1.4 s"
        last = max((i for i in range(low, at) if found[i].kind == "number"), default=-1)
        own = [i for i in own if max(last + 1, at - 3) <= i < at]
        return tuple(found[i].says for i in own[-1:])
    if len({found[i].says for i in own}) > 1:
        own = [i for i in own if found.owners[i] == at]
    if not own:
        own = found.apart.get(kind, [])
    return tuple(dict.fromkeys(found[i].says for i in own))


def nouns(at: int, found: Sentence) -> list[str]:
    """The quantity words of the clause, nearest first; then those of clauses without figures."""
    low, high = found.clauses[at]
    here = [i for i in range(low, high) if found[i].of == "noun"]
    mine = [i for i in here if found.owners[i] == at]
    far = found.apart.get("noun", [])
    if at and found[at - 1].kind == "stop" and found[at - 1].says == ":":
        start, end = found.clauses[at - 1]  # "K size: 8.23 GB": what stands before it is nearest
        ahead = [i for i in range(end - 1, start - 1, -1) if found[i].of == "noun"]
        mine = [i for i in ahead if found[i].says not in OWN or found.owners[i] < 0] or mine
    if not mine:
        mine = [i for i in here if found[i].says not in OWN]
    return [found[i].says for i in sorted(mine, key=lambda i: gap(found[i], found[at])) + far]


def inherit_units(figures: list[Figure], found: Sentence) -> None:
    """A bare number compared with a figure measures the same ("624 TFLOP/s instead of 312")."""
    numbers = [i for i, t in enumerate(found) if t.kind == "number"]
    for i, one in enumerate(figures):
        between = found[numbers[i - 1] : numbers[i]] if i else ()
        compares = any(t.of == "relation" and t.says in COMPARES for t in between)
        if one.role != "number" or not compares or one.unit.terms:
            continue
        if any(t.of == "relation" and t.says == "times" for t in found[numbers[i] + 1 :][:1]):
            continue  # a multiple: 18 times slower
        other = figures[i - 1]
        if other.unit.terms and other.role not in ("share", "devices"):
            kept = {k: v for k, v in other.conditions.items() if k != "sparsity"} | dict(
                one.conditions
            )
            figures[i] = replace(one, unit=other.unit, role=other.role, conditions=kept)


def lend_tokens(figures: list[Figure]) -> None:
    """A bare number beside a length counts tokens too ("1,024 input and 256 output tokens")."""
    for i, (one, other) in enumerate(pairwise(figures)):
        way = WAYS.get(one.conditions.get("tokens", ()), "")
        if one.role == "number" and not one.unit.terms and way and other.role in WAYS.values():
            figures[i] = replace(one, unit=other.unit, role=way)


def is_model(one: Figure, held: Normal) -> bool:
    """Whether a parameter count names a model ("an 8B model", "70B fp16 …")."""
    behind = held.text[one.span[1] : one.span[1] + 2]
    return one.unit == PARAM and (one.text.endswith("B") or behind.startswith("的"))


def sized(one: Figure) -> Named:
    """A model known by its size alone."""
    return Named(one.text, one.span, (), one)
