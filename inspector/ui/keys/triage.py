"""Keys of the Triage screen."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action, actions_of, undo_and_redo


def triage() -> Iterator[Action]:
    """The queue, the incident beside it, and the line in which a note is written."""

    act = actions_of("triage", "Triage")
    yield act(
        "inspect", "i", "Inspect", "the query in Inspect, with the cursor on the memory that proves it", "inspect"
    )
    yield act("next", "n", "Next incident", "the next incident, without leaving the pane", "next", "step(1)")
    yield act("previous", "p", "Previous incident", "the incident before, without leaving the pane", run="step(-1)")
    yield act(
        "confirm", "c", "Confirm", "the marked incidents, or this one, are confirmed", "confirm", "state('confirmed')"
    )
    yield act(
        "dismiss", "d", "Dismiss", "the marked incidents, or this one, are dismissed", "dismiss", "state('dismissed')"
    )
    yield act("reopen", "r", "Reopen", "the marked incidents, or this one, are open again", run="state('open')")
    yield act("note", "e", "Note", "write a note on the incident, in place", "note")
    yield act("group", "b", "By cause", "grouped by suggested cause, or one after the other", "by cause")
    yield act("fold", "z", "Fold", "fold every group to one line, and unfold them; enter folds one")
    yield act("next_state", "v", "Filter state", "open, confirmed, dismissed, fixed by edit, all in turn")
    yield act("next_severity", "V", "Filter severity", "only the worst, the next, …, all in turn")
    yield act("next_stage", "s", "Filter stage", "one failure stage after the other, then all")
    yield act("anew", "R", "Order anew", "bring the queue up to date and order it anew")
    yield act(
        "fix", "f", "Apply smallest", "apply the smallest edit that mends the verdict: under the cursor, else first"
    )
    yield from undo_and_redo(act)
    yield act("edits", "E", "List edits", "the list of edits; revert one or all")
    yield act("full_text", "t", "Full text", "question, prompt and answer in full")
    yield act("to_queue", "Q", "Queue", "to the queue")
    yield act("to_incident", "D", "Incident", "to what is said of the incident")
    yield act("leave", "T", "Back", "back to Inspect, where it was")
