"""What `derive model` prints of a request's cache at contexts: for a spec and a config alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from derive.text import Text, tr
from derive.units import Quantity, gib, show, unit

Rows = list[tuple[Text, str]]


def cache_rows(kv: dict[str, Any]) -> Rows:
    """Live bytes at each context, and what an engine reserves for them."""
    live, reserved = kv["bytes_at_context"], kv["reserved_bytes_at_context"]
    blocks, full = reserved["whole_blocks"], reserved["every_layer_in_full"]
    rows = []
    for t in live:
        rows += [
            (named(kv, int(t)), sized(live[t])),
            (tr("the same, reserved in blocks of {block} tokens", block=reserved["block_tokens"]),
             sized(blocks[t])),
        ]  # fmt: skip
        if full[t] != blocks[t]:
            rows.append((tr("the same, every layer reserved in full"), sized(full[t])))
    return rows


def named(kv: dict[str, Any], context: int) -> Text:
    """The row of live bytes at a context."""
    tokens = f"{context:,}"
    if kv["state_bytes_as_declared"]:
        name = tr("KV cache at {context} tokens, live, without the constant state", context=tokens)
    else:
        name = tr("KV cache at {context} tokens, live", context=tokens)
    if context in kv["contexts_beyond_max_position"]:
        return tr("{name}, beyond the longest context", name=name)
    return name


def sized(number: float | Fraction) -> str:
    """Bytes in GB with GiB beside."""
    quantity = Quantity(Fraction(number), unit("byte"))
    return f"{show(quantity).text} ({gib(quantity).text})"
