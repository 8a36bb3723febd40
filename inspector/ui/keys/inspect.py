"""Keys of the Inspect screen and its panes."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action, actions_of, undo_and_redo


def inspect() -> Iterator[Action]:
    """The screen itself, its queries, candidates and bundle."""

    act = actions_of("inspect")
    yield act("edit", "e", "Edit: Edit", "edit the field under the cursor, of all marked memories", "edit")
    yield act("judge_yes", "1", "Judge: Set 1", "judge the axis under the cursor as 1", "judge", "judge('1')")
    yield act("judge_no", "0", "Judge: Set 0", "judge the axis under the cursor as 0", run="judge('0')")
    yield act(
        "judge_unknown", "full_stop", "Judge: Set ?", "judge the axis under the cursor as unknown", run="judge('?')"
    )
    yield act("judge_clear", "minus", "Judge: Clear", "take the judgment away; the rule decides again", run="judge('')")
    yield from undo_and_redo(act, "Edit", "undo")
    yield act(
        "revert",
        "backspace,delete",
        "Edit: Revert field",
        "the field under the cursor back to the source's value; in the queries: take the asked query away",
    )
    yield act("edits", "E", "Edit: List edits", "the list of edits; revert one or all")
    yield act(
        "flip", "f", "Edit: Apply smallest", "apply the smallest edit that flips the verdict, or that closes the gap"
    )
    yield act(
        "transition",
        "M",
        "Boundary: Move",
        "archive, resume, forget, quarantine or release the marked memories, with a cause",
    )
    yield act("intent", "i", "Query: Cycle intent", "current, history, unknown; the verdicts follow")
    yield act(
        "as_of_earlier", "left_square_bracket,less_than_sign", "Query: Earlier", "as_of to the store's event before"
    )
    yield act(
        "as_of_later", "right_square_bracket,greater_than_sign", "Query: Later", "as_of to the store's next event"
    )
    yield act("ask", "plus", "Query: Ask", "ask a question: text, principal, intent, as_of; the workspace keeps it")
    yield act("bundle", "b", "Query: Edit bundle", "to the query bundle: principal, purpose, intent, as_of, …")
    yield act("isolation", "I", "Rule: Cycle isolation", "namespace, session, namespace+session")
    yield act("unknown_intent", "U", "Rule: Unknown intent", "join (as the table) or strict (as the source's code)")
    yield act("assumptions", "A", "Rule: Assumptions", "what a missing field is taken as")
    yield act("aliases", "L", "Rule: Aliases", "ids of one owner")
    yield act("to_queries", "Q", "Go: Queries", "to the list of queries")
    yield act("to_candidates", "C", "Go: Candidates", "to the candidates")
    yield act("to_detail", "D", "Go: Detail", "to the detail")
    yield act("next_query", "n", "Go: Next query", "the next query, without leaving the pane")
    yield act("previous_query", "p", "Go: Previous query", "the query before, without leaving the pane")
    yield act("next_tab", "right_curly_bracket", "Go: Next tab", "the next detail tab")
    yield act("previous_tab", "left_curly_bracket", "Go: Previous tab", "the detail tab before")
    yield act("gate_mode", "a", "Gate: Next mode", "self_description, jurisdiction, grants, layered; the whole store")
    yield act(
        "govern", "F", "Gate: Govern", "say what the memory governs and what authority it carries, in a short form"
    )
    yield act("pool", "P", "Decision: Next pool", "MDL over all that was retrieved, or over what no verdict excludes")
    yield act("calibrated", "K", "Decision: Calibrated", "decide by the calibration at hand, or without one")
    yield act("calibration", "B", "Decision: Load calibration", "load a calibration file; the workspace keeps it")
    yield act("encode", "N", "Decision: Encode", "encode the texts where the route needs no vectors, to decide by them")
    yield act("proof", "J", "Go: Proof", "to the next memory that proves the failure stage, or leaves it open")
    yield act(
        "let_through", "H", "Prompt: Let through", "what our prompt lets through: admit alone, or unresolved as well"
    )
    yield act("store", "o", "Go: Store", "the whole store: records, coverage map, findings, lanes", "store")
    yield act("compare", "V", "Go: Compare", "routes side by side at matched recall, plots, label errors", "compare")
    yield act("triage", "T", "Go: Triage", "the queue of incidents: which stage failed in each, with proof")
    yield act("route", "r", "Route: Choose", "retrieval route, depth and k", "route")
    yield act("why_not", "w", "Candidates: Why not", "show any stored memory against this query", "why not")
    yield act("missing", "m", "Candidates: Eligible missing", "memories that should have been retrieved and were not")
    yield act("sort", "s", "Candidates: Sort", "sort by the column under the cursor, then by the next")
    yield act("sort_reverse", "S", "Candidates: Reverse", "turn the order round")
    yield act("verdict_filter", "v", "Candidates: Filter verdict", "all, admit, exclude, unresolved in turn")
    yield act("full_text", "t", "Candidates: Full text", "the memory's text in full")


def panes() -> Iterator[Action]:
    """The panes of the detail, and typing a value."""

    def move(id: str, keys: str, name: str, help: str, run: str = "") -> Action:
        return Action(id, keys, name, help, run or id.partition(".")[2], palette=False)

    yield move("bundle.left", "left,h", "Bundle: Left", "to the part before")
    yield move("bundle.right", "right,l", "Bundle: Right", "to the next part")
    yield move("bundle.choose", "enter", "Bundle: Edit", "edit the part under the cursor")
    yield move("map.up", "up,k", "Map: Up", "to the row above")
    yield move("map.down", "down,j", "Map: Down", "to the row below, then to the lists")
    yield move("map.left", "left,h", "Map: Left", "to the column on the left")
    yield move("map.right", "right,l", "Map: Right", "to the column on the right")
    yield move("map.choose", "enter", "Map: Records", "show the records of the cell")
    yield move("mdl.less", "left,h", "MDL: Less", "the slider under the cursor a hundredth down")
    yield move("mdl.more", "right,l", "MDL: More", "the slider under the cursor a hundredth up")
    yield move("mdl.much_less", "shift+left", "MDL: Much less", "the slider under the cursor a tenth down")
    yield move("mdl.much_more", "shift+right", "MDL: Much more", "the slider under the cursor a tenth up")
    yield move("mdl.as_read", "z", "MDL: As read", "all sliders back to what was read")
    yield Action(
        "mdl.usual",
        "backspace,delete",
        "MDL: As usual",
        "the slider under the cursor back to what was read, the constant or switch to its default",
        "usual",
        shadows=True,
        palette=False,
    )
    yield move("prompt.less", "left,h", "Prompt: Less", "the choice before; one memory fewer in the budget")
    yield move("prompt.more", "right,l", "Prompt: More", "the next choice; one memory more in the budget")
    yield Action(
        "prompt.usual",
        "backspace,delete",
        "Prompt: As usual",
        "the setting under the cursor as it is by default",
        "usual",
        shadows=True,
        palette=False,
    )
    yield move(
        "reader.choose", "enter", "Detail: Choose", "edit the field, apply the edit, go to the memory under the cursor"
    )

    editor = actions_of("editor", "Value", palette=False)

    def type_in(verb: str, keys: str, help: str) -> Action:
        return editor(verb, keys, help.capitalize(), help)

    yield editor("save", "ctrl+s", "Save", "save; enter does too where the value has one line")
    yield type_in("absent", "f2", "take the key away altogether")
    yield type_in("null", "f3", "set null")
    yield type_in("empty", "f4", "set the empty value of its kind")
    yield type_in("source", "f5", "back to the source's value")
    yield type_in("previous", "up", "the known word before, the day before, one less")
    yield type_in("next", "down", "the next known word, the next day, one more")
    yield Action(
        "editor.cancel", "escape", "Value: Cancel", "leave the value as it is", "cancel", shadows=True, palette=False
    )
