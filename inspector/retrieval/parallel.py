"""Many small pieces of NumPy work on all cores, each with a single-threaded matrix product.

A product of a few milliseconds gains little from the library's own threads, and on a busy machine loses much: all
wait for the slowest at every product. Whole pieces in parallel do not wait for one another.
"""

from __future__ import annotations

import importlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")
#: Pieces that are under way or waiting to be taken at a time, which bounds their memory.
AHEAD = 16
#: Up to this many similarities in all, threads take longer to start than the work takes.
FEW = 200_000


@cache
def _controller() -> Any:
    """What limits the matrix library's threads, None where it is not installed: then pieces run one by one."""
    try:
        return importlib.import_module("threadpoolctl").ThreadpoolController()
    except ImportError:
        return None


def in_parallel(
    pieces: Iterator[_T], work: Callable[[_T], _R], is_small: Callable[[_T], bool], size: Callable[[_T], int]
) -> Iterator[tuple[_T, _R]]:
    """Pair each piece with its result, in order: small ones side by side, others alone with all the library's threads.

    ``size`` is the number of similarities in a piece: where all pieces together have few, no thread is started.
    ``pieces`` is drawn in the caller's thread; ``work`` must be safe to run in several threads.
    """
    first = list(islice(pieces, AHEAD))
    if len(first) == 1 or (len(first) < AHEAD and sum(map(size, first)) <= FEW):
        for piece in first:
            yield piece, work(piece)
        return
    pieces = chain(first, pieces)
    del first  # so that each piece can go when it is done with
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    controller = _controller() if cores > 1 else None
    under_way: deque[tuple[_T, Future[_R]]] = deque()
    with ThreadPoolExecutor(cores) as threads, ExitStack() as limit:
        for piece in pieces:
            if controller is not None and is_small(piece):
                if not under_way:
                    limit.enter_context(controller.limit(limits=1, user_api="blas"))
                # The next piece is drawn while those before it are worked on.
                under_way.append((piece, threads.submit(work, piece)))
                if len(under_way) < AHEAD:
                    continue
                done, result = under_way.popleft()
                yield done, result.result()
                continue
            while under_way:
                done, result = under_way.popleft()
                yield done, result.result()
            limit.close()
            yield piece, work(piece)
        while under_way:
            done, result = under_way.popleft()
            yield done, result.result()
