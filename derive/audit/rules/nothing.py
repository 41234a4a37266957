"""A claim of which no rule says anything; `judge` makes the finding, its page stands here."""

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
)
def nothing_found(_claim: Claim, _library: Library) -> Iterable[Finding]:
    """Only `judge` knows that every rule was silent."""
    return ()
