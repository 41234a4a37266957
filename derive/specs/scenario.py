"""A scenario file to a Scenario: references resolved, defaults stated, the peak found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, printable
from derive.specs import switches
from derive.specs.fields import Field
from derive.specs.lengths import Lengths
from derive.specs.model import DENSE_MODEL, NOT_EXPERTS, check_model
from derive.specs.model import SYMBOLS as MODEL_KEYS
from derive.specs.nodes import Scalar, Table
from derive.specs.precision import SCALED
from derive.specs.scenario_fields import SCENARIO
from derive.specs.sets import FROM_OUTSIDE, HARDWARE_KEYS
from derive.specs.types import Calibration, Hardware, Model, Scenario, Triple, Value
from derive.text import Text, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from derive.errors import Place
    from derive.specs.reader import Reader
    from derive.specs.sets import Settings

WIDE = ("bf16", "fp16", "fp32")  # formats in which weights of any format can be multiplied
DEFAULT_CALIBRATION = "public-2023"
OWNED = {*MODEL_KEYS, *HARDWARE_KEYS}  # symbols that a model or hardware record holds itself
# symbol id -> (table, key) of the file
SYMBOLS = {
    "b": ("workload", "requests"),
    "T_in": ("workload", "input"),
    "T_out": ("workload", "output"),
    "T": ("workload", "context"),
    "arrival": ("workload", "arrival"),
    "M_frac": ("memory", "fraction"),
    "M_other": ("memory", "other"),
    "T_block": ("memory", "block"),
    "PP": ("parallel", "PP"),
    "DP": ("parallel", "DP"),
    "EP": ("parallel", "EP"),
    "b_pre": ("workload", "prompts"),
    "k_draft": ("speculation", "draft"),
    "alpha": ("speculation", "acceptance"),
    "hit": ("prefix_cache", "hit"),
    "T_chunk": ("", "chunk"),
    "g_pre": ("disaggregation", "prefill_devices"),
    "B_pd": ("disaggregation", "link"),
    "price": ("", "price"),
    "headroom": ("", "headroom"),
    "PUE": ("", "pue"),
}
DEFAULTS = {  # symbol id -> text, value, unit, statement
    "M_frac": (
        "0.90", Fraction(9, 10), "",
        Text("memory.fraction is not given: 0.90, the default of vLLM",
             "未给出 memory.fraction：取 0.90，即 vLLM 的默认值"),
    ),
    "M_other": (
        "0 byte/device", Fraction(0), "byte/device",
        Text("memory.other is not given: 0, which means not measured",
             "未给出 memory.other：取 0，表示未测"),
    ),
    "headroom": (
        "0.70", Fraction(7, 10), "",
        Text("headroom is not given: 0.70", "未给出 headroom：取 0.70"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Resolve:
    """How a scenario finds what it refers to; each raises DeriveError."""

    model: Callable[[Scalar], Model]
    hardware: Callable[[Scalar], Hardware]
    calibration: Callable[[Scalar], Calibration]


def build(
    settings: Settings, reader: Reader, resolve: Resolve, outside: Mapping[str, Value]
) -> Scenario | None:
    """The scenario with everything it refers to; None where a fault was noted."""
    root = settings.root
    read = reader.table(root, SCENARIO)
    model = found(read.get("model"), resolve.model, reader)
    hardware = found(read.get("hardware"), resolve.hardware, reader)
    assumed: list[Text] = []
    ranges, calibration = calibrated(read, settings, reader, resolve, assumed)
    draft = switches.drafts(read.get("speculation", {}), reader, resolve.model)
    switches.check(read, reader)
    if reader.faults.found or model is None or hardware is None:
        return None
    assert ranges is not None
    precision, chosen = formats(read.get("precision", {}), model, hardware, outside)
    assumed += chosen.values()
    model = with_model(model, outside)
    hardware = with_hardware(hardware, precision, outside)
    check_model(dict(model.values), model.embedding, reader)
    if "N_fix" in model.structure and model.structure["N_fix"].quantity.base <= 0:
        what = tr("{small} is above {large}", small="expert_parameters", large="parameters")
        reader.faults.add("S308", what, outside["N"].place if "N" in outside else root.place)
    check_peak(hardware, precision, root, reader)
    check_parallel(read, model, reader)
    if reader.faults.found:
        return None
    devices: Value = read["devices"]
    return Scenario(
        id=read["scenario"],
        title=read.get("title") or default_title(model, hardware, devices),
        model=model,
        hardware=hardware,
        devices=devices,
        precision=precision,
        values=values_of(read, root.place, assumed),
        MFU=ranges["MFU"],
        MBU=ranges["MBU"],
        launch=ranges.get("launch"),
        slo=read.get("slo", {}),
        date=read.get("date"),
        place=root.place,
        overrides={k: v for k, v in outside.items() if k not in OWNED},
        calibration=calibration,
        assumed=tuple(assumed),
        notes=read.get("notes", ()),
        chosen=chosen,
        parallel={key: value.text for key, value in read.get("parallel", {}).items()},
        draft=draft,
    )


def check_parallel(read: Mapping[str, Any], model: Model, reader: Reader) -> None:
    """Check that stages, groups and the devices that share a layer make up the replica."""
    given: dict[str, Value] = read.get("parallel", {})
    devices: Value | None = read.get("devices")
    if not given or devices is None:
        return
    sizes = {name: int(value.quantity.value) for name, value in given.items()}
    g, stages, groups = int(devices.quantity.value), sizes.get("PP", 1), sizes.get("DP", 1)
    shared = sizes.get("TP", g // (stages * groups))
    place = next(iter(given.values())).place
    rows = (("devices", devices.text), *((name, value.text) for name, value in given.items()))
    parts = {"TP": shared, "PP": stages, "DP": groups, "g": g}
    layers = int(model.values["L"].quantity.base)
    if shared * stages * groups != g:
        what = (
            tr("TP · PP · DP = {TP} · {PP} · {DP} is not the {g} devices of the replica", **parts)
            if "TP" in sizes
            else tr("{g} devices are no multiple of PP · DP = {PP} · {DP}", **parts)
        )
        reader.faults.add("S310", what, place, completing(sizes, g, layers), rows)
        return
    if stages > layers:
        what = tr(
            "PP = {PP}: {model} has {n} layers to part", PP=stages, model=model.name, n=layers
        )
        reader.faults.add("S310", what, given["PP"].place)
    ranks, spread = shared * groups, sizes.get("EP", 1)
    if spread > 1 and "E" not in model.structure:
        what = tr("EP: {model} has no routed experts to spread", model=model.name)
        reader.faults.add("S310", what, given["EP"].place)
    elif spread > 1 and spread > (experts := int(model.structure["E"].quantity.base)):
        what = tr(
            "EP = {EP}: {model} has {n} experts a layer", EP=spread, model=model.name, n=experts
        )
        reader.faults.add("S310", what, given["EP"].place)
    elif ranks % spread:
        what = tr("EP = {EP} does not divide TP · DP = {ranks}", EP=spread, ranks=ranks)
        hint = tr("experts are spread over ranks that exist")
        reader.faults.add("S310", what, given["EP"].place, hint, rows)


def completing(sizes: Mapping[str, int], g: int, layers: int) -> Text:
    """What makes a layout up to its devices: the size that is not given, else so many devices."""
    product = prod(sizes.get(name, 1) for name in ("TP", "PP", "DP"))
    rest, left = divmod(g, product)
    open_ones = [
        f"{name} = {rest}"
        for name in ("PP", "DP")
        if name not in sizes and not (name == "PP" and rest > layers)
    ]
    if left or not open_ones or "TP" not in sizes:
        fitting = product * max(1, -(-g // product)) if "TP" not in sizes else product
        return tr(
            "g = TP · PP · DP: these sizes fit devices = {g}; expert parallelism adds no devices",
            g=fitting,
        )
    if len(open_ones) == 1:
        return tr("{first} completes the {g} devices", first=open_ones[0], g=g)
    one, two = open_ones
    return tr("{first} or {second} completes the {g} devices", first=one, second=two, g=g)


def found(node: Scalar | None, resolve: Callable[[Scalar], Any], reader: Reader) -> Any:
    """What a reference names, its problems added to ours."""
    if node is None:
        return None
    try:
        return resolve(node)
    except DeriveError as error:
        reader.faults.adopt(error, node.place, node.text)
        return None


def calibrated(
    read: dict[str, Any],
    settings: Settings,
    reader: Reader,
    resolve: Resolve,
    assumed: list[Text],
) -> tuple[dict[str, Triple] | None, Calibration | None]:
    """The two ranges: inline, of a named calibration, or the default one, which is stated."""
    given = read.get("calibration")
    calibration: Calibration | None = None
    ranges: dict[str, Any] = {}
    if isinstance(given, dict):
        sources = given.get("source", ())
        ranges = {
            name: tuple(replace(v, sources=v.sources or sources) for v in triple)
            for name, triple in given.items()
            if name != "source" and triple is not None
        }
    elif "calibration" not in settings.root.entries or isinstance(given, Scalar):
        if given is None:
            given = Scalar(DEFAULT_CALIBRATION, settings.root.place)
            assumed.append(
                Text(
                    f"calibration is not given: {DEFAULT_CALIBRATION}",
                    f"未给出 calibration：取 {DEFAULT_CALIBRATION}",
                )
            )
        calibration = found(given, resolve.calibration, reader)
        if calibration:
            ranges = {"MFU": calibration.MFU, "MBU": calibration.MBU}
            ranges |= {"launch": calibration.launch} if calibration.launch else {}
    for name, node in settings.ranges.items():
        field = Field(name, "triple", Text(name, name), most=1)
        if triple := reader.read_triple(node, field, ()):
            ranges[name] = tuple(replace(v, how=FROM_OUTSIDE) for v in triple)
    if not {"MFU", "MBU"} <= ranges.keys():
        return None, calibration
    if "launch" not in ranges:
        usual = found(Scalar(DEFAULT_CALIBRATION, settings.root.place), resolve.calibration, reader)
        ranges |= {"launch": usual.launch} if usual and usual.launch else {}
    return ranges, calibration


def formats(
    given: dict[str, str], model: Model, hardware: Hardware, outside: Mapping[str, Value]
) -> tuple[dict[str, str], dict[str, Text]]:
    """Number formats, and by key what is said of those that are not given."""
    said: dict[str, Text] = {}
    weights = given.get("weights", model.published)
    if "weights" not in given:
        said["weights"] = tr("not given: {format}, as published", format=weights)
    basis = given.get("sparsity", "dense")
    if "sparsity" not in given:
        said["sparsity"] = tr("not given: dense")
    # quantized weights say nothing of the cache
    plain = "bf16" if model.native in SCALED else model.native
    cache = given.get("kv_cache", model.cache or plain)
    if "kv_cache" not in given:
        said["kv_cache"] = (
            tr("not given: {format}, which the model's config declares", format=cache)
            if model.cache
            else tr("not given: {format}, as published", format=cache)
        )
    own, why = own_compute(model, weights)
    if "compute" not in given:
        stated = [p for p, bases in hardware.peak.items() if basis in bases]
        wide = next((p for p in WIDE if p in stated), "")
        if own not in stated and wide and "P_peak" not in outside:
            why = tr(
                "not given: {format}, since {hardware} states no {own} peak; weights are widened "
                "before they are multiplied",
                format=wide, hardware=hardware.name, own=own,
            )  # fmt: skip
            own = wide
        said["compute"] = why
    compute = given.get("compute", own)
    made = {"weights": weights, "kv_cache": cache, "compute": compute, "sparsity": basis}
    return made, said


def own_compute(model: Model, weights: str) -> tuple[str, Text]:
    """The format in which a model's products are taken, and why."""
    if weights != model.published and weights in WIDE:
        return weights, tr("not given: {format}, the format of the weights", format=weights)
    own = model.compute or model.native
    if own in WIDE and own != model.published and weights == model.published:
        return own, tr(
            "not given: {format}; the recipe leaves activations as they are, so {weights} weights "
            "are widened before they are multiplied",
            format=own, weights=weights,
        )  # fmt: skip
    if own != model.published and weights == model.published:
        return own, tr("not given: {format}, in which the recipe quantizes activations", format=own)
    return own, tr("not given: {format}, as published", format=own)


def values_of(read: dict[str, Any], place: Place, assumed: list[Text]) -> dict[str, Value]:
    """Values by symbol id, the defaults stated."""
    values: dict[str, Value] = {}
    for symbol, (table, key) in SYMBOLS.items():
        value = (read.get(table, {}) if table else read).get(key)
        if value is None and symbol in DEFAULTS:
            text, number, units, statement = DEFAULTS[symbol]
            value = Value(Quantity(number, unit(units)), text, place, how=statement)
            assumed.append(statement)
        if value is not None:
            values[symbol] = value
    return values | of_lengths(read["workload"]) | means(values)


def means(values: Mapping[str, Any]) -> dict[str, Value]:
    """The means of lengths that are given as quantiles."""
    return {name: found.mean for name, found in values.items() if isinstance(found, Lengths)}


def of_lengths(workload: Mapping[str, Any]) -> dict[str, Value]:
    """What follows from lengths given as quantiles: the longest of them, and how they spread."""
    given = {key: workload[key] for key in ("input", "output") if key in workload}
    if not any(isinstance(found, Lengths) for found in given.values()):
        return {}
    longest = {k: f.longest if isinstance(f, Lengths) else f for k, f in given.items()}
    made = {"T_in_tail": longest["input"]}
    total = longest["input"].quantity.base + longest["output"].quantity.base
    how = tr("the longest input and the longest output given")
    made["T_tail"] = replace(
        longest["input"], quantity=Quantity(total, unit("token/request")),
        text=f"{total} token/request", how=how,
    )  # fmt: skip
    if isinstance(given["input"], Lengths):
        made["C2_in"] = given["input"].spread
    return made


def with_model(model: Model, outside: Mapping[str, Value]) -> Model:
    """The model with its own symbols as set; N alone sets N_act of a dense model too."""
    values = dict(model.values)
    dense = values["N_act"].how == DENSE_MODEL
    values |= {k: v for k, v in outside.items() if k in values}
    if "N" in outside and "N_act" not in outside and dense:
        values["N_act"] = outside["N"]
    table = model.embedding
    if "N" in outside and table and table.quantity.base > outside["N"].quantity.base:
        table = None  # the input table of another size of model says nothing about this one
    structure = dict(model.structure)
    if "N" in outside and "N_fix" in structure:  # the experts and towers stay as they are
        apart = (structure[n].quantity.base for n in ("N_exp", "N_side") if n in structure)
        rest = outside["N"].quantity.base - sum(apart, Fraction(0))
        fixed = replace(structure["N_fix"], quantity=Quantity(rest, unit("param")))
        structure["N_fix"] = replace(fixed, text=f"{rest} param", how=NOT_EXPERTS)
    return replace(model, values=values, structure=structure, embedding=table)


def with_hardware(
    hardware: Hardware, precision: Mapping[str, str], outside: Mapping[str, Value]
) -> Hardware:
    """The hardware with its own symbols as set."""
    changes: dict[str, Any] = {}
    for symbol, name in (
        ("B_peak", "bandwidth"),
        ("M_dev", "driver_visible"),
        ("B_link", "link_per_direction"),
        ("TDP", "power"),
    ):
        if symbol in outside:
            changes[name] = outside[symbol]
    if "P_peak" in outside:
        compute, basis = precision["compute"], precision["sparsity"]
        of_precision = {**hardware.peak.get(compute, {}), basis: outside["P_peak"]}
        changes["peak"] = {**hardware.peak, compute: of_precision}
    return replace(hardware, **changes)


def check_peak(
    hardware: Hardware, precision: Mapping[str, str], root: Table, reader: Reader
) -> None:
    """Check that the hardware states a peak for the scenario's format and basis."""
    compute, basis = precision["compute"], precision["sparsity"]
    if basis in hardware.peak.get(compute, {}):
        return
    said = root.entries.get("precision")
    stated = said.entries if isinstance(said, Table) else {}
    key, mark = ("sparsity", basis) if compute in hardware.peak else ("compute", compute)
    place = root.place_of("hardware")
    hint = None if hardware.peak else tr("this hardware states no peak at all: set P_peak")
    if key in stated:
        place = stated[key].place
    else:  # the format is that of the published weights
        mark = "hardware"
        hint = hint or tr("precision.{key} is not given: say which", key=key)
    what = tr(
        "{hardware} has no {precision} peak ({basis})",
        hardware=hardware.id, precision=compute, basis=basis,
    )  # fmt: skip
    rows = tuple(
        (name, *(f"{kind} {printable(value.text, 40)}" for kind, value in bases.items()))
        for name, bases in hardware.peak.items()
    )
    reader.faults.add("S406", what, place, hint, rows, mark)


def default_title(model: Model, hardware: Hardware, devices: Value) -> Text:
    """What the document is called where the scenario does not say."""
    number = devices.quantity.value
    return Text(
        f"{model.name.en} on {number} × {hardware.name.en}",
        f"{model.name.zh}，{number} × {hardware.name.zh}",
    )
