"""A number of links times the rate of each, against the sum that is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import result, shown
from derive.audit.consistency.between import lowered
from derive.audit.rule import rule
from derive.audit.sheet.match import LINKS
from derive.text import same
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Finding

RATE = unit("byte/s").dimension
SPELLED = {"two": 2, "four": 4, "six": 6, "eight": 8, "twelve": 12, "sixteen": 16, "eighteen": 18}
COUNT = re.compile(
    rf"(?<![a-z0-9.])(?:(?P<count>[0-9]{{1,3}})|(?P<word>{'|'.join(SPELLED)}))[ -]?"
    r"(?:(?:x|×|nvlink ?[0-9]?|infinity fabric|ethernet|network) ?){0,2}(?:links?|ports?|nics?)(?![a-z])"
    r"|(?P<han>[0-9]{1,3}) ?[条个] ?(?:nvlink ?[0-9]? ?)?(?:链路|端口|网口|网卡|nvlink)"
    r"|(?:有|共) ?(?P<links>[0-9]{1,3}) ?条(?! ?(?:请求|序列|消息))"
)
EACH = re.compile(
    r"(?:each(?: way)?|[x×*@]|at|of|carr(?:y|ies)|每[条个](?:nvlink ?[0-9]? ?)?(?:链路|端口)?[^0-9]{0,8}|单条[^0-9]{0,8})"
    r"(?: about| at)? ?$"
)
EACH_BEHIND = re.compile(r" ?(?:each(?! direction)|apiece|per (?:link|port))(?![a-z])")
LONGEST = 240
TWICE = re.compile(r"[x×*] ?2(?![0-9.])")


@rule(
    "CONS044",
    name=("links × rate of each = total", "链路数 × 单链路速率 = 总带宽"),
    page=(
        "Where a claim gives the links, the rate of each and the sum, the three are tied. The rate of each may be one "
        "direction and the sum both: twice the product is right too, unless the text says the same direction of both.",
        "同时给出链路条数、单条速率与总带宽时，三者必须相符。单条速率可能指单向而总和指双向，因此乘积的两倍也成立，除非文中两处方向相同。",
    ),
    fires="18 NVLink links at 50 GB/s each are 450 GB/s.",
    quiet="18 NVLink links at 50 GB/s each are 900 GB/s.",
    chinese=(
        "18 条 NVLink 链路，每条 50 GB/s，共 450 GB/s。",
        "18 条 NVLink 链路，每条 50 GB/s，共 900 GB/s。",
    ),
)
def link_sum(claim: Claim, _: Library) -> Iterator[Finding]:
    """One count of links, one rate of each, one larger rate."""
    rates = [f for f in claim.figures if f.dimension == RATE and f.value > 0]
    if len(rates) != 2 or len(claim.text) > LONGEST or len(claim.of("devices")) > 1:
        return
    counted = COUNT.search(lowered(claim.text))
    if counted is None or any(f.bound for f in rates):
        return
    one, total = rates
    if (
        not of_each(claim, one)
        or of_each(claim, total)
        or total.role not in (*LINKS, "data_rate", "memory_bandwidth")
    ):
        return
    words = counted.groupdict()
    digits = words["count"] or words["han"] or words["links"]
    count = int(digits) if digits else SPELLED[words["word"]]
    if count < 2:
        return
    twice = bool(TWICE.search(claim.text[one.span[1] : total.span[0]]))
    made = one.interval.scaled(2 * count)
    twice = twice or (doubled(one, total) and made.meets(total.interval))
    parts = f"{count} × {one.text.strip('=≈ ')}" + (" × 2" if twice else "")
    factor = 2 * count if twice else count
    line = same(f"{parts} {shown(one.quantity.base * factor, total)}")
    yield result("CONS044", claim, (one, total), total, one.interval.scaled(factor), line)


def doubled(one: Figure, total: Figure) -> bool:
    """Whether the sum may count both directions where the rate of each counts one."""
    each = one.conditions.get("direction", ())
    whole = total.conditions.get("direction", ())
    return "both" not in each and whole != ("one",)


def of_each(claim: Claim, figure: Figure) -> bool:
    """Whether a rate is told of each link."""
    start, end = figure.span
    ahead = lowered(claim.text[max(0, start - 40) : start]) + " "
    return bool(EACH.search(ahead) or EACH_BEHIND.match(lowered(claim.text[end : end + 16])))
