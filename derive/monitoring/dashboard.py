"""The Grafana dashboard: what the rules record, with the ledger's bounds as reference lines."""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Mapping
from typing import Any

from derive.monitoring.deployment import Deployment
from derive.monitoring.panels import Panel, panels
from derive.monitoring.promql import number, quoted
from derive.monitoring.wording import languages
from derive.text import Text, tr

SCHEMA = 39  # of Grafana 11; newer ones migrate it
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
WIDTH, HEIGHT, HEAD = 12, 9, 4  # of the grid's 24 columns, and rows
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
VARIABLES = {"instance": Text("replica", "副本"), "model_name": Text("model", "模型")}


def dashboard(ledger: Mapping[str, Any], lang: str = "en") -> str:
    """The JSON of a dashboard over the recorded series of one ledger."""
    found = Deployment(ledger)
    made = [
        panel(found, one, at, lang) for at, one in enumerate(p for p in panels(found) if p.measured)
    ]
    record = {
        "uid": "derive-" + hashlib.sha256(found.id.encode()).hexdigest()[:24],
        "title": told(found.title, lang),
        "description": told(
            tr("Bounds of the ledger {hash}; needs the recording rules of the same ledger.",
               hash=found.hash), lang),
        "tags": ["derive", "llm"],
        "schemaVersion": SCHEMA,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "timepicker": {},
        "timezone": "browser",
        "annotations": {"list": [firing(found, lang)]},
        "templating": {"list": variables(found, lang)},
        "links": [],
        "panels": [verdict(found, lang), *made],
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def told(text: Text, lang: str) -> str:
    """A title or label in the languages asked for."""
    return " · ".join(dict.fromkeys(text.in_(each) for each in languages(lang)))


def selected(found: Deployment, name: str) -> str:
    """A recorded series, narrowed by the choices at the top of the page."""
    chosen = "".join(f',{label}=~"${label}"' for label in VARIABLES)
    return f"derive:{name}{{scenario={quoted(found.id)}{chosen}}}"


def variables(found: Deployment, lang: str) -> list[dict[str, Any]]:
    """The data source, then what tells replicas apart."""
    made: list[dict[str, Any]] = [
        {
            "name": "datasource", "label": "Prometheus", "type": "datasource",
            "query": "prometheus", "hide": 0, "refresh": 1, "regex": "", "options": [],
            "multi": False, "includeAll": False, "skipUrlSync": False, "current": {},
        }
    ]  # fmt: skip
    series = f"derive:requests_running:mean5m{{scenario={quoted(found.id)}}}"
    for label, meaning in VARIABLES.items():
        query = f"label_values({series}, {label})"
        made.append(
            {
                "name": label, "label": told(meaning, lang), "type": "query", "datasource": SOURCE,
                "query": {"query": query, "refId": label}, "definition": query,
                "hide": 0, "refresh": 2, "sort": 1, "regex": "", "options": [],
                "multi": True, "includeAll": True, "allValue": ".*", "skipUrlSync": False,
                "current": {"text": ["All"], "value": ["$__all"]},
            }
        )  # fmt: skip
    return made


def firing(found: Deployment, lang: str) -> dict[str, Any]:
    """The alerts of this scenario as marks on every chart."""
    return {
        "name": told(Text("alerts", "告警"), lang),
        "datasource": SOURCE,
        "enable": True,
        "hide": False,
        "iconColor": "red",
        "expr": f'ALERTS{{scenario={quoted(found.id)},alertstate="firing"}}',
        "titleFormat": "{{alertname}}",
        "textFormat": "{{instance}}",
        "tagKeys": "severity,basis",
        "step": "60s",
    }


def verdict(found: Deployment, lang: str) -> dict[str, Any]:
    """What the ledger says, at the head of the page."""
    sentence = Text(**found.ledger["verdict"]["sentence"])
    rows = [sentence.in_(each) for each in languages(lang)]
    content = "\n\n".join(html.escape(row, quote=False) for row in (*rows, f"`{found.hash}`"))
    return {
        "id": 1,
        "type": "text",
        "title": "",
        "gridPos": {"h": HEAD, "w": 2 * WIDTH, "x": 0, "y": 0},
        "options": {"mode": "markdown", "content": content},
    }


def panel(found: Deployment, one: Panel, at: int, lang: str) -> dict[str, Any]:
    """One chart: measured series, then reference lines as constant series, then alert thresholds."""
    targets, overrides = [], []
    for ref, (name, legend) in zip(LETTERS, one.measured, strict=False):
        label = told(legend, lang)
        targets.append(target(ref, selected(found, name), f"{{{{instance}}}} {label}"))
    for ref, line in zip(LETTERS[len(targets) :], one.lines, strict=False):
        value = told(line.shown, lang)
        named = told(line.name, lang) + (f": {value}" if value else "")
        targets.append(target(ref, f"vector({number(line.value)})", named))
        overrides.append(dashed(ref, line.color))
    row, column = divmod(at, 2)
    return {
        "id": at + 2,
        "type": "timeseries",
        "title": told(one.title, lang),
        "description": told(one.description, lang),
        "datasource": SOURCE,
        "gridPos": {"h": HEIGHT, "w": WIDTH, "x": column * WIDTH, "y": HEAD + row * HEIGHT},
        "targets": targets,
        "fieldConfig": {
            "defaults": {
                "unit": one.unit,
                "min": 0,
                "color": {"mode": "palette-classic"},
                "custom": {
                    "drawStyle": "line",
                    "lineWidth": 1,
                    "fillOpacity": 0,
                    "showPoints": "never",
                    "spanNulls": False,
                    "thresholdsStyle": {"mode": "line" if len(one.steps) > 1 else "off"},
                },
                "thresholds": {
                    "mode": "absolute",
                    "steps": [
                        {"color": color, "value": float(value) if value is not None else None}
                        for value, color in one.steps
                    ],
                },
            },
            "overrides": overrides,
        },
        "options": {
            "legend": {
                "displayMode": "table",
                "placement": "bottom",
                "showLegend": True,
                "calcs": ["lastNotNull", "max"],
            },
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
    }


def target(ref: str, expr: str, legend: str) -> dict[str, Any]:
    """One query."""
    return {
        "refId": ref,
        "datasource": SOURCE,
        "expr": expr,
        "legendFormat": legend,
        "editorMode": "code",
        "range": True,
        "instant": False,
    }


def dashed(ref: str, color: str) -> dict[str, Any]:
    """A reference line looks otherwise than what is measured."""
    return {
        "matcher": {"id": "byFrameRefID", "options": ref},
        "properties": [
            {"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [10, 10]}},
            {"id": "color", "value": {"mode": "fixed", "fixedColor": color}},
        ],
    }
