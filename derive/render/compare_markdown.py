"""A comparison as Markdown: plain tables, both languages one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from derive.render import compared
from derive.render.checklist_markdown import Language
from derive.render.markdown_text import code, escape, signed, table
from derive.render.words import MODES, seen
from derive.text import tr

Record = Mapping[str, Any]


def document(record: Record, lang: str) -> str:
    """The whole document; the derivations stand once."""
    says = [Language(each) for each in MODES[lang]]
    blocks = [f"# {' / '.join(dict.fromkeys(say(compared.title(record)) for say in says))}"]
    for say in says:
        blocks += [f"## {say.name}"] if len(says) > 1 else []
        blocks += verdicts(record, say)
    blocks.append(f"## {' / '.join(say(tr('The same derivations side by side')) for say in says)}")
    blocks += sheets(record, says)
    return seen("\n\n".join(b for b in blocks if b) + "\n")


def verdicts(record: Record, say: Language) -> Iterator[str]:
    """The overview, then a candidate after the other."""
    names = compared.row_names()
    heads = [say(tr("candidate")), *(say(names[row]) for row in compared.HEADLINE)]
    yield table(heads, [overview(row, say) for row in compared.overview(record)])
    for c in compared.candidates(record):
        yield f"### {c['number']} {code(c['name'])}"
        yield f"**{say(c['verdict'])}**"
        yield "\n".join(f"- {code(row)}: {say(why['text'])}" for row, _, why in c["why"])
        heads = [say(h) for h in (tr("quantity"), tr("base"), tr("candidate"), tr("ratio"))]
        rows = [
            [say(r["name"]), escape(r["base"]), escape(r["here"]), r["ratio"]] for r in c["table"]
        ]
        yield table(heads, rows, right=(1, 2, 3))


def overview(row: Mapping[str, Any], say: Language) -> list[str]:
    """A candidate's line of the overview."""
    name = code(f"{row['number']} {row['name']}") if row["number"] else say(tr("base"))
    if not row["fits"]:
        name += f" ({say(tr('does not fit'))})"
    cells = []
    for cell in row["cells"]:
        times = f" ({cell['ratio_shown']})" if row["number"] and cell["ratio"] is not None else ""
        cells.append(escape(cell["display"]) + times)
    return [name, *cells]


def sheets(record: Record, says: list[Language]) -> Iterator[str]:
    """The derivations: formula, then a row a candidate."""
    for sheet in compared.sheets(record):
        yield f"### {code(sheet['id'])}"
        yield " / ".join(dict.fromkeys(say(sheet["name"]) for say in says))
        for form in sheet["forms"]:
            yield code(signed(f"{sheet['id']} = {form['text']}"))
            heads = ["", *(f"{code(n)} {escape(unit)}".strip() for n, unit in form["heads"])]
            rows = [[str(r["number"]), *(escape(c) for c in r["cells"])] for r in form["rows"]]
            yield table(heads, rows)
