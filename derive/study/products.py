"""Verdicts on the wall, decided by the products that are really made where these are known.

F_tok counts every active parameter; of these some are only looked up, and a matrix that serves
several times counts once. Where that moves the limit to the other side of the ridge, the products
decide and both numbers are said.
"""

from __future__ import annotations

from collections.abc import Mapping

from derive.derivation.points import FARTHEST
from derive.study.bind import Bound
from derive.study.results import Result, said
from derive.text import Text, same, tr

Results = Mapping[str, Result]
NAMES = ("I_decode_inf", "I_wall_att", "I_wall_mat", "I_ridge")


def disagrees(results: Results) -> bool | None:
    """Whether a batch reaches the ridge by products alone; None where F_tok says the same."""
    found = [results[n].value for n in NAMES]
    if any(f is None for f in found):
        return None
    plain, attention, products, ridge = (f.base for f in found if f is not None)
    reaches = products >= ridge
    return None if (max(plain, attention) >= ridge) == reaches else reaches


def wall_by_products(bound: Bound, results: Results) -> Text | None:
    """The finding on the wall where the products decide otherwise than F_tok."""
    reaches = disagrees(results)
    if reaches is None:
        return None
    parts = {
        "T": said(bound.typical.quantity("T")),
        "products": number(results, "I_wall_mat"),
        "full": number(results, "I_wall_att"),
        "ridge": number(results, "I_ridge"),
    }
    if reaches:
        return tr(
            "At {T} decode can reach the ridge, counted by the products that are really made: their limit with attention "
            "{products} is not below {ridge}, though F_tok, which counts a matrix used several times once, gives {full}; "
            "the critical batch is {b}.",
            b=critical(results),
            **parts,
        )
    return tr(
        "At {T} no batch makes decode compute-bound, counted by the products that are really made: their limit with "
        "attention {products} is below the ridge at {ridge}, though F_tok, which also counts parameters that are only "
        "looked up, gives {full}.",
        **parts,
    )


def critical_by_products(results: Results) -> Text | None:
    """The same as the checklist answers it."""
    reaches = disagrees(results)
    if reaches is None:
        return None
    if reaches:
        return tr("critical batch {b} by the products really made", b=critical(results))
    return tr(
        "no batch reaches the ridge by the products really made (limit {products}; {full} by F_tok)",
        products=number(results, "I_wall_mat"),
        full=number(results, "I_wall_att"),
    )


def critical(results: Results) -> Text:
    """The critical batch by products, in words where it is beyond what was searched."""
    if results["b_crit_mat"].value is not None:
        return number(results, "b_crit_mat")
    return tr("above {last} requests", last=f"{FARTHEST['b']:,}")


def number(results: Results, name: str) -> Text:
    """A result as prose prints it."""
    found = results[name].value
    return said(found) if found is not None else same("–")


def floor_by_stream(bound: Bound, results: Results) -> Text | None:
    """The floor by the bytes that a step really streams, where it is below the first-order one."""
    read, stream = results["W_read"].value, results["W_stream"].value
    floor = results["TPOT_floor"].value
    derived = {"W_read", "W_stream", "TPOT_floor"} & set(bound.derived)
    if read is None or stream is None or floor is None or derived or stream.base >= read.base:
        return None
    below = bound.typical.with_(W_read=stream.base).quantity("TPOT_floor")
    parts = {"floor": said(floor), "read": said(read), "stream": said(stream), "below": said(below)}
    if "E" in bound.inputs:  # an expected number of experts: tokens that agree on fewer read less
        return tr(
            "The TPOT floor of {floor} counts {read} of weights; a step streams {stream}, tables that are looked up left "
            "out: no software goes below {below} while tokens hit as many experts as uniform routing does.",
            **parts,
        )
    return tr(
        "The TPOT floor of {floor} counts {read} of weights; a step streams {stream}, tables that are looked up left "
        "out: no software goes below {below}.",
        **parts,
    )
