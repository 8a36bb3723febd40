"""Pieces in parallel: in order, each once, with or without the library that limits BLAS threads."""

from __future__ import annotations

import threading

import pytest

from inspector.retrieval import parallel
from inspector.retrieval.parallel import AHEAD, FEW, in_parallel


def many(_: int) -> int:
    """So many similarities that threads are worth their start."""
    return FEW + 1


@pytest.mark.parametrize("has_controller", [True, False])
def test_results_come_in_order(has_controller: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_controller:
        monkeypatch.setattr(parallel, "_controller", lambda: None)
    count = 3 * AHEAD + 1
    found = list(in_parallel(iter(range(count)), lambda piece: piece * piece, lambda piece: piece % 40 != 0, many))
    assert found == [(piece, piece * piece) for piece in range(count)]


def test_large_pieces_run_in_the_callers_thread_one_at_a_time() -> None:
    drawn: list[int] = []
    where: set[str] = set()

    def work(piece: int) -> int:
        drawn.append(piece)
        where.add(threading.current_thread().name)
        return piece

    first = next(in_parallel(iter(range(5)), work, lambda _: False, many))
    assert (first, drawn, where) == ((0, 0), [0], {threading.current_thread().name})


def test_an_error_reaches_the_caller() -> None:
    def work(_: int) -> int:
        raise ValueError("piece")

    with pytest.raises(ValueError, match="piece"):
        list(in_parallel(iter(range(4)), work, lambda _: True, many))


def test_few_similarities_start_no_thread() -> None:
    """A quarter of the limit each: three pieces stay within it, and work in the caller's thread."""
    seen: list[int] = []

    def work(piece: int) -> int:
        seen.append(threading.get_ident())
        return piece + 1

    found = list(in_parallel(iter(range(3)), work, lambda _: True, lambda _: FEW // 4))
    assert found == [(0, 1), (1, 2), (2, 3)]
    assert set(seen) == {threading.get_ident()}
