"""The trail's five steps, its breaks, and contamination and loss as bounds."""

from __future__ import annotations

import pytest

from inspector.audit.audit import audit
from inspector.audit.figures import Bounds, contamination_by_path, let_through_counts, share_of_no
from inspector.trit import NO, UNKNOWN, YES, Trit
from tests.audit.audit_cases import audited, case, memory, query

POOL = memory("pool", "The pool opens at seven every morning.", created_at="2026-05-01T10:00:00Z")
CODE = memory("code", "The door code is 4711.", created_at="2026-05-01T10:00:00Z")
SPA = memory("spa", "The spa is closed on Mondays.")
STORE = [POOL, CODE, SPA]
RECORDED = {
    "events": [
        {
            "name": "search",
            "at": "2026-05-02T08:00:00Z",
            "filter": {"user_id": "lind"},
            "score_kind": "distance",
            "retrieved": [{"id": "pool", "score": 0.25}, {"id": "code"}],
        },
        {"name": "again", "retrieved": [{"id": "pool", "score": 0.5}]},
    ],
    "exposed": ["pool", "code", "spa"],
    "answer": "At seven; the code is 4711.",
    "answer_at": "2026-05-02T08:00:09Z",
}


def test_the_five_steps_with_time_rank_filter_and_match() -> None:
    given = case(STORE, query(recorded=RECORDED, leak_targets=["4711"]), {"code": 0})
    done = audit(given)
    steps = {step.name: step for step in done.trail(0, "recorded", given).steps}
    assert list(steps) == ["stored", "retrieved", "verified", "exposed", "disclosed"]
    assert [steps[name].value.symbol for name in steps] == ["1", "1", "1", "1", "0"]
    assert steps["stored"].at == "2026-05-01T10:00:00Z"
    assert steps["retrieved"].at == "2026-05-02T08:00:00Z"
    assert steps["retrieved"].kind == "exact"
    assert steps["retrieved"].detail == (
        'rank 1 in search, distance 0.25, filter {"user_id": "lind"} (match exact); '
        "rank 1 in again, score of unknown direction 0.5, unfiltered retrieval (filter absent) (match exact)"
    )
    assert "exact, by id" in steps["exposed"].detail
    assert not done.trail(0, "recorded", given).breaks


def test_steps_that_should_not_have_happened() -> None:
    given = case(STORE, query(recorded=RECORDED, leak_targets=["4711"]), {"code": 0})
    done = audit(given)
    code = {step.name: step for step in done.trail(1, "recorded", given).steps}
    assert (code["exposed"].broken, code["disclosed"].broken) == (True, True)
    assert code["disclosed"].at == "2026-05-02T08:00:09Z"
    spa = done.trail(2, "recorded", given)
    assert spa.breaks == ("exposed without being retrieved",)
    assert [step.broken for step in spa.steps] == [False, False, False, True, False]


def test_a_memory_that_nothing_brings_in_has_a_trail_too() -> None:
    given = case(STORE, query(recorded={"events": [{"retrieved": [{"id": "pool"}]}], "answer": "x"}), {})
    done = audit(given)
    assert done.row(2) is None
    steps = done.trail(2, "recorded", given).steps
    assert [step.value.symbol for step in steps] == ["1", "0", "1", "0", "0"]
    assert steps[1].detail == "in no event of the trace"


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], None),
        ([(NO, NO)], None),
        ([(YES, NO), (YES, YES)], (0.5, 0.5)),
        ([(YES, NO), (YES, UNKNOWN), (YES, YES), (YES, YES)], (0.25, 0.5)),
        # One more that may have been exposed: good, it dilutes the lower end (1/3) and not the upper (1/2).
        ([(YES, NO), (YES, YES), (UNKNOWN, YES)], (1 / 3, 0.5)),
        # Bad: the upper end is 2/3, the lower stays.
        ([(YES, NO), (YES, YES), (UNKNOWN, NO)], (0.5, 2 / 3)),
        ([(UNKNOWN, NO)], (1.0, 1.0)),
        ([(UNKNOWN, YES)], (0.0, 0.0)),
        ([(UNKNOWN, UNKNOWN)], (0.0, 1.0)),
    ],
)
def test_bounds_of_a_share(pairs: list[tuple[Trit, Trit]], expected: tuple[float, float] | None) -> None:
    found = share_of_no(pairs)
    assert (None if found is None else (found.low, found.high)) == expected


def test_contamination_has_two_causes_and_loss_is_apart() -> None:
    recorded = {"events": [{"retrieved": [{"id": id} for id in ("pool", "code", "spa")]}], "exposed": ["code", "spa"]}
    asked = query(recorded=recorded, required=["pool", "code", "gone"])
    done = audited(STORE, asked, {"code": 0, "spa": "?"}, relevance={"code": 1, "spa": 0})
    # code: verdict 0, relevance 1 → usable 0; spa: verdict ?, relevance 0 → usable 0.
    assert done.contamination.contaminated == Bounds(1.0, 1.0)
    assert done.contamination.inadmissible == Bounds(0.5, 1.0)
    assert done.contamination.irrelevant == Bounds(0.5, 0.5)
    assert done.contamination.exposed == 2
    # Of pool, code and gone only code was exposed.
    assert done.loss.lost == Bounds(2 / 3, 2 / 3)
    assert let_through_counts(done.rows) == {"admit": 1, "unresolved": 2}
    assert set(contamination_by_path(done.rows)) == {""}


def test_nothing_exposed_and_nothing_required_give_no_figures() -> None:
    done = audited(STORE, query(recorded={"events": [], "exposed": [], "answer": "x"}), {})
    assert done.contamination.contaminated is None
    assert done.loss.lost is None
    assert done.loss.required == 0
