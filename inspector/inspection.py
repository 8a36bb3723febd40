"""The one door to a store: load it, evaluate it, edit it, be told of changes (DESIGN 13).

The command line and the screens use this module and nothing below it. :class:`Inspection` is a loaded store;
:func:`open_sources` makes one from the user's files or from a bundled store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from inspector import formats
from inspector.asked import relist
from inspector.auditing import measure_of
from inspector.deciding import Deciding
from inspector.errors import Cancelled
from inspector.gate.operation import with_lexicons
from inspector.i18n import _, _d
from inspector.live import Inspection
from inspector.mdl import Params, load_lexicons, switches_of
from inspector.places import lessons_dir
from inspector.plane_sources import load_planes
from inspector.records import Bundle, OnProgress, Settings
from inspector.requests import Demo, OpenOptions, OpenRequest, demo_folder, demos
from inspector.retriever import Retriever
from inspector.store import places as store_places
from inspector.store.editlog import EditLog
from inspector.store.planes import Difference
from inspector.store.workspace import KeptRows, Workspace, WorkspaceHeld
from inspector.views import Recent, RouteChoice

__all__ = [
    "Demo",
    "Inspection",
    "OpenOptions",
    "OpenRequest",
    "WorkspaceHeld",
    "demo_folder",
    "demos",
    "open_sources",
    "recent",
]


def open_sources(
    sources: Sequence[Path],
    options: OpenOptions | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    on_kept: Callable[[KeptRows], None] | None = None,
) -> Inspection:
    """Load the sources, from the workspace where they are unchanged, with the workspace's edits over them.

    ``on_kept`` is told of the workspace's rows as soon as it is known that the sources are unchanged: they can be read
    while everything else is loaded, and no longer once this function has raised.
    Raises InputError for bad input, WorkspaceHeld (with the pid) where another process holds the workspace, Cancelled.
    Nothing is encoded or judged yet: call :meth:`Inspection.evaluate`.
    """
    options = options or OpenOptions()
    # Before the workspace is made: a source that cannot be read at all leaves none behind.
    fingerprint = formats.fingerprint(sources, options.load_options(), on_progress, cancelled)
    if options.temporary:
        workspace = Workspace.temporary(sources)
    else:
        workspace = Workspace.for_sources(sources, options.workspace)
    workspace.opened_with = options.remembered()
    try:
        planes: tuple[Difference, ...] = ()
        if options.planes and len(dict.fromkeys(sources)) > 1:
            bundle, planes = load_planes(sources, options.load_options(), on_progress, cancelled)
            workspace.save_bundle(
                _d("planes {fingerprint}").format(fingerprint=fingerprint), bundle, on_progress, cancelled
            )
            changed = ""
        else:
            kept = None if on_kept is None else workspace.kept_rows(fingerprint)
            if on_kept is not None and kept is not None:
                on_kept(kept)
            bundle, changed = _load(sources, options, workspace, fingerprint, on_progress, cancelled)
        if cancelled():
            raise Cancelled(_("loading was cancelled"))
        settings = bundle.settings
        if options.lexical_text is not None:
            settings = settings.with_(lexical_text=options.lexical_text)
        log = EditLog(workspace)
        if not options.no_edits:
            relist(bundle.queries, log.overlay())
        retriever = Retriever(bundle, settings, workspace, options.model)
        route = RouteChoice.parse(options.route or _default_route(bundle, settings), options.k)
        retriever.check(route)
        deciding = Deciding(
            bundle.memories,
            bundle.queries,
            retriever,
            load_lexicons(options.lexicons),
            Params(pool=options.pool, switches=switches_of(options.ablate)),
        )
        inspection = Inspection(
            bundle,
            settings,
            workspace,
            log,
            retriever,
            route,
            tau=options.tau,
            let_through=options.let_through,
            gate_mode=options.gate,
            operation_words=with_lexicons(options.lexicons),
            with_edits=not options.no_edits,
            deciding=deciding,
            encode_for_decisions=options.encode,
        )
        inspection.read_as = options.load_options()
        inspection.source_changed = changed
        inspection.auditor.assemble_as(
            options.prompt_order, options.prompt_budget, measure_of(options.prompt_measure, options.prompt_budget)
        )
        inspection.planes = planes
        inspection.start_calibrated(options.calibration, uncalibrated=options.uncalibrated)
        return inspection
    except BaseException:
        workspace.close()
        raise


def _load(
    sources: Sequence[Path],
    options: OpenOptions,
    workspace: Workspace,
    fingerprint: str,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
) -> tuple[Bundle, str]:
    """The bundle, from the workspace where the source is as it was, and what has changed in it since, in words."""
    kept = workspace.load_bundle(fingerprint, on_progress)
    if kept is not None:
        return kept, ""
    bundle = formats.load(sources, options.load_options(), on_progress, cancelled)
    report = workspace.save_bundle(fingerprint, bundle, on_progress, cancelled)
    moved = [one for one in (report.memories, report.queries) if one.new or one.changed or one.gone]
    if report.first or not moved:
        return bundle, ""
    return bundle, _d("the source has changed: {memories} memories; {queries} queries").format(
        memories=report.memories, queries=report.queries
    )


def _default_route(bundle: Bundle, settings: Settings) -> str:
    """The bundle's own, else ``recorded`` where there is a trace, else ``global_dense`` (DESIGN 4)."""
    if settings.route is not None:
        return settings.route
    recorded = any((query.value("recorded") or {}).get("events") for query in bundle.queries)
    return "recorded" if recorded else "global_dense"


def recent() -> list[Recent]:
    """Workspaces opened before, the latest first; not those of lessons, which the list of lessons shows."""
    lessons = lessons_dir()
    return [
        Recent(str(r.path), tuple(map(str, r.sources)), r.name, r.last_opened, r.memories, r.queries, r.options)
        for r in store_places.recent()
        if not r.path.is_relative_to(lessons)
    ]
