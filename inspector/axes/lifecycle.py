"""Lifecycle: does the memory's state at ``as_of`` fit the intent (DESIGN 3). The rules for one pair, with reasons."""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.axes.boundary import marks_of, possible_marks
from inspector.axes.ground import Ground
from inspector.axes.states import BOUNDARY_STATE, LABEL_STATE, State, names, value_of
from inspector.axes.verdict import AxisResult
from inspector.i18n import D_, N_, _d
from inspector.records import FieldRead, Memory, Presence, Query
from inspector.times import Instant, at_or_before
from inspector.trit import Trit, k_not, k_or

#: Names of what decided: data, as those of policy rules are.
RULE = D_("lifecycle rule {rule}")
BOTH_CONTINUATIONS = D_("lifecycle, both continuations")

#: The fields that the lifecycle rules read, in the order of the rules: the precedence that was used.
FIELDS = (
    "deleted_at",
    "boundary_log",
    "boundary_state",
    "created_at",
    "valid_from",
    "superseded_by",
    "valid_to",
    "status",
    "status_at",
)
NOT_DELETION = N_("hiding at retrieval is not deletion: the record is still in the store")


@dataclass(frozen=True, slots=True)
class Successor:
    """What ``superseded_by`` leads to: the id, the memory if it is stored, and why it could not be settled."""

    id: str
    memory: Memory | None
    trouble: str = ""


@dataclass(slots=True)
class _Walk:
    """The walk through the six rules: the states found possible, and the words for each."""

    mask: int = 0
    reachable: bool = True
    rule: int = 0
    said: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def test(self, rule: int, value: Trit, state: int, words: str, missing: str = "") -> None:
        """Apply one test that leads to ``state`` where it holds; a ? leaves both continuations open."""
        if not self.reachable or value == Trit.NO:
            return
        self.mask |= state
        if value == Trit.YES:
            self.rule, self.reachable = rule, False
            self.said.append(words)
        else:
            self.doubts.append(words)
            if missing:
                self.missing.append(missing)


class Lifecycle:
    """The lifecycle axis under one setting: how unknown intents are read."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.unknown_intent = ground.settings.unknown_intent

    def explain(self, memory: Memory, query: Query, successor: Successor | None) -> tuple[AxisResult, int]:
        """Lifecycle of one pair with its reason, and the set of states that are possible at ``as_of``."""
        as_of, intent = self.ground.as_of(query), self.ground.intent(query)
        walk = self._walk(memory, successor, as_of)
        value = value_of(walk.mask, intent, self.unknown_intent)
        missing = list(dict.fromkeys(walk.missing)) if value == Trit.UNKNOWN else []
        settled = [value_of(walk.mask, known, self.unknown_intent) for known in ("current", "history")]
        if value == Trit.UNKNOWN and intent == "unknown" and any(given != Trit.UNKNOWN for given in settled):
            missing.append("query.intent")
        reads = self._reads(memory, query, successor)
        used = [read for read in reads if read.presence is Presence.VALUE or read.name == "intent"]
        assumed = any(read.origin == "assumption" for read in used) and self._rests(memory, query, successor, walk.mask)
        words = "; ".join(walk.doubts + walk.said)
        reason = _d("{words}: {names} for intent {intent}").format(words=words, names=names(walk.mask), intent=intent)
        if self.unknown_intent == "strict" and intent == "unknown" and walk.mask == State.CURRENT:
            reason += _d(" (strict: an unknown intent leaves current open)")
        rule = RULE.format(rule=walk.rule) if not walk.doubts else BOTH_CONTINUATIONS
        return AxisResult(value, rule, reason, tuple(used), tuple(missing), assumed), walk.mask

    def _rests(self, memory: Memory, query: Query, successor: Successor | None, mask: int) -> bool:
        """Whether state or intent would be others with nothing assumed."""
        plain = Lifecycle(self.ground.without_assumptions())
        if plain.ground.intent(query) != self.ground.intent(query):
            return True
        named = successor if memory.value("superseded_by") is not None else None
        return plain._walk(memory, named, plain.ground.as_of(query)).mask != mask

    def _reads(self, memory: Memory, query: Query, successor: Successor | None) -> list[FieldRead]:
        reads = [self.ground.read(memory, name) for name in FIELDS]
        if successor is not None and successor.memory is not None:
            for name in ("valid_from", "created_at"):
                read = self.ground.read(successor.memory, name)
                if read.presence is Presence.VALUE:
                    reads.append(FieldRead("memory", f"superseded_by.{name}", read.value, read.origin))
                    break
        settings = self.ground.settings
        if settings.exported_at is not None and self.ground.value(memory, "status_at") is None:
            reads.append(FieldRead("bundle", "exported_at", settings.exported_at.text, _d("exported_at of the store")))
        return [*reads, self.ground.as_of_read(query), self.ground.read(query, "intent")]

    def _walk(self, memory: Memory, successor: Successor | None, as_of: Instant | None) -> _Walk:
        walk = _Walk()
        shown = _d("no as_of") if as_of is None else _d("as_of {iso}").format(iso=as_of.iso())
        deleted = self.ground.instant(memory, "deleted_at")
        if deleted is not None:
            value = _by(deleted, as_of)
            walk.test(1, value, State.FORGOTTEN, _when("deleted_at", deleted, value, shown), _doubt(as_of))
        self._boundary(walk, memory, as_of, shown)
        created, start = self.ground.instant(memory, "created_at"), self.ground.instant(memory, "valid_from")
        later = [(n, t, k_not(_by(t, as_of))) for n, t in (("created_at", created), ("valid_from", start)) if t]
        future = k_or(value for _rest1, _rest2, value in later)
        named = [_after(n, t, value, shown) for n, t, value in later if value == future]
        walk.test(3, future, State.FUTURE, _d(" and ").join(named), _doubt(as_of))
        self._superseded(walk, successor, as_of, shown)
        end = self.ground.instant(memory, "valid_to")
        if end is not None:
            value = _by(end, as_of)
            walk.test(5, value, State.STALE, _when("valid_to", end, value, shown), _doubt(as_of))
        if walk.reachable:
            self._label(walk, memory, as_of, created, shown)
        return walk

    def _boundary(self, walk: _Walk, memory: Memory, as_of: Instant | None, shown: str) -> None:
        log = self.ground.value(memory, "boundary_log")
        if log is not None:
            last = possible_marks(marks_of(log, self.ground.timezone), as_of)
            bits = [0 if mark is None else mark.bit for mark in last]
            decided = all(bits)
            for bit in dict.fromkeys(bit for bit in bits if bit):
                mark = next(mark for mark in last if mark is not None and mark.bit == bit)
                certain = decided and len(set(bits)) == 1
                at = _d("without a time") if mark.at is None else _d("at {iso}").format(iso=mark.at.iso())
                words = _d("boundary_log: {word} {at}").format(word=mark.word, at=at) + (
                    "" if certain else _d(", in doubt for {shown}").format(shown=shown)
                )
                missing = "" if certain else "boundary_log.at" if mark.at is None else _doubt(as_of)
                walk.test(2, Trit.YES if certain else Trit.UNKNOWN, bit, words, missing)
            if decided and walk.reachable:
                walk.rule, walk.reachable = 2, False
            return
        word = self.ground.value(memory, "boundary_state")
        state = BOUNDARY_STATE.get(word) if isinstance(word, str) else None
        if state is None:
            return
        time = self._label_time(memory)
        if time is not None and _by(time, as_of) == Trit.YES:
            walk.test(2, Trit.YES, state, _d("boundary_state {word} since {iso}").format(word=word, iso=time.iso()))
        elif time is None:
            walk.test(2, Trit.UNKNOWN, state, _d("boundary_state {word} has no time").format(word=word), "status_at")
        else:
            words = _d("boundary_state {word} speaks for {iso}, not surely for {shown}").format(
                word=word, iso=time.iso(), shown=shown
            )
            walk.test(2, Trit.UNKNOWN, state, words, "boundary_log")

    def _superseded(self, walk: _Walk, successor: Successor | None, as_of: Instant | None, shown: str) -> None:
        if successor is None:
            return
        name = f"superseded_by '{successor.id}'"
        if successor.memory is None:
            walk.test(4, Trit.UNKNOWN, State.SUPERSEDED, f"{name} {successor.trouble}", "superseded_by")
            return
        since = self.ground.instant(successor.memory, "valid_from")
        since = since or self.ground.instant(successor.memory, "created_at")
        if since is None:
            words = _d("{name} has neither valid_from nor created_at").format(name=name)
            walk.test(4, Trit.UNKNOWN, State.SUPERSEDED, words, "superseded_by.valid_from")
            return
        value = _by(since, as_of)
        walk.test(
            4,
            value,
            State.SUPERSEDED,
            _when(_d("{name}, valid from").format(name=name), since, value, shown),
            _doubt(as_of),
        )

    def _label(self, walk: _Walk, memory: Memory, as_of: Instant | None, created: Instant | None, shown: str) -> None:
        """Rule 6. Always ends the walk; a label in doubt leaves its state and the one before it possible."""
        walk.reachable = False
        walk.rule = 6
        word = self.ground.value(memory, "status")
        state = LABEL_STATE.get(word, State.UNKNOWN) if isinstance(word, str) else State.UNKNOWN
        if state == State.UNKNOWN:
            walk.mask |= State.UNKNOWN
            walk.said.append(
                _d("no status label")
                if word is None
                else _d("status '{word}' is no label that we know").format(word=word)
            )
            walk.missing.append("status")
            return
        time = self._label_time(memory)
        if time is None:
            walk.mask |= state if state == State.CURRENT else State.UNKNOWN
            walk.said.append(
                (_d("status {word}") if state == State.CURRENT else _d("status {word} has no time")).format(word=word)
            )
            if state != State.CURRENT:
                walk.missing.append("status_at")
            return
        holds = _by(time, as_of)
        if holds != Trit.NO:
            walk.mask |= state
        if holds != Trit.YES:
            # Before its time a current label still holds of what was stored by then; another label says nothing.
            early = state == State.CURRENT and created is not None
            walk.mask |= State.CURRENT if early else State.UNKNOWN
            if not early:
                walk.missing.append("created_at" if state == State.CURRENT else "status_at")
        if holds == Trit.YES:
            words = _d("status {word} of {iso}").format(word=word, iso=time.iso())
        elif holds == Trit.NO:
            words = _d("status {word} speaks for {iso}, after {shown}").format(word=word, iso=time.iso(), shown=shown)
        else:
            words = _d("status {word} of {iso}, in doubt for {shown}").format(word=word, iso=time.iso(), shown=shown)
            walk.missing.append(_doubt(as_of))
        walk.said.append(words)

    def _label_time(self, memory: Memory) -> Instant | None:
        """The time that a label speaks for: ``status_at``, else the store's ``exported_at``."""
        own = self.ground.instant(memory, "status_at")
        return self.ground.settings.exported_at if own is None else own


def _by(time: Instant, as_of: Instant | None) -> Trit:
    return Trit.UNKNOWN if as_of is None else at_or_before(time, as_of)


def _doubt(as_of: Instant | None) -> str:
    """What would settle a comparison in doubt: the query's instant, or the time zone of a naive time."""
    return "query.as_of" if as_of is None else "timezone"


_DOUBTFUL = N_("{name} {iso} is in doubt against {shown}")


def _when(name: str, time: Instant, value: Trit, shown: str) -> str:
    words = _d("{name} {iso} is not after {shown}") if value == Trit.YES else _d(_DOUBTFUL)
    return words.format(name=name, iso=time.iso(), shown=shown)


def _after(name: str, time: Instant, value: Trit, shown: str) -> str:
    words = _d("{name} {iso} is after {shown}") if value == Trit.YES else _d(_DOUBTFUL)
    return words.format(name=name, iso=time.iso(), shown=shown)
