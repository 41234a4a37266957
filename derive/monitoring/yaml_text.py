"""YAML as people read it: the library quotes, expressions over several lines stand as blocks."""

from __future__ import annotations

from typing import Any

import yaml


class Dumper(yaml.SafeDumper):
    """Safe types only, no aliases."""

    def ignore_aliases(self, _: Any) -> bool:
        """Equal lists are written out."""
        return True


def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    """A string; a literal block where it has several lines."""
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


Dumper.add_representer(str, text)


def dump(data: Any) -> str:
    """One document, keys in the order given."""
    return str(yaml.dump(data, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=10_000))
