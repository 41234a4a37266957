"""What the words around a figure say that decides which value of a spec is meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from derive.audit.reading.names import plain

if TYPE_CHECKING:
    from derive.audit.types import Claim, Conditions, Figure
    from derive.specs.types import Hardware

EACH = re.compile(r" ?(?:each|apiece)(?![A-Za-z])(?! (?:way|direction))", re.IGNORECASE)
TIMES = re.compile(r"[×*@] ?$|(?<![A-Za-z])x ?$")
BY = re.compile(r" ?[×*x] ?[0-9]")
ON = re.compile(  # the same again, in other words
    r"(?:即|也就是|摊到|摊下来|平均|折合|相当于|[,;(] ?(?:i\.e\.?|that is|or|so|meaning|which is|=)"
    r"|works? out|comes? to|amounts? to|=)",
    re.IGNORECASE,
)
SHARED = re.compile(r"(?:摊到|摊下来|平均|每|per|each|works? out)", re.IGNORECASE)
SIXTEEN = ("bf16", "fp16")
SCOPES = ("node", "rack", "pod")
INTEGER = ("int8", "int4")


@dataclass(frozen=True)
class Heard:
    """Conditions that are said of one figure; empty where nothing is."""

    told: frozenset[str] = frozenset()  # precisions as they stand
    precisions: frozenset[str] = frozenset()  # and those of the same rate
    sparsity: str = ""
    direction: str = ""
    single: bool = False  # "per GPU", "one H100"
    counts: frozenset[int] = frozenset()  # "8x H100", "9,216 chips"
    several: int = 0  # devices that are counted as such, where more than one
    scope: str = ""
    operations: str = ""  # "int" for TOPS, "float" for TFLOPS
    total: bool = False  # "in total", 合计
    weights: bool = False  # the precision is that of the weights
    engine: str = ""


def heard(figure: Figure, claim: Claim) -> Heard:
    """What is said of a figure and of the devices it belongs to."""
    counts = {
        int(f.value) for f in claim.of("devices", "number")
        if f.hardware == figure.hardware and f.value.denominator == 1
        and (f.role == "devices" or not f.unit.terms)
    }  # fmt: skip
    said = {**carried(figure, claim), **figure.conditions}
    return Heard(
        frozenset(said.get("precision", ())),
        frozenset(p for s in said.get("precision", ()) for p in alike(s)),
        only(said.get("sparsity", ())),
        only(said.get("direction", ())),
        figure.says("scope", "device")
        or (counts == {1} and counted_one(claim))
        or ("device", -1) in figure.dimension.powers
        or each(figure, claim)
        or factor(figure, claim),
        frozenset(n for n in counts if n > 1),
        max(
            (
                int(f.value)
                for f in claim.of("devices")
                if f.hardware == figure.hardware and f.value > 1
            ),
            default=0,
        ),
        next((s for s in SCOPES if figure.says("scope", s)), ""),
        operations(figure),
        figure.says("user", "all"),
        claim.says("noun", "weights"),
        only(said.get("engine", ())),
    )


def carried(figure: Figure, claim: Claim) -> Conditions:
    """What the figure before says of this one too.

    The precision where only the sparsity changes (FP8: sparse, dense), or where the same is told
    again (a rack has so much FP4, that is so much per GPU); both directions of each of its links.
    """
    if figure.role == "link":
        return summed(figure, claim)
    if figure.says("precision"):
        return {}
    said = claim.said("precision")
    if figure.role == "ridge" and len(said) == 1 and claim.of("peak_rate"):
        return {"precision": said}  # of the peak that it is made of
    at = claim.figures.index(figure)
    before = claim.figures[at - 1] if at else None
    if before is None or (before.role, before.hardware) != (figure.role, figure.hardware):
        return {}
    lent = {"precision": before.conditions.get("precision", ())}
    if figure.says("sparsity"):
        return lent
    words = claim.text[before.span[1] : figure.span[1]]
    shared = SHARED.search(words)
    if not shared and not ON.search(words):
        return {}
    if shared:
        lent["sparsity"] = before.conditions.get("sparsity", ())
    return lent


def summed(figure: Figure, claim: Claim) -> Conditions:
    """Both directions, where it is a sum of links that count both, or twice one that counts one."""
    if figure.says("direction"):
        return {}
    halves = [
        f for f in claim.of("link")
        if f.hardware == figure.hardware and f.says("direction", "one")
        and f.interval.scaled(2).meets(figure.interval)
    ]  # fmt: skip
    if halves:
        return {"direction": ("both",)}
    parts = [
        f for f in claim.of("link")
        if f.hardware == figure.hardware and f.says("direction", "both")
        and not f.says("direction", "one") and f.quantity.base < figure.quantity.base
    ]  # fmt: skip
    return {"direction": ("both",)} if parts else {}


def alike(precision: str) -> tuple[str, ...]:
    """The 16-bit formats run at one rate: either name means both."""
    return SIXTEEN if precision in SIXTEEN else (precision,)


def only(values: tuple[str, ...]) -> str:
    """What is said where it is one thing."""
    return values[0] if len(values) == 1 else ""


def each(figure: Figure, claim: Claim) -> bool:
    """Whether the word behind it says that each device has so much: 72 GPUs with 186 GB each."""
    return bool(claim.of("devices")) and bool(EACH.match(claim.text, figure.span[1]))


def factor(figure: Figure, claim: Claim) -> bool:
    """Whether it is multiplied by a count of devices: 72 GPUs × 1.8 TB/s."""
    return bool(claim.of("devices")) and bool(
        TIMES.search(claim.text[: figure.span[0]]) or BY.match(claim.text, figure.span[1])
    )


def counted_one(claim: Claim) -> bool:
    """Whether a count of one is more than an article ("one H100", not "an H100")."""
    return any(f.text.lower() not in ("a", "an") for f in claim.of("devices") if f.value == 1)


def operations(figure: Figure) -> str:
    """Whether a rate is counted in integer or in floating-point operations."""
    symbols = [symbol for symbol, power in figure.unit.terms if power == 1]
    if any(s.endswith("FLOP") for s in symbols):
        return "float"
    return "int" if any(s.endswith("OP") for s in symbols) else ""


def beside(product: Hardware, claim: Claim) -> frozenset[int]:
    """Devices of a system that is named beside the product (the HGX of an HGX board)."""
    return frozenset(d.devices for d in product.domains if d.name in claim.text)


def whole(product: Hardware, figure: Figure, said: Heard) -> frozenset[int]:
    """Devices of the system that the claim speaks of: by its very name, or by node, rack, pod."""
    name = plain(figure.hardware.text) if figure.hardware else ""
    sizes = {d.devices for d in product.domains if plain(d.name) in name}
    all_sizes = sorted(d.devices for d in product.domains)
    if said.scope and all_sizes:
        sizes.add(all_sizes[0] if said.scope == "node" else all_sizes[-1])
    return frozenset(sizes)
