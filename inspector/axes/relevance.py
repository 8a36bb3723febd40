"""Relevance: does the memory bear on the question (DESIGN 3). It never changes the verdict."""

from __future__ import annotations

from inspector.axes.ground import Ground
from inspector.axes.verdict import AxisResult
from inspector.i18n import D_, _d
from inspector.records import FieldRead, Memory, Presence, Query
from inspector.trit import Trit

SEMANTIC_TAG = D_("semantic tag")


def explain_relevance(ground: Ground, memory: Memory, query: Query, required: bool) -> AxisResult:
    """Relevance of one pair by rule: in ``required`` → 1; else the semantic-tag test."""
    if required:
        read = ground.read(query, "required")
        assumed = read.origin == "assumption"
        return AxisResult(Trit.YES, "required", _d("the query requires this memory"), (read,), assumed=assumed)
    mine, theirs = ground.read(memory, "semantic_tag"), ground.read(query, "semantic_tag")
    reads: tuple[FieldRead, ...] = (mine, theirs)
    assumed = any(read.origin == "assumption" for read in reads)
    missing = [
        name
        for name, read in (("semantic_tag", mine), ("query.semantic_tag", theirs))
        if read.presence is not Presence.VALUE
    ]
    if missing:
        words = (
            _d("the memory and the query have no semantic tag")
            if len(missing) == 2
            else _d("the memory has no semantic tag")
            if missing == ["semantic_tag"]
            else _d("the query has no semantic tag")
        )
        return AxisResult(Trit.UNKNOWN, SEMANTIC_TAG, words, reads, tuple(missing))
    if mine.value == theirs.value:
        return AxisResult(
            Trit.YES, SEMANTIC_TAG, _d("both are of '{value}'").format(value=mine.value), reads, (), assumed
        )
    return AxisResult(
        Trit.NO,
        SEMANTIC_TAG,
        _d("'{value}' is not '{value2}'").format(value=mine.value, value2=theirs.value),
        reads,
        (),
        assumed,
    )
