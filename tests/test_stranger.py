"""A stranger adds a formula, an accelerator or a model by touching one place."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from derive.cli import main
from derive.formula import CATALOGUE, catalogue, formula
from derive.specs import load
from derive.specs.lookup import specs_home
from derive.study import study
from derive.verify import verify

SCENARIO = "llama-3-70b-on-4x-h100"


@pytest.fixture
def _fresh_formula():
    """A formula declared for one test."""

    catalogue()
    formula(
        "t_kv", r"t_{\mathrm{KV}}", "s",
        section="step",
        is_="KV_total / (g * B_peak)",
        name=("time to read the KV cache once", "读一遍 KV cache 的时间"),
        reason=("KV bytes over the bandwidth of all devices", "KV 字节数除以全部设备的带宽"),
        sources=("kipply2022",),
        example=({"KV_total": "6 GB", "g": "4 device", "B_peak": "3 TB/s/device"}, "500 us"),
    )  # fmt: skip
    yield
    del CATALOGUE["t_kv"]


@pytest.mark.usefixtures("_fresh_formula")
def test_a_new_formula_is_derived_evaluated_reported_and_verified() -> None:
    ledger = study(load.scenario(SCENARIO), load.sources())
    assert ledger["results"]["t_kv"]["display"]["en"] == "≈ 450.7 µs"
    card = next(d for d in ledger["derivations"] if d["id"] == "t_kv")
    assert {c["by"] for s in card["steps"] for c in s["checks"]} == {
        "points",
        "pint",
        "recomputed",
    }
    assert verify(ledger) == []


def test_a_new_accelerator_is_one_file(tmp_path: Path) -> None:
    text = (specs_home() / "hardware" / "nvidia-h100-sxm5-80gb.yaml").read_text(encoding="utf-8")
    folder = tmp_path / "hardware"
    folder.mkdir()
    changed = text.replace("id: nvidia-h100-sxm5-80gb", "id: acme-one").replace(
        "3.35 TB/s", "6.7 TB/s"
    )
    (folder / "acme-one.yaml").write_text(
        changed.replace("aliases:", "aliases: [Acme]\n#"), encoding="utf-8"
    )
    runs = [
        "eval",
        SCENARIO,
        "TPOT_floor",
        "--json",
        "--hardware",
        "acme-one",
        "--specs",
        str(tmp_path),
    ]
    done = CliRunner().invoke(main, runs)
    assert done.exit_code == 0, done.output
    value = json.loads(done.stdout)["values"]["TPOT_floor"]["value"]
    assert value == pytest.approx(10.5304e-3 / 2, rel=1e-5)


def test_a_new_model_is_one_file(tmp_path: Path) -> None:
    text = (specs_home() / "models" / "llama-3-70b.yaml").read_text(encoding="utf-8")
    folder = tmp_path / "models"
    folder.mkdir()
    changed = text.replace("id: llama-3-70b", "id: my-model").replace("layers: 80", "layers: 40")
    (folder / "my-model.yaml").write_text(
        changed.replace("aliases:", "aliases: [Mine]\n#"), encoding="utf-8"
    )
    done = CliRunner().invoke(
        main, ["eval", SCENARIO, "kappa", "--json", "--model", "my-model", "--specs", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["values"]["kappa"]["value"] == 163840
