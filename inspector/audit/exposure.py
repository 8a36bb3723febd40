"""Was a memory in the prompt? (DESIGN 8)

Where a trace recorded what was exposed, or the prompt itself, that is the answer; a record is matched by id, then by
content hash, then by text, and the match says which. Otherwise the prompt is assembled here from the verdicts
(:mod:`inspector.audit.assembly`).

A list of exposed records is taken as complete: an empty one says that nothing was exposed. An empty prompt says
nothing. What also stands in the question or in the recent turns is no sign that the record was put into the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.audit.corpus import BY, Corpus, MatchKind, hashes
from inspector.audit.events import Item, block, message_text, text_of
from inspector.audit.runs import Cut, Runs, cut
from inspector.audit.targets import Place
from inspector.i18n import _d
from inspector.ids import IdIndex
from inspector.records import ABSENT, Memory, Query, namespace_key, show_namespace
from inspector.text import token_line
from inspector.trit import Trit

LetThrough = Literal["admit", "unresolved"]
__all__ = ["Exposure", "ExposureReader", "LetThrough", "MatchKind", "assembled", "cites", "lets_through", "place_in"]

#: An id standing alone in a text is taken for a citation only where it cannot be a word: letters with digits or signs.
_DISTINCTIVE = re.compile(r"(?=.*[^\W\d_])(?=.*[\d_\-:/#.])\S{6,}")
_BEFORE_MARK = r"(?i:\[|<|\b(?:id|doc|document|memory|mem|source|ref|record)[\"']?\s*[:=#]\s*)[\"']?"
_PIECE = re.compile(r"[^\s\[\]<>\"'`(){},;|=]+")
_MARKED = re.compile(r"[\[<\"']([^\[\]<>\"'\n]{1,200})[\]>\"']")
#: Fewer words than this can stand in any prompt by chance [ours].
_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class Exposure:
    """Whether a memory was exposed, how that is known, and in words where it was found.

    ``position`` orders the exposed: the place in the recorded list, else in the prompt; :func:`place_in` gives the
    place in the prompt's own characters.
    """

    value: Trit
    kind: MatchKind
    detail: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the recorded list of exposed records."""

    id: str | None
    namespace: str | None
    digest: str | None
    line: str
    position: int
    shown: str

    def means(self, memory: Memory) -> bool:
        return self.id == memory.id and self.namespace in (None, memory.uid.namespace)


class ExposureReader:
    """Answers for one query; what its trace recorded is read once.

    With a ``corpus`` an id that several memories share is told apart by hash, text, or ``retrieved`` (the memories that
    the query's events returned); where nothing tells, exposure is ? for each. ``recorded=False`` leaves the trace
    aside: for a route that did not run when the trace was made.
    """

    def __init__(
        self, query: Query, corpus: Corpus | None = None, retrieved: Collection[int] = (), *, recorded: bool = True
    ) -> None:
        traced = block(query) if recorded else {}
        exposed = traced.get("exposed")
        listed = exposed if isinstance(exposed, list) else []
        self._prompt = text_of(traced, "prompt")
        self.recorded = isinstance(exposed, list) or self._prompt is not None
        self._entries = [_entry(one, place) for place, one in enumerate(listed) if isinstance(one, str | dict)]
        self._by_id: dict[str, list[_Entry]] = {}
        for entry in self._entries:
            if entry.id is not None:
                self._by_id.setdefault(entry.id, []).append(entry)
        self._digests = {entry.digest: entry for entry in self._entries if entry.digest is not None}
        self._lines = {entry.line: entry for entry in self._entries if len(entry.line) > 2}
        self._corpus = corpus
        self._meant: dict[int, tuple[int, ...]] = {}
        self.items: tuple[Item, ...] = ()
        if corpus is not None:
            self._read_against(corpus, listed, retrieved)
        self._complete = isinstance(exposed, list)
        self._shown = None if self._prompt is None else _Shown(self._prompt, query.text, traced, len(self._entries))

    def _read_against(self, corpus: Corpus, listed: list[Any], retrieved: Collection[int]) -> None:
        found = []
        for entry, one in zip(self._entries, [one for one in listed if isinstance(one, str | dict)], strict=True):
            item = {"id": one, "text": one} if isinstance(one, str) else one
            match = corpus.match(item, retrieved)
            self._meant[entry.position] = match.memories
            owner = show_namespace(item.get("namespace"))
            found.append(Item(entry.shown, owner, entry.position + 1, None, match.memories, match.kind))
        self.items = tuple(found)

    @property
    def unknown(self) -> tuple[Item, ...]:
        """Exposed records that the trace names and the store does not have."""
        return tuple(item for item in self.items if not item.memories)

    def named(self) -> set[int]:
        """The memories that the recorded list, or an id cited in the prompt, means. Needs a corpus."""
        found = {mi for item in self.items for mi in item.memories}
        if self._corpus is not None and self._prompt is not None:
            by_id = self._corpus.by_id
            found |= {mi for one in cited(self._prompt, by_id) for mi in by_id[one]}
        return found

    def of(self, memory: Memory, verdict: Trit, let_through: LetThrough = "admit", mi: int | None = None) -> Exposure:
        """Whether ``memory`` was exposed to this query, or would be under ``verdict`` where no trace says."""
        if not self.recorded:
            return assembled(verdict, let_through)
        for found in (self._by_list(memory, mi), self._by_prompt_id(memory), self._by_hash(memory)):
            if found is not None:
                return found
        return self._by_text(memory)

    def _by_list(self, memory: Memory, mi: int | None) -> Exposure | None:
        for entry in self._by_id.get(memory.id, ()):
            meant = self._meant.get(entry.position)
            if mi is not None and meant is not None:
                if mi not in meant:
                    continue
                if len(meant) > 1:
                    words = _d("the exposed id {shown} is that of {count} stored memories: which is not said").format(
                        shown=entry.shown, count=len(meant)
                    )
                    return Exposure(Trit.UNKNOWN, "exact", words, entry.position)
            elif not entry.means(memory):
                continue
            return Exposure(
                Trit.YES, "exact", _d("its id is among the exposed ids that the trace recorded"), entry.position
            )
        return None

    def _by_prompt_id(self, memory: Memory) -> Exposure | None:
        if self._prompt is None:
            return None
        place = cites(self._prompt, memory.id)
        if place is None:
            return None
        if self._corpus is not None and len(self._corpus.by_id.get(memory.id, ())) > 1:
            words = _d("its id stands in the prompt, and other stored memories have the same id")
            weak = self._by_text(memory)
            return weak if weak.value == Trit.YES else Exposure(Trit.UNKNOWN, "exact", words, self._after(place.start))
        return Exposure(Trit.YES, "exact", _d("its id stands in the recorded prompt"), self._after(place.start))

    def _by_hash(self, memory: Memory) -> Exposure | None:
        for digest in hashes(memory.text) if self._digests else ():
            entry = self._digests.get(digest)
            if entry is not None:
                words = _d("its content hash is among those that the trace recorded")
                return Exposure(Trit.YES, "strong", words, entry.position)
        return None

    def _by_text(self, memory: Memory) -> Exposure:
        entry = self._lines.get(token_line(memory.text)) if self._lines else None
        if entry is not None:
            words = _d("its text is among the exposed records that the trace recorded")
            return Exposure(Trit.YES, "weak", words, entry.position)
        if self._shown is not None:
            found = self._shown.find(memory)
            if found is not None and (found.value == Trit.YES or not self._complete):
                return found
        return Exposure(Trit.NO, "none", _d("neither id, content hash nor text is in what the trace recorded"))

    def explained(self, memory: Memory, others: Iterable[Memory]) -> bool:
        """Whether all that the prompt shares with a memory stands inside ``others``, which the prompt holds whole."""
        return self._shown is not None and self._shown.explained(memory, others)

    def _after(self, place: int) -> int:
        """Records of the list come before what only the prompt shows."""
        return len(self._entries) + place


class _Shown:
    """A recorded prompt, to look for texts in."""

    def __init__(self, prompt: str, question: str, traced: Mapping[str, Any], after: int) -> None:
        self._after = after
        pieces = cut(prompt)
        self.line = pieces.line
        self._runs = Runs(pieces.words)
        self._question = token_line(question)
        turns = traced.get("recent_turns")
        texts = [turns] if isinstance(turns, str) else turns if isinstance(turns, list) else []
        plain = [
            text if isinstance(text, str) else message_text(text) if isinstance(text, dict) else "" for text in texts
        ]
        self._turns = cut("\n".join(plain)).line

    def find(self, memory: Memory) -> Exposure | None:
        """Where the memory's text stands in the prompt: whole → 1; a good part of it → ?; else None."""
        own = cut(memory.text)
        line = own.line
        if not own.words:
            return None
        at = self.line.find(line)
        if at >= 0:
            if _count(self.line, line) <= _count(self._turns, line):
                return Exposure(Trit.NO, "none", _d("its text stands in the recent turns, not among the memories"))
            length = len(own.words)
            if line in self._question or length < _FEW_WORDS:
                why = (
                    _d("the question says it too")
                    if line in self._question
                    else _d("{length} words alone say little").format(length=length)
                )
                return Exposure(
                    Trit.UNKNOWN,
                    "weak",
                    _d("its text stands in the recorded prompt, but {why}").format(why=why),
                    self._after + at,
                )
            return Exposure(Trit.YES, "weak", _d("its text stands in the recorded prompt"), self._after + at)
        return self._part(own)

    def explained(self, memory: Memory, others: Iterable[Memory]) -> bool:
        """See :meth:`ExposureReader.explained`."""
        own = cut(memory.text)
        whole = {line: count for one in others if (count := _count(self.line, line := token_line(one.text)))}
        shared = [own.said(run) for run in self._runs.shared_with(own)]
        for line in [own.line, *shared] if own.line in self.line else shared:
            if line in self._question:
                continue
            inside = sum(count * _count(other, line) for other, count in whole.items())
            if _count(self.line, line) > max(inside, _count(self._turns, line)):
                return False
        return True

    def _part(self, own: Cut) -> Exposure | None:
        best = None
        for run in self._runs.shared_with(own):
            line = own.said(run)
            explained = line in self._question or _count(self.line, line) <= _count(self._turns, line)
            if not explained and (best is None or run.length > best.length):
                best = run
        if best is None or 2 * best.length < len(own.words):
            return None
        said = _d("{length} of its {count} words stand in a row in the recorded prompt: cut, or another's text").format(
            length=best.length, count=len(own.words)
        )
        return Exposure(Trit.UNKNOWN, "weak", said, self._after + best.first)


def place_in(prompt: str, text: str) -> Place | None:
    """Where a text stands in a prompt: the whole of it, else its longest shared run of at least five words."""
    shown, own = cut(prompt), cut(text)
    at = shown.line.find(own.line) if own.words else -1
    if at >= 0:
        first, length = shown.line[: at + 1].count(" ") - 1, len(own.words)
    else:
        best = max(Runs(shown.words).shared_with(own), key=lambda run: run.length, default=None)
        if best is None:
            return None
        first, length = best.first, best.length
    return Place(shown.tokens[first].start, shown.tokens[first + length - 1].end)


def _entry(one: str | Mapping[str, Any], position: int) -> _Entry:
    if isinstance(one, str):
        return _Entry(one, None, None, token_line(one), position, one)
    given = one.get("id")
    text = one.get("text")
    digest = one.get("content_hash")
    named = one.get("namespace", ABSENT) not in (ABSENT, None)
    return _Entry(
        id=given if isinstance(given, str) else None,
        namespace=namespace_key(one) if named else None,
        digest=digest.lower().rpartition(":")[2] if isinstance(digest, str) else None,
        line=token_line(text) if isinstance(text, str) else "",
        position=position,
        shown=given if isinstance(given, str) else _d("record {position}").format(position=position + 1),
    )


def _count(line: str, part: str) -> int:
    """How often the tokens of ``part`` stand in ``line``; neighbours share the space between them."""
    count = 0
    at = line.find(part) if len(part) > 2 else -1
    while at >= 0:
        count += 1
        at = line.find(part, at + 1)
    return count


def cites(text: str, memory_id: str) -> Place | None:
    """Where a text names a record by its id: in a mark such as ``[doc:ID]``, ``id: ID``, ``"ID"`` in brackets; or
    alone, where the id cannot be taken for a word."""
    if memory_id not in text:
        return None
    quoted = re.escape(memory_id)
    found = re.search(rf"{_BEFORE_MARK}({quoted})(?![\w\-])", text)
    if found is None and _DISTINCTIVE.fullmatch(memory_id):
        found = re.search(rf"(?<![\w\-/.:#])({quoted})(?![\w\-]|[/.:#]\w)", text)
    return None if found is None else Place(*found.span(1))


def cited(text: str, ids: IdIndex) -> Iterator[str]:
    """The ids of a store that a text names, found by what its pieces are and not by trying every id."""
    pieces = set(_PIECE.findall(text))
    pieces |= {piece.rstrip(".:!?") for piece in pieces}
    pieces |= {piece.partition(":")[2] for piece in pieces if ":" in piece}
    for marked in _MARKED.findall(text):
        pieces |= {marked, marked.partition(":")[2].strip()}
    yield from (one for one in sorted(ids.among(pieces)) if cites(text, one) is not None)


def lets_through(verdict: Trit, let_through: LetThrough) -> bool:
    """Whether a verdict goes into an assembled prompt."""
    return verdict == Trit.YES or (let_through == "unresolved" and verdict == Trit.UNKNOWN)


def assembled(verdict: Trit, let_through: LetThrough) -> Exposure:
    """Exposure where no trace recorded it: the verdicts that are let through go into the prompt."""
    rule = "admit" if let_through == "admit" else _d("admit and unresolved")
    words = _d("no prompt was recorded: assembled here from the verdicts, letting {rule} through").format(rule=rule)
    return Exposure(Trit.of(lets_through(verdict, let_through)), "assembled", words)


def how(exposure: Exposure) -> str:
    """The match kind with what it went by: ``exact, by id``."""
    return (
        _d("{kind}, by {BY}").format(kind=exposure.kind, BY=BY[exposure.kind]) if exposure.kind in BY else exposure.kind
    )
