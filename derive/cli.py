"""The command line: reads arguments, calls one function a command, prints; knows no arithmetic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from derive import __version__
from derive.asked import (
    asked,
    caution,
    caution_layouts,
    load_scenario,
    taken,
    tell,
    units_of_symbols,
)
from derive.command import (
    FINDINGS,
    UNUSABLE,
    Contexts,
    Group,
    Label,
    Option,
    mistake,
    spoken,
)
from derive.errors import DeriveError, Problem
from derive.options import (
    JSON,
    OUTPUT,
    SPECS,
    dump,
    files_option,
    lang_option,
    option,
    say,
    scenario_options,
    show,
)
from derive.text import Text, tr

NEXT_CHANGE = re.compile(r",(?=\s*[A-Za-z_][\w.]*\s*=)")  # MFU=0.4,0.5,0.6 is one change


@click.group(
    cls=Group,
    means=Text(
        "Capacity of LLM inference, derived: every number with a source, every step with a proof.",
        "LLM 推理容量推导：每个数有出处，每一步有证明。",
    ),
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(
    __version__,
    prog_name="derive",
    cls=Option,
    means=Text("show the version", "显示版本"),
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Show what there is where no command is named."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(UNUSABLE)


@main.command(
    means=Text("Write the capacity document of SCENARIO.", "写出 SCENARIO 的容量文档。"),
)  # fmt: skip
@click.argument("scenario", required=False)
@scenario_options
@lang_option("both")
@files_option("pdf", "html", "md", "json", default="pdf,html,json")
@OUTPUT
@option(
    "--audit", "audited", is_flag=True,
    means=Text("audit the vendor's figures in a section of their own",
               "另设一节审计厂商给出的指标"),
)  # fmt: skip
@option(
    "--measured", "measurements", multiple=True, metavar="FILE",
    means=Text("measured runs, held against the bound in a section of their own",
               "实测文件：另设一节与物理下限对照"),
)  # fmt: skip
@option(
    "--strict", is_flag=True,
    means=Text("exit with 1 where nothing fits or a target is missed",
               "放不下或未达目标时退出码为 1"),
)  # fmt: skip
def report(
    scenario: str | None, lang: str, formats: list[str], directory: str, strict: bool,
    audited: bool, measurements: tuple[str, ...], **options: Any,
) -> None:  # fmt: skip
    """Load, look whether the files can be written, derive, write."""
    from derive.render.pdf import quick_process
    from derive.render.report import check, file_stem, write_report
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study import study

    loaded = load_scenario(scenario, options)
    folder = Path(directory)
    check(folder, [folder / f"{file_stem(loaded.id)}.{f}" for f in formats])
    roots = spec_roots(options["specs_dirs"])
    more = measured_section(measurements, loaded, options, roots)
    say(tr("{name}: deriving and proving", name=loaded.id))
    with quick_process():
        words = asked(scenario, options, audited, measurements)
        ledger = study(loaded, load.sources(roots), asked=words)
        if audited:
            from derive.audit.vendor import vendor_audit

            more["audit"] = vendor_audit(loaded, roots)
        if more:
            from derive.ledger import sealed

            ledger = sealed({**ledger, **more})
        complete = write_report(ledger, formats, lang, folder, say)
    if not complete or (strict and missed(ledger)):
        click.get_current_context().exit(FINDINGS)


def measured_section(
    files: Sequence[str], loaded: Any, options: dict[str, Any], roots: Sequence[Path]
) -> dict[str, Any]:
    """The runs of FILEs beside their bounds, as the ledger carries them; nothing without files."""
    if not files:
        return {}
    from derive import measure_command as command

    found = command.measured(files, lambda _: loaded, command.set_by_hand(options), roots)
    return {"measured": command.section(found)}


def missed(ledger: Any) -> bool:
    """Whether the scenario does not fit or misses a target."""
    verdict = ledger["verdict"]
    return not verdict["fits"] or any(t["state"] == "missed" for t in verdict["tiles"])


@main.command(
    means=Text("Write the on-call checklist of SCENARIO.", "写出 SCENARIO 的值班检查清单。"),
)  # fmt: skip
@click.argument("scenario", required=False)
@scenario_options
@lang_option("both")
@files_option(
    "md", "html", "pdf", "json", "prometheus", "grafana", default="md",
    means=Text("formats; prometheus: rules for vLLM and their unit tests; grafana: a dashboard",
               "格式；prometheus：vLLM 的告警与记录规则及其单元测试；grafana：仪表盘"),
)  # fmt: skip
@option(
    "--measured", "measurements", multiple=True, metavar="FILE",
    means=Text("measured runs: the checklist is that of the first one's load, its figures beside",
               "实测文件：检查清单按其中第一次测试的负载给出，并列出实测值"),
)  # fmt: skip
@option(
    "--match", "labels", multiple=True, type=Label(), metavar="LABEL=VALUE",
    means=Text("a label of this service in Prometheus, where it scrapes others too",
               "本服务在 Prometheus 中的标签（同时采集其他服务时）"),
)  # fmt: skip
@option(
    "-o", "--output-dir", "directory", default=None, metavar="DIR",
    means=Text("write files there; without it one text is printed, several and PDF go to output/",
               "写入该目录；不给出时，单个文本直接打印，多个格式或 PDF 写入 output/"),
)  # fmt: skip
def checklist(
    scenario: str | None, lang: str, formats: list[str], labels: tuple[tuple[str, str], ...],
    measurements: tuple[str, ...], directory: str | None, **options: Any,
) -> None:  # fmt: skip
    """Load, look whether the files can be written, derive, print."""
    from derive.checklist_command import PRINTED, of_first_run, print_or_write, targets
    from derive.render.report import check
    from derive.specs import load
    from derive.specs.lookup import spec_roots
    from derive.study import study

    if labels and "prometheus" not in formats:
        what = tr("--match is for --to prometheus")
        raise mistake("C111", what, click.get_current_context())
    printed = directory is None and len(formats) == 1 and formats[0] in PRINTED
    folder = None if printed else Path(directory or "output")
    loaded = load_scenario(scenario, options)
    if folder:
        check(folder, targets(loaded.id, formats, folder).values())
    roots = spec_roots(options["specs_dirs"])
    if measurements:
        sets = of_first_run(measurements, loaded, options, roots, say)
        options = {**options, "sets": (*options["sets"], *sets)}
        loaded = load_scenario(scenario, options)
    say(tr("{name}: deriving and proving", name=loaded.id))
    ledger = study(loaded, load.sources(roots), asked=asked(scenario, options))
    print_or_write(ledger, formats, lang, folder, say, dict(labels))


@main.command(
    name="eval",
    means=Text("Evaluate SCENARIO: all formulas, or the SYMBOLs named.",
               "求值 SCENARIO：全部公式，或所列 SYMBOL。"),
)  # fmt: skip
@click.argument("scenario", required=False)
@click.argument("symbols", metavar="[SYMBOL]...", nargs=-1)
@scenario_options
@JSON
@lang_option()
def evaluate(
    scenario: str | None, symbols: tuple[str, ...], as_json: bool, lang: str, **options: Any
) -> None:
    """Values at their calibre; without a scenario file the first word is a symbol."""
    from derive.study.results import is_known
    from derive.study.values import table, values

    if scenario and options["model"] and is_known(scenario) and not Path(scenario).exists():
        symbols, scenario = (scenario, *symbols), None
    loaded = load_scenario(scenario, options)
    found = values(loaded, symbols)
    tell(loaded)
    if as_json:
        assumed = {key: text.json() for key, text in taken(loaded).items()}
        dump({"scenario": loaded.id, "values": found, "assumed": assumed})
    else:
        show(lang, lambda each: table(found, each))


@main.command(
    means=Text("Show how SYMBOL is derived, with the numbers of SCENARIO where named.",
               "展示 SYMBOL 的推导；给出 SCENARIO 时代入数值。"),
)  # fmt: skip
@click.argument("symbol")
@click.argument("scenario", required=False)
@scenario_options
@lang_option()
def explain(symbol: str, scenario: str | None, lang: str, **options: Any) -> None:
    """One derivation, symbolic or with numbers."""
    from derive.render.terminal import explanation
    from derive.study import explain as explained

    loaded = load_scenario(scenario, options) if scenario or options["model"] else None
    click.echo(explanation(explained(symbol, loaded), ["en", "zh"] if lang == "both" else [lang]))


@main.command(
    means=Text("Prove a LEDGER again, without trusting the program that wrote it.",
               "重新证明 LEDGER，不信任写出它的程序。"),
)  # fmt: skip
@click.argument("ledger")
@lang_option()
def verify(ledger: str, lang: str) -> None:
    """Faults and a summary."""
    from derive.verify import verify_file

    problems, summary = verify_file(Path(ledger))
    show(lang, lambda each: "\n".join(text.in_(each) for text in (*problems, summary)))
    if problems:
        click.get_current_context().exit(FINDINGS)


@main.command(
    means=Text("List accelerators, or show one with every basis and source.",
               "列出加速卡，或展示一款的全部口径与来源。"),
)  # fmt: skip
@click.argument("name", required=False)
@JSON
@SPECS
@lang_option()
def hardware(name: str | None, as_json: bool, specs_dirs: tuple[str, ...], lang: str) -> None:
    """Cited specs of accelerators."""
    from derive.specs.listing import hardware_listing

    show("en" if as_json else lang, lambda each: hardware_listing(name, specs_dirs, as_json, each))


@main.command(
    means=Text("List models, or show one: parameters, weight bytes and KV bytes.",
               "列出模型，或展示一个：参数量、权重字节与 KV 字节。"),
)  # fmt: skip
@click.argument("name", required=False)
@option(
    "--context", "contexts", type=Contexts(), default="", metavar="TOKENS[,TOKENS]",
    means=Text("contexts at which KV bytes are stated", "给出 KV 字节数的上下文长度"),
)  # fmt: skip
@JSON
@SPECS
@lang_option()
def model(
    name: str | None, contexts: list[int], as_json: bool, specs_dirs: tuple[str, ...], lang: str
) -> None:
    """Cited specs of models, or what a config.json or a GGUF file holds."""
    if name and (name.lower().endswith((".json", ".gguf")) or Path(name).is_dir()):
        from derive.architecture.listing import config_listing

        show("en" if as_json else lang, lambda each: config_listing(name, contexts, as_json, each))
        return
    if contexts and not name and not as_json:
        what = tr("--context needs the name of a model")
        raise mistake("C111", what, click.get_current_context())
    from derive.specs.listing import model_listing

    show("en" if as_json else lang, lambda each: model_listing(name, specs_dirs, as_json, each,
                                                                     contexts))  # fmt: skip


@main.command(
    means=Text("Set SCENARIO beside the same scenario with each change.",
               "把 SCENARIO 与逐项改动后的同一场景并排比较。"),
)  # fmt: skip
@click.argument("scenario", required=False)
@scenario_options
@option(
    "--with", "changes", multiple=True, required=True, metavar="NAME=VALUE[,NAME=VALUE]",
    means=Text("a change to compare with", "要比较的改动"),
)  # fmt: skip
@JSON
@files_option(
    "pdf", "html", "md", "json",
    means=Text("write one document for all candidates", "写出一份包含全部候选的文档"),
)  # fmt: skip
@OUTPUT
@lang_option(left_open=True)
def compare(
    scenario: str | None, changes: tuple[str, ...], as_json: bool, formats: list[str] | None,
    directory: str, lang: str | None, **options: Any,
) -> None:  # fmt: skip
    """One column a change, or a document."""
    from derive.specs.lookup import spec_roots
    from derive.study.compare import comparison, comparison_table

    base = load_scenario(scenario, options)
    others, problems = [], list[Problem]()
    for change in changes:
        try:
            others.append(
                (change, load_scenario(scenario, options, tuple(NEXT_CHANGE.split(change))))
            )
        except DeriveError as error:
            problems += error.problems
    if problems:
        raise DeriveError(problems)
    every = [base, *(other for _, other in others)]
    caution(every)
    caution_layouts(every)
    if formats:
        from derive.compare_command import write

        roots = spec_roots(options["specs_dirs"])
        write(base, others, formats, lang or "both", Path(directory), roots)
        return
    found = comparison(base, others)
    if as_json:
        dump(found)
    else:
        spoken_lang = lang or spoken(click.get_current_context())
        show(spoken_lang, lambda each: comparison_table(found, each))


@main.command(
    means=Text("Evaluate SCENARIO over a grid, to CSV or Parquet.",
               "在网格上求值 SCENARIO，写成 CSV 或 Parquet。"),
)  # fmt: skip
@click.argument("scenario", required=False)
@scenario_options
@option(
    "--over", "axes", multiple=True, required=True, metavar="NAME=VALUES",
    means=Text("values to go over: b=1:512, b=1:512:8, b=1:512:x2, T=1024,8192, hardware=a,b",
               "要遍历的取值：b=1:512、b=1:512:8、b=1:512:x2、T=1024,8192、hardware=a,b"),
)  # fmt: skip
@option(
    "--symbols", metavar="SYMBOL[,SYMBOL]", default="",
    means=Text("columns; every formula where not given", "要输出的列；不给出时为全部公式"),
)  # fmt: skip
@option(
    "--ranges", is_flag=True,
    means=Text("low and high of each reachable value too, as columns NAME_low and NAME_high",
               "各可达值另附下限与上限，列名为 NAME_low、NAME_high"),
)  # fmt: skip
@files_option(
    "csv", "parquet",
    means=Text("files to write; without it the first rows are shown, or all as CSV into a pipe",
               "要写出的文件；不给出时显示前几行，接管道时输出全部 CSV"),
)  # fmt: skip
@OUTPUT
@option(
    "--scheduler", metavar="ADDRESS",
    means=Text("a Dask scheduler whose workers evaluate", "由该 Dask 调度器的 worker 求值"),
)  # fmt: skip
@lang_option()
def sweep(
    scenario: str | None, axes: tuple[str, ...], symbols: str, ranges: bool,
    formats: list[str] | None, directory: str, scheduler: str | None, lang: str, **options: Any,
) -> None:  # fmt: skip
    """Read the axes, load every combination, evaluate, write."""
    from derive import sweep_command as command

    read = command.axes(axes, units_of_symbols())
    options |= command.parts_of(scenario, options, read)

    def load(changes: Sequence[str]) -> Any:
        return load_scenario(scenario, options, changes, "--over")

    wanted = [w.strip() for w in symbols.split(",") if w.strip()]
    found = command.planned(read, load, wanted, ranges=ranges)
    caution([part.bound.scenario for part in found.grid.parts])
    words = [*asked(scenario, options), *(word for axis in axes for word in ("--over", axis))]
    words += ["--ranges"] if ranges else []
    command.run(found, formats, Path(directory), scheduler, words, lang)


@main.command(
    means=Text("Hold the measured runs of FILEs against the bound of a scenario.",
               "把 FILE 中的实测与场景的物理下限对照。"),
)  # fmt: skip
@click.argument("files", metavar="[FILE]...", nargs=-1)
@option(
    "--scenario", metavar="SCENARIO",
    means=Text("the scenario whose bound holds", "取其下限的场景"),
)  # fmt: skip
@scenario_options
@option("--before", metavar="FILE", means=Text("the run before a change", "改动前的一次测试"))
@option("--after", metavar="FILE", means=Text("the run after it", "改动后的一次测试"))
@option(
    "--change", "changes", multiple=True, metavar="NAME=VALUE",
    means=Text("what changed in the scenario between both", "两次测试之间场景的改动"),
)  # fmt: skip
@JSON
@files_option("pdf", "html", "md", "json")
@OUTPUT
@lang_option(left_open=True)
def measure(
    files: tuple[str, ...], scenario: str | None, before: str | None, after: str | None,
    changes: tuple[str, ...], as_json: bool, formats: list[str] | None, directory: str,
    lang: str | None, **options: Any,
) -> None:  # fmt: skip
    """Read, bound, judge, print."""
    from derive import measure_command as command
    from derive.render.measured_terminal import document
    from derive.specs.lookup import spec_roots

    context = click.get_current_context()
    if bool(before) != bool(after):
        raise mistake("C111", tr("--before and --after go together"), context)
    if not files and not before:
        raise mistake("C111", tr("no FILE is named"), context)
    roots = spec_roots(options["specs_dirs"])
    named = scenario is not None or options["model"] is not None
    loaded = load_scenario(scenario, options) if named else None
    if loaded is None and (before or changes):
        raise mistake("C111", tr("--before, --after and --change need a scenario"), context)
    changed = load_scenario(scenario, options, changes) if changes else None

    def of(run: Any) -> Any:
        """The scenario that is named, else the one that a run names itself."""
        return loaded or (load_scenario(None, {**options, **run.own}) if run.own else None)

    pair = command.Pair(before, after, changed) if before and after else None
    found = command.measured(files, of, command.set_by_hand(options), roots, pair)
    if loaded:
        tell(loaded)
    if formats and not found.bounded:
        raise mistake("C111", tr("--to needs a scenario"), context)
    if formats:
        stem = loaded.id if loaded else Path(files[0]).stem
        command.write(found, stem, formats, lang or "both", Path(directory), roots)
    elif as_json:
        dump(found.record)
    else:
        show(lang or spoken(context), lambda each: document(found.record, each))


@main.command(
    means=Text("Audit claims: units, conditions, physics, and what would have to be true.",
               "审计论断：单位、口径、物理上限，以及成立所需的条件。"),
)  # fmt: skip
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@option(
    "--doc", "documents", multiple=True, metavar="FILE",
    means=Text("a Markdown or text document whose numbers are judged; - for standard input",
               "Markdown 或文本文档，逐一判断其中的数字；- 表示标准输入"),
)  # fmt: skip
@option(
    "--file", "files", multiple=True, metavar="CLAIMS.yaml",
    means=Text("claims of a YAML file, or of a text file, one a line; - for standard input",
               "YAML 文件中的论断；文本文件则一行一条；- 表示标准输入"),
)  # fmt: skip
@option(
    "--formula", "formulas", multiple=True, metavar="FORMULA",
    means=Text("a formula, plain or LaTeX", "公式，纯文本或 LaTeX"),
)  # fmt: skip
@option(
    "--explain",
    "rule",
    metavar="RULE",
    is_flag=False,
    flag_value="list",
    means=Text(
        "the page of a rule; alone, or with `list`, every rule",
        "一条规则的说明；单独使用或写 `list` 则列出全部规则",
    ),
)
@option("--strict", is_flag=True, means=Text("ambiguity is an error too", "有歧义也算错误"))
@JSON
@files_option("sarif", "html", "pdf", "json")
@OUTPUT
@SPECS
@lang_option(left_open=True)
def audit(formats: list[str] | None, **asked: Any) -> None:
    """Read, judge, print."""
    from derive.audit_command import audit as run

    if run(formats=formats or (), **asked):
        click.get_current_context().exit(FINDINGS)


if __name__ == "__main__":
    main()
