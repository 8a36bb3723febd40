"""The trail of one memory: stored → retrieved → verified → exposed → disclosed (DESIGN 8).

exposed ⊆ retrieved ⊆ stored is checked and reported where it breaks, never repaired.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from inspector.audit.case import Hit, Retrieval, Row
from inspector.audit.corpus import MatchKind
from inspector.audit.events import Event
from inspector.audit.exposure import how
from inspector.i18n import _d
from inspector.records import ABSENT, Origin, Presence, presence_of
from inspector.times import Instant
from inspector.trit import Trit

_VERDICT = {Trit.YES: "admit", Trit.NO: "exclude", Trit.UNKNOWN: "unresolved"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its value, how it is known in words, when it happened ("" where no time is known), how it was matched.

    ``broken`` says that the step happened although it should not have: exposed without being retrieved, an excluded
    memory exposed or disclosed, and the like.
    """

    name: str
    value: Trit
    detail: str
    at: str = ""
    kind: MatchKind | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Trail:
    """The five steps of one memory for one query, and in words where the chain breaks."""

    steps: tuple[Step, ...]
    breaks: tuple[str, ...]


def trail(row: Row, retrieval: Retrieval, route: str, as_of: Instant | None, answer_at: str = "") -> Trail:
    """The trail of one row of an audit. ``route`` names what retrieved it where no trace did."""
    retrieved_not_stored = row.retrieved == Trit.YES and row.judged.stored == Trit.NO
    exposed_not_retrieved = row.exposed == Trit.YES and row.retrieved == Trit.NO
    disclosed_not_exposed = row.disclosed == Trit.YES and row.exposed == Trit.NO
    barred = row.verdict == Trit.NO
    moment = _d("at {text}").format(text=as_of.text) if as_of is not None else _d("at an unknown time")
    first = next((hit.event.at for hit in row.hits if hit.event.at is not None), None)
    steps = (
        Step(
            "stored",
            row.judged.stored,
            f"{_place(row.memory.origin)}, {moment}",
            str(row.memory.value("created_at") or ""),
        ),
        Step(
            "retrieved",
            row.retrieved,
            _retrieved(row, retrieval, route),
            first.text if first is not None else "",
            row.kind,
            retrieved_not_stored,
        ),
        Step("verified", row.verdict, _d("verdict {VERDICT}").format(VERDICT=_VERDICT[row.verdict])),
        Step(
            "exposed",
            row.exposed,
            _exposed(row),
            kind=row.exposure.kind,
            broken=exposed_not_retrieved or (barred and row.exposed == Trit.YES),
        ),
        Step(
            "disclosed",
            row.disclosed,
            row.disclosure.detail,
            answer_at if row.disclosed == Trit.YES else "",
            row.disclosure.kind,
            disclosed_not_exposed or (barred and row.disclosed == Trit.YES),
        ),
    )
    said = {
        _d("retrieved without being stored"): retrieved_not_stored,
        _d("exposed without being retrieved"): exposed_not_retrieved,
        _d("disclosed without being exposed"): disclosed_not_exposed,
    }
    return Trail(steps, tuple(words for words, applies in said.items() if applies))


def _exposed(row: Row) -> str:
    """How the exposure is known; where nothing was matched there is no kind of match to tell."""
    detail = row.exposure.detail
    return detail if row.exposure.kind == "none" else f"{detail} ({how(row.exposure)})"


def _retrieved(row: Row, retrieval: Retrieval, route: str) -> str:
    if row.hits:
        return "; ".join(_hit(hit) for hit in row.hits)
    if row.judged.rank:
        score = _d("no score") if row.judged.score is None else _d("score {score:.6f}").format(score=row.judged.score)
        return _d("rank {rank}, {score}, by {path}").format(
            rank=row.judged.rank, score=score, path=row.judged.path or route
        )
    if retrieval == "none":
        return _d("no retrieval was recorded")
    return (
        _d("in no event of the trace")
        if retrieval == "recorded"
        else _d("not among the candidates of {route}").format(route=route)
    )


def _hit(hit: Hit) -> str:
    if hit.dropped:
        return _d("dropped by {name}").format(name=hit.event.name)
    score = _d("no score") if hit.item.score is None else f"{score_words(hit.event)} {hit.item.score:g}"
    return _d("rank {rank} in {name}, {score}, {filter_words} (match {kind})").format(
        rank=hit.item.rank, name=hit.event.name, score=score, filter_words=filter_words(hit.event), kind=hit.item.kind
    )


def score_words(event: Event) -> str:
    """What an event's score is; one of unknown direction is only called a score."""
    return event.score_kind if event.score_kind != "unknown" else _d("score of unknown direction")


def filter_words(event: Event) -> str:
    """An event's filter as recorded, in one line; an unfiltered retrieval is said to be one."""
    if event.kind == "rerank":
        return _d("reranked")
    if presence_of(event.filter) is Presence.VALUE:
        return _d("filter {dumps}").format(dumps=json.dumps(event.filter, ensure_ascii=False, default=str))
    said = "absent" if event.filter is ABSENT else presence_of(event.filter).value
    return _d("unfiltered retrieval (filter {said})").format(said=said)


def _place(origin: Origin) -> str:
    """A record's place without the folders of its file: ``memories.jsonl:12``."""
    return str(origin).replace("\\", "/").rpartition("/")[2]
