"""A long JSON Lines file: progress on the way, and a malformed record in the middle named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import InputError
from inspector.formats import LoadOptions, load
from inspector.records import Progress

LINES = 30_000


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "m.jsonl"
    with path.open("w") as file:
        for number in range(1, LINES + 1):
            text = '"x' if number == LINES // 2 else f'"text of {number}"'
            file.write(f'{{"id": "m{number}", "text": {text}, "namespace": "ana"}}\n')
    return path


def test_the_line_is_named(broken: Path) -> None:
    with pytest.raises(InputError) as caught:
        load([broken])
    assert caught.value.problem.line == LINES // 2
    assert str(caught.value).startswith(f"{broken}:15000: broken JSON")


def test_lenient_goes_on_behind_it_and_reports_progress(broken: Path) -> None:
    told: list[Progress] = []
    bundle = load([broken], LoadOptions(lenient=True), told.append)
    assert len(bundle.memories) == LINES - 1
    assert [problem.line for problem in bundle.skipped] == [LINES // 2]
    size = broken.stat().st_size
    done = [report.done for report in told]
    assert done == sorted(done)
    assert (told[-1].done, told[-1].total, told[-1].unit) == (size, size, "bytes")
