"""Scenario and formulas become a ledger: binding, calibres, regimes, findings, figures."""

from derive.study.assemble import explain, study

__all__ = ["explain", "study"]
