"""The same blocks on a Dask cluster, in the same order; what a lost worker held is done again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import count
from typing import Any

from derive import __version__
from derive.errors import DeriveError, Place, Problem, printable
from derive.sweep.evaluate import Job, Spans
from derive.sweep.grid import Block
from derive.sweep.ranges import Ranged
from derive.sweep.run import Sweep
from derive.text import tr

WAITING = 4  # blocks under way for each thread of the cluster: more would only fill memory
PATIENCE = 10  # seconds for a scheduler to answer
PLACE = Place("--scheduler")
KNOWN: dict[str, Job | Ranged] = {}  # jobs of this worker: what their blocks share is computed once


def run_block(token: str, job: Job | Ranged, spans: Spans, version: str) -> list[Any] | str:
    """One block on a worker; the version of a worker that has another one."""
    if version != __version__:
        return __version__
    if token not in KNOWN:
        KNOWN.clear()
        KNOWN[token] = job
    return KNOWN[token].run(spans)


def evaluated(sweep: Sweep, address: str) -> Iterator[tuple[Block, list[Any]]]:
    """Every block in order, computed by the workers behind a scheduler, which must answer now."""
    from distributed import Client

    connect: Any = Client
    try:
        client = connect(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise unreachable(address) from error
    return submitted(sweep, client)


def submitted(sweep: Sweep, client: Any) -> Iterator[tuple[Block, list[Any]]]:
    """Blocks sent out some at a time and taken back in order."""
    with client:
        under_way: deque[tuple[Block, Any]] = deque()
        number, name = count(), client.id
        for job, blocks in sweep.jobs():
            token = f"{name}-{next(number)}"
            for block in blocks:
                room = WAITING * max(1, sum(client.nthreads().values()))
                while len(under_way) >= room:
                    yield finished(under_way.popleft())
                key = f"{token}-{block.spans}"
                future = client.submit(run_block, token, job, block.spans, __version__, key=key)
                under_way.append((block, future))
        while under_way:
            yield finished(under_way.popleft())


def finished(task: tuple[Block, Any]) -> tuple[Block, list[Any]]:
    """A block with its results, waited for."""
    from distributed import CancelledError, KilledWorker

    block, future = task
    try:
        found: list[Any] | str = future.result()
    except (KilledWorker, CancelledError) as error:
        what = tr("the Dask cluster gave up a block: its workers died, or the scheduler did")
        raise DeriveError(Problem("C121", what, PLACE)) from error
    if isinstance(found, str):
        what = tr("a worker of the Dask cluster has derive {there}, here it is {here}",
                  there=printable(found, 40), here=__version__)  # fmt: skip
        raise DeriveError(Problem("C120", what, PLACE))
    future.release()
    return block, found


def unreachable(address: str) -> DeriveError:
    """Nobody answers."""
    what = tr("no Dask scheduler answers at {address}", address=printable(address, 80))
    hint = tr("for example {text}", text="tcp://10.0.0.5:8786")
    return DeriveError(Problem("C118", what, PLACE, hint=hint))
