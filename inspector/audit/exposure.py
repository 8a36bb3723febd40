"""Was a memory in the prompt? (DESIGN 8)

Where a trace recorded what was exposed, or the prompt itself, that is the answer; a record is matched by id, then by
content hash, then by text, and the match says which. Otherwise the prompt is assembled here from the verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.records import ABSENT, Memory, Query, namespace_key
from inspector.text import content_hash, words
from inspector.trit import Trit

LetThrough = Literal["admit", "unresolved"]
MatchKind = Literal["exact", "strong", "weak", "assembled", "none"]


@dataclass(frozen=True, slots=True)
class Exposure:
    """Whether a memory was exposed, how that is known, and in words where it was found."""

    value: Trit
    kind: MatchKind
    detail: str


class ExposureReader:
    """Answers for one query; what its trace recorded is read once."""

    def __init__(self, query: Query) -> None:
        recorded = query.value("recorded")
        record: Mapping[str, Any] = recorded if isinstance(recorded, dict) else {}
        exposed = record.get("exposed")
        prompt = record.get("prompt")
        self.recorded = isinstance(exposed, list) or isinstance(prompt, str)
        self._ids: set[str] = set()
        self._uids: set[tuple[str, str]] = set()
        self._hashes: set[str] = set()
        for entry in exposed if isinstance(exposed, list) else ():
            if isinstance(entry, str):
                self._ids.add(entry)
            elif isinstance(entry, dict):
                self._read_entry(entry)
        self._prompt = f" {' '.join(words(prompt))} " if isinstance(prompt, str) else ""

    def _read_entry(self, entry: Mapping[str, Any]) -> None:
        if isinstance(entry.get("id"), str):
            if entry.get("namespace", ABSENT) in (ABSENT, None):
                self._ids.add(entry["id"])
            else:
                self._uids.add((namespace_key(entry), entry["id"]))
        if isinstance(entry.get("content_hash"), str):
            self._hashes.add(entry["content_hash"])

    def of(self, memory: Memory, verdict: Trit, let_through: LetThrough = "admit") -> Exposure:
        """Whether ``memory`` was exposed to this query, or would be under ``verdict`` where no trace says."""
        if not self.recorded:
            return assembled(verdict, let_through)
        if memory.id in self._ids or tuple(memory.uid) in self._uids:
            return Exposure(Trit.YES, "exact", "its id is among the exposed ids that the trace recorded")
        if self._hashes and content_hash(memory.text) in self._hashes:
            return Exposure(Trit.YES, "strong", "its content hash is among those that the trace recorded")
        text = " ".join(words(memory.text))
        if self._prompt and text and f" {text} " in self._prompt:
            return Exposure(Trit.YES, "weak", "its text stands in the recorded prompt")
        return Exposure(Trit.NO, "none", "neither id, content hash nor text is in what the trace recorded")


def assembled(verdict: Trit, let_through: LetThrough) -> Exposure:
    """Exposure where no trace recorded it: the verdicts that are let through go into the prompt."""
    passes = verdict == Trit.YES or (let_through == "unresolved" and verdict == Trit.UNKNOWN)
    rule = "admit" if let_through == "admit" else "admit and unresolved"
    words_ = f"no prompt was recorded: assembled here from the verdicts, letting {rule} through"
    return Exposure(Trit.YES if passes else Trit.NO, "assembled", words_)
