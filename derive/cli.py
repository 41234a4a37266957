"""The command line: reads arguments, calls one function a command, prints; knows no arithmetic."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from derive import __version__
from derive.errors import DeriveError, Place, Problem, render

FINDINGS, UNUSABLE = 1, 2
LANGUAGE = click.Choice(["zh", "en", "both"])


class Command(click.Command):
    """A command whose user errors become one clear message and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run; never a traceback for a user's mistake."""
        try:
            return super().invoke(ctx)
        except DeriveError as error:
            lang = ctx.params.get("lang") or "en"
            click.echo(render(error, "zh" if lang == "zh" else "en"), err=True)
            ctx.exit(UNUSABLE)


class Group(click.Group):
    """Commands in the order an engineer meets them."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """As declared, not alphabetical."""
        return list(self.commands)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="derive")
def main() -> None:
    """Capacity of LLM inference, derived: every number with a source, every step with a proof."""


def scenario_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A scenario by file or name, or without a file."""
    for option in reversed(
        [
            click.option(
                "--set",
                "sets",
                multiple=True,
                metavar="NAME=VALUE",
                help="Set a symbol or a scenario key.",
            ),
            click.option("--model", help="Model instead of a scenario file."),
            click.option("--hardware", help="Accelerator instead of a scenario file."),
            click.option("--devices", help="Devices of one replica."),
            click.option("--batch", help="Requests in one forward pass."),
            click.option("--input", "input_", help="Input length in token/request."),
            click.option("--output", "output_length", help="Output length in token/request."),
            click.option(
                "--specs",
                "specs_dirs",
                multiple=True,
                metavar="DIR",
                help="Another directory of specs.",
            ),
        ]
    ):
        function = option(function)
    return function


def load_scenario(name: str | None, options: dict[str, Any]) -> Any:
    """The scenario that the arguments describe."""
    from derive.formula import catalogue
    from derive.notation import SYMBOLS
    from derive.specs import load
    from derive.specs.lookup import spec_roots

    symbols = {i: s.unit.text for i, s in SYMBOLS.items()} | {
        i: f.unit.text for i, f in catalogue().items()
    }
    roots = spec_roots(options["specs_dirs"])
    parts = {k: options[k] for k in ("model", "hardware", "devices", "batch")}
    parts |= {"input": options["input_"], "output": options["output_length"]}
    if name is None:
        lacking = [f"--{k}" for k, v in parts.items() if v is None]
        if lacking:
            raise click.UsageError(f"name a SCENARIO, or give {', '.join(lacking)} as well")
        return load.ad_hoc(roots=roots, sets=options["sets"], symbols=symbols, **parts)
    return load.scenario(name, roots, sets=(*ad_hoc_sets(parts), *options["sets"]), symbols=symbols)


def ad_hoc_sets(parts: dict[str, Any]) -> list[str]:
    """`--batch 16` beside a scenario file is the same as `--set workload.requests=16`."""
    keys = {
        "model": "model",
        "hardware": "hardware",
        "devices": "devices",
        "batch": "workload.requests",
        "input": "workload.input",
        "output": "workload.output",
    }
    return [f"{keys[k]}={v}" for k, v in parts.items() if v is not None]


def say(line: str) -> None:
    """Progress and notices go to stderr."""
    click.echo(line, err=True)


@main.command()
@click.argument("scenario", required=False)
@scenario_options
@click.option("--lang", type=LANGUAGE, default="both", show_default=True)
@click.option(
    "--to", "formats", default="pdf,html,json", show_default=True, help="pdf, html, md, json."
)
@click.option(
    "-o",
    "--output-dir",
    "directory",
    default="output",
    show_default=True,
    type=click.Path(file_okay=False),
)
@click.option(
    "--strict", is_flag=True, help="Exit with 1 where targets are missed or nothing fits."
)
def report(
    scenario: str | None, lang: str, formats: str, directory: str, strict: bool, **options: Any
) -> None:
    """Write the capacity document of SCENARIO as PDF, HTML and JSON ledger."""
    from derive.render.report import write_report

    wanted = [f.strip() for f in formats.split(",") if f.strip()]
    unknown = [f for f in wanted if f not in ("pdf", "html", "md", "json")]
    if unknown or not wanted:
        raise click.BadParameter(
            f"unknown format {', '.join(unknown) or formats!r}; known are pdf, html, md, json"
        )
    ledger = make_ledger(scenario, options, say)
    complete = write_report(ledger, wanted, lang, Path(directory), say)
    if not complete or (strict and missed(ledger)):
        leave(FINDINGS)
    leave(0)


def leave(code: int) -> None:
    """End at once: everything is on disk, and tearing down large trees takes time."""
    sys.stdout.flush()
    sys.stderr.flush()
    if "pytest" in sys.modules:
        raise SystemExit(code)
    os._exit(code)


def make_ledger(
    scenario: str | None, options: dict[str, Any], progress: Callable[[str], None]
) -> Any:
    """The proven record of a scenario."""
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study import study

    loaded = load_scenario(scenario, options)
    progress(f"{loaded.id}: deriving and proving")
    return study(loaded, load.sources(spec_roots(options["specs_dirs"])))


def missed(ledger: Any) -> bool:
    """Whether the scenario does not fit or misses a target."""
    return not ledger["verdict"]["fits"] or any(
        t["state"] == "missed" for t in ledger["verdict"]["tiles"]
    )


@main.command(name="eval")
@click.argument("scenario", required=False)
@click.argument("symbols", nargs=-1)
@scenario_options
@click.option("--json", "as_json", is_flag=True, help="Machine-readable values.")
@click.option("--lang", type=LANGUAGE, default="en", show_default=True)
def evaluate(
    scenario: str | None, symbols: tuple[str, ...], as_json: bool, lang: str, **options: Any
) -> None:
    """Evaluate all formulas of SCENARIO, or only the SYMBOLs named."""
    from derive.study.values import table, values

    if scenario and (options["model"] or options["hardware"]) and not Path(scenario).exists():
        from derive.study.results import is_known

        if is_known(scenario):  # without a scenario file the first word is a symbol
            symbols, scenario = (scenario, *symbols), None
    loaded = load_scenario(scenario, options)
    found = values(loaded, symbols)
    if as_json:
        click.echo(
            json.dumps({"scenario": loaded.id, "values": found}, ensure_ascii=False, indent=1)
        )
    else:
        click.echo(table(found, "zh" if lang == "zh" else "en"))


@main.command()
@click.argument("symbol")
@click.argument("scenario", required=False)
@scenario_options
@click.option("--lang", type=LANGUAGE, default="en", show_default=True)
def explain(symbol: str, scenario: str | None, lang: str, **options: Any) -> None:
    """Show the derivation of SYMBOL, symbolic or with the numbers of SCENARIO."""
    from derive.render.terminal import explanation
    from derive.study import explain as explained

    loaded = load_scenario(scenario, options) if scenario or options["model"] else None
    click.echo(explanation(explained(symbol, loaded), ["en", "zh"] if lang == "both" else [lang]))


@main.command()
@click.argument("ledger", type=click.Path())
@click.option("--lang", type=LANGUAGE, default="en", show_default=True)
def verify(ledger: str, lang: str) -> None:
    """Prove a ledger again, without trusting the program that wrote it."""
    from derive.verify import verify_file

    problems, summary = verify_file(Path(ledger))
    for problem in problems:
        click.echo(problem.in_("zh" if lang == "zh" else "en"))
    click.echo(summary.in_("zh" if lang == "zh" else "en"))
    if problems:
        sys.exit(FINDINGS)


@main.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True)
@click.option("--specs", "specs_dirs", multiple=True, metavar="DIR")
@click.option("--lang", type=LANGUAGE, default="en", show_default=True)
def hardware(name: str | None, as_json: bool, specs_dirs: tuple[str, ...], lang: str) -> None:
    """List accelerators, or show one with every basis and source."""
    from derive.specs.listing import hardware_listing

    click.echo(hardware_listing(name, specs_dirs, as_json, "zh" if lang == "zh" else "en"))


@main.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True)
@click.option("--specs", "specs_dirs", multiple=True, metavar="DIR")
@click.option("--lang", type=LANGUAGE, default="en", show_default=True)
def model(name: str | None, as_json: bool, specs_dirs: tuple[str, ...], lang: str) -> None:
    """List models, or show one: parameters, weight bytes and KV bytes."""
    from derive.specs.listing import model_listing

    click.echo(model_listing(name, specs_dirs, as_json, "zh" if lang == "zh" else "en"))


@main.command()
@click.argument("scenario", required=False)
@scenario_options
@click.option(
    "--with",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    required=True,
    help="A change to compare with.",
)
@click.option("--json", "as_json", is_flag=True)
@click.option("--lang", type=LANGUAGE, default="en", show_default=True)
def compare(
    scenario: str | None, changes: tuple[str, ...], as_json: bool, lang: str, **options: Any
) -> None:
    """Set SCENARIO beside the same scenario with each change."""
    from derive.study.compare import comparison, comparison_table

    base = load_scenario(scenario, options)
    others = []
    for change in changes:
        if "=" not in change:
            from derive.text import tr

            raise DeriveError(
                Problem("S211", tr("{found} is not KEY=VALUE", found=change), Place(key="--with"))
            )
        others.append(
            (
                change,
                load_scenario(
                    scenario, {**options, "sets": (*options["sets"], *change.split(","))}
                ),
            )
        )
    found = comparison(base, others)
    click.echo(
        json.dumps(found, ensure_ascii=False, indent=1)
        if as_json
        else comparison_table(found, "zh" if lang == "zh" else "en")
    )


if __name__ == "__main__":
    main()
