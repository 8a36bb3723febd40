"""Redaction of what is shown: the store's own texts and ids become stable tokens wherever they stand (issue 9).

Made on the redaction of reports (:mod:`inspector.audit.redact`), so that a token on the screen and one in a report of
the same store have the same digits. A screen shows more than whole values: texts that are cut, wrapped or quoted in
part. What is left of a text is found by its runs of words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspector.audit.redact import Redactor, is_plain, strings
from inspector.inspection import Inspection
from inspector.records import Record
from inspector.views import Change

#: A word, or one sign of a script that writes none apart.
_UNIT = re.compile(r"[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff]|\w+")
_TOKEN = re.compile(r"⟨[^⟨⟩]*⟩")
#: So many words in a row of a store's text are taken for a part of it, whatever they stand in.
RUN = 4
#: Short ids that cannot be a word or a number of ours: a letter and a digit at least.
_MIXED = re.compile(r"(?=\w*\d)(?=\w*[^\W\d_])\w{1,3}")
_KEPT = 20_000
#: On the screen a token is shorter than in a report: of the word for what it stands for the first letter.
_LONG = re.compile(r"⟨(\w)\w* ([0-9a-f]{8})(?=[⟩,])")


class Veil:
    """Replaces what a text holds of a store. Learns records as they are, edits included, and again when they change."""

    def __init__(self, inspection: Inspection) -> None:
        self._inspection = inspection
        self._redactor = Redactor(inspection.memories, inspection.queries)
        self._known: set[str] = set()
        self._short: set[str] = set()
        self._runs: set[int] = set()
        for record in (*inspection.memories, *inspection.queries):
            self.learn(record)
        for judgment in inspection.judgments():
            self._learn(judgment.source, "judge")
        for group in inspection.settings.aliases:
            for name in group:
                self._learn(name, "owner")
        for shared in inspection.settings.shared_namespaces:
            for name in strings(shared):
                self._learn(name, "owner")
        self._learn(inspection.settings.policy, "policy")
        for source in inspection.workspace.sources:
            self._learn_path(source)
        self._learn(inspection.name, "store")
        self._pattern = self._shorts()
        self._shown = lru_cache(maxsize=_KEPT)(self._shortened)

    def _learn_path(self, path: Path) -> None:
        self._learn(str(path), "file")
        self._learn(str(path.absolute()), "file")
        self._learn(path.name, "file")

    def learn(self, record: Record) -> None:
        """Have every string of a record replaced from now on."""
        self._redactor.learn_record(record)
        self._learn(record.id, "")
        for text in self._strings(record):
            self._learn(text, "")

    @staticmethod
    def _strings(record: Record) -> Iterator[str]:
        for values in (record.fields, record.edits):
            for value in values.values():
                if isinstance(value, str | list | tuple | dict):
                    yield from strings(value)

    def _learn(self, text: str, kind: str) -> None:
        if kind:
            self._redactor.learn(text, kind)
        if not text or is_plain(text):
            return
        # A text stands on the screen as it is, and in JSON with escapes.
        escaped = json.dumps(text, ensure_ascii=False)[1:-1]
        for form in {text, text.strip(), escaped}:
            self._known.add(form)
            if form != text:
                self._redactor.learn(form, kind or "text")
        if _MIXED.fullmatch(text):
            self._short.add(text)
        units = _units(text)
        self._runs.update(hash(tuple(units[at : at + RUN])) for at in range(len(units) - RUN + 1))

    def _shorts(self) -> re.Pattern[str] | None:
        listed = "|".join(re.escape(each) for each in sorted(self._short, key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{listed})(?!\w)") if listed else None

    def changed(self, change: Change) -> None:
        """Learn what an edit has put in."""
        records: Iterable[Record] = (
            *(self._inspection.memories[mi] for mi in change.memories),
            *(self._inspection.queries[qi] for qi in change.queries),
        )
        for record in records:
            if record.is_edited or record.id not in self._known:
                self.learn(record)
        self._pattern = self._shorts()
        self._shown.cache_clear()

    def __call__(self, text: str) -> str:
        """The text with what it holds of the store replaced by tokens."""
        return self._shown(text)

    def _shortened(self, text: str) -> str:
        return _LONG.sub(r"⟨\1 \2", self._veil(text))

    def _veil(self, text: str) -> str:
        bare = text.strip()
        if len(bare) < 2 or not _UNIT.search(bare) or _TOKEN.fullmatch(bare):
            return text
        if bare in self._known and not bare.isdecimal():
            return text.replace(bare, self._redactor.token(bare, "text"))
        done = "".join(
            part if _TOKEN.fullmatch(part) else self._without_runs(part)
            for part in re.split(r"(⟨[^⟨⟩]*⟩)", self._redactor.sentence(text))
        )
        if self._pattern is None:
            return done
        return "".join(
            part if _TOKEN.fullmatch(part) else self._pattern.sub(lambda found: self._redactor.token(found[0]), part)
            for part in re.split(r"(⟨[^⟨⟩]*⟩)", done)
        )

    def _without_runs(self, text: str) -> str:
        found = list(_UNIT.finditer(text))
        units = [each[0].casefold() for each in found]
        held = [False] * len(units)
        for at in range(len(units) - RUN + 1):
            if hash(tuple(units[at : at + RUN])) in self._runs:
                held[at : at + RUN] = [True] * RUN
        if True not in held:
            return text
        made: list[str] = []
        kept = at = 0
        while at < len(units):
            if not held[at]:
                at += 1
                continue
            end = at
            while end + 1 < len(units) and held[end + 1]:
                end += 1
            part = text[found[at].start() : found[end].end()]
            made += [text[kept : found[at].start()], self._redactor.token(part, "text")]
            kept, at = found[end].end(), end + 1
        return "".join([*made, text[kept:]])


def _units(text: str) -> list[str]:
    return [each.casefold() for each in _UNIT.findall(text)]


def veil_of(inspection: Any) -> Veil:
    """The veil of an open store, kept up to date with its edits."""
    made = Veil(inspection)
    inspection.subscribe(made.changed)
    return made
