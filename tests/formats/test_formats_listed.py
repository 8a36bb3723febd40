"""What ``inspector formats`` says of each format: an example that loads, and where each axis is read from."""

from __future__ import annotations

import pytest

from inspector.formats import FORMATS
from inspector.formats.base import Format
from inspector.formats.importers import IMPORTERS
from inspector.formats.traces import TRACE_FORMATS


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_each_says_what_it_is_and_where_axes_come_from(one: Format) -> None:
    assert one.summary
    assert one.recognised_by
    assert one.example.strip()
    assert one.loss
    assert one.scope
    # a format without policy or lifecycle says so in what it cannot tell
    assert one.policy or any(word in one.loss for word in ("policy", "access rules"))
    assert one.lifecycle or "state" in one.loss


def test_names_are_unique_and_every_importer_and_trace_is_listed() -> None:
    names = [one.name for one in (*FORMATS, *TRACE_FORMATS)]
    assert len(set(names)) == len(names)
    assert {one.format.name for one in IMPORTERS} <= set(names)
