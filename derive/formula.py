"""What a formula is: one declaration, checked for units when it is made, kept in the catalogue."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache

from derive.errors import DeriveError, Place, Problem
from derive.expression.dimension import dimension
from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.expression.tree import Measure, Name, Node, names, walk
from derive.notation import CONSTANTS, known
from derive.switches import by_layout, by_switches
from derive.text import Text, tr
from derive.units import Dimension, Quantity, Unit, unit


@dataclass(frozen=True)
class Example:
    """A worked example: inputs as an engineer writes them, and the value that must come out."""

    given: Mapping[str, str]
    result: str


@dataclass(frozen=True)
class Condition:
    """A comparison `left < right` (or <=, >, >=) under which a formula holds or exists."""

    text: str
    meaning: Text

    @cached_property
    def parts(self) -> tuple[Node, str, Node]:
        """Left side, sign, right side."""
        for sign in ("<=", ">=", "<", ">"):
            left, found, right = self.text.partition(sign)
            if found:
                return parse(left), sign, parse(right)
        raise ValueError(self.text)


@dataclass(frozen=True)
class Formula:
    """A declared quantity.

    Exactly one of `tree`, `of`, `limit`, `solve`, `largest`, `smallest` says how it comes about;
    the last four are found by algebra and never typed in.
    """

    id: str
    latex: str
    unit: Unit
    section: str
    name: Text
    reason: Text
    example: Example
    sources: tuple[str, ...]
    calibre: str = "peak"
    text: str = ""
    tree: Node | None = None
    of: str = ""
    at: Mapping[str, Node] = field(default_factory=dict)
    limit: tuple[str, str] | None = None
    solve: tuple[Node, Node, str] | None = None
    largest: tuple[str, str, str] | None = None
    smallest: tuple[str, str, str] | None = None
    closed: str = ""
    dense: bool = False  # for a dense model (N_act = N) the parameter count cancels: shown as steps
    valid: tuple[Condition, ...] = ()
    exists: Condition | None = None
    otherwise: Condition | None = None  # where this holds, its meaning says why there is no value
    reading: Text | None = None
    held: tuple[str, ...] = ()  # formulas that algebra does not open here
    instead_of: str = ""  # the formula that this one stands for where the model needs it
    needed: bool = False  # what a target needs: stated of a scenario that does not fit, too
    switch: str = ""  # an input that must be given too: the switch of a scenario that asks for it

    @property
    def within(self) -> tuple[str, str, str] | None:
        """What stays within which target, and the symbol whose last whole value is asked for."""
        return self.largest or self.smallest

    @property
    def uses(self) -> tuple[str, ...]:
        """Ids that the declaration names, its switch first: it is what is missed first."""
        return tuple(dict.fromkeys([self.switch, *self.named])) if self.switch else self.named

    @property
    def named(self) -> tuple[str, ...]:
        """Ids that the declaration names."""
        if self.tree is not None:
            return tuple(names(self.tree))
        if self.of:
            inside = [i for n in self.at.values() for i in names(n)]
            return (self.of, *self.at, *inside)
        if self.limit:
            return self.limit
        if self.within:
            return self.within
        left, right, variable = self.solve or (Name(""), Name(""), "")
        return tuple(dict.fromkeys([*names(left), *names(right), variable, *self.at]))


CATALOGUE: dict[str, Formula] = {}
PLAIN: dict[str, Formula] = {}  # the same without variants, whatever stands in at the moment
VARIANTS: dict[str, Formula] = {}
# an input that tells the kind of model -> the variants that it calls for
SPREAD = ("W_dev_experts", "W_read_dev_experts", "W_pre_experts")
PARTS = (
    "W_experts",
    "t_prefill_experts",
    "TTFT_experts",
    "TTFT_burst_experts",
    "b_mix_experts",
    *SPREAD,
)
EXPERTS = ("E", ("W_parts", *PARTS))
TOWERS = ("N_side", ("W_tower",))
BOTH = ("W_parts_tower", *PARTS)
# where layers have experts in two numbers, these stand in instead
TWO_NUMBERS = {"W_experts": ("W_experts_two", "W_prefill_two", "W_hit_two"),
               "W_pre_experts": ("W_pre_two",),
               "TTFT_burst_experts": ("TTFT_burst_two",)}  # fmt: skip
STATE = ("b_crit_state", "T_wall_state")
STATE_ONE = {"": "I_decode_1_state", "E": "I_decode_1_state_experts", "E2": "I_decode_1_state_two"}
UNREAD = {False: ("W_stream_parts", "share_embedding_parts"),
          True: ("W_stream_experts", "share_embedding_experts")}  # fmt: skip
READ = ("KV_total_sparse", "Q_step_sparse", "I_wall_att_sparse", "I_att_sparse")
# what a model keeps of the context: the first of these whose inputs are all given decides
KEPT = (
    ("e_pick e_cmp", (*READ, "kappa_compressed", "KV_reserved_compressed", "KV_read_compressed",
                      "F_att_compressed_sparse", "share_att_prefill_compressed_sparse",
                      "F_att_whole_compressed_sparse", "KV_write_compressed",
                      "T_cross_sparse", "MBU_meas_compressed")),
    ("e_again", (*READ, "kappa_window", "F_att_window", "share_att_prefill_window",
                 "KV_reserved_window", "KV_read_again", "T_cross_sparse", "MBU_meas_again",
                 "F_att_whole_window", "KV_write_window", "share_kv_window_again")),
    ("e_pick", ("kappa_flat", "KV_total_sparse", "Q_step_sparse", "F_att_sparse",
               "I_wall_att_sparse", "share_att_prefill_sparse", "I_att_sparse", "T_cross_sparse",
               "MBU_meas_sparse", "F_att_whole_sparse", "KV_write_flat")),
    ("e_cmp", ("kappa_compressed", "F_att_compressed", "share_att_prefill_compressed",
               "KV_reserved_compressed", "F_att_whole_compressed", "KV_write_compressed")),
    ("e_win2", ("kappa_windows", "F_att_windows", "share_att_prefill_windows",
                "KV_reserved_windows", "F_att_whole_windows", "KV_write_windows",
                "share_kv_window_two")),
    ("e_win", ("kappa_window", "F_att_window", "share_att_prefill_window", "KV_reserved_window",
               "F_att_whole_window", "KV_write_window")),
    ("S_kv", ("kappa_state", "F_att_flat", "share_att_prefill_flat", "KV_reserved_state",
              "F_att_whole_flat", "KV_write_state")),
    ("e_full", ("kappa_flat", "F_att_flat", "share_att_prefill_flat", "F_att_whole_flat",
                "KV_write_flat")),
)  # fmt: skip
# how devices share: where they are several, and where they do not share all evenly
GROUP = {False: ("t_over_group", "t_over_pre_group"), True: ("t_over_group", "t_over_pre_experts")}
LINKS = {(False, True): "t_link_waits", (True, False): "t_link_experts",
         (True, True): "t_link_experts_waits"}  # fmt: skip
LAYOUT = ("t_step_layout", "t_step_eff_layout", "M_free_layout", "tokens_max_layout",
          "b_max_layout", "b_max_reserved_layout", "g_min_layout", "g_fit_layout")  # fmt: skip
# stages and groups bring a micro-batch of whole requests to a pass, and to a copy of the experts
BATCH = ("t_step_batch", "t_step_eff_batch", "KV_dev_batch", "t_ops_batch", "Q_more_dev_batch",
         "t_ring_batch", "t_a2a_batch", "t_send_batch")  # fmt: skip
HIT = ("E_hit_layout", "W_read_dev_layout", "W_laid_experts")
# on which side of the ridge a layout decodes; with experts some read otherwise
WALL = ("I_decode_laid", "I_decode_1_laid", "I_decode_inf_laid", "I_wall_att_laid",
        "I_wall_mat_laid", "I_att_laid", "P_attain_laid", "b_crit_laid", "b_crit_T_laid",
        "b_crit_att_laid", "b_crit_mat_laid")  # fmt: skip
MOVED = ("bytes_per_token_laid", "MBU_meas_laid", "T_cross_laid")
# what devices move in a step, and its parts, where stages or groups read weights again
LAID = {"Q_step": "Q_laid", "W_read": "W_laid", "KV_total": "KV_laid"}
_standing: list[tuple[str, ...]] = [()]


def active() -> tuple[str, ...]:
    """The variants that stand in at the moment; a part of every key of what is remembered."""
    return _standing[-1]


def called_for(given: Mapping[str, Fraction] | Container[str]) -> tuple[str, ...]:
    """The variants that stand in where these inputs are given: by what is read, kept and shared.

    How devices share follows from values, which a bare list of ids does not have.
    """
    catalogue()  # the variants are there once it is read
    kinds = tuple(tells for tells, _ in (EXPERTS, TOWERS) if tells in given)
    read = {("E",): EXPERTS[1], ("N_side",): TOWERS[1], ("E", "N_side"): BOTH}.get(kinds, ())
    if "E2" in given:
        read = tuple(new for name in read for new in TWO_NUMBERS.get(name, (name,)))
    kept = next((v for tells, v in KEPT if all(name in given for name in tells.split())), ())
    several = "E2" if "E2" in given else "E" if "E" in given else ""
    others: list[tuple[str, ...]] = []
    others += [(*STATE, STATE_ONE[several])] if "S_kv" in given else []
    others += [UNREAD["N_fix" in given]] if "s_idle" in given else []
    others += [shared_by(given)] if isinstance(given, Mapping) else []
    shared = tuple(v for variants in others for v in variants)
    if HIT[0] in shared:
        read = tuple(v for v in read if v != "W_read_dev_experts")
    kinds = (*read, *kept, *shared)
    if not isinstance(given, Mapping):
        return decided((by_switches(given), kinds))
    apart = shared_by(given) != () and uneven(given)
    apart = apart and given["g"] > 1
    laid_out = by_layout(given, uneven=apart)
    walls = walled(given) if apart else ()
    switched = by_switches(given)
    if apart:  # copies do not shrink with devices: what TPOT needs is searched
        switched = tuple(v for v in switched if v != "g_tpot_draft")
    return decided((laid_out, walls, switched, kinds))


def decided(groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Of variants for one formula those of the first group that has any."""
    made, taken = list[str](), set[str]()
    for group in groups:
        made += [v for v in group if VARIANTS[v].instead_of not in taken]
        taken |= {VARIANTS[v].instead_of for v in group}
    return tuple(sorted(made))


def shared_by(given: Mapping[str, Fraction]) -> tuple[str, ...]:
    """The variants that a replica calls for by its devices: how many, and how they share."""
    if not {"g", "PP", "DP", "EP"} <= given.keys():
        return ()
    experts, waits = "E" in given, "t_hop" in given
    heads = () if "e_full" not in given else ("kappa_dev_even",)
    if "g_tp" in given:
        heads = ("kappa_dev_latent",)
    elif heads and "H_kv" in given:
        heads = ("kappa_dev_state" if given.get("S_kv") else "kappa_dev_kinds",)
    if given["g"] <= 1:
        return heads
    links = ((LINKS[experts, waits],) if experts or waits else ()) + (
        ("t_wait_experts",) if experts else ()
    )
    if "L_draft" in given:
        links += ("t_draft_over_waits" if waits else "t_draft_over_group",)
    apart = any(given[name] > 1 for name in ("PP", "DP"))
    if apart:
        links += (*HIT, *(("E_hit2_layout",) if "E2" in given else ())) if experts else ()
    laid = tuple(v for v in LAYOUT if not (apart and f"{v.removesuffix('_layout')}_batch" in BATCH))
    batch: tuple[str, ...] = BATCH if apart else ()
    if "e_pick" in given or "e_again" in given:
        batch = tuple(f"{v}_sparse" if v == "KV_dev_batch" else v for v in batch)
    return (*heads, *GROUP[experts], *links, *(laid if uneven(given) else ()), *batch)


def moved(name: str, given: Container[str]) -> str:
    """The id that tells what all devices move in a step, for one that counts every byte once."""
    return LAID.get(name, name) if "N_mb" in given else name


def walled(given: Mapping[str, Fraction]) -> tuple[str, ...]:
    """The variants of the wall where devices read copies or weights again."""
    several = "_two" if "E2" in given else "_experts" if "E" in given else ""
    made = [f"{v}{several}" if v == "I_decode_1_laid" else v for v in WALL]
    if "S_kv" in given:
        made = [v for v in made if not v.startswith(("I_decode_1_laid", "b_crit_laid"))]
        made.append("b_crit_state_laid")
    if "N_mb" in given:
        made += MOVED
    if "alpha" in given:
        made = [f"{v}_spec" if v == "bytes_per_token_laid" else v for v in made]
        made = [v for v in made if v != "MBU_meas_laid"]
        made = [v for v in made if v != "bytes_per_token_laid_spec" or "N_draft" not in given]
    return tuple(made)


def uneven(given: Mapping[str, Fraction]) -> bool:
    """Whether the devices hold or read copies: stages, groups, or more devices than KV heads."""
    if any(given[name] > 1 for name in ("PP", "DP", "EP")):
        return True
    return "g_tp" not in given and "H_kv" in given and given["g"] > given["H_kv"]


@contextmanager
def standing_in(variants: Iterable[str]) -> Iterator[None]:
    """While it lasts these variants, and no others, stand for the formulas they are made for."""
    chosen = tuple(sorted(variants))
    others = {VARIANTS[name].instead_of for name in active()}
    instead = {name: PLAIN[name] for name in others} | declared_as(chosen)
    before = {name: CATALOGUE[name] for name in instead}
    CATALOGUE.update(instead)
    _standing.append(chosen)
    try:
        yield
    finally:
        _standing.pop()
        CATALOGUE.update(before)


@lru_cache(maxsize=256)
def declared_as(chosen: tuple[str, ...]) -> dict[str, Formula]:
    """The declarations of the formulas that variants stand for, in the words of the plain ones."""
    made = {}
    for name in chosen:
        found = VARIANTS[name]
        own = PLAIN[found.instead_of]
        made[own.id] = replace(
            found, id=own.id, latex=own.latex, section=own.section, calibre=own.calibre,
            reading=found.reading or own.reading, exists=found.exists or own.exists, valid=(),
            otherwise=found.otherwise or own.otherwise,
        )  # fmt: skip
    return made


def declaration(name: str, variants: Iterable[str]) -> Formula:
    """A formula as it is declared where these variants stand in, whatever does at the moment."""
    return next((v for i in variants if (v := VARIANTS[i]).instead_of == name), PLAIN[name])


def dimension_of(name: str) -> Dimension:
    """The dimension of a symbol, constant or formula."""
    return unit_of(name).dimension


def unit_of(name: str) -> Unit:
    """The contract unit of a symbol, constant or formula."""
    if name in CATALOGUE:
        return CATALOGUE[name].unit
    if name in known():
        return known()[name].unit
    raise DeriveError(Problem("E102", tr("unknown symbol {name}", name=name)))


def letters(name: str) -> str:
    """The LaTeX of a symbol, constant or formula."""
    return CATALOGUE[name].latex if name in CATALOGUE else known()[name].latex


def formula(
    id: str,  # noqa: A002  the contract calls it id
    latex: str,
    units: str,
    *,
    section: str,
    name: tuple[str, str],
    reason: tuple[str, str],
    example: tuple[Mapping[str, str], str],
    sources: Sequence[str],
    is_: str = "",
    of: str = "",
    at: Mapping[str, str] | None = None,
    limit: tuple[str, str] | None = None,
    solve: tuple[str, str, str] | None = None,
    largest: tuple[str, str, str] | None = None,
    smallest: tuple[str, str, str] | None = None,
    closed: str = "",
    dense: bool = False,
    calibre: str = "peak",
    valid: Sequence[tuple[str, tuple[str, str]]] = (),
    exists: tuple[str, tuple[str, str]] | None = None,
    otherwise: tuple[str, tuple[str, str]] | None = None,
    reading: tuple[str, str] | None = None,
    held: Sequence[str] = (),
    instead_of: str = "",
    needed: bool = False,
    switch: str = "",
) -> Formula:
    """Declare a formula; DeriveError where its units disagree or a symbol is unknown."""
    place = Place(key=id)
    if id in CATALOGUE or id in VARIANTS or id in known():
        raise DeriveError(Problem("E103", tr("{name} is declared twice", name=id), place))
    made = Formula(
        id=id,
        latex=latex,
        unit=unit(units),
        section=section,
        name=Text(*name),
        reason=Text(*reason),
        example=Example(*example),
        sources=tuple(sources),
        calibre=calibre,
        text=is_,
        tree=parse(is_, place) if is_ else None,
        of=of,
        at={k: fixed_value(k, v) for k, v in (at or {}).items()},
        limit=limit,
        solve=(parse(solve[0]), parse(solve[1]), solve[2]) if solve else None,
        largest=largest,
        smallest=smallest,
        closed=closed,
        dense=dense,
        valid=tuple(Condition(t, Text(*m)) for t, m in valid),
        exists=Condition(exists[0], Text(*exists[1])) if exists else None,
        otherwise=Condition(otherwise[0], Text(*otherwise[1])) if otherwise else None,
        reading=Text(*reading) if reading else None,
        held=tuple(held),
        instead_of=instead_of,
        needed=needed,
        switch=switch,
    )
    check_units(made, place)
    if instead_of:
        if made.unit.dimension != dimension_of(instead_of):
            what = tr("{name} measures something else than {other}", name=id, other=instead_of)
            raise DeriveError(Problem("E104", what, place))
        VARIANTS[id] = made
    else:
        CATALOGUE[id] = PLAIN[id] = made
    return made


def fixed_value(name: str, text: str) -> Node:
    """What a symbol is fixed at: another symbol, or nought in the symbol's own unit."""
    node = parse(text)
    return Measure(Quantity(Fraction(0), unit_of(name))) if text == "0" else node


def check_units(made: Formula, place: Place) -> None:
    """Refuse a formula whose two sides, terms or declared unit disagree."""
    found = declared = made.unit.dimension
    if made.tree is not None:
        found = dimension(made.tree, dimension_of, made.text, place)
    elif made.of:
        found = dimension_of(made.of)
    elif made.limit:
        found = dimension_of(made.limit[0])
    elif made.solve or made.within:
        if made.solve:
            left, right, variable = made.solve
        else:
            of, target, variable = made.within or ("", "", "")
            left, right = Name(of), Name(target)
        sides = [dimension(s, dimension_of, "", place) for s in (left, right)]
        found = dimension_of(variable) if sides[0] == sides[1] else sides[0] / sides[1]
    if found != declared:
        raise DeriveError(
            Problem(
                "E104",
                tr(
                    "{name} is declared in {unit}, but its expression is something else",
                    name=made.id,
                    unit=made.unit.text or "1",
                ),
                place,
                (made.text,) if made.text else (),
                ((made.id, declared.text), (made.text, found.text)),
            )
        )
    for used in made.uses:
        unit_of(used)
    for condition in (*made.valid, *(c for c in (made.exists, made.otherwise) if c)):
        left, _, right = condition.parts
        if dimension(left, dimension_of) != dimension(right, dimension_of):
            raise DeriveError(
                Problem(
                    "E104",
                    tr("{name}: a condition compares two dimensions", name=made.id),
                    place,
                    (condition.text,),
                )
            )


def never_meets(made: Formula) -> Text:
    """Why an equation has no solution above zero, and what may be changed."""
    assert made.solve
    left, right, variable = made.solve
    others = [n for n in made.uses if n != variable and n not in CONSTANTS]
    return tr(
        "{left} = {right} at no {symbol} above zero: one side is larger whatever {symbol} is; "
        "change one of {inputs}",
        left=plain(left), right=plain(right), symbol=variable, inputs=", ".join(others),
    )  # fmt: skip


def stays_apart(made: Formula, last: str, *, above: bool) -> Text:
    """Why a search finds no meeting of the two sides of an equation."""
    assert made.solve
    left, right, variable = made.solve
    parts = {"left": plain(left), "right": plain(right), "symbol": variable, "last": last}
    if above:
        return tr("{left} is at or above {right} for every {symbol} from 1 to {last}", **parts)
    return tr("{left} is below {right} for every {symbol} from 1 to {last}", **parts)


@cache
def catalogue() -> Mapping[str, Formula]:
    """Every formula of the `formulas` folder, in the order of declaration."""
    from derive import formulas

    for module in sorted(m.name for m in pkgutil.iter_modules(formulas.__path__)):
        importlib.import_module(f"derive.formulas.{module}")
    return CATALOGUE


def bare_digits(node: Node) -> list[Node]:
    """Pure numbers that stand in a formula: each needs a reason to be bare."""
    from derive.expression.tree import Number

    return [part for part in walk(node) if isinstance(part, Number)]
