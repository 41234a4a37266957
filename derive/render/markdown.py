"""Markdown for repositories and wikis: headings, tables, formulas as plain text that reads back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from derive.render import cards as card_view
from derive.render import checklist_markdown, measured_markdown, page, sections
from derive.render.equations import Plain
from derive.render.markdown_text import anchor, code, escape, linked, signed, table
from derive.render.numbers import Shown, counted
from derive.render.words import Given, Words, glued, seen, set_signs, texts
from derive.text import Text, tr

Blocks = Iterator[str]


def document(ledger: Mapping[str, Any], lang: str, stem: str, date: str) -> str:
    """The whole document as GitHub-flavoured Markdown."""
    view = page.View(ledger, Words(lang, {}), Plain())
    made = Writer(view, stem)
    blocks = [*made.cover(date)]
    for part in view.parts:
        blocks.append(f"## {view.number[part.key]} {made.title(part.title)}")
        if part.lead:
            blocks.append(made.prose(part.lead))
        blocks += getattr(made, part.key)()
    blocks.append(f"## A {made.title(tr('Data of the figures'))}")
    blocks += made.data()
    if view.misconceptions:
        blocks.append(f"## B {made.title(tr('Common misconceptions'))}")
        blocks += made.misconceptions()
    return seen("\n\n".join(b for b in blocks if b) + "\n")


class Writer:
    """The parts of the document, each as blocks of Markdown; named after the sections."""

    def __init__(self, view: page.View, stem: str) -> None:
        self.view, self.w, self.ledger, self.stem = view, view.w, view.ledger, stem
        self.semicolon = "；" if self.w.langs[0] == "zh" else "; "

    def title(self, words: Given | None) -> str:
        """The languages on one line."""
        return escape(glued(self.w.plain(words)))

    def titles(self, *words: Text) -> list[str]:
        """Heads of a table."""
        return [self.title(each) for each in words]

    def prose(self, words: Given | None) -> str:
        """A paragraph a language."""
        chosen = dict(zip(("en", "zh"), texts(words), strict=True))
        return "\n\n".join(dict.fromkeys(escape(glued(chosen[lang])) for lang in self.w.langs))

    def unit(self, shown: Shown) -> str:
        """The unit behind a number: what is counted in words."""
        words = counted(shown)
        return self.title(words) if words else escape(shown.unit)

    def value(self, shown: Shown | None) -> str:
        """A displayed value, or a dash."""
        if shown is None:
            return "–"
        if counted(shown):
            return f"{escape(shown.sign + shown.number)} {self.unit(shown)}"
        return escape(glued(shown.text))

    def item(self, start: str, words: Given | None) -> str:
        """A list item with a paragraph a language."""
        return f"- {start}" + self.prose(words).replace("\n\n", "\n\n  ")

    def refs(self, keys: Sequence[str]) -> str:
        """Source numbers in brackets."""
        found = ", ".join(map(str, self.view.refs(keys)))
        return f" \\[{found}\\]" if found else ""

    def cover(self, date: str) -> Blocks:
        """Title, facts, verdict, large numbers."""
        yield f"# {self.title(self.view.scenario['title'])}"
        facts = [(self.title(label), escape(flat(text))) for label, text in self.view.facts()]
        if date:
            facts.append((self.title(tr("date")), date))
        yield table([self.title(sections.document_kind()), ""], facts)
        sentence = self.prose(self.view.verdict["sentence"])
        yield "\n\n".join(f"**{line}**" for line in sentence.split("\n\n"))
        heads = self.titles(tr("quantity"), tr("value"), tr("target"))
        yield table(heads, [self._tile(t) for t in self.view.tiles()])
        if self.view.verdict["lever"]:
            yield self.prose(self.view.verdict["lever"])

    def _tile(self, tile: Mapping[str, Any]) -> list[str]:
        details = [f"{self.title(label)} {escape(glued(text))}" for label, text in tile["rows"]]
        details += [self.title(note) for note in tile["notes"]]
        state = {"met": f"✓ {self.title(tr('met'))}", "missed": f"× {self.title(tr('missed'))}"}
        value = f"**{self.value(tile['shown'])}** {self.semicolon.join(details)}"
        return [self.title(tile["label"]), value, state.get(tile["state"], "")]

    def verdict(self) -> Blocks:
        """Findings and key results."""
        names = sections.severities()
        for finding in self.ledger["findings"]:
            name = names.get(finding["severity"], finding["severity"])
            yield self.item(f"**{self.title(name)}** ", finding["text"])
        yield f"### {self.title(tr('Key results'))}"
        rows = []
        for row in self.view.key_results():
            record = row["card"].record
            head = [code(record["id"]), self.title(record["name"])]
            if row["value"] is None:
                rows.append([*head, "–", "", "", "", self.title(row["why"]), ""])
                continue
            target = f"≤ {escape(glued(row['target']['shown']))}" if row["target"] else ""
            rows.append([*head, *map(escape, row["cells"]), self.unit(row["value"]), target])
        ends = (tr("typical"), tr("low"), tr("high"), tr("peak"))
        heads = self.titles(tr("symbol"), tr("quantity"), *ends, tr("unit"), tr("target"))
        yield table(heads, rows, right=(2, 3, 4, 5))

    def inputs(self) -> Blocks:
        """Inputs by group, calibration, constants."""
        symbol, meaning, value = tr("symbol"), tr("meaning"), tr("value")
        heads = self.titles(symbol, meaning, value, tr("unit"), tr("basis and origin"))
        for _, title, rows in self.view.input_groups():
            yield f"### {self.title(title)}"
            yield table(heads, [self._input(row) for row in rows], right=(2,))
        yield f"### {self.title(tr('Calibration ranges'))}"
        heads = self.titles(symbol, tr("low"), tr("typical"), tr("high"), tr("source"))
        ranges = [
            [code(c["id"]), *(escape(c[k]) for k in ("low", "typical", "high")),
             (self.title(c["how"]) + self.refs(c["sources"])).strip()]
            for c in self.view.calibration()
        ]  # fmt: skip
        yield table(heads, ranges, right=(1, 2, 3))
        yield f"### {self.title(tr('Notation'))}"
        yield table(
            self.titles(tr("constant"), value, tr("reason")),
            [
                [code(c["id"]), escape(glued(c["shown"])), self.title(c["reason"])]
                for c in self.ledger["constants"]
            ],
        )

    def _input(self, row: Mapping[str, Any]) -> list[str]:
        about = (self.title(row["tags"]), self.title(row["how"]), self.title(row["key"]))
        meaning = self.title(row["meaning"]) + self.refs(row["sources"])
        value = (escape(row["number"]), self.unit(row["parts"]))
        return [code(row["id"]), meaning, *value, self.semicolon.join(filter(None, about))]

    def bytes(self) -> Blocks:
        """The split of a step's bytes, and its cards."""
        rows = [
            [code(c.record["id"]), self.title(c.record["name"]), self.value(c.shown),
             escape(self.view.exact(c))]
            for c in self.view.bytes_rows()
        ]  # fmt: skip
        heads = self.titles(tr("part"), tr("meaning"), tr("value"), tr("exact"))
        yield table(heads, rows, right=(2, 3))
        yield f"### {self.title(tr('How the bytes are derived'))}"
        for card in self.view.bytes_cards:
            yield from self.card(card)

    def derivations(self) -> Blocks:
        """All groups of cards."""
        for number, (group, cards) in enumerate(self.view.groups, 1):
            yield f"### {self.view.number['derivations']}.{number} {self.title(group.title)}"
            for card in cards:
                yield from self.card(card)

    def card(self, card: card_view.Card) -> Blocks:
        """One derivation: result, steps, conditions, checks."""
        record = card.record
        yield f"#### {code(record['id'])} {self.title(record['name'])}"
        result = f"**{self.value(card.shown)}**"
        if card.low and card.high:
            result += (
                f"{self.semicolon}{self.title(tr('range'))} {card.low.number} – {card.high.number}"
            )
        if card.peak:
            result += f"{self.semicolon}{self.title(tr('peak'))} {card.peak.number}"
        yield result if card.shown else f"– {self.title(card.why)}"
        rows = [
            [self.title(s["rule_name"]), code(signed(card_view.alt(s))), self.title(s["reason"])]
            for s in record["steps"]
        ]
        if rows:
            yield table(self.titles(tr("step"), tr("formula"), tr("reason")), rows)
        for condition in record["conditions"]:
            holds = condition["holds"]
            sign, verdict = ("✓", tr("holds")) if holds else ("×", tr("does not hold"))
            line = f"{sign} {code(signed(condition['text']))} {self.title(verdict)}"
            told = holds or card.why == condition["meaning"]  # the meaning is that of a failure
            yield line if told else f"{line}: {self.title(condition['meaning'])}"
        if record["reading"]:
            yield self.prose(record["reading"])
        if record.get("range") and card.low:
            yield self.prose(record["range"]["text"])
        source = f"{self.title(tr('source'))}{self.refs(record['sources'])}"
        yield self.semicolon.join((escape(card.checked), source, code(card.pointer)))

    def figures(self) -> Blocks:
        """Titles and readings; the drawings are in HTML and PDF."""
        for number, figure in enumerate(self.ledger["figures"], 1):
            yield f"**{number} {self.title(figure['title'])}** (A.{number})"
            yield self.prose(figure["alt"])

    def levers(self) -> Blocks:
        """Elasticities by target."""
        if not self.ledger["levers"]:
            yield self.prose(tr("No target has a value here, so no lever can be weighed."))
        heads = self.titles(tr("input"), tr("what to do"), tr("elasticity"), tr("value"))
        for target, levers in self.view.levers():
            yield f"### {escape(target)}"
            rows = [
                [
                    code(r["lever"]),
                    self.title(r["action"]),
                    code(signed(r["tree"]) if r["formula"] else ""),
                    r["number"],
                ]
                for r in levers
            ]
            yield table(heads, rows, right=(3,))
            yield from map(self.prose, self.view.levers_missing(target))

    def audit(self) -> Blocks:
        """The vendor's figures with their verdicts."""
        words = self.view.audit_words
        for claim in self.view.claims():
            verdict = self.title(words["verdicts"][claim["verdict"]])
            yield f"- **{verdict}** {escape(claim['text'])}{self.refs_of(claim)}"
            for finding in claim["findings"]:
                yield "  " + self.prose(finding["message"]).replace("\n", "\n  ")

    def refs_of(self, claim: Mapping[str, Any]) -> str:
        """The source numbers of a claim in brackets."""
        numbers = ", ".join(map(str, claim["sources"]))
        return f" \\[{numbers}\\]" if numbers else ""

    def assumptions(self) -> Blocks:
        """What was left out."""
        yield from self.orders()
        yield from self.adding()
        rows = [[self.title(a["what"]), self.title(a["size"])] for a in self.ledger["assumptions"]]
        yield table(self.titles(tr("left out"), tr("size here")), rows)

    def orders(self) -> Blocks:
        """First order, second order and reachable side by side."""
        if rows := self.view.orders():
            yield f"### {self.title(tr('First order, second order and reachable'))}"
            yield table(
                ["", *map(self.title, self.view.order_heads())],
                [
                    [code(row["id"]), *(" · ".join(filter(None, c.values())) for c in row["shown"])]
                    for row in rows
                ],
            )
            if note := self.view.orders_note():
                yield self.prose(note)

    def adding(self) -> Blocks:
        """What more devices buy, by kind of parallelism."""
        if made := self.view.adding():
            yield f"### {self.title(tr('What more devices buy'))}"
            heads = [self.title(tr("twice of one kind")), "TP · PP · DP · EP"]
            heads += [
                code(h["id"]) + f" \\[{escape(h['unit'])}\\]" * bool(h["unit"])
                for h in made["heads"]
            ]
            rows = [
                [self.title(r["name"]), r["sizes"], *map(escape, r["cells"])] for r in made["rows"]
            ]
            yield table(heads, rows, right=range(2, len(heads)))
            yield "\n".join(self.item("", text) for text in made["what"])

    def checklist(self) -> Blocks:
        """The lines of the checklist, with links to the cards above."""
        yield from checklist_markdown.groups(self.ledger, self.title, self._card_link, 3)

    def _card_link(self, name: str) -> str:
        if name not in self.view.cards:  # its size stands among the assumptions
            return code(name)
        heading = f"{name} {glued(self.w.plain(self.view.cards[name].record['name']))}"
        return linked(name, anchor(heading))

    def measured(self) -> Blocks:
        """The runs beside their bounds."""
        yield from measured_markdown.sections(self, self.view.measured(), 3)

    def misconceptions(self) -> Blocks:
        """What is believed, why it misleads, what the numbers say."""
        heads = self.titles(
            tr("claim"), tr("why it misleads"), tr("numbers here"), tr("derivation")
        )
        rows = [
            [f"**{self.title(m['claim'])}**", self.title(m["why"]), self.title(m["here"]),
             ", ".join(map(self._card_link, m["refs"]))]
            for m in self.view.misconceptions
        ]  # fmt: skip
        yield table(heads, rows)

    def source_list(self) -> str:
        """The sources, numbered."""
        lines = []
        for number, s in enumerate(self.ledger["sources"], 1):
            by = ", ".join(filter(None, (s["publisher"], set_signs(s["date"]))))
            link = self.view.link(s["url"])
            parts = (escape(s["title"]), escape(by), f"<{link}>" if link else "")
            lines.append(f"{number}. {'. '.join(filter(None, parts))}")
        return "\n".join(lines)

    def sources(self) -> Blocks:
        """Numbered sources, notes, reproduction."""
        yield self.source_list()
        if self.ledger["notes"]:
            yield f"### {self.title(tr('Notes on the data'))}"
            yield "\n".join(self.item("", note) for note in self.ledger["notes"])
        yield f"### {self.title(tr('Reproduce'))}"
        asked = " ".join(self.view.asked().split())
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", asked)), default=0))
        yield f"{fence}sh\nderive report {asked}\nderive verify {self.stem}.json\n{fence}"
        hash_, program = code(self.ledger["hash"]), escape(self.ledger["program"])
        yield f"{self.title(tr('ledger hash'))}: {hash_}, {program}"

    def data(self) -> Blocks:
        """The figures' data."""
        for number, figure in enumerate(self.ledger["figures"], 1):
            yield f"### A.{number} {self.title(figure['title'])}"
            heads = [
                self.title(c["label"]) + (f" \\[{escape(c['unit'])}\\]" if c["unit"] else "")
                for c in figure["table"]["columns"]
            ]
            made = self.view.data_table(figure)
            rows = [[escape(cell) for cell in r] for r in made["rows"]]
            if made.get("labels"):
                heads = ["", *heads]
                rows = [[self.title(n), *r] for n, r in zip(made["labels"], rows, strict=True)]
            yield table(heads, rows, right=range(bool(made.get("labels")), len(heads)))


def flat(markup: Markup) -> str:
    """Markup as plain text, the languages on one line."""
    parted = str(markup).replace('</span> <span class="en"', '</span> / <span class="en"')
    return Markup(parted).striptags()  # noqa: S704 - becomes plain text here
