"""The side of the ridge on which prefill is said to be is that of what `t_prefill` waits for."""

from __future__ import annotations

import pytest

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.study.bind import bind

from .test_switches import SPARSE, loaded, text

MIXTRAL = (SPARSE, "model=mixtral-8x7b", "precision.weights=bf16", "precision.kv_cache=bf16")
DENSE = "llama-3.1-405b-on-8x-h200"
MODELS = ((DENSE,), (SPARSE,), MIXTRAL)
LAYOUTS = (
    ("TP=8",), ("DP=8", "EP=8"), ("DP=8", "EP=4"), ("DP=8",), ("TP=2", "DP=4", "EP=8"),
    ("TP=2", "PP=2", "DP=2", "EP=4"), ("PP=4", "DP=2", "EP=2"), ("TP=4", "PP=2"),
    ("devices=32", "TP=16", "DP=2"),
)  # fmt: skip
PROMPTS = (64, 256, 512, 1024, 2048, 8192)


def sides(name: str, *sets: str) -> tuple[bool, bool]:
    """Whether prefill is compute-bound: as its intensity says, and as a faster memory shows."""
    bound = bind(loaded(name, sets))
    given = {i: v.quantity.base for i, v in bound.inputs.items()} | {"MFU": 1, "MBU": 1}
    with standing_in(bound.variants):
        here = Point(given)
        faster = Point(given | {"B_peak": 2 * given["B_peak"]})
        waits = faster.get("t_prefill") < here.get("t_prefill")
        return here.get("I_prefill") >= here.get("I_ridge"), not waits


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model[-1])
@pytest.mark.parametrize("more", [(), ("hit=0.5",), ("hit=0.99",), ("chunk=2048",)], ids=str)
def test_intensity_and_time_agree(model: tuple[str, ...], more: tuple[str, ...]) -> None:
    """Chunks are full where a prompt has several: one pass is like another."""
    found = set()
    for layout in LAYOUTS:
        if layout == ("TP=8",) and "chunk=2048" in more:
            continue  # one group: the KV that chunks read is neglected there
        if model[0] == DENSE and any(one.startswith("EP") for one in layout):
            continue
        for tokens in PROMPTS:
            said, so = sides(model[0], *model[1:], *layout, *more, f"T_in={tokens}")
            assert said is so, (layout, tokens)
            found.add(so)
    assert False in found
    assert (True in found) is (more != ("hit=0.99",))


def test_experts_that_other_groups_hold_count_on_both_sides() -> None:
    """Eight ranks share the routed experts: an eighth of their operations and of their bytes."""
    eight = ("TP=1", "DP=8", "EP=8")
    assert text(*eight, name=SPARSE, of="I_prefill").startswith("≈ 799.0 FLOP/byte")
    assert text(*eight, name=SPARSE, of="t_prefill").startswith("≈ 40.72 ms")
    said, so = sides(MIXTRAL[0], *MIXTRAL[1:], *eight, "T_in=1024")
    assert said
    assert so
