"""On random small stores a plain-Python oracle gives the same rankings, figures, means and differences."""

from __future__ import annotations

import functools

import pytest

from inspector.axes import lifecycle_columns, states
from inspector.compare.comparison import Comparison, compare
from inspector.compare.figures import EXPOSURE_METRICS, METRICS, PAIRED
from inspector.compare.runs import RouteRun
from inspector.comparing import run_source
from inspector.comparing.running import check_request, group_label
from tests.compare import stores
from tests.compare.oracle import Oracle, Row, mean, number, sign_flip

STORES, PARTS = 500, 10


def close(found: float | None, expected: float | None) -> bool:
    """Equal but for rounding; None equals None alone. (pytest.approx is a third of the time of so many.)"""
    if found is None or expected is None:
        return found is None and expected is None
    return abs(found - expected) <= 1e-9 * max(1.0, abs(expected))


def differing(found: dict[str, float | None], expected: dict[str, float | None]) -> list[str]:
    """The names whose values are not the same."""
    return [name for name in found.keys() | expected.keys() if not close(found[name], expected[name])]


def check_query(comparison: Comparison, route: str, qi: int, row: Row) -> None:
    """One query on one route: what was ranked, and every value."""
    run = comparison.sources[0].runs[route]
    held = run.memory[qi] >= 0
    assert run.memory[qi][held].tolist() == row.ranked.memories
    assert [number(score) for score in run.score[qi][held]] == row.ranked.scores
    paths = [run.paths[place] for place in run.path[qi][held]]
    # Which of the kept are for review is drawn by a hash, which the oracle does not draw again.
    assert [path.replace("review", "keyword") for path in paths] == row.ranked.paths
    part = comparison.route(route).sources[0]
    assert not differing({name: number(part.values[name][qi]) for name in METRICS}, row.values)
    assert set(part.exposures) == set(row.exposures)
    for rule, values in row.exposures.items():
        found = part.exposures[rule]
        assert not differing({name: number(found[name][qi]) for name in EXPOSURE_METRICS}, values)


def check_route(comparison: Comparison, route: str, rows: list[Row], base: list[Row], groups: list[str]) -> None:
    """Means over queries, the recall curve, and differences from the base route."""
    result = comparison.route(route)
    for name in METRICS:
        assert close(result.figures[name].value, mean(row.values[name] for row in rows)), name
    for rule, figures in result.exposures.items():
        for name in EXPOSURE_METRICS:
            assert close(figures[name].value, mean(row.exposures[rule][name] for row in rows)), (rule, name)
    evaluable = [row for row in rows if row.required]
    for depth, value in enumerate(result.recall_at):
        shares = []
        for row in evaluable:
            head = row.ranked.memories[:depth]
            shares.append(sum(any(mi in head for mi in meant) for meant in row.required) / len(row.required))
        assert close(value, mean(shares))
    if route == comparison.request.base_route:
        assert result.deltas == {}
        return
    for name in PAIRED:
        gaps = [
            (group, mine.values[name] - theirs.values[name])  # type: ignore[operator]
            for group, mine, theirs in zip(groups, rows, base, strict=True)
            if mine.required
        ]
        delta = result.deltas[name]
        assert close(delta.value, mean(gap for _, gap in gaps))
        by_group = {group: sum(gap for one, gap in gaps if one == group) for group, _ in gaps}
        assert close(delta.p, sign_flip(list(by_group.values())))
        assert delta.more + delta.less + delta.same == len(gaps)


@pytest.fixture(autouse=True)
def one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of states is made once and not for every store: it is half of what a small engine costs."""
    monkeypatch.setattr(lifecycle_columns, "value_table", functools.cache(states.value_table))


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are not packed to be kept, which nobody reads here: test_compare_keeping is about that."""
    monkeypatch.setattr(RouteRun, "to_bytes", lambda _: b"")


@pytest.mark.parametrize("part", range(PARTS))
def test_oracle(part: int) -> None:
    for seed in range(part, STORES, PARTS):
        inspection = stores.inspection(seed)
        request = check_request(stores.request(seed))
        comparison = compare(request, [run_source(inspection, request)])
        oracle = Oracle(inspection, request)
        rows = {route: [oracle.row(route, qi) for qi in range(len(inspection.queries))] for route in request.routes}
        groups = [group_label(query) for query in inspection.queries]
        for route in request.routes:
            for qi, row in enumerate(rows[route]):
                check_query(comparison, route, qi, row)
            check_route(comparison, route, rows[route], rows[request.base_route], groups)
