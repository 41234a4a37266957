"""The same rows from a Dask cluster of two workers, also where one is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from distributed import LocalCluster

from derive.errors import DeriveError
from derive.sweep import cluster
from derive.sweep import run as run_of
from derive.sweep.run import Sweep

from .conftest import sweep

ASKED = ("deepseek-v3-on-8x-h200", "devices=8,9", "b=1:64", "T=1000:1400")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the library, at its end


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    """Two worker processes of one thread."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address=None, worker_dashboard_address=None,
    ) as made:  # fmt: skip
        yield made


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, file_of: Callable[..., bytes]) -> bytes:
    """The file made in this process, of many small blocks."""
    monkeypatch.setattr(run_of, "BLOCK", 1_000)
    return file_of(sweep(*ASKED))


def test_two_workers_give_the_same_rows(
    workers: LocalCluster, here: bytes, file_of: Callable[..., bytes]
) -> None:
    asked = sweep(*ASKED)
    assert file_of(asked, cluster.evaluated(asked, workers.scheduler_address)) == here


def test_no_row_is_lost_where_a_worker_is_killed(
    workers: LocalCluster, here: bytes, file_of: Callable[..., bytes]
) -> None:
    asked = sweep(*ASKED)
    killed = []

    def evaluated(asked: Sweep) -> Iterator[Any]:
        blocks = cluster.evaluated(asked, workers.scheduler_address)
        for number, block in enumerate(blocks):
            if number == 3:
                killed.append(next(iter(workers.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)
            yield block

    assert file_of(asked, evaluated(asked)) == here
    assert killed
    assert here.count(b"\r\n") == 2 * 64 * 401 + 1


def test_a_worker_of_another_version_is_refused(
    workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = sweep(*ASKED)
    monkeypatch.setattr(cluster, "__version__", "9.9")
    with pytest.raises(DeriveError, match="C120 a worker of the Dask cluster has derive"):
        list(cluster.evaluated(asked, workers.scheduler_address))
