"""Filter and order of the store browser, without a screen: by hand, and against plain Python on random stores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.records import Memory, Origin
from inspector.ui.widgets import store_rows
from inspector.ui.widgets.grid import plain_text
from inspector.ui.widgets.store_rows import (
    COLUMNS,
    Arrangement,
    StoreFilter,
    StoreSource,
    arrange,
    chain_cell,
    memory_cells,
)


def memory(memory_id: str, text: str = "t", **fields: Any) -> Memory:
    return Memory({"id": memory_id, "text": text, **fields}, Origin("here"))


STORE = [
    memory("b", "Green TEA", namespace="ann", status="active", created_at="2026-01-02"),
    memory("a", "black tea", namespace=["acme", "bob"], status="archived"),
    memory("c", "coffee", namespaces=["ann", "bob"], created_at="2026-01-01", allowed_purposes=["care"]),
    memory("d", "손님 커피", governs="execute"),
]


def rows(asked: Arrangement, memories: list[Memory] = STORE) -> list[str]:
    *_, last = arrange(memories, asked)
    assert last.rows is not None
    return [memories[mi].id for mi in last.rows.tolist()]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", "bacd"),
        ("tea", "ba"),
        ("TEA green", "b"),
        ("커피", "d"),
        ("status:active", "b"),
        ("status:a", "ba"),  # a part of the value, as words are
        ("owner:bob", "ac"),
        ("owner:acme", "a"),
        ("no:owner", "d"),
        ("has:created_at", "bc"),
        ("no:status no:governs", "c"),
        ("purposes:care", "c"),
        ("has:governs", "d"),
        ("nofield:x", ""),  # no field is called so: the word is looked for as it stands
        ("is:edited", ""),
        ('status:"archived"', "a"),
    ],
)
def test_filter(typed: str, found: str) -> None:
    assert rows(Arrangement(StoreFilter.parse(typed))) == list(found)


def test_edited_records() -> None:
    store = [memory("a"), memory("b")]
    store[1].edits["status"] = "active"
    assert rows(Arrangement(StoreFilter.parse("is:edited")), store) == ["b"]


def test_nothing_typed_is_no_filter() -> None:
    assert not StoreFilter.parse("   ")
    assert StoreFilter.parse("x")


@pytest.mark.parametrize(
    ("column", "reverse", "order"),
    [
        ("id", False, "abcd"),
        ("id", True, "dcba"),
        ("status", False, "bacd"),  # c and d have none: last, as they stand
        ("status", True, "abcd"),
        ("created", False, "cbad"),
        ("created", True, "bcad"),
        ("owner", False, "abcd"),  # "acme / bob", "ann", "ann + bob", none
        ("nothing", False, "bacd"),
    ],
)
def test_order(column: str, reverse: bool, order: str) -> None:
    assert rows(Arrangement(column=column, reverse=reverse)) == list(order)


def test_order_by_findings() -> None:
    ranks = np.array([-1, 2_001, 3_002, 1_001])
    assert rows(Arrangement(column="lint", reverse=True, ranks=ranks)) == list("cadb")
    assert rows(Arrangement(column="lint", ranks=ranks)) == list("dacb")


def test_a_selection_is_filtered_and_ordered() -> None:
    base = np.array([0, 2, 3])
    assert rows(Arrangement(StoreFilter.parse("no:governs"), base, "id", True)) == ["c", "b"]


STATUSES = st.sampled_from(["active", "archived", None, "Active", "활성"])


@given(
    st.lists(st.tuples(st.text(max_size=3), STATUSES), max_size=30), st.booleans(), st.integers(1, 4), st.integers(1, 4)
)
def test_sorting_in_slices_and_runs_is_sorting(
    values: list[tuple[str, str | None]], reverse: bool, slices: int, run: int
) -> None:
    memories = [memory(f"m{number}", text, status=status) for number, (text, status) in enumerate(values)]
    kept = (store_rows.SLICE, store_rows._RUN)
    store_rows.SLICE, store_rows._RUN = slices, run
    try:
        for column, name in (("text", "text"), ("status", "status")):
            have = [number for number, one in enumerate(memories) if one.get(name) is not None]
            have.sort(key=lambda number: memories[number].get(name), reverse=reverse)
            # Python's reverse keeps ties as they stand, as the table does.
            expected = have + [number for number, one in enumerate(memories) if one.get(name) is None]
            *_, last = arrange(memories, Arrangement(column=column, reverse=reverse))
            assert last.rows is not None
            assert last.rows.tolist() == expected
        *_, last = arrange(memories, Arrangement(StoreFilter.parse("status:active")))
        assert last.rows is not None
        assert last.rows.tolist() == [
            number for number, one in enumerate(memories) if (one.get("status") or "").lower() == "active"
        ]
    finally:
        store_rows.SLICE, store_rows._RUN = kept


def test_parts_come_while_one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_rows, "SLICE", 1)
    parts = list(arrange(STORE, Arrangement(StoreFilter.parse("tea"))))
    assert [(part.done, part.total) for part in parts] == [(1, 4), (2, 4), (3, 4), (4, 4), (2, 2)]
    shown = [None if part.rows is None else len(part.rows) for part in parts]
    assert shown == [1, 2, None, 2, 2]


def test_source_finds_rows_by_memory() -> None:
    source = StoreSource(np.array([3, 0]), 4, lambda mi: [str(mi)])
    assert (len(source), source.key(0), source.find(0), source.find(3)) == (2, 3, 1, 0)
    assert source.find(1) is None
    assert source.find(9) is None
    assert source.find("0") is None
    assert source.cells(0) == ["3"]


@pytest.mark.parametrize(
    ("fields", "sign"),
    [
        ({}, "··"),
        ({"governs": {"action_types": ["execute"]}}, "G·"),
        ({"governs": {"action_types": ["read"]}}, "G· !"),  # the gate cannot fire
        ({"verification_required": True}, "·A"),
        ({"memory_type": "policy"}, "·A !"),  # declared, and row 7 decides
        ({"governs": {"action_types": ["execute"]}, "verification_required": True}, "GA"),
        ({"governs": "execute"}, "✗·"),
        ({"sensitivity": "high"}, "·· !"),
    ],
)
def test_chain_signs(fields: dict[str, Any], sign: str) -> None:
    assert plain_text(chain_cell(memory("m", **fields))) == sign


def test_cells_stand_in_the_order_of_the_columns() -> None:
    found = memory("m", "tea", namespace="ann", created_at=5)
    found.edits.update(status="archived", namespace="bob")
    cells = dict(zip([column.key for column in COLUMNS], map(plain_text, memory_cells(found, "–")), strict=True))
    assert cells == {
        "id": "✎m",
        "owner": "✎bob",
        "status": "✎archived",
        "type": "∅",
        "chain": "··",
        "lint": "–",
        "tag": "∅",
        "created": "5",
        "text": "tea",
    }
