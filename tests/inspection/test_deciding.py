"""Decisions over a loaded store: kept until what they rest on changes, at once after an edit, by any constants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import FieldError, InputError
from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.mdl import Action, Params, Switches, decide
from inspector.rows import rows, summary, why
from inspector.trit import Trit
from inspector.wording import why_text

#: Unit vectors of the plane: cos(q, right) = 1, cos(q, wrong) = .8, cos(q, other) = .6, the fourth has none.
Q, RIGHT, WRONG, OTHER = [1.0, 0.0], [1.0, 0.0], [0.8, 0.6], [0.6, 0.8]
MEMORIES: list[dict[str, Any]] = [
    {"id": "right", "text": "The red door is open.", "embedding": RIGHT},
    {"id": "wrong", "text": "The red door is closed.", "embedding": WRONG},
    {"id": "other", "text": "Ann likes tea with milk.", "embedding": OTHER},
    {"id": "blind", "text": "Nobody has encoded this."},
]
QUERIES: list[dict[str, Any]] = [
    {"id": "q", "text": "Is the red door open?", "risk": "medical", "intent": "current", "embedding": Q},
    {"id": "idle", "text": "Which music is on?", "embedding": Q},
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Callable[..., Inspection]]:
    """Opens and evaluates a small store with vectors of its own."""
    opened: list[Inspection] = []

    def opening(route: str = "global_dense", vectors: bool = True, **options: Any) -> Inspection:
        folder = tmp_path / f"doors{len(opened)}"
        folder.mkdir()
        for name, records in (("memories", MEMORIES), ("queries", QUERIES)):
            common = {"namespace": "ann"} if name == "memories" else {"principal": {"namespaces": ["ann"]}}
            left_out = () if vectors else ("embedding",)
            lines = [{k: v for k, v in {**record, **common}.items() if k not in left_out} for record in records]
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        (folder / "bundle.toml").write_text(f'route = "{route}"\nexported_at = "2026-02-01"\n', "utf-8")
        (folder / "policy.toml").write_text('default = "allow"\n', "utf-8")
        inspection = open_sources([folder], OpenOptions(temporary=True, **options))
        inspection.evaluate()
        opened.append(inspection)
        return inspection

    yield opening
    for inspection in opened:
        inspection.close()


def test_signals_by_hand(store: Callable[..., Inspection]) -> None:
    decision = store().mdl(0)
    assert decision is not None
    # M: the cosines above. Three are relevant; their pairs have the cosines .8 (right, wrong), .6 (right, other) and
    # .8·.6 + .6·.8 = .96 (wrong, other), the mean is .786667; one of three pairs conflicts, so R = .786667·(2/3)².
    assert pytest.approx(1.0) == decision.query.M
    assert decision.signals.R.mean_cosine == pytest.approx(0.786667, abs=1e-6)
    assert decision.signals.R.conflict_rate == pytest.approx(1 / 3)
    assert pytest.approx(0.786667 * 4 / 9, abs=1e-6) == decision.query.R
    assert decision.query.A == 0.85
    assert [(pair.left, pair.right) for pair in decision.signals.R.conflicts] == [(0, 1)]
    by_hand = decide([1.0, 0.8, 0.6], decision.query.R, 0.85, Params())
    for found, expected in zip(list(decision.rows)[:3], by_hand, strict=True):
        assert found is not None
        assert expected is not None
        # Vectors are float32.
        assert pytest.approx(expected.C, abs=1e-6) == found.C
        assert found.alpha == pytest.approx(expected.alpha, abs=1e-6)
        assert found.action is expected.action
    assert decision.rows[3] is None  # no vector: no decision, whatever the query's is


def test_candidates_carry_their_decisions(store: Callable[..., Inspection]) -> None:
    inspection = store()
    listed = inspection.candidates(0)
    decision = inspection.mdl(0)
    assert decision is not None
    assert [row.mdl for row in listed] == list(decision.rows)
    assert [row.mdl_before for row in listed] == [None] * 4


def test_an_excluded_conflict_leaves_the_pool_at_once_and_undo_brings_it_back(store: Callable[..., Inspection]) -> None:
    inspection = store(pool="not-excluded")
    before = inspection.weighed(0).decision
    assert before is not None
    wrong = [memory.id for memory in inspection.memories].index("wrong")
    inspection.edit("memory", [wrong], "status", "archived")
    row = inspection.candidates(0)[1]
    assert (row.memory_id, row.admissible) == ("wrong", Trit.NO)
    after = inspection.weighed(0)
    assert after.decision is not None
    # Two are left in the pool; the one pair has the cosine .6 and does not conflict.
    assert pytest.approx(0.6) == after.decision.query.R
    assert after.query_before == before.query
    # Every candidate is decided with the query's R: the old decision is kept beside it until it was looked at.
    assert row.mdl is not None
    assert row.mdl.R == after.decision.query.R
    assert row.mdl_before == before.rows[1]
    inspection.looked_at(0)
    assert inspection.candidates(0)[1].mdl_before is None
    assert inspection.weighed(0).query_before is None
    inspection.undo()
    again = inspection.weighed(0)
    assert again.decision is not None
    assert again.decision.query == before.query
    assert again.query_before == after.decision.query


def test_in_the_pool_of_all_an_exclusion_changes_nothing(store: Callable[..., Inspection]) -> None:
    inspection = store()
    before = inspection.mdl(0)
    inspection.edit("memory", [1], "status", "archived")
    assert before is not None
    assert inspection.mdl(0) is before  # nothing was read again
    inspection.decide_by(inspection.params.with_(pool="not-excluded"))
    other = inspection.mdl(0)
    assert other is not None
    assert pytest.approx(0.6) == other.query.R


def test_risk_and_text_of_the_query_are_followed(store: Callable[..., Inspection]) -> None:
    inspection = store()
    assert inspection.mdl(1) is not None
    inspection.edit("query", [1], "risk", 0.5)
    moved = inspection.mdl(1)
    assert moved is not None
    assert (moved.query.A, moved.signals.A.origin) == (0.5, "number")


def test_an_edited_text_is_judged_at_once(store: Callable[..., Inspection]) -> None:
    inspection = store()
    assert inspection.mdl(0) is not None
    inspection.edit("memory", [1], "text", "The red door is open.")
    decision = inspection.mdl(0)
    assert decision is not None
    assert decision.signals.R.conflicts == ()


def test_moving_a_constant_reads_nothing_again(store: Callable[..., Inspection]) -> None:
    inspection = store()
    first = inspection.mdl(0)
    inspection.decide_by(inspection.params.with_(thresholds=(0.01, 0.02, 0.03)))
    second = inspection.mdl(0)
    assert first is not None
    assert second is not None
    assert second.signals is first.signals
    assert second.query.action is Action.ACTIVE
    assert inspection.is_moved
    inspection.decide_by(inspection.params.with_(similarity_floor=0.7))
    third = inspection.mdl(0)
    assert third is not None
    assert len(third.signals.R.relevant) == 2


def test_a_memory_that_is_no_candidate_is_decided_with_its_own_relevance(store: Callable[..., Inspection]) -> None:
    inspection = store(k=2)
    decision = inspection.mdl(0)
    assert decision is not None
    row = inspection.why_not(0, 2)
    assert row.rank == 0
    assert row.mdl is not None
    assert pytest.approx(0.6) == row.mdl.M
    assert row.mdl.R == decision.query.R
    assert inspection.why_not(0, 3).mdl is None


def test_a_lexical_route_uses_the_stores_own_vectors_and_encodes_nothing(store: Callable[..., Inspection]) -> None:
    inspection = store("global_bm25")
    decision = inspection.mdl(0)
    assert decision is not None
    assert not inspection.retriever.has_encoder
    # A cosine is no score of this route: a memory that was not retrieved shows none.
    assert inspection.why_not(0, 2).score is None or inspection.why_not(0, 2).rank


def test_without_vectors_mdl_is_null(store: Callable[..., Inspection]) -> None:
    inspection = store("global_bm25", vectors=False)
    assert inspection.mdl(0) is None
    weighed = inspection.weighed(0)
    assert weighed.is_read
    assert weighed.why_null.startswith("no vectors")
    assert {row["mdl"] for row in rows(inspection)} == {None}
    assert summary(inspection)["mdl"]["null"] == 2
    assert not inspection.retriever.has_encoder


def test_rows_summary_and_why_tell_the_same(store: Callable[..., Inspection]) -> None:
    inspection = store()
    listed = [row for row in rows(inspection) if row["query_id"] == "q"]
    assert list(listed[0]["mdl"]) == ["M", "R", "A", "C", "alpha", "C_final", "action"]
    assert listed[3]["mdl"] is None
    told = summary(inspection)
    assert told["mdl"]["calibrated"] is False
    assert (told["mdl"]["pool"], told["mdl"]["switches"]) == ("retrieved", "full")
    assert sum(told["mdl"]["actions"].values()) == 2
    assert (told["mdl"]["n_min"], told["mdl"]["n_max"]) == (0.296641, 3.562989)  # DESIGN 6
    explained = why(inspection, 0, 0)
    assert explained["mdl"] == listed[0]["mdl"]
    assert explained["mdl_query"]["conflicts"][0]["memories"] == ["right", "wrong"]
    text = why_text(explained)
    assert "conflict (" in text
    assert "mdl        memory: M 1.00" in text


def test_switches_of_the_options_are_in_force(store: Callable[..., Inspection]) -> None:
    inspection = store(ablate=("M+A", "no-alpha-gate"))
    assert inspection.params.switches == Switches(reliability=False, alpha_gate=False)
    assert summary(inspection)["mdl"]["switches"] == "M+A, no-alpha-gate"
    with pytest.raises(FieldError):
        store(ablate=("nothing",))


def test_a_calibration_of_the_bundle_is_named_where_it_is_bad(store: Callable[..., Inspection], tmp_path: Path) -> None:
    folder = tmp_path / "doors0"
    store()
    (folder / "calibration.toml").write_text('kind = "mdl-calibration"\nschema = 1\n', "utf-8")
    with pytest.raises(InputError, match=r"calibration\.toml: encoder") as caught:
        open_sources([folder], OpenOptions(temporary=True))
    assert caught.value.problem.expected == "[encoder]"


def test_an_exported_bundle_keeps_its_calibration(tmp_path: Path) -> None:
    with open_sources([demo_folder("adoption")], OpenOptions(temporary=True)) as inspection:
        inspection.export_bundle(tmp_path / "out")
    written = (tmp_path / "out" / "calibration.toml").read_text("utf-8")
    assert written == (demo_folder("adoption") / "calibration.toml").read_text("utf-8")


def test_one_lexicon_file_serves_gate_and_decision(store: Callable[..., Inspection], tmp_path: Path) -> None:
    words = tmp_path / "words.toml"
    words.write_text('language = "en"\n[risk]\nmedium = ["music"]\n[operations]\nexecute = ["music"]\n', "utf-8")
    decision = store(lexicons=(words,)).mdl(1)
    assert decision is not None
    assert (decision.query.A, decision.signals.A.matched) == (0.5, ("music",))
    # A file of operations alone, in a language that the decision layer knows nothing of, is left to the gate.
    words.write_text('language = "fr"\n[operations]\nexecute = ["musique"]\n', "utf-8")
    assert store(lexicons=(words,)).mdl(1) is not None
    words.write_text('language = "en"\n[operation]\nexecute = ["music"]\n', "utf-8")
    with pytest.raises(InputError, match="operations"):
        store(lexicons=(words,))
