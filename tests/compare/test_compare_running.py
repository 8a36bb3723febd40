"""Running comparisons: kept and resumed, cancelled, edited meanwhile, several sources, assumptions, sensitivity."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.compare.comparison import Comparison, Request, compare
from inspector.compare.corruption import CORRUPTIONS, Point, behind_at, draw_order, hit, uid_digests
from inspector.compare.runs import RouteRun
from inspector.comparing import (
    Edited,
    SensitivityRequest,
    check_request,
    compare_opened,
    compare_sources,
    comparison_json,
    kept_request,
    resolve_first,
    run_source,
    running,
    sensitivity_sources,
)
from inspector.comparing.running import snapshot
from inspector.comparing.sensitive import sensitivity_source
from inspector.comparing.snapshot import Corrupted
from inspector.errors import Cancelled, InspectorError
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.records import Origin, Progress, Query, Uid
from inspector.trit import Trit

ROUTES = ("global_dense", "namespace_dense", "governed", "random_partition")
N = 12


def write(folder: Path, extra: dict[str, Any] | None = None, queries: int = 4) -> Path:
    """Two owners, half of whose memories each; every query of ann's needs one of hers."""
    folder.mkdir()
    memories = [
        {
            "id": f"m{i}",
            "text": f"note {i}",
            "namespace": ["ann", "bob"][i % 2],
            "status": "active",
            "created_at": "2026-01-01T00:00:00Z",
            "embedding": [1.0, i / N],
            **(extra or {}),
        }
        for i in range(N)
    ]
    asked = [
        {
            "id": f"q{i}",
            "text": f"ask {i}",
            "principal": {"id": "p", "namespaces": [["ann", "bob"][i % 2]]},
            "intent": "current",
            "as_of": "2026-02-01T00:00:00Z",
            "required": [f"m{i}"],
            "embedding": [1.0, 0.3 * i],
        }
        for i in range(queries)
    ]
    for name, records in (("memories", memories), ("queries", asked)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write(tmp_path / "store")


def options(tmp_path: Path, **more: Any) -> OpenOptions:
    return OpenOptions(workspace=tmp_path / "kept.duckdb", **more)


def stop_after(reports: int) -> tuple[Callable[[Progress], None], Callable[[], bool], list[str]]:
    """Progress and cancel that stop a run after so many routes have reported."""
    seen: list[str] = []

    def on_progress(report: Progress) -> None:
        if "(route" in report.what:
            seen.append(report.what)

    return on_progress, lambda: len(seen) >= reports, seen


def numbers(comparison: Comparison) -> str:
    return json.dumps(comparison_json(comparison, by_query=True), sort_keys=True)


def test_interrupted_and_completed_equals_uninterrupted(store: Path, tmp_path: Path) -> None:
    request = check_request(Request(ROUTES, k=5))
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        whole = numbers(compare(request, [run_source(inspection, request)], [()])).replace("temporary workspace", "")
    on_progress, cancelled, seen = stop_after(2)
    with open_sources([store], options(tmp_path)) as inspection, pytest.raises(Cancelled, match="kept"):
        run_source(inspection, request, on_progress, cancelled)
    assert len(seen) == 2
    on_progress, _, seen = stop_after(99)
    with open_sources([store], options(tmp_path)) as inspection:
        found = compare_opened(inspection, request, on_progress)
        assert [what.split(" ")[0] for what in seen] == ["governed", "random_partition"]
        assert kept_request(inspection) == request
    assert numbers(found) == whole.replace('"notes": [""]', '"notes": []')


def test_kept_runs_say_which_settings_made_them_and_others_are_not_taken(store: Path, tmp_path: Path) -> None:
    request = Request(("global_dense",), k=5)
    with open_sources([store], options(tmp_path)) as inspection:
        settings = run_source(inspection, request).runs["global_dense"].settings
        assert (settings["route"], settings["k"], settings["vectors"]) == ("global_dense", 5, "given")

        def ran(changed: Request) -> bool:
            on_progress, _, seen = stop_after(99)
            run_source(inspection, changed, on_progress)
            return bool(seen)

        assert not ran(request)
        # what only figures depend on does not rank again; the seed draws the bootstrap alone here
        assert not ran(Request(("global_dense",), k=5, tau=0.5, axes=("policy",), cost=2, seed=9))
        assert ran(Request(("global_dense",), k=4))
        inspection.edit("memory", [0], "status", "stale")
        assert ran(request)
        inspection.undo()
        assert not ran(request)


def test_an_edit_while_comparing_ends_the_run_and_keeps_what_was_finished(store: Path, tmp_path: Path) -> None:
    request = Request(ROUTES, k=5)
    with open_sources([store], options(tmp_path)) as inspection:

        def edit_once(report: Progress) -> None:
            if report.what.startswith("namespace_dense (route") and not inspection.active_edits:
                inspection.edit("memory", [0], "status", "stale")

        with pytest.raises(Edited):
            run_source(inspection, request, edit_once)
        inspection.undo()
        on_progress, _, seen = stop_after(99)
        run_source(inspection, request, on_progress)
        assert seen[0].startswith("governed")


def test_an_edit_while_words_are_counted_ends_the_run_too(store: Path) -> None:
    with open_sources([store], OpenOptions(temporary=True)) as inspection:

        def edit_once(report: Progress) -> None:
            if report.what.startswith("indexing") and not inspection.active_edits:
                inspection.edit("memory", [0], "text", "another note")

        with pytest.raises(Edited):
            run_source(inspection, Request(("global_bm25",)), edit_once)


def test_a_k_beyond_the_store_ranks_all_of_it(store: Path) -> None:
    found = compare_sources(
        [store], OpenOptions(temporary=True), Request(("global_dense", "postfilter:88888888"), k=10**9)
    )
    whole, after = found.routes
    assert (whole.figures["recall"].value, whole.figures["width"].value) == (1.0, N)
    # half of the store is another's, and what is needed is half the time: q1 and q3 need bob's and are his
    assert (after.figures["recall"].value, after.figures["width"].value) == (1.0, N / 2)
    assert (len(whole.recall_at), whole.recall_at[N], whole.recall_at[-1]) == (1001, 1.0, 1.0)


def test_deep_rankings_come_in_blocks_of_few_queries(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(ROUTES, k=5)
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        whole = numbers(compare(check_request(request), [run_source(inspection, request)], [()]))
    monkeypatch.setattr(running, "_BLOCK_CELLS", 10)  # two queries of five candidates
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        parts = running.blocks(snapshot(inspection, inspection.settings), np.arange(4), 5)
        assert max(map(len, parts)) == 2
        assert sorted(np.concatenate(parts).tolist()) == [0, 1, 2, 3]
        assert numbers(compare(check_request(request), [run_source(inspection, request)], [()])) == whole


def test_a_group_is_the_principals_namespaces_in_any_order() -> None:
    def label(*owned: Any) -> str:
        record = {"id": "q", "text": "t", "principal": {"id": "p", "namespaces": list(owned)}}
        return running.group_label(Query(record, Origin("test")))

    assert label("b", ["a", "c"]) == label(["a", "c"], "b") == '["b", ["a", "c"]]'
    assert label() == ""


def test_damaged_kept_results_are_made_again(store: Path, tmp_path: Path) -> None:
    request = Request(("global_dense",), k=5)
    with open_sources([store], options(tmp_path)) as inspection:
        run = run_source(inspection, request).runs["global_dense"]
        payload = run.to_bytes()
        assert RouteRun.from_bytes(payload, 4, N) is not None
        for broken in (b"", b"nothing", payload[:-30], payload[40:]):
            assert RouteRun.from_bytes(broken, 4, N) is None
        assert RouteRun.from_bytes(payload, 5, N) is None  # of another number of queries
        assert RouteRun.from_bytes(payload, 4, 3) is None  # names memories that are not there


def test_sources_are_opened_alone_and_weigh_the_same(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one"), write(tmp_path / "two", queries=2)
    request = Request(("global_dense",), k=1)
    found = compare_sources([one, two], OpenOptions(temporary=True), request)
    each = [
        compare_sources([path], OpenOptions(temporary=True), request).routes[0].figures["recall"].value
        for path in (one, two)
    ]
    assert found.routes[0].figures["recall"].value == pytest.approx(sum(v or 0 for v in each) / 2)
    assert found.routes[0].figures["recall"].queries == 6
    with pytest.raises(InspectorError, match="workspace"):
        compare_sources([one, two], options(tmp_path), request)
    with pytest.raises(InspectorError, match="twice"):
        compare_sources([one, one], OpenOptions(temporary=True), request)


def test_assumptions_are_shown_with_and_without(store: Path) -> None:
    request = Request(("namespace_dense",), k=5)
    found = compare_sources([store], OpenOptions(temporary=True, assume={"policy": "allow"}), request)
    assert found.without is not None
    # allowed: everything in the namespace is admitted; not assumed: policy is ?, so nothing is known
    assert found.routes[0].figures["risk_upper"].value == 0
    assert found.without.routes[0].figures["risk_upper"].value == 1
    assert found.without.routes[0].figures["risk_lower"].value == 0
    assert found.without.routes[0].figures["recall"] == found.routes[0].figures["recall"]
    assert comparison_json(found)["assumptions"] == {"policy": "allow"}
    assert compare_sources([store], OpenOptions(temporary=True), request).without is None


def test_figures_lead_to_their_queries(store: Path) -> None:
    found = compare_sources([store], OpenOptions(temporary=True), Request(("global_dense",), k=2))
    behind = found.routes[0].behind("recall")
    assert [one.value for one in behind] == sorted(one.value for one in behind)
    assert {one.qi for one in behind} == {0, 1, 2, 3}
    assert found.routes[0].behind("loss_upper", "admit")[0].value == 1.0


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(()), "no route"),
        (Request(("nowhere",)), "not known"),
        (Request(("global_dense",), axes=("colour",)), "colour"),
        (Request(("global_dense",), axes=()), "none is left"),
        (Request(("global_dense",), tau=1.5), "1.5"),
        (Request(("global_dense",), k=0), "k is 0"),
        (Request(("global_dense",), cost=float("nan")), "cost"),
    ],
)
def test_bad_requests(request_: Request, words: str) -> None:
    with pytest.raises(InspectorError, match=words):
        check_request(request_)


def test_the_base_is_run_even_where_it_is_not_listed() -> None:
    found = check_request(Request(("governed", "governed", "postfilter"), base="global_dense"))
    assert found.routes == ("global_dense", "governed", "postfilter:500")


def test_scores_that_memories_bring_along(tmp_path: Path) -> None:
    store = write(tmp_path / "scored", {"meta": {"risk": 0.5}, "status": "stale"})
    request = Request(("global_dense",), k=5)
    found = compare_sources([store], OpenOptions(temporary=True), request, scores=["meta.risk"])
    assert [lens.score for lens in found.routes[0].sources[0].lenses] == ["similarity", "meta.risk"]
    with pytest.raises(InspectorError, match=r"meta\.nothing"):
        compare_sources([store], OpenOptions(temporary=True), request, scores=["meta.nothing"])


# ---- label errors


def corrupted(inspection: Inspection, kind: str, struck: list[int]) -> Corrupted:
    mask = np.zeros(len(inspection.memories), dtype=np.bool_)
    mask[struck] = True
    return Corrupted(snapshot(inspection, inspection.settings), CORRUPTIONS[kind], mask)


def test_what_each_label_error_does(tmp_path: Path) -> None:
    store = write(tmp_path / "labels")
    with open_sources([store], OpenOptions(temporary=True, assume={"policy": "allow"})) as inspection:
        inspection.edit("memory", [2], "status", "odd")  # neither current nor stale
        inspection.edit("query", [1], "intent", "history")
        m, q = np.arange(4), np.zeros(4, dtype=np.int64)  # ann's query; 0 and 2 are ann's, 1 and 3 bob's
        view = corrupted(inspection, "namespace_false_deny", [0, 1])
        assert view.scope(m, q).tolist() == [0, 0, 2, 0]
        assert view.policy(m, q).tolist() == view.lifecycle(m[:2], q[:2]).tolist() * 2 == [2] * 4
        view = corrupted(inspection, "namespace_missing", [0, 1])
        assert view.scope(m, q).tolist() == [1, 1, 2, 0]
        view = corrupted(inspection, "policy_false_deny", [1])
        assert view.policy(m, q).tolist() == [2, 0, 2, 2]
        view = corrupted(inspection, "lifecycle_false_stale", [0, 2])
        # a stale memory does not fit a question about now, and fits one about the past; an unknown label stays unknown
        assert view.lifecycle(m, q).tolist() == [0, 2, 1, 2]
        assert view.lifecycle(m, q + 1).tolist() == [2, 2, 1, 2]
        assert view.stale_or_superseded(m, q).tolist() == [2, 0, 1, 0]


def test_a_lost_namespace_leaves_the_session_test(tmp_path: Path) -> None:
    store = write(tmp_path / "sessions", {"session_id": "s"})
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        inspection.set_setting("isolation", "namespace+session")
        inspection.edit("query", [0], "session_id", "s")
        inspection.edit("query", [2], "session_id", "another")
        view = corrupted(inspection, "namespace_missing", [0])
        m = np.array([0])
        assert [int(view.scope(m, np.array([qi]))[0]) for qi in (0, 2)] == [1, 0]
        classes = view.scope_class(np.arange(4))
        assert len({int(classes[0]), int(classes[2])}) == 2


def test_an_owner_that_is_nobody_closes_what_an_unknown_session_leaves_open(tmp_path: Path) -> None:
    store = write(tmp_path / "sessions")
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        inspection.set_setting("isolation", "namespace+session")
        inspection.edit("memory", [2], "namespace", None)
        m, q = np.arange(3), np.zeros(3, dtype=np.int64)  # ann's, bob's, and one of unknown owner; no sessions
        assert corrupted(inspection, "namespace_missing", []).scope(m, q).tolist() == [1, 0, 1]
        # 0 AND ? is 0; a missing owner stays missing
        assert corrupted(inspection, "namespace_false_deny", [0, 1, 2]).scope(m, q).tolist() == [0, 0, 1]


def test_an_archived_memory_has_no_current_label_to_be_wrong(tmp_path: Path) -> None:
    store = write(tmp_path / "archive")
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        log = [{"state": "archived", "at": "2026-01-15T00:00:00Z"}]
        inspection.edit("memory", [0], "boundary_log", log)
        inspection.edit("query", [0], "intent", "history")
        view = corrupted(inspection, "lifecycle_false_stale", [0, 2])
        m, q = np.array([0, 2, 4]), np.zeros(3, dtype=np.int64)
        assert view.lifecycle(m, q).tolist() == [2, 2, 2]  # archived, now stale, current: all fit a question of history
        assert view.stale_or_superseded(m, q).tolist() == [0, 2, 0]


def test_draws_are_nested_seeded_and_of_the_stated_size() -> None:
    names = uid_digests(Uid("n", f"m{i}") for i in range(50))
    order = draw_order(names, "namespace_missing", 0)
    few, many = hit(order, 0.1), hit(order, 0.4)
    assert (few.sum(), many.sum()) == (5, 20)
    assert not (few & ~many).any()
    assert (draw_order(names, "namespace_missing", 1) != order).any()
    assert (draw_order(names, "policy_false_deny", 0) != order).any()
    # a memory is hit or not whatever the order of the store
    assert set(names[::-1][draw_order(names[::-1], "namespace_missing", 0)[:5]]) == set(names[order[:5]])


def test_sensitivity_shows_what_over_denying_costs(store: Path) -> None:
    request = SensitivityRequest(Request(("global_dense", "governed"), k=5, tau=1.0), rates=(0, 0.5, 1.0), seeds=4)
    found, first = sensitivity_sources([store], OpenOptions(temporary=True, assume={"policy": "allow"}), request)
    # With every memory nobody's the governed route returns nothing and pays the cost; the global one keeps its recall.
    curve = found.curve("governed", "namespace_false_deny")
    assert [point.rate for point in curve.points] == [0.0, 0.5, 1.0]
    assert (curve.points[-1].recall, curve.points[-1].risk_upper, curve.points[-1].true_upper) == (0.0, 1.0, 1.0)
    assert curve.points[0].worse == 0
    assert len(found.behind("governed", "namespace_false_deny", 1.0)) == curve.points[-1].worse
    flat = found.curve("global_dense", "namespace_false_deny")
    assert len({point.recall for point in flat.points}) == 1
    # judged by the labels before the errors the global ranking is what it was
    assert len({point.true_upper for point in flat.points}) == 1
    assert flat.behind_at is None
    # The base's own ranking is as it was: in truth the governed route, which lost what is needed, is behind it.
    assert curve.truly_behind_at == next(
        point.rate
        for point, other in zip(curve.points, flat.points, strict=True)
        if (point.true_upper or 0) > (other.true_upper or 0)
    )
    broken = found.first["governed"]
    assert broken is not None
    assert broken.breaks_at == 0.5
    assert first == ((),)
    assert found.untouched == ()


def test_behind_the_base_as_the_errors_show_it_and_in_truth() -> None:
    def points(*risks: tuple[float, float]) -> list[Point]:
        made = []
        for place, (shown, true) in enumerate(risks):
            figures = dict.fromkeys((one.name for one in fields(Point)), 0.0) | {"rate": place / 10, "worse": 0}
            made.append(Point(**(figures | {"risk_upper": shown, "true_upper": true})))  # type: ignore[arg-type]
        return made

    # False denials raise the base's risk as its owner sees it, not what it returned: its true risk stays .3.
    base = points((0.3, 0.3), (0.4, 0.3), (0.5, 0.3))
    gated = points((0.1, 0.1), (0.3, 0.3), (0.45, 0.4))
    assert behind_at(gated, base) is None
    assert behind_at(gated, base, truly=True) == 0.2


def test_sensitivity_resumes_with_equal_numbers(store: Path, tmp_path: Path) -> None:
    request = SensitivityRequest(
        Request(("namespace_dense",), k=5), seeds=2, kinds=("namespace_false_deny", "hidden_all")
    )
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        _, whole = sensitivity_source(inspection, request)
    seen: list[str] = []
    with open_sources([store], options(tmp_path)) as inspection:
        with pytest.raises(Cancelled):
            sensitivity_source(
                inspection, request, lambda p: seen.append(p.what), lambda: any("hidden_all" in what for what in seen)
            )
        seen.clear()
        _, again = sensitivity_source(inspection, request, lambda p: seen.append(p.what))
    assert not any("false_deny" in what for what in seen)
    for at, curve in whole.items():
        assert np.array_equal(curve.means, again[at].means, equal_nan=True)
        assert np.array_equal(curve.worse, again[at].worse)


def test_labels_that_are_not_there_cannot_be_corrupted(store: Path) -> None:
    request = SensitivityRequest(Request(("global_dense",), k=5), seeds=1, rates=(0, 0.2))
    found, _ = sensitivity_sources([store], OpenOptions(temporary=True), request)
    assert found.untouched == ("policy_false_deny", "hidden_policy")


def test_bad_sensitivity_requests(store: Path) -> None:
    routes = Request(("global_dense",))
    for bad, words in (
        (SensitivityRequest(routes, kinds=("gremlins",)), "gremlins"),
        (SensitivityRequest(routes, rates=(2.0,)), "rates"),
        (SensitivityRequest(routes, seeds=0), "seeds"),
    ):
        with pytest.raises(InspectorError, match=words):
            sensitivity_sources([store], OpenOptions(temporary=True), bad)


# ---- which ? to resolve first


def test_what_to_resolve_first(tmp_path: Path) -> None:
    # Everything is admitted but for two things: ann's m0 has no namespace, and bob's m1 no status.
    store = write(tmp_path / "open")
    with open_sources([store], OpenOptions(temporary=True, assume={"policy": "allow"})) as inspection:
        inspection.edit("memory", [0], "namespace", None)
        inspection.edit("memory", [1], "status", None)
        request = Request(("namespace_dense",), k=20)
        found = {one.field: one for one in resolve_first(inspection, request)}
        assert set(found) == {"namespace", "status"}
        owner = found["namespace"]
        assert [ask.index for ask in owner.records] == [0]
        assert owner.least == pytest.approx(owner.most)  # own or another's: either way it is known
        interval = {
            qi: part[qi] - low[qi]
            for source in compare(check_request(request), [run_source(inspection, request)]).routes[0].sources
            for part, low in [(source.values["risk_upper"], source.values["risk_lower"])]
            for qi in range(4)
        }
        # all of the width hangs on the two together, and neither cell hangs on both
        assert owner.most + found["status"].most == pytest.approx(sum(interval.values()) / 4)
        assert [ask.index for ask in found["status"].records] == [1]
        assert found["status"].verified


def test_two_unknown_axes_need_both_unless_one_denies(store: Path) -> None:
    with open_sources([store], OpenOptions(temporary=True)) as inspection:
        inspection.edit("memory", list(range(N)), "status", None)
        found = {one.field: one for one in resolve_first(inspection, Request(("namespace_dense",), k=20))}
        # allow leaves the state open, deny settles it: the whole interval, which is the feasible share, or nothing
        policy = found["policy"]
        assert (policy.least, policy.most, policy.owner, policy.records) == (0.0, 1.0, "store", ())
        # no state settles anything but one that is never admissible, and a status without a time says nothing of that
        assert (found["status"].least, found["status"].most) == (0.0, 0.0)


def test_nothing_is_guessed_for_a_judged_pair(store: Path) -> None:
    with open_sources([store], OpenOptions(temporary=True, assume={"policy": "allow"})) as inspection:
        inspection.judge(0, [0], "policy", Trit.UNKNOWN)
        found = resolve_first(inspection, Request(("namespace_dense",), k=20))
        assert all(not one.verified or one.most == 0 for one in found)
