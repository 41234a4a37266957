"""Loading specs by name or path: hardware, models, calibrations, scenarios, sources."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from derive.errors import DeriveError, Place, Problem, printable
from derive.specs import hardware as hardware_file
from derive.specs import model as model_file
from derive.specs import scenario as scenario_file
from derive.specs import sets as settings_of
from derive.specs.document import checked, read_file
from derive.specs.faults import Faults, excerpt
from derive.specs.lookup import files, find, is_path, spec_roots
from derive.specs.nodes import Document, Scalar, Table, fault
from derive.specs.reader import Reader
from derive.specs.types import Calibration, Hardware, Model, Scenario, Source
from derive.specs.words import KIND_NAMES
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    ReadConfig = Callable[[Path], Model]

    from derive.specs.nodes import Node
    from derive.specs.sets import Setting

Built = TypeVar("Built")
TELLING = {"layers": "model", "memory": "hardware", "MFU": "calibration", "workload": "scenario"}


def names(kind: str, roots: Sequence[Path] | None = None) -> list[str]:
    """Ids of every spec of a kind: hardware, model, calibration or scenario."""
    return [p.stem for p in files(kind, spec_roots() if roots is None else roots)]


def hardware(name: str, roots: Sequence[Path] | None = None, base: Path | None = None) -> Hardware:
    """An accelerator by id or alias, or where `base` is given by a path relative to it."""
    return _by_name("hardware", Scalar(name, Place()), _roots(roots), hardware_file.build, base)


def model(name: str, roots: Sequence[Path] | None = None, base: Path | None = None) -> Model:
    """A model by id or alias, or where `base` is given by a path relative to it."""
    return _by_name("model", Scalar(name, Place()), _roots(roots), model_file.build_model, base)


def calibration(name: str, roots: Sequence[Path] | None = None) -> Calibration:
    """A calibration by id."""
    return _by_name(
        "calibration", Scalar(name, Place()), _roots(roots), model_file.build_calibration
    )


def scenario(
    name_or_path: str,
    roots: Sequence[Path] | None = None,
    sets: Sequence[Setting] = (),
    symbols: Mapping[str, str] | None = None,
    config: ReadConfig | None = None,
) -> Scenario:
    """A scenario by name or path, with `NAME=VALUE` settings laid over it.

    `symbols` maps the ids that may be set to their contract units; the notation's where not given.
    """
    where = _roots(roots)
    by_path = is_path(name_or_path) or _is_file(name_or_path)
    path = Path(name_or_path) if by_path else find("scenario", name_or_path, where)
    _only_yaml(str(path), Place())
    document = read_file(path)
    _check_kind("scenario", document)
    if not by_path:
        _check_id("scenario", document, path)
    return _scenario(document, document.root, path.parent, where, sets, symbols, config)


def ad_hoc(
    *,
    model: str,
    hardware: str,
    devices: str | int,
    batch: str | int,
    input: str | int,  # noqa: A002  # the name of the option
    output: str | int,
    sets: Sequence[Setting] = (),
    roots: Sequence[Path] | None = None,
    symbols: Mapping[str, str] | None = None,
    config: ReadConfig | None = None,
    **more: str,
) -> Scenario:
    """A scenario without a file; `more` are dotted keys with `__` for the dot."""

    def node(option: str, text: str | int) -> Scalar:
        return Scalar(str(text), Place(key=f"--{option}"))

    entries: dict[str, Node] = {
        "scenario": node("scenario", "ad-hoc"),
        "model": node("model", model),
        "hardware": node("hardware", hardware),
        "devices": node("devices", devices),
    }
    load: dict[str, Node] = {
        "requests": node("batch", batch),
        "input": node("input", input),
        "output": node("output", output),
    }
    root = Table({**entries, "workload": Table(load, Place())}, Place())
    for key, text in more.items():
        path = key.split("__")
        root = settings_of.with_key(root, path, node(path[-1].replace("_", "-"), text))
    document = Document(root, "", ())
    made = _scenario(document, root, Path(), _roots(roots), sets, symbols, config)
    number = made.devices.quantity.value
    return replace(made, id=f"{made.model.id}-on-{number}x-{made.hardware.id}")


def sources(roots: Sequence[Path] | None = None) -> dict[str, Source]:
    """Every entry of the sources.yaml files of the roots."""
    stamps: list[tuple[str, int]] = []
    for root in _roots(roots):
        path = root / "sources.yaml"
        if path.is_file():
            stamps.append((str(path), path.stat().st_mtime_ns))
    return _sources(tuple(stamps))


@lru_cache(maxsize=8)
def _sources(stamps: tuple[tuple[str, int], ...]) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for path, _ in stamps:
        document = checked(read_file(Path(path)))
        for key, entry in document.root.entries.items():
            texts = entry.entries if isinstance(entry, Table) else {}
            plain = {k: v.text for k, v in texts.items() if isinstance(v, Scalar)}
            allowed = {"title", "publisher", "date", "url"}
            if not plain.get("title") or len(plain) != len(texts) or set(plain) - allowed:
                what = tr("source {key} needs title, and may have publisher, date and url", key=key)
                place = document.root.place_of(key)
                shown = excerpt(document.lines, place, key)
                raise DeriveError(Problem("S409", what, place, shown))
            found[key] = Source(key, **plain)
    return found


def _roots(roots: Sequence[Path] | None) -> tuple[Path, ...]:
    return spec_roots() if roots is None else tuple(roots)


def _by_name(
    kind: str,
    node: Scalar,
    roots: tuple[Path, ...],
    build: Callable[[Document, Reader], Built | None],
    base: Path | None = None,
) -> Built:
    """A spec by name, or where `base` is given by a path relative to it."""
    by_path = base is not None and is_path(node.text)
    if base is not None and by_path:
        _only_yaml(node.text, node.place)
        path = base / node.text
    else:
        path = find(kind, node.text, roots, node.place)
    document = read_file(path, node.place if by_path and node.place.file else None)
    _check_kind(kind, document)
    if not by_path:
        _check_id("id", document, path)
    faults = Faults()
    faults.knows(document)
    built = build(document, Reader(faults, lambda: sources(roots)))
    faults.raise_any()
    assert built is not None
    return built


def _model(node: Scalar, roots: tuple[Path, ...], base: Path, config: ReadConfig | None) -> Model:
    """The model that a scenario names: a spec, or where a reader is given a model's config."""
    path = base / node.text
    if config and is_path(node.text) and (node.text.endswith((".json", ".gguf")) or path.is_dir()):
        return config(path)
    return _by_name("model", node, roots, model_file.build_model, base)


def _only_yaml(text: str, place: Place) -> None:
    """Refuse what is no spec file by its name."""
    if not text.endswith((".yaml", ".yml")):
        what = tr("{path} is no spec file: its name must end in .yaml", path=printable(text, 80))
        raise fault("S404", what, place)


def _is_file(text: str) -> bool:
    """Whether a word without a slash is the name of a file here: its suffix will be refused."""
    try:
        return "." in text and Path(text).is_file()
    except (OSError, ValueError):
        return False


def _check_id(key: str, document: Document, path: Path) -> None:
    """Refuse a file of a spec directory that calls itself by another name than it is found by."""
    stands = document.root.entries.get(key)
    if isinstance(stands, Scalar) and stands.text != path.stem:
        told, name = printable(stands.text, 60), printable(path.stem, 60)
        what = tr("{key} {told} is not the name of its file, {name}", key=key, told=told, name=name)
        shown = excerpt(document.lines, stands.place, stands.text)
        raise DeriveError(Problem("S211", what, stands.place, shown))


def _check_kind(kind: str, document: Document) -> None:
    """Refuse a file of another kind with one sentence instead of a list of unknown keys."""
    told = next((k for key, k in TELLING.items() if key in document.root.entries), kind)
    if "scenario" in document.root.entries:
        told = "scenario"
    if told != kind:
        is_now, should = KIND_NAMES[told], KIND_NAMES[kind]
        what = tr("this is a {told} file, not a {kind} file", told=is_now, kind=should)
        raise fault("S408", what, Place(document.file, 1))


def _scenario(
    document: Document,
    root: Table,
    base: Path,
    roots: tuple[Path, ...],
    sets: Sequence[Setting],
    symbols: Mapping[str, str] | None,
    config: ReadConfig | None = None,
) -> Scenario:
    """Settings, references and checks of one scenario; every fault in one error."""
    faults = Faults()
    faults.knows(document)
    units = symbols if symbols is not None else (_notation() if sets else {})
    settings = settings_of.apply(root, sets, units, faults)
    outside = settings_of.read_symbols(settings.symbols, units, faults)
    resolve = scenario_file.Resolve(
        model=lambda node: _model(node, roots, base, config),
        hardware=lambda node: _by_name("hardware", node, roots, hardware_file.build, base),
        calibration=lambda node: _by_name(
            "calibration", node, roots, model_file.build_calibration, base
        ),
    )
    reader = Reader(faults, lambda: sources(roots))
    built = scenario_file.build(settings, reader, resolve, outside)
    faults.raise_any()
    assert built is not None
    return built


def _notation() -> dict[str, str]:
    """Ids and contract units of the notation's symbols."""
    from derive.notation import SYMBOLS

    return {symbol.id: symbol.unit.text for symbol in SYMBOLS.values()}
