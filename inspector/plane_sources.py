"""Several exports of one store opened together: the first is looked at, the others held against it (DESIGN 11).

Rows and vectors of a store, say, or an older export. Nothing is merged: where two have the same memory, the first's
record is kept; what only another has is added, so that it can be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from inspector import formats
from inspector.errors import InputError
from inspector.i18n import _
from inspector.records import Bundle, Judgment, Memory, OnProgress, Query
from inspector.store.planes import Difference, Plane, differences


def load_planes(
    sources: Sequence[Path],
    options: formats.LoadOptions,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
) -> tuple[Bundle, tuple[Difference, ...]]:
    """Each source read by itself; the bundle of them all, and every two compared.

    Raises InputError where a source cannot be read, or where no two of them share an id: they are other stores then.
    """
    bundles = [formats.load([source], options, on_progress, cancelled) for source in dict.fromkeys(sources)]
    first = bundles[0]
    planes = [Plane(bundle.name, bundle.memories) for bundle in bundles]
    found = tuple(differences(planes, first.settings))
    if not any(one.related for one in found):
        names = ", ".join(bundle.name for bundle in bundles)
        raise InputError.at(
            names, None, "id", _("no id is in two of the sources"), _("exports of one store; or no --planes")
        )
    memories: list[Memory] = list(first.memories)
    queries: dict[str, Query] = {}
    judgments: list[Judgment] = []
    for bundle in bundles:
        if bundle is not first:
            (against,) = differences([Plane(first.name, memories), Plane(bundle.name, bundle.memories)], first.settings)
            memories.extend(against.only_second)
        for query in bundle.queries:
            queries.setdefault(query.id, query)
        judgments.extend(bundle.judgments)
    joined = replace(
        first,
        memories=memories,
        queries=list(queries.values()),
        judgments=judgments,
        name=" + ".join(bundle.name for bundle in bundles),
        format=" + ".join(dict.fromkeys(bundle.format for bundle in bundles)),
        skipped=[problem for bundle in bundles for problem in bundle.skipped],
        repeated=sum(bundle.repeated for bundle in bundles),
        notes=list(dict.fromkeys(note for bundle in bundles for note in bundle.notes)),
    )
    return joined, found
