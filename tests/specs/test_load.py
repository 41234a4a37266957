"""Finding and loading: names, aliases, paths, roots, and every refusal."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.errors import DeriveError, render
from derive.specs import load
from derive.specs.lookup import ENVIRONMENT, spec_roots, specs_home
from tests.clock import within

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Edit: TypeAlias = Callable[..., Path]

SCENARIO = "scenarios/llama-3-70b-on-4x-h100.yaml"
H100 = "hardware/nvidia-h100-sxm5-80gb.yaml"
MODEL = "models/llama-3-70b.yaml"
INLINE = (
    "calibration:\n  MFU: [0.40, 0.50, 0.60]\n  MBU: [0.55, 0.60, 0.70]\n"
    "  source: [databricks2023, pope2022]\n"
)


def message(call: Callable[..., object], *args: object, **more: object) -> str:
    with pytest.raises(DeriveError) as caught:
        call(*args, **more)
    return render(caught.value)


# --- names


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("nvidia-h100-sxm5-80gb", "nvidia-h100-sxm5-80gb"),
        ("NVIDIA-H100-SXM5-80GB", "nvidia-h100-sxm5-80gb"),
        ("h100 sxm5", "nvidia-h100-sxm5-80gb"),
        ("H100-SXM5-80GB", "nvidia-h100-sxm5-80gb"),
        ("A100 80GB SXM", "nvidia-a100-sxm4-80gb"),
        ("MI300X", "amd-mi300x-192gb"),
        ("4090", "nvidia-rtx-4090-24gb"),
        ("Trillium", "google-tpu-v6e"),
    ],
)
def test_hardware_by_id_or_alias(name: str, found: str) -> None:
    assert load.hardware(name).id == found


def test_an_ambiguous_alias_lists_its_candidates() -> None:
    text = message(load.hardware, "A100")
    for name in ("pcie-40gb", "pcie-80gb", "sxm4-40gb", "sxm4-80gb"):
        assert f"nvidia-a100-{name}" in text


def test_an_unknown_name_gets_one_suggestion() -> None:
    assert "did you mean RTX 5090?" in message(load.hardware, "RTX 5099")
    assert "did you mean" not in message(load.hardware, "zzzzzzzz")
    assert "derive hardware lists" in message(load.hardware, "zzzzzzzz")


@pytest.mark.parametrize(
    "name",
    ["../models/llama-3-70b", "..", "/etc/passwd", "a\\b", "x.yaml", "", " ", "\0", "é\n", "~root"],
)
def test_no_name_leaves_the_spec_directories(name: str, problems: Callable[..., list[str]]) -> None:
    for get in (load.hardware, load.model, load.calibration):
        assert problems(get, name) == ["S404"]


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_name_is_found_or_refused(name: str) -> None:
    try:
        load.model(name)
    except DeriveError as error:
        assert render(error)  # noqa: PT017


# --- roots


def test_user_directories_add_and_never_hide(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, problems: Callable[..., list[str]]
) -> None:
    (tmp_path / "models").mkdir()
    own = tmp_path / "models" / "mine.yaml"
    text = (home / MODEL).read_text("utf-8").replace("id: llama-3-70b", "id: mine")
    own.write_text(text.replace("aliases: [Llama-3-70B,", "aliases: [My-70B,"), "utf-8")
    roots = spec_roots([tmp_path])
    assert "mine" in load.names("model", roots)
    assert load.model("my 70b", roots).id == "mine"
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    assert load.model("mine").id == "mine"
    own.rename(tmp_path / "models" / "llama-3-70b.yaml")
    assert problems(load.model, "llama-3-70b") == ["S403"]


def test_a_root_that_is_not_there_is_said(problems: Callable[..., list[str]]) -> None:
    assert problems(spec_roots, ["/nonexistent/specs"]) == ["S101"]


def test_a_root_may_bring_its_own_sources(tmp_path: Path, edited: Edit) -> None:
    (tmp_path / "sources.yaml").write_text("lab: {title: Our bench, date: 2026-01}\n", "utf-8")
    edited(H100, ("source: nv-h100-page", "source: lab"), name="hw.yaml")
    case = edited(SCENARIO, ("hardware: nvidia-h100-sxm5-80gb", "hardware: hw.yaml"))
    found = load.scenario(str(case), spec_roots([tmp_path]))
    assert found.hardware.marketed.sources == ("lab",)
    assert "unknown source lab" in message(load.scenario, str(case))


@pytest.mark.parametrize(
    "entry", ["lab: {}", "lab: x", "lab: {title: a, note: b}", "lab: {title: [a]}"]
)
def test_a_broken_sources_file_is_said(
    entry: str, tmp_path: Path, problems: Callable[..., list[str]]
) -> None:
    (tmp_path / "sources.yaml").write_text(entry + "\n", "utf-8")
    assert problems(load.sources, [specs_home(), tmp_path]) == ["S409"]


def test_a_broken_neighbour_does_not_break_a_lookup(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "broken.yaml").write_text("a: [\n", "utf-8")
    roots = spec_roots([tmp_path])
    assert load.model("Meta-Llama-3-70B", roots).id == "llama-3-70b"
    assert "broken.yaml" in message(load.model, "no such model", roots)


# --- paths


def test_paths_are_relative_to_the_scenario(edited: Edit) -> None:
    edited(MODEL, ("layers: 80", "layers: 81"), name="model.yaml")
    case = edited(SCENARIO, ("model: llama-3-70b", "model: ./model.yaml"))
    assert load.scenario(str(case)).model.values["L"].quantity.base == 81


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("config.json", "S404"),
        ("./nothing.yaml", "S101"),
        (".", "S404"),
        ("./x.txt", "S404"),
        (str(specs_home() / H100), "S408"),
        (str(specs_home()) + "/", "S404"),
    ],
)
def test_references_that_are_no_model(
    reference: str, code: str, edited: Edit, problems: Callable[..., list[str]]
) -> None:
    case = edited(SCENARIO, ("model: llama-3-70b", f"model: {reference}"))
    assert problems(load.scenario, str(case)) == [code]


def test_a_scenario_must_be_one(problems: Callable[..., list[str]]) -> None:
    assert problems(load.scenario, str(specs_home() / H100)) == ["S408"]
    assert problems(load.scenario, "no-such-scenario") == ["S401"]
    assert problems(load.scenario, "missing.yaml") == ["S101"]
    assert problems(load.scenario, "model.json") == ["S404"]


# --- refusals, each with its place


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("devices: 4", "devices: 2.5", ["S303"]),
        ("devices: 4", "devices: 0", ["S304"]),
        ("devices: 4", "devices: -1", ["S304"]),
        ("devices: 4", "devices: 1e7", ["S305"]),
        ("devices: 4", "devices: nan", ["S309"]),
        ("devices: 4", "devices: inf", ["S309"]),
        ("devices: 4", "devices: 1e400", ["S305"]),
        ("devices: 4", "devices: 4 byte", ["S302"]),
        ("devices: 4", "devices: [4]", ["S203"]),
        ("devices: 4", "devices:", ["S204"]),
        ("devices: 4", "device: 4", ["S201"]),
        ("  requests: 8", "  requests: 8.5", ["S303"]),
        ("  arrival: 2 request/s", "  arrival: 2", ["S301"]),
        ("  arrival: 2 request/s", "  arrival: 2 token/s", ["S302"]),
        ("fraction: 0.90", "fraction: 0", ["S304"]),
        ("fraction: 0.90", "fraction: 1.01", ["S305"]),
        ("fraction: 0.90", "fraction: 90", ["S305"]),
        ("other: 0 GiB/device", "other: 0", ["S301"]),
        ("other: 0 GiB/device", "other: 2 GiB", ["S302"]),
        ("other: 0 GiB/device", "other: -1 GiB/device", ["S304"]),
        ("headroom: 0.70", "headroom: 0", ["S304"]),
        ("headroom: 0.70", "headroom: 1.2", ["S305"]),
        ("MFU: [0.40, 0.50, 0.60]", "MFU: [0.60, 0.50, 0.40]", ["S306"]),
        ("MFU: [0.40, 0.50, 0.60]", "MFU: [0.40, 0.50]", ["S307"]),
        ("MFU: [0.40, 0.50, 0.60]", "MFU: 0.5", ["S307"]),
        ("MFU: [0.40, 0.50, 0.60]", "MFU: [0.40, 0.50, 1.1]", ["S305"]),
        ("MFU: [0.40, 0.50, 0.60]", "MFU: {low: 0.4, typical: 0.5, top: 0.6}", ["S201"]),
        ("TTFT: 500 ms", "TTFT: 500", ["S301"]),
        ("TTFT: 500 ms", "TTFT: 500 ms/token", ["S302"]),
        ("TPOT: 25 ms/token", "TPOT: 25 ms", ["S302"]),
        ("TPOT: 25 ms/token", "TPOT: 25", ["S301"]),
        ("price: 2.50 USD/hour/device", "price: 2.50", ["S301"]),
        ("price: 2.50 USD/hour/device", "price: 2.50 USD/hour", ["S302"]),
        ("date: 2026-11-30", "date: 2026-02-30", ["S208"]),
        ("date: 2026-11-30", "date: 2026-W48-1", ["S208"]),
        ("weights: bf16", "weights: tf32", ["S205"]),
        ("compute: bf16", "compute: fp4", ["S406"]),
        ("sparsity: dense", "sparsity: sparse", ["S205"]),
        ("model: llama-3-70b", "model: llama-3-71b", ["S401"]),
        ("hardware: nvidia-h100-sxm5-80gb", "hardware: H100", ["S402"]),
        ("scenario: llama-3-70b-on-4x-h100", "scenario: ../x", ["S209"]),
        ("  en: Llama 3 70B chat on four H100\n", "", ["S202"]),
        ("workload:", "workload: heavy\nnotes:", ["S203", "S203"]),
    ],
)
def test_scenario_refusals(
    old: str, new: str, codes: list[str], edited: Edit, problems: Callable[..., list[str]]
) -> None:
    case = edited(SCENARIO, (old, new))
    assert problems(load.scenario, str(case)) == codes
    text = message(load.scenario, str(case))
    assert "case.yaml" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("value: 3.35 TB/s", "value: 3.35", ["S301"]),
        ("value: 3.35 TB/s", "value: 3.35 TFLOP/s", ["S302"]),
        ("value: 3.35 TB/s", "value: 3.35e7 TB/s", ["S305"]),
        ("value: 3.35 TB/s", "value: 0 TB/s", ["S304"]),
        ("value: 81559 MiB", "value: 81559 GiB", ["S308"]),
        ("dense: {value: 989.5 TFLOP/s", "dense: {value: 989 TFLOP/s", ["S210"]),
        (
            "dense: {value: 989.5 TFLOP/s, from: half of with_sparsity", "dense: {value: 2 PFLOP/s",
            ["S308"],
        ),
        ("per_direction: {value: 450 GB/s", "per_direction: {value: 400 GB/s", ["S210"]),
        ("engine: vector\n    dense:", "engine: vector\n    dens:", ["S207", "S201"]),
        ("grade: A", "grade: D", ["S205"]),
        ("from: half of with_sparsity", "from: half", ["S205"]),
        ("year: 2022", "year: 22", ["S208"]),
        ("power: {value: 700 W", "power: {watts: 700 W", ["S202", "S201"]),
        ("  bandwidth:", "  bandwith:", ["S201"]),
        ("peak:\n", "peak:\n  fp12: {dense: 1 TFLOP/s}\n", ["S201"]),
        ("  zh: NVIDIA H100 SXM5 80 GB\n", "", ["S202"]),
        ("value: 3072 GB/s", "value: 3072 GB", ["S302"]),
        ("source: llmv", "source: nobody", ["S405"]),
        ("source: llmv, ", "", ["S202"]),
        ("value: 3072 GB/s", "same: maybe, value: 3072 GB/s", ["S205"]),
        ("value: 3072 GB/s", "grade: A, value: 3072 GB/s", ["S201"]),
        ("lacks: [fp4, int4]", "lacks: [fp4, fp3]", ["S205"]),
        ("lacks: [fp4, int4]", "lacks: fp4", ["S203"]),
        ("lacks: [fp4, int4]", "lacks: [fp8]", ["S308"]),
        ("{name: HGX, devices: 8", "{name: HGX, devices: 1", ["S305"]),
        ("{name: HGX, devices: 8, all_to_all: true}", "HGX", ["S203"]),
    ],
)  # fmt: skip
def test_hardware_refusals(
    old: str, new: str, codes: list[str], edited: Edit, problems: Callable[..., list[str]]
) -> None:
    edited(H100, (old, new), name="hw.yaml")
    case = edited(SCENARIO, ("hardware: nvidia-h100-sxm5-80gb", "hardware: hw.yaml"))
    assert problems(load.scenario, str(case)) == codes


def test_what_other_sources_print_stands_beside_the_figure() -> None:
    found = load.hardware("nvidia-b300-hgx")
    blog, page = found.marketed.also
    assert (blog.value.text, blog.same) == ("288 GB", True)
    assert blog.value.quantity.unit.text == "GB/device"
    assert blog.value.sources == ("nv-bu-blog",)
    assert (page.value.text, page.same) == ("262.5 GB", False)
    assert [(d.name, d.devices, d.all_to_all) for d in found.domains] == [("HGX", 8, True)]


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("value: 70553706496 param", "value: 70553706496", ["S301"]),
        ("value: 70553706496 param", "value: 70553706496.5 param", ["S303"]),
        ("value: 70553706496 param", "value: 7e16 param", ["S305"]),
        ("value: 70553706496 param", "value: 1000 param", ["S308"]),
        ("value: 70553706496 param", "value: 70 GB", ["S302"]),
        ("layers: 80", "layers: 80.5", ["S303"]),
        ("layers: 80", "layers: 0", ["S304"]),
        ("kv_heads: 8", "kv_heads: 128", ["S308"]),
        ("kv_heads: 8", "kv_heads: 7", ["S308"]),
        ("tied_embeddings: false", "tied_embeddings: no", ["S205"]),
        ("native: bf16", "native: float16", ["S205"]),
        ("native: bf16", "active_parameters: 1e12 param\nnative: bf16", ["S308"]),
        ("source: [config-llama-3-70b, llama3-2024]", "source: [config-llama-3-71b]", ["S405"]),
    ],
)
def test_model_refusals(
    old: str, new: str, codes: list[str], edited: Edit, problems: Callable[..., list[str]]
) -> None:
    edited(MODEL, (old, new), name="model.yaml")
    case = edited(SCENARIO, ("model: llama-3-70b", "model: model.yaml"))
    assert problems(load.scenario, str(case)) == codes


def test_all_problems_of_a_file_come_together_and_in_its_words(edited: Edit) -> None:
    case = edited(
        SCENARIO,
        ("devices: 4", "devices: 2.5"),
        ("TTFT: 500 ms", "TTFT: 500"),
        ("headroom: 0.70", "hedroom: 0.70"),
        ("model: llama-3-70b", "model: llama-3-7b"),
    )
    text = message(load.scenario, str(case))
    for part in (
        "S303",
        "S301",
        "S201",
        "S401",
        "did you mean headroom?",
        "500 ms or 500 s",
        ":8:10",
    ):
        assert part in text


def test_a_wrong_dimension_shows_both_expanded_and_aligned(edited: Edit) -> None:
    edited(H100, ("value: 3.35 TB/s", "value: 3.35 TFLOP/s"), name="hw.yaml")
    case = edited(SCENARIO, ("hardware: nvidia-h100-sxm5-80gb", "hardware: hw.yaml"))
    text = message(load.scenario, str(case))
    assert "found a compute rate, expected a data rate" in text
    assert "      found      operation / time     3.35 TFLOP/s" in text
    assert "      expected   information / time   TB/s" in text
    assert "hw.yaml:37:12  memory.bandwidth" in text


def test_a_precision_without_a_peak_lists_those_there_are(edited: Edit) -> None:
    case = edited(SCENARIO, ("hardware: nvidia-h100-sxm5-80gb", "hardware: nvidia-v100-sxm2-16gb"))
    text = message(load.scenario, str(case))
    assert "no bf16 peak (dense)" in text
    assert "fp16   dense 125 TFLOP/s" in text


# --- readings


def test_numbers_are_exact_and_never_octal_or_float(edited: Edit) -> None:
    case = edited(SCENARIO, ("fraction: 0.90", "fraction: 0.1"), ("requests: 8", "requests: 012"))
    values = load.scenario(str(case)).values
    assert values["M_frac"].quantity.base == Fraction(1, 10)
    assert values["b"].quantity.base == 12


@pytest.mark.parametrize(
    ("old", "new", "symbol", "value"),
    [
        ("fraction: 0.90", "fraction: 90 %", "M_frac", Fraction(9, 10)),
        ("input: 2048 token/request", "input: 2048", "T_in", Fraction(2048)),
        ("input: 2048 token/request", "input: 243.7", "T_in", Fraction(2437, 10)),
        ("requests: 8", "requests: 8 request", "b", Fraction(8)),
        ("other: 0 GiB/device", "other: 2 GiB/GPU", "M_other", Fraction(2**31)),
        ("output: 256 token/request", "output: 256\n  context: 1024", "T", Fraction(1024)),
    ],
)
def test_admissible_notations(
    old: str, new: str, symbol: str, value: Fraction, edited: Edit
) -> None:
    case = edited(SCENARIO, (old, new))
    assert load.scenario(str(case)).values[symbol].quantity.base == value


def test_hardware_figures_are_per_device_said_or_not(edited: Edit) -> None:
    edited(H100, ("value: 3.35 TB/s", "value: 3.35 TB/s/GPU"), name="hw.yaml")
    case = edited(SCENARIO, ("hardware: nvidia-h100-sxm5-80gb", "hardware: hw.yaml"))
    assert load.scenario(str(case)).hardware.bandwidth.quantity.unit.text == "TB/s/device"


def test_defaults_are_stated_in_both_languages(edited: Edit) -> None:
    case = edited(
        SCENARIO,
        ("  fraction: 0.90\n", ""),
        ("headroom: 0.70\n", ""),
        ("  kv_cache: bf16\n", ""),
        ("  sparsity: dense\n", ""),
        (INLINE, ""),
    )
    scenario = load.scenario(str(case))
    said = [t.en for t in scenario.assumed]
    assert len(said) == 5
    assert any("public-2023" in s for s in said)
    assert all(t.zh for t in scenario.assumed)
    assert scenario.calibration is not None
    assert scenario.precision["kv_cache"] == "bf16"


def test_ad_hoc_scenarios_go_through_the_same_checks(problems: Callable[..., list[str]]) -> None:
    wanted = {"model": "llama-3.1-8b", "hardware": "l4", "devices": 1, "batch": 8}
    wanted |= {"input": 512, "output": 64}
    made = load.ad_hoc(**wanted)
    assert made.id == "llama-3.1-8b-on-1x-nvidia-l4-24gb"
    assert made.title.en == "Llama 3.1 8B on 1 × NVIDIA L4 24 GB"
    assert len(made.assumed) == 8
    more = load.ad_hoc(**wanted, precision__weights="fp8", slo__TPOT="50 ms/token", sets=["b=2"])
    assert more.precision["weights"] == "fp8"
    assert more.values["b"].quantity.base == 2
    assert problems(load.ad_hoc, **{**wanted, "devices": 1.5, "batch": "x"}) == ["S303", "S309"]
    assert "--devices: 1.5" in message(load.ad_hoc, **{**wanted, "devices": "1.5"})
    assert problems(load.ad_hoc, **wanted, precision__wieghts="fp8") == ["S201"]


def test_inline_ranges_carry_their_sources() -> None:
    scenario = load.scenario("llama-3-70b-on-4x-h100")
    assert all(v.sources == ("databricks2023", "pope2022") for v in (*scenario.MFU, *scenario.MBU))


def test_a_named_calibration_keeps_its_sources(edited: Edit) -> None:
    inline = INLINE
    case = edited(SCENARIO, (inline, "calibration: public-2023\n"))
    scenario = load.scenario(str(case))
    assert scenario.MBU[0].sources == ("databricks2023",)
    assert scenario.calibration is not None
    assert scenario.calibration.id == "public-2023"


# --- anything else

VALUES = st.one_of(
    st.text(alphabet="0123456789.,eE+-/%[]{}:#&*!'\" abtTGsFLOP微万亿每", max_size=24),
    st.sampled_from(["1e60", "-0", "0.0 GB", "[1, [2, 3]]", "{value: 1}", "~", "9" * 150, "1/0 s"]),
)


@given(line=st.integers(min_value=0, max_value=27), value=VALUES)
@settings(max_examples=150, deadline=None)
def test_any_value_at_any_key_loads_or_is_refused(line: int, value: str) -> None:
    text = (specs_home() / SCENARIO).read_text("utf-8")
    lines = text.splitlines()[1:]
    key = lines[line % len(lines)].partition(":")[0]
    lines[line % len(lines)] = f"{key}: {value}"
    document = "\n".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.yaml"
        path.write_text(document, "utf-8")
        try:
            load.scenario(str(path))
        except DeriveError as error:
            assert render(error)  # noqa: PT017
            assert render(error, "zh")  # noqa: PT017


# --- speed


def test_loading_is_fast_and_needs_no_algebra() -> None:
    code = (
        "import sys, time; from derive.specs import load; from derive.units import read_quantity;"
        "read_quantity('1 s').base; t = time.process_time();"
        "load.scenario('llama-3-70b-on-4x-h100'); d = time.process_time() - t;"
        "print(d, [m for m in ('sympy', 'jinja2', 'weasyprint') if m in sys.modules])"
    )
    root = str(specs_home().parent)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    seconds, modules = done.stdout.split(" ", 1)
    assert modules.strip() == "[]"
    assert float(seconds) < 0.3  # of processor time; 20 ms at rest


def test_an_alias_is_found_without_reading_every_file() -> None:
    load.hardware("h100 sxm5")
    with within(0.5):
        load.hardware("h100 sxm5")
