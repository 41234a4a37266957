"""The ledger against the specs at hand: sources, notes and inputs that no result depends on.

The specs are read anew with the settings that the ledger records. This is the one place where
verification uses code of the study, to bind a scenario; no number is computed with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from derive.errors import DeriveError
from derive.formula import catalogue
from derive.ledger import canonical
from derive.notation import SYMBOLS
from derive.specs.precision import BYTES
from derive.text import Text, tr
from derive.units import unit
from derive.verify.inputs import file_of
from derive.verify.say import quoted
from derive.verify.values import CALIBRES

SET = ("--set: ", "--with: ")  # how a setting is given, in a report and in a comparison
OF_THE_FILE = ("origin", "how", "sources", "printed")
SUFFIX = ".yaml: "
DRAFTS = "speculation.draft_model"
WITHOUT_FILE = {"g": "devices", "b": "batch", "T_in": "input", "T_out": "output"}


def check_specs(record: Mapping[str, Any], roots: Sequence[Path]) -> list[Text] | None:
    """Differences from the specs; None where those of model and accelerator are not at hand."""
    found = compared(record, roots)
    return found if found is None else [*asked_names(record, roots), *found]


def asked_names(record: Mapping[str, Any], roots: Sequence[Path]) -> Iterator[Text]:
    """Model and accelerator as the command line named them, and its date, are the ledger's."""
    from derive.specs import load
    from derive.specs.lookup import NAME, is_path

    scenario = record["scenario"]
    words = scenario.get("asked", [])
    for option, word in pairwise(words):
        key, _, value = word.partition("=") if option == "--set" else (option[2:], "", word)
        key, value = key.strip(), value.strip()
        if key == "date" and value != scenario["date"]:
            yield tr("asked: {word} is not what the ledger holds", word=quoted(word))
        if not option.startswith("--") or key not in ("model", "hardware", DRAFTS):
            continue
        if is_path(value) or not NAME.fullmatch(value):
            continue  # a name in a ledger never opens another file
        try:
            spec: Any = (load.hardware if key == "hardware" else load.model)(value, roots)
            stated = scenario.get("draft", {}).get("model") if key == DRAFTS else None
            holds = spec.id == (stated if key == DRAFTS else scenario[key]["id"])
        except DeriveError:
            holds = False
        if not holds:
            yield tr("asked: {word} is not what the ledger holds", word=quoted(word))


def compared(record: Mapping[str, Any], roots: Sequence[Path]) -> list[Text] | None:
    """What the specs give instead; None where they are not at hand."""
    from derive.specs import load
    from derive.specs.lookup import NAME, is_path

    scenario = record["scenario"]
    ids = {kind: scenario[kind]["id"] for kind in ("model", "hardware")}
    for kind, name in (*ids.items(), ("scenario", scenario["id"])):
        if is_path(name) or not NAME.fullmatch(name):
            return None  # a name in a ledger never opens another file
        if kind in ids and name not in load.names(kind, roots):
            return None
    units = {i: s.unit.text for i, s in SYMBOLS.items()}
    units |= {i: f.unit.text for i, f in catalogue().items()}
    try:
        if scenario.get("files", {}).keys() & ids.keys():
            return None  # model or accelerator is another file than the one of its name here
        for name in ids.values():  # a config.json may be called as a spec is
            if not any(r["origin"].startswith(f"{name}{SUFFIX}") for r in record["inputs"]):
                return None
        if scenario["id"] not in load.names("scenario", roots) or scenario.get("files"):
            return list(parts(record, bare(record, roots, units), load.sources(roots)))
        plain = load.scenario(scenario["id"], roots, symbols=units)
        changed: list[str | tuple[str, str]] = [*replaced(record, plain), *settings(record)]
        loaded = load.scenario(scenario["id"], roots, changed, units) if changed else plain
        return list(whole(record, loaded, load.sources(roots)))
    except DeriveError as error:
        why = error.problems[0].what
        return [tr("the specs at hand do not give this ledger: {why}", why=why)]
    except KeyError:  # its load is not stated
        return None


def bare(record: Mapping[str, Any], roots: Sequence[Path], units: Mapping[str, str]) -> Any:
    """Model and accelerator in a scenario without a file; KeyError where its load is unknown."""
    from derive.specs import load

    scenario = record["scenario"]
    texts = {row["id"]: row["text"] for row in record["inputs"]}
    options = {option: texts[name] for name, option in WITHOUT_FILE.items()}
    named = texts.get("w") in BYTES  # else the weights are those of the model, unnamed
    formats = scenario["precision"].items()
    precision = [f"precision.{k}={v}" for k, v in formats if k != "weights" or named]
    return load.ad_hoc(
        model=scenario["model"]["id"],
        hardware=scenario["hardware"]["id"],
        sets=[
            *precision,
            *(s for s in settings(record) if s[1].partition("=")[0] not in WITHOUT_FILE),
        ],
        roots=roots,
        symbols=units,
        **options,
    )


def replaced(record: Mapping[str, Any], plain: Any) -> list[str]:
    """Other parts than the scenario's own: model, accelerator, formats, date, calibration."""
    from derive.specs.lookup import NAME, is_path
    from derive.study.bind import origin

    scenario = record["scenario"]
    formats = [(k, v) for k, v in scenario["precision"].items() if plain.precision.get(k) != v]
    named = [(key, scenario[key]["id"]) for key in ("model", "hardware")]
    made = [f"precision.{k}={v}" for k, v in formats]
    texts = {row["id"]: row["text"] for row in record["inputs"]}
    if texts.get("w") in BYTES and "weights" in plain.chosen and "weights" not in dict(formats):
        made.append(f"precision.weights={texts['w']}")
    made += [f"{key}={name}" for key, name in named if name != getattr(plain, key).id]
    made += drafting(scenario.get("draft", {}), plain)
    if scenario["date"] and scenario["date"] != plain.date:
        made.append(f"date={scenario['date']}")
    found = record["calibration"]["MFU"]["low"]["origin"]
    name = found.partition(".yaml")[0]
    own = found.startswith(SET) or found == origin(plain.MFU[0].place)
    if not own and NAME.fullmatch(name) and not is_path(name):
        made.append(f"calibration={name}")
    return made


def drafting(draft: Mapping[str, str], plain: Any) -> list[str]:
    """Another draft model than the scenario's own, or another format of its weights."""
    from derive.study.assemble import drafting

    keys = {"model": DRAFTS, "weights": "speculation.weights"}
    own = drafting(plain)
    return [f"{keys[k]}={draft[k]}" for k in keys if k in draft and draft[k] != own.get(k)]


def settings(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the ledger says was set on top of the scenario, by hand or from a measured file.

    Each as the option that set it and NAME=VALUE.
    """
    from derive.specs.sets import KEYS

    texts = {row["id"]: row["text"] for row in record["inputs"]}
    given = {name: ("--set", texts[name]) for name in measured_inputs(record)}
    for row in record["inputs"]:
        if row["origin"].startswith(SET):
            option, name = by_hand(row["origin"])
            given.setdefault(name, (option, row["text"]))
        elif by_option(row):
            given.setdefault(row["id"], ("--set", row["text"]))
    for name, text in record["scenario"].get("parallel", {}).items():
        if name not in texts:  # TP is no input: the others leave it
            given.setdefault(name, ("--set", text))
    for triple in record["calibration"].values():
        low = triple["low"]
        if low["origin"].startswith(SET):
            option, key = by_hand(low["origin"].removesuffix(".low"))
            several = low["origin"].endswith(".low")  # else one value for all three
            three = [triple[k]["text"] for k in CALIBRES]
            given[key] = option, ", ".join(three) if several else low["text"]
    allowed = {*SYMBOLS, *catalogue(), *KEYS.values()}  # never the name of a file
    return [(option, f"{k}={v}") for k, (option, v) in given.items() if k in allowed]


def by_hand(origin: str) -> tuple[str, str]:
    """The option that set a value, and the name by which it did."""
    option, _, name = origin.partition(": ")
    return option, name


def by_option(row: Mapping[str, Any]) -> bool:
    """Whether a load is that of an option of its own, such as --batch."""
    return bool(row["origin"] == f"--{WITHOUT_FILE.get(row['id'], '')}")


def without_place(row: Mapping[str, Any]) -> dict[str, Any]:
    """An input without what says where it is from."""
    return {k: v for k, v in row.items() if k not in OF_THE_FILE}


def measured_inputs(record: Mapping[str, Any]) -> list[str]:
    """Inputs that are the load or a figure of a measured run, as their origin and value say."""
    found: dict[tuple[str, str], set[Fraction]] = {}
    for run in record.get("measured", {}).get("runs", ()):
        said = {row["id"]: (row["exact"], row["unit"]) for row in run.get("taken", ())}
        said |= {n: (v["exact"], v["unit"]) for n, v in run.get("setting", {}).items()}
        for name, (exact, units) in said.items():
            value = Fraction(exact) * unit(units).factor
            found.setdefault((run["file"], name), set()).add(value)
    made = []
    for row in record["inputs"]:
        file, told, _ = row["origin"].partition(": ")
        values = found.get((file, row["id"]), set()) if told else set()
        if Fraction(row["exact"]) * unit(row["unit"]).factor in values:
            made.append(row["id"])
    return made


def differing(name: str, found: object, wanted: object) -> Iterator[Text]:
    """One line where a part of the ledger is not what the specs give."""
    if canonical({name: found}) != canonical({name: wanted}):
        yield tr("{name}: differs from the spec at hand", name=quoted(name))


def fresh_inputs(loaded: Any) -> dict[str, Any]:
    """The inputs that a scenario of the specs binds."""
    from derive.study.assemble import input_record
    from derive.study.bind import bind

    return {i.id: input_record(i) for i in bind(loaded).inputs.values()}


def notes(loaded: Any) -> list[dict[str, str]]:
    """The notes of model and accelerator."""
    return [n.json() for n in (*loaded.model.notes, *loaded.hardware.notes)]


def whole(record: Mapping[str, Any], loaded: Any, sources: Mapping[str, Any]) -> Iterator[Text]:
    """Header, inputs, calibration, notes and sources as a scenario's spec gives them."""
    from derive.study import assemble
    from derive.study.bind import bind

    fresh = fresh_inputs(loaded)
    recorded = {row["id"]: row for row in record["inputs"]}
    from_file = measured_inputs(record)
    for name in dict.fromkeys([*fresh, *recorded]):
        pair: tuple[Any, Any] = recorded.get(name), fresh.get(name)
        if name in from_file and None not in pair:  # the measured section proves where it is from
            pair = without_place(pair[0]), without_place(pair[1])
        elif None not in pair and by_option(pair[0]):  # set as `--set` does, under another name
            pair = pair[0], {**pair[1], "origin": pair[0]["origin"]}
        yield from differing(name, *pair)
    header = assemble.header(loaded)
    recorded_header = {k: v for k, v in record["scenario"].items() if k in header}
    yield from differing("scenario", {**recorded_header, "asked": ()}, {**header, "asked": ()})
    yield from differing("calibration", record["calibration"], assemble.calibration(bind(loaded)))
    yield from differing("notes", record["notes"], notes(loaded))
    yield from differing("sources", record["sources"], assemble.cited(record, sources))


def parts(record: Mapping[str, Any], loaded: Any, sources: Mapping[str, Any]) -> Iterator[Text]:
    """What model and accelerator give, for a scenario that has no spec here."""
    from derive.study import assemble

    files = tuple(f"{record['scenario'][key]['id']}{SUFFIX}" for key in ("model", "hardware"))
    fresh = fresh_inputs(loaded)
    for row in record["inputs"]:
        if row["origin"].startswith(files):
            yield from differing(row["id"], row, fresh.get(row["id"]))
    yield from differing("notes", record["notes"], notes(loaded))
    yield from differing("sources", record["sources"], assemble.cited(record, sources))


def check_origins(record: Mapping[str, Any]) -> Iterator[Text]:
    """Inputs from a file name a file of this scenario, its model or its accelerator."""
    scenario = record["scenario"]
    files = {file_of(scenario, kind) for kind in ("scenario", "model", "hardware")}
    named = set()
    from_runs = measured_inputs(record)
    for row in record["inputs"]:
        if row["id"] in from_runs:
            continue
        file, found, _ = row["origin"].partition(SUFFIX)
        named |= {file} if found else set()
        if found and file not in files:
            yield tr(
                "{name}: is from {file}, no part of this scenario",
                name=quoted(row["id"]),
                file=quoted(file),
            )
    for kind, file in scenario.get("files", {}).items():
        if file not in named:  # a name that explains nothing
            yield tr(
                "{where}: no input is from {file}", where=f"files.{quoted(kind)}", file=quoted(file)
            )
