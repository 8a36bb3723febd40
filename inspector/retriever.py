"""Rankings of a loaded store: its vectors and words made ready, kept in the workspace, and followed through edits.

Encoding commits batch by batch, so that what was done before a cancel or a kill is not done again (DESIGN 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from inspector.asked import ASKED
from inspector.axes.engine import AxisEngine
from inspector.i18n import _, _d
from inspector.pools import EnginePool
from inspector.records import Bundle, Memory, OnProgress, Progress, Query, Record, Settings
from inspector.retrieval.embedder import Embedder
from inspector.retrieval.lexical import METADATA_FIELDS, LexicalIndex, searched_text
from inspector.retrieval.models import BUNDLED, BUNDLED_SIZE, find_model
from inspector.retrieval.pool import IntArray
from inspector.retrieval.ranking import Ranking
from inspector.retrieval.routes import Sources, rank
from inspector.retrieval.scoring import Dense
from inspector.retrieval.specs import Params, RouteSpec, parse_route
from inspector.retrieval.vectors import Vectors, brings_vectors, given_vectors, unit_vectors
from inspector.store.workspace import Workspace
from inspector.text import content_hash, has_cjk
from inspector.views import RouteChoice

#: Routes whose pool follows from more than the axes: any edit of a memory ranks every query anew.
_WHOLE_STORE = frozenset(
    ("session_tag", "dual_path", "random_partition", "gold_oracle", "threshold_router", "cluster_router")
)
#: Routes that go by semantic tags, and are degraded where there are none.
BY_TAG = frozenset(("session_tag", "dual_path"))
#: Two encodings of one text by one model have at least this cosine, whatever the rounding of stored vectors.
_SAME_MODEL = 0.999


class Retriever:
    """Ranks on one route at a time. :meth:`prepare` may take long and is cancellable; the rest is quick."""

    def __init__(self, bundle: Bundle, settings: Settings, workspace: Workspace, model: str | None) -> None:
        self._memories: Sequence[Memory] = bundle.memories
        self._queries: Sequence[Query] = bundle.queries
        self._settings = settings
        self._workspace = workspace
        self._wanted_model = model
        self._embedder: Embedder | None = None
        self._dense: Dense | None = None
        self._given = False
        self._lexical: LexicalIndex | None = None
        self._pool: EnginePool | None = None
        self._stale: dict[tuple[str, int], str] = {}
        #: Asked queries that the store's own model, which is another than ours, would have to encode.
        self._foreign: set[int] = set()
        #: Grows with every vector that is replaced, for whoever keeps what was made of them.
        self.vectors_generation = 0
        self.params = Params()
        self.ranking_notes: dict[int, tuple[str, ...]] = {}
        self.unknown_ids: dict[int, tuple[tuple[str, str], ...]] = {}
        #: Why a query was ranked without semantic tags, on a route that goes by them (DESIGN 9).
        self.degraded: dict[int, str] = {}

    @property
    def model(self) -> str:
        """The name of the encoder, or what stands in its place where the store brings its own vectors."""
        if self._given:
            return _d("the store's own vectors")
        return BUNDLED if self._wanted_model is None else find_model(self._wanted_model).name

    @property
    def vectors_key(self) -> str:
        """What the vectors in use are kept under: the store's own, or the encoder's weights."""
        given = self._given
        if self._dense is None:  # nothing is loaded yet: what loading would take
            given = brings_vectors(self._memories, self._queries)
        return "given" if given else find_model(self._wanted_model).key

    @property
    def sources(self) -> Sources:
        """What routes score with, as far as :meth:`prepare` has made it ready. Edits change it in place."""
        return Sources(self._dense, self._lexical)

    def ranks_by_cosine(self, route: RouteChoice) -> bool:
        """Whether the route's scores are similarities, so that any pair's may stand beside them."""
        return self.check(route).needs == {"vectors"}

    def check(self, route: RouteChoice) -> RouteSpec:
        """The route's description. Raises InspectorError for an unknown route or a misplaced depth."""
        return parse_route(str(route))

    # ---- sources

    def prepare(self, route: RouteChoice, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> None:
        """Make ready what the route scores with: vectors, words. Raises Cancelled; what was encoded is kept."""
        spec = self.check(route)
        if "words" in spec.needs and self._lexical is None:
            if on_progress is not None:
                on_progress(Progress(_("indexing words"), 0, len(self._memories), _("memories")))
            self._lexical = LexicalIndex.of(self._memories, self._settings)
        if "vectors" in spec.needs:
            if self._dense is None:
                self._dense = self._load_vectors(on_progress, cancelled)
                self.vectors_generation += 1
            self.encode_stale(on_progress, cancelled)

    def prepare_for_decisions(
        self, *, encode: bool, on_progress: OnProgress | None, cancelled: Callable[[], bool]
    ) -> None:
        """Make vectors ready for the decision layer where the route needed none: the store's own, or with ``encode``
        those of the encoder (DESIGN 6). Raises Cancelled; what was encoded is kept."""
        if self._dense is None and (encode or given_vectors(self._memories, self._queries) is not None):
            self._dense = self._load_vectors(on_progress, cancelled)
            self.vectors_generation += 1

    def _load_vectors(self, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> Dense:
        given = given_vectors(self._memories, self._queries)
        self._given = given is not None
        if given is not None:
            dense = Dense(*given)
            self._mark_edited_texts()
            return dense
        memories = self._encoded(self._memories, _("encoding memories"), on_progress, cancelled)
        queries = self._encoded(self._queries, _("encoding queries"), on_progress, cancelled)
        # A side without records has no vectors, and so no length of its own: it takes the other's.
        size = memories.shape[1] or queries.shape[1] or 1
        return Dense(_unit(memories, size), _unit(queries, size))

    def _mark_edited_texts(self) -> None:
        for kind, records in (("memory", self._memories), ("query", self._queries)):
            for index, record in enumerate(records):
                if (record.is_edited and "text" in record.edits) or record.origin is ASKED:
                    self._stale[kind, index] = record.text

    def _encoder(self) -> Embedder:
        if self._embedder is None:
            self._embedder = Embedder(self._wanted_model)
        return self._embedder

    def _encoded(
        self, records: Sequence[Record], what: str, on_progress: OnProgress | None, cancelled: Callable[[], bool]
    ) -> npt.NDArray[np.float32]:
        encoder = self._encoder()
        hashes = [content_hash(record.text) for record in records]
        found, matrix = self._workspace.get_vectors(hashes, encoder.key)
        # Equal texts have one vector: only the first of them is encoded.
        first = {content: index for index, content in reversed(list(enumerate(hashes))) if not found[index]}
        missing = sorted(first.values())

        def report(progress: Progress) -> None:
            if on_progress is not None:
                told = progress.what if progress.total is None else what  # the model itself is loaded first
                on_progress(Progress(told, progress.done, progress.total, progress.unit))

        texts = [records[index].text for index in missing]
        for batch in encoder.encode(texts, report, cancelled):
            rows = [missing[position] for position in batch.positions.tolist()]
            self._workspace.put_vectors([hashes[row] for row in rows], encoder.key, batch.vectors)
        if missing:
            found, matrix = self._workspace.get_vectors(hashes, encoder.key)
        return matrix

    def encode_stale(
        self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[list[int], list[int]]:
        """Encode the texts that were edited; the memories and queries whose vector is new (DESIGN 10)."""
        if self._dense is None or not self._stale:
            return [], []
        stale = dict(self._stale)
        encoder = self._encoder()
        if self._given:
            asked = {at: stale.pop(at) for at in list(stale) if self._record(*at).origin is ASKED}
            if asked and not self._is_our_model(cancelled):
                self._foreign.update(qi for _rest1, qi in asked)
                for at in asked:
                    del self._stale[at]
                asked = {}
            sources = [str(self._record(*at).source("text")) for at in stale]
            own = encoder.encode_all(sources, cancelled)
            stale = {
                at: text
                for (at, text), vector in zip(stale.items(), own, strict=True)
                if self._is_same_model(at, vector)
            }
            stale.update(asked)
        done: tuple[list[int], list[int]] = ([], [])
        vectors = encoder.encode_all(list(stale.values()), cancelled)
        if on_progress is not None:
            on_progress(Progress(_("encoding edited texts"), len(stale), len(stale), _("texts")))
        for (at, text), vector in zip(stale.items(), vectors, strict=True):
            if not self._given:
                self._workspace.put_vectors([content_hash(text)], encoder.key, vector[None, :])
            self._set_vector(at, vector)
            self._stale.pop(at, None)
            done[at[0] == "query"].append(at[1])
        return done

    def _is_same_model(self, at: tuple[str, int], encoded: npt.NDArray[np.float32]) -> bool:
        """Whether the store's own vector of a text is what our encoder makes of it: only then may they be mixed."""
        given = self._record(*at).source("embedding")
        if not isinstance(given, list) or len(given) != len(encoded):
            return False
        theirs = np.array(given, dtype=np.float64)
        size = float(np.linalg.norm(theirs))
        return bool(size > 0 and float(theirs @ encoded.astype(np.float64)) / size >= _SAME_MODEL)

    def _is_our_model(self, cancelled: Callable[[], bool]) -> bool:
        """Whether the store's own vectors are what our encoder makes: tried on the first memory that has one."""
        if self._wanted_model is None and self._dense is not None and self._dense.memory.size != BUNDLED_SIZE:
            return False
        for index, memory in enumerate(self._memories):
            if "text" not in memory.edits and isinstance(memory.source("embedding"), list):
                made = self._encoder().encode_all([memory.text], cancelled)
                return self._is_same_model(("memory", index), made[0])
        return False

    def _record(self, kind: str, index: int) -> Record:
        return self._memories[index] if kind == "memory" else self._queries[index]

    def _set_vector(self, at: tuple[str, int], vector: npt.NDArray[np.float32]) -> None:
        if self._dense is None:
            return
        kind, index = at
        memory, query = self._dense.memory, self._dense.query
        if kind == "memory":
            memory = memory.with_row(index, vector)
        else:
            query = query.with_row(index, vector)
        self._dense = Dense(memory, query)
        self.vectors_generation += 1

    # ---- ranking

    def ranker(self, route: RouteChoice, engine: AxisEngine, settings: Settings) -> Callable[[IntArray], Ranking]:
        """What ranks queries on this route with this engine's axes, edits followed. Raises InspectorError."""
        spec = self.check(route)
        k = None if spec.name == "recorded" else route.k
        self._settings = settings
        if self._pool is None or self._pool.engine is not engine:
            self._pool = EnginePool(self._memories, self._queries, engine, settings)
        pool = self._pool
        by_tag = spec.name in BY_TAG
        self.degraded.clear()

        def run(queries: IntArray) -> Ranking:
            with pool.held():
                ranking = rank(spec, pool, self.sources, k=k, queries=queries, params=self.params)
                why = {qi: pool.why_degraded(qi) for qi in queries.tolist()} if by_tag else {}
            for qi in queries.tolist():
                self.ranking_notes.pop(qi, None)
                self.unknown_ids.pop(qi, None)
                self.degraded.pop(qi, None)
            self.degraded.update((qi, words) for qi, words in why.items() if words)
            self.ranking_notes.update(ranking.notes)
            self.unknown_ids.update(ranking.unknown_ids)
            return ranking

        return run

    def similarities(
        self, qi: int, mis: Sequence[int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]] | None:
        """Cosines of the query to the memories (n,), NaN for ?, and their vectors (n, d); None without vectors."""
        if self._dense is None:
            return None
        index = np.array(list(mis), dtype=np.int64)
        return self._dense.scores(np.array([qi]), index)[0], self._dense.memory.data[index]

    def score(self, qi: int, mi: int) -> float | None:
        """The pair's similarity where the store's vectors are loaded, rounded as rankings are; else None."""
        if self._dense is None:
            return None
        value = float(self._dense.scores(np.array([qi]), np.array([mi]))[0, 0])
        return None if value != value else round(value, 6)

    # ---- edits

    def reads_all(self, route: RouteChoice, fields: set[str]) -> bool:
        """Whether an edit of these memory fields can change the ranking of queries whose pool it leaves alone."""
        if not fields:
            return False
        spec = self.check(route)
        if route.name in _WHOLE_STORE or ("text" in fields and "words" in spec.needs):
            return True
        if route.name == "global_recency" and "created_at" in fields:
            return True
        metadata = self._settings.lexical_text == "metadata"
        return "words" in spec.needs and metadata and not fields.isdisjoint((*METADATA_FIELDS, "meta"))

    def edited(self, mis: set[int], qis: set[int], fields: set[str]) -> None:
        """Follow an edit: words are counted again at once; a text without a kept vector waits for encoding."""
        if self._lexical is not None and (self._settings.lexical_text == "metadata" or "text" in fields):
            for mi in mis:
                self._lexical.replace(mi, searched_text(self._memories[mi], self._settings))
        if self._dense is None:
            return
        changed = [("memory", mi) for mi in sorted(mis)] if "text" in fields else []
        changed += [("query", qi) for qi in sorted(qis)]
        for at in changed:
            self._follow_text(at)

    def relisted(self, came: IntArray) -> None:
        """The queries stand at other places: query i is the one at ``came[i]`` before, new for -1.

        A new one whose vector is not kept waits for :meth:`encode_stale`; in a store that brings its own vectors too,
        where only one of the same model counts.
        """
        place = {int(was): now for now, was in enumerate(came.tolist()) if was >= 0}
        self._stale = {
            (kind, index if kind == "memory" else place[index]): text
            for (kind, index), text in self._stale.items()
            if kind == "memory" or index in place
        }
        self._foreign = {place[qi] for qi in self._foreign if qi in place}
        self.ranking_notes = {place[qi]: words for qi, words in self.ranking_notes.items() if qi in place}
        self.unknown_ids = {place[qi]: ids for qi, ids in self.unknown_ids.items() if qi in place}
        if self._dense is None:
            return
        old = self._dense.query
        data = np.zeros((len(came), old.size), dtype=np.float32)
        ok = np.zeros(len(came), dtype=np.bool_)
        held = came >= 0
        data[held], ok[held] = old.data[came[held]], old.ok[came[held]]
        problems = {place[row]: words for row, words in old.problems.items() if row in place}
        problems.update(dict.fromkeys(np.flatnonzero(~held).tolist(), _d("has no vector yet")))
        self._dense = Dense(self._dense.memory, Vectors(data, ok, dict(sorted(problems.items()))))
        self.vectors_generation += 1
        for qi in np.flatnonzero(~held).tolist():
            self._follow_asked(qi)

    def _follow_asked(self, qi: int) -> None:
        if self._given:
            self._stale["query", qi] = self._queries[qi].text
        else:
            self._follow_text(("query", qi))

    def _follow_text(self, at: tuple[str, int]) -> None:
        record = self._record(*at)
        self._stale.pop(at, None)
        if self._given:
            if "text" in record.edits:
                self._stale[at] = record.text
            elif isinstance(record.source("embedding"), list):
                self._set_vector(at, np.array(record.source("embedding"), dtype=np.float32))
            return
        found, matrix = self._workspace.get_vectors([content_hash(record.text)], self._encoder().key)
        if bool(found[0]):
            self._set_vector(at, matrix[0])
        else:
            self._stale[at] = record.text

    @property
    def has_encoder(self) -> bool:
        """Whether an encoder was asked for: its process may be running."""
        return self._embedder is not None

    @property
    def has_vectors(self) -> bool:
        """Whether vectors are loaded."""
        return self._dense is not None

    @property
    def has_stale(self) -> bool:
        """Whether edited texts wait for :meth:`encode_stale`."""
        return bool(self._stale)

    def notices(self, route: RouteChoice) -> list[str]:
        """What the header must say of recall: that it is degraded and why, and what ails the vectors."""
        words: list[str] = []
        if self.degraded and route.name in BY_TAG:
            words.append(degraded_words(dict(self.degraded), len(self._queries)))
        if "vectors" not in self.check(route).needs:
            return words
        edited = len(self._stale) - sum(self._record(*at).origin is ASKED for at in self._stale)
        if edited:
            words.append(_d("{edited} edited texts with the old text's vector").format(edited=edited))
        if self._foreign:
            words.append(
                _d(
                    "{count} asked queries have no vector of the store's own model, their "
                    "similarity is ?: choose a lexical route"
                ).format(count=len(self._foreign))
            )
        if self._dense is not None:
            unusable = int((~self._dense.memory.ok).sum())
            if unusable:
                words.append(
                    _d("{unusable:,} memories without a usable vector: similarity ?").format(unusable=unusable)
                )
        if not self._given and self._wanted_model is None:
            foreign = sum(1 for memory in self._memories[:500] if has_cjk(memory.text))
            if foreign * 5 > min(len(self._memories), 500):
                words.append(_d("the encoder is an English model: similarity of these texts means little"))
        return words

    def close(self) -> None:
        """End the encoder's process, if one was started."""
        if self._embedder is not None:
            self._embedder.close()


def _unit(matrix: npt.NDArray[np.float32], size: int) -> Vectors:
    return unit_vectors(matrix if matrix.shape[1] else np.zeros((len(matrix), size), dtype=np.float32))


def degraded_words(degraded: Mapping[int, str], total: int) -> str:
    """``degraded: 2 of 5 queries: no memory of the session has a semantic tag``."""
    counted = Counter(degraded.values())
    if len(counted) == 1:
        whys = next(iter(counted))
    else:
        whys = "; ".join(f"{why} ({count:,})" for why, count in counted.most_common())
    many = "query" if total == 1 else "queries"
    return _d("degraded: {count:,} of {total:,} {many}: {whys}").format(
        count=len(degraded), total=total, many=many, whys=whys
    )
