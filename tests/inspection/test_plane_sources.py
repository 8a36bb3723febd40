"""Exports of one store opened together: the difference by id, its records among the others (DESIGN 11; issue 7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.inspection import OpenOptions, open_sources
from inspector.linting import lint

ROWS = [
    {"id": "a", "text": "tea", "namespace": "ann", "status": "active"},
    {"id": "b", "text": "cake", "namespace": "ann"},
    {"id": "c", "text": "same", "namespace": "ann"},
]
VECTORS = [
    {"id": "a", "text": "tea", "embedding": [1, 0]},  # whose it is the index does not say
    {"id": "c", "text": "other", "namespace": "ann", "embedding": [0, 1]},
    {"id": "ghost", "text": "gone", "namespace": "ann", "embedding": [1, 1]},
]


def write(file: Path, records: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return file


def test_the_difference_and_its_records(tmp_path: Path) -> None:
    sources = [write(tmp_path / "rows.jsonl", ROWS), write(tmp_path / "vectors.jsonl", VECTORS)]
    with pytest.raises(InputError, match="stands already at"):
        open_sources(sources, OpenOptions(temporary=True))
    with open_sources(sources, OpenOptions(temporary=True, planes=True)) as inspection:
        # The first source's records as they are, and what only the other has: nothing is merged.
        assert [one.id for one in inspection.memories] == ["a", "b", "c", "ghost"]
        assert inspection.memories[0].fields == ROWS[0]
        (one,) = inspection.planes
        assert (one.both, len(one.only_first), len(one.only_second), len(one.other_text)) == (2, 1, 1, 1)
        assert inspection.header()[0] == (
            "planes: 2 memories in both rows.jsonl and vectors.jsonl; only in rows.jsonl: 1; "
            "only in vectors.jsonl: 1; with another text: 1"
        )
        found = [(each.code, each.index) for each in lint(inspection).findings if "plane" in each.code + each.do]
        assert found == [("ghost", 1), ("ghost", 3), ("plane-differs", 2)]
        inspection.evaluate()  # without a query nothing is encoded
        assert not inspection.retriever.has_encoder


def test_edits_of_planes_are_kept(tmp_path: Path) -> None:
    sources = [write(tmp_path / "rows.jsonl", ROWS), write(tmp_path / "vectors.jsonl", VECTORS)]
    options = OpenOptions(planes=True)
    with open_sources(sources, options) as inspection:
        inspection.edit("memory", [3], "status", "archived")
    with open_sources(sources, options) as inspection:
        assert inspection.memories[3].value("status") == "archived"


def test_other_stores_are_refused(tmp_path: Path) -> None:
    sources = [write(tmp_path / "rows.jsonl", ROWS), write(tmp_path / "x.jsonl", [{"id": "z", "text": "other"}])]
    with pytest.raises(InputError, match="no id is in two of the sources"):
        open_sources(sources, OpenOptions(temporary=True, planes=True))
