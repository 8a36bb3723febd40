"""The four ways around a session id: what session alone lets through, and what session × tag and exact key do of it.

The figures of each README are worked out here from the rows by the definition of DESIGN 5: contamination is exposed and
usable 0 over exposed, loss is required and not exposed over required.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector import boundaries, rows
from inspector.errors import InspectorError
from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.trit import Trit
from inspector.views import RouteChoice

#: Each store with a question, the memory that session alone lets through to it, and the one that is needed.
STORES = {
    "session-resent": ("guest-count", "party-guests", "wedding-guests"),
    "session-two-tasks": ("offsite-cost", "visa-fee", "offsite-budget"),
    "session-lookalike": ("invoice-due", "carried-over", "invoice-2291"),
    "session-fixed-path": ("pin-berlin", "t205-pin", "t100-pin"),
}
_FIGURE = re.compile(r"^- `(\w+)`, isolation `(\w+)`: contamination (\d+) of (\d+), loss (\d+) of (\d+)$", re.MULTILINE)
_PATH = re.compile(
    r"^  - path `(\w+)`, (\d+) of (\d+) questions: contamination (\d+) of (\d+), loss (\d+) of (\d+)$", re.M
)


def opened(name: str) -> Inspection:
    inspection = open_sources([demo_folder(name)], OpenOptions(temporary=True))
    inspection.evaluate()
    return inspection


def use(inspection: Inspection, route: str, isolation: str) -> None:
    if inspection.settings.isolation != isolation:
        inspection.set_setting("isolation", isolation)
    inspection.set_route(RouteChoice(route))
    inspection.evaluate()


def figures(inspection: Inspection) -> tuple[int, int, int, int]:
    exposed = bad = required = lost = 0
    for qi, query in enumerate(inspection.queries):
        shown = [one for one in inspection.candidates(qi) if one.exposed == Trit.YES]
        assert all(one.usable != Trit.UNKNOWN for one in shown)  # the two bounds of contamination are one
        exposed += len(shown)
        bad += sum(one.usable == Trit.NO for one in shown)
        wanted = query.value("required") or []
        required += len(wanted)
        lost += sum(one not in {row.memory_id for row in shown} for one in wanted)
    return bad, exposed, lost, required


@pytest.mark.parametrize("name", STORES)
def test_the_figures_before_and_after(name: str) -> None:
    told = _FIGURE.findall((demo_folder(name) / "README.md").read_text(encoding="utf-8"))
    assert [route for route, *_ in told] == ["namespace_dense", "session_tag", "dual_path"]
    with opened(name) as inspection:
        for route, isolation, *numbers in told:
            use(inspection, route, isolation)
            assert figures(inspection) == tuple(map(int, numbers)), route
        assert not inspection.retriever.has_encoder
    (before_bad, _, before_lost, _), tagged, after = ([int(number) for number in one[2:]] for one in told)
    assert before_bad > 0
    assert tagged[0] == after[0] == 0
    assert after[2] == 0
    assert before_lost > 0 or tagged[2] > 0  # there is something for the exact key to bring back


@pytest.mark.parametrize("name", STORES)
def test_the_figures_by_path(name: str) -> None:
    told = _PATH.findall((demo_folder(name) / "README.md").read_text(encoding="utf-8"))
    assert told
    with opened(name) as inspection:
        use(inspection, "dual_path", "namespace")
        counted = []
        for path in dict.fromkeys(
            row.path for qi in range(len(inspection.queries)) for row in inspection.candidates(qi)
        ):
            served = exposed = bad = required = lost = 0
            for qi, query in enumerate(inspection.queries):
                brought = [row for row in inspection.candidates(qi) if row.path == path]
                shown = [row for row in brought if row.exposed == Trit.YES]
                served += bool(brought)
                exposed += len(shown)
                bad += sum(row.usable == Trit.NO for row in shown)
                wanted = (query.value("required") or []) if brought else []
                required += len(wanted)
                lost += sum(one not in {row.memory_id for row in shown} for one in wanted)
            counted.append((path, served, len(inspection.queries), bad, exposed, lost, required))
        assert [(path, *map(int, numbers)) for path, *numbers in told] == counted
        summed = rows.summary(inspection)
        assert {path: (one["contamination"], one["loss"]) for path, one in summed["by_path"].items()} == {
            path: ([0.0, 0.0], [0.0, 0.0]) for path, *_ in counted
        }


@pytest.mark.parametrize("name", STORES)
def test_one_screen_shows_what_session_alone_lets_through(name: str) -> None:
    query_id, wrong, needed = STORES[name]
    with opened(name) as inspection:
        qi, mi = inspection.find_pair(query_id, wrong)
        row = next(one for one in inspection.candidates(qi) if one.mi == mi)
        # Scope and relevance stand side by side: admitted by its session, of no use by its tag or judgment.
        assert (row.scope, row.verdict, row.relevance, row.usable) == (Trit.YES, "admit", Trit.NO, Trit.NO)
        use(inspection, "dual_path", "namespace")
        ids = {one.memory_id for one in inspection.candidates(qi) if one.exposed == Trit.YES}
        assert needed in ids
        assert wrong not in ids


def test_hits_name_their_path() -> None:
    with opened("session-resent") as inspection:
        use(inspection, "dual_path", "namespace")
        paths = {
            query.id: {one.path for one in inspection.candidates(qi)} for qi, query in enumerate(inspection.queries)
        }
    assert paths == {
        "guest-count": {"session_tag"},
        "cake-asked": {"exact_key"},
        "florist-asked": {"exact_key"},
        "claim-only": {"exact_key"},
    }


def test_the_replay_of_the_two_tasks() -> None:
    with opened("session-two-tasks") as inspection:
        assert boundaries.session_counts(inspection) == {"s-52": 5}
        run = boundaries.replay_session(inspection, "s-52")
        assert [(tick.query_id, tick.entered) for tick in run.ticks] == [
            ("visa-when", "visa"),
            ("offsite-cost", "offsite"),
            ("deposit-where", None),
            ("visa-pay", "visa"),
            ("photos-where", None),
        ]
        lanes = {lane.memory.id: [segment.state for segment in lane.segments] for lane in run.lanes}
        # The offsite's were stored before 11:00, when it was entered: active already, archived at 15:00.
        assert lanes == {
            "offsite-appointment": ["active", "archived"],
            "offsite-budget": ["active", "archived"],
            "offsite-deposit": ["active", "quarantined"],
            "visa-appointment": ["active", "archived", "active"],
            "visa-fee": ["active", "archived", "active"],
            "visa-passport": ["active", "archived", "forgotten"],
        }
        kept = {lane.memory.id: [one.query_id for one in lane.kept] for lane in run.lanes if lane.kept}
        assert kept == {"offsite-deposit": ["visa-pay"], "visa-passport": ["visa-pay"]}
        # Kept as edits, the marks are read by the lifecycle axis: at 11:00 the visa's are archived.
        qi, mi = inspection.find_pair("offsite-cost", "visa-fee")
        assert inspection.why_not(qi, mi).lifecycle == Trit.YES
        change = boundaries.keep_replay(inspection, run)
        assert inspection.why_not(qi, mi).lifecycle == Trit.NO
        assert change.flips
        assert inspection.why_not(*inspection.find_pair("visa-pay", "visa-fee")).lifecycle == Trit.YES
        inspection.undo()
        assert inspection.why_not(qi, mi).lifecycle == Trit.YES
        assert inspection.active_edits == 0


def test_transitions_by_hand_are_one_edit_each() -> None:
    with opened("session-two-tasks") as inspection:
        index = {memory.id: mi for mi, memory in enumerate(inspection.memories)}
        deposit, fee, gone = index["offsite-deposit"], index["visa-fee"], index["visa-passport"]
        at = "2026-04-21T14:00:00Z"
        change = boundaries.move(inspection, [deposit], "release", at, cause="it was genuine", query_id="deposit-where")
        qi, _ = inspection.find_pair("deposit-where", "offsite-deposit")
        assert inspection.why_not(qi, deposit).verdict == "admit"
        assert [(flip.qi, flip.mi) for flip in change.flips if flip.qi == qi] == [(qi, deposit)]
        before = inspection.active_edits
        refused = r"refused for 1 of 2, and so for all: archive of memory .*/visa-passport"
        with pytest.raises(InspectorError, match=refused):
            boundaries.move(inspection, [fee, gone], "archive", at)
        assert inspection.active_edits == before
        verbs = {one.verb: one.target for one in boundaries.options(inspection, gone)}
        assert verbs == {
            "archive": None,
            "resume": None,
            "forget": None,
            "quarantine": "quarantined",
            "release": None,
        }
        inspection.undo()
        assert boundaries.standing_of(inspection, deposit).state == "quarantined"
        assert [segment.state for segment in boundaries.lanes(inspection, [deposit])[0].segments] == [
            "active",
            "quarantined",
        ]


def test_a_proposed_quarantine_is_confirmed_by_a_person() -> None:
    with opened("session-two-tasks") as inspection:
        proposed = boundaries.proposals(inspection)
        assert {one.memory.id for one in proposed} == {
            *("visa-appointment", "visa-fee", "visa-photos", "offsite-appointment", "offsite-budget"),
        }
        one = next(one for one in proposed if one.memory.id == "visa-fee")
        boundaries.confirm(inspection, [one], "2026-04-21T14:30:00Z", by="tariq")
        assert inspection.why_not(*inspection.find_pair("visa-pay", "visa-fee")).verdict == "exclude"
        assert "visa-fee" not in {one.memory.id for one in boundaries.proposals(inspection)}


def test_degraded_recall_where_no_tags_can_be_had() -> None:
    with opened("session-fixed-path") as inspection:
        found: Any = boundaries.degraded_recall(inspection, 0)
        assert found.why == "no memory of the session has a semantic tag"
        ids = [inspection.memories[mi].id for mi in found.window]
        assert ids == ["printer", "t311-mail", "t205-laptop", "t205-pin", "t100-phone", "t100-pin"]
        # "VPN" and "token" stand in four of six memories and tell nothing apart, "reach" in none; "PIN" in two.
        assert [inspection.memories[mi].id for mi in found.kept] == ["t205-pin", "t100-pin"]
        assert set(found.shared.values()) == {("pin",)}
    with opened("session-resent") as inspection:
        assert boundaries.degraded_recall(inspection, 0) is None
