"""RHELM: months of conversations of one character, with questions whose evidence is known.

One memory a turn, one query a question; the character is the namespace on both sides. Times are naive. Evidence that
stands in an attachment is no memory: it leaves ``required`` and is counted in the notes, and everything the source
says of a question stays in ``meta``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import Format, Watch, at, clip, name_of
from inspector.formats.collect import Collector
from inspector.formats.decode import check_tree
from inspector.formats.rows import read_rows
from inspector.formats.sniff import sniff
from inspector.i18n import D_, _
from inspector.records import Origin

_UNEVALUABLE = D_("{count} of {total} questions name no turn as evidence and are not evaluable")
_MIXED = D_("{count} questions rest on turns and on attachments; only the turns are required")
_JOINED = D_("{count} evidence texts join several turns in one and are not read as turns")

FORMAT = Format(
    name="rhelm",
    summary="a folder with conversations/<character>/*.json and QA_final/*.jsonl, or one conversation file",
    recognised_by="JSON objects with character and conversation; questions with supporting_evidence",
    example='{"character": "Ana", "date": "2026-01-05", "conversation": [{"turn": 1, "timestamp": '
    '"2026-01-05T08:00:00", "message_type": "note", "user": "I moved to Porto.", "assistant": "Noted."}]}',
    loss="no policy and no lifecycle labels, no zone in its times; attachments and what a file says of its whole "
    "conversation (summary, statistics, file names) are not read",
    scope="the character of the conversation",
    lifecycle="the time of the turn, as created_at",
)
_TURN = re.compile(r"\d{4}-\d\d-\d\d:\d+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def find(path: Path) -> tuple[Path, ...]:
    """The files of RHELM data at a path, conversations first; none where it is something else."""
    if path.is_file():
        return (path,) if sniff(path).kind == "rhelm" else ()
    conversations = sorted((path / "conversations").glob("*/*.json"))
    if not conversations or sniff(conversations[0]).kind != "rhelm":
        return ()
    return (*conversations, *sorted((path / "QA_final").glob("*.jsonl")))


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read the files that :func:`find` gave."""
    characters: set[str] = set()
    for file in files:
        if file.suffix != ".jsonl":
            _conversation(file, collector, watch, characters)
    counts = _Counts()
    for file in files:
        if file.suffix == ".jsonl" and "queries" not in collector.replaced:
            _questions(file, collector, watch, characters, counts)
    collector.notes.extend(counts.notes())
    collector.mapped.update(
        {
            "character": "namespace, query.principal.id, query.principal.namespaces",
            "character/date:turn": "id",
            "user + assistant": "text",
            "timestamp": "created_at",
            "character/id": "query.id",
            "question": "query.text",
            "question_date 23:59:59": "query.as_of",
            "supporting_evidence (turns)": "query.required",
        }
    )


def _conversation(path: Path, collector: Collector, watch: Watch, characters: set[str]) -> None:
    name = name_of(path)
    said: dict[str, Any] = {}
    turns: list[tuple[Any, Origin, bool]] = []
    for raw in read_rows(path, name, "json", watch, collector.fault, frozenset((("conversation",),))):
        if raw.section == "conversation" and not raw.whole:
            turns.append((raw.value, raw.origin, raw.suspect))
        elif raw.section in ("character", "date", "conversation"):
            said[raw.section] = raw.value
    if "conversation" in said:
        raise InputError.at(name, None, "conversation", _("is not a list"), _("a list of turns"))
    for key in ("character", "date"):
        if not isinstance(said.get(key), str) or not said[key]:
            raise InputError.at(name, None, key, _("is missing"), "a text")
    character = said["character"]
    characters.add(character)
    for i, (turn, origin, suspect) in enumerate(turns):
        where = f"conversation[{i}]"
        try:
            if not isinstance(turn, dict):
                raise FieldError("", _("is not an object"), _("a turn with user and assistant"))
            if suspect:
                check_tree(turn)
            memory = _memory(turn, character, said["date"])
        except FieldError as error:
            path_in_line = ".".join(part for part in (where, error.field) if part)
            collector.fault(at(FieldError(path_in_line, error.wrong, error.expected), origin.file, origin.line))
            continue
        collector.memory(memory, origin, where=where)


def _memory(turn: dict[str, Any], character: str, date: str) -> dict[str, Any]:
    number = turn.get("turn")
    if isinstance(number, bool) or not isinstance(number, int):
        raise FieldError(
            "turn", _("{clip} is not a whole number").format(clip=clip(repr(number), 40)), _("the turn's number")
        )
    for key in ("user", "assistant"):
        if not isinstance(turn.get(key), str):
            raise FieldError(key, _("is missing") if key not in turn else _("is not a text"), "a text")
    made: dict[str, Any] = {
        "id": f"{character}/{date}:{number}",
        "text": f"{turn['user']}\n{turn['assistant']}",
        "namespace": character,
    }
    if "timestamp" in turn:
        made["created_at"] = turn["timestamp"]
    kept = {key: value for key, value in turn.items() if key not in ("turn", "user", "assistant", "timestamp")}
    if kept:
        made["meta"] = kept
    return made


class _Counts:
    """What the questions rest on."""

    def __init__(self) -> None:
        self.questions = self.mixed = self.unevaluable = self.joined = 0

    def count(self, evidence: list[str], turns: list[str]) -> None:
        self.questions += 1
        self.mixed += bool(turns) and len(turns) < len(evidence)
        self.unevaluable += not turns
        self.joined += sum(_is_joined(one) for one in evidence)

    def notes(self) -> list[str]:
        if not self.questions:
            return []
        notes = [
            _UNEVALUABLE.format(count=f"{self.unevaluable:,}", total=f"{self.questions:,}"),
            _MIXED.format(count=f"{self.mixed:,}"),
        ]
        if self.joined:
            notes.append(_JOINED.format(count=f"{self.joined:,}"))
        return notes


def _is_joined(evidence: str) -> bool:
    parts = evidence.split(",")
    return len(parts) > 1 and all(_TURN.fullmatch(part.strip()) for part in parts)


def _questions(path: Path, collector: Collector, watch: Watch, characters: set[str], counts: _Counts) -> None:
    name = name_of(path)
    named = [character for character in characters if character in path.stem]
    if not named:
        raise InputError.at(
            name, None, "", _("its name names no character of the conversations"), "qa_<character>.jsonl"
        )
    character = max(named, key=len)
    for raw in read_rows(path, name, "jsonl", watch, collector.fault):
        try:
            if not isinstance(raw.value, dict):
                raise FieldError("", _("is not an object"), "a question")
            if raw.suspect:
                check_tree(raw.value)
            query, evidence, turns = _query(raw.value, character)
        except FieldError as error:
            collector.fault(at(error, name, raw.origin.line))
            continue
        counts.count(evidence, turns)
        collector.query(query, raw.origin)


def _query(raw: dict[str, Any], character: str) -> tuple[dict[str, Any], list[str], list[str]]:
    for key in ("id", "question", "question_date"):
        if not isinstance(raw.get(key), str):
            raise FieldError(key, _("is missing") if key not in raw else _("is not a text"), "a text")
    if not _DAY.fullmatch(raw["question_date"]):
        raise FieldError(
            "question_date", _("{clip} is not a day").format(clip=clip(repr(raw["question_date"]), 40)), "YYYY-MM-DD"
        )
    evidence = raw.get("supporting_evidence")
    if not isinstance(evidence, list) or not all(isinstance(one, str) for one in evidence):
        raise FieldError("supporting_evidence", _("is not a list of texts"), _("a list of texts"))
    turns = [one for one in evidence if _TURN.fullmatch(one)]
    made = {
        "id": f"{character}/{raw['id']}",
        "text": raw["question"],
        "principal": {"id": character, "namespaces": [character]},
        "as_of": f"{raw['question_date']}T23:59:59",
        "required": [f"{character}/{one}" for one in turns],
        "meta": {key: value for key, value in raw.items() if key not in ("id", "question")},
    }
    return made, evidence, turns
