"""After any run of edits, undo and redo the screen's state equals a full recomputation (DESIGN 10)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector import core
from inspector.errors import FieldError
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.records import ABSENT
from inspector.trit import Trit

NAMESPACES = ["ann", "bob", ["team", "red"], None, ABSENT]
TIMES = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00", "2026-03-01T00:00:00+09:00", None, ABSENT]
MEMORY_EDITS: dict[str, list[Any]] = {
    "namespace": NAMESPACES,
    "status": ["active", "stale", "archived", "strange", None, ABSENT],
    "created_at": TIMES,
    "valid_to": TIMES,
    "valid_from": TIMES,
    "deleted_at": TIMES,
    "superseded_by": ["m0", "m3", "nowhere", ABSENT],
    "allowed_purposes": [["care"], ["sales", "care"], [], None, ABSENT],
    "sensitivity": ["high", "low", ABSENT],
    "semantic_tag": ["a", "b", ABSENT],
}
QUERY_EDITS: dict[str, list[Any]] = {
    "purpose": ["care", "sales", None, ABSENT],
    "intent": ["current", "history", "unknown", ABSENT],
    "as_of": TIMES,
    "principal": [{"id": "x", "namespaces": ["ann"]}, {"namespaces": [["team"]]}, {"id": "y"}, ABSENT],
    "semantic_tag": ["a", "b", ABSENT],
    "required": [["m1"], ["m2", "m5"], [], ABSENT],
}
ROUTES = [
    "global_dense",
    "namespace_dense",
    "current_only",
    "governed",
    "postfilter:4",
    "namespace_bm25",
    "session_tag",
]
N, Q = 8, 4

step = st.one_of(
    st.tuples(st.just("memory"), st.integers(0, N - 1), st.sampled_from(sorted(MEMORY_EDITS)), st.integers(0, 9)),
    st.tuples(st.just("query"), st.integers(0, Q - 1), st.sampled_from(sorted(QUERY_EDITS)), st.integers(0, 9)),
    st.tuples(
        st.just("judge"), st.integers(0, Q - 1), st.sampled_from(["scope", "policy", "relevance"]), st.integers(0, 31)
    ),
    st.tuples(st.just("setting"), st.just(0), st.sampled_from(["isolation", "unknown_intent"]), st.integers(0, 9)),
    st.tuples(st.sampled_from(["undo", "redo", "preview", "revert_all"]), st.just(0), st.just(""), st.just(0)),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    memories = []
    for i in range(N):
        angle = [1.0, i / N, (i % 3) / 3]
        memories.append(
            {
                "id": f"m{i}",
                "text": f"note {i} about tea" if i % 2 else f"note {i} about trains",
                "namespace": ["ann", "bob"][i % 2],
                "created_at": "2026-01-15T00:00:00Z",
                "embedding": angle,
            }
        )
    queries = [
        {
            "id": f"q{i}",
            "text": "which tea" if i % 2 else "which trains",
            "principal": {"id": "p", "namespaces": ["ann"]},
            "as_of": "2026-02-15T00:00:00Z",
            "required": [f"m{i}"],
            "embedding": [1.0, 0.3 * i, 0.1],
        }
        for i in range(Q)
    ]
    for name, records in (("memories", memories), ("queries", queries)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "policy.toml").write_text(
        '[[rules]]\nid = "no"\neffect = "deny"\nwhen = "m.sensitivity = \'high\' AND q.purpose = \'sales\'"\n', "utf-8"
    )
    return folder


def shown(inspection: Inspection) -> list[Any]:
    """All that the screens show of the evaluation."""
    out: list[Any] = []
    for qi in range(Q):
        for c in inspection.candidates(qi):
            trits = (c.scope, c.policy, c.lifecycle, c.relevance, c.admissible, c.usable, c.stored, c.exposed)
            out.append((qi, c.mi, c.rank, c.score, c.path, *(None if t is None else int(t) for t in trits)))
        out.append(inspection.figures(qi))
    return out


def run(inspection: Inspection, action: tuple[str, int, str, int]) -> None:
    kind, index, field, choice = action
    if kind == "memory":
        values = MEMORY_EDITS[field]
        inspection.edit("memory", [index], field, values[choice % len(values)])
    elif kind == "query":
        values = QUERY_EDITS[field]
        inspection.edit("query", [index], field, values[choice % len(values)])
    elif kind == "judge":
        value = [Trit.NO, Trit.UNKNOWN, Trit.YES, None][choice % 4]
        inspection.judge(index, [choice // 4], field, value)
    elif kind == "setting":
        values = {"isolation": ["namespace", "session"], "unknown_intent": ["join", "strict"]}[field]
        inspection.set_setting(field, values[choice % 2])
    elif kind == "preview":
        inspection.preview("memory", [0], "status", "stale", 0, 0)
    else:
        getattr(inspection, kind)()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(route=st.sampled_from(ROUTES), actions=st.lists(step, min_size=1, max_size=8))
def test_incremental_equals_full(store: Path, route: str, actions: list[tuple[str, int, str, int]]) -> None:
    with open_sources([store], OpenOptions(temporary=True, route=route, k=5)) as inspection:
        inspection.evaluate()
        for action in actions:
            try:
                run(inspection, action)
            except FieldError:
                continue
        inspection.settle()
        assert inspection.is_settled
        incremental = shown(inspection)
        inspection.evaluate()
        assert incremental == shown(inspection)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    route=st.sampled_from(["global_bm25", "namespace_bm25", "global_hybrid", "dual_path"]),
    texts=st.lists(st.tuples(st.integers(0, N - 1), st.sampled_from(["tea", "trains and tea", "note"])), max_size=4),
    inline=st.booleans(),
)
def test_edited_texts_are_ranked_anew(store: Path, route: str, texts: list[tuple[int, str]], inline: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "INLINE_CELLS", 200_000 if inline else 0)
        with open_sources([store], OpenOptions(temporary=True, route=route, k=5)) as inspection:
            inspection.evaluate()
            inspection.retriever.encode_stale = lambda *_: ([], [])  # type: ignore[method-assign]
            for mi, text in texts:
                inspection.edit("memory", [mi], "text", text)
            inspection.settle()
            incremental = shown(inspection)
            inspection.evaluate()
            assert incremental == shown(inspection)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(step, min_size=1, max_size=6))
def test_undoing_everything_gives_the_source_back(store: Path, actions: list[tuple[str, int, str, int]]) -> None:
    with open_sources([store], OpenOptions(temporary=True, k=5)) as inspection:
        inspection.evaluate()
        before = shown(inspection)
        for action in actions:
            try:
                run(inspection, action)
            except FieldError:
                continue
        while inspection.undo() is not None:
            pass
        assert shown(inspection) == before
        assert all(not record.edits for record in (*inspection.memories, *inspection.queries))
