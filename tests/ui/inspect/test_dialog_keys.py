"""Keys are found where they are needed: help in dialogs, a footer that is never cut, what a short header keeps."""

from __future__ import annotations

from typing import Any

from textual.widgets import OptionList, Static

from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.ask_query import AskQueryDialog
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.screens.help import HelpDialog
from inspector.ui.widgets.editor import FieldEditor
from inspector.ui.widgets.inputs import SafeInput


async def test_a_dialog_has_help_of_its_own(bench: Any) -> None:
    async with bench() as made:
        await made.press("plus")
        assert isinstance(made.app.screen, AskQueryDialog)
        assert str(made.app.screen.query_one(".dialog").border_subtitle) == "f1 help"
        await made.press("question_mark")  # in a line of text it is typed
        assert made.app.screen.query_one("#line-text", SafeInput).value == "?"
        await made.press("f1")
        assert isinstance(made.app.screen, HelpDialog)
        words = made.app.screen.copy_text()
        assert "A question of your own" in words
        assert "dialog.close" in words
        assert "inspect.edit" not in words  # the keys of the screen beneath do nothing here
        await made.press("f1")
        assert isinstance(made.app.screen, AskQueryDialog)
        made.app.screen.dismiss(None)
        await made.settle()
        made.app.push_screen(AskDialog("Which", "One of two?", [("a", "the one", ""), ("b", "the other", "")]))
        await made.settle()
        assert "enter answers" in made.seen()
        await made.press("question_mark")
        assert isinstance(made.app.screen, HelpDialog)
        await made.press("escape", "escape")
        assert made.app.screen is made.screen


async def test_the_footer_drops_whole_keys_and_a_short_header_keeps_the_gate(bench: Any) -> None:
    async with bench(size=(80, 24)) as made:
        last = made.seen().splitlines()[-1]
        assert last.rstrip().endswith("? help  ^p commands  q quit")
        assert "why not" not in last
        for width, height in ((160, 40), (100, 30)):
            await made.pilot.resize_terminal(width, height)
            await made.settle()
            assert made.seen().splitlines()[-1].rstrip().endswith("q quit")
            assert "gate answer" in made.seen()
        await made.pilot.resize_terminal(160, 40)
        await made.settle()
        await made.settle()
        assert "why not" in made.seen().splitlines()[-1]


async def test_suggested_words_are_told_from_what_is_typed(bench: Any) -> None:
    async with bench() as made:
        await made.press("e")
        dialog = made.app.screen
        assert isinstance(dialog, EditFieldDialog)
        await made.write("semantic")
        await made.press("enter")
        editor = dialog.query_one(FieldEditor)
        offers = editor.query_one(".offers", Static)
        assert offers.display is editor.query_one(OptionList).display
        await made.press("escape")
        dialog.query_one(".find", SafeInput).value = "status"
        dialog.query_one(".find", SafeInput).focus()
        await made.press("enter")
        assert offers.display
        assert "suggested, not typed" in str(offers.content)
        await made.press("escape", "escape")


async def test_an_offered_word_takes_the_place_of_the_one_in_force(bench: Any) -> None:
    async with bench() as made:
        made.screen.candidate_pane.show_memory(3)  # m4: archived
        await made.settle()
        await made.press("e")
        await made.write("status")
        await made.press("enter")
        line = made.app.screen.query_one(FieldEditor).query_one(SafeInput)
        assert line.value == "archived"
        await made.press(*"active")
        assert line.value == "active"
        await made.press("enter")
        assert made.inspection.memories[3].get("status") == "active"


async def test_the_numbers_under_the_routes_are_in_sight_on_a_small_terminal(bench: Any) -> None:
    async with bench(size=(80, 24)) as made:
        await made.press("r")
        assert "postfilter depth" in made.seen()
        assert "enter takes the route" in made.seen()


async def test_escape_says_where_a_store_is_left(bench: Any) -> None:
    async with bench() as made:
        notices: list[str] = []
        made.app.notify = lambda message, **_: notices.append(str(message))
        await made.press("escape")
        await made.settle()
        assert notices == ["nothing to close here; O goes back to the choice of stores"]
