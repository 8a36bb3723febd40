"""What a file holds, told from the first 64 KiB of its content, never from its name (DESIGN 12)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspector.errors import InputError
from inspector.formats.base import clip, name_of, not_utf8
from inspector.formats.decode import BOM
from inspector.formats.rows import Container, check_not_empty
from inspector.formats.tables import parquet_columns, split_header
from inspector.i18n import N_, _

_HEAD = 1 << 16
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_MAGIC = {
    b"PK\x03\x04": N_("a zip file"),
    b"SQLite format 3\x00": N_("an SQLite database"),
    b"ARROW1": N_("an Arrow file"),
}
_PACKED = {
    b"\x1f\x8b": N_("a gzip file"),
    b"\x28\xb5\x2f\xfd": N_("a zstd file"),
    b"BZh": N_("a bzip2 file"),
    b"\xfd7zXZ": N_("an xz file"),
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
READABLE = N_(
    "JSON Lines, JSON, CSV or Parquet of records with id and text, a store that `inspector formats` lists, or "
    "--mapping FILE for other fields"
)
#: Keys of a JSON object that make it a document, not a record on a line.
DOCUMENT_KEYS = frozenset(("memories", "queries", "judgments", "scenarios", "conversation"))
_QUERY_KEYS = frozenset(("principal", "required", "recorded", "tool_call", "leak_targets", "claimed_session_id"))
_MEMORY_KEYS = frozenset(("namespace", "namespaces", "status", "created_at", "superseded_by", "governs", "memory_type"))

Kind = Literal["memories", "queries", "judgments", "rhelm", "rhelm-questions", "gatemem", "authority-packet", "unknown"]


@dataclass(frozen=True)
class Shape:
    """How a file is built, and the keys of its first record, or of the one object that a JSON document is."""

    container: Container
    keys: frozenset[str]

    @property
    def kind(self) -> Kind:
        """What the records are, by the keys that only they have."""
        keys = self.keys
        if "scenarios" in keys and self.container == "json":
            return "authority-packet"
        if self.container == "json" and {"character", "conversation"} <= keys:
            return "rhelm"
        if {"question", "supporting_evidence"} <= keys:
            return "rhelm-questions"
        if "episode_id" in keys and keys & {"turns", "entities", "as_of_turn_id"}:
            return "gatemem"
        if {"query_id", "memory_id", "axis"} <= keys:
            return "judgments"
        if {"id", "text"} <= keys and keys & _QUERY_KEYS and not keys & _MEMORY_KEYS:
            return "queries"
        if keys & {"id", "text", "memories"}:
            return "memories"
        return "unknown"


def sniff(path: Path) -> Shape:
    """The shape of a file. Raises InputError where it cannot be read, is empty, or is nothing that can be read."""
    name = name_of(path)
    check_not_empty(path, name)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return Shape("parquet", frozenset(parquet_columns(path, name)))
    for magic, what in _MAGIC.items():
        if head.startswith(magic):
            raise InputError.at(name, None, "", _("is {what}").format(what=_(what)), _(READABLE))
    for magic, what in _PACKED.items():
        if head.startswith(magic):
            raise InputError.at(name, None, "", _("is {what}").format(what=_(what)), _("the file that is packed in it"))
    if head.startswith(_UTF_16) or _is_bare_utf_16(head):
        raise InputError.at(name, None, "", _("is UTF-16 text"), _("the same text as UTF-8"))
    if b"\0" in head[:4]:  # one further on is for the reader to name, with its line
        raise InputError.at(name, None, "", _("holds NUL bytes: it is no text"), _(READABLE))
    text = _text(head, name)
    start = text.lstrip()
    if not start:
        if len(head) < _HEAD:
            raise InputError.at(name, None, "", _("the file is empty"), _("at least one record"))
        raise InputError.at(name, None, "", _("begins with 64 KiB of white space"), _(READABLE))
    if start[0] in "{[":
        return _json_shape(start, len(head) < _HEAD)
    first = start.splitlines()[0]
    columns, _rest1 = split_header(first)
    return Shape("csv", frozenset(columns))


def _is_bare_utf_16(head: bytes) -> bool:
    """Whether this is UTF-16 text without a mark of its order: every other byte of its first 16 characters is NUL."""
    first = head[:32]
    return len(first) > 3 and any(not any(first[at::2]) and all(first[1 - at :: 2]) for at in (0, 1))


def _text(head: bytes, name: str) -> str:
    try:
        return head.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(head) - 4 and len(head) == _HEAD:  # a character cut by the end of the head
            return head[: error.start].decode("utf-8-sig")
        if b"\n" in head[: error.start]:  # let the reader name it, or skip that line alone
            return head.removeprefix(BOM).decode("utf-8", "replace")
        data = head.removeprefix(BOM)
        raise not_utf8(name, 1, data[error.start], error.start + 1) from None


def _json_shape(text: str, whole: bool) -> Shape:
    keys, end = scan_keys(text)
    if text[0] == "[":
        return Shape("json", keys)
    newline = text.find("\n")
    if end is None or 0 <= newline < end:
        # The first object runs over a line's end: one document, unless the next line starts another object, which
        # makes this a broken first line of JSON Lines.
        if newline >= 0:
            return Shape("jsonl" if is_cut_line(text, newline) else "json", keys)
        return Shape("json" if _is_document(keys) else "jsonl", keys)
    alone = whole and not text[end:].strip()
    return Shape("json" if alone and _is_document(keys) else "jsonl", keys)


def is_cut_line(text: str, newline: int) -> bool:
    """Whether a first line whose object does not end on it is a broken line of JSON Lines, by what surrounds the line's
    end: the next line starts another object, and this one does not end where a document's line may."""
    return text[newline:].lstrip().startswith("{") and text[:newline].rstrip()[-1:] not in ("[", "{", ",")


def _is_document(keys: frozenset[str]) -> bool:
    """Whether one object on one line is a document: it has a list's key, and is not itself a record."""
    return bool(keys & DOCUMENT_KEYS) and not {"id", "text"} <= keys


def scan_keys(text: str) -> tuple[frozenset[str], int | None]:
    """The keys of the first object in the text, as far as the text goes, and where the outermost value ends if it does.

    Tolerates text that is cut or broken: it only looks for strings before a colon at the right depth.
    """
    base = 2 if text.startswith("[") else 1
    depth = 0
    keys: set[str] = set()
    open_first = True
    last = ""
    for found in _PIECE.finditer(text):
        piece = found[0]
        if piece in "{[":
            depth += 1
        elif piece in "}]":
            depth -= 1
            open_first = open_first and depth >= base
            if depth <= 0:
                return frozenset(keys), found.end()
        elif piece == ":" and depth == base and open_first and last.startswith('"'):
            try:
                keys.add(json.loads(last))
            except ValueError:
                keys.add(clip(last))
        last = piece
    return frozenset(keys), None
