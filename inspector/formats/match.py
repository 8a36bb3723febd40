"""How the fields of an unknown store's records are matched with ours (:mod:`inspector.formats.propose`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.formats.base import clip, path_text
from inspector.formats.draft import readable_time, vector
from inspector.i18n import _d
from inspector.records import BOUNDARY_STATES, STATUS_WORDS

#: ``chosen``: a person said so.
Confidence = Literal["sure", "likely", "guess", "chosen"]
_CONFIDENCE: dict[int, Confidence] = {3: "sure", 2: "likely", 1: "guess"}
#: A field is looked for no deeper than this inside a record.
_DEPTH = 4
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Times counted in these units lie between 1990 and 2100 when their number lies in this range.
_UNITS = (("s", 6e8, 4.2e9), ("ms", 6e11, 4.2e12), ("us", 6e14, 4.2e15), ("ns", 6e17, 4.2e18))


@dataclass(frozen=True)
class Proposal:
    """One match: the field, the source paths (several make a namespace of segments), how sure it is, and why.

    ``unit`` is that of a time given as a number, "" for seconds and texts; ``values`` translate status words;
    ``split`` is what stands between the items of a text that holds a list. Without paths every record gets
    ``constant``.
    """

    target: str
    paths: tuple[str, ...]
    confidence: Confidence
    why: str
    unit: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    split: str = ""
    constant: Any = None


@dataclass(frozen=True)
class _Column:
    """The values of one path over the sample."""

    path: tuple[str, ...]
    values: tuple[Any, ...]
    total: int

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word.lower() for word in _WORD.findall(self.path[-1]))

    def share(self, fits: Callable[[Any], bool]) -> float:
        """The share of the values that fit."""
        return sum(map(fits, self.values)) / len(self.values) if self.values else 0.0

    @property
    def distinct(self) -> int:
        return len({repr(value) for value in self.values})


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[_Column]:
    values: dict[tuple[str, ...], list[Any]] = {}

    def walk(node: Mapping[str, Any], path: tuple[str, ...]) -> None:
        for key, value in node.items():
            here = (*path, str(key))
            if isinstance(value, dict) and len(here) < _DEPTH:
                walk(value, here)
            elif value not in (None, "", [], {}):
                values.setdefault(here, []).append(value)

    for row in rows:
        walk(row, ())
    return [_Column(path, tuple(found), len(rows)) for path, found in values.items()]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_word(value: Any) -> bool:
    return (isinstance(value, str) and 0 < len(value) <= 200 and "\n" not in value) or (
        isinstance(value, int) and not isinstance(value, bool)
    )


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) >= 3


def _is_time(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return any(low <= value <= high for _, low, high in _UNITS)
    return isinstance(value, str) and len(value) >= 8 and readable_time(value) is not None


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_vector(value: Any) -> bool:
    made = vector(value)
    return made is not None and len(made) >= 4


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 40


@dataclass(frozen=True)
class _Rule:
    """How a field is recognised: names that mean it, words that hint at it, and the shape of its values."""

    target: str
    names: frozenset[str]
    hints: frozenset[str]
    fits: Callable[[Any], bool]
    by_shape: Callable[[_Column], bool] = lambda _: False


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RULES: tuple[_Rule, ...] = (
    _Rule(
        "embedding",
        _names("embedding vector embeddings vec dense_vector emb"),
        _names("embedding vector"),
        _is_vector,
        lambda column: column.share(_is_vector) == 1.0,
    ),
    _Rule(
        "text",
        _names("text content memory fact body document page_content data message note value statement summary"),
        _names("text content"),
        _is_text,
        lambda column: column.share(_is_sentence) >= 0.6 and column.distinct > 1,
    ),
    _Rule(
        "id",
        _names("id uuid key memory_id _id doc_id document_id point_id record_id node_id fact_id uid pk"),
        _names("id uuid key"),
        _is_word,
        lambda column: len(column.values) == column.total == column.distinct and column.share(_is_word) == 1.0,
    ),
    _Rule(
        "namespace",
        _names("namespace user_id user owner owner_id username account account_id group_id customer_id person_id"),
        _names("user owner namespace customer account"),
        lambda value: _is_word(value) or _is_words(value),
    ),
    _Rule(
        "session_id",
        _names("session_id session thread_id conversation_id chat_id run_id"),
        _names("session thread conversation"),
        _is_word,
    ),
    _Rule(
        "created_at",
        _names("created_at created timestamp created_on creation_date date inserted_at time ts stored_at"),
        _names("created inserted stored"),
        _is_time,
        lambda column: column.share(_is_time) == 1.0 and not column.share(lambda one: isinstance(one, int)),
    ),
    _Rule(
        "updated_at",
        _names("updated_at updated modified modified_at last_updated"),
        _names("updated modified"),
        _is_time,
    ),
    _Rule("valid_from", _names("valid_from valid_at starts_at effective_from"), _names("starts effective"), _is_time),
    _Rule(
        "valid_to",
        _names("valid_to valid_until expires_at expires expiry invalid_at ends_at expiration_date ttl_at"),
        _names("expires expiry expiration until"),
        _is_time,
    ),
    _Rule("deleted_at", _names("deleted_at delete_time removed_at erased_at"), _names("deleted"), _is_time),
    _Rule("status", _names("status state lifecycle"), _names("status state"), _is_label),
    _Rule(
        "superseded_by",
        _names("superseded_by replaced_by successor successor_id"),
        _names("superseded replaced"),
        _is_word,
    ),
    _Rule(
        "semantic_tag",
        _names("semantic_tag topic tag category task_id task project project_id"),
        _names("topic category task project"),
        _is_word,
    ),
    _Rule(
        "allowed_purposes",
        _names("allowed_purposes purposes purpose allowed_uses"),
        _names("purpose purposes"),
        lambda value: _is_words(value) or _is_label(value),
    ),
    _Rule("sensitivity", _names("sensitivity classification confidentiality"), _names("sensitivity"), _is_label),
)
_TENANTS = _names("tenant_id tenant org_id organization_id org workspace_id company_id")


def propose(rows: Sequence[Mapping[str, Any]]) -> tuple[Proposal, ...]:
    """Matches for the fields of sample records, in the order of our fields. Each path and each field is used once.

    The required ``id`` and ``text`` come first; where one of them is not proposed, no value looked like it.
    """
    columns = _columns(rows)
    scored = []
    for order, rule in enumerate(_RULES):
        for column in columns:
            rank, why = _rank(rule, column)
            if rank:
                scored.append((-rank, -len(column.values), len(column.path), order, column, rule, why))
    scored.sort(key=lambda one: (one[0], one[3], one[1], one[2], one[4].path))
    taken: set[tuple[str, ...]] = set()
    made: dict[str, Proposal] = {}
    for rank, _, _, _, column, rule, why in scored:
        if rule.target in made or column.path in taken:
            continue
        taken.add(column.path)
        made[rule.target] = _proposal(rule.target, column, _CONFIDENCE[-rank], why)
    if "namespace" in made:
        _with_tenant(made, columns, taken)
    first = {"id": 0, "text": 1, "namespace": 2}
    return tuple(sorted(made.values(), key=lambda one: first.get(one.target, 3)))


def _rank(rule: _Rule, column: _Column) -> tuple[int, str]:
    """3 sure, 2 likely, 1 guess, 0 no match; and why."""
    name = "_".join(column.words) or column.path[-1].lower()
    share = column.share(rule.fits)
    held = _d("{count} of {total} records have it").format(count=len(column.values), total=column.total)
    if name in rule.names or column.path[-1].lower() in rule.names:
        if share == 1.0:
            return 3, _d("named {name}, and every value fits; {held}").format(name=column.path[-1], held=held)
        said = _d("named {name}, and {share:.0%} of the values fit; {held}")
        return (2, said.format(name=column.path[-1], share=share, held=held)) if share >= 0.5 else (0, "")
    hints = set(column.words) & rule.hints
    if hints and share == 1.0:
        return 2, _d("the name holds {hint!r}, and every value fits; {held}").format(hint=min(hints), held=held)
    if rule.by_shape(column):
        return 1, _d("by its values alone; {held}").format(held=held)
    return 0, ""


def _proposal(target: str, column: _Column, confidence: Confidence, why: str) -> Proposal:
    unit, values = "", {}
    numbers = [value for value in column.values if isinstance(value, int | float) and not isinstance(value, bool)]
    if target.endswith(("_at", "_from", "_to")) and numbers:
        fits = {unit for unit, low, high in _UNITS for value in numbers if low <= value <= high}
        unit = fits.pop() if len(fits) == 1 else ""
        if len(fits) > 1:
            confidence, why = "guess", _d("{why}; numbers of different sizes: the unit is open").format(why=why)
        unit = "" if unit == "s" else unit
    if target == "status":
        values = _status(column)
        unknown = sorted(
            {value for value in map(str, column.values) if value not in STATUS_WORDS and value not in values}
        )
        if unknown:
            why = _d("{why}; no label that we know: {words}").format(why=why, words=clip(", ".join(unknown), 80))
    return Proposal(target, (path_text(column.path),), confidence, why, unit, values)


def _status(column: _Column) -> dict[str, str]:
    """Words of a store for the status labels, where only case or a known variant stands between them."""
    known = {**{word: word for word in (*STATUS_WORDS, *BOUNDARY_STATES[:3])}, **_VARIANTS}
    words = {value for value in column.values if isinstance(value, str) and value not in STATUS_WORDS}
    return {word: known[word.lower()] for word in sorted(words) if word.lower() in known}


_VARIANTS = {
    "activated": "active",
    "live": "active",
    "valid": "current",
    "outdated": "stale",
    "obsolete": "superseded",
    "invalid": "invalidated",
    "removed": "deleted",
}


def _with_tenant(made: dict[str, Proposal], columns: Sequence[_Column], taken: set[tuple[str, ...]]) -> None:
    """Make the namespace a list of tenant and owner where the records name both."""
    for column in columns:
        name = "_".join(column.words)
        written = path_text(column.path) + made["namespace"].paths[0]
        is_free = column.path not in taken and not set("{}") & set(written)  # braces open a template's hole
        if name in _TENANTS and is_free and column.share(_is_word) == 1.0:
            owner = made["namespace"]
            paths = (path_text(column.path), *owner.paths)
            why = _d("{why}; under the tenant that {name} names").format(why=owner.why, name=column.path[-1])
            confidence: Confidence = "likely" if owner.confidence == "sure" else owner.confidence
            made["namespace"] = Proposal("namespace", paths, confidence, why)
            return
