"""An architecture as the model of a scenario: its counts as the symbols of the formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from derive.architecture.kv import ELEMENT, Group, groups
from derive.architecture.record import Architecture, read
from derive.architecture.totals import ASIDE, count
from derive.errors import DeriveError, Place, Problem
from derive.specs.precision import bytes_per
from derive.specs.types import Model, Stored, Value
from derive.text import Text, same, tr
from derive.units import Quantity, unit

HOW = Text("derived from the model's config", "由模型配置推导")


def model_of(path: str | Path) -> Model:
    """The model of a config file or folder; DeriveError where a scenario cannot use it yet."""
    return as_model(read(path), Path(path))


def as_model(found: Architecture, path: Path) -> Model:
    """The symbols of an architecture, each a count that `derive model` derives."""
    place = Place(file=path.name)
    refuse_unsupported(found, place)
    passed_by = found.totals.text_only
    found = for_text(found)
    totals = found.totals
    passed_by -= totals.text_only
    values = {
        "N": param(totals.total_unique, place),
        "N_act": active(found, place),
        "N_mat": param(totals.matmul_sum, place),
        **shape(found, place),
    }
    return Model(
        id=identifier(path),
        name=same(identifier(path)),
        aliases=(),
        values=values,
        embedding=param(totals.table, place) if not totals.tied and totals.table else None,
        head=param(totals.head, place) if totals.head else None,
        vocab=None,
        tied_embeddings=totals.tied,
        native=native(found),
        context=value(found.kept.position, "token/request", place) if found.kept.position else None,
        notes=(*found.of_the_file(), *remarks(found, passed_by)),
        place=place,
        structure=structure(found, place),
        latent=any(g.cache.kind.startswith("mla") or g.compressed for g in found.kept.groups),
        stored=stored(found, place),
        stored_as=mostly(found),
        unread=unread(found, place),
        compute=compute(found),
        cache=found.kept.declared.partition(" ")[0],
        cautions=tuple(c.text for c in found.checks if not c.agrees),
        state_width=state_width(found),
    )


def for_text(found: Architecture) -> Architecture:
    """The same as a request of text meets it: layers that attend to an image stand aside."""
    if not found.kept.cross:
        return found
    placed = [
        replace(one, role="image") if any(c.cross != "0" for c in one.layer.caches) else one
        for one in found.model.placed
    ]
    model = replace(found.model, placed=placed)
    kept = replace(found.kept, groups=groups(model))
    return replace(found, model=model, totals=count(model), kept=kept)


def remarks(found: Architecture, passed_by: int) -> Iterator[Text]:
    """What a scenario leaves out, and where its formulas give an upper figure; why."""
    sparse = picked(found)
    for top in tops(found.kept.groups):
        yield (
            tr(
                "sparse attention over compressed entries: a decode step reads and attends to the "
                "{top} entries that the indexer picks at most, and scores the indexer's key of "
                "each; memory holds all entries",
                top=top,
            )
            if sparse and rates_of(found)
            else tr(
                "sparse attention: a decode step reads and attends to the {top} tokens that the "
                "indexer picks at most, and scores the indexer's keys of all; memory holds every "
                "token",
                top=top,
            )
            if sparse
            else tr(
                "sparse attention: an indexer picks {top} entries for each token; scenarios count "
                "the reading of all and the attention to all, an upper figure beyond that context",
                top=top,
            )
        )
    if any(g.cache.chunked for g in bounded(found)):
        yield tr(
            "chunked attention: a layer is counted with the most that it keeps, a whole chunk; on "
            "average it holds half of one"
        )
    if passed_by:
        yield tr(
            "requests are of text alone: they skip the cross-attention layers, which attend to "
            "images. Their {count} parameters take memory, but are not counted in the bytes and "
            "operations of a step; they hold no KV cache, and L counts the other layers",
            count=f"{passed_by:,}",
        )
    tower = found.totals.total_unique - found.totals.text_only - passed_by
    if tower:
        yield tr(
            "{tower} parameters of towers for images or sound take memory, but are not counted in "
            "the bytes and operations of a step: requests are of text",
            tower=f"{tower:,}",
        )


def identifier(path: Path) -> str:
    """The file's name, or its folder's where the file is called config.json."""
    whole = path.resolve()
    name = (
        whole.stem
        if whole.is_file() and whole.name != "config.json"
        else (whole.parent.name if whole.is_file() else whole.name)
    )
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in name.lower())
    return kept.strip("-.") or "model"


def value(number: int | Fraction, units: str, place: Place) -> Value:
    """A derived count with its unit."""
    quantity = Quantity(Fraction(number), unit(units))
    return Value(quantity, f"{quantity.value} {units}".strip(), place, how=HOW)


def param(number: int, place: Place) -> Value:
    """A parameter count."""
    return value(number, "param", place)


LOOKED_UP = Text(
    "derived from the model's config; tables of per-layer embeddings are left out: a token looks "
    "up one row of each, which no product uses",
    "由模型配置推导；不计逐层嵌入表：每个 token 只查其中一行，不参与任何矩阵乘",
)


WITH_LAYERS = Text(
    "derived from the model's config: towers, and the cross-attention layers, which a request of "
    "text skips",
    "由模型配置推导：含图像塔与交叉注意力层，纯文本请求会跳过后者",
)


def active(found: Architecture, place: Place) -> Value:
    """Parameters that work on a token; tables for single layers are lookups and work on none."""
    totals = found.totals
    made = param(totals.active_per_token - totals.per_layer_tables, place)
    return replace(made, how=LOOKED_UP) if totals.per_layer_tables else made


def refuse_unsupported(found: Architecture, place: Place) -> None:
    """What `derive model` derives but the formulas of a scenario do not hold yet."""
    windows = {g.window for g in bounded(found)}
    problems = []
    rates = rates_of(found)
    if len(windows) > 2 or len(rates) > 2:
        problems.append(
            tr(
                "more than two lengths of windows or rates of compression are not supported in a "
                "scenario"
            )
        )
    if again(found) and len(windows) > 1:
        problems.append(
            tr("a cache that layers share beside several windows is not supported in a scenario")
        )
    if rates and (len(windows) > 1 or found.kept.state()):
        problems.append(
            tr("a compressed cache beside several windows or states is not supported in a scenario")
        )
    if len(experts(found)) > 2:
        problems.append(
            tr(
                "layers with more than two numbers of experts, or of experts per token, are not "
                "supported in a scenario"
            )
        )
    if problems:
        raise DeriveError([Problem("M301", what, place) for what in problems])


def bounded(found: Architecture) -> list[Group]:
    """The groups of layers whose window is shorter than the longest context."""
    return [g for g in found.kept.groups if g.bites(found.kept.position)]


def experts(found: Architecture) -> list[tuple[int, int, int]]:
    """Experts and experts per token of the layers that have some, each pair once; parameters."""
    made: dict[tuple[int, int], int] = {}
    for placed in found.model.placed:
        numbers = {name: symbol.value for name, symbol in placed.layer.values}
        sizes = [placed.layer.count(t.count) for t in placed.layer.tensors
                 if t.kind == "routed_expert"]  # fmt: skip
        if sizes:
            pair = numbers["E"], numbers["k"]
            made[pair] = made.get(pair, 0) + placed.stored * sum(sizes)
    return [(*pair, made[pair]) for pair in sorted(made, reverse=True)]


def expert_layers(found: Architecture) -> int:
    """Layers with routed experts that a token of text passes."""
    return sum(
        placed.used
        for placed in found.model.placed
        if any(tensor.kind == "routed_expert" for tensor in placed.layer.tensors)
    )


def named(found: Architecture, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The values that symbols take in the layers of the text, each once."""
    for name in names:
        seen = {
            symbol.value
            for placed in found.model.placed
            if placed.role == "text"
            for known, symbol in placed.layer.values
            if known == name
        }
        if len(seen) == 1:
            yield name, seen.pop()


UNITS = {"d_model": "element/token", "d_head": "element/token", "H_q": "", "H_kv": ""}


def shape(found: Architecture, place: Place) -> dict[str, Value]:
    """Layers, hidden size and heads, where every layer agrees on them."""
    layers = sum(p.used for p in found.model.placed if p.role == "text" and p.indices)
    rows = {name: value(number, UNITS[name], place) for name, number in named(found, tuple(UNITS))}
    return {"L": value(layers, "", place), **rows}


def uniform(found: Architecture, values: dict[str, Value]) -> bool:
    """Whether the plain formulas say it all: one kind of attention in every layer, no experts."""
    plain = all(name in values for name in ("H_q", "H_kv", "d_head", "L"))
    if not plain or experts(found) or again(found):
        return False
    v = {name: values[name].quantity.value for name in ("L", "H_kv", "d_head")}
    kept = found.kept
    return (
        not bounded(found)
        and not kept.state()
        and kept.unbounded == 2 * v["L"] * v["H_kv"] * v["d_head"] * ELEMENT
    )


def structure(found: Architecture, place: Place) -> dict[str, Value]:
    """What is not uniform: experts, cache elements and attention by kind of layer."""
    made: dict[str, Value] = {}
    totals = found.totals
    for suffix, (number, top, size) in zip(("", "2"), experts(found), strict=False):
        routed = totals.by_kind["routed_expert"] if not suffix else size
        made |= {
            f"E{suffix}": value(number, "", place),
            f"k_exp{suffix}": value(top, "", place),
            f"N_exp{suffix}": param(routed, place),
        }
    if made:
        made["L_exp"] = value(expert_layers(found), "", place)
        rest = totals.text_only - totals.by_kind["routed_expert"]
        made["N_fix"] = param(rest, place)
    plain = not made and uniform(found, shape(found, place))
    if tower := totals.total_unique - totals.text_only:
        made["N_side"] = param(tower, place)
        if any(one.role == "image" for one in found.model.placed):
            made["N_side"] = replace(made["N_side"], how=WITH_LAYERS)
    return made if plain else {**made, **cache(found, place)}


Pieces = dict[str, tuple[int | Fraction, str]]
ELEMENTS, ATTENTION = "element/token", "FLOP*request/token^2"


def cache(found: Architecture, place: Place) -> dict[str, Value]:
    """Elements and attention operations: without a window, with one, compressed."""
    kept = found.kept
    made = unlimited(found)
    rates = rates_of(found)
    shared = again(found)
    if bounded(found) or rates or shared:
        made |= windows(found)
    if rates:
        made |= compressed(found)
    elif bounded(found) or kept.state() or shared:
        made["S_kv"] = kept.state(), "byte/request"
    made |= shared
    rows = {name: value(number, units, place) for name, (number, units) in made.items()}
    if width := state_width(found):
        rows["S_kv"] = replace(rows["S_kv"], how=width)
    return rows


def again(found: Architecture) -> Pieces:
    """Elements of shared caches: held once, read by every layer that works on them."""
    limited = bounded(found)
    sums = [
        sum(g.layers * g.number(g.cache.again) for g in found.kept.groups if (g in limited) == side)
        for side in (False, True)
    ]
    if not any(sums):
        return {}
    return {"e_again": (sums[0], ELEMENTS), "e_again_win": (sums[1], ELEMENTS)}


def unlimited(found: Architecture) -> Pieces:
    """Layers and indexers that keep every token."""
    limited = bounded(found)
    free = [g for g in found.kept.groups if g not in limited]
    sparse = [g for g in picked(found) if not g.compressed]
    dense = [g for g in free if g not in sparse]
    elements = sum(per_token(g) for g in free)
    elements += sum(g.layers * g.number(g.cache.index) for g in found.kept.groups)
    scores = sum(g.layers * g.number(g.cache.scores) for g in sparse)
    made: Pieces = {
        "e_full": (elements, ELEMENTS),
        "a_full": (scores + sum(absorbed(g) for g in dense), ATTENTION),
        "a_pre": (scores + sum(g.layers * g.flops for g in dense), ATTENTION),
    }
    if sparse:
        made |= {
            "e_pick": (sum(per_token(g) for g in sparse), ELEMENTS),
            "T_pick": (tops(sparse)[0], "token/request"),
            "a_pick": (sum(absorbed(g) for g in sparse), ATTENTION),
        }
    return made


def absorbed(group: Group) -> int:
    """Attention operations in all layers of a group, in the absorbed form where there is one."""
    return group.layers * group.number(group.cache.absorbed or group.cache.flops)


def tops(groups: list[Group]) -> list[int]:
    """How many tokens the indexers of some groups pick, each number once."""
    return sorted({g.number(g.cache.topk) for g in groups if g.cache.topk})


def picked(found: Architecture) -> list[Group]:
    """The groups of which a step reads only what an indexer picks, where formulas hold them."""
    kept, rates = found.kept, rates_of(found)
    sparse = [g for g in kept.groups if g.cache.topk]
    if len(tops(sparse)) != 1:
        return []
    if rates:  # entries at the first of the rates, each of one picked width and one of keys
        good = all(len(g.compressed) == 2 and g.compressed[0][0] == rates[0] for g in sparse)
        return sparse if good and not again(found) else []
    return sparse if not bounded(found) and not kept.state() else []


def windows(found: Architecture) -> Pieces:
    """Layers with a window, those of another length apart; a window of one where there is none."""
    made: Pieces = {}
    limited = bounded(found)
    lengths = sorted({g.window or 1 for g in limited}) or [1]
    for suffix, length in zip(("", "2"), lengths, strict=False):
        here = [g for g in limited if g.window == length]
        made |= {
            f"e_win{suffix}": (sum(per_token(g) for g in here), ELEMENTS),
            f"T_win{suffix}": (length, "token/request"),
            f"a_win{suffix}": (sum(g.layers * g.flops for g in here), ATTENTION),
        }
    return made


def state_width(found: Architecture) -> Text | None:
    """In which width the recurrent state is counted, by what, and what the other would be."""
    kept = found.kept
    if not kept.recurrent_elements:
        return None
    sizes = {2: kept.state(2), 4: kept.state(4)}
    here, other = kept.recurrent, 6 - kept.recurrent
    parts = {"here": here, "bytes": f"{sizes[here]:,}", "other": other,
             "else_bytes": f"{sizes[other]:,}"}  # fmt: skip
    if kept.state_declared:
        return tr(
            "{here}-byte recurrent elements, as the config declares: {bytes} byte/request; "
            "{other}-byte ones would be {else_bytes}",
            **parts,
        )
    return tr(
        "{here}-byte recurrent elements, as the config declares no width: {bytes} byte/request; "
        "{other}-byte ones would be {else_bytes}",
        **parts,
    )


def mostly(found: Architecture) -> str:
    """The format of most bytes of a file that lists its tensors."""
    rows = found.listed.by_format if found.listed else {}
    return max(rows, key=lambda name: int(str(rows[name]["bytes"])), default="")


def compressed(found: Architecture) -> Pieces:
    """Entries that stand for several tokens, by their rate; nought where there is no second."""
    made: Pieces = {}
    rates, sparse = rates_of(found), picked(found)
    if sparse:  # the first width of an entry is what attention reads, the second the indexer's key
        first = [Fraction(g.layers * g.compressed[0][1], rates[0] * ELEMENT) for g in sparse]
        made |= {
            "e_pick": (sum(first, Fraction(0)), ELEMENTS),
            "T_pick": (tops(sparse)[0] * rates[0], "token/request"),
            "a_pick": (Fraction(sum(g.layers * g.flops for g in sparse), rates[0]), ATTENTION),
        }
    for suffix, rate in zip(("", "2"), (rates * 2)[:2], strict=False):
        elements = operations = Fraction(0)
        if suffix == "" or len(rates) > 1:
            for g in found.kept.groups:
                widths = [width for tokens, width in g.compressed if tokens == rate]
                elements += Fraction(g.layers * sum(widths), rate * ELEMENT)
                each = g.number(g.cache.scores) if g in sparse else g.flops
                operations += Fraction(g.layers * each, rate) if widths else 0
        made |= {
            f"e_cmp{suffix}": (elements, ELEMENTS),
            f"T_cmp{suffix}": (rate, "token/request"),
            f"a_cmp{suffix}": (operations, ATTENTION),
        }
    return made


def rates_of(found: Architecture) -> list[int]:
    """Tokens of one compressed entry, each rate once."""
    return sorted({tokens for g in found.kept.groups for tokens, _ in g.compressed})


def per_token(group: Group) -> int:
    """Elements that a token adds in all layers of a group, indexer and compressed entries apart."""
    return group.layers * group.bytes_per_token // ELEMENT


def native(found: Architecture) -> str:
    """The format that the published weights come closest to."""
    main = found.stored.main
    return main.kind if main else "fp32" if found.width == 4 else "bf16"


def compute(found: Architecture) -> str:
    """The format of the products, where it is not that of the weights."""
    main = found.stored.main
    wide = "fp32" if found.width == 4 else "bf16"
    own = (main.compute or wide) if main else wide
    return own if own != native(found) else ""


def stored(found: Architecture, place: Place) -> Stored | None:
    """The bytes of the published weights; None where all are of one format without more."""
    made = found.stored
    routed = made.by_kind.get("routed_expert", 0)
    towers = sum(made.by_kind.get(kind, 0) for kind in ASIDE)
    if not found.listed and made.total == bytes_per(native(found)) * found.totals.total_unique:
        return None
    looked_up = made.total - found.reads()["always"] - routed - towers
    return Stored(
        count=Fraction(found.totals.total_unique),
        total=value(made.total, "byte", place),
        unread=value(looked_up, "byte", place),
        experts=value(routed, "byte", place) if routed else None,
        towers=value(towers, "byte", place) if towers else None,
    )


def unread(found: Architecture, place: Place) -> Value | None:
    """Parameters of tables that are looked up, where that is not just an untied input table."""
    totals = found.totals
    left = sum(totals.by_kind.get(kind, 0) for kind in ("embedding", "embedding_per_layer"))
    left -= totals.head if totals.tied else 0
    plain = 0 if totals.tied else totals.table
    return param(left, place) if left != plain else None
