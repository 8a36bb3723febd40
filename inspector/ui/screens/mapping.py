"""The mapping assistant: an export that no format knows, its fields matched with ours, and tried at once (DESIGN 13).

The sample is taken and the first records are judged in threads; a mapping is written only where the user says so.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.addresses import short_name
from inspector.errors import InspectorError
from inspector.i18n import N_, _, ngettext
from inspector.records import MEMORY_FIELDS, show_namespace
from inspector.ui.actions import bindings
from inspector.ui.app import InspectorApp
from inspector.ui.messages import ErrorRaised, guarded
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.base import BaseScreen
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.safe import paragraphs, plain, say
from inspector.ui.widgets.signs import content, trit, verdict

if TYPE_CHECKING:
    from inspector.assisting import Assistant, Previewed
    from inspector.requests import OpenRequest

#: Rows of the upper table that are no fields.
WHERE, ZONE = "@where", "@zone"
_SURE = {N_("sure"): "good", N_("likely"): "", N_("guess"): "warn", N_("chosen"): "edited"}
_REQUIRED = ("id", "text")


class MappingScreen(BaseScreen):
    """Fields above, the first records through the mapping below. Opens the store once the mapping is written."""

    app = getters.app(InspectorApp)
    BINDINGS: ClassVar[list[BindingType]] = bindings("mapping")
    PANE = "Mapping"
    HELP = (
        "Each line above is one of our fields and where it comes from in the source; enter changes it. Below, the "
        "first records are read through the mapping and judged as it changes: S, P and L, and the verdict, for a "
        "question of the first owner. Nothing is written before you say where; the source never is."
    )
    DEFAULT_CSS = """
    MappingScreen #why { color: $dim; height: auto; max-height: 3; padding: 0 1; }
    MappingScreen #fields { height: 3fr; border-top: solid $panel; border-title-color: $heading; }
    MappingScreen #tried { height: 2fr; border-top: solid $panel; border-title-color: $heading; }
    MappingScreen Grid:focus { border-top: solid $primary; }
    MappingScreen #says { height: auto; min-height: 1; max-height: 3; background: $panel; padding: 0 1; }
    """

    class Taken(Message):
        """The source was sampled."""

        def __init__(self, assistant: Assistant) -> None:
            super().__init__()
            self.assistant = assistant

    class Failed(Message):
        """The source could not be sampled."""

        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.error = error

    class Tried(Message):
        """The first records through the mapping, or what it still lacks."""

        def __init__(self, generation: int, rows: list[Previewed], asker: str, error: Exception | None) -> None:
            super().__init__()
            self.generation = generation
            self.rows = rows
            self.asker = asker
            self.error = error

    def __init__(self, request: OpenRequest, why: str = "") -> None:
        super().__init__()
        self.request = request
        self.why = why
        self.assistant: Assistant | None = None
        self.rows: list[Previewed] = []
        self._generation = 0

    @property
    def source(self) -> Path:
        """What is mapped."""
        return self.request.sources[0]

    def compose(self) -> ComposeResult:
        """What is mapped and why, the fields, the records tried, what is lacking."""
        yield HeaderBar()
        yield Static(plain(self.why), id="why")
        with Vertical():
            fields = Grid(
                [
                    Column("field", "field", 18, 12),
                    Column("from", "from", 24, 12, flex=2),
                    Column("sure", "", 7),
                    Column("values", "values", 16, 8, flex=3),
                ],
                empty=_("reading the first records …"),
                id="fields",
            )
            fields.border_title = Content(_("Fields"))
            yield fields
            tried = Grid(
                [
                    Column("number", "#", 3, align="right"),
                    Column("id", "memory", 14, 8, flex=1),
                    Column("owner", "owner", 12, 6, flex=1),
                    Column("scope", "S", 1),
                    Column("policy", "P", 1),
                    Column("lifecycle", "L", 1),
                    Column("verdict", "verdict", 12),
                    Column("text", "text", 16, 8, flex=4),
                ],
                empty=_("nothing to show before id and text are mapped"),
                id="tried",
            )
            tried.border_title = Content(_("First records"))
            yield tried
        yield Static("", id="says")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Say what it is about, then sample."""
        self.query_one(HeaderBar).show(short_name(self.source), (_("mapping assistant"),))
        self.query_one("#why").display = bool(self.why)
        self.query_one("#fields", Grid).focus()
        self.call_after_refresh(self.take)

    @work(thread=True, exclusive=True, exit_on_error=False, group="sample")
    def take(self, table: str = "", records: str = "") -> None:
        """Sample the source, in a thread."""
        from inspector.assisting import Assistant

        try:
            made = Assistant.of(self.source, table, records)
        except Exception as error:  # told to the screen, which shows it
            self.post_message(self.Failed(error))
        else:
            self.post_message(self.Taken(made))

    @on(Taken)
    @guarded
    def _taken(self, event: Taken) -> None:
        self.assistant = event.assistant
        self.changed(first=True)

    @on(Failed)
    @guarded
    def _failed(self, event: Failed) -> None:
        self.app.show_chooser()
        self.app.post_message(
            ErrorRaised(event.error, _("{short_name} cannot be mapped").format(short_name=short_name(self.source)))
        )

    # What is shown

    def changed(self, *, first: bool = False) -> None:
        """Show the mapping as it is now, and try it."""
        assistant = self.assistant
        if assistant is None:
            return
        grid = self.query_one("#fields", Grid)
        keys: list[str] = [*assistant.targets(), ZONE]
        if assistant.is_database or assistant.sample.lists:
            keys.insert(0, WHERE)
        grid.set_source(RowList(keys, lambda key: key, self._cells), cursor="id" if first else grid.cursor_key)
        count = len(assistant.sample.rows)
        grid.border_title = plain(
            ngettext(
                "Fields, matched on the first record; enter changes one",
                "Fields, matched on the first {count:,} records; enter changes one",
                count,
            ).format(count=count)
        )
        self._generation += 1
        self._try(self._generation, assistant)

    def _cells(self, key: str) -> list[Cell]:
        assistant = self.assistant
        if assistant is None:
            return ["", "", "", ""]
        if key == WHERE:
            sample = assistant.sample
            name, value = (_("table"), sample.table) if assistant.is_database else (_("list"), sample.records)
            return [
                Piece(name, "heading"),
                value or _("the whole document"),
                "",
                _("{count} here").format(count=len(sample.tables or sample.lists)),
            ]
        if key == ZONE:
            zone = assistant.timezone or Piece(_("none: naive times stay naive"), "dim")
            return [Piece(_("timezone"), "heading"), zone, "", ""]
        rule = assistant.rules.get(key)
        if rule is None:
            words = Piece(_("! missing"), "bad") if key in _REQUIRED else Piece("–", "dim")
            return [Piece(key, "" if key in _REQUIRED else "dim"), words, "", Piece(_(MEMORY_FIELDS[key].help), "dim")]
        if not rule.paths:
            shown = json.dumps(rule.constant, ensure_ascii=False)
            return [
                Piece(key, "strong"),
                _("constant {shown}").format(shown=shown),
                Piece(_(rule.confidence), _SURE[rule.confidence]),
                "",
            ]
        came = " + ".join(rule.paths) + (_(" in {unit}").format(unit=rule.unit) if rule.unit else "")
        values = [value for path in rule.paths for value in assistant.examples(path)[0][:2]]
        listed = ", ".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)[:80] for one in values)
        return [Piece(key, "strong"), came, Piece(_(rule.confidence), _SURE[rule.confidence]), listed]

    @work(thread=True, exit_on_error=False, group="try")
    def _try(self, generation: int, assistant: Assistant) -> None:
        try:
            rows, asker = assistant.preview(), assistant.asker()
        except Exception as error:  # told to the screen, which shows it
            self.post_message(self.Tried(generation, [], "", error))
        else:
            self.post_message(self.Tried(generation, rows, asker, None))

    @on(Tried)
    @guarded
    def _tried(self, event: Tried) -> None:
        if event.generation != self._generation:
            return  # of a mapping that is no longer
        if event.error is not None and not isinstance(event.error, InspectorError):
            self.app.post_message(ErrorRaised(event.error, _("The mapping could not be tried")))
        self.rows = event.rows
        grid = self.query_one("#tried", Grid)
        grid.set_source(RowList(event.rows, lambda row: row.number, _tried_cells), cursor=grid.cursor_key)
        judged = _(", judged for {asker}, intent current").format(asker=event.asker) if event.asker else ""
        grid.border_title = plain(_("First records{judged}; enter shows one whole").format(judged=judged))
        bad = sum(row.problem is not None for row in event.rows)
        if event.error is not None:
            said = Piece(f"✗ {event.error}", "bad")
        elif bad:
            said = Piece(
                ngettext(
                    "{bad} of {count} record cannot be read this way; enter on it says why",
                    "{bad} of {count} records cannot be read this way; enter on one says why",
                    len(event.rows),
                ).format(bad=bad, count=len(event.rows)),
                "warn",
            )
        else:
            said = Piece(_("ctrl+s writes mapping.toml and opens the store with it"), "good")
        self.query_one("#says", Static).update(content([said]))

    # What is changed

    @on(Grid.RowSelected, "#fields")
    @guarded
    def _change(self, event: Grid.RowSelected) -> None:
        event.stop()
        self.change(str(event.key))

    def change(self, key: str) -> None:
        """Ask where a field comes from, which table or list is read, or in which zone naive times are."""
        assistant = self.assistant
        if assistant is None:
            return
        if key == WHERE:
            names = assistant.sample.tables or assistant.sample.lists
            answers = [(name, name, _("its first records are matched anew")) for name in names]
            self.app.push_screen(
                AskDialog(_("Where the memories are"), _("{count} to choose from").format(count=len(names)), answers),
                self._move,
            )
        elif key == ZONE:
            from inspector.ui.screens.mapping_ask import LineDialog

            hint = _("The zone of times that name none: Asia/Seoul, UTC. Empty: they stay naive.")
            self.app.push_screen(LineDialog(_("Time zone"), hint, assistant.timezone, self._zone), self._after)
        else:
            from inspector.ui.screens.mapping_rule import RuleDialog

            self.app.push_screen(RuleDialog(assistant, key), self._after)

    def _move(self, name: str | None) -> None:
        assistant = self.assistant
        if name is not None and assistant is not None:
            self.take(name, "") if assistant.is_database else self.take("", name)

    def _zone(self, name: str) -> None:
        if self.assistant is not None:
            self.assistant.set_timezone(name)

    def _after(self, is_changed: object) -> None:
        if is_changed:
            self.changed()

    def action_clear(self) -> None:
        """Leave the field under the cursor out."""
        key = self.query_one("#fields", Grid).cursor_key
        if self.assistant is not None and isinstance(key, str) and key in self.assistant.rules:
            self.assistant.clear(key)
            self.changed()

    def action_propose(self) -> None:
        """Back to what was proposed."""
        if self.assistant is not None:
            self.take(self.assistant.sample.table, self.assistant.sample.records)

    # Records

    @on(Grid.RowSelected, "#tried")
    @guarded
    def _whole(self, event: Grid.RowSelected) -> None:
        event.stop()
        self.action_record()

    def action_record(self) -> None:
        """A record as the source has it, and as the mapping reads it."""
        assistant = self.assistant
        key = self.query_one("#tried", Grid).cursor_key
        number = key if isinstance(key, int) else 1
        if assistant is None or number > len(assistant.sample.rows):
            return
        raw = json.dumps(assistant.sample.rows[number - 1], ensure_ascii=False, indent=1, default=str)
        parts = [_("In the source:\n{raw}").format(raw=raw)]
        row = next((row for row in self.rows if row.number == number), None)
        if row is not None and row.problem is not None:
            parts.insert(
                0,
                _("Cannot be read: {field}: {wrong}: {expected}").format(
                    field=row.problem.field, wrong=row.problem.wrong, expected=row.problem.expected
                ),
            )
        elif row is not None:
            parts.insert(0, "\n".join(f"{axis} {row.trits[axis].symbol}: {why}" for axis, why in row.reasons.items()))
            parts.append(_("In our fields:\n") + json.dumps(row.fields, ensure_ascii=False, indent=1, default=str))
        self.app.push_screen(
            ReadingDialog[None](_("Record {number}").format(number=number), paragraphs("\n\n".join(parts)))
        )

    # Writing

    def action_write(self) -> None:
        """Ask where the mapping goes, write it, and open the store with it."""
        assistant = self.assistant
        if assistant is None:
            return
        try:
            assistant.mapped()
        except InspectorError as error:
            say(self.app, str(error), title=_("The mapping is not complete"), severity="warning")
            return
        from inspector.assisting import default_place
        from inspector.ui.screens.mapping_ask import PlaceDialog

        self.app.push_screen(PlaceDialog(default_place(self.source), partial(_write, assistant)), self._written)

    def _written(self, path: Path | None) -> None:
        if path is not None:
            options = replace(self.request.options, mapping=path)
            self.app.open_request(replace(self.request, options=options))

    def go_back(self) -> bool:
        """Escape: back to the choice of stores; nothing was written."""
        self.app.show_chooser()
        return True


def _write(assistant: Assistant, path: Path, replaces: bool) -> None:
    assistant.write(path, replaces=replaces)


def _tried_cells(row: Previewed) -> list[Cell]:
    if row.problem is not None:
        words = f"✗ {row.problem.field}: {row.problem.wrong}"
        return [str(row.number), "", "", "", "", "", Piece(_("✗ unreadable"), "bad"), Piece(words, "bad")]
    owner = row.fields.get("namespace", row.fields.get("namespaces"))
    axes: list[Cell] = [trit(row.trits[name]) for name in ("scope", "policy", "lifecycle")]
    head: list[Cell] = [str(row.number), str(row.fields["id"]), show_namespace(owner)]
    return [*head, *axes, verdict(row.trits["admissible"]), str(row.fields["text"])]
