"""Random small stores in memory, with everything that any route needs; nothing is encoded and nothing is on disk."""

from __future__ import annotations

import json
import random
from typing import Any, cast

from inspector.compare.comparison import Request
from inspector.live import Inspection
from inspector.records import Bundle, Judgment, Memory, Origin, Query, Settings
from inspector.retriever import Retriever
from inspector.store.editlog import EditLog
from inspector.store.workspace import Workspace
from inspector.times import parse_time
from inspector.trit import Trit
from inspector.views import RouteChoice

ORIGIN = Origin("test")
#: Integer vectors with integer lengths, so that every cosine is a fraction; a zero vector, and none at all.
VECTORS: list[list[int] | None] = [
    [1, 0],
    [0, 1],
    [3, 4],
    [4, 3],
    [-1, 0],
    [5, 12],
    [-3, 4],
    [15, 8],
    [0, 0],
    None,
]
TIMES = [f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3, 4)]
EXPORTED = "2026-03-01T00:00:00Z"
ROUTES = (
    "global_dense",
    "namespace_dense",
    "global_bm25",
    "namespace_bm25",
    "global_hybrid",
    "global_recency",
    "postfilter:3",
    "current_only",
    "namespace_policy",
    "namespace_lifecycle",
    "governed",
    "session_tag",
    "dual_path",
    "threshold_router",
    "cluster_router",
    "random_partition",
    "gold_oracle",
    "recorded",
)


class KeptInMemory:
    """What a workspace does for a comparison, without a file."""

    is_temporary = True

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], bytes] = {}

    def fingerprint(self) -> str:
        return "in memory"

    def put_result(self, kind: str, key: str, payload: bytes) -> None:
        self.results[kind, key] = payload

    def get_result(self, kind: str, key: str) -> bytes | None:
        return self.results.get((kind, key))


class NoEdits:
    def overlay(self) -> dict[str, Any]:
        return {}


def _some(rng: random.Random, fields: dict[str, Any], name: str, values: list[Any]) -> None:
    """One of the values, null, or no key at all."""
    roll = rng.random()
    if roll < 0.75:
        fields[name] = rng.choice(values)
    elif roll < 0.85:
        fields[name] = None


def memories(rng: random.Random) -> list[Memory]:
    found = []
    taken = set()
    for number in range(rng.randint(1, 9)):
        fields: dict[str, Any] = {
            "id": f"m{rng.randint(0, 9)}" if rng.random() < 0.3 else f"x{number}",
            "text": " ".join(rng.choices(["red", "blue", "old", "the"], k=rng.randint(0, 4))),
        }
        _some(rng, fields, "namespace", ["n", "o", "pub"])
        _some(rng, fields, "status", ["active", "stale", "superseded", "archived", "deleted", "odd"])
        for name, chance in (("created_at", 0.6), ("valid_to", 0.15), ("deleted_at", 0.1)):
            if rng.random() < chance:
                fields[name] = rng.choice(TIMES)
        if rng.random() < 0.15:
            fields["superseded_by"] = f"x{rng.randint(0, 9)}"
        if rng.random() < 0.6:
            fields["allowed_purposes"] = rng.choice([["care"], ["sales", "care"], ["sales"]])
        _some(rng, fields, "session_id", ["s1", "s2"])
        _some(rng, fields, "semantic_tag", ["t1", "t2"])
        if rng.random() < 0.5:
            fields["keys"] = {name: rng.choice([0, 1, True, "1"]) for name in "uv" if rng.random() < 0.7}
        vector = rng.choice(VECTORS)
        if vector is not None:
            fields["embedding"] = vector
        memory = Memory(fields, ORIGIN)
        if memory.uid not in taken:
            taken.add(memory.uid)
            found.append(memory)
    return found


def queries(rng: random.Random, store: list[Memory]) -> list[Query]:
    found = []
    for number in range(rng.randint(1, 3)):
        fields: dict[str, Any] = {
            "id": f"q{number}",
            "text": " ".join(rng.choices(["red", "blue", "old", "the"], k=rng.randint(0, 3))),
            "as_of": rng.choice(TIMES),
        }
        if rng.random() < 0.85:
            fields["principal"] = {"id": "p", "namespaces": rng.choice([["n"], ["o"], ["n", "o"]])}
        _some(rng, fields, "purpose", ["care", "sales"])
        _some(rng, fields, "intent", ["current", "history", "unknown"])
        _some(rng, fields, "session_id", ["s1", "s2"])
        _some(rng, fields, "semantic_tag", ["t1", "t2"])
        if rng.random() < 0.5:
            fields["keys"] = {name: rng.choice([0, 1, True, "1", None]) for name in "uv" if rng.random() < 0.7}
        if rng.random() < 0.85:
            wanted = [memory.id for memory in store if rng.random() < 0.3]
            fields["required"] = list(dict.fromkeys([*wanted, *(["nowhere"] if rng.random() < 0.2 else [])]))
        vector = rng.choice(VECTORS)
        if vector is not None:
            fields["embedding"] = vector
        if rng.random() < 0.7:
            fields["recorded"] = _recorded(rng, store)
        found.append(Query(fields, ORIGIN))
    return found


def _recorded(rng: random.Random, store: list[Memory]) -> dict[str, Any]:
    """One or two events whose scores differ; what is exposed is listed, or nothing is said of it."""
    trace: dict[str, Any] = {"events": []}
    for name in ("first", "second")[: rng.randint(1, 2)]:
        listed = []
        scores = rng.sample(range(1, 100), 10)
        for memory in rng.sample(store, rng.randint(0, len(store))):
            item = {"id": memory.id, "score": scores.pop() / 100}
            if memory.value("namespace") is not None:
                item["namespace"] = memory.value("namespace")
            elif sum(other.id == memory.id for other in store) > 1:
                continue  # an id that could mean several
            listed.append(item)
        trace["events"].append({"name": name, "filter": "none", "score_kind": "similarity", "retrieved": listed})
    if rng.random() < 0.6:
        chosen = [memory for memory in store if rng.random() < 0.5 and memory.value("namespace") is not None]
        trace["exposed"] = [{"id": memory.id, "namespace": memory.value("namespace")} for memory in chosen]
    return trace


def judgments(rng: random.Random, store: list[Memory], asked: list[Query]) -> list[Judgment]:
    found = []
    for memory in store:
        if sum(other.id == memory.id for other in store) > 1 or rng.random() > 0.2:
            continue
        for source in ("ann", "bob")[: rng.randint(1, 2)]:
            axis = rng.choice(["scope", "policy", "lifecycle", "relevance"])
            value = rng.choice(list(Trit))
            found.append(
                Judgment(
                    rng.choice(asked).id, memory.id, memory.get("namespace"), cast("Any", axis), value, source, ORIGIN
                )
            )
    return found


def inspection(seed: int) -> Inspection:
    """One random store, always with a vector on both sides, so that nothing is ever encoded."""
    rng = random.Random(seed)
    store = memories(rng)
    asked = queries(rng, store)
    for record in (store[0], asked[0]):
        record.rewrite({"embedding": [1, 0], **record.fields})
    settings = Settings(
        exported_at=parse_time(EXPORTED, ""),
        isolation=rng.choice(["namespace", "namespace", "session", "namespace+session"]),
        unknown_intent=rng.choice(["join", "strict"]),
        shared_namespaces=rng.choice([(), ("pub",)]),
        policy=f'default = "{rng.choice(["unknown", "allow", "deny"])}"\n',
    )
    bundle = Bundle(store, asked, judgments(rng, store, asked), settings, f"store {seed}", "canonical")
    kept = cast("Workspace", KeptInMemory())
    retriever = Retriever(bundle, settings, kept, None)
    return Inspection(bundle, settings, kept, cast("EditLog", NoEdits()), retriever, RouteChoice("global_dense"))


def request(seed: int, routes: tuple[str, ...] = ROUTES) -> Request:
    """Settings of a comparison, as random as the store."""
    rng = random.Random(f"request {seed}")
    axes = rng.choice([("scope", "policy", "lifecycle"), ("policy", "lifecycle"), ("scope",), ("scope", "lifecycle")])
    return Request(
        routes=routes,
        k=rng.choice([1, 2, 3, 5, 20]),
        tau=rng.choice([0.0, 0.3, 0.5, 0.8, 1.0]),
        axes=axes,
        cost=rng.choice([0.0, 1.0, 2.5]),
        base=rng.choice([None, "governed"]),
        seed=rng.randint(0, 3),
        resamples=0,
    )


def json_key(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
