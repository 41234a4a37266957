"""What a device draws, against the power that its data sheet allows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered
from derive.audit.physics.lines import equation
from derive.audit.physics.settings import device_count
from derive.audit.physics.specs import of_spec
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.sheet.match import DRAWS
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.interval import Interval
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware, Value

ID = "PHYS016"
AT_RATED = re.compile(
    r"(?:at|of) (?:(?:its|their|the|a|full|max(?:imum)?|rated) )*(?:tdp|rated power|power limit)(?![a-z])"
    r"|(?:按|以|在)[^,.;]{0,6}(?:tdp|额定功[率耗])"
)
SYSTEM = re.compile(r"server|system|node|rack|chassis|wall|服务器|整机|节点|机柜|机架|墙插")


@rule(
    ID,
    name=("power drawn against the rated power", "实际功耗与额定功率对照"),
    page=(
        "A device is held to the power of its data sheet: a sustained draw above it is no draw of that many devices. "
        "Less is what light work needs. Servers and racks draw more than their devices and are left alone.",
        "设备的功耗受规格功率限制：持续功耗高于它，就不是这么多设备的功耗。负载轻时功耗更低属正常。"
        "服务器与机柜的功耗高于其中设备之和，不在此列。",
    ),
    fires="The L4 draws 300 W.",
    quiet="Each server with H100 SXM GPUs draws 10 kW.",
    chinese=("L4 实测功耗 300W。", "每台 H100 SXM 服务器实测功耗 10kW。"),
)
def drawn(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each power beside a word for drawing it."""
    text = lowered(claim.text)
    if not DRAWS.search(text) or SYSTEM.search(text) or claim.says("scope", "node", "rack", "pod"):
        return
    for figure in claim.of("power"):
        rated = [(p, p.power) for p in library.products(figure.hardware) if p.power]
        if rated and figure.value > 0:
            yield told(
                figure, rated, device_count(claim, figure)[0], whole=bool(AT_RATED.search(text))
            )


def of_one(figure: Figure, rated: Interval, *, whole: bool = False) -> str:
    """Within the rated power, or all of it; above it, or its digits in kW."""
    if figure.interval.low <= rated.high:
        return "consistent" if not whole or figure.interval.high >= rated.low else "contradicted"
    in_kilo = figure.interval.scaled(Fraction(1, 1000)).meets(rated)
    return "contradicted" if in_kilo else "exceeds_bound"


def told(
    figure: Figure, rated: list[tuple[Hardware, Value]], count: int, *, whole: bool
) -> Finding:
    """The draw against every variant that the name may mean."""
    verdict = together({of_one(figure, of_spec(v).scaled(count), whole=whole) for _, v in rated})
    product, power = rated[0]
    whole_power = power.quantity.base * count
    value = Quantity(whole_power, unit("W"))
    lines = (equation(f"{count} · TDP", whole_power, "W"),)
    given = {"figure": same(figure.text), "bound": show(value).text, "product": product.name}
    if verdict == "consistent":
        what = tr("{figure} is within the rated {bound}: {product}", **given)
    elif figure.quantity.base < whole_power:
        what = tr("{figure} is below the rated {bound} that the text speaks of: {product}", **given)
    else:
        what = tr("{figure} is above the rated {bound}: {product}", **given)
    corrected = None
    if verdict != "consistent":
        corrected = tr("{count} × {product} draw {bound} at most.", count=count,
                       product=product.name, bound=show(value).text)  # fmt: skip
        if count == 1:
            corrected = tr("One {device} draws {bound} at most.", device=product.name,
                           bound=show(value).text)  # fmt: skip
    return Finding(ID, verdict, GRAVE[verdict], what, (figure.span,),
                   (Reading(value, product.name),), lines, corrected,
                   sources=power.sources)  # fmt: skip
