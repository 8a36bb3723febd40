"""The head of a Markdown file: YAML between two lines of ``---``, or bare ``key: value`` lines.

Only what memory folders write is read: ``key: value`` with plain or quoted values, lists in brackets or as ``- item``
lines, one level of keys indented under a key, and block scalars (``|``, ``>``). Anchors, tags, aliases and every other
part of YAML stay text: nothing in a stranger's file is built or looked up.
"""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"---[ \t\r]*\Z")
_KEY = re.compile(r"([A-Za-z_][\w .-]{0,60}?)\s*:(?:[ \t]+(.*))?\Z")
_HEADER = re.compile(r"([a-z_]{2,40}):[ \t]+(\S.*)\Z")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
#: Longer heads are text.
_LINES = 200


def split(text: str) -> tuple[dict[str, Any], str]:
    """The head's keys and the text below it; no keys and the whole text where there is no head."""
    lines = text.removeprefix("\ufeff").split("\n")
    if not lines or not _FENCE.match(lines[0]):
        return {}, text
    for end in range(1, min(len(lines), _LINES)):
        if _FENCE.match(lines[end]):
            return _keys(lines[1:end]), "\n".join(lines[end + 1 :]).strip("\n")
    return {}, text


def split_bare(text: str) -> tuple[dict[str, Any], str]:
    """The same for bare ``key: value`` lines that end at the first empty line; all of them must be of that form."""
    lines = text.split("\n")
    found: dict[str, Any] = {}
    for i, line in enumerate(lines[:_LINES]):
        if not line.strip():
            return (found, "\n".join(lines[i + 1 :]).strip("\n")) if found else ({}, text)
        match = _HEADER.match(line.rstrip("\r"))
        if match is None:
            break
        found[match[1]] = match[2].strip()
    return {}, text


def _keys(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    i = 0
    while i < len(lines):
        match = _KEY.match(lines[i].rstrip("\r"))
        i += 1
        if match is None:
            continue
        inner = i
        while i < len(lines) and (not lines[i].strip() or lines[i][:1] in " \t-"):
            i += 1
        found[match[1]] = _value((match[2] or "").strip(), lines[inner:i])
    return found


def _value(text: str, below: list[str]) -> Any:
    if text[:1] in ("|", ">"):
        parts = [line.strip() for line in below]
        return ("\n" if text[0] == "|" else " ").join(parts).strip()
    if text or not below:
        return _scalar(text)
    inner = [line.strip() for line in below if line.strip()]
    if all(line.startswith("- ") for line in inner):
        return [_scalar(line[2:].strip()) for line in inner]
    pairs = [_KEY.match(line) for line in inner]
    if pairs and all(pair is not None for pair in pairs):
        return {pair[1]: _scalar((pair[2] or "").strip()) for pair in pairs if pair is not None}
    return "\n".join(inner) or None


def _scalar(text: str) -> Any:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text[:1] == '"':
        try:
            return json.loads(text)
        except ValueError:
            return text
    if text[:1] == "[" and text[-1:] == "]":
        return [_scalar(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    text = re.sub(r"(?:\A|\s+)#.*\Z", "", text)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text
