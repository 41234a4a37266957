"""Conditions that a claims file gives as a mapping, each key in the words of a sentence.

A sentence could be misread where keys and values stand side by side ("devices 4 user one"); here
each key has its own wording, and a key or a value that nothing is known of is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.audit.reading.lexicon import LEXICON, words
from derive.errors import printable
from derive.specs.faults import nearest
from derive.specs.nodes import Scalar, Table
from derive.text import tr

if TYPE_CHECKING:
    from derive.specs.faults import Faults

# key -> how its value reads
PHRASES = {
    "devices": "{} devices", "tp": "TP={}", "batch": "batch {}",
    "concurrency": "{} concurrent requests",
    "input": "{} input tokens", "output": "{} output tokens", "context": "context {}",
    "memory": "{} memory", "weights": "{} weights", "kv_precision": "KV cache {}",
}  # fmt: skip
ALSO = {"gpus": "devices", "count": "devices", "batch_size": "batch", "prompt": "input",
        "users": "concurrency"}  # fmt: skip
# key -> value -> words; other spellings of the lexicon are taken as they stand
CHOICES = {
    "precision": {p: p for p in LEXICON["precision"]},
    "sparsity": {"dense": "dense", "sparse": "with sparsity", "with_sparsity": "with sparsity"},
    "scope": {"device": "per device", "node": "per node", "rack": "per rack", "pod": "pod"},
    "direction": {"one": "per direction", "both": "both directions"},
    "user": {"one": "single user", "single": "single user", "all": "aggregate"},
    "calibre": {"peak": "peak", "achieved": "measured", "measured": "measured"},
    "bound": {"<=": "at most", ">=": "at least"},
}  # fmt: skip
KEYS = (*PHRASES, *CHOICES, *ALSO)


def phrases(table: Table, faults: Faults) -> tuple[str, ...]:
    """Every condition in words; what is unknown is noted where it stands."""
    made = []
    for written, node in table.entries.items():
        key = ALSO.get(written, written)
        value = node.text.strip() if isinstance(node, Scalar) else ""
        if key not in PHRASES and key not in CHOICES:
            what = tr("{key} is no condition that is known", key=printable(written, 40))
            faults.add(
                "A113", what, table.place_of(written), nearest(written, KEYS, 0.6), mark=written
            )
        elif key in CHOICES:
            made += choice(key, value, table, written, faults)
        elif value:
            made.append(PHRASES[key].format(value))
    return tuple(made)


def choice(key: str, value: str, table: Table, written: str, faults: Faults) -> list[str]:
    """The words of one of a few values, or a spelling that the lexicon has for this kind."""
    known = CHOICES[key]
    if value.lower() in known:
        return [known[value.lower()]]
    found = words().at(value, 0)
    if found and found[0] == len(value) and found[1][0] == key:
        return [value]
    if value:
        what = tr("{key}: {value} is none of {choices}", key=written, value=printable(value, 40),
                  choices=", ".join(known))  # fmt: skip
        faults.add("A113", what, table.place_of(written), nearest(value, known, 0.6), mark=value)
    return []
