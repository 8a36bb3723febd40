"""Questions typed in on the Inspect screen: asked, ranked in a worker, taken away (DESIGN 2, SCREENS Inspect)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from inspector.asked import write_namespaces
from inspector.i18n import _
from inspector.records import OnProgress
from inspector.text import visible
from inspector.ui.screens.ask_query import AskQueryDialog
from inspector.ui.screens.inspect_work import InspectWorking

#: So many known ids are gone through with up and down.
_KNOWN = 500


class InspectAsking(InspectWorking):
    """Adds queries and takes them away. A query whose ranking is cancelled is taken away again."""

    def action_ask(self) -> None:
        """Ask a question: its text, who asks, intent and instant."""
        if self.busy:
            self.toast(_("wait until the route is evaluated, or cancel it with escape"), "warning")
            return
        self.app.push_screen(
            AskQueryDialog(
                self.inspection.owned_by, self._known_words(), self.inspection.settings.timezone, self._as_before()
            ),
            self._ask,
        )

    def _known_words(self) -> dict[str, list[str]]:
        """Ids of principals that the store has: those of its queries, then single names of its owners."""
        found: dict[str, None] = {}
        for query in self.inspection.queries:
            who = (query.value("principal") or {}).get("id")
            if isinstance(who, str) and visible(who) == who:
                found.setdefault(who)
        for memory in self.inspection.memories:
            if len(found) >= _KNOWN:
                break
            owner = memory.value("namespace")
            name = owner[-1] if isinstance(owner, list) else owner
            if isinstance(name, str) and visible(name) == name:
                found.setdefault(name)
        return {"principal": list(found)}

    def _as_before(self) -> dict[str, str]:
        """Who asks, from the selected query: the next question is mostly asked by the same."""
        if self.qi is None:
            return {}
        who = self.inspection.queries[self.qi].value("principal") or {}
        principal, owns = who.get("id"), who.get("namespaces")
        return {
            "principal": visible(principal) if isinstance(principal, str) else "",
            "owns": visible(write_namespaces(owns)) if isinstance(owns, list) else "",
        }

    def _ask(self, fields: dict[str, Any] | None) -> None:
        if fields is not None:
            self.start_work("asking", partial(self._ask_and_rank, fields), self._asked_ended)

    def _ask_and_rank(self, fields: dict[str, Any], progress: OnProgress, cancelled: Callable[[], bool]) -> None:
        self.inspection.ask(fields)
        self.inspection.rank_asked(progress, cancelled)

    def rank_soon(self) -> None:
        """Rank what an undo or redo has brought back."""
        if self.inspection.unranked and not self.busy:
            self.start_work("ranking", self.inspection.rank_asked, self._asked_ended)

    def _asked_ended(self, error: Exception | None) -> str:
        asked = self.inspection.asked
        if error is None:
            if asked:
                self.select_query(asked[-1])
                query = self.inspection.queries[asked[-1]]
                return _("asked {id}: {text}").format(id=query.id, text=query.text)
            return "ranked"
        for qi in sorted(self.inspection.unranked, reverse=True):
            self.inspection.take_away(qi)
        return _("the question was taken back; what was encoded is kept")

    def take_away(self) -> bool:
        """Take the selected query away, if it was typed in; False for one of the source's."""
        qi = self.query_pane.qi
        if qi is None or qi not in self.inspection.asked:
            return False
        self.inspection.take_away(qi)
        return True

    def select_query(self, qi: int) -> None:
        """Select a query in the list, however it is narrowed."""
        raise NotImplementedError
