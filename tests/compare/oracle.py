"""Routes and figures in plain Python, written from the definitions, one candidate at a time.

Nothing of the product's routes, axes or figures is used, except the seeded order in which the two controls draw, which
no definition fixes. The axes are those of the restricted vocabulary of :mod:`tests.compare.stores`. A trit is 0, None
or 1.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np

from inspector.compare.comparison import Request
from inspector.compare.figures import METRICS
from inspector.comparing.snapshot import Snapshot
from inspector.live import Inspection
from inspector.records import Memory, Query
from inspector.retrieval.pools import Draw
from tests.compare.stores import EXPORTED, json_key

T = int | None
CURRENT = {"active", "current", "verified"}
STATES = {
    "stale": "stale",
    "superseded": "superseded",
    "archived": "archived",
    "deleted": "forgotten",
    **dict.fromkeys(CURRENT, "current"),
}


def both(values: Iterable[T]) -> T:
    seen = list(values)
    return 0 if 0 in seen else None if None in seen else 1


def join(values: Iterable[T]) -> T:
    seen = set(values)
    return seen.pop() if len(seen) == 1 else None


def when(text: str) -> datetime:
    return datetime.fromisoformat(text)


def same(first: Any, second: Any) -> T:
    return None if first is None or second is None else int(first == second)


@dataclass
class Ranked:
    """One query's ranking: memory indices, scores (None for ?), paths, and the two counts."""

    memories: list[int]
    scores: list[float | None]
    paths: list[str]
    similarities: int
    width: int


@dataclass
class Row:
    """One query on one route: everything that the figures are made of."""

    ranked: Ranked
    verdicts: list[T]
    relevance: list[T]
    required: list[list[int]]
    values: dict[str, float | None] = field(default_factory=dict)
    exposures: dict[str, dict[str, float | None]] = field(default_factory=dict)


class Oracle:
    """The store, looked at one pair at a time."""

    def __init__(self, inspection: Inspection, request: Request) -> None:
        self.settings = inspection.settings
        self.memories: list[Memory] = inspection.memories
        self.queries: list[Query] = inspection.queries
        self.request = request
        self.said: dict[tuple[str, str, str], list[T]] = {}
        for judgment in inspection.bundle.judgments:
            value = {0: 0, 1: None, 2: 1}[int(judgment.value)]
            self.said.setdefault((judgment.query_id, judgment.memory_id, judgment.axis), []).append(value)
        view = Snapshot(inspection.memories, inspection.queries, inspection.engine, inspection.settings)
        self.draw = Draw(view, request.seed)
        self.default: T = {"unknown": None, "allow": 1, "deny": 0}[re.findall(r'"(\w+)"', self.settings.policy)[0]]
        self._axes: dict[tuple[str, int, int], T] = {}

    # ---- axes

    def axis(self, name: str, mi: int, qi: int) -> T:
        key = (name, mi, qi)
        if key not in self._axes:
            memory, query = self.memories[mi], self.queries[qi]
            labels = self.said.get((query.id, memory.id, name))
            rule: Callable[[int, int], T] = getattr(self, f"_{name}")
            self._axes[key] = join(labels) if labels else rule(mi, qi)
        return self._axes[key]

    def _scope(self, mi: int, qi: int) -> T:
        memory, query = self.memories[mi], self.queries[qi]
        owner = memory.value("namespace")
        principal = (query.value("principal") or {}).get("namespaces")
        tests: list[T] = []
        if "namespace" in self.settings.isolation:
            if owner in self.settings.shared_namespaces:
                tests.append(1)
            else:
                tests.append(None if owner is None or not principal else int(owner in principal))
        if "session" in self.settings.isolation:
            tests.append(same(memory.value("session_id"), query.value("session_id")))
        return both(tests)

    def _policy(self, mi: int, qi: int) -> T:
        allowed, purpose = self.memories[mi].value("allowed_purposes"), self.queries[qi].value("purpose")
        if not allowed:
            return self.default
        if purpose is None:  # both the allow and the deny are open
            return None
        # A member is allowed whatever the default; a stranger is denied whatever it is.
        return int(purpose in allowed)

    def states(self, mi: int, qi: int) -> set[str]:
        """The states that are possible at as_of; all times here are aware, so only a successor can be in doubt."""
        memory, as_of = self.memories[mi], when(self.queries[qi].value("as_of"))

        def by(name: str) -> bool:
            value = memory.value(name)
            return value is not None and when(value) <= as_of

        possible: set[str] = set()
        if by("deleted_at"):
            return {"forgotten"}
        created = memory.value("created_at")
        if created is not None and not by("created_at"):
            return {"future"}
        successor = memory.value("superseded_by")
        if successor is not None:
            known = self._successor(mi, successor)
            since = None if known is None else known.value("created_at")
            if since is None:
                possible.add("superseded")  # and it goes on
            elif when(since) <= as_of:
                return {"superseded"}
        if by("valid_to"):
            return possible | {"stale"}
        state = STATES.get(memory.value("status") or "", "unknown")
        if when(EXPORTED) > as_of:  # the label speaks for a later time
            state = "current" if state == "current" and created is not None else "unknown"
        return possible | {state}

    def _successor(self, mi: int, wanted: str) -> Memory | None:
        """The memory of that id in the same namespace, else the only one of that id; never itself."""
        owner = self.memories[mi].value("namespace")
        named = [other for place, other in enumerate(self.memories) if other.id == wanted and place != mi]
        near = [other for other in named if other.value("namespace") == owner]
        if near:
            return near[0]
        return named[0] if len(named) == 1 else None

    def _lifecycle(self, mi: int, qi: int) -> T:
        intent = self.queries[qi].value("intent") or "unknown"
        return join(self._cell(state, intent) for state in self.states(mi, qi))

    def _cell(self, state: str, intent: str) -> T:
        if state == "unknown":
            return None
        if state in ("forgotten", "future"):
            return 0
        if state == "current":
            return None if intent == "unknown" and self.settings.unknown_intent == "strict" else 1
        return {"current": 0, "history": 1, "unknown": None}[intent]

    def _relevance(self, mi: int, qi: int) -> T:
        if any(mi in meant for meant in self.required(qi)):
            return 1
        return same(self.memories[mi].value("semantic_tag"), self.queries[qi].value("semantic_tag"))

    def verdict(self, mi: int, qi: int) -> T:
        return both(self.axis(axis, mi, qi) for axis in self.request.axes)

    def stored(self, mi: int, qi: int) -> bool:
        created = self.memories[mi].value("created_at")
        return created is None or when(created) <= when(self.queries[qi].value("as_of"))

    def required(self, qi: int) -> list[list[int]]:
        """What each required id means: where several have it, those of the asker's namespaces, if any."""
        query = self.queries[qi]
        mine = (query.value("principal") or {}).get("namespaces") or []
        found = []
        for wanted in query.value("required") or []:
            named = [mi for mi, memory in enumerate(self.memories) if memory.id == wanted]
            near = [mi for mi in named if self.memories[mi].value("namespace") in mine]
            found.append(near if near and len(named) > 1 else named)
        return found

    # ---- scores

    def uid(self, mi: int) -> tuple[str, str]:
        memory = self.memories[mi]
        owner = memory.value("namespace")
        return ("" if owner is None else json_key(owner), memory.id)

    def similarity(self, mi: int, qi: int) -> Fraction | None:
        first, second = self.memories[mi].value("embedding"), self.queries[qi].value("embedding")
        if not first or not second or not any(first) or not any(second):
            return None
        dot = sum(a * b for a, b in zip(first, second, strict=True))
        return Fraction(dot, math.isqrt(sum(a * a for a in first)) * math.isqrt(sum(b * b for b in second)))

    def order(self, scores: dict[int, Any]) -> list[int]:
        """Best first on scores rounded to a millionth, ? last, ties by uid."""

        def place(mi: int) -> tuple[bool, float, tuple[str, str]]:
            score = scores[mi]
            return score is None, 0.0 if score is None else -round(score * 1_000_000), self.uid(mi)

        return sorted(scores, key=place)

    def dense(self, pool: Iterable[int], qi: int, k: int, path: str, more: int = 0) -> Ranked:
        return self.cut({mi: self.similarity(mi, qi) for mi in pool}, k, path, more=more)

    def cut(self, scores: dict[int, Any], k: int, path: str, *, more: int = 0, similar: bool = True) -> Ranked:
        best = self.order(scores)[:k]
        rounded = [None if scores[mi] is None else round(scores[mi] * 1_000_000) / 1_000_000 for mi in best]
        return Ranked(best, rounded, [path] * len(best), (len(scores) if similar else 0) + more, len(scores))

    def bm25(self, pool: list[int], qi: int) -> dict[int, float]:
        texts = {mi: self.memories[mi].text.split() for mi in pool}
        average = sum(map(len, texts.values())) / len(pool) if pool else 0.0
        scores = {}
        for mi, words in texts.items():
            score = 0.0
            for word in self.queries[qi].text.split():
                tf = words.count(word)
                df = sum(word in other for other in texts.values())
                if tf:
                    idf = math.log(1 + (len(pool) - df + 0.5) / (df + 0.5))
                    score += idf * tf * 2.5 / (tf + 1.5 * (1 - 0.75 + 0.75 * len(words) / average))
            scores[mi] = score
        return scores

    # ---- routes

    def rank(self, route: str, qi: int) -> Ranked:
        k = self.request.k
        everything = [mi for mi in range(len(self.memories)) if self.stored(mi, qi)]
        scope = [mi for mi in everything if self.axis("scope", mi, qi) != 0]
        if route == "global_dense":
            return self.dense(everything, qi, k, route)
        if route == "namespace_dense":
            return self.dense(scope, qi, k, route)
        if route in ("global_bm25", "namespace_bm25"):
            pool = everything if route == "global_bm25" else scope
            return self.cut(self.bm25(pool, qi), k, route, similar=False)
        if route == "global_hybrid":
            return self._hybrid(everything, qi, k)
        if route == "global_recency":
            return self._recency(everything, qi, k)
        if route.startswith("postfilter:"):
            first = self.order({mi: self.similarity(mi, qi) for mi in everything})[: int(route.partition(":")[2])]
            left = self.dense([mi for mi in first if mi in scope], qi, k, route)
            return Ranked(left.memories, left.scores, left.paths, len(everything), left.width)
        if route == "current_only":
            return self.dense([mi for mi in scope if not self.is_old(mi, qi)], qi, k, route)
        if route in ("namespace_policy", "namespace_lifecycle", "governed"):
            axes = {"namespace_policy": ("policy",), "namespace_lifecycle": ("lifecycle",)}
            tests = axes.get(route, ("policy", "lifecycle"))
            return self.dense([mi for mi in scope if all(self.axis(one, mi, qi) != 0 for one in tests)], qi, k, route)
        if route == "session_tag":
            return self.dense(self._session(everything, qi), qi, k, route)
        if route == "dual_path":
            return self._dual(everything, qi, k)
        if route in ("threshold_router", "cluster_router"):
            return self._router(scope, qi, k, route)
        if route in ("random_partition", "gold_oracle"):
            return self._drawn(everything, len(scope), qi, k, route)
        return self._recorded(qi)

    def is_old(self, mi: int, qi: int) -> bool:
        return self.states(mi, qi) <= {"stale", "superseded"}

    def _hybrid(self, pool: list[int], qi: int, k: int) -> Ranked:
        similar = {mi: self.similarity(mi, qi) for mi in pool}
        matched = self.bm25(pool, qi)
        joined: dict[int, float] = dict.fromkeys(pool, 0.0)
        for ranking in (
            [mi for mi in self.order(similar) if similar[mi] is not None],
            [mi for mi in self.order(matched) if matched[mi] > 0],
        ):
            for rank, mi in enumerate(ranking, 1):
                joined[mi] += 1 / (60 + rank)
        return self.cut(joined, k, "global_hybrid")

    def _recency(self, pool: list[int], qi: int, k: int) -> Ranked:
        dated = {mi: self.memories[mi].value("created_at") for mi in pool}
        times = sorted({time for time in dated.values() if time is not None})
        scores: dict[int, Any] = {}
        for mi in pool:
            similar, time = self.similarity(mi, qi), dated[mi]
            position = Fraction(times.index(time), len(times) - 1) if time is not None and len(times) > 1 else 0
            scores[mi] = None if similar is None else similar + Fraction(position, 10)
        return self.cut(scores, k, "global_recency")

    def _session(self, pool: list[int], qi: int) -> list[int]:
        query = self.queries[qi]
        names = ("session_id", "semantic_tag")
        return [mi for mi in pool if all(same(self.memories[mi].value(n), query.value(n)) == 1 for n in names)]

    def _dual(self, pool: list[int], qi: int, k: int) -> Ranked:
        first = self.dense(self._session(pool, qi), qi, k, "session_tag")
        axes = ("scope", "policy", "lifecycle")
        usable = any(both(self.axis(axis, mi, qi) for axis in axes) != 0 for mi in first.memories)
        top = first.scores[0] if first.scores else None
        if top is not None and top >= 0.35 and usable:
            return first
        wanted = {name: value for name, value in (self.queries[qi].value("keys") or {}).items() if value is not None}
        exact = []
        for mi in pool if wanted else []:
            held = self.memories[mi].value("keys") or {}
            pairs = [(held.get(name), value) for name, value in wanted.items()]
            if all(a == b and isinstance(a, bool) == isinstance(b, bool) for a, b in pairs):
                exact.append(mi)
        left = {} if exact else self._without_tags(pool, qi)
        if left:
            ranked = self.dense(left, qi, k, "", more=first.width)
            return Ranked(
                ranked.memories, ranked.scores, [left[mi] for mi in ranked.memories], ranked.similarities, ranked.width
            )
        return self.dense(exact, qi, k, "exact_key", more=first.width)

    def _without_tags(self, pool: list[int], qi: int) -> dict[int, str]:
        """The session's last 20, those first that share a word of more than three letters which is not in most."""
        query = self.queries[qi]
        session = query.value("session_id")
        own = [mi for mi, one in enumerate(self.memories) if session and one.value("session_id") == session]
        tagged = not own or any(self.memories[mi].value("semantic_tag") for mi in own)
        if not own or (query.value("semantic_tag") and tagged):
            return {}
        times = {mi: self.memories[mi].value("created_at") for mi in own if mi in pool}
        dated = sorted((mi for mi, at in times.items() if at), key=self.uid)
        dated.sort(key=lambda mi: when(times[mi]), reverse=True)  # a stable sort: uids order those of one instant
        window = [*dated, *sorted((mi for mi, at in times.items() if not at), key=self.uid)][:20]
        words = {mi: set(self.memories[mi].text.split()) for mi in window}
        asked = {word for word in query.text.split() if len(word) > 3}
        if len(window) > 2:
            asked = {word for word in asked if 2 * sum(word in one for one in words.values()) <= len(window)}
        kept = [mi for mi in window if words[mi] & asked]
        return dict.fromkeys(kept, "degraded: keyword") or dict.fromkeys(window, "degraded: window")

    def _router(self, pool: list[int], qi: int, k: int, route: str) -> Ranked:
        """Clusters in insertion order (undated, then by time, ties by uid); the query goes where it would join."""
        created = {mi: self.memories[mi].value("created_at") or "" for mi in pool}
        clusters: list[list[int]] = []
        loose = []
        for mi in sorted(pool, key=lambda one: (created[one], self.uid(one))):
            vector = self._unit(self.memories[mi])
            if vector is None:
                loose.append(mi)
                continue
            chosen = self._join(clusters, vector, route)
            if chosen is None:
                clusters.append([mi])
            else:
                clusters[chosen].append(mi)
        asked = self._unit(self.queries[qi])
        chosen = None if asked is None else self._join(clusters, asked, route)
        if chosen is None:
            return self.dense(pool, qi, k, f"{route}: namespace", more=len(clusters))
        return self.dense([*clusters[chosen], *loose], qi, k, f"{route}: cluster", more=len(clusters))

    @staticmethod
    def _unit(record: Memory | Query) -> tuple[float, float] | None:
        vector = record.value("embedding")
        if not vector or not any(vector):
            return None
        length = math.hypot(*vector)
        return vector[0] / length, vector[1] / length

    def _join(self, clusters: list[list[int]], vector: tuple[float, float], route: str) -> int | None:
        best, best_score = None, -math.inf
        for number, members in enumerate(clusters):
            units = [unit for mi in members if (unit := self._unit(self.memories[mi])) is not None]
            total = [sum(unit[axis] for unit in units) for axis in (0, 1)]
            length = math.hypot(*total)
            cosine = (total[0] * vector[0] + total[1] * vector[1]) / length if length > 1e-7 else 0.0
            score = round(cosine, 6)
            if route == "cluster_router":
                score = round(0.5 * math.log(len(members)) + score / 0.1, 6)
            if score > best_score:
                best, best_score = number, score
        return best if best_score >= (0.8 if route == "threshold_router" else 4.0) else None

    def _drawn(self, pool: list[int], size: int, qi: int, k: int, route: str) -> Ranked:
        drawn = [mi for mi in self.draw.order(qi).tolist() if mi in pool]
        if route == "random_partition":
            return self.dense(drawn[:size], qi, k, route)
        needed = {mi for meant in self.required(qi) for mi in meant if mi in pool}
        others = [mi for mi in drawn if mi not in needed]
        return self.dense([*needed, *others[: max(0, size - len(needed))]], qi, k, route)

    def _recorded(self, qi: int) -> Ranked:
        found = Ranked([], [], [], 0, 0)
        for event in (self.queries[qi].value("recorded") or {}).get("events", ()):
            for item in sorted(event["retrieved"], key=lambda one: -one["score"]):
                meant = [
                    mi
                    for mi, memory in enumerate(self.memories)
                    if memory.id == item["id"]
                    and ("namespace" not in item or memory.value("namespace") == item["namespace"])
                ]
                if meant[0] not in found.memories:
                    found.memories.append(meant[0])
                    found.scores.append(item["score"])
                    found.paths.append(event["name"])
        found.width = len(found.memories)
        return found

    # ---- figures

    def row(self, route: str, qi: int) -> Row:
        ranked = self.rank(route, qi)
        row = Row(
            ranked,
            [self.verdict(mi, qi) for mi in ranked.memories],
            [self.axis("relevance", mi, qi) for mi in ranked.memories],
            self.required(qi),
        )
        row.values = self._values(row)
        for rule in ("retrieved", "unresolved", "admit"):
            exposed = [self._passes(rule, verdict) for verdict in row.verdicts]
            row.exposures[rule] = self.exposure(row, exposed)
        if route == "recorded" and any("exposed" in (q.value("recorded") or {}) for q in self.queries):
            row.exposures["recorded"] = self.exposure(row, self._recorded_exposure(row, qi))
        return row

    @staticmethod
    def _passes(rule: str, verdict: T) -> T:
        return int(rule == "retrieved" or verdict == 1 or (rule == "unresolved" and verdict is None))

    def _recorded_exposure(self, row: Row, qi: int) -> list[T]:
        trace = self.queries[qi].value("recorded") or {}
        if "exposed" not in trace:
            return [None] * len(row.ranked.memories)
        listed = [(entry["id"], entry["namespace"]) for entry in trace["exposed"]]
        return [
            int((self.memories[mi].id, self.memories[mi].value("namespace")) in listed) for mi in row.ranked.memories
        ]

    def _values(self, row: Row) -> dict[str, float | None]:
        request, total = self.request, len(row.required)
        out: dict[str, float | None] = dict.fromkeys(METRICS)
        out["similarities"], out["width"] = row.ranked.similarities, row.ranked.width
        count = len(row.verdicts)
        if count:
            out["ranking_lower"] = row.verdicts.count(0) / count
            out["ranking_upper"] = (row.verdicts.count(0) + row.verdicts.count(None)) / count
        if total == 0:
            return out
        prefix = None
        for length in range(count + 1):
            head = row.ranked.memories[:length]
            hits = sum(any(mi in head for mi in meant) for meant in row.required)
            if prefix is None and hits / total >= request.tau - 1e-12:
                prefix = length
            out["recall"] = hits / total
        out["feasible"] = float(prefix is not None)
        if prefix is None:
            out["risk_lower"] = out["risk_upper"] = out["infeasibility_part"] = request.cost
            out["conditional_part"] = 0.0
            return out
        v, a, u = (row.verdicts[:prefix].count(value) for value in (0, 1, None))
        lower, upper = (v / prefix, (v + u) / prefix) if prefix else (0.0, 0.0)
        out |= {"risk_lower": lower, "risk_upper": upper, "infeasibility_part": 0.0, "conditional_part": upper}
        out |= {"conditional_lower": lower, "conditional_upper": upper, "prefix": prefix}
        out |= {"violations": v, "admitted": a, "unresolved": u, "any_violation": float(v > 0)}
        out["coverage"] = (v + a) / prefix if prefix else None
        out["known_violation_rate"] = v / (v + a) if v + a else None
        return out

    def exposure(self, row: Row, exposed: list[T]) -> dict[str, float | None]:
        """Bounds by trying every way in which the unknowns may turn out."""
        usable = [both((verdict, relevant)) for verdict, relevant in zip(row.verdicts, row.relevance, strict=True)]
        out: dict[str, float | None] = {}
        for name, good in (("contamination", usable), ("inadmissible", row.verdicts), ("irrelevant", row.relevance)):
            out[f"{name}_lower"], out[f"{name}_upper"] = self._worlds(exposed, good)
        total = len(row.required)
        states = []
        for meant in row.required:
            seen = [exposed[row.ranked.memories.index(mi)] for mi in meant if mi in row.ranked.memories]
            states.append(1 if 1 in seen else None if None in seen else 0)
        out["loss_lower"] = states.count(0) / total if total else None
        out["loss_upper"] = (states.count(0) + states.count(None)) / total if total else None
        out["exposed"] = exposed.count(1)
        return out

    @staticmethod
    def _worlds(exposed: list[T], good: list[T]) -> tuple[float | None, float | None]:
        shares = set()
        cells = [(e, g) for e, g in zip(exposed, good, strict=True) if e != 0]
        counted = {pair: cells.count(pair) for pair in set(cells)}
        ranges = []
        for (e, g), number in counted.items():
            # Of the cells of one sort, how many are exposed and bad, exposed and good, or not exposed.
            ways = set()
            for bad in range(number + 1):
                for fine in range(number - bad + 1):
                    hidden = number - bad - fine
                    if (hidden and e == 1) or (bad and g == 1) or (fine and g == 0):
                        continue
                    ways.add((bad, fine))
            ranges.append(ways)
        for world in itertools.product(*ranges):
            bad, fine = sum(one for one, _ in world), sum(one for _, one in world)
            if bad + fine:
                shares.add(bad / (bad + fine))
        return (min(shares), max(shares)) if shares else (None, None)


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def sign_flip(contributions: list[float]) -> float | None:
    if not 0 < len(contributions) <= 16:
        return None
    observed = abs(sum(contributions))
    flips = list(itertools.product((1, -1), repeat=len(contributions)))
    as_far = sum(
        abs(sum(s * c for s, c in zip(signs, contributions, strict=True))) >= observed - 1e-9 for signs in flips
    )
    return as_far / len(flips)


def number(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
