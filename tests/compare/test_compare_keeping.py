"""What was compared last is kept, shown again with equal figures, and said to be of before where it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli import cli
from inspector.compare.comparison import Comparison, Request
from inspector.comparing import (
    SensitivityRequest,
    check_request,
    compare_opened,
    comparison_json,
    keep_labels,
    keep_resolve,
    kept_comparison,
    kept_labels,
    kept_resolve,
    made_under,
    resolve_first,
    sensitivity,
    sensitivity_json,
    sensitivity_source,
    shown_again,
    stale_words,
)
from inspector.inspection import Inspection, OpenOptions, open_sources

REQUEST = check_request(Request(("global_bm25", "namespace_bm25"), k=5, resamples=50))


def write(folder: Path, status: str = "active") -> Path:
    folder.mkdir(exist_ok=True)
    memories = [
        {"id": f"m{i}", "text": "tea", "namespace": ["ann", "bob", None][i % 3], "status": status} for i in range(6)
    ]
    queries = [
        {
            "id": f"q{i}",
            "text": "tea",
            "principal": {"id": "p", "namespaces": [who]},
            "required": need,
            "intent": "current",
        }
        for i, (who, need) in enumerate([("ann", ["m0"]), ("bob", ["m1"]), ("ann", [])])
    ]
    for name, rows in (("memories", memories), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "policy.toml").write_text('default = "allow"\n', encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write(tmp_path / "store")


def options(tmp_path: Path, **more: Any) -> OpenOptions:
    return OpenOptions(workspace=tmp_path / "kept.duckdb", **more)


@pytest.fixture
def inspection(store: Path, tmp_path: Path) -> Iterator[Inspection]:
    with open_sources([store], options(tmp_path)) as opened:
        yield opened


def numbers(comparison: Comparison) -> str:
    return json.dumps(comparison_json(comparison, by_query=True), sort_keys=True)


def test_each_finished_route_is_told_and_the_last_is_the_whole(inspection: Inspection) -> None:
    seen: list[Comparison] = []
    request = check_request(replace(REQUEST, base="namespace_bm25"))
    whole = compare_opened(inspection, request, on_result=seen.append)
    # the base is run first, so that every other route can be set off by it; they stand in the order asked for
    assert [[result.route for result in one.routes] for one in seen] == [
        ["namespace_bm25"],
        ["global_bm25", "namespace_bm25"],
    ]
    assert numbers(seen[-1]) == numbers(whole)


def test_kept_figures_are_shown_again_after_opening_anew_and_by_another_tau(store: Path, tmp_path: Path) -> None:
    with open_sources([store], options(tmp_path)) as inspection:
        whole = compare_opened(inspection, REQUEST)
        other = compare_opened(inspection, replace(REQUEST, tau=0.0))
        compare_opened(inspection, REQUEST)
    with open_sources([store], options(tmp_path)) as inspection:
        kept = kept_comparison(inspection)
        assert kept is not None
        assert (kept.request, kept.missing) == (REQUEST, ())
        assert numbers(shown_again(inspection, kept)) == numbers(whole)
        assert numbers(shown_again(inspection, kept, replace(REQUEST, tau=0.0))) == numbers(other)
        assert stale_words(inspection, made_under(kept.runs), REQUEST) == ""


def test_assumptions_are_kept_with_the_figures_without_them(store: Path, tmp_path: Path) -> None:
    with open_sources([store], options(tmp_path, assume={"namespace": "ann"})) as inspection:
        whole = compare_opened(inspection, REQUEST)
        kept = kept_comparison(inspection)
        assert kept is not None
        assert kept.assumed == {"namespace": "ann"}
        assert numbers(shown_again(inspection, kept)) == numbers(whole)
        assert whole.without is not None
        inspection.set_setting("isolation", "session")
        assert stale_words(inspection, made_under(kept.runs), REQUEST) == "other settings now: isolation"


def test_an_edit_makes_it_of_before_and_its_undo_right_again(inspection: Inspection) -> None:
    compare_opened(inspection, REQUEST)
    kept = kept_comparison(inspection)
    assert kept is not None
    inspection.edit("memory", [2], "namespace", "ann")
    assert stale_words(inspection, made_under(kept.runs), REQUEST) == "the store was edited since"
    again = kept_comparison(inspection)
    assert again is not None  # still there to be shown
    inspection.undo()
    assert stale_words(inspection, made_under(again.runs), REQUEST) == ""


def test_a_store_with_its_own_vectors_is_not_of_before_when_it_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "given")
    for name in ("memories", "queries"):
        path = source / f"{name}.jsonl"
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        lines = (json.dumps({**record, "embedding": [3, 4]}) + "\n" for record in records)
        path.write_text("".join(lines), encoding="utf-8")
    request = check_request(replace(REQUEST, routes=("global_dense", "global_bm25")))
    with open_sources([source], options(tmp_path)) as inspection:
        compare_opened(inspection, request)
    with open_sources([source], options(tmp_path)) as inspection:
        kept = kept_comparison(inspection)
        assert kept is not None
        assert not inspection.retriever.has_vectors  # nothing has asked for them yet
        assert stale_words(inspection, made_under(kept.runs), request) == ""
        # Another model's vectors make other rankings by similarity, and the same by words.
        monkeypatch.setattr(type(inspection.retriever), "vectors_key", "another model")
        made = made_under(kept.runs)
        assert stale_words(inspection, made, request) == "other vectors now"
        assert stale_words(inspection, {"global_bm25": made["global_bm25"]}, request) == ""


def test_of_another_source_or_damaged_it_is_nothing(store: Path, tmp_path: Path) -> None:
    with open_sources([store], options(tmp_path)) as inspection:
        compare_opened(inspection, REQUEST)
    write(store, "archived")
    with open_sources([store], options(tmp_path)) as inspection:
        assert kept_comparison(inspection) is None
        compare_opened(inspection, REQUEST)
        for payload in (b"", b"PK\x03\x04 not an archive", b"\x00" * 100):
            for key in ("last", "labels", "resolve"):
                inspection.workspace.put_result("compare", key, payload)
            assert kept_comparison(inspection) is None
            assert kept_labels(inspection) is None
            assert kept_resolve(inspection) is None


def test_curves_and_what_to_resolve_are_kept_too(inspection: Inspection) -> None:
    request = SensitivityRequest(REQUEST, kinds=("namespace_false_deny", "hidden_scope"), rates=(0, 0.4), seeds=2)
    done: list[tuple[str, ...]] = []
    curves = sensitivity_source(inspection, request, on_kind=lambda _, kinds: done.append(kinds))
    assert done == [("namespace_false_deny",), ("namespace_false_deny", "hidden_scope")]
    keep_labels(inspection, request, curves)
    again = kept_labels(inspection)
    assert again is not None
    assert sensitivity_json(again) == sensitivity_json(sensitivity(request, [curves]))
    found = resolve_first(inspection, REQUEST)
    settings = curves[0].runs["global_bm25"].settings
    keep_resolve(inspection, REQUEST, "global_bm25", found, settings)
    kept = kept_resolve(inspection)
    assert kept is not None
    assert (kept.found, kept.route) == (found, "global_bm25")
    # the two records without an owner, before the one that each query needs
    assert [ask.index for ask in kept.found[0].records] == [2, 5]


def test_the_command_line_fills_the_same_workspace_and_names_what_is_left_out(store: Path, tmp_path: Path) -> None:
    workspace = ["--workspace", str(tmp_path / "kept.duckdb")]
    routes = ["--routes", "global_bm25,namespace_bm25"]
    compared = CliRunner().invoke(cli, ["compare", str(store), *routes, *workspace])
    assert compared.exit_code == 0, compared.output
    assert "1 of them not evaluable: q2" in compared.stdout
    tried = CliRunner().invoke(cli, ["sensitivity", str(store), *routes, *workspace, "--kinds", "none"])
    assert tried.exit_code == 0, tried.output
    assert "resolve first" in tried.stdout
    assert "breaks" not in tried.stdout
    with open_sources([store], options(tmp_path)) as inspection:
        kept, resolve = kept_comparison(inspection), kept_resolve(inspection)
        assert kept is not None
        assert list(kept.runs.runs) == ["global_bm25", "namespace_bm25"]
        assert resolve is not None
        assert resolve.found[0].field == "namespace"
