"""What no rule says anything of; `judge` makes these findings, their pages stand here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from derive.audit.rule import rule

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Finding


@rule(
    "READ001",
    name=("nothing to hold the claim against", "没有可对照的内容"),
    page=(
        "No rule found two things that can be compared: a figure and a product, a model, a law or a second figure. "
        "The claim is neither confirmed nor refuted; the finding says what is missing.",
        "没有任何规则找到可以相互比较的两项内容：一个数字与一款产品、一个模型、一条定律或另一个数字。该论断既未证实也未证伪；"
        "结论会说明缺少什么。",
    ),
    fires="It decodes at 60 token/s.",
    quiet="H100 SXM has 80 GB of memory.",
    chinese=(
        "TPOT 为 20 ms。",
        "H100 SXM 的显存为 80 GB。",
    ),
)
def nothing_found(_claim: Claim, _library: Library) -> Iterable[Finding]:
    """Only `judge` knows that every rule was silent."""
    return ()


@rule(
    "READ003",
    name=("figures that no rule judged", "未被任何规则判断的数字"),
    page=(
        "Beside figures that are right stand others that no rule could hold against anything. They are named, so that "
        "a consistent claim is not taken for more than was checked.",
        "正确的数字旁还有任何规则都无从对照的数字。逐一列出，以免把“相符”理解为全部核实过。",
    ),
    fires="H100 SXM: 80 GB, with 18 ms of something",
    quiet="H100 SXM has 80 GB of memory.",
    chinese=(
        "H100 SXM 显存 80 GB，另有 18 ms 的开销",
        "H100 SXM 的显存为 80 GB。",
    ),
)
def left_over(_claim: Claim, _library: Library) -> Iterable[Finding]:
    """Only `judge` knows what every rule left over."""
    return ()
