"""Measured runs as Markdown, in a report and in a document of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from derive.render import measured_page, page, runs
from derive.render.equations import Plain
from derive.render.markdown_text import code, escape, signed, table
from derive.render.page import unit
from derive.render.short import short
from derive.render.words import Words, glued, seen
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.render.markdown import Writer

Blocks = Iterator[str]
Run = Mapping[str, Any]


def document(ledger: Mapping[str, Any], lang: str, stem: str) -> str:
    """The whole document as GitHub-flavoured Markdown."""
    from derive.render.markdown import Writer

    view = page.View(ledger, Words(lang, {}), Plain())
    made = Writer(view, stem)
    title = tr("{what}: {scenario}", what=runs.title(),
               scenario=measured_page.subject(ledger, stem))  # fmt: skip
    measured = view.measured()
    blocks = [f"# {made.title(title)}", made.prose(measured_page.lead())]
    blocks += sections(made, measured, 2)
    blocks += [f"## {made.title(tr('Derivations'))}", made.prose(measured_page.behind(measured))]
    for card in measured_page.shown(view):
        blocks.append(f"### {code(card.record['id'])} {made.title(card.record['name'])}")
        lines = [f"{s['left']} {s['relation']} {s['right']}" for s in short(card.record)]
        blocks.append(
            "\n".join(f"- {code(signed(line))}" for line in lines) or made.prose(card.why)
        )
    blocks += [f"## {made.title(tr('Sources'))}", made.source_list()]
    blocks.append(f"{made.title(tr('ledger hash'))}: {code(ledger['hash'])}")
    return seen("\n\n".join(b for b in blocks if b) + "\n")


def sections(made: Writer, measured: Mapping[str, Any], level: int) -> Blocks:
    """Overview, diagnoses, experiment, kernels, details, files; `level` is that of the headings."""
    sharp = "#" * level
    if measured["held"]:
        yield f"{sharp} {made.title(tr('Overview'))}"
        yield overview(made, measured)
        yield from (f"**!** {made.prose(text)}" for text in measured["across"])
    if measured["diagnoses"]:
        yield f"{sharp} {made.title(tr('Diagnosis'))}"
        for found in measured["diagnoses"]:
            yield from diagnosis(made, found, f"{sharp}#")
    if measured["experiment"]:
        yield f"{sharp} {made.title(tr('Experiment'))}"
        yield from experiment(made, measured["experiment"])
    if measured["profiles"]:
        yield f"{sharp} {made.title(tr('Kernels'))}"
        for run in measured["profiles"]:
            yield from kernels(made, run)
    if measured["starts"]:
        yield f"{sharp} {made.title(tr('What an engine printed at its start'))}"
        for run in measured["starts"]:
            yield from starts(made, run)
    if measured["phased"]:
        yield f"{sharp} {made.title(tr('Bounds in detail'))}"
        yield details(made, measured)
    yield f"{sharp} {made.title(tr('What the files say'))}"
    for run in measured["runs"]:
        yield from file(made, run)


def shown(record: Mapping[str, Any] | None) -> str:
    """A value with its unit, or a dash."""
    return escape(glued(unit(record["display"]))) if record else "–"


def numbered(run: Run) -> str:
    """How a run is named in a table."""
    return f"{run['number']} {escape(run['called'])}"


def overview(made: Writer, measured: Mapping[str, Any]) -> str:
    """A row a quantity of a run."""
    rows = []
    for machine in measured["machines"]:
        if measured["named"]:
            rows.append([f"**{made.title(machine['name'])}**", *[""] * 6])
        for run in machine["runs"]:
            load = ", ".join(
                [run["format"]] * measured["named"]
                + [f"{n} = {run['load'][n]}" for n in ("b", "T_in", "T_out") if n in run["load"]]
            )
            for at, line in enumerate(run["lines"]):
                first = ["", ""] if at else [numbered(run), escape(load)]
                share = shown(line["share"])
                rows.append(
                    [*first, line["name"], shown(line["measured"]), shown(line["bound"]),
                     f"**{share}**" if line["band"] else share,
                     made.title(line["limit"])]
                )  # fmt: skip
    heads = made.titles(tr("run"), tr("load"), tr("quantity"), tr("measured"), tr("bound"),
                        tr("bound / measured"), tr("limit"))  # fmt: skip
    return table(heads, rows, right=(3, 4, 5))


def diagnosis(made: Writer, found: Run, sharp: str) -> Blocks:
    """A finding once, with the runs it holds for."""
    yield f"{sharp} {made.title(found['wall'])}: {made.title(found['limit'])}"
    which = ", ".join(str(run["number"]) for run in found["runs"])
    yield f"{made.title(tr('runs') if len(found['runs']) > 1 else tr('run'))} {which}"
    yield made.prose(found["meaning"])
    states = runs.words()["states"]
    for title, rows in (
        (tr("known explanations"), found["explanations"]),
        (tr("try first"), found["first"]),
        (tr("do not bother with"), found["skip"]),
    ):
        if rows:
            yield f"**{made.title(title)}**:"
            yield "\n".join(sentences(made, rows, states))


def sentences(made: Writer, rows: Sequence[Run], states: Mapping[str, Text]) -> Iterable[str]:
    """List items; the state and the runs of a sentence stand before it."""
    for row in rows:
        start = f"*{made.title(states[row['state']])}* " if row["state"] else ""
        if row["runs"]:
            start += "(" + ", ".join(str(run["number"]) for run in row["runs"]) + ") "
        yield made.item(start, row["text"])


def details(made: Writer, measured: Mapping[str, Any]) -> str:
    """Every bound of every phase."""
    keys = ("bound", "streamed", "weights", "share_weights", "MBU", "MFU")
    rows = [
        [numbered(run), one["name"], shown(one["measured"]), *(shown(one[key]) for key in keys)]
        for machine in measured["machines"]
        for run in machine["runs"]
        for one in run["phases"]
    ]
    heads = made.titles(
        tr("run"), tr("quantity"), tr("measured"), tr("bound at peak"), tr("bytes really read"),
        tr("weights alone"), tr("weights alone / measured"),
    )  # fmt: skip
    return table([*heads, "MBU", "MFU"], rows, right=range(2, 9))


def kernels(made: Writer, run: Run) -> Blocks:
    """The longest kernels of a profile."""
    found = run["kernels"]
    yield f"**{numbered(run)}**, {shown(found['total'])}"
    rows = [
        [str(number), code(row["name"]), f"{row['calls']:,}", shown(row["time"]),
         *(shown(row[key]) for key in ("share", "intensity", "bound", "reached"))]
        for number, row in enumerate(found["rows"], 1)
    ]  # fmt: skip
    heads = made.titles(tr("kernel"), tr("calls"), tr("time"), tr("share of the time"),
                        tr("intensity"), tr("time at the roof"), tr("roof / time"))  # fmt: skip
    yield table(["\\#", *heads], rows, right=(0, *range(2, 8)))
    yield from map(made.prose, run["kernel_notes"])


def starts(made: Writer, run: Run) -> Blocks:
    """Figures of an engine's start beside those that follow, with the known reasons."""
    yield f"**{numbered(run)}** {code(run['file'])}"
    rows = [
        [made.title(row["name"]), shown(row["printed"]), escape(glued(unit(row["follows"]))),
         made.title(row["verdict"]) if row["shown"] else ""]
        for row in run["start"]
    ]  # fmt: skip
    heads = made.titles(tr("quantity"), tr("in the log"), tr("follows"), tr("verdict"))
    yield table(heads, rows, right=(1, 2))
    reasons = [reason["text"] for row in run["start"] for reason in row["reasons"]]
    if reasons:
        yield "\n".join(made.item("", text) for text in reasons)


def experiment(made: Writer, found: Run) -> Blocks:
    """What changed, what it did, what that supports."""
    rows = [
        [code(name), shown(change["before"]), shown(change["after"])]
        for name, change in found["changed"].items()
    ]
    if rows:
        yield table(made.titles(tr("symbol"), tr("before"), tr("after")), rows, right=(1, 2))
    rows = [
        [name, shown(found[name]["measured"]), shown(found[name]["expected"])]
        for name in ("TPOT", "X")
        if found[name]["measured"]
    ]
    states = runs.words()["states"]
    rows += [
        [made.title(h["text"]), made.title(states[h["state"]]), shown(h["expected"])]
        for h in found["hypotheses"]
    ]
    heads = made.titles(tr("after over before"), tr("measured"), tr("expected"))
    yield table(heads, rows, right=(1, 2))
    yield made.prose(found["reading"])


def file(made: Writer, run: Run) -> Blocks:
    """Where the figures of a run stand, and what its file leaves open."""
    line = f":{run['line']}" if run["line"] else ""
    said = "".join(f" · {made.title(name)} {escape(text)}" for name, text in run["said"])
    yield f"**{numbered(run)}** {escape(run['tool'])} · {code(run['file'] + line)}{said}"
    items = [
        made.item(
            f"{code(f['id'])} {shown(f)} {code(f['field'])} ".rstrip() + " ", f["note"]
        ).rstrip()
        for f in run["taken"]
    ]
    if not run["taken"] and not run["kernels"]:
        items = [
            f"- {shown(f)} {made.title(f['meaning'])}, {made.title(f['statistic_name'])} "
            f"{code(f['field'])}"
            for f in run["figures"]
        ]
    items += [made.item("", note) for note in run["told"]]
    yield "\n".join(items)
