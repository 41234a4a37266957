"""What would have to be true: the smallest change of one condition that makes a claim possible.

Solved exactly at the values as printed; each names real settings that reach it, or says that none
does.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from math import ceil
from typing import TYPE_CHECKING

from derive.audit.physics.bounds import (
    largest_batch,
    least_batch,
    least_devices,
    prefill_time,
    total_rate,
)
from derive.audit.physics.precisions import compute_of
from derive.audit.physics.setting import Setting
from derive.audit.physics.solving import (
    bandwidth_for,
    bandwidth_of_all,
    bytes_per_parameter,
    context_for,
    context_of_all,
    devices_for,
    fewest_devices,
    kv_per_context,
    tokens_per_step,
    weight_bytes,
)
from derive.audit.physics.specs import dense_peaks, memory_of
from derive.specs.precision import BYTES
from derive.text import Text, joined, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library

FORMATS = ("fp8", "int4")  # the usual ones of one byte and of half a byte
MOST_DEVICES = 72  # of one replica: a rack
MOST_NAMED = 4
listed = partial(joined, en=", ", zh="、")


def for_user_rate(
    setting: Setting, rate: Fraction, library: Library, *, total: bool = True
) -> tuple[Text, ...]:
    """Each single change that lets one request reach a rate, then settings that exist.

    `total` is False where the number cannot be a total, as a time per token.
    """
    made: list[Text] = []
    size = bytes_per_parameter(setting, rate)
    if size is not None and size < setting.given(best=False)["w"]:
        made.append(tr("a parameter takes at most {size} ({formats})", formats=formats(size),
                       size=amount(size, "byte/param")))  # fmt: skip
    elif (whole := weight_bytes(setting, rate)) is not None:
        made.append(
            tr("at most {size} of weights are read for a token", size=amount(whole, "byte"))
        )
    if count := devices_for(setting, rate):
        made.append(tr("at least {count} devices share every step, links and waiting left out",
                       count=count))  # fmt: skip
    if (accepted := tokens_per_step(setting, rate)) is not None:
        made.append(
            tr(
                "speculative decoding yields at least {count} tokens a step on average, "
                "the draft's own time left out",
                count=number(accepted),
            )
        )
    if total:
        made += as_total(setting, rate)
    longest = context_for(setting, rate)
    if longest is not None:
        made.append(tr("the context is at most {count} tokens", count=f"{int(longest):,}"))
    if (wide := bandwidth_for(setting, rate)) is not None:
        made.append(tr("memory bandwidth is at least {rate} a device ({devices})",
                       rate=amount(wide, "byte/s"),
                       devices=accelerators(setting, library, wide)))  # fmt: skip
    return (*made, *real_settings(setting, rate))


def as_total(setting: Setting, rate: Fraction) -> tuple[Text, ...]:
    """The rate as the sum of several requests; nothing where no batch reaches it."""
    count = least_batch(setting, rate)
    if count is None or count < 2:
        return ()
    held = largest_batch(setting)
    if held is not None and count > held:
        return (tr("it is the total of at least {count} requests, of which memory holds {held}",
                   count=f"{count:,}", held=f"{held:,}"),)  # fmt: skip
    return (tr("it is the total of at least {count} requests in one batch", count=f"{count:,}"),)


def out_of_reach(setting: Setting, rate: Fraction, *, total: bool = True) -> tuple[Text, ...]:
    """Which changes alone do not reach the rate of one request, however large."""
    made: list[Text] = []
    if total and least_batch(setting, rate) is None:
        made.append(tr("not as a total either: no batch reaches this rate"))
    if "N" in setting.values and not reaching(setting, rate):
        made.append(
            tr("no format of the weights reaches it on up to {most} devices", most=MOST_DEVICES)
        )
    return tuple(made)


def for_total_rate(setting: Setting, rate: Fraction, library: Library) -> tuple[Text, ...]:
    """Each single change that lets all requests together reach a rate."""
    made: list[Text] = []
    if "batch" in setting.said:
        made += as_total(setting, rate)
    if formats_left := narrower(setting, rate):
        made.append(tr("the weights are stored in {formats}", formats=formats_left))
    found = total_rate(setting, best=False)
    if found:
        made.append(
            tr(
                "speculative decoding yields at least {count} tokens a step on average, "
                "the draft's own time left out",
                count=number(rate / found),
            )
        )
    if (longest := context_of_all(setting, rate)) is not None:
        made.append(tr("the context is at most {count} tokens", count=f"{longest:,}"))
    if (wide := bandwidth_of_all(setting, rate)) is not None:
        made.append(tr("memory bandwidth is at least {rate} a device ({devices})",
                       rate=amount(wide, "byte/s"),
                       devices=accelerators(setting, library, wide)))  # fmt: skip
    count = fewest_devices(setting, rate)
    if count is not None and count > setting.devices:
        made.append(
            tr(
                "at least {count} devices share the load, links and waiting left out",
                count=f"{count:,}",
            )
        )
    return tuple(made)


def narrower(setting: Setting, rate: Fraction) -> str:
    """The usual narrower formats of the weights in which all requests together reach a rate."""
    if "N" not in setting.values or "N_moved" in setting.values:
        return ""
    able = []
    for stored in FORMATS:
        found = total_rate(setting.with_(stored=stored), best=False)
        if BYTES[stored] < BYTES[setting.stored] and found is not None and found >= rate:
            able.append(stored.upper())
    return " / ".join(able)


def for_memory(setting: Setting, library: Library) -> tuple[Text, ...]:
    """Each single change that lets the weights fit."""
    given = setting.given(best=False)
    whole = setting.value("W", best=False)
    if whole is None or "M_dev" not in given:
        return ()
    made: list[Text] = []
    room = given["g"] * given["M_dev"]
    if "N" in given:
        size = room / given["N"]
        made.append(tr("a parameter takes at most {size} ({formats})", formats=formats(size),
                       size=amount(size, "byte/param")))  # fmt: skip
    if count := least_devices(setting, best=False):
        made.append(tr("at least {count} devices hold the weights", count=f"{count:,}"))
    each = whole / given["g"]
    made.append(tr("memory is at least {size} a device as its driver counts it ({devices})",
                   size=amount(each, "byte"),
                   devices=large_enough(setting, library, each)))  # fmt: skip
    return tuple(made)


def for_prefill(setting: Setting, time: Fraction, library: Library) -> tuple[Text, ...]:
    """Each single change that lets the prompt be computed in a time."""
    given = setting.given(best=False)
    floor = prefill_time(setting, best=False)
    per_token = setting.value("F_tok", best=False)
    if floor is None or per_token is None or not time:
        return ()
    rate = given["P_peak"] * given["g"]
    return (
        tr("at least {count} devices share the prompt, links left out",
           count=f"{ceil(floor * setting.devices / time):,}"),
        tr("the prompt has at most {count} tokens that are not cached",
           count=f"{int(rate * time / per_token):,}"),
        tr("dense compute is at least {rate} a device ({devices})",
           rate=amount(per_token * given["T_in"] / (time * given["g"]), "FLOP/s"),
           devices=computers(setting, library, per_token * given["T_in"] / (time * given["g"]))),
    )  # fmt: skip


def computers(setting: Setting, library: Library, rate: Fraction) -> Text:
    """The least of the known accelerators whose dense peak at this storage precision is enough."""
    able = []
    every = library.every()
    for each in every:
        peak = compute_of(setting.stored, dense_peaks(each))
        if peak and peak.middle >= rate:
            able.append((peak.middle, each.id, each.name))
    if not able:
        return tr("none of the {count} accelerators with a spec", count=len(every))
    able.sort(key=lambda row: row[:2])
    return tr("for example: {names}", names=listed(name for *_, name in able[:MOST_NAMED]))


def for_requests(setting: Setting, count: Fraction) -> tuple[Text, ...]:
    """Each single change that lets memory hold a number of requests."""
    given = setting.given(best=False)
    kept = kv_per_context(setting)
    free = setting.value("M_free", best=False)
    weights = setting.value("W", best=False)
    if not kept or free is None or weights is None:
        return ()
    made: list[Text] = []
    if free > 0 and "T_win" not in setting.values:
        made.append(
            tr("the context is at most {count} tokens", count=f"{int(free / (count * kept)):,}")
        )
        size = free / (count * given["T"]) / kept * given["w_kv"]
        made.append(
            tr(
                "an element of the KV cache takes at most {size} ({formats})",
                formats=formats(size),
                size=amount(size, "byte/element"),
            )
        )
    devices = ceil((weights + count * given["T"] * kept) / given["M_dev"])
    made.append(tr("at least {count} devices hold weights and cache", count=f"{devices:,}"))
    return tuple(made)


@lru_cache(maxsize=8)  # said as a remedy, and where there is none
def reaching(setting: Setting, rate: Fraction) -> list[tuple[str, int]]:
    """For each usual format of the weights the fewest devices that hold them and reach the rate."""
    if "N" not in setting.values:
        return []
    found: list[tuple[str, int]] = []
    for stored in (setting.stored, *FORMATS):
        if BYTES[stored] > BYTES[setting.stored] or any(stored == s for s, _ in found):
            continue
        count = devices_for(setting.with_(stored=stored), rate)
        if count is not None and count <= MOST_DEVICES:
            found.append((stored, count))
    return found


def real_settings(setting: Setting, rate: Fraction) -> tuple[Text, ...]:
    """The settings that reach the rate, in words."""
    each = [
        tr(
            "{format} weights on {place}",
            format=s.upper(),
            place=setting.with_(g=Fraction(c)).place,
        )
        for s, c in reaching(setting, rate)
    ]
    return (tr("the setting is one of these: {settings}", settings=listed(each)),) if each else ()


def formats(size: Fraction) -> Text:
    """The usual formats that are small enough."""
    small = [f.upper() for f in ("bf16", *FORMATS) if BYTES[f] <= size]
    return same(" / ".join(small)) if small else tr("no format of 4 bits or more is that small")


def accelerators(setting: Setting, library: Library, bandwidth: Fraction) -> Text:
    """The least of the known accelerators that are fast and large enough."""
    given = setting.given(best=False)
    whole = setting.value("W", best=False) or Fraction(0)
    every, share = library.every(), whole / given["g"]
    wide = [h for h in every if h.bandwidth.quantity.base >= bandwidth]
    able = [h for h in wide if memory_of(h) >= share]
    if not able:
        return tr("none of the {count} accelerators with a spec", count=len(every))
    own = setting.product.vendor if setting.product else ""
    able.sort(key=lambda h: (h.vendor != own, h.bandwidth.quantity.base, h.id))
    return tr("for example: {names}", names=listed([h.name for h in able[:MOST_NAMED]]))


def large_enough(setting: Setting, library: Library, size: Fraction) -> Text:
    """The least of the known accelerators that hold so much, by the driver where sold as less."""
    every = library.every()
    able = [h for h in every if memory_of(h) >= size]
    if not able:
        return tr("none of the {count} accelerators with a spec", count=len(every))
    own = setting.product.vendor if setting.product else ""
    able.sort(key=lambda h: (h.vendor != own, memory_of(h), h.id))
    names = [
        h.name if h.marketed.quantity.base >= size
        else tr("{device}, of which the driver shows {size}", device=h.name,
                size=amount(memory_of(h), "byte"))
        if h.driver_visible
        else tr("{device}, taken as {size}", device=h.name, size=amount(memory_of(h), "byte"))
        for h in able[:MOST_NAMED]
    ]  # fmt: skip
    return tr(
        "for example: {names}",
        names=Text("; ".join(n.en for n in names), "；".join(n.zh for n in names)),
    )


def amount(base: Fraction, units: str) -> str:
    """A base value as printed."""
    return show(Quantity(base, unit(units))).text


def number(value: Fraction) -> str:
    """A pure number as printed, rounded up: the least that is enough."""
    if value >= 100:
        return f"{ceil(value):,}"
    whole, hundredths = divmod(ceil(value * 100), 100)
    return f"{whole}.{hundredths:02d}"
