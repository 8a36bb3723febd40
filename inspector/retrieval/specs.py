"""The routes by name: what each needs, does, and may be told (DESIGN 4)."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from inspector.errors import InspectorError
from inspector.i18n import _, _d

Need = Literal["vectors", "words", "trace"]
DEFAULT_K = 20
DEFAULT_DEPTH = 500


@dataclass(frozen=True, slots=True)
class RouteSpec:
    """A route: its name, what it needs, one line for help, whether a real system could use it, and a depth if any."""

    name: str
    needs: frozenset[Need]
    summary: str
    deployable: bool = True
    depth: int | None = None

    def __str__(self) -> str:
        return self.name if self.depth is None else f"{self.name}:{self.depth}"


@dataclass(frozen=True, slots=True)
class Params:
    """Numbers that the routes use; those marked [ours] in DESIGN 4 are the user's to change.

    ``seed`` draws the controls. ``dual_threshold``: dual_path distrusts a best similarity under it. ``theta``:
    threshold_router joins a cluster at this cosine. ``gamma``, ``tau``, ``tau_new``: cluster_router's log-size prior,
    temperature and new-cluster cosine. ``recency`` weighs the position in time, ``rrf`` damps ranks.
    """

    seed: int = 0
    dual_threshold: float = 0.35
    theta: float = 0.8
    gamma: float = 0.5
    tau: float = 0.1
    tau_new: float = 0.4
    recency: float = 0.1
    rrf: float = 60.0


def _specs() -> dict[str, RouteSpec]:
    vectors: frozenset[Need] = frozenset({"vectors"})
    words: frozenset[Need] = frozenset({"words"})
    trace: frozenset[Need] = frozenset({"trace"})
    all_routes = (
        RouteSpec("global_dense", vectors, "most similar memories of the whole store"),
        RouteSpec("namespace_dense", vectors, "most similar memories of the principal's namespaces"),
        RouteSpec("global_bm25", words, "best word matches of the whole store"),
        RouteSpec("namespace_bm25", words, "best word matches of the principal's namespaces, with their statistics"),
        RouteSpec("global_hybrid", vectors | words, "similarity and word match joined by reciprocal rank"),
        RouteSpec("global_recency", vectors, "similarity plus a bonus for recent memories"),
        RouteSpec("postfilter", vectors, "most similar N of the store, then other namespaces deleted, no refill"),
        RouteSpec("current_only", vectors, "namespace without stale and superseded memories, whatever the intent"),
        RouteSpec("namespace_policy", vectors, "namespace without memories that the policy denies"),
        RouteSpec("namespace_lifecycle", vectors, "namespace without memories whose state does not fit the intent"),
        RouteSpec("governed", vectors, "namespace without what policy or lifecycle exclude"),
        RouteSpec("session_tag", vectors, "only memories known to be of the same session and semantic tag"),
        RouteSpec(
            "dual_path",
            vectors,
            "session_tag; by exact keys where that finds too little; a window of the session without tags",
        ),
        RouteSpec("threshold_router", vectors, "control: clusters of the namespace by a cosine threshold"),
        RouteSpec("cluster_router", vectors, "control: clusters of the namespace by size and similarity"),
        RouteSpec("random_partition", vectors, "control: a seeded draw of the namespace's size from the whole store"),
        RouteSpec("gold_oracle", vectors, "control: the required evidence in a seeded draw; not deployable", False),
        RouteSpec("recorded", trace, "the ranking in the trace"),
    )
    return {route.name: route for route in all_routes}


#: All routes by name; ``postfilter`` has its depth only after :func:`parse_route`.
ROUTES = _specs()


def parse_route(text: str) -> RouteSpec:
    """Read a route as the user writes it: a name, for postfilter ``postfilter:N`` (N from 1, default 500).

    Raises InspectorError for an unknown name, with the nearest known one, or for a bad or misplaced depth.
    """
    name, colon, number = text.strip().partition(":")
    route = ROUTES.get(name)
    if route is None:
        near = get_close_matches(name, ROUTES, 1)
        hint = _d("did you mean {near}?").format(near=near[0]) if near else _d("expected one of ") + ", ".join(ROUTES)
        raise InspectorError(_("route {name!r} is not known: {hint}").format(name=name, hint=hint))
    if name != "postfilter":
        if colon:
            raise InspectorError(_("route {name} takes no depth: write {name} alone").format(name=name))
        return route
    if colon and not (number.isascii() and number.isdigit() and 0 < int(number) < 10**9):
        raise InspectorError(_("route {text!r}: expected postfilter:N with a depth N of 1 or more").format(text=text))
    return RouteSpec(route.name, route.needs, route.summary, route.deployable, int(number) if colon else DEFAULT_DEPTH)
