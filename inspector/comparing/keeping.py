"""The last comparison of a store, kept in its workspace with the settings that made it, and shown again (DESIGN 5, 9).

Rankings are kept route by route under all that made them (:mod:`inspector.comparing.running`); here is kept which of
them belong together, so that a screen shows what was compared last even after an edit, and says that it is of before.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from inspector.compare.batch import Needs
from inspector.compare.comparison import Request
from inspector.compare.runs import RouteRun, SourceRuns
from inspector.comparing.resolving import Ask, Resolve
from inspector.comparing.running import (
    check_request,
    imported_scores,
    run_settings,
    settings_key,
    silent_notes,
    state_key,
)
from inspector.comparing.sensitive import (
    Sensitivity,
    SensitivityRequest,
    SourceCurves,
    check_sensitivity,
    read_curve,
    sensitivity,
)
from inspector.errors import InspectorError
from inspector.i18n import LANGUAGES, _d, data_language
from inspector.live import Inspection
from inspector.retrieval.specs import parse_route

_KIND = "compare"
_VERSION = 1
_DAMAGED = (ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, EOFError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What was compared last. ``runs`` holds the routes that were finished, perhaps not all of the request's;
    ``without`` the same without the assumptions, None where there were none or not every route was finished.

    ``made_at`` is when, in UTC; ``assumed`` the assumptions that were in force.
    """

    request: Request
    scores: tuple[str, ...]
    runs: SourceRuns
    without: SourceRuns | None
    made_at: str
    assumed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[str, ...]:
        """The routes of the request that were not finished."""
        return tuple(route for route in self.request.routes if route not in self.runs.runs)


def keep(
    inspection: Inspection,
    request: Request,
    runs: SourceRuns,
    without: SourceRuns | None = None,
    *,
    scores: Sequence[str] = (),
) -> Kept:
    """Keep what has been compared, in place of the comparison before; the rankings themselves are kept already."""
    made_at = _now()
    kept = Kept(request, tuple(scores), runs, without, made_at, dict(inspection.settings.assumptions))
    inspection.workspace.put_result(_KIND, "last", _pack(inspection, kept))
    return kept


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _pack(inspection: Inspection, kept: Kept, more: Mapping[str, Any] | None = None) -> bytes:
    """An archive of what belongs together; ``more`` is kept in its head."""
    runs, without = kept.runs, kept.without
    head = {
        "version": _VERSION,
        "source": inspection.workspace.fingerprint(),
        "request": asdict(kept.request),
        "scores": list(kept.scores),
        "runs": _keys(runs),
        "without": None if without is None else _keys(without),
        "language": data_language(),
        "notes": [list(runs.notes), [] if without is None else list(without.notes)],
        "groups": list(runs.groups),
        "made_at": kept.made_at,
        "assumed": kept.assumed,
        "more": more or {},
    }
    out = io.BytesIO()
    np.savez_compressed(
        out,
        allow_pickle=False,
        head=np.frombuffer(json.dumps(head, default=repr).encode("utf-8", "surrogatepass"), dtype=np.uint8),
        group=runs.group,
        counts=runs.needs.counts,
        row=runs.needs.row,
        want=runs.needs.want,
        memory=runs.needs.memory,
    )
    return out.getvalue()


def _keys(runs: SourceRuns) -> dict[str, str]:
    return {route: settings_key(run.settings) for route, run in runs.runs.items()}


def kept_comparison(inspection: Inspection) -> Kept | None:
    """What was compared last on this workspace, edits since then or not; None where nothing was, or where the source
    itself has changed since, so that what was kept is about other records."""
    found = _unpack(inspection, "last")
    return None if found is None else found[0]


def _unpack(inspection: Inspection, key: str) -> tuple[Kept, Mapping[str, Any]] | None:
    payload = inspection.workspace.get_result(_KIND, key)
    if payload is None:
        return None
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as kept:
            arrays = {name: kept[name].astype(np.int64) for name in ("group", "counts", "row", "want", "memory")}
            head = json.loads(kept["head"].tobytes().decode("utf-8", "surrogatepass"))
        if head["version"] != _VERSION or head["source"] != inspection.workspace.fingerprint():
            return None
        needs = Needs(arrays["counts"], arrays["row"], arrays["want"], arrays["memory"])
        groups = tuple(map(str, head["groups"]))
        if not _is_whole(needs, arrays["group"], len(groups), inspection):
            return None
        request = request_of(head["request"])
        scores = tuple(map(str, head["scores"]))
        loaded = _load(inspection, head["runs"], request)
        base = SourceRuns(
            name=inspection.name,
            format=inspection.format,
            memories=len(inspection.memories),
            query_ids=tuple(query.id for query in inspection.queries),
            needs=needs,
            group=arrays["group"],
            groups=groups,
            runs=loaded,
            notes=_notes(inspection, head, 0, loaded),
            imported=imported_scores(inspection, scores),
        )
        without = None
        if head["without"] is not None:
            bare = _load(inspection, head["without"], request)
            if len(bare) == len(request.routes):
                without = replace(base, runs=bare, notes=_notes(inspection, head, 1, bare))
        if not base.runs:
            return None
        return Kept(request, scores, base, without, str(head["made_at"]), dict(head["assumed"])), dict(head["more"])
    except (*_DAMAGED, InspectorError):
        return None  # damaged, or written by another version: nothing was compared, as far as can be told


def _notes(
    inspection: Inspection, head: Mapping[str, Any], which: int, runs: Mapping[str, RouteRun]
) -> tuple[str, ...]:
    """The notes that were kept; of a comparison made in another language what can be said of it now."""
    if head.get("language", LANGUAGES[0]) == data_language():
        return tuple(map(str, head["notes"][which]))
    return (*inspection.header(), *silent_notes(runs))


def request_of(given: Mapping[str, Any]) -> Request:
    """A request from what ``asdict`` made of it. Raises InspectorError, KeyError or TypeError for anything else."""
    return check_request(Request(**{**given, "routes": tuple(given["routes"]), "axes": tuple(given["axes"])}))


def _load(inspection: Inspection, keys: Mapping[str, str], request: Request) -> dict[str, RouteRun]:
    runs = {}
    for route in request.routes:
        payload = inspection.workspace.get_result("compare-run", keys[route]) if route in keys else None
        run = (
            None if payload is None else RouteRun.from_bytes(payload, len(inspection.queries), len(inspection.memories))
        )
        if run is not None and run.route == route:
            runs[route] = run
    return runs


def _is_whole(needs: Needs, group: np.ndarray[Any, Any], groups: int, inspection: Inspection) -> bool:
    """Whether shapes and ranges fit the store: the workspace is a file that anyone may have written."""
    count, wants = len(inspection.queries), len(needs.row)
    inside = [
        (group, groups),
        (needs.row, count),
        (needs.want, wants),
        (needs.memory, len(inspection.memories)),
    ]
    return (
        needs.counts.shape == group.shape == (count,)
        and needs.want.shape == needs.memory.shape
        and bool((needs.counts >= 0).all())
        and np.array_equal(np.bincount(needs.row, minlength=count), needs.counts)
        and all(bool((array >= 0).all() and (array < limit).all()) for array, limit in inside)
    )


def kept_request(inspection: Inspection) -> Request | None:
    """The request of the last comparison of this workspace; None for none."""
    kept = kept_comparison(inspection)
    return None if kept is None else kept.request


def keep_again(inspection: Inspection, kept: Kept) -> None:
    """Keep the same rankings with another τ, axes, cost or base; when they were made stays."""
    inspection.workspace.put_result(_KIND, "last", _pack(inspection, kept))


def made_under(runs: SourceRuns) -> dict[str, Mapping[str, Any]]:
    """The settings that made each route's ranking."""
    return {route: run.settings for route, run in runs.runs.items()}


def stale_words(inspection: Inspection, made: Mapping[str, Mapping[str, Any]], request: Request) -> str:
    """Why rankings made under these settings (by route) are no longer those of the store as it stands, in words; ""
    where they are.

    An edit that was undone makes them right again.
    """
    seeded = replace(inspection.retriever.params, seed=request.seed)
    with inspection.lock:
        state = state_key(inspection)
        for route, settings in made.items():
            now = run_settings(inspection, inspection.settings, parse_route(route), request.k, seeded, state)
            now = json.loads(json.dumps(now, default=repr))
            if now == settings:
                continue
            if settings.get("state") != state:
                return _d("the store was edited since")
            before, after = settings.get("settings", {}), now["settings"]
            moved = sorted(name for name in after if before.get(name) != after[name]) if before else []
            if moved:
                return _d("other settings now: {replace}").format(
                    replace=", ".join(name.replace("_", " ") for name in moved)
                )
            if settings.get("vectors") != now["vectors"]:
                return _d("other vectors now")
            return _d("made by another version of this program, or with other numbers")
    return ""


# Label errors, and what to resolve first


def keep_labels(inspection: Inspection, request: SensitivityRequest, curves: SourceCurves) -> None:
    """Keep which curves belong together, in place of those before; the curves themselves are kept already."""
    runs, found = curves
    keys = [[route, kind, curve.key] for (route, kind), curve in found.items()]
    more = {"kinds": request.kinds, "rates": request.rates, "seeds": request.seeds, "tolerance": request.tolerance}
    kept = Kept(request.routes, (), runs, None, _now(), dict(inspection.settings.assumptions))
    inspection.workspace.put_result(_KIND, "labels", _pack(inspection, kept, {**more, "curves": keys}))


def kept_labels(inspection: Inspection) -> Sensitivity | None:
    """The curves that were made last on this workspace, edits since then or not; None as in :func:`kept_comparison`."""
    found = _unpack(inspection, "labels")
    if found is None or found[0].missing:
        return None
    kept, more = found
    try:
        asked = check_sensitivity(
            SensitivityRequest(
                kept.request,
                tuple(map(str, more["kinds"])),
                tuple(map(float, more["rates"])),
                int(more["seeds"]),
                float(more["tolerance"]),
            )
        )
        curves = {}
        for route, kind, key in more["curves"]:
            curve = read_curve(inspection, asked, str(key))
            if curve is not None:
                curves[str(route), str(kind)] = curve
        whole = tuple(kind for kind in asked.kinds if all((route, kind) in curves for route in kept.request.routes))
        return sensitivity(replace(asked, kinds=whole), [(kept.runs, curves)]) if whole else None
    except (*_DAMAGED, InspectorError):
        return None


@dataclass(frozen=True, slots=True)
class KeptResolve:
    """What to resolve first on a route, as it was worked out last; ``made_under`` are the settings of its ranking."""

    request: Request
    route: str
    found: tuple[Resolve, ...]
    made_under: Mapping[str, Any] = field(default_factory=dict)


def keep_resolve(
    inspection: Inspection, request: Request, route: str, found: Sequence[Resolve], made_under: Mapping[str, Any]
) -> KeptResolve:
    """Keep what to resolve first, in place of what was kept before."""
    body = {
        "version": _VERSION,
        "source": inspection.workspace.fingerprint(),
        "request": asdict(request),
        "route": route,
        "found": [asdict(one) for one in found],
        "made_under": made_under,
    }
    payload = json.dumps(body, default=repr).encode("utf-8", "surrogatepass")
    inspection.workspace.put_result(_KIND, "resolve", payload)
    return KeptResolve(request, route, tuple(found), made_under)


def kept_resolve(inspection: Inspection) -> KeptResolve | None:
    """What was to be resolved first when it was worked out last; None as in :func:`kept_comparison`."""
    payload = inspection.workspace.get_result(_KIND, "resolve")
    if payload is None:
        return None
    try:
        body = json.loads(payload.decode("utf-8", "surrogatepass"))
        if body["version"] != _VERSION or body["source"] != inspection.workspace.fingerprint():
            return None
        sizes = {"memory": len(inspection.memories), "query": len(inspection.queries), "store": 0}
        found = []
        for one in body["found"]:
            asked = tuple(Ask(int(each["index"]), float(each["share"]), str(each["name"])) for each in one["records"])
            if any(not 0 <= ask.index < sizes[one["owner"]] for ask in asked):
                return None
            found.append(Resolve(**{**one, "records": asked}))
        return KeptResolve(request_of(body["request"]), str(body["route"]), tuple(found), dict(body["made_under"]))
    except (*_DAMAGED, InspectorError):
        return None
