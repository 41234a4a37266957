"""Every line of the checklist, in the order in which a page prints them."""

from __future__ import annotations

from derive.study.bind import Bound
from derive.study.checklist.alerts import alerts
from derive.study.checklist.bands import bands
from derive.study.checklist.case import Case, Row, with_cards
from derive.study.checklist.experiments import experiments
from derive.study.checklist.levers import levers
from derive.study.checklist.numbers import numbers
from derive.study.checklist.questions import questions
from derive.study.checklist.symptoms import symptoms
from derive.study.checklist.targets import targets
from derive.study.checklist.trust import trust
from derive.study.finding import Results
from derive.study.levers import Elasticity

PARTS = (numbers, alerts, targets, questions, levers, experiments, symptoms, bands, trust)


def checklist(bound: Bound, results: Results, found: list[Elasticity]) -> list[Row]:
    """Every line this scenario has numbers for."""
    case = Case(bound, results, found)
    return [with_cards(row, results) for part in PARTS for row in part(case)]
