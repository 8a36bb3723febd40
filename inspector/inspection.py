"""The one door to a store: load it, evaluate it, edit it, be told of changes (DESIGN 13).

The command line and the screens use this module and nothing below it. :class:`Inspection` is a loaded store;
:func:`open_sources` makes one from the user's files or from a bundled store.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from inspector import formats
from inspector.audit.exposure import LetThrough
from inspector.errors import Cancelled, InspectorError
from inspector.gate.gate import DEFAULT_MODE, Mode
from inspector.gate.operation import with_lexicons
from inspector.live import Inspection
from inspector.records import Bundle, OnProgress, Settings
from inspector.resources import resource_dir
from inspector.retriever import Retriever
from inspector.store import places as store_places
from inspector.store.editlog import EditLog
from inspector.store.workspace import Workspace, WorkspaceHeld
from inspector.views import Demo, Recent, RouteChoice

__all__ = [
    "Inspection",
    "OpenOptions",
    "OpenRequest",
    "WorkspaceHeld",
    "demo_folder",
    "demos",
    "open_sources",
    "recent",
]


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """The flags of DESIGN 12 that say how a store is read and on which route it is evaluated.

    None means: as the store says, else the default. ``temporary`` works in a private workspace that is removed at the
    end; ``no_edits`` leaves the workspace's edits out.
    """

    as_format: str | None = None
    queries: Path | None = None
    judgments: Path | None = None
    policy: Path | None = None
    mapping: Path | None = None
    lenient: bool = False
    assume: Mapping[str, Any] = field(default_factory=dict)
    as_of: str | None = None
    workspace: Path | None = None
    temporary: bool = False
    no_edits: bool = False
    model: str | None = None
    route: str | None = None
    k: int = 20
    lexical_text: Literal["text", "metadata"] | None = None
    tau: float = 0.8
    let_through: LetThrough = "admit"
    gate: Mode = DEFAULT_MODE
    lexicons: tuple[Path, ...] = ()

    def load_options(self) -> formats.LoadOptions:
        """The part that the importers read."""
        return formats.LoadOptions(
            as_format=self.as_format,
            queries=self.queries,
            judgments=self.judgments,
            policy=self.policy,
            mapping=self.mapping,
            lenient=self.lenient,
            assume=self.assume,
            as_of=self.as_of,
        )


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What the terminal UI is asked to open: sources and options; ``demo`` names a bundled store."""

    sources: tuple[Path, ...]
    options: OpenOptions = field(default_factory=OpenOptions)
    demo: str | None = None


def open_sources(
    sources: Sequence[Path],
    options: OpenOptions | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Inspection:
    """Load the sources, from the workspace where they are unchanged, with the workspace's edits over them.

    Raises InputError for bad input, WorkspaceHeld (with the pid) where another process holds the workspace, Cancelled.
    Nothing is encoded or judged yet: call :meth:`Inspection.evaluate`.
    """
    options = options or OpenOptions()
    if options.temporary:
        workspace = Workspace.temporary(sources)
    else:
        workspace = Workspace.for_sources(sources, options.workspace)
    try:
        bundle = _load(sources, options, workspace, on_progress, cancelled)
        if cancelled():
            raise Cancelled("loading was cancelled")
        settings = bundle.settings
        if options.lexical_text is not None:
            settings = settings.with_(lexical_text=options.lexical_text)
        log = EditLog(workspace)
        retriever = Retriever(bundle, settings, workspace, options.model)
        route = RouteChoice.parse(options.route or _default_route(bundle, settings), options.k)
        retriever.check(route)
        return Inspection(
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
        )
    except BaseException:
        workspace.close()
        raise


def _load(
    sources: Sequence[Path],
    options: OpenOptions,
    workspace: Workspace,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
) -> Bundle:
    load_options = options.load_options()
    fingerprint = formats.fingerprint(sources, load_options)
    bundle = workspace.load_bundle(fingerprint, on_progress)
    if bundle is None:
        bundle = formats.load(sources, load_options, on_progress, cancelled)
        changed = workspace.fingerprint() is not None
        report = workspace.save_bundle(fingerprint, bundle, on_progress, cancelled)
        if changed:
            bundle.notes.append(f"the source has changed: {report.memories} memories; {report.queries} queries")
    return bundle


def _default_route(bundle: Bundle, settings: Settings) -> str:
    """The bundle's own, else ``recorded`` where there is a trace, else ``global_dense`` (DESIGN 4)."""
    if settings.route is not None:
        return settings.route
    recorded = any((query.value("recorded") or {}).get("events") for query in bundle.queries)
    return "recorded" if recorded else "global_dense"


def demos() -> list[Demo]:
    """The bundled stores, in the order in which they are best met. Raises InspectorError where they are missing."""
    folder = resource_dir("fixtures")
    listed = tomllib.loads((folder / "stores.toml").read_text(encoding="utf-8"))["stores"]
    return [Demo(one["name"], one["lesson"], str(folder / one["name"]), one["language"]) for one in listed]


def demo_folder(name: str) -> Path:
    """The folder of a bundled store. Raises InspectorError that lists the names where there is none of this one."""
    known = {demo.name: Path(demo.folder) for demo in demos()}
    if name not in known:
        raise InspectorError(f"no bundled store is called {name!r}: one of {', '.join(known)}")
    return known[name]


def recent() -> list[Recent]:
    """Workspaces opened before, the latest first."""
    return [
        Recent(str(r.path), tuple(map(str, r.sources)), r.name, r.last_opened, r.memories, r.queries)
        for r in store_places.recent()
    ]
