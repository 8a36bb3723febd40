"""A kept store's rows read a few at a time, while or before the rest is loaded (issue 7, done line 5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.inspection import OpenOptions, open_sources
from inspector.store.workspace import KeptRows
from inspector.ui.widgets.kept_rows import KeptSource


def write(folder: Path, count: int) -> Path:
    lines = (json.dumps({"id": f"m{number}", "text": f"text {number}", "status": None}) for number in range(count))
    (folder / "memories.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_rows_are_read_where_they_stand(tmp_path: Path) -> None:
    source = write(tmp_path, 300)
    told: list[KeptRows] = []
    seen: list[list[str]] = []

    def kept(rows: KeptRows) -> None:
        told.append(rows)
        seen.append([one.id for one in rows.read(298, 310)])

    with open_sources([source], OpenOptions(), on_kept=kept):
        assert not told  # nothing was kept before
    with open_sources([source], OpenOptions(), on_kept=kept) as inspection:
        assert len(told[0]) == 300
        assert seen == [["m298", "m299"]]
        middle = told[0].read(150, 152)
        assert [(one.fields, one.origin) for one in middle] == [
            (one.fields, one.origin) for one in inspection.memories[150:152]
        ]
        table = KeptSource(told[0])
        assert table.cells(299)[0] == "m299"
        assert table.cells(0)[-1] == "text 0"
    with pytest.raises(RuntimeError):
        told[0].read(0, 1)
    assert list(table.cells(128)) == [""] * 5  # closed: nothing to show, and nothing breaks
    assert table.cells(299)[0] == "m299"  # what was read is remembered
    write(tmp_path, 299)
    with open_sources([source], OpenOptions(), on_kept=kept):
        assert len(told) == 1  # the source has changed: what is kept is not it
