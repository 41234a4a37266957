"""What commands share: their options in both languages, and how they print."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from derive.command import OneOf, Option, spoken
from derive.text import Text

# option without a scenario file -> the key that it sets beside one
PARTS = {
    "model": "model",
    "hardware": "hardware",
    "devices": "devices",
    "batch": "workload.requests",
    "input": "workload.input",
    "output": "workload.output",
}
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def option(*names: str, means: Text, **more: Any) -> Decorator:
    """An option, explained in both languages."""
    return click.option(*names, cls=Option, means=means, **more)


def lang_option(default: str | None = None, *, left_open: bool = False) -> Decorator:
    """`--lang`; where no default is given that of the terminal, unless the command decides."""
    return option(
        "--lang",
        type=OneOf("zh", "en", "both"),
        default=default,
        show_default=bool(default),
        callback=lambda ctx, _, value: value or (None if left_open else spoken(ctx)),
        means=Text("language of the output", "输出语言"),
    )


FILES = Text("files to write", "要写出的文件")


def files_option(*formats: str, default: str | None = None, means: Text = FILES) -> Decorator:
    """`--to`: the files of a command, by format."""
    several = OneOf(*formats, many=True)
    shown = bool(default)
    return option("--to", "formats", type=several, default=default, show_default=shown, means=means)


JSON = option("--json", "as_json", is_flag=True, means=Text("machine-readable", "机器可读"))
OUTPUT = option(
    "-o", "--output-dir", "directory", default="output", show_default=True, metavar="DIR",
    means=Text("where to", "写到何处"),
)  # fmt: skip
SPECS = option(
    "--specs", "specs_dirs", multiple=True, metavar="DIR",
    means=Text("another directory of specs", "另加一个规格目录"),
)  # fmt: skip


def scenario_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A scenario by file or name, changed, or without a file."""
    every = (
        option(
            "--set", "sets", multiple=True, metavar="NAME=VALUE",
            means=Text("set a symbol or a key of the scenario", "设置符号或场景的键"),
        ),
        option("--model", means=Text("model", "模型")),
        option("--hardware", means=Text("accelerator", "加速卡")),
        option("--devices", means=Text("devices of one replica", "一个副本的设备数")),
        option("--batch", means=Text("requests in one forward pass", "一次前向的请求数")),
        option("--input", means=Text("input length in token/request", "输入长度，token/request")),
        option("--output", means=Text("output length in token/request", "输出长度，token/request")),
        SPECS,
    )  # fmt: skip
    for one in reversed(every):
        function = one(function)
    return function


def say(text: Text | str) -> None:
    """Progress and notices go to stderr."""
    lang = spoken(click.get_current_context())
    click.echo(text.in_(lang) if isinstance(text, Text) else text, err=True)


def show(lang: str, made: Callable[[str], str]) -> None:
    """Print in one language, or in both one after the other."""
    click.echo("\n\n".join(made(each) for each in (("en", "zh") if lang == "both" else (lang,))))


def dump(value: Any) -> None:
    """JSON, alone on stdout."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))


def dump_list(key: str, values: Iterable[Any]) -> None:
    """`{key: [values]}` as `dump` prints it, each value as soon as it is there."""
    import json

    end = "]\n}"
    click.echo(f'{{\n "{key}": [', nl=False)
    for number, value in enumerate(values):
        text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
        click.echo((",\n  " if number else "\n  ") + text.replace("\n", "\n  "), nl=False)
        end = "\n ]\n}"
    click.echo(end)
