"""Bars of time that a busy machine and a full heap do not move."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block takes less processor time than that.

    What thousands of earlier tests left on the heap is kept out of the collector's passes:
    walking it took longer than what is measured.
    """
    gc.freeze()
    try:
        start = time.process_time()
        yield
        taken = time.process_time() - start
    finally:
        gc.unfreeze()
    assert taken < seconds, f"{taken:.2f} s of processor time, allowed are {seconds} s"
