"""Which call of an operator launched a kernel.

A kernel's `External id` names the operator's call. Traces of 2022 and 2023 write the number of the
launch there instead, which may by chance be the number of another operator's call; there the launch
tells by its time and thread inside which call it was made.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from derive.measured.profile.events import NONE, Events

UNLINKED = (NONE, 0)
PLACES = 40  # bits of a position
DURATIONS = 62  # bits of a time


class Index:
    """Where a number stands: found in a sorted array, at a tenth of a dictionary's size."""

    def __init__(self, numbers: array[int]) -> None:
        self.numbers, self.places = numbers, None
        if any(x > y for x, y in pairwise(numbers)):
            joined = sorted(n << PLACES | i for i, n in enumerate(numbers))
            self.numbers = array("q", (j >> PLACES for j in joined))
            self.places = array("q", (j & (1 << PLACES) - 1 for j in joined))

    def at(self, number: int) -> int:
        """The place of a number; NONE where it is not there."""
        found = bisect_left(self.numbers, number)
        if number == NONE or found == len(self.numbers) or self.numbers[found] != number:
            return NONE
        return found if self.places is None else self.places[found]


def owning(events: Events) -> Iterator[int]:
    """The place of the call that launched each kernel; NONE where a graph or nobody known did."""
    calls, launches = Index(events.operators.calls), Index(events.launches)
    inside = enclosing(events, launches)
    for launch, owner in zip(events.launch, events.owner, strict=True):
        if launch in events.graphs:
            yield NONE
        elif owner not in UNLINKED and owner != launch:
            yield calls.at(owner)
        else:
            at = launches.at(launch)
            by = events.launchers[at] if at != NONE else NONE
            linked = by not in UNLINKED and by != launch
            found = calls.at(by) if linked else inside.get(at, NONE)
            events.by_time += not linked and found != NONE
            yield found


def enclosing(events: Events, launches: Index) -> dict[int, int]:
    """For launches that no number ties to an operator: the innermost call they were made in."""
    wanted: dict[int, list[int]] = {}  # thread -> launches
    for launch, owner in zip(events.launch, events.owner, strict=True):
        at = launches.at(launch) if owner in UNLINKED or owner == launch else NONE
        if at != NONE and events.launchers[at] in (*UNLINKED, launch):
            wanted.setdefault(events.launched_by[at], []).append(at)
    made: dict[int, int] = {}
    if not wanted:
        return made
    of: dict[int, list[int]] = {thread: [] for thread in wanted}
    operators = events.operators
    for place, thread in enumerate(operators.thread):
        if thread in of and operators.time[place] != NONE:
            of[thread].append(place)
    for thread, places in of.items():
        made.update(innermost(events, places, sorted(set(wanted[thread]))))
    return made


def innermost(events: Events, calls: list[int], launches: list[int]) -> dict[int, int]:
    """Calls of one thread lie inside each other: a stack of those that have not ended."""
    start, time = events.operators.start, events.operators.time
    calls.sort(key=lambda c: (start[c] << DURATIONS) - time[c])
    launches.sort(key=events.launched_at.__getitem__)
    made: dict[int, int] = {}
    stack: list[int] = []
    coming = iter(calls)
    following = next(coming, NONE)
    for launch in launches:
        now = events.launched_at[launch]
        while following != NONE and start[following] <= now:
            while stack and start[stack[-1]] + time[stack[-1]] < start[following]:
                stack.pop()
            stack.append(following)
            following = next(coming, NONE)
        while stack and start[stack[-1]] + time[stack[-1]] < now:
            stack.pop()
        if stack:
            made[launch] = stack[-1]
    return made
