"""Every figure of the articles with a value comes out as recomputed by hand."""

from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from derive.derivation.points import Point
from derive.expression.grammar import parse
from derive.expression.value import value
from derive.formula import catalogue
from derive.units import read

ROWS = yaml.safe_load((Path(__file__).parent / "article-figures.yaml").read_text(encoding="utf-8"))


def half_unit(number: str) -> Fraction:
    """Half a unit of the last printed digit."""
    decimals = number.partition(".")[2]
    return Fraction(1, 2) / 10 ** len(decimals)


@pytest.mark.parametrize("row", ROWS, ids=[f"{r['id']}-{i}" for i, r in enumerate(ROWS)])
def test_figure(row: dict) -> None:
    if "expression" in row:
        found = value(parse(row["expression"]), pytest.fail)
    elif "text" in row:
        found = read(row["text"]).quantity.base
    else:
        given = {k: read(v).quantity.base for k, v in row["given"].items() if k != row["quantity"]}
        found = Point(given).get(row["quantity"])
        assert row["quantity"] in catalogue()
    expected = read(row["value"]).quantity
    slack = half_unit(row["value"].split(" ")[0]) * expected.unit.factor
    assert abs(found - expected.base) <= slack
