"""The checklist for machines: Prometheus rules, their unit tests and a Grafana dashboard."""

from derive.monitoring.dashboard import dashboard
from derive.monitoring.rule_tests import rules_tests
from derive.monitoring.rules import rules

__all__ = ["dashboard", "rules", "rules_tests"]
