"""Every kind of condition, held and not held, on bundled stores; and that a ? is compared and never guessed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.lessons import LessonRun, Shown, find_lesson
from inspector.lessons.conditions import KINDS, holds
from inspector.lessons.model import Condition
from inspector.trit import Trit
from inspector.views import RouteChoice


@contextmanager
def store(name: str, **options: Any) -> Iterator[Inspection]:
    with open_sources((demo_folder(name),), OpenOptions(temporary=True, **options)) as inspection:
        inspection.evaluate()
        yield inspection


def check(inspection: Inspection, kind: str, shown: Shown | None = None, /, **given: Any) -> bool:
    assert set(given) <= set(KINDS[kind].params), kind
    return holds(Condition(kind, given, None), inspection, shown or Shown())


@pytest.fixture(scope="module")
def history() -> Iterator[Inspection]:
    with store("history") as inspection:
        yield inspection


def test_what_is_selected(history: Inspection) -> None:
    shown = Shown("inspect", "plan-now", "plan-2024", "why")
    assert check(history, "selected", shown, query="plan-now", tab="why")
    assert check(history, "selected", shown, memory="plan-2024", screen="inspect")
    assert not check(history, "selected", shown, query="plan-now", memory="plan-2026")
    assert not check(history, "selected", shown, tab="mdl")
    # An id that the store lacks never holds.
    assert not check(history, "selected", Shown("inspect", "gone"), query="gone")
    assert check(history, "compared", Shown("compare", compared=("a", "b")), routes=["b"])
    assert not check(history, "compared", Shown("compare", compared=("a",)), routes=["a", "b"])


def test_axes_verdicts_routes_and_figures(history: Inspection) -> None:
    pair = {"query": "plan-now", "memory": "plan-2024"}
    assert check(history, "axis", **pair, axis="lifecycle", **{"is": "0"})
    assert not check(history, "axis", **pair, axis="lifecycle", **{"is": "?"})
    assert check(history, "axis", **pair, axis="relevance", **{"is": "?"})
    assert not check(history, "axis", **pair, axis="relevance", **{"is": "0"})
    assert check(history, "verdict", **pair, **{"is": "exclude"})
    assert not check(history, "verdict", **pair, **{"is": "unresolved"})
    assert check(history, "candidate", **pair, **{"is": True})
    assert not check(history, "candidate", **pair, **{"is": False})
    assert check(history, "found", query="plan-now", feasible=True, candidates=7)
    assert not check(history, "found", query="plan-now", candidates=6)
    assert check(history, "route", **{"is": "global_dense"})
    assert check(history, "setting", name="isolation", **{"is": "namespace"})
    assert not check(history, "setting", name="unknown_intent", **{"is": "strict"})
    assert check(history, "as_of", query="plan-now", after="2026-01-01", before="2027-01-01")
    assert not check(history, "as_of", query="plan-now", before="2026-01-01")
    assert check(history, "edits", **{"is": 0})
    assert check(history, "layer", pool="retrieved", calibrated=False, switches="full")
    assert not check(history, "layer", pool="not-excluded")
    assert check(history, "decision", query="plan-now", **{"is": "Active"})
    assert not check(history, "decision", query="plan-now", **{"is": "Supp"})


def test_a_route_counts_once_it_is_evaluated() -> None:
    with store("history") as inspection:
        inspection.set_route(RouteChoice("current_only"))
        assert not check(inspection, "route", **{"is": "current_only"})
        inspection.evaluate()
        assert check(inspection, "route", **{"is": "current_only"})
        assert check(inspection, "found", query="plan-then", feasible=False)


def test_edits_and_judgments() -> None:
    with store("history") as inspection:
        field = {"memory": "plan-2024", "name": "status"}
        assert check(inspection, "field", **field, edited=False)
        inspection.edit("memory", [inspection.find_pair("plan-now", "plan-2024")[1]], "status", "archived")
        assert check(inspection, "field", **field, edited=True, **{"is": "archived"})
        assert not check(inspection, "field", **field, **{"is": "active"})
        assert check(inspection, "field", query="plan-now", name="required", has="plan-2026")
        assert not check(inspection, "field", query="plan-now", name="required", has="plan-2024")
        assert check(inspection, "field", query="plan-now", name="principal.id", **{"is": "tove"})
        assert not check(inspection, "field", memory="gone", name="status", edited=False)
        assert check(inspection, "edits", **{"is": 1})
        pair = {"query": "plan-now", "memory": "plan-2026"}
        assert not check(inspection, "judged", **pair, axis="scope")
        qi, mi = inspection.find_pair(*pair.values())
        inspection.judge(qi, [mi], "scope", Trit.UNKNOWN)
        assert check(inspection, "judged", **pair, axis="scope", **{"is": "?"})
        assert not check(inspection, "judged", **pair, axis="scope", **{"is": "1"})
        assert not check(inspection, "judged", **pair, axis="policy")


def test_gate_coverage_and_stages() -> None:
    with store("gate-gaps") as inspection:
        pair = {"query": "pay-refund", "memory": "refund-rule"}
        assert check(inspection, "gate", **pair, result="GATE_FAIL", action="verify_first", attribution="DEFAULT")
        assert not check(inspection, "gate", **pair, result="GATE_PASS")
        assert check(inspection, "gate_mode", **{"is": "layered"})
        assert not check(inspection, "gate_mode", **{"is": "grants"})
        assert check(inspection, "coverage", memory="backup-key", **{"is": "none"})
        assert check(inspection, "coverage", memory="refund-rule", **{"is": "gate rescues"})
        assert not check(inspection, "coverage", memory="delete-accounts", **{"is": "none"})
    with store("incidents") as inspection:
        assert check(inspection, "stage", query="boat-trip", **{"is": "verification"})
        assert check(inspection, "stage", query="boat-trip", **{"is": "disclosure"})
        assert not check(inspection, "stage", query="boat-trip", **{"is": "none"})
        assert check(inspection, "stage", query="umbrella", **{"is": "undecided"})


def test_every_kind_is_tried_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f'"{kind}"' not in text] == []


def test_a_wrong_answer_leaves_the_step_open_and_a_right_one_waits_for_the_check() -> None:
    lesson = find_lesson("1")
    run = LessonRun(lesson)
    run.done.add("ranked")
    assert run.go(1)
    assert run.step.id == "whose"
    right = next(at for at, choice in enumerate(run.step.question.choices) if choice.right)  # type: ignore[union-attr]
    here = Shown("inspect", "lind-weekend", "park-anniversary", "why")
    elsewhere = Shown("inspect", "lind-weekend", "lind-birthday", "why")
    with store("anniversary") as inspection:
        assert not run.look(inspection, here)
        assert not run.answer(right + 1)
        assert not run.look(inspection, here)
        assert run.answer(right)
        assert not run.look(inspection, elsewhere)
        assert run.look(inspection, here)
        assert not run.look(inspection, here)  # only once
        assert run.is_done
