"""GateMem: several principals share one memory; who may know what, and what was to be deleted.

One memory a turn, one query a checkpoint; the episode is the namespace on both sides. The order of the turns is the
time order: ``created_at`` is the latest timestamp so far plus the turn's position in microseconds, so that turns
without a timestamp, or with an equal one, keep their order. The source's own timestamp stays in ``meta``, and a turn
without one says so in ``loss``. ``as_of`` is the ``created_at`` of the checkpoint's ``as_of_turn_id``: what was said
later is not stored then.

The data states no intent: it stays absent, which the lifecycle axis reads as unknown. ``query_type`` is the purpose.

Judgments (source "gatemem leak_targets"): a turn of the episode whose text holds a leak target, as whole tokens of the
folded text, has policy 0 for a privacy checkpoint and lifecycle 0 for a safety checkpoint. Targets that are written as
patterns are taken literally.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError, InspectorError
from inspector.formats.base import Format, Watch, at, clip, name_of
from inspector.formats.collect import Collector
from inspector.formats.decode import check_tree
from inspector.formats.rows import read_rows
from inspector.formats.sniff import sniff
from inspector.i18n import D_, _
from inspector.records import Origin
from inspector.text import contains_tokens, token_line
from inspector.times import EXPECTED

_PATTERNS = D_("{count} leak targets are written as patterns and are looked for literally")

FORMAT = Format(
    name="gatemem",
    summary="a domain folder with episodes.jsonl and checkpoints.jsonl, or a folder of such domains",
    recognised_by="JSON Lines with episode_id and turns; checkpoints with as_of_turn_id",
    example='{"episode_id": "e1", "domain": "office", "turns": [{"turn_id": "t1", "timestamp": "2026-01-05T08:00", '
    '"speaker": {"principal_id": "ana", "role": "manager"}, "text": "The budget is 9,000."}]}',
    loss="no intent, no status, and no policy or lifecycle label but for turns that hold a leak target; the entities "
    "of an episode (principals, relationships) are not read",
    scope="the episode",
    policy="judgments: 0 for turns that hold a leak target of a privacy checkpoint",
    lifecycle="the order of the turns, as created_at; judgments: 0 for leak targets of a safety checkpoint",
)
SOURCE_OF_LABELS = "gatemem leak_targets"
_NO_TIMESTAMP = D_("timestamp: the turn has none; created_at is its place in the order of turns")
#: Where an episode begins with turns that have no timestamp, they are counted from here: before any other time.
_BEFORE_ALL = datetime(1970, 1, 1)
_AXIS = {"privacy": "policy", "safety": "lifecycle"}


def find(path: Path) -> tuple[Path, ...]:
    """The files of GateMem data at a path, episodes before checkpoints; none where it is something else."""
    if path.is_file():
        return (path,) if _is_gatemem(path) else ()
    files: list[Path] = []
    for folder in (path, *sorted(one for one in path.iterdir() if one.is_dir())):
        episodes, checkpoints = folder / "episodes.jsonl", folder / "checkpoints.jsonl"
        if episodes.is_file() and _is_gatemem(episodes):
            files.append(episodes)
            files.extend([checkpoints] if checkpoints.is_file() else [])
    return tuple(files)


def _is_gatemem(path: Path) -> bool:
    try:
        return sniff(path).kind == "gatemem"
    except InspectorError:
        return False


@dataclass
class _Episode:
    """The turns of an episode: ``created_at`` of each by its id, and each id with its text (not a copy of it)."""

    created_at: dict[str, str] = field(default_factory=dict)
    texts: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] | None = None

    def holding(self, targets: list[str]) -> list[str]:
        """Ids of the memories whose text holds one of the targets."""
        if self.lines is None:
            self.lines = [token_line(text) for _, text in self.texts]
        return [
            memory_id
            for (memory_id, _), line in zip(self.texts, self.lines, strict=True)
            if any(contains_tokens(line, target) for target in targets)
        ]


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read the files that :func:`find` gave."""
    episodes: dict[str, _Episode] = {}
    checkpoints: list[Path] = []
    for file in files:
        if "as_of_turn_id" in sniff(file).keys:
            checkpoints.append(file)
            continue
        for raw in read_rows(file, name_of(file), "jsonl", watch, collector.fault):
            try:
                _check_episode(raw.value, raw.suspect)
            except FieldError as error:
                collector.fault(at(error, name_of(file), raw.origin.line))
                continue
            _episode(raw.value, raw.origin, collector, episodes)
    if checkpoints and not episodes:
        raise InputError.at(
            name_of(checkpoints[0]), None, "", _("checkpoints without episodes"), _("the domain's folder")
        )
    patterns = 0
    for file in checkpoints:
        if "queries" not in collector.replaced:
            patterns += _checkpoints(file, collector, watch, episodes)
    if patterns:
        collector.notes.append(_PATTERNS.format(count=f"{patterns:,}"))
    collector.mapped.update(
        {
            "episode_id": "namespace, query.principal.namespaces",
            "episode_id/turn_id": "id",
            "turns.text": "text",
            "turns.timestamp": D_("created_at (with the order of turns)"),
            "checkpoint_id": "query.id",
            "query_text": "query.text",
            "query_type": "query.purpose",
            "asker.principal_id": "query.principal.id",
            "asker.role": "query.principal.roles",
            "as_of_turn_id": "query.as_of",
            "expected_action": "query.expected_action",
            "leak_targets": "query.leak_targets, judgments",
        }
    )


def _check_episode(raw: Any, suspect: bool) -> None:
    if not isinstance(raw, dict):
        raise FieldError("", _("is not an object"), _("an episode with episode_id and turns"))
    if suspect:
        check_tree(raw)
    if not isinstance(raw.get("episode_id"), str) or not raw["episode_id"]:
        raise FieldError("episode_id", _("is missing") if "episode_id" not in raw else _("is not a text"), "a text")
    if not isinstance(raw.get("turns"), list):
        raise FieldError("turns", _("is missing") if "turns" not in raw else _("is not a list"), _("a list of turns"))


def _episode(raw: dict[str, Any], origin: Origin, collector: Collector, episodes: dict[str, _Episode]) -> None:
    namespace = raw["episode_id"]
    episode = episodes.setdefault(namespace, _Episode())
    latest = _BEFORE_ALL
    for i, turn in enumerate(raw["turns"]):
        where = f"turns[{i}]"
        try:
            if not isinstance(turn, dict):
                raise FieldError("", _("is not an object"), _("a turn with turn_id and text"))
            for key in ("turn_id", "text"):
                if not isinstance(turn.get(key), str):
                    raise FieldError(key, _("is missing") if key not in turn else _("is not a text"), "a text")
            stamp = turn.get("timestamp")
            if stamp is not None:
                latest = max(latest, _moment(stamp))
        except FieldError as error:
            path = ".".join(part for part in (where, error.field) if part)
            collector.fault(at(FieldError(path, error.wrong, error.expected), origin.file, origin.line))
            continue
        created_at = (latest + timedelta(microseconds=i)).isoformat()
        memory_id = f"{namespace}/{turn['turn_id']}"
        memory = {"id": memory_id, "text": turn["text"], "namespace": namespace, "created_at": created_at}
        if stamp is None:
            memory["loss"] = [_NO_TIMESTAMP]
        meta = {key: value for key, value in turn.items() if key not in ("turn_id", "text")}
        if meta:
            memory["meta"] = meta
        collector.memory(memory, origin, where=where)
        if turn["turn_id"] not in episode.created_at:
            episode.created_at[turn["turn_id"]] = created_at
            episode.texts.append((memory_id, turn["text"]))


def _moment(stamp: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(stamp)
        if moment.tzinfo is None:
            return moment
    except (TypeError, ValueError):
        pass
    raise FieldError("timestamp", _("{clip} is not a time without a zone").format(clip=clip(repr(stamp), 60)), EXPECTED)


def _checkpoints(path: Path, collector: Collector, watch: Watch, episodes: dict[str, _Episode]) -> int:
    """Read one file of checkpoints; returns how many leak targets are written as patterns."""
    patterns = 0
    for raw in read_rows(path, name_of(path), "jsonl", watch, collector.fault):
        try:
            _check_checkpoint(raw.value, raw.suspect, episodes)
        except FieldError as error:
            collector.fault(at(error, name_of(path), raw.origin.line))
            continue
        checkpoint = raw.value
        namespace = checkpoint["episode_id"]
        episode = episodes[namespace]
        collector.query(_query(checkpoint, episode), raw.origin)
        targets = checkpoint.get("leak_targets") or []
        patterns += sum("(?:" in target for target in targets)
        axis = _AXIS.get(checkpoint["query_type"])
        if axis is None or not targets:
            continue
        for memory_id in episode.holding(targets):
            label = {"query_id": checkpoint["checkpoint_id"], "memory_id": memory_id, "namespace": namespace}
            collector.judgment({**label, "axis": axis, "value": False, "source": SOURCE_OF_LABELS}, raw.origin)
    return patterns


def _check_checkpoint(raw: Any, suspect: bool, episodes: dict[str, _Episode]) -> None:
    if not isinstance(raw, dict):
        raise FieldError("", _("is not an object"), "a checkpoint")
    if suspect:
        check_tree(raw)
    for key in ("checkpoint_id", "episode_id", "as_of_turn_id", "query_type", "query_text"):
        if not isinstance(raw.get(key), str):
            raise FieldError(key, _("is missing") if key not in raw else _("is not a text"), "a text")
    if raw["episode_id"] not in episodes:
        raise FieldError(
            "episode_id",
            _("{clip} is no episode here").format(clip=clip(repr(raw["episode_id"]))),
            _("an episode's id"),
        )
    if raw["as_of_turn_id"] not in episodes[raw["episode_id"]].created_at:
        wrong = _("{clip} is no turn of the episode").format(clip=clip(repr(raw["as_of_turn_id"])))
        raise FieldError("as_of_turn_id", wrong, "a turn's id")
    asker = raw.get("asker")
    if not isinstance(asker, dict):
        raise FieldError(
            "asker", _("is missing") if asker is None else _("is not an object"), _("principal_id and role")
        )
    for key in ("principal_id", "role"):
        if not isinstance(asker.get(key), str | None):
            raise FieldError(f"asker.{key}", _("is not a text"), "a text")
    targets = raw.get("leak_targets")
    if targets is not None and not (isinstance(targets, list) and all(isinstance(one, str) for one in targets)):
        raise FieldError("leak_targets", _("is not a list of texts"), _("a list of texts"))


def _query(raw: dict[str, Any], episode: _Episode) -> dict[str, Any]:
    asker = raw["asker"]
    principal: dict[str, Any] = {"namespaces": [raw["episode_id"]]}
    if asker.get("principal_id") is not None:
        principal = {"id": asker["principal_id"], **principal}
    if asker.get("role") is not None:
        principal["roles"] = [asker["role"]]
    made = {
        "id": raw["checkpoint_id"],
        "text": raw["query_text"],
        "principal": principal,
        "purpose": raw["query_type"],
        "as_of": episode.created_at[raw["as_of_turn_id"]],
    }
    made |= {key: raw[key] for key in ("expected_action", "leak_targets") if key in raw}
    taken = ("checkpoint_id", "query_text", "asker", "episode_id", "expected_action", "leak_targets")
    return {**made, "meta": {key: value for key, value in raw.items() if key not in taken}}
