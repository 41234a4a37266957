"""What `derive hardware` and `derive model` print: lists, single specs, JSON. Needs no algebra."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from derive.errors import DeriveError, Problem, columns
from derive.notation import SYMBOLS
from derive.specs import load
from derive.specs.cache_rows import Rows, cache_rows, sized
from derive.specs.growth import CONTEXTS, absent, growth, weights
from derive.specs.lookup import spec_roots
from derive.specs.precision import BYTES
from derive.specs.types import Hardware, Model, Other, Value
from derive.specs.words import ENGINES, KINDS_OF_EVIDENCE, TERMS
from derive.text import Text, tr
from derive.units import Quantity, gib, show, unit

Spec = TypeVar("Spec", Hardware, Model)
TELLING = {*TERMS.values(), *KINDS_OF_EVIDENCE.values(), *ENGINES.values()}  # beyond the key's own


def shown(value: Value | None) -> str:
    """A figure, or a dash."""
    return show(value.quantity).text if value else "–"


def record(value: Value) -> dict[str, Any]:
    """A figure with all that is known of it."""
    found: dict[str, Any] = {
        "value": value.text,
        "exact": f"{value.quantity.value}",
        "unit": value.quantity.unit.text,
        "basis": [b.json() for b in value.basis],
        "sources": list(value.sources),
        "grade": value.grade,
    }
    found |= {"from": value.how.json()} if value.how else {}
    found |= {"printed": value.printed} if value.printed else {}
    if value.also:
        found["also"] = [{**record(o.value), "same": o.same} for o in value.also]
    return found


def all_of(kind: str, read: Callable[..., Spec], roots: Sequence[Path]) -> list[Spec]:
    """Every spec of a kind; the problems of all of them together where some cannot be read."""
    found, problems = [], list[Problem]()
    for name in dict.fromkeys(load.names(kind, roots)):
        try:
            found.append(read(name, roots))
        except DeriveError as error:
            problems += error.problems
    if problems:
        raise DeriveError(problems)
    return found


def cited(values: Iterable[Value], roots: Sequence[Path]) -> list[str]:
    """The sources of some figures, a line each."""
    known = load.sources(roots)
    keys = dict.fromkeys(key for value in values for key in value.sources)
    return [
        f"[{key}] " + ", ".join(filter(None, (s.title, s.publisher, s.date, s.url)))
        for key in keys
        if (s := known.get(key))
    ]


def hardware_listing(
    name: str | None, extra: Sequence[str | Path], as_json: bool, lang: str
) -> str:
    """All accelerators, a line each, or one with every figure."""
    roots = spec_roots(extra)
    if name:
        found = load.hardware(name, roots, Path())
        return dump(hardware_record(found)) if as_json else one_hardware(found, roots, lang)
    every = all_of("hardware", load.hardware, roots)
    if as_json:
        return dump([hardware_record(h) for h in every])
    head = tuple(
        t.in_(lang)
        for t in (
            tr("id"),
            tr("16-bit dense peak"),
            tr("bandwidth"),
            tr("memory, marketed"),
            tr("driver-visible"),
        )
    )
    rows = [
        (h.id, shown(dense16(h)), shown(h.bandwidth), shown(h.marketed), shown(h.driver_visible))
        for h in every
    ]
    return "\n".join(columns([head, *rows]))


def dense16(found: Hardware) -> Value | None:
    """The dense peak at bf16, else at fp16."""
    for precision in ("bf16", "fp16"):
        if "dense" in found.peak.get(precision, {}):
            return found.peak[precision]["dense"]
    return None


def figures(found: Hardware) -> list[tuple[Text, Value]]:
    """Every figure of an accelerator with its name."""
    rows = [
        (
            tr(
                "peak {precision}, {basis}",
                precision=p,
                basis=tr("dense") if b == "dense" else tr("with sparsity"),
            ),
            v,
        )
        for p, by in found.peak.items()
        for b, v in by.items()
    ]
    rest = (
        (tr("memory bandwidth"), found.bandwidth),
        (tr("memory, marketed"), found.marketed),
        (tr("memory, driver-visible"), found.driver_visible),
        (tr("link, one direction"), found.link_per_direction),
        (tr("link, both directions"), found.link_total),
        (tr("power"), found.power),
    )
    return rows + [(name, value) for name, value in rest if value]


def one_hardware(found: Hardware, roots: Sequence[Path], lang: str) -> str:
    """One accelerator: figures with the text printed by the source and where it is from."""
    rows = []
    for name, value in figures(found):
        size = show(value.quantity).text
        if value in (found.marketed, found.driver_visible):
            size += f" ({gib(value.quantity).text})"
        how = value.how.in_(lang) if value.how else ""
        quoted = f"“{value.printed}”" if value.printed else how
        label = [name, *(b for b in value.basis if b in TELLING)]
        separator = "，" if lang == "zh" else ", "
        rows.append(
            (
                separator.join(part.in_(lang) for part in label),
                size,
                quoted,
                ", ".join(value.sources),
                value.grade,
            )
        )
        rows += [other_row(o, lang) for o in value.also]
    lines = [f"{found.name.in_(lang)}   {found.id}", *columns(rows)]
    lines += [f"- {n.in_(lang)}" for n in found.notes]
    every = [v for _, v in figures(found)]
    every += [o.value for v in every for o in v.also]
    return "\n".join([*lines, *cited(every, roots)])


def other_row(other: Other, lang: str) -> tuple[str, str, str, str, str]:
    """What another source prints, below the figure that is used."""
    head = tr("the same, printed otherwise") if other.same else tr("other sources print")
    if other.engine:
        head = ENGINES[other.engine]
    note = other.value.note.in_(lang) if other.value.note else ""
    quoted = f"“{other.value.printed}”" if other.value.printed else ""
    separator = "，" if lang == "zh" else ", "
    said = separator.join(filter(None, (quoted, note)))
    name = "  " + head.in_(lang)
    return (name, show(other.value.quantity).text, said, ", ".join(other.value.sources), "")


def hardware_record(found: Hardware) -> dict[str, Any]:
    """One accelerator as JSON."""
    named = {
        "bandwidth": found.bandwidth,
        "marketed": found.marketed,
        "driver_visible": found.driver_visible,
        "link_per_direction": found.link_per_direction,
        "link_total": found.link_total,
        "power": found.power,
    }
    return {
        "id": found.id,
        "name": found.name.json(),
        "vendor": found.vendor,
        "year": found.year,
        "aliases": list(found.aliases),
        "peak": {p: {b: record(v) for b, v in by.items()} for p, by in found.peak.items()},
        **{k: record(v) if v else None for k, v in named.items()},
        "lacks": list(found.lacks),
        "domains": [
            {"name": d.name, "devices": d.devices, "all_to_all": d.all_to_all}
            for d in found.domains
        ],
        "notes": [n.json() for n in found.notes],
    }


def model_listing(
    name: str | None,
    extra: Sequence[str | Path],
    as_json: bool,
    lang: str,
    contexts: Sequence[int] = (),
) -> str:
    """All models, a line each, or one with its bytes at every stored precision and context."""
    roots, at = spec_roots(extra), contexts or CONTEXTS
    if name:
        found = load.model(name, roots, Path())
        return dump(model_record(found, at)) if as_json else one_model(found, roots, lang, at)
    every = all_of("model", load.model, roots)
    if as_json:
        return dump([model_record(m, at) for m in every])
    head = tuple(
        t.in_(lang)
        for t in (
            tr("id"),
            tr("parameters"),
            tr("layers"),
            tr("KV heads"),
            tr("KV cache at 2 byte"),
        )
    )
    rows = [
        (
            m.id,
            shown(m.values["N"]),
            shown(m.values["L"]),
            shown(m.values.get("H_kv")),
            show(kv_bytes(m, "bf16")).text,
        )
        for m in every
    ]
    return "\n".join(columns([head, *rows]))


def kv_bytes(found: Model, precision: str) -> Quantity:
    """KV-cache bytes that a token adds, layers with a window included while it is not full."""
    return Quantity(growth(found).inside * BYTES[precision], unit("byte/token"))


def weight_bytes(found: Model, precision: str) -> Quantity:
    """Weight bytes at a stored precision, scales not counted."""
    return Quantity(found.values["N"].quantity.value * BYTES[precision], unit("byte"))


def one_model(found: Model, roots: Sequence[Path], lang: str, contexts: Sequence[int]) -> str:
    """One model: its figures, then bytes by precision, then the cache of a request."""
    values = dict(found.values)
    if found.embedding:
        values["N_emb"] = found.embedding
    rows = [(n, shown(v), SYMBOLS[n].meaning.in_(lang)) for n, v in values.items()]
    told = [f"{n}: {v.how.in_(lang)}" for n, v in values.items() if v.how]
    lines = [f"{found.name.in_(lang)}   {found.id}", *columns(rows), *told, ""]
    lines += [*columns(by_precision(found, lang)), ""]
    lines += columns([(name.in_(lang), size) for name, size in request_rows(found, contexts)])
    lines += [f"- {n.in_(lang)}" for n in found.notes]
    return "\n".join([*lines, *cited(values.values(), roots)])


def by_precision(found: Model, lang: str) -> list[tuple[str, ...]]:
    """Weights and what a token adds to the cache in every format; windows tell two stages apart."""
    cache = growth(found)
    heads = [tr("stored as"), tr("weights"), tr("KV cache per token")]
    stages = [cache.inside]
    if cache.windows:
        heads[2:] = [tr("KV cache per token, inside the windows"), tr("beyond them")]
        stages.append(cache.beyond)
    rows = [
        (
            p,
            sized(weight_bytes(found, p).base),
            *(show(Quantity(e * BYTES[p], unit("byte/token"))).text for e in stages),
        )
        for p in BYTES
    ]
    if found.stored:
        rows.append((tr("as published").in_(lang), sized(found.stored.total.quantity.base)))
    return [tuple(t.in_(lang) for t in heads), *rows]


def request_rows(found: Model, contexts: Sequence[int]) -> Rows:
    """The cache of one request at 2 bytes an element: as a function of T, and at contexts."""
    kv = growth(found).json(contexts)
    name = tr("KV cache of a request, state included, 2-byte elements")
    rows = [(name, kv["expression"].replace("*", "·") + " byte"), *cache_rows(kv)]
    if kv["state_bytes_as_declared"]:
        rows.append((tr("constant state of a request"), sized(kv["state_bytes_as_declared"])))
    return rows


def model_record(found: Model, contexts: Sequence[int] = CONTEXTS) -> dict[str, Any]:
    """One model as JSON: its figures, then the keys of a config's record that follow from them."""
    made = weights(found)
    return {
        "id": found.id,
        "name": found.name.json(),
        "native": found.native,
        "tied_embeddings": found.tied_embeddings,
        "values": {n: record(v) for n, v in {**found.values, **found.structure}.items()},
        "embedding": record(found.embedding) if found.embedding else None,
        "stored_bytes": record(found.stored.total) if found.stored else None,
        "bytes": {
            p: {
                "weights": int(q)
                if (q := weight_bytes(found, p).value).denominator == 1
                else float(q),
                "kv_per_token": int(k)
                if (k := kv_bytes(found, p).value).denominator == 1
                else float(k),
            }
            for p in BYTES
        },
        **made,
        "kv": growth(found).json(contexts),
        "absent": absent(made),
        "notes": [n.json() for n in found.notes],
    }


def dump(value: Any) -> str:
    """JSON for people and programs."""
    return json.dumps(value, ensure_ascii=False, indent=1)
