"""JSON Schemas for editors, made from the same fields that validate.

Run as a module to write them: python -m derive.specs.schema [DIRECTORY]
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from derive.specs.claims_fields import CLAIMS
from derive.specs.fields import ALSO, OTHER, PROVENANCE, Field
from derive.specs.hardware_fields import HARDWARE
from derive.specs.measurement_fields import MEASUREMENTS
from derive.specs.model_fields import CALIBRATION, MODEL
from derive.specs.scenario_fields import SCENARIO
from derive.specs.words import HOW

KINDS: dict[str, tuple[Field, ...]] = {
    "hardware": HARDWARE,
    "model": MODEL,
    "calibration": CALIBRATION,
    "scenario": SCENARIO,
    "claims": CLAIMS,
    "measurements": MEASUREMENTS,
}
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# an editor reads 0.40 as a number; with a unit it is a string: a number, then a unit
WITH_UNIT = r"^[^A-Za-z]*[0-9][^A-Za-z%]*[A-Za-z%].*$"
QUANTILE = r"^p([0-9]{1,2}(\.[0-9]{1,3})?|100)$"
BOTH_LANGUAGES = {"$ref": "#/$defs/bilingual"}
BILINGUAL = {
    "type": "object",
    "properties": {"en": {"type": "string"}, "zh": {"type": "string"}},
    "required": ["en", "zh"],
    "additionalProperties": False,
}
TEXT = {"type": ["string", "number"]}
NAME = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$"}
SIMPLE: dict[str, dict[str, Any]] = {
    "text": TEXT,
    "id": NAME,
    "reference": {"type": "string", "minLength": 1},
    "bool": {"type": "boolean"},
    "date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    "year": {"type": "integer", "minimum": 1900, "maximum": 2099},
    "bilingual": BOTH_LANGUAGES,
    "notes": {"type": "array", "items": BOTH_LANGUAGES},
    "texts": {"type": "array", "items": TEXT},
    "pairs": {"type": "object", "additionalProperties": TEXT},
    "words": {
        "anyOf": [
            TEXT,
            {"type": "array", "items": TEXT},
            {"type": "object", "additionalProperties": TEXT},
        ]
    },
    "keys": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "how": {"anyOf": [{"enum": list(HOW)}, BOTH_LANGUAGES]},
}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one kind of spec file."""
    return {
        "$schema": DIALECT,
        "$id": f"{kind}.schema.json",
        "title": f"derive: {kind} spec",
        **of_fields(KINDS[kind]),
        "$defs": {"bilingual": BILINGUAL, **{f.key: described(f) for f in PROVENANCE}},
    }


def of_fields(fields: tuple[Field, ...]) -> dict[str, Any]:
    """An object with exactly these keys."""
    required = [f.key for f in fields if f.required]
    return {
        "type": "object",
        "properties": {f.key: described(f) for f in fields},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def described(field: Field) -> dict[str, Any]:
    """One field with its meaning in both languages and its unit."""
    meaning = f"{field.means.en} · {field.means.zh}"
    unit = f" [{field.unit}]" if field.unit else ""
    return {"description": meaning + unit, **of_field(field)}


def of_field(field: Field) -> dict[str, Any]:
    """The value of one field."""
    if field.kind in SIMPLE:
        return SIMPLE[field.kind]
    if field.kind == "choice":
        return {"enum": list(field.choices)}
    if field.kind == "entries":
        return {"type": "array", "items": of_fields(field.fields)}
    if field.kind == "table":
        return of_fields(field.fields)
    if field.kind == "choices":
        return {"type": "array", "items": {"enum": list(field.choices)}, "uniqueItems": True}
    if field.kind == "rows":
        return {"type": "array", "items": of_fields(field.fields)}
    if field.kind == "either":
        return {"anyOf": [NAME, of_fields(field.fields)]}
    if field.kind == "triple":
        return triple(field)
    if field.quantiles:
        one = amount(field)
        names = {"type": "object", "additionalProperties": False, "minProperties": 2,
                 "patternProperties": {QUANTILE: one}}  # fmt: skip
        return {"anyOf": [one, names]}
    return with_provenance(field, amount(field))


def amount(field: Field) -> dict[str, Any]:
    """A figure as written: a string with a unit, and for counts and ratios a number too."""
    written: dict[str, Any] = {"type": "string", "pattern": WITH_UNIT}
    if field.likely:
        written["examples"] = [f"1 {u}" for u in field.likely]
    if field.kind == "quantity":
        return written
    number: dict[str, Any] = {"type": "integer" if field.whole else "number"}
    above = {"minimum": 0} if field.zero else {"exclusiveMinimum": 0}
    number |= {"minimum": field.least} if field.least else above
    if field.most:
        number["maximum"] = field.most
    return {"anyOf": [number, written]}


def with_provenance(field: Field, plain: dict[str, Any]) -> dict[str, Any]:
    """A figure, or the mapping of the figure and its provenance."""
    if not field.figure:
        return plain
    value = {"description": field.means.en, **plain}
    mapping = {
        "type": "object",
        "properties": {
            "value": value,
            **{f.key: {"$ref": f"#/$defs/{f.key}"} for f in PROVENANCE},
            **({"also": others(value)} if field.disputed else {}),
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    return {"anyOf": [plain, mapping]}


def others(value: dict[str, Any]) -> dict[str, Any]:
    """What other sources print: rows of a value and where it stands."""
    row = of_fields(OTHER)
    row["properties"] = {"value": value, **row["properties"]}
    row["required"] = ["value", *row["required"]]
    return {"description": f"{ALSO.en} · {ALSO.zh}", "type": "array", "items": row}


def triple(field: Field) -> dict[str, Any]:
    """Low, typical and high: a list of three, or a mapping."""
    kind = "quantity" if field.unit else "number"
    one = with_provenance(field, amount(replace(field, kind=kind, required=False)))
    names = ("low", "typical", "high")
    return {
        "anyOf": [
            {"type": "array", "items": one, "minItems": 3, "maxItems": 3},
            {
                "type": "object",
                "properties": dict.fromkeys(names, one),
                "required": list(names),
                "additionalProperties": False,
            },
        ]
    }


def text(kind: str) -> str:
    """The schema file's text."""
    return json.dumps(schema(kind), ensure_ascii=False, indent=2) + "\n"


def write(directory: Path) -> None:
    """Write every schema into a directory."""
    for kind in KINDS:
        (directory / f"{kind}.schema.json").write_text(text(kind), encoding="utf-8")


if __name__ == "__main__":
    import sys

    from derive.specs.lookup import specs_home

    write(Path(sys.argv[1]) if len(sys.argv) > 1 else specs_home() / "schemas")
