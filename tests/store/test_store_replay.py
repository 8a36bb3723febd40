"""Replay of a session and degraded recall, on sessions small enough to be worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from inspector.records import Memory, Origin, Query, Settings
from inspector.store.degraded import degraded
from inspector.store.replay import Lane, Replay, lanes_of, replay, sessions
from inspector.times import parse_time

ZONED = Settings()


def at(hour: int, day: int = 1) -> str:
    return f"2026-04-{day:02}T{hour:02}:00:00Z"


def memory(id: str, tag: str | None = None, hour: int = 8, session: str | None = "s", **fields: Any) -> Memory:
    given = {"session_id": session, "semantic_tag": tag, "created_at": at(hour), **fields}
    return Memory({"id": id, "text": f"text of {id}", "namespace": "n", **given}, Origin("memories.jsonl", 1))


def query(id: str, tag: str | None, hour: int, session: str | None = "s", **fields: Any) -> Query:
    given = {"session_id": session, "semantic_tag": tag, "as_of": at(hour), **fields}
    return Query({"id": id, "text": f"text of {id}", **given}, Origin("queries.jsonl", 1))


def shown(lane: Lane) -> list[tuple[str | None, str, str]]:
    return [(s.state, "" if s.start is None else s.start.text[5:13], s.source) for s in lane.segments]


def lanes(run: Replay) -> dict[str, list[tuple[str | None, str, str]]]:
    return {lane.memory.id: shown(lane) for lane in run.lanes}


MEMORIES = [
    memory("visa", "visa"),
    memory("offsite", "offsite"),
    memory("late-visa", "visa", hour=14),
    memory("untagged"),
    memory("gone", "offsite", deleted_at=at(10)),
    memory("put-aside", "visa", boundary_log=[{"state": "quarantined", "at": at(9), "cause": "contamination"}]),
    memory("elsewhere", "visa", session="other"),
]
QUERIES = [
    query("q1", "visa", 9),
    query("q2", "visa", 10),
    query("q3", "offsite", 11),
    query("q4", None, 12),
    query("q5", "visa", 15),
    query("stranger", "offsite", 13, session="other"),
]


def test_the_lanes_of_a_session_with_two_tasks() -> None:
    # 09 enters visa (already active); 11 leaves visa, enters offsite; 12 has no tag; 15 leaves offsite, enters visa.
    run = replay(MEMORIES, QUERIES, "s", ZONED)
    assert [(tick.query_id, tick.left, tick.entered) for tick in run.ticks] == [
        ("q1", None, "visa"),
        ("q2", None, None),
        ("q3", "visa", "offsite"),
        ("q4", None, None),
        ("q5", "offsite", "visa"),
    ]
    assert lanes(run) == {
        "gone": [("active", "04-01T08", "start"), ("forgotten", "04-01T10", "deleted_at")],
        "late-visa": [("active", "04-01T14", "start")],
        "offsite": [("active", "04-01T08", "start"), ("archived", "04-01T15", "replay")],
        "put-aside": [("active", "04-01T08", "start"), ("quarantined", "04-01T09", "boundary_log")],
        "untagged": [("active", "04-01T08", "start")],
        "visa": [
            ("active", "04-01T08", "start"),
            ("archived", "04-01T11", "replay"),
            ("active", "04-01T15", "replay"),
        ],
    }
    visa = run.lanes[-1]
    assert visa.segments[1].query_id == "q3"
    assert visa.segments[1].cause == "the task boundary moved away: the session left tag 'visa'"
    assert [visa.at(parse_time(at(hour), "at")).state for hour in (8, 10, 11, 14, 15)] == [  # type: ignore[union-attr]
        "active",
        "active",
        "archived",
        "archived",
        "active",
    ]
    assert visa.at(parse_time(at(7), "at")) is None
    kept = {lane.memory.id: [(one.query_id, one.verb, one.reason) for one in lane.kept] for lane in run.lanes}
    only = "it is quarantined: it can only be released, to active, or forgotten"
    assert kept["put-aside"] == [("q1", "resume", only), ("q3", "archive", only), ("q5", "resume", only)]
    stays = "forgotten stays forgotten"
    assert kept["gone"] == [("q3", "resume", stays), ("q5", "archive", stays)]
    assert run.notes == (
        "1 query without a semantic tag: no boundary moves",
        "1 memory of the session without a semantic tag: no boundary moves them",
    )
    assert {MEMORIES[index].id: [mark["state"] for mark in log] for index, log in run.logs.items()} == {
        "visa": ["archived", "active"],
        "offsite": ["archived"],
    }
    assert sessions(QUERIES) == {"other": 1, "s": 5}


def test_the_lanes_are_the_same_whatever_the_input_order() -> None:
    tied = [*QUERIES, query("a-tie", "offsite", 15), query("z-tie", "visa", 11)]
    expected = replay(MEMORIES, tied, "s", ZONED)
    rng = random.Random(7)
    for _ in range(20):
        memories, queries = MEMORIES[:], tied[:]
        rng.shuffle(memories)
        rng.shuffle(queries)
        run = replay(memories, queries, "s", ZONED)
        assert [tick.query_id for tick in run.ticks] == [tick.query_id for tick in expected.ticks]
        assert [(lane.memory.id, lane.segments, lane.kept) for lane in run.lanes] == [
            (lane.memory.id, lane.segments, lane.kept) for lane in expected.lanes
        ]
        assert {memories[i].id: log for i, log in run.logs.items()} == {
            MEMORIES[i].id: log for i, log in expected.logs.items()
        }
        assert run.notes == expected.notes


def test_recorded_marks_count_at_their_times_and_stay() -> None:
    # Recorded: archived by hand at 10, quarantined at 14. The replay resumes it at 11 (its tag is entered); at 13 it is
    # left and archived; at 15 it is in quarantine and stays there, whatever the session does.
    recorded = [
        {"state": "archived", "at": at(10), "cause": "by hand"},
        {"state": "quarantined", "at": at(14), "cause": "contamination"},
    ]
    one = memory("m", "a", boundary_log=recorded)
    run = replay([one], [query("q1", "a", 11), query("q2", "b", 13), query("q3", "a", 15)], "s", ZONED)
    assert lanes(run)["m"] == [
        ("active", "04-01T08", "start"),
        ("archived", "04-01T10", "boundary_log"),
        ("active", "04-01T11", "replay"),
        ("archived", "04-01T13", "replay"),
        ("quarantined", "04-01T14", "boundary_log"),
    ]
    assert [mark["state"] for mark in run.logs[0]] == ["archived", "active", "archived", "quarantined"]
    assert [mark for mark in run.logs[0] if mark in recorded] == recorded
    assert [one.reason for one in run.lanes[0].kept] == [
        "it is quarantined: it can only be released, to archived, or forgotten"
    ]


def test_a_bare_state_is_kept_as_the_first_mark() -> None:
    one = memory("m", "a", boundary_state="archived", status_at=at(9))
    run = replay([one], [query("q1", "a", 11)], "s", ZONED)
    assert [(mark["state"], mark["at"]) for mark in run.logs[0]] == [
        ("archived", at(9)),
        ("active", "2026-04-01T11:00:00Z"),
    ]
    assert [state for state, _, _ in lanes(run)["m"]] == ["active", "archived", "active"]
    untimed = replay([memory("m", "a", boundary_state="archived")], [query("q1", "a", 11)], "s", ZONED)
    assert untimed.logs == {}
    assert "has no time" in untimed.lanes[0].kept[0].reason


def test_what_cannot_be_placed_is_said_and_moves_nothing() -> None:
    undated = memory("undated", "a", boundary_log=[{"state": "archived"}, {"state": "active", "at": at(9)}])
    naive = memory("naive", "a", created_at="2026-04-01T10:30:00")
    queries = [query("q1", "a", 11), query("q2", "b", 12), query("no-time", "a", 13, as_of=None)]
    run = replay([undated, naive], queries, "s", ZONED)
    assert [tick.query_id for tick in run.ticks] == ["q1", "q2"]
    assert run.logs == {}
    assert [len(lane.kept) for lane in run.lanes] == [1, 2]
    assert (
        run.lanes[0].kept[0].reason == "whether it was stored by 2026-04-01T12:00:00Z is in doubt: state the time zone"
    )
    assert lanes(run)["undated"] == [(None, "04-01T08", "boundary_log")]
    assert run.notes == ("1 query without a time, left out",)
    stated = ZONED.with_(default_as_of=parse_time(at(23), "at"))
    assert "1 query without an as_of" in replay([], queries, "s", stated).notes[0]


def test_lanes_without_a_replay() -> None:
    one = memory("m", boundary_log=[{"state": "quarantined", "at": at(9)}, {"state": "active", "at": at(12)}])
    one.edits["deleted_at"] = at(10)
    (lane,) = lanes_of([memory("x"), one], [1], ZONED)
    # Deleted while in quarantine: released, it is forgotten and not active.
    assert [(state, source) for state, _, source in shown(lane)] == [
        ("active", "start"),
        ("quarantined", "boundary_log"),
        ("forgotten", "boundary_log"),
    ]


# ---- degraded mode


def words(id: str, text: str, hour: int, **fields: Any) -> Memory:
    return memory(id, None, hour, text=text, **fields)


ASKED = query("q", None, 20, text="Which oven did the kitchen plan name?")


def test_the_window_holds_the_last_twenty_of_the_session() -> None:
    memories = [memory(f"m{number:02}", hour=number % 20) for number in range(25)]
    found = degraded(ASKED, [*memories, memory("later", hour=21), memory("else", session="t")], ZONED)
    assert found is not None
    # Hours 0 to 4 come twice; the latest 20 are all of hours 19 to 5 and of the ten of 4 to 0 the first five by hour.
    names = [memories[i].id for i in found.window]
    assert len(names) == 20
    assert names[:2] == ["m19", "m18"]
    assert names[15:] == ["m04", "m24", "m03", "m23", "m02"]
    assert found.why == "the query has no semantic tag"


def test_the_keyword_filter_and_the_sample() -> None:
    memories = [
        words("oven", "The oven should be induction.", 9),
        words("kitchen", "Kitchen plan: start in May.", 10),
        words("visa", "The visa office opens at nine.", 11),
        words("hotel", "The hotel is near the river.", 12),
    ]
    found = degraded(ASKED, memories, ZONED)
    assert found is not None
    # "the" is short; oven, kitchen and plan stand in one memory of four each; visa and hotel share nothing.
    assert [memories[i].id for i in found.kept] == ["kitchen", "oven"]
    assert found.shared == {0: ("oven",), 1: ("kitchen", "plan")}
    assert len(found.review) == 1
    assert found.review <= set(found.kept)
    turned = degraded(ASKED, memories[::-1], ZONED)
    assert turned is not None
    assert {memories[::-1][i].id for i in turned.review} == {memories[i].id for i in found.review}
    drawn = {next(iter(degraded(ASKED, memories, ZONED, seed=seed).review)) for seed in range(20)}  # type: ignore[union-attr]
    assert drawn == set(found.kept)


def test_a_word_of_the_whole_window_is_no_keyword() -> None:
    memories = [words(f"m{n}", f"kitchen number {n}", n) for n in range(1, 5)]
    memories[2].edits["text"] = "kitchen oven"
    found = degraded(ASKED, memories, ZONED)
    assert found is not None
    assert [memories[i].id for i in found.kept] == ["m3"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (query("q", "a", 20), "no memory of the session has a semantic tag"),
        (query("q", None, 20), "the query has no semantic tag"),
        (query("q", "a", 20, session=None, claimed_session_id="s"), "the query has no authenticated session"),
    ],
)
def test_why_it_is_degraded(asked: Query, why: str) -> None:
    found = degraded(asked, [memory("m"), memory("n", "a", session="t")], ZONED)
    assert found is not None
    assert found.why == why
    assert (found.window == ()) == ("authenticated" in why)  # a claim opens no window


def test_with_tags_nothing_is_degraded() -> None:
    assert degraded(query("q", "a", 20), [memory("m", "b"), memory("n")], ZONED) is None
