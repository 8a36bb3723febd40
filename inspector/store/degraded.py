"""Recall where no semantic tag can be had: a window, a keyword filter, a sample for review (DESIGN 9) [all ours].

Without tags session × tag can tell nothing apart. What is left is poorer and says so: the session's last 20 memories,
of these the ones that share a keyword with the question, and a seeded tenth of them marked for a person's review.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.i18n import _d
from inspector.records import Memory, Query, Settings
from inspector.text import counted, fold, has_cjk, lexical_tokens
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit

WINDOW = 20
#: The paths of degraded recall, as each hit names them.
BY_WINDOW, BY_KEYWORD, FOR_REVIEW = "degraded: window", "degraded: keyword", "degraded: review"
_ACRONYM = re.compile(r"\b[A-Z]{2,}\b")
REVIEW_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Degraded:
    """What degraded mode finds for one query. All are indices of memories.

    ``window`` holds the session's last memories, the latest first; ``kept`` those of them that share a keyword, in the
    same order; ``review`` the sample of ``kept`` that a person should look at. ``shared`` gives the keywords that each
    kept memory shares. ``why`` is what the header says after "degraded: ".
    """

    why: str
    window: tuple[int, ...]
    kept: tuple[int, ...]
    review: frozenset[int]
    shared: dict[int, tuple[str, ...]]
    notes: tuple[str, ...]

    def renumbered(self, indices: Sequence[int]) -> Degraded:
        """The same with other indices: ``indices[i]`` in place of ``i``."""
        return Degraded(
            self.why,
            tuple(indices[i] for i in self.window),
            tuple(indices[i] for i in self.kept),
            frozenset(indices[i] for i in self.review),
            {indices[i]: words for i, words in self.shared.items()},
            self.notes,
        )

    @property
    def found(self) -> dict[int, str]:
        """What recall gives: each memory with the name of the path that brought it, the latest first.

        Those that share a keyword, the sample of them for review; where none shares one, the window as it is.
        """
        if not self.kept:
            return dict.fromkeys(self.window, BY_WINDOW)
        return {i: FOR_REVIEW if i in self.review else BY_KEYWORD for i in self.kept}


def why_degraded(*, session: bool, tag: bool, tagged: bool) -> str:
    """Why session × tag cannot be had for a query; "" where it can.

    ``session`` and ``tag`` say whether the query has them, ``tagged`` whether any memory of its session has a tag, or
    the session none at all.
    """
    if not session:
        return _d("the query has no authenticated session")
    if not tag:
        return _d("the query has no semantic tag")
    return "" if tagged else _d("no memory of the session has a semantic tag")


def degraded(
    query: Query,
    memories: Sequence[Memory],
    settings: Settings,
    *,
    as_of: Instant | None = None,
    window: int = WINDOW,
    seed: int = 0,
    why: str | None = None,
) -> Degraded | None:
    """Degraded recall for the query, or None where its session has tags. ``as_of`` None: the query's own instant.

    ``why`` is worked out where it is None. Where it is given the memories are taken for those of the query's session.

    The result does not depend on the order of the memories. Without an authenticated session nothing is found: a
    claimed session opens no window.
    """
    session = query.value("session_id")
    if why is not None:
        own = list(range(len(memories)))
    else:
        own = [i for i, memory in enumerate(memories) if session is not None and memory.value("session_id") == session]
        tagged = not own or any(memories[i].value("semantic_tag") is not None for i in own)
        why = why_degraded(session=session is not None, tag=query.value("semantic_tag") is not None, tagged=tagged)
    if not why:
        return None
    notes: list[str] = []
    if as_of is None:
        stated = query.value("as_of")
        as_of = settings.default_as_of if stated is None else parse_time(stated, "as_of", settings.timezone)
    last = _window(own, memories, as_of, settings, window, notes)
    shared = _shared(query, memories, last)
    kept = tuple(i for i in last if i in shared)
    if last and not kept:
        notes.append(_d("no memory of the window shares a keyword with the question"))
    return Degraded(why, tuple(last), kept, _sample(query, memories, kept, seed), shared, tuple(notes))


def _window(
    own: Sequence[int],
    memories: Sequence[Memory],
    as_of: Instant | None,
    settings: Settings,
    size: int,
    notes: list[str],
) -> list[int]:
    dated: list[tuple[int, int]] = []
    undated: list[int] = []
    for i in own:
        created = memories[i].value("created_at")
        if created is None:
            undated.append(i)
            continue
        time = parse_time(created, "created_at", settings.timezone)
        if as_of is None or at_or_before(time, as_of) != Trit.NO:
            dated.append((time.us, i))
    dated.sort(key=lambda one: (-one[0], memories[one[1]].uid))
    undated.sort(key=lambda i: memories[i].uid)
    if undated:
        notes.append(
            _d("{memories} of the session without created_at, put last").format(
                memories=counted(len(undated), "memory", "memories")
            )
        )
    return [*(i for _, i in dated), *undated][:size]


def _shared(query: Query, memories: Sequence[Memory], window: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The question's keywords in each memory. What more than half of the window has tells nothing apart."""
    tokens = {i: set(lexical_tokens(memories[i].text)) for i in window}
    counts = Counter(token for found in tokens.values() for token in found)
    few = len(window) < 3
    short = {fold(word) for word in _ACRONYM.findall(query.text)}
    asked = {
        token
        for token in lexical_tokens(query.text)
        if (token in short or _can_be_keyword(token)) and (few or 2 * counts[token] <= len(window))
    }
    return {i: tuple(sorted(found & asked)) for i, found in tokens.items() if found & asked}


def _can_be_keyword(token: str) -> bool:
    """Short words of alphabetic scripts join sentences and say little, but for names in capitals; numbers say much."""
    return len(token) > 3 or has_cjk(token) or token.isdigit()


def _sample(query: Query, memories: Sequence[Memory], kept: Sequence[int], seed: int) -> frozenset[int]:
    """A tenth, rounded up, drawn by a hash of seed, query and uid: the same whatever the order."""

    def draw(i: int) -> bytes:
        text = "\0".join((str(seed), query.id, *memories[i].uid))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    count = -(-len(kept) // round(1 / REVIEW_SHARE))
    return frozenset(sorted(kept, key=draw)[:count])
