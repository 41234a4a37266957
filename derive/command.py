"""How every command behaves: the language of its words, one form for every mistake, exit codes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NoReturn

import click

from derive.errors import MOST, DeriveError, Place, Problem, printable, reason, render
from derive.text import Text, tr

FINDINGS, UNUSABLE, INTERRUPTED = 1, 2, 130
SHOW_HELP = Text("show this page", "显示本页")


def environment() -> str:
    """The language of the terminal: Chinese where the locale says so, else English."""
    given = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "zh" if next(filter(None, given), "").startswith("zh") else "en"


def language(args: Sequence[str]) -> str:
    """The language of messages: that of the last `--lang`, else the terminal's."""
    pairs = [*pairwise(args), *(a.split("=", 1) for a in args if "=" in a)]
    asked = [value for option, value in pairs if option == "--lang" and value in ("en", "zh")]
    return asked[-1] if asked else environment()


def mistake(
    code: str, what: Text, ctx: click.Context | None, hint: Text | None = None
) -> DeriveError:
    """A wrong command line, with the way to its help where nothing better is known."""
    name = f"derive {ctx.command.name}" if ctx and ctx.parent else "derive"
    hint = hint or tr("{command} lists what there is", command=f"{name} --help")
    return DeriveError(Problem(code, what, Place(key=name), hint=hint))


def from_click(error: click.UsageError, group: Group, given: Sequence[str]) -> DeriveError:
    """What the library found wrong, in our words."""
    from derive.specs.faults import nearest

    ctx = error.ctx
    if isinstance(error, click.MissingParameter) and error.param:
        option = isinstance(error.param, click.Option)
        name = error.param.opts[0] if option else error.param.human_readable_name.upper()
        return mistake("C101", tr("{name} is missing", name=name), ctx)
    if isinstance(error, click.NoSuchOption):
        name = printable(error.option_name, 60)
        known = [o for p in ctx.command.params for o in p.opts] if ctx else []
        what = tr("there is no option {name}", name=name)
        others = (p for command in group.commands.values() for p in command.params)
        elsewhere = any(error.option_name in p.opts for p in others)
        behind = tr("options stand behind the command") if elsewhere else None
        return mistake("C102", what, ctx, nearest(error.option_name, known) or behind)
    if isinstance(error, click.BadOptionUsage):
        name = printable(error.option_name, 60)
        what = tr("{name} needs a value", name=name)
        if "not take" in error.message:
            what = tr("{name} takes no value", name=name)
        named = next((word for word in given if word in group.commands), None)
        hint = tr("{command} lists what there is", command=f"derive {named} --help")
        return mistake("C103", what, ctx, hint if named else None)
    said = printable(error.format_message())
    return mistake("C100", Text(said, said), ctx)


LONGEST_CONTEXT = 10**9


class OneOf(click.ParamType):  # type: ignore[type-arg]
    """One word of a closed list, or with `many` several, with commas between them."""

    name = "choice"

    def __init__(self, *choices: str, many: bool = False) -> None:
        self.choices, self.many = choices, many

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """What help shows."""
        return ",".join(self.choices) if self.many else f"[{'|'.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word, or the list of words in the order given."""
        if not isinstance(value, str):
            return value
        words = [w.strip() for w in value.split(",")] if self.many else [value]
        option = param.opts[-1] if param else ""
        for word in words:
            if word not in self.choices:
                from derive.specs.faults import nearest

                what = tr(
                    "{key}: {text} is not among {choices}",
                    key=option, text=printable(word, 60) or "''", choices=", ".join(self.choices),
                )  # fmt: skip
                raise mistake("C104", what, ctx, nearest(word, self.choices, 0.6))
        return list(dict.fromkeys(words)) if self.many else value


class Contexts(click.ParamType):  # type: ignore[type-arg]
    """Context lengths in tokens, with commas between them."""

    name = "contexts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Whole positive numbers."""
        if not isinstance(value, str):
            return value
        words = [w.strip() for w in value.split(",")] if value else []
        option = param.opts[-1] if param else ""
        wrong = [w for w in words if not self.sound(w)]
        if wrong:
            said = ", ".join(printable(w, 60) or "''" for w in wrong[:MOST])
            what = tr("{key}: {text} is no context length in tokens", key=option, text=said)
            hint = tr("whole numbers from 1 to {most}, with commas between them",
                      most=f"{LONGEST_CONTEXT:,}")  # fmt: skip
            raise mistake("C109", what, ctx, hint)
        return [int(word) for word in words]

    @staticmethod
    def sound(word: str) -> bool:
        """Whether a word is a length."""
        return word.isascii() and word.isdigit() and 0 < int(word[:12]) <= LONGEST_CONTEXT


class Label(click.ParamType):  # type: ignore[type-arg]
    """`LABEL=VALUE` of Prometheus: a name of letters, digits and _, any value."""

    name = "label"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Name and value."""
        if not isinstance(value, str):
            return value
        name, sign, text = value.partition("=")
        if not sign or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII):
            what = tr(
                "{key}: {text} is no LABEL=VALUE",
                key=param.opts[-1] if param else "", text=printable(value, 60) or "''",
            )  # fmt: skip
            raise mistake("C113", what, ctx, tr("for example {text}", text="model_name=llama"))
        return name, text


class Option(click.Option):
    """An option with its meaning in both languages."""

    def __init__(self, names: Sequence[str], *, means: Text, **more: Any) -> None:
        super().__init__(names, **{**more, "help": means.en})
        self.means = means

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The line of the help page."""
        self.help = self.means.in_(spoken(ctx))
        return super().get_help_record(ctx)


class Command(click.Command):
    """A command with its meaning in both languages; a word too many is ours to refuse."""

    allow_extra_args = True

    def __init__(self, *args: Any, means: Text, **more: Any) -> None:
        super().__init__(*args, **{**more, "help": means.en})
        self.means = means

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; refuse what is left over."""
        super().parse_args(ctx, args)
        if ctx.args:
            word = printable(" ".join(ctx.args), 60)
            raise mistake("C105", tr("one word too many: {word}", word=word), ctx)
        return ctx.args

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002  lines are not cut
        """The line of the list of commands."""
        return self.means.in_(spoken(click.get_current_context(silent=True)))

    def get_help(self, ctx: click.Context) -> str:
        """The help page."""
        return in_language(self, ctx, super().get_help)


class Group(click.Group):
    """The program: its commands in the order an engineer meets them, its exit codes."""

    command_class = Command

    def __init__(self, *args: Any, means: Text, **more: Any) -> None:
        super().__init__(*args, **{**more, "help": means.en})
        self.means = means

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """As declared, not alphabetical."""
        return list(self.commands)

    def get_help(self, ctx: click.Context) -> str:
        """The help page."""
        return in_language(self, ctx, super().get_help)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command named first."""
        from derive.specs.faults import nearest

        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            what = tr("there is no command {name}", name=printable(args[0], 60))
            raise mistake("C106", what, None, nearest(args[0], self.commands, 0.6))
        return super().resolve_command(ctx, args)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run; a user's mistake becomes one clear message and exit code 2, never a traceback."""
        given = list(sys.argv[1:] if args is None else args)
        standalone = extra.pop("standalone_mode", True)
        lang = language(given)
        run = super().main
        try:
            code = run(given, prog_name or "derive", standalone_mode=False, obj=lang, **extra)
        except DeriveError as error:
            code = refuse(error, lang)
        except click.UsageError as error:
            code = refuse(from_click(error, self, given), lang)
        except click.Abort:
            code = INTERRUPTED
        except OSError as error:
            name = printable(str(error.filename or ""))
            what = tr("cannot read or write {file}: {why}", file=name, why=reason(error))
            code = refuse(DeriveError(Problem("R100", what)), lang)
        if standalone:
            sys.exit(code if isinstance(code, int) else 0)
        return code

    def __call__(self, *args: Any, **more: Any) -> NoReturn:
        """The whole program: ends at once, since tearing large trees down takes time."""
        code: Any = 0
        try:
            self.main(*args, **more)
        except SystemExit as end:
            code = end.code
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code if isinstance(code, int) else UNUSABLE)


def spoken(ctx: click.Context | None) -> str:
    """The language of this run."""
    return (ctx and ctx.find_root().obj) or "en"


def in_language(command: Command | Group, ctx: click.Context, page: Callable[..., str]) -> str:
    """A help page with its sentence in the language of this run."""
    command.help = command.means.in_(spoken(ctx))
    if shown := command.get_help_option(ctx):
        shown.help = SHOW_HELP.in_(spoken(ctx))
    return page(ctx)


def refuse(error: DeriveError, lang: str) -> int:
    """Say what is wrong."""
    click.echo(render(error, lang), err=True)
    return UNUSABLE
