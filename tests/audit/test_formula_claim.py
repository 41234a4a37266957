"""Formulas as people write them: reading, units of bare digits, the catalogue's own formula."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.audit.fields.evaluation import tree_dimension
from derive.audit.fields.stated import stated_claims
from derive.audit.formula.closing import closings
from derive.audit.formula.equations import equations
from derive.audit.formula.reading import converted
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.types import Judged
from derive.errors import DeriveError
from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.formula import catalogue, letters
from derive.specs.lookup import spec_roots
from tests.clock import within

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
DECLARED = [f.id for f in catalogue().values() if f.text]
# an exponent that is itself a formula is not read from LaTeX
POWERS = {
    "E_hit",
    "E_hit2",
    "W_prefill",
    "W_mix",
    "W_last",
    "W_turn",
    "W_end",
    "W_end_pre",
    "n_gain",
}  # exponents that are symbols


def audit(formula: str) -> Judged:
    (claim,) = stated_claims([], [formula], ROOTS)
    return judge(claim, LIBRARY)


def said(found: Judged) -> str:
    return "\n".join(t.en for f in found.findings for t in (f.message, *f.derivation))


READ = [
    ("TPOT = (2*N + b*T*4*L*d_model)/B_peak", "(2 · N + b · T · 4 · L · d_model) / B_peak"),
    (r"\mathrm{TPOT} = \frac{2N + bT \cdot 4 L d_{\mathrm{model}}}{B_{\text{peak}}}",
     "(2 · N + b · T · 4 · L · d_model) / B_peak"),
    ("TPOT = (2N + bT·4·L·d_model) ÷ B_peak", "(2 · N + b · T · 4 · L · d_model) / B_peak"),
    (r"I_{\mathrm{ridge}} = \dfrac{P_{\mathrm{peak}}}{B_{\mathrm{peak}}}", "P_peak / B_peak"),
    (r"\kappa = 2 \times L \times H_{kv} \times d_{head} \times w_{kv}",
     "2 · L · H_kv · d_head · w_kv"),
    ("κ = 2 L H_kv d_head w_kv", "2 · L · H_kv · d_head · w_kv"),
    (r"b_{\max} = \left\lfloor \frac{M_{\mathrm{free}}}{T\kappa} \right\rfloor",
     "floor(M_free / (T · kappa))"),
    (r"t_{\mathrm{step}}^{\mathrm{eff}} = \max(F_{\mathrm{step}}/(g P_{\mathrm{peak}}), Q_{step})",
     "max(F_step / (g · P_peak), Q_step)"),
    (r"$$\overline{T} = T_{\mathrm{in}} + \frac12 T_{\mathrm{out}}$$", "T_in + 1/2 · T_out"),
    ("N = 12 L d_model²", "12 · L · d_model^2"),
    ("F_tok = 2 FLOP/param/token * N_act", "2 FLOP/param/token · N_act"),
    ("ＴＰＯＴ ＝ Ｗ ／ Ｂ_peak", "W / B_peak"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right"), READ)
def test_plain_latex_and_unicode_read_alike(text: str, right: str) -> None:
    (one,) = equations(text)
    assert plain(one.right).replace("(1 / 2)", "1/2").replace("1 / 2", "1/2") == right


@pytest.mark.parametrize("name", DECLARED)
def test_every_formula_of_the_catalogue_is_consistent_with_itself(name: str) -> None:
    found = audit(f"{name} = {catalogue()[name].text}")
    assert found.verdict == "consistent", said(found)


@pytest.mark.parametrize("name", [n for n in DECLARED if n not in POWERS])
def test_every_formula_of_the_catalogue_reads_back_from_its_latex(name: str) -> None:
    from derive.expression.latex import latex

    tree = catalogue()[name].tree
    assert tree is not None
    sides = converted(rf"{catalogue()[name].latex} = {latex(tree, letters)}").split("=")
    assert sides[0].strip() == name
    assert tree_dimension(parse(sides[1])) == catalogue()[name].unit.dimension


VERDICTS = [
    ("TPOT = (2*N + b*T*4*L*d_model) / B_effective", "ambiguous", "c_kv * w_kv [byte/element]"),
    ("I_decode = 2*N / (2*N)", "ambiguous", "2 is c_op [FLOP/param/token]"),
    ("I_decode = 2*N*b / (2*N + b*T*4*L*d_model)", "ambiguous", "2 is w [byte/param]"),
    ("KV_per_token = 2 * L * H * d_head * w", "ambiguous", "w is w_kv [byte/element]"),
    ("TTFT = 2*N*T / P_effective", "ambiguous", "one_request"),
    ("W = N * w", "consistent", "equal to the catalogue's W"),
    ("kappa = 2 * L * H_kv * d_head * w_kv", "consistent", "equal to the catalogue's kappa"),
    ("kappa = L * H_kv * d_head * w_kv", "contradicted", "1/2 times the catalogue's everywhere"),
    ("kappa = 2 * L * H_q * d_head * w_kv", "ambiguous", "as many KV heads as query heads"),
    ("T_mean = (T_in + T_out) / 2", "contradicted", "not the catalogue's formula"),
    ("I_ridge = B_peak / P_peak", "unit_error", "left side: operation / information"),
    ("t = P_peak + B_peak", "unit_error", "cannot add a compute rate and a data rate"),
    ("TPOT = W / P_peak", "unit_error", "do not measure the same"),
    ("b_max = floor(M_free / w)", "unit_error", "floor and ceil need something counted"),
    ("TPOT_flor = W / B_peak", "unverifiable", "did you mean TPOT_floor?"),
    ("KV_total = b * T * kapa", "unverifiable", "did you mean kappa?"),
    ("N * w", "unverifiable", "it measures information"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "verdict", "words"), VERDICTS)
def test_verdict_of_a_formula(formula: str, verdict: str, words: str) -> None:
    found = audit(formula)
    assert found.verdict == verdict, said(found)
    assert words in said(found)


def test_the_formula_is_printed_with_the_units_that_close_it() -> None:
    found = audit("TPOT = (2*N + b*T*4*L*d_model) / B_effective")
    corrected = next(f.corrected for f in found.findings if f.corrected)
    formula = corrected.en.removeprefix("With its units written out the formula is ").rstrip(".")
    left, _, right = formula.partition(" = ")
    assert left == "TPOT"
    tree = parse(right)
    assert tree_dimension(tree) == catalogue()["TPOT"].unit.dimension
    (again,) = closings(catalogue()["TPOT"].unit.dimension, tree)
    assert again.cost == 0


HOSTILE = [
    "x = 10^10^10", "x = " + "9" * 1500, "x = " + "(" * 1500, "x = " + "{" * 900 + "\\",
    "\\frac{" * 300, "x = 2^8^8^8", "x = a" + "*a" * 700, "x == = y", "=", "",
    "x = \\input{/etc/passwd}", "x = __import__('os')", "x = N\u202eN", "x = " + "2*" * 700 + "N",
    "x = 1e999", "x = \\sum_{i=1}^{n} i", "x = N_{" + "a" * 1000 + "}", "x = \\" * 500,
    "x = N ^ N", "x = N ! N", "x = pow(2, N)", "W = " + "+".join(["2*N"] * 60),
    "W = " + "^".join(["(2"] * 50) + ")" * 50,
]  # fmt: skip


def outcome(text: str) -> Judged | DeriveError:
    try:
        return audit(text)
    except DeriveError as error:
        return error


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_formulas_end_soon_and_clearly(text: str) -> None:
    with within(5):
        found = outcome(text)
    if isinstance(found, DeriveError):
        assert all(p.code and p.what.en and p.what.zh for p in found.problems)
    else:
        assert found.findings


def test_megabytes_of_digits_are_refused_at_once() -> None:
    with within(1), pytest.raises(DeriveError, match="A101"):
        equations("x = " + "9" * 5_000_000)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="NWTbgw2490.+-*/^(){}_\\ frackpmoel=,", max_size=60))
def test_any_text_is_a_formula_or_a_clear_error(text: str) -> None:
    found = outcome(text)
    if isinstance(found, DeriveError):
        assert all(p.code and p.what.zh for p in found.problems)
    else:
        assert found.findings


def test_a_count_of_one_that_is_left_out_is_a_note_where_the_formula_is_the_catalogues() -> None:
    found = audit("TPOT = N*w/(g*B_peak)")
    assert found.verdict == "consistent"
    assert "counts of one" in said(found)
    assert audit("TPOT = 2*N*w/(g*B_peak)").verdict == "contradicted"


def test_one_token_of_the_output_more_is_the_usual_approximation() -> None:
    found = audit("E2E = TTFT + T_out*TPOT")
    assert found.verdict == "ambiguous"
    assert "one token of the output" in said(found)
    assert audit("E2E = TTFT + 2*T_out*TPOT").verdict == "contradicted"
    assert audit("E2E = TTFT + (T_out - one_token)*TPOT").verdict == "consistent"
