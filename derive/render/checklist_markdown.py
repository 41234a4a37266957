"""The checklist as Markdown for repositories and wikis: plain tables and lists, no raw HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from derive.render import sections
from derive.render.facts import plain_facts
from derive.render.markdown_text import anchor, code, escape, linked, signed, table
from derive.render.short import referred, short
from derive.render.words import MODES, Given, glued, seen, texts
from derive.text import Text, tr

Link = Callable[[str], str]


def document(ledger: Mapping[str, Any], lang: str, date: str) -> str:
    """The whole document; two languages stand one after the other, derivations once."""
    both = lang == "both"
    blocks = [f"# {title(ledger, lang)}"]
    for each in MODES[lang]:
        say = Language(each)
        if both:
            blocks.append(f"## {say.name}")
        blocks += head(ledger, say, date)
        blocks += groups(ledger, say, lambda name: linked(name, anchor(name)), 3 if both else 2)
    blocks += derivations(ledger, [Language(each) for each in MODES[lang]])
    blocks += reproduce(ledger, [Language(each) for each in MODES[lang]])
    return seen("\n\n".join(b for b in blocks if b) + "\n")


class Language:
    """Words of one language as Markdown."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self.name = "中文" if lang == "zh" else "English"

    def __call__(self, words: Given | None) -> str:
        """One line of text."""
        en, zh = texts(words)
        return escape(glued(zh if self.lang == "zh" else en))


def title(ledger: Mapping[str, Any], lang: str) -> str:
    """What it is, of what."""
    kind, of = sections.checklist_kind(), ledger["scenario"]["title"]
    parts = [f"{Language(each)(kind)}{'：' if each == 'zh' else ': '}{Language(each)(of)}"
             for each in MODES[lang]]  # fmt: skip
    return " / ".join(parts)


def head(ledger: Mapping[str, Any], say: Language, date: str) -> Iterator[str]:
    """The verdict, and what was studied."""
    yield f"**{say(ledger['verdict']['sentence'])}**"
    facts = [f"{say(label)} {say(text)}" for label, text in plain_facts(ledger)]
    if date:
        facts.append(f"{say(tr('date'))} {date}")
    facts.append(f"{say(tr('ledger'))} {code(ledger['hash'][:19])}")
    yield ("；" if say.lang == "zh" else "; ").join(facts)


def groups(
    ledger: Mapping[str, Any], say: Callable[[Given | None], str], link: Link, level: int
) -> Iterator[str]:
    """A table a group: the question, the answer, where its threshold is from, its derivations."""
    names = sections.bases()
    for part, rows in sections.grouped(ledger["checklist"]):
        heads = [say(h) for h in (*sections.line_heads(part.key), tr("basis"), tr("derivation"))]
        yield f"{'#' * level} {say(part.title)}"
        yield table(
            heads,
            [
                [
                    f"**{say(row['question'])}**",
                    say(row["answer"]),
                    say(names.get(row["basis"], Text(row["basis"], row["basis"]))),
                    ", ".join(link(name) for name in row["refs"]),
                ]
                for row in rows
            ],
        )


def derivations(ledger: Mapping[str, Any], says: Sequence[Language]) -> Iterator[str]:
    """Formula, values and result of every id that a line refers to."""
    records = {record["id"]: record for record in ledger["derivations"]}
    yield f"## {' / '.join(say(tr('Derivations')) for say in says)}"
    for name in referred(ledger):
        if name not in records:
            continue
        record = records[name]
        yield f"### {code(name)}"
        yield " / ".join(dict.fromkeys(say(record["name"]) for say in says))
        result = ledger["results"][name]
        if result["value"] is None:
            yield " / ".join(dict.fromkeys(say(result["why"]) for say in says))
            continue
        lines = [f"{s['left']} {s['relation']} {s['right']}" for s in short(record)]
        yield "\n".join(f"- {code(signed(line))}" for line in lines) or "–"


def reproduce(ledger: Mapping[str, Any], says: Sequence[Language]) -> Iterator[str]:
    """How to prove it again."""
    told = tr(
        "The numbers are those of the ledger {hash}: derive checklist --to json writes it, "
        "derive verify proves it.",
        hash=ledger["hash"][:19],
    )
    yield "\n\n".join(dict.fromkeys(say(told) for say in says))
