"""Pieces in parallel: in order, each once, with or without the library that limits BLAS threads."""

from __future__ import annotations

import threading

import pytest

from inspector.retrieval import parallel
from inspector.retrieval.parallel import AHEAD, in_parallel


@pytest.mark.parametrize("has_controller", [True, False])
def test_results_come_in_order(has_controller: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_controller:
        monkeypatch.setattr(parallel, "_controller", lambda: None)
    count = 3 * AHEAD + 1
    found = list(in_parallel(iter(range(count)), lambda piece: piece * piece, lambda piece: piece % 40 != 0))
    assert found == [(piece, piece * piece) for piece in range(count)]


def test_large_pieces_run_in_the_callers_thread_one_at_a_time() -> None:
    drawn: list[int] = []
    where: set[str] = set()

    def work(piece: int) -> int:
        drawn.append(piece)
        where.add(threading.current_thread().name)
        return piece

    first = next(in_parallel(iter(range(5)), work, lambda _: False))
    assert (first, drawn, where) == ((0, 0), [0], {threading.current_thread().name})


def test_an_error_reaches_the_caller() -> None:
    def work(_: int) -> int:
        raise ValueError("piece")

    with pytest.raises(ValueError, match="piece"):
        list(in_parallel(iter(range(4)), work, lambda _: True))
