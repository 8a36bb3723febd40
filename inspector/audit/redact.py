"""Redaction of reports: texts and ids become stable tokens, verdicts and structure stay readable (DESIGN 8, issue 5).

Every string of a report that is not known to be one of our own words is replaced. A token is a word for what it stands
for and eight hex digits of a keyed digest: equal strings give equal tokens, in every report of the same store, and
nobody without the store can try out what a token stands for. Inside sentences (reasons, proofs, notes) the store's
strings are found and replaced, and whatever else stands in quotes too.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.audit.stages import STAGES
from inspector.records import (
    ABSENT,
    AXES,
    MEMORY_FIELDS,
    QUERY_FIELDS,
    Memory,
    Query,
    Record,
    presence_of,
)

#: Keys of a report whose strings are the store's or the trace's own texts: replaced whole, with their length said.
TEXTS = frozenset(("text", "answer", "prompt"))
#: Keys whose strings are our sentences, in which strings of the store stand.
SENTENCES = frozenset(
    ("words", "reason", "rule", "detail", "notes", "header", "unknown", "name", "path", "event", "origin", "assembled")
)
_KEPT_KEYS = """
report version format route stage stages axis step kind verdict match presence of by at score_kind decided_by
isolation unknown_intent let_through edited
"""
#: Keys whose strings are our own words or the user's options, and times; kept as they are.
KEPT = frozenset(_KEPT_KEYS.split())
_TIME = re.compile(r"-?\d{4}-\d\d-\d\d(?:[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)?|-?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"(?<!\w)'([^'\n]+)'(?!\w)|\"((?:[^\"\\\n]|\\.)+)\"")
_TOKEN = re.compile(r"⟨[^⟨⟩]*⟩")
_SHORT = re.compile(r"\d{1,3}|\w{1,2}")
_MARKS = ("'", '"')
_RUN = re.compile(r"\w+")


_OUR_WORDS = """
relevance none undecided admit exclude unresolved absent null empty value true false unknown similarity distance
retrieval rerank exact strong weak assembled memory query bundle edit assumption execute write read id namespaces roles
state at cause query_id allow deny strict join exposed events filter score score_kind retrieved dropped content_hash
prompt prompt_at answer answer_at recent_turns role content user assistant system name kind operations metadata
user_id task_id session run_id app_id org_id project_id tenant_id spans any_terms all_terms excluded_terms
action_types agent_id action_type target_resource recipient grant_id expires_at
decision
"""
#: Keys of a recorded event that hold our words or a tool's name.
_NOT_LEARNED = frozenset(("name", "score_kind", "kind", "role", "at", "operation"))


def _vocabulary() -> frozenset[str]:
    known: set[str] = {*MEMORY_FIELDS, *QUERY_FIELDS, *AXES, *STAGES}
    for spec in (*MEMORY_FIELDS.values(), *QUERY_FIELDS.values()):
        known.update(spec.choices)
    known.update(_OUR_WORDS.split())
    known.update(("the prompt", "the answer"))
    return frozenset(known)


#: Words that are ours or the field's: never tokens, but where a record bears one as its id.
VOCABULARY = _vocabulary()


def is_plain(text: str) -> bool:
    """Whether a string tells nothing of a store: a word of ours, a time or a number."""
    return text in VOCABULARY or _TIME.fullmatch(text) is not None


class Redactor:
    """Replaces the strings of one store. ``memories`` and ``queries`` make the key, whatever a report holds of them."""

    def __init__(self, memories: Iterable[Memory], queries: Iterable[Query]) -> None:
        digest = hashlib.sha256()
        self._kinds: dict[str, str] = {}
        for kind, records in (("memory", memories), ("query", queries)):
            for record in records:
                for part in (kind, record.id, str(record.fields.get("text"))):
                    digest.update(part.encode("utf-8", "surrogatepass"))
                    digest.update(b"\0")
                self._kinds.setdefault(record.id, kind)
        self._key = digest.digest()
        self._ids = frozenset(self._kinds)
        #: Strings to be replaced in sentences, by the run of word characters (or the one sign) that they begin with.
        self._index: dict[str, dict[str, None]] = {}
        for text in self._ids:
            self._file(text)

    def _file(self, text: str) -> None:
        self._index.setdefault(_head(text, 0), {})[text] = None

    def token(self, text: str, kind: str = "value") -> str:
        """The token that stands for a string."""
        named = self._kinds.get(text, kind)
        digest = hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"⟨{named} {digest[:8]}⟩"

    def learn(self, text: str, kind: str) -> None:
        """Have a string replaced wherever it stands in a sentence."""
        if text and (text in self._ids or (text not in VOCABULARY and _TIME.fullmatch(text) is None)):
            self._kinds.setdefault(text, kind)
            self._file(text)

    def learn_record(self, record: Record) -> None:
        """Have every string of a record replaced: its fields, the edits over them, and its file's name."""
        self.learn(record.id, "memory" if isinstance(record, Memory) else "query")
        self.learn(record.origin.file, "file")
        for values in (record.fields, record.edits):
            for name, value in values.items():
                if value is not ABSENT:
                    kind = _KIND_OF_FIELD.get(name, "word")
                    for text in strings(value):
                        self.learn(text, kind)

    def text(self, text: str) -> str:
        """The token of a whole text, its length said."""
        return f"{self.token(text, 'text')[:-1]}, {len(text):,} characters⟩"

    def value(self, value: Any) -> Any:
        """A value with every string replaced that is no word of ours, no time and no number, keys of objects too."""
        if isinstance(value, str):
            return value if value not in self._ids and self._is_plain(value) else self.token(value)
        if isinstance(value, list | tuple):
            return [self.value(one) for one in value]
        if isinstance(value, dict):
            return {self.value(str(key)): self.value(one) for key, one in value.items()}
        return value

    def _segment(self, written: str) -> str:
        name = written.rstrip()
        return self.token(name, "owner") + written[len(name) :]

    @staticmethod
    def _is_plain(value: str) -> bool:
        return _RUN.search(value) is None or value in VOCABULARY or _TIME.fullmatch(value) is not None

    def sentence(self, text: str) -> str:
        """A sentence of ours with the store's strings replaced, and what else stands in quotes."""
        done = "".join(self._pieces(text))
        # What is replaced already must not be looked at again: the quotes around a token stay.
        return _QUOTED.sub(self._quoted, done)

    def _quoted(self, found: re.Match[str]) -> str:
        inner = found[1] if found[1] is not None else found[2]
        mark = found[0][0]
        bare = _TOKEN.sub("", inner)
        if inner not in self._ids and (self._is_plain(inner) or not re.search(r"\w", bare)):
            return found[0]
        if _TOKEN.search(inner):
            parts = re.split(r"(⟨[^⟨⟩]*⟩)", inner)
            inner = "".join(
                part if _TOKEN.fullmatch(part) or not re.search(r"\w", part) else self.token(part) for part in parts
            )
            return f"{mark}{inner}{mark}"
        return f"{mark}{self.token(inner)}{mark}"

    def _pieces(self, text: str) -> Iterator[str]:
        """The sentence in pieces, each known string as its token, the longest that fits first."""
        at = kept = 0
        while at < len(text):
            head = _head(text, at)
            near = self._index.get(head)
            found = max((one for one in near if self._stands(one, text, at)), key=len, default="") if near else ""
            if found:
                yield text[kept:at]
                yield self.token(found)
                at = kept = at + len(found)
            else:
                at += len(head)
        yield text[kept:]

    def _stands(self, known: str, text: str, at: int) -> bool:
        """Whether a known string stands at a place as a whole. A short one must stand in quotes: a number, or a word
        of one or two letters, is part of many a sentence of ours."""
        end = at + len(known)
        if not text.startswith(known, at) or (_is_word(known[-1]) and _is_word(text[end : end + 1])):
            return False
        if _SHORT.fullmatch(known):
            return text[at - 1 : at] in _MARKS and text[end : end + 1] in _MARKS
        return True

    def report(self, node: Any, key: str = "") -> Any:
        """A whole report, or a part of it that stands under ``key``, redacted."""
        if isinstance(node, str):
            if key in TEXTS:
                return self.text(node)
            if key in SENTENCES:
                return self.sentence(node)
            if key in ("field", "missing"):
                return ".".join(self.value(part) for part in node.split("."))
            if key == "namespace":
                return re.sub(r"[^/+\s][^/+]*", lambda found: self._segment(found[0]), node)
            return node if key in KEPT else self.value(node)
        if isinstance(node, list | tuple):
            return [self.report(one, key) for one in node]
        if isinstance(node, Mapping):
            if key in ("value", "filter", "assumptions"):
                return self.value(dict(node))
            # the keys of every other object are ours
            return {name: self.report(one, name) for name, one in node.items()}
        return node


def _head(text: str, at: int) -> str:
    """The run of word characters that begins at a place, or the one sign that stands there."""
    found = _RUN.match(text, at)
    return found[0] if found is not None else text[at : at + 1]


def _is_word(char: str) -> bool:
    return _RUN.fullmatch(char) is not None


_KIND_OF_FIELD = {
    "text": "text",
    "namespace": "owner",
    "namespaces": "owner",
    "principal": "owner",
    "session_id": "session",
    "claimed_session_id": "session",
    "semantic_tag": "tag",
    "purpose": "purpose",
    "allowed_purposes": "purpose",
    "superseded_by": "memory",
    "required": "memory",
    "leak_targets": "text",
}


def strings(value: Any) -> Iterator[str]:
    """Every string in a value, keys of objects included, but for the names and kinds of a trace's events."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            if key not in _NOT_LEARNED:
                yield from strings(one)


def store_strings(record: Record) -> Iterator[str]:
    """The strings of a record that a redacted report must not hold: its id, and every value that is no word of ours."""
    yield record.id
    for name, value in record.effective().items():
        if name != "id":
            yield from (
                text
                for text in strings(value)
                if presence_of(text).value == "value" and text not in VOCABULARY and _TIME.fullmatch(text) is None
            )
