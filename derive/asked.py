"""What a command line asks for: a scenario with its changes, and what is said of it on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from derive.errors import DeriveError, Place, Problem
from derive.options import PARTS, say
from derive.text import Text, tr


def units_of_symbols() -> dict[str, str]:
    """The contract unit of everything that can be set."""
    from derive.formula import catalogue
    from derive.notation import SYMBOLS

    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    return symbols | {i: f.unit.text for i, f in catalogue().items()}


def load_scenario(
    name: str | None,
    options: dict[str, Any],
    changes: Sequence[str] = (),
    by: str = "--with",
) -> Any:
    """The scenario that the arguments describe, `changes` of an option laid over it."""
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study.results import is_known

    symbols = units_of_symbols()
    roots = spec_roots(options["specs_dirs"])
    parts = {k: options[k] for k in PARTS if options[k] is not None}
    sets = [(f"--{k}", f"{PARTS[k]}={v}") for k, v in parts.items()]
    sets += [("--set", s) for s in options["sets"]] + [(by, c) for c in changes]
    if name is None:
        lacking = ", ".join(f"--{k}" for k in PARTS if k not in parts)
        if lacking:
            raise no_scenario(lacking, roots)
        return load.ad_hoc(
            roots=roots, sets=sets[len(parts) :], symbols=symbols, config=read_config, **parts
        )
    try:
        return load.scenario(name, roots, sets=sets, symbols=symbols, config=read_config)
    except DeriveError as error:
        first = error.problems[0]
        if first.code == "S401" and first.place == Place() and is_known(name):
            raise symbol_first(name) from None
        raise


def read_config(path: Path) -> Any:
    """The model of a config.json, derived; what that needs is loaded only then."""
    from derive.architecture.model_spec import model_of

    return model_of(path)


def no_scenario(lacking: str, roots: Sequence[Path]) -> DeriveError:
    """Neither a scenario nor all that stands for one."""
    from derive.specs import load

    rows = tuple((name,) for name in load.names("scenario", roots))
    hint = tr("or give {options}", options=lacking)
    return DeriveError(Problem("C107", tr("no SCENARIO is named; there are"), rows=rows, hint=hint))


def symbol_first(name: str) -> DeriveError:
    """A symbol stands where a scenario is expected."""
    explains = click.get_current_context().command.name == "explain"
    usual = f"derive explain {name} SCENARIO" if explains else f"derive eval SCENARIO {name}"
    what = tr("{name} is a symbol, not a scenario", name=name)
    return DeriveError(Problem("C108", what, hint=tr("write {first}", first=usual)))


def asked(
    scenario: str | None, options: dict[str, Any], audited: bool = False,
    measurements: Sequence[str] = (),
) -> list[str]:  # fmt: skip
    """The words that ask for the document on the command line, to be said in it."""
    words = [scenario] if scenario else []
    for key in PARTS:
        words += [f"--{key}", str(options[key])] if options[key] is not None else []
    for setting in options["sets"]:
        words += ["--set", setting]
    for folder in options["specs_dirs"]:
        words += ["--specs", folder]
    for file in measurements:
        words += ["--measured", file]
    return [*words, "--audit"] if audited else words


def taken(loaded: Any) -> dict[str, Text]:
    """What nobody named, by key: formats, the width of a state; and what a format stands for."""
    from derive.study.bind import weights_said

    by_hand = {"weights": "w", "kv_cache": "w_kv"}
    made = {
        f"precision.{key}": text
        for key, text in loaded.chosen.items()
        if by_hand.get(key) not in loaded.overrides
    }
    if told := weights_said(loaded):
        given = made.get("precision.weights")
        made["precision.weights"] = tr("{said}; {bytes}", said=given, bytes=told) if given else told
    if loaded.model.state_width and "S_kv" not in loaded.overrides:
        made["S_kv"] = loaded.model.state_width
    return made


def caution(scenarios: Sequence[Any]) -> None:
    """On stderr: where a model's own files contradict each other, each once."""
    for text in dict.fromkeys(text for one in scenarios for text in one.model.cautions):
        say(tr("caution: {text}", text=text))


def caution_layouts(scenarios: Sequence[Any]) -> None:
    """On stderr: layouts that engines refuse or that part layers unevenly, each once."""
    from derive.study.layouts import layout_cautions

    for text in dict.fromkeys(text for one in scenarios for text in layout_cautions(one)):
        say(tr("caution: {text}", text=text))


def tell(loaded: Any) -> None:
    """On stderr: what was taken, and what speaks against the model's files or the layout."""
    for key, text in taken(loaded).items():
        say(Text(f"{key}: {text.en}", f"{key}：{text.zh}"))
    caution([loaded])
    caution_layouts([loaded])
