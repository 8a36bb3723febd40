"""Packed records give back exactly what was packed, and a store of them is small."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.formats import load
from inspector.ids import IdIndex, uid_ranks
from inspector.packing import Packer
from inspector.records import ABSENT, Memory, Origin, Uid

HERE = Origin("m.jsonl", 3)
LONG = "x" * 70
VALUES = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        1.0,
        0.0,
        -0.0,
        0.5,
        float("nan"),
        float("inf"),
        2**70,
        "",
        "active",
        LONG,
        f"{LONG}é",
        f"{LONG}한",
        f"{LONG}\U0001f600",
        f"{LONG}\udce9",
        [],
        {},
        {"a": 1, "b": LONG},
        {"a": 1.0, "b": [1, 1.0]},
        ["a", "b"],
        ["a", 1],
        ["a", True],
        [["a"], "b"],
        [0.25] * 20,
        [1] * 20,
        [1.0, 1] + [0.5] * 20,
        [2**60, 0.5] + [0.1] * 20,
        [True, 0.5] + [0.1] * 20,
        [None, 0.5] + [0.1] * 20,
        [float("nan"), -0.0] + [0.1] * 20,
        ["a"] * 20,
        [2**70] + [0.5] * 20,
    ]
)
NAMES = st.sampled_from(["namespace", "status", "embedding", "meta", "session_id", "loss"])


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=5), min_size=1, max_size=6))
def test_a_packed_record_is_the_record(several: list[dict[str, Any]]) -> None:
    packer = Packer()
    for number, drawn in enumerate(several):
        fields = {"id": f"m{number}", **drawn, "text": "a text"}
        plain, packed = Memory(fields, HERE), Memory(dict(fields), HERE)
        packed.pack(packer)
        # repr tells 1 from 1.0 and True, and 0.0 from -0.0
        assert repr(packed.fields) == repr(fields)
        assert list(packed.names) == list(fields)
        assert packed.origin == HERE
        assert packed.uid == plain.uid
        for name in (*fields, "nothing"):
            assert repr(packed.source(name)) == repr(fields.get(name, ABSENT))
            assert repr(packed.get(name)) == repr(plain.get(name))
            assert repr(packed.value(name)) == repr(plain.value(name))


def test_edits_lie_over_packed_fields_and_a_reader_can_rewrite_them() -> None:
    memory = Memory({"id": "m", "text": "t", "status": "active", "meta": {"a": 1}}, HERE)
    memory.pack(Packer())
    memory.edits["status"] = "stale"
    other = memory.edited({"status": ABSENT})
    assert (memory.get("status"), other.get("status"), other.unedited().get("status")) == ("stale", ABSENT, "active")
    assert (other.effective(), other.origin) == ({"id": "m", "text": "t", "meta": {"a": 1}}, HERE)
    memory.rewrite({**memory.fields, "loss": ["x"]})
    assert memory.fields == {"id": "m", "text": "t", "status": "active", "meta": {"a": 1}, "loss": ["x"]}
    assert (memory.origin, memory.get("status")) == (HERE, "stale")


def test_a_lone_surrogate_and_keys_that_are_ever_new_are_kept() -> None:
    packer = Packer()
    for number in range(5_000):
        fields = {"id": "m", "text": "\udce9" + "x" * 100, "meta": {f"key {number}": number}}
        memory = Memory(dict(fields), HERE)
        memory.pack(packer)
        assert memory.fields == fields
        assert memory.origin == HERE


def small(number: int, draw: random.Random) -> dict[str, Any]:
    """A record of ten keys, three of them the store's own."""
    return {
        "id": f"memory-{number:08d}",
        "text": " ".join(draw.choices(["guest", "breakfast", "window", "room", "lift"], k=20)),
        "namespace": f"guest-{number % 500}",
        "session_id": f"session-{number % 4000}",
        "status": "active",
        "created_at": f"2026-01-11T08:{number % 60:02d}:00Z",
        "source": "chat",
        "importance": number % 7,
        "score": round(draw.random(), 4),
        "kind": "note",
    }


def with_vector(number: int, draw: random.Random) -> dict[str, Any]:
    """The same with a vector of 384 numbers, all different."""
    return {**small(number, draw), "embedding": [draw.gauss(0, 0.05) for _ in range(384)]}


@pytest.mark.parametrize(("make", "count", "most"), [(small, 2_000, 620), (with_vector, 100, 384 * 8 + 900)])
def test_what_a_loaded_record_takes(
    tmp_path: Path, make: Callable[[int, random.Random], dict[str, Any]], count: int, most: int
) -> None:
    """Bytes of Python objects a record: 500 MB of such records are 1.56 million, or 65,000 with vectors."""
    draw = random.Random(8)
    path = tmp_path / "memories.jsonl"
    path.write_text("".join(json.dumps(make(number, draw)) + "\n" for number in range(count)))
    load([path])  # what is made once for all loads
    tracemalloc.start()
    try:
        bundle = load([path])
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(bundle.memories) == count
    assert held / count < most


def test_ids_are_found_by_id_and_by_owner() -> None:
    owners = ["b", "a", None, ["a", "x"], "a"]
    memories = [
        Memory({"id": one, "text": "t", **({} if owner is None else {"namespace": owner})}, HERE)
        for one, owner in zip("xyxxz", owners, strict=True)
    ]
    index = IdIndex(memories)
    assert [list(index.get(one)) for one in "xyzw"] == [[0, 2, 3], [1], [4], []]
    assert index.get("w", (9,)) == (9,)
    assert index.among({"x", "w", "z"}) == {"x", "z"}
    assert ("y" in index, "w" in index) == (True, False)
    assert [index.place(memory.uid) for memory in memories] == [0, 1, 2, 3, 4]
    assert [index.place(Uid("", "y")), index.place(("q",))] == [None, None]
    assert IdIndex([]).among({"x"}) == set()
    assert IdIndex([]).get("x") == ()


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b", "ab", ["a"], "é"]), st.text(max_size=3)), max_size=30))
def test_ranks_are_the_order_of_uids(drawn: list[tuple[Any, str]]) -> None:
    unique = {(repr(owner), one): (owner, one) for owner, one in drawn}.values()
    memories = [Memory({"id": one, "text": "", "namespace": owner}, HERE) for owner, one in unique]
    wanted = sorted(range(len(memories)), key=lambda mi: memories[mi].uid)
    assert uid_ranks(memories).argsort().tolist() == wanted
