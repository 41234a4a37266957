"""Binding: the symbols of the formulas get the values of a scenario, each with its provenance."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from derive.derivation.points import Point
from derive.errors import DeriveError, Place, Problem, printable
from derive.expression.tree import Call, names, walk
from derive.formula import Formula, called_for, catalogue, standing_in, unit_of
from derive.notation import CONSTANTS, SYMBOLS
from derive.specs import types
from derive.specs.precision import BYTES, SCALED, SCALES_NOTE, bytes_per
from derive.specs.recipe import in_one_format, published
from derive.study import drafts
from derive.study.inputs import SIDE_BY_SIDE, Input, lacks
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

LAUNCH = "t_launch"


@dataclass(frozen=True)
class Bound:
    """A scenario with every symbol bound; points at each calibre."""

    scenario: types.Scenario
    inputs: Mapping[str, Input]
    calibration: Mapping[str, tuple[Fraction, Fraction, Fraction]]
    derived: tuple[str, ...]

    def point(self, mfu: Fraction, mbu: Fraction, launch: int = 1) -> Point:
        """The values with one choice of MFU and MBU, and of low, typical, high launch floors."""
        given = {i: v.quantity.base for i, v in self.inputs.items()}
        given |= {"MFU": mfu, "MBU": mbu}
        if LAUNCH in self.calibration:
            given[LAUNCH] = self.calibration[LAUNCH][launch]
        return Point(given)

    @property
    def variants(self) -> tuple[str, ...]:
        """The formulas that stand in for the plain ones, by what the model has."""
        return called_for({name: given.quantity.base for name, given in self.inputs.items()})

    @property
    def typical(self) -> Point:
        """The typical calibration: what reachable values are stated at."""
        return self.point(self.calibration["MFU"][1], self.calibration["MBU"][1])

    @property
    def peak(self) -> Point:
        """MFU = MBU = 1; the launch floor is no rate and stays typical, as in the second order."""
        return self.point(Fraction(1), Fraction(1))

    @property
    def corners(self) -> list[Point]:
        """Every combination of the calibration range's ends and middle.

        A lower MBU and a higher launch floor both slow a step: they go together, so that the ends
        of every range are among the corners.
        """
        slow_to_fast = list(enumerate(self.calibration["MBU"]))
        return [
            self.point(mfu, mbu, 2 - level)
            for mfu, (level, mbu) in product(self.calibration["MFU"], slow_to_fast)
        ]


def origin(place: Place | None) -> str:
    """File name and key, without a path of this machine."""
    if place is None:
        return ""
    name = place.file.replace("\\", "/").rsplit("/", 1)[-1]
    return ": ".join(printable(part) for part in (name, place.key) if part)


def from_value(name: str, value: types.Value) -> Input:
    """A spec's value as the input of a symbol."""
    return Input(
        name,
        value.quantity.to(unit_of(name)),
        value.text,
        value.basis,
        value.sources,
        value.how,
        value.printed,
        origin(value.place),
    )


def bind(scenario: types.Scenario) -> Bound:
    """All inputs of a scenario; overrides on top, derived ones said."""
    hardware, model = scenario.hardware, scenario.model
    values: dict[str, types.Value | None] = {
        "P_peak": hardware.peak[scenario.precision["compute"]][scenario.precision["sparsity"]],
        "B_peak": hardware.bandwidth,
        "M_dev": hardware.driver_visible or hardware.marketed,
        "B_link": hardware.link_per_direction,
        "TDP": hardware.power,
        **model.values,
        **model.structure,
        "T_max": model.context,
        "N_emb": model.embedding if model.tied_embeddings is False else None,
        "N_head": model.head,
        "g": scenario.devices,
        **scenario.values,
    }
    inputs = {n: from_value(n, v) for n, v in values.items() if v is not None and n in SYMBOLS}
    for key, name in (("TTFT", "target_TTFT"), ("TPOT", "target_TPOT")):
        if key in scenario.slo:
            inputs[name] = from_value(name, scenario.slo[key])
    inputs |= {i.id: i for i in weights(scenario)}
    if follows := of_total(scenario, inputs):
        inputs["w"] = follows
    inputs |= {i.id: i for i in implied(scenario, inputs) if i.id not in inputs}
    check_counts(scenario)
    derived = []
    for name, value in scenario.overrides.items():
        inputs[name] = from_value(name, value)
        if name in catalogue():
            derived.append(name)
    calibration = {
        "MFU": tuple(v.quantity.base for v in scenario.MFU),
        "MBU": tuple(v.quantity.base for v in scenario.MBU),
    }
    if scenario.launch and LAUNCH not in inputs:
        calibration[LAUNCH] = tuple(v.quantity.base for v in scenario.launch)
    bound = Bound(scenario, inputs, calibration, tuple(derived))  # type: ignore[arg-type]
    check_used(bound)
    return bound


JUDGED = ("T_max", "N_side", "N_mat")  # inputs that findings ask for


def check_used(bound: Bound) -> None:
    """Refuse what was set by hand where no formula of this scenario uses it or it cannot be."""
    overrides, problems = bound.scenario.overrides, []
    if not overrides:
        return
    with standing_in(bound.variants):
        there = [f for f in catalogue().values() if available(f.id, frozenset(bound.inputs))]
    used = {name for f in there for name in f.uses}
    for formula in there:
        used |= {n for c in (formula.exists, *formula.valid) if c for side in c.parts[::2]
                 for n in names(side)}  # fmt: skip
    here = frozenset(bound.inputs) - overrides.keys()
    for name, value in overrides.items():  # a derived one is told by a finding of its own
        if name in used or name in JUDGED or name.endswith("_meas"):
            continue
        uses = catalogue()[name].uses if name in catalogue() else ()
        if missing := [n for n in SIDE_BY_SIDE if n in uses and n not in here]:
            what = tr("{name}: {why}", name=name, why=lacks(missing[0], here))
            problems.append(Problem("S309", what, value.place))
            continue
        if name in catalogue() and not of_parts(name, here):
            continue
        what = tr("{name} is used by no formula of this scenario", name=name)
        problems.append(Problem("S309", what, value.place, hint=known_instead(name, used)))
    problems += both_given(overrides)
    for small, large in (("E_hit", "E"), ("E_hit2", "E2")):
        hit, every = overrides.get(small), bound.inputs.get(large)
        if hit is not None and every is not None and hit.quantity.base > every.quantity.base:
            what = tr("{small} is above {large}", small=small, large=large)
            problems.append(Problem("S308", what, hit.place))
    if problems:
        raise DeriveError(problems)


PARTS = ("r_fix", "r_exp", "r_side", "E", "E2")  # what a model of one kind of layers does not have
LOOKED_UP = "s_idle"


def of_parts(name: str, given: frozenset[str]) -> bool:
    """Whether a formula asks for parts that the model does not have."""
    return any(part in catalogue()[name].uses and part not in given for part in PARTS)


def known_instead(name: str, used: Container[str]) -> Text | None:
    """What the formulas of this scenario use in the place of a symbol: of its unit, or the share."""
    if name == "N_emb" and LOOKED_UP in used:
        return tr("known here: {known}", known=LOOKED_UP)
    units = {*SYMBOLS, *catalogue()}
    same_unit = sorted(n for n in units if n in used and unit_of(n).text == unit_of(name).text)
    known = ", ".join(same_unit) if unit_of(name).text else ""
    return tr("known here: {known}", known=known) if known else None


def both_given(overrides: Mapping[str, types.Value]) -> Iterator[Problem]:
    """The bytes of all weights and those of a part's parameter, which decide each other."""
    for name in ("w_fix", "w_exp", "w_side"):
        if "W" in overrides and name in overrides:
            what = tr("{name} and {other} name one thing: set one of them", name=name, other="W")
            yield Problem("S503", what, overrides[name].place)


def available(name: str, given: frozenset[str]) -> bool:
    """Whether a name has what its formulas need: by declaration, nothing is evaluated."""
    if name in given or name in CONSTANTS or name in ("MFU", "MBU", LAUNCH):
        return True
    found = catalogue().get(name)
    return found is not None and all(
        available(n, given) for n in found.uses if n not in unknowns(found)
    )


def unknowns(formula: Formula) -> tuple[str, ...]:
    """What a formula solves for, which it need not be given."""
    of = formula.solve or formula.within or formula.limit
    return (of[-1],) if of else ()


def rounds(name: str) -> bool:
    """Whether an id is a count that its formula rounds to a whole number."""
    found = catalogue().get(name)
    if found is None:
        return False
    if found.within or found.tree is None:
        return bool(found.within)
    parts = list(walk(found.tree))
    exponents = [n for part in parts if isinstance(part, Call) and part.function == "pow"
                 for n in walk(part.args[1])]  # fmt: skip
    calls = [p for p in parts if isinstance(p, Call) and not any(p is e for e in exponents)]
    return any(call.function in ("floor", "ceil") for call in calls)


def check_counts(scenario: types.Scenario) -> None:
    """Refuse a count set by hand that is no whole number."""
    problems = []
    for name, value in scenario.overrides.items():
        if rounds(name) and value.quantity.to(unit_of(name)).value.denominator != 1:
            text = printable(value.text, 60)
            what = tr("{key}: {text} is not a whole number", key=name, text=text)
            problems.append(Problem("S303", what, value.place))
    if problems:
        raise DeriveError(problems)


def as_published(scenario: types.Scenario) -> bool:
    """Whether the weights are meant with the bytes of the published ones."""
    model = scenario.model
    own = scenario.precision["weights"] == model.published and "w" not in scenario.overrides
    # a plain format that somebody names is meant as such; a quantized one as it was published
    own = own and ("weights" in scenario.chosen or model.published in SCALED)
    return own and model.stored is not None


def weights_said(scenario: types.Scenario) -> Text | None:
    """What a narrow format of the weights stands for: the published mixture, or bytes for each."""
    name = scenario.precision["weights"]
    if "w" in scenario.overrides or (name not in SCALED and not as_published(scenario)):
        return None
    if as_published(scenario):
        mean = show(published(scenario.model)["w"].quantity).text
        return tr(
            "{format} as published, a mixture with its scales: {mean} on average",
            format=name, mean=mean,
        )  # fmt: skip
    size = show(Quantity(bytes_per(name), unit("byte/param"))).text
    return tr("{format} for every parameter alike: {size}, no scales", format=name, size=size)


def of_total(scenario: types.Scenario, inputs: Mapping[str, Input]) -> Input | None:
    """Bytes per parameter that follow where all weight bytes were set by hand."""
    total, count = scenario.overrides.get("W"), inputs.get("N")
    if total is None or count is None or "w" in scenario.overrides:
        return None
    size = total.quantity.base / count.quantity.base
    text = f"{total.quantity.base}/{count.quantity.base} byte/param"
    how = tr("the weight bytes as set, over the parameters")
    return Input("w", Quantity(size, unit("byte/param")), text, how=how)


def weights(scenario: types.Scenario) -> list[Input]:
    """Bytes per parameter: those of the published weights where these are meant, else of a format."""
    model = scenario.model
    parts = published(model) if as_published(scenario) else in_one_format(model)
    basis = (same(model.published),)
    made = [from_value(name, value) for name, value in parts.items()]
    return [replace(i, basis=basis) if i.id == "w" else i for i in made]


def stored(scenario: types.Scenario) -> list[Input]:
    """Bytes of one parameter and of one KV element, by their precision."""
    made = []
    for name, key, units in (("w", "weights", "byte/param"), ("w_kv", "kv_cache", "byte/element")):
        precision = scenario.precision[key]
        if precision not in BYTES:  # what a model's own file calls its mixture
            continue
        size = Quantity(bytes_per(precision), unit(units))
        how = SCALES_NOTE if precision in SCALED else None
        made.append(
            Input(
                name,
                size,
                f"{precision}",
                (same(precision),),
                how=how,
                origin=origin(scenario.place) + f": precision.{key}",
            )
        )
    return made


def implied(scenario: types.Scenario, inputs: Mapping[str, Input]) -> list[Input]:
    """What follows from other inputs by a stated rule."""
    made = [
        *stored(scenario),
        *drafts.inputs(scenario, inputs),
        new_tokens(inputs),
        Input(
            "T_block",
            Quantity(Fraction(16), unit("token/request")),
            "16 token/request",
            sources=("vllm-cache-config",),
            how=tr("block of the KV cache where none is given: the default of vLLM"),
        ),
    ]
    if "N" in inputs:
        made.append(
            Input(
                "N_act",
                inputs["N"].quantity,
                inputs["N"].text,
                sources=inputs["N"].sources,
                how=tr("dense model: every token uses every parameter"),
            )
        )
    made.append(
        Input(
            "w_act",
            Quantity(Fraction(2), unit("byte/element")),
            "2 byte/element",
            how=tr("16-bit activations"),
        )
    )
    made += parallelism(scenario, inputs)
    if "E" in inputs and "L" in inputs:
        made.append(
            replace(
                inputs["L"],
                id="L_exp",
                how=tr("not given: every layer is taken as one with experts"),
            )
        )
    if model_is_tied(scenario):
        made.append(
            Input(
                "N_emb",
                Quantity(Fraction(0), unit("param")),
                "0 param",
                how=tr("the table is shared with the output head, which decode reads"),
            )
        )
    if "arrival" in inputs:
        made.append(
            Input("C2_in", Quantity(Fraction(0), unit("")), "0",
                  how=tr("the input length is given as one value: no spread"))
        )  # fmt: skip
        made.append(
            Input("PUE", Quantity(Fraction(1), unit("")), "1",
                  how=tr("not given: the power of the devices alone"))
        )  # fmt: skip
    if {"T_in", "T_out"} <= set(inputs):
        total = inputs["T_in"].quantity.base + inputs["T_out"].quantity.base
        made.append(
            Input(
                "T",
                Quantity(total, unit("token/request")),
                f"{total} token/request",
                how=tr("input + output: the end of generation"),
            )
        )
    return made


LATENT_HEADS = "H_kv"  # heads of a latent cache, as layouts split them

ONE_EACH = {
    "PP": tr("pipeline parallelism is not given: one stage"),
    "DP": tr("data parallelism is not given: one group"),
    "EP": tr("expert parallelism is not given: experts are split like the other weights"),
}


def parallelism(scenario: types.Scenario, inputs: Mapping[str, Input]) -> Iterator[Input]:
    """How the devices share, where it is not said: all of them share each layer."""
    one = Quantity(Fraction(1), unit(""))
    for name, how in ONE_EACH.items():
        yield Input(name, one, "1", how=how)
    request = Quantity(Fraction(1), unit("request"))
    yield Input("b_pre", request, "1 request", how=tr("one prompt a pass, where not given"))
    apart = [inputs[n].quantity.base for n in ("PP", "DP") if n in inputs]
    several = prod(apart, start=Fraction(1))
    if several > 1:
        how = tr("one in each stage of each group: PP · DP")
        yield Input("N_mb", Quantity(several, unit("")), f"{several}", how=how)
    if several > 1 and "g_pre" not in inputs:
        how = tr("one prompt in each stage of each group: PP · DP")
        yield Input("N_par", Quantity(several, unit("")), f"{several}", how=how)
    if "g" not in inputs or not scenario.model.latent or inputs["g"].quantity.value <= 1:
        return
    if scenario.parallel:  # a layout was named: what it copies is counted
        how = tr(
            "a latent has no heads to split: each device of a stage keeps it whole, like one KV head"
        )
        yield Input(LATENT_HEADS, one, "1", how=how)
        return
    yield Input(
        "g_tp",
        inputs["g"].quantity,
        inputs["g"].text,
        how=tr("tensor parallelism over all devices of the replica"),
    )


def new_tokens(inputs: Mapping[str, Input]) -> Input:
    """The tokens of one request in a decode step: its own, or those that speculation verifies."""
    drafted = inputs.get("k_draft")
    if drafted is None:
        how = tr("the decode step's own token")
    else:
        how = tr("the drafted tokens and the one that verification itself yields")
    number = 1 + (drafted.quantity.base if drafted else Fraction(0))
    return Input(
        "n", Quantity(number, unit("token/request")), f"{number} token/request", how=how
    )  # fmt: skip


def model_is_tied(scenario: types.Scenario) -> bool:
    """Whether input table and output head are one."""
    return scenario.model.tied_embeddings is True
