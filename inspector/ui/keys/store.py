"""Keys of the Store screen."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action, actions_of, undo_and_redo


def store() -> Iterator[Action]:
    """The screen, its records and its views."""

    act = actions_of("store")
    yield act("records", "1", "Store: Records", "every record of the store", "records", "view('records')")
    yield act("coverage", "2", "Store: Coverage", "the coverage map and its lists", "coverage", "view('coverage')")
    yield act("findings", "3", "Store: Findings", "the findings of lint", "findings", "view('findings')")
    yield act("lanes", "4", "Store: Lanes", "a session's boundary states over time", "lanes", "view('lanes')")
    yield act("next_view", "right_curly_bracket", "Store: Next view", "the next view", run="step_view(1)")
    yield act("previous_view", "left_curly_bracket", "Store: Previous view", "the view before", run="step_view(-1)")
    yield act("inspect", "w", "Store: Inspect", "the record in Inspect, against the query selected there", "why not")
    yield act("compare", "V", "Go: Compare", "routes side by side at matched recall, plots, label errors")
    yield act("triage", "T", "Go: Triage", "the queue of incidents: which stage failed in each, with proof")
    yield act("leave", "o", "Store: Back to Inspect", "back to the queries and candidates")
    yield act("edit", "e", "Store: Edit", "edit the field under the cursor, of all marked records", "edit")
    yield act(
        "transition",
        "M",
        "Store: Move",
        "archive, resume, forget, quarantine or release the marked records, with a cause",
    )
    yield from undo_and_redo(act, "Store")
    yield act("revert", "backspace,delete", "Store: Revert field", "the field under the cursor back to the source's")
    yield act("edits", "E", "Store: List edits", "the list of edits; revert one or all")
    yield act("close_gap", "f", "Store: Close gap", "apply the shortest edit that closes the record's gap")
    yield act("govern", "F", "Store: Govern", "say what the record governs and what authority it carries")
    yield act("sort", "s", "Store: Sort", "sort by the column under the cursor; again for the store's own order")
    yield act("sort_reverse", "S", "Store: Reverse", "turn the order round")
    yield act("next_set", "v", "Store: Next cell or code", "records of the next cell, findings of the next code")
    yield act("full_text", "t", "Store: Full text", "the record's text in full")
    yield act("to_about", "D", "Store: Detail", "to the detail of the record")
    yield act("lint", "R", "Store: Lint", "lint the whole store, edits included")
    yield act("next_session", "n", "Store: Next session", "lanes of the next session", run="step_session(1)")
    yield act("previous_session", "p", "Store: Previous session", "lanes of the session before", run="step_session(-1)")
    yield act("keep_replay", "K", "Store: Keep replay", "make the marks of the replay edits")
