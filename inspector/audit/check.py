"""The check for CI: thresholds, and a baseline of accepted verdicts and failure stages (DESIGN 12).

A snapshot is what an audit says of every query, as plain JSON; a baseline file is a snapshot that was accepted. Drift
is told one line each, with the field or axis that moved. The caller turns :attr:`CheckResult.holds` into an exit code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.errors import InputError
from inspector.i18n import _, _d
from inspector.records import AXES, show_namespace

VERSION = 1
#: Says why an axis is as it is now: query id, one entry of its ``verdicts`` → axis → reason. Asked only about drift.
Reasons = Callable[[str, Mapping[str, Any]], Mapping[str, str]]
_FAILURES = ("trace", "candidate", "verification", "assembly", "disclosure")
_SETTINGS = ("route", "top_k", "let_through", "isolation", "unknown_intent", "assumptions", "prompt")


@dataclass(frozen=True, slots=True)
class Drift:
    """One thing that is not as it was accepted. ``memory`` is "" where the query itself moved."""

    query: str
    memory: str
    words: str

    def __str__(self) -> str:
        return f"{self.query} × {self.memory}: {self.words}" if self.memory else f"{self.query}: {self.words}"


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was checked: a query against the baseline, or a threshold; ``lines`` say why it falls short."""

    group: str
    name: str
    lines: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return not self.lines


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of a check. ``said`` are figures that are told whether it holds or not."""

    store: str
    parts: tuple[Part, ...]
    said: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything that was asked for holds."""
        return all(part.holds for part in self.parts)

    @property
    def lines(self) -> list[str]:
        """Every reason why it falls short, one line each."""
        return [line for part in self.parts for line in part.lines]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for. With nothing asked for, no query may have a failure stage."""

    baseline: Mapping[str, Any] | None = None
    max_contamination: float | None = None
    max_loss: float | None = None
    fail_on_unresolved: bool = False
    fail_on_stage: bool = False

    @property
    def nothing(self) -> bool:
        """Whether nothing in particular is asked for."""
        given = (self.baseline, self.max_contamination, self.max_loss)
        return all(one is None for one in given) and not (self.fail_on_unresolved or self.fail_on_stage)


def no_reasons(query: str, one: Mapping[str, Any]) -> Mapping[str, str]:  # noqa: ARG001  (the shape of Reasons)
    """No reasons are at hand."""
    return {}


def check(now: Mapping[str, Any], wanted: Wanted, reasons: Reasons = no_reasons) -> CheckResult:
    """Check a snapshot (:func:`inspector.reporting.snapshot`) against what is asked for."""
    parts: list[Part] = []
    if wanted.nothing or wanted.fail_on_stage:
        parts.extend(_stage_part(query) for query in now["queries"])
    if wanted.baseline is not None:
        parts.extend(_baseline_parts(wanted.baseline, now, reasons))
    for name, limit in (("contamination", wanted.max_contamination), ("loss", wanted.max_loss)):
        if limit is not None:
            parts.append(Part("threshold", f"max-{name}", tuple(_over(name, limit, now["queries"]))))
    if wanted.fail_on_unresolved:
        parts.extend(Part("unresolved", query["id"], tuple(_unresolved(query, reasons))) for query in now["queries"])
    said = tuple(
        _d("mean {name}: {shown}").format(name=name, shown=_shown(mean(now["queries"], name)))
        for name in ("contamination", "loss")
    )
    return CheckResult(now["store"], tuple(parts), said)


def _stage_part(query: Mapping[str, Any]) -> Part:
    failed = [stage for stage in query["stages"] if stage["stage"] in _FAILURES]
    lines = tuple(f"{query['id']}: {one['stage']}: {'; '.join(one['why'])}" for one in failed)
    return Part("stages", query["id"], lines)


def drifts(baseline: Mapping[str, Any], now: Mapping[str, Any], reasons: Reasons = no_reasons) -> list[Drift]:
    """Everything that moved between two snapshots, the settings first, then query by query in the new order."""
    return [drift for part in _by_query(baseline, now, reasons) for drift in part[1]]


def _baseline_parts(baseline: Mapping[str, Any], now: Mapping[str, Any], reasons: Reasons) -> Iterator[Part]:
    for name, found in _by_query(baseline, now, reasons):
        yield Part("baseline", name, tuple(map(str, found)))


def _by_query(
    baseline: Mapping[str, Any], now: Mapping[str, Any], reasons: Reasons
) -> Iterator[tuple[str, list[Drift]]]:
    moved = [name for name in _SETTINGS if baseline.get(name) != now.get(name)]
    yield (
        "settings",
        [Drift("settings", "", f"{name}: {_said(baseline.get(name))} → {_said(now.get(name))}") for name in moved],
    )
    before = {query["id"]: query for query in baseline["queries"]}
    for query in now["queries"]:
        old = before.pop(query["id"], None)
        if old is None:
            failed = [stage["stage"] for stage in query["stages"] if stage["stage"] != "none"]
            words = _d("is new, and nothing was accepted for it: {failed}").format(failed=", ".join(failed))
            yield query["id"], [Drift(query["id"], "", words)] if failed else []
        else:
            yield query["id"], list(_query_drifts(old, query, reasons))
    for gone in before:
        yield gone, [Drift(gone, "", _d("was accepted, and is not checked any more: no such query"))]


def _query_drifts(old: Mapping[str, Any], new: Mapping[str, Any], reasons: Reasons) -> Iterator[Drift]:
    was = {stage["stage"]: stage["memories"] for stage in old["stages"]}
    now = {stage["stage"]: stage["memories"] for stage in new["stages"]}
    if list(was) != list(now):
        words = ", ".join(f"{name} ({', '.join(now[name])})" if now[name] else name for name in now)
        yield Drift(new["id"], "", _d("stages {was} → {words}").format(was=", ".join(was), words=words))
    else:
        for name, memories in now.items():
            if memories != was[name]:
                yield Drift(
                    new["id"],
                    "",
                    _d("{name}: proof {was} → {memories}").format(
                        name=name, was=", ".join(was[name]), memories=", ".join(memories)
                    ),
                )
    before = {_key(one): one for one in old["verdicts"]}
    for one in new["verdicts"]:
        had = before.get(_key(one))
        if had is not None and had["verdict"] != one["verdict"]:
            yield Drift(new["id"], _name(one), _verdict_words(had, one, reasons(new["id"], one)))


def _verdict_words(had: Mapping[str, Any], one: Mapping[str, Any], reasons: Mapping[str, str]) -> str:
    moved = [axis for axis in AXES if had[axis] != one[axis]]
    axes = ", ".join(f"{axis} {_trit(had[axis])} → {_trit(one[axis])}" for axis in moved)
    why = "; ".join(reasons[axis] for axis in moved if axis in reasons)
    said = f": {why}" if why else ""
    return f"{had['verdict']} → {one['verdict']} ({axes}){said}"


def _trit(value: Any) -> str:
    return "?" if value == "?" else str(value)


def _key(one: Mapping[str, Any]) -> tuple[str, str]:
    return json.dumps(one.get("namespace"), ensure_ascii=False), str(one["memory"])


def _name(one: Mapping[str, Any]) -> str:
    owner = show_namespace(one.get("namespace"))
    return f"{owner} / {one['memory']}" if owner else str(one["memory"])


def mean(queries: Sequence[Mapping[str, Any]], name: str) -> tuple[float, float] | None:
    """The mean of a figure's bounds over the queries that have it; None where none has."""
    found = [query[name] for query in queries if query[name] is not None]
    if not found:
        return None
    return sum(one[0] for one in found) / len(found), sum(one[1] for one in found) / len(found)


def _over(name: str, limit: float, queries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Why a threshold falls short: the upper bound counts, since what is unknown may be the worse."""
    found = mean(queries, name)
    if found is None or found[1] <= limit:
        return
    unsure = "" if found[0] > limit else _d(" (what is unknown could bring it over)")
    yield _d("mean {name} {shown} is over {limit:g}{unsure}").format(
        name=name, shown=_shown(found), limit=limit, unsure=unsure
    )
    worst = sorted((one for one in queries if one[name] is not None), key=lambda one: (-one[name][1], one["id"]))
    for query in worst[:5]:
        if query[name][1] > limit:
            yield f"{query['id']}: {name} {_shown(tuple(query[name]))}"


def _unresolved(query: Mapping[str, Any], reasons: Reasons) -> Iterator[str]:
    for one in query["verdicts"]:
        if one["verdict"] == "unresolved":
            found = reasons(query["id"], one)
            why = "; ".join(found.get(axis, _d("{axis} is ?").format(axis=axis)) for axis in AXES if one[axis] == "?")
            yield _d("{id} × {name}: unresolved: {why}").format(id=query["id"], name=_name(one), why=why)


def _shown(bounds: tuple[float, ...] | None) -> str:
    if bounds is None:
        return _d("not evaluable")
    low, high = (f"{value:.4f}" for value in bounds)
    return low if low == high else f"[{low}, {high}]"


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def baseline_text(snapshot: Mapping[str, Any]) -> str:
    """A snapshot as the text of a baseline file, one query a line, so that its changes read well in a diff."""
    head = {key: value for key, value in snapshot.items() if key not in ("queries", "store")}
    lines = [json.dumps(_accepted(query), ensure_ascii=False) for query in snapshot["queries"]]
    start = json.dumps({"inspector_baseline": VERSION, **head}, ensure_ascii=False)[:-1]
    body = ",\n  ".join(lines)
    return f'{start}, "queries": [\n  {body}\n]}}\n' if lines else f'{start}, "queries": []}}\n'


def _accepted(query: Mapping[str, Any]) -> dict[str, Any]:
    """What a baseline keeps of a query: figures are for thresholds, sentences for people."""
    stages = [{"stage": one["stage"], "memories": one["memories"]} for one in query["stages"]]
    return {"id": query["id"], "stages": stages, "verdicts": query["verdicts"]}


def read_baseline(path: Path) -> dict[str, Any]:
    """Read a baseline file. Raises InputError, with the line, for one that is missing, broken or of another kind."""
    name = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError.at(name, None, "", error.strerror or _("cannot be read"), _("a baseline file")) from None
    except UnicodeDecodeError:
        raise InputError.at(name, None, "", _("is not UTF-8"), _("a baseline file")) from None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        wrong = _("broken JSON at column {colno} ({msg})").format(colno=error.colno, msg=_(error.msg))
        raise InputError.at(name, error.lineno, "", wrong, _("a baseline file")) from None
    except RecursionError:
        raise InputError.at(name, None, "", _("nested too deeply"), _("a baseline file")) from None
    if not isinstance(value, dict) or value.get("inspector_baseline") != VERSION:
        wrong = (
            _d("is no baseline")
            if not isinstance(value, dict)
            else _d("is of version {get!r}").format(get=value.get("inspector_baseline"))
        )
        raise InputError.at(
            name,
            None,
            "inspector_baseline",
            wrong,
            _("{VERSION}, as --write-baseline writes it").format(VERSION=VERSION),
        )
    _check_shape(value, name)
    return value


def _check_shape(value: Mapping[str, Any], name: str) -> None:
    queries = value.get("queries")
    if not isinstance(queries, list):
        raise InputError.at(name, None, "queries", _("is not a list"), _("a list of queries"))
    for place, query in enumerate(queries):
        where = f"queries[{place}]"
        good = isinstance(query, dict) and isinstance(query.get("id"), str)
        for key, inner in (("stages", ("stage", "memories")), ("verdicts", ("memory", "verdict", *AXES))):
            listed = query.get(key) if good else None
            if not isinstance(listed, list) or not all(
                isinstance(one, dict) and all(part in one for part in inner) for one in listed
            ):
                raise InputError.at(
                    name,
                    None,
                    where,
                    _("has no good {key}").format(key=key),
                    _("a query as --write-baseline writes it"),
                )
