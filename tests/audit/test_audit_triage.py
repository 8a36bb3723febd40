"""The triage queue: order, causes, states and notes that outlive an import, moving through it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.audit.causes import Cause
from inspector.audit.triage import Incident, Queue, Severity, identity_of
from inspector.auditing import Auditor
from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.triage import Triage
from tests.audit.audit_cases import query


class Memo:
    """A keeper in memory that counts what is written."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.written = 0

    def get_result(self, kind: str, key: str) -> bytes | None:
        return self.held.get(f"{kind}/{key}")

    def put_result(self, kind: str, key: str, payload: bytes) -> None:
        self.written += 1
        self.held[f"{kind}/{key}"] = payload


@pytest.fixture
def inspection() -> Iterator[Inspection]:
    with open_sources([demo_folder("incidents")], OpenOptions(temporary=True)) as opened:
        opened.evaluate()
        yield opened


def test_the_worst_come_first(inspection: Inspection) -> None:
    found = Triage(inspection, Auditor(inspection)).queue
    listed = [(one.query_id, one.severity.words) for one in found.incidents]
    # Told: five, safe-code among them, told though never exposed. All were asked at the same time: then by id.
    assert listed == [
        ("boat-trip", "excluded and disclosed"),
        ("deleted-card", "excluded and disclosed"),
        ("old-address", "excluded and disclosed"),
        ("room-number", "excluded and disclosed"),
        ("safe-code", "excluded and disclosed"),
        ("two-trips", "excluded and disclosed"),
        ("allergy-held", "loss"),
        ("bikes-cut", "loss"),
        ("missed-ferry", "loss"),
        ("reranked-away", "loss"),
        ("short-memory", "loss"),
        ("late-lookup", "broken trace"),
        ("boot-note", "broken trace"),
        ("ghost-record", "broken trace"),
        ("umbrella", "undecided"),
        ("pool-hours", "nothing failed"),
        ("quiet-room", "nothing failed"),
    ]


def test_causes_are_made_of_the_fields_that_decided(inspection: Inspection) -> None:
    causes = {one.query_id: one.cause.words for one in Triage(inspection, Auditor(inspection)).queue.incidents}
    assert causes == {
        "boat-trip": "verification, unfiltered retrieval, scope 0: another namespace from segment 2 on",
        "room-number": "verification, scope 0: another namespace from segment 2 on",
        "two-trips": "verification, scope 0: another namespace from segment 3 on",
        "old-address": "verification, lifecycle 0: superseded_by",
        "deleted-card": "verification, lifecycle 0: deleted_at",
        "safe-code": "disclosure, told without having been exposed, scope 0: another namespace from segment 2 on",
        "allergy-held": 'verification, policy 0: allowed_purposes ["kitchen"]',
        "bikes-cut": "assembly, cut by order or budget",
        "reranked-away": "assembly, dropped by a reranker",
        "missed-ferry": "candidate, required, not retrieved",
        "short-memory": "candidate, required, not retrieved",
        "boot-note": "assembly, exposed without being retrieved",
        "late-lookup": "trace, events out of order",
        "ghost-record": "trace, the record is not stored",
        "umbrella": "open: verification, unfiltered retrieval, scope ?: no namespace",
        "pool-hours": "nothing failed",
        "quiet-room": "nothing failed",
    }


def test_groups_share_a_cause(inspection: Inspection) -> None:
    groups = Triage(inspection, Auditor(inspection)).queue.groups()
    words = [group.words for group in groups]
    assert "2 share: candidate, required, not retrieved" in words
    assert words[-1] == "2 share: nothing failed"
    assert sum(len(group.incidents) for group in groups) == 17


def test_an_edit_that_mends_it_shows_and_its_undo_too(inspection: Inspection) -> None:
    auditor = Auditor(inspection)
    inspection.subscribe(auditor.changed)
    triage = Triage(inspection, auditor)
    found = triage.queue
    identity = next(one.identity for one in found.incidents if one.query_id == "umbrella")
    _, mi = inspection.find_pair("umbrella", "umbrella")
    inspection.edit("memory", [mi], "namespace", "house")
    triage.refresh()
    assert found.get(identity).state == "fixed by edit"
    assert found.incidents[-1].query_id == "umbrella"
    inspection.undo()
    triage.refresh()
    assert found.get(identity).state == "open"
    # What never failed is not called fixed.
    inspection.edit("memory", [mi], "namespace", "house")
    triage.refresh()
    assert next(one for one in found.incidents if one.query_id == "pool-hours").state == "open"


def test_states_and_notes_outlive_a_new_import(tmp_path: Path) -> None:
    folder, workspace = tmp_path / "incidents", tmp_path / "work.duckdb"
    shutil.copytree(demo_folder("incidents"), folder)

    def opened() -> Inspection:
        inspection = open_sources([folder], OpenOptions(workspace=workspace))
        inspection.evaluate()
        return inspection

    with opened() as inspection:
        found = Triage(inspection, Auditor(inspection)).queue
        ids = {one.query_id: one.identity for one in found.incidents}
        found.set_state([ids["boat-trip"], ids["safe-code"]], "confirmed")
        found.set_state([ids["boot-note"]], "dismissed")
        found.set_note(ids["boat-trip"], "told to the desk — 확인함")
    # The same incidents, exported again with a memory more; and another question under the id of one of them.
    path = folder / "queries.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        if record["id"] == "boot-note":
            record["text"] = "Where can I borrow a bicycle?"
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    with (folder / "memories.jsonl").open("a", encoding="utf-8") as out:
        out.write('{"id": "new", "text": "A new note."}\n')
    with opened() as inspection:
        found = Triage(inspection, Auditor(inspection)).queue
        states = {one.query_id: one.state for one in found.incidents}
        assert (states["boat-trip"], states["safe-code"], states["boot-note"]) == ("confirmed", "confirmed", "open")
        assert found.get(ids["boat-trip"]).note == "told to the desk — 확인함"
        assert found.counts() == {"open": 15, "confirmed": 2, "dismissed": 0, "fixed by edit": 0}


def many(count: int) -> list[Incident]:
    cause = Cause("c", "no namespace")
    return [
        Incident(
            identity_of(query(f"{n}")), n, f"q{n}", f"text {n}", "", ("candidate",), Severity.LOSS, (), cause, None
        )
        for n in range(count)
    ]


def test_moving_keeps_its_place_when_states_change() -> None:
    found = Queue(many(5), Memo())
    order = [one.identity for one in found.incidents]
    assert found.beside(order[0], 1) == found.incidents[1]
    assert found.beside(order[0], -1) is None
    assert found.beside(order[4], 1) is None
    shown = found.where(states=["open"])
    found.set_state([order[2]], "dismissed")
    shown = found.where(states=["open"])
    assert [one.identity for one in shown] == [order[0], order[1], order[3], order[4]]
    after, before = found.beside(order[2], 1, shown), found.beside(order[2], -1, shown)
    assert after is not None
    assert before is not None
    assert (after.identity, before.identity) == (order[3], order[1])


def test_a_change_of_many_writes_each_part_once() -> None:
    keeper = Memo()
    found = Queue(many(2_000), keeper)
    assert keeper.written == 16  # the stages first seen
    found.set_state([one.identity for one in found.incidents], "confirmed")
    assert keeper.written == 32
    found.set_note(found.incidents[0].identity, "x")
    assert keeper.written == 33
    assert Queue(many(2_000), keeper).counts()["confirmed"] == 2_000
    assert keeper.written == 33


def test_filters() -> None:
    found = Queue(many(30), Memo())
    assert [one.query_id for one in found.where(text="TEXT 7")] == ["q7"]
    assert found.where(stages=["trace"]) == []
    assert len(found.where(stages=["candidate", "trace"], severities=[Severity.LOSS])) == 30
    assert found.where(states=["dismissed"]) == []


def test_what_a_workspace_holds_that_is_not_ours_is_passed_over() -> None:
    keeper = Memo()
    first = many(1)[0].identity
    keeper.put_result("triage", first[0], b"not json")
    keeper.put_result("triage", "1" if first[0] != "1" else "2", b'{"a": {"state": "odd", "note": 1}, "b": 3}')
    assert Queue(many(1), keeper).incidents[0].state == "open"
