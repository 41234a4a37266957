"""What the lines of the checklist and the misconceptions state, as `says.py` has it of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from derive.text import Text, tr
from derive.units import Unit
from derive.verify.levers import PULLED
from derive.verify.say import quoted
from derive.verify.says import ABOVE, BELOW, CRITICAL, FAR, FAR_PROMPT, MEAN, Says
from derive.verify.texts import read
from derive.verify.values import Ledger

# a line without a value says why: the devices needed, the end of a search, or no number at all
WITHHELD: Says = ((), ("g", "g_fit"), ("g_pre", "g_fit_pre"), (FAR,))
STRONG = Fraction(1, 10)  # percent for one percent: what divides levers that work from others
AT = (MEAN, "")  # where no mean context is known, at the context given
# TPOT at peak: a step over its tokens, or with speculation a round over what it yields
DRAFTED = (
    "max(c_op * N_draft * b * one_token / (g * P_peak), Q_draft / (g * B_peak))",
    # of a group's own requests on a group's own copy
    ("max(c_op * N_draft * ceil(b / DP) * one_token / (TP * PP * P_peak), "
     "(W_draft / (TP * PP) + ceil(b / DP) * T * kappa_draft_dev) / B_peak)"),
)  # fmt: skip
PEAKS = (
    "t_step / n", "t_step / n_gain",
    *(f"(t_step + k_draft / one_token * {drafted}) / n_gain" for drafted in DRAFTED),
)  # fmt: skip
CRIT = (("b_crit",), (), *CRITICAL, ("b_crit_mat",), ("I_wall_mat", "I_wall_att"))
TWICE = ("~X with b = 2 * b", "~TPOT with b = 2 * b")
ONCE, BURST = ("TTFT.low", "TTFT.high", "T_in"), ("b", "TTFT_burst")
LIGHT = tuple(
    " and ".join(change)
    for at in (("T = T_mean",), ("T = T",))
    for weights in (("W_read = W_stream",), ())
    for products in (("F_tok = c_op * N_mat",), ())
    for change in ((*at, *weights, *products),)
)


def ratio_band(limit: str) -> Says:
    """TPOT where a step at peak is so much of it, and the same over the weights alone."""
    return tuple(
        (f"{best} / {limit}{at}", f"~TPOT_floor / ({best} / {limit}){at}")
        for best in PEAKS
        for at in AT
    )


def threshold(name: str, floor: str) -> Says:
    """An alert: target or slow end, floor, reachable range, or why there is none."""
    goal, low, high = f"target_{name}", f"{name}.low", f"{name}.high"
    return (
        (goal, floor, low, high), (high, low, high, floor), (goal, floor, "g", "g_fit"),
        (goal, floor), (floor,), ("g", "g_fit", floor), (goal, floor, "g_pre", "g_fit_pre"),
        ("g_pre", "g_fit_pre", floor),
    )  # fmt: skip


CHECKED: dict[str, Says] = {
    "checklist.bytes": (("bytes_per_token", "W_read", "KV_total", "b"),),
    "checklist.ridge": (("I_ridge", "P_peak", "B_peak"), ("I_ridge",)),
    "checklist.critical": tuple(("T", *crit) for crit in CRIT),
    "checklist.memory": tuple(
        ("b_max", *tokens, *reserved, *group, *lacking)
        for reserved in (("b_max_reserved",), ())
        for group in ((), ("b_max_tp",))
        for tokens in (("tokens_max",), ())
        for lacking in ((), ("b",))
    ),
    "checklist.alert-TTFT": threshold("TTFT", "t_prefill"),
    "checklist.alert-TPOT": threshold("TPOT", "TPOT_floor"),
    "checklist.slo-TPOT": (("b_slo", "b_max"), ("b_slo", "b_max", "T_chunk_slo", "b")),
    "checklist.slo-TTFT": (("T_in_slo",), ("T_in_slo", "b", "TTFT_mix"), (FAR_PROMPT,)),
    "checklist.floor": tuple(
        found
        for at in AT
        for best in PEAKS
        for step in (f"t_step{at}" if best == PEAKS[0] else f"{best}{at}",)
        for found in (
            (step, f"T{at}", "TPOT_meas", f"~TPOT_meas / ({best}){at}",
             "~TPOT_meas / TPOT_floor", "TPOT_floor"),
            (step, f"T{at}", "=3", "=1.6", "TPOT_floor"),
            (step, f"T{at}", "=3", "=1.6", f"~TPOT / ({best}){at}",
             f"~TPOT / TPOT_floor{at}", "TPOT_floor"),
        )
    ),
    "checklist.side": tuple(
        ("I_ridge", "I_decode", wall, *prefill)
        for wall in (BELOW, ABOVE)
        for prefill in (("I_prefill",), ())
    ),
    "checklist.kv": (
        ("KV_total / W_read", "T_cross"), ("KV_total / W_read",),
        ("KV_total / W_read", "T_cross", "T_max"), ("KV_total / W_read", "T_cross", "b"),
    ),
    "checklist.batch": tuple(
        (*twice, limit, *slo)
        for limit in ("b_max_reserved", "b_max")
        for twice in (TWICE, ())
        for slo in (("b_slo",), *WITHHELD)  # the limit, or why there is none
    ),
    "checklist.compute": (
        ("TPOT by P_peak", "=1 %", "TTFT by P_peak", "=1 %"),
        ("TPOT by P_peak", "=1 %"),  # the other target was set by hand, or changes alike
        ("TTFT by P_peak", "=1 %"),
    ),
    "checklist.quantization": tuple(
        found
        for bits, width in (("=8", "1"), ("=4", "0.5"))
        for found in (
            (bits, f"~TPOT with w = {width} byte/param", "=1.4", "=1.8"),
            (bits, f"~TPOT with w = {width} byte/param"), ("=4",),
        )
    ),
    "checklist.double-b": ((TWICE[1], TWICE[0], "=10 %"),),
    "checklist.half-b": (("~TPOT with b = b / 2", "~X with b = b / 2", "=10 %"),),
    "checklist.half-T": (("~TPOT with T = T / 2", "=10 %"),),
    "checklist.int8": (("~TPOT with w = 1 byte/param", "=10 %"), ("=8",)),
    "checklist.int4": (("~TPOT with w = 0.5 byte/param", "=10 %"), ("=4",)),
    "checklist.slow-ttft": (ONCE, (*ONCE, *BURST), ("t_prefill",)),
    "checklist.slow-tpot": (
        ("Q_step", "KV_total / Q_step", "b", "T", "MBU"), ("F_step", "b", "MFU"),
    ),
    "checklist.grows-b": ((TWICE[1], "=10 %", "T"), (TWICE[1],)),
    "checklist.grows-T": (("~TPOT with T = T / 2", "=10 %"), ("~TPOT with T = T / 2",)),
    "checklist.flat-X": tuple(
        (TWICE[0], limit, *group)
        for limit in ("b_max_reserved", "b_max")
        for group in ((), ("b_max_tp",))
    ),
    "checklist.pool": tuple(
        (limit, *group, "T", "M_free", *more)
        for limit in ("b_max_reserved", "b_max")
        for group in ((), ("b_max_tp",))
        for more in (("=8", f"{limit} at w_kv = 1 byte/element"), ())
    ),
    "checklist.ratio-low": (("=0.3",), *ratio_band("0.3")),
    "checklist.ratio-high": (("=0.6",), *ratio_band("0.6")),
    "checklist.ratio-one": (("=1",), *((f"{p} at {change}",) for p in PEAKS for change in LIGHT)),
    "checklist.peak": (
        ("P_peak", "B_peak", "t_step", "t_prefill"), ("P_peak", "B_peak", "t_step"),
    ),
    "checklist.no-experiments": (),
    "checklist.no-symptoms": (),
    "checklist.reachable": (("TPOT.low", "TPOT.high", "TTFT.low", "TTFT.high"),),
    "checklist.measured": tuple(
        (*figures, *share)
        for figures in (("TPOT_meas",), ("TTFT_meas",), ("TPOT_meas", "TTFT_meas"))
        for share in (("MBU_meas",), ())
    ),
    "misconceptions.utilization": (("=100 %",), ("I_decode / I_ridge",), ("I_ridge / I_decode",)),
    "misconceptions.devices": tuple(
        ("~TPOT with g = 2 * g", "b_max at g = 2 * g", "b_max", "I_ridge", *transfer)
        for transfer in ((), ("t_comm at g = 2 * g",))
    ),
    "misconceptions.operations": (
        ("~TPOT with F_tok = F_tok / 2", "~TPOT with W_read = W_read / 2"),
    ),
    "misconceptions.size": (
        ("Q_step / (g * B_peak)", "F_step / (g * P_peak)",
         "~Q_step / (g * B_peak) / (F_step / (g * P_peak))"),
        ("F_step / (g * P_peak)", "Q_step / (g * B_peak)"),
    ),
    "misconceptions.batch": tuple(
        (*TWICE, "b_max", *crit, *slo) for crit in CRIT for slo in (("b_slo",), ())
    ),
    "misconceptions.phases": (
        ("I_prefill", "I_decode", "I_ridge"), ("I_ridge", "I_prefill", "I_decode"),
    ),
    "misconceptions.context": (
        ("KV_total at T = 2 * T", "KV_total", "b_max at T = 2 * T", "b_max",
         "~TPOT with T = 2 * T"),
    ),
    "misconceptions.first-token": tuple(
        ("TTFT", "T_in", "~TTFT with T_in = 2 * T_in", *burst) for burst in ((), BURST)
    ),
    "misconceptions.datasheet": (("P_peak", "MFU * P_peak", "MFU", "P_attain"),),
}  # fmt: skip
CHECKED = {where: (*says, *WITHHELD) for where, says in CHECKED.items()}
LINES = {
    f"checklist.{kind}-{target}": (kind, target)
    for kind in ("levers", "idle")
    for target in ("TPOT", "TTFT")
}


def lever_line(ledger: Ledger, where: str) -> Says | None:
    """What a line on levers states: their effects by the table, in its order."""
    if where not in LINES:
        return None
    kind, target = LINES[where]
    shown: list[str] = []
    for row in ledger.record["levers"]:
        if row["target"] != target or row["lever"] not in PULLED or not row["tree"]:
            continue
        effect = abs(ledger.here.quantity(read(row["tree"]), Unit()).value)
        if effect and (effect >= STRONG) == (kind == "levers"):
            shown.append(f"{target} by {row['lever']}")
    return (("=1 %",), tuple(shown), *WITHHELD)


def unlinked(ledger: Ledger, where: str, refs: Sequence[str]) -> Iterator[Text]:
    """Links that lead to no derivation of this ledger."""
    for name in refs:
        if name not in ledger.cards:
            yield tr(
                "{where}: links to {name}, which is not derived here",
                where=quoted(where), name=quoted(name),
            )  # fmt: skip
