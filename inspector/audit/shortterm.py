"""Required evidence that only the prompt's recent turns held: long-term recall failed unseen (DESIGN 8, BM)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.audit.case import Required
from inspector.audit.corpus import MatchKind
from inspector.audit.events import Recorded
from inspector.audit.runs import Runs, cut
from inspector.i18n import _d
from inspector.records import Memory, Query


@dataclass(frozen=True, slots=True)
class ShortTerm:
    """Required evidence in the recent turns: the memory, how it was matched, in words where."""

    mi: int
    id: str
    kind: MatchKind
    words: str


def short_term(
    missed: Sequence[Required], memories: Sequence[Memory], query: Query, recorded: Recorded
) -> Iterator[ShortTerm]:
    """Which of the required evidence that was not retrieved stands in the recent turns.

    By id or content hash where turns carry them, by the whole text, else by a shared run of at least five words that
    the question does not say and that is at least half of the memory's text [ours].
    """
    if not recorded.turns and not recorded.turn_items:
        return
    turns = cut("\n".join(recorded.turns))
    asked = cut(query.text).line
    runs = Runs(turns.words)
    for one in missed:
        for mi in one.memories:
            item = next((item for item in recorded.turn_items if item.memories == (mi,)), None)
            if item is not None:
                yield ShortTerm(mi, one.id, item.kind, _d("a recent turn of the prompt is this record"))
                break
            own = cut(memories[mi].text)
            if own.words and own.line in turns.line and own.line not in asked:
                yield ShortTerm(mi, one.id, "weak", _d("its text stands in the recent turns of the prompt"))
                break
            shared = [
                run for run in runs.shared_with(own) if 2 * run.length >= len(own.words) and own.said(run) not in asked
            ]
            if shared:
                best = max(shared, key=lambda run: run.length)
                said = _d("{length} of its {count} words stand in a row in the recent turns of the prompt").format(
                    length=best.length, count=len(own.words)
                )
                yield ShortTerm(mi, one.id, "weak", said)
                break
