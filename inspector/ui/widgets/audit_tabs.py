"""The tabs *Trail*, *Prompt* and *Answer* of the detail: what the audit of the query says (DESIGN 8, SCREENS)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from inspector.i18n import _
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.widgets.answer_items import answer_items
from inspector.ui.widgets.audit_keys import NOBODY, MemoryChoice, MemoryWanted
from inspector.ui.widgets.detail import DetailTab, Subject
from inspector.ui.widgets.prompt_items import Setting, prompt_items
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.trail_items import trail_items


class AuditTab(DetailTab):
    """A reading pane about one memory of one query; choosing a memory in it goes there."""

    READER: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self._subject: Subject | None = None

    def compose(self) -> ComposeResult:
        """The reading pane."""
        yield Reader(id=self.READER)

    @property
    def reader(self) -> Reader:
        """The reading pane."""
        return self.query_one(Reader)

    def show_subject(self, subject: Subject | None) -> None:
        """Show what the audit says of the subject; the view stays where it is while the query is the same."""
        before, self._subject = self._subject, subject
        if subject is None:
            self.reader.show([Item(Content(_(NOBODY)))], keep=False)
            return
        self.reader.show(self.items(subject), keep=self.keeps(before, subject))

    def keeps(self, before: Subject | None, subject: Subject) -> bool:
        """Whether the view stays where it was."""
        return before is not None and (before.qi, before.mi) == (subject.qi, subject.mi)

    def items(self, subject: Subject) -> Sequence[Item]:
        """The paragraphs about a subject."""
        raise NotImplementedError

    @on(Reader.Chosen)
    @guarded
    def _chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        self.choose(event.key)

    def choose(self, key: object) -> None:
        """Go to the memory that the item stands for."""
        if isinstance(key, MemoryChoice):
            self.post_message(MemoryWanted(key.mi))

    def copy_text(self) -> str | None:
        """What ``y`` copies: the whole tab as it stands."""
        return self.reader.plain() if self._subject is not None else None


class TrailTab(AuditTab):
    """The steps that the memory took, each event of the trace, and what proves the failure stage."""

    TITLE: ClassVar[str] = "Trail"
    READER: ClassVar[str] = "trail"

    def items(self, subject: Subject) -> Sequence[Item]:
        """The steps."""
        inspection, qi, mi = subject.inspection, subject.qi, subject.mi
        return trail_items(inspection.trail(qi, mi), inspection.audit_row(qi, mi), inspection.audit(qi))


class AnswerTab(AuditTab):
    """The recorded answer and the memory's text, the disclosed spans marked in both."""

    TITLE: ClassVar[str] = "Answer"
    READER: ClassVar[str] = "answer"

    def items(self, subject: Subject) -> Sequence[Item]:
        """Both texts."""
        inspection, qi = subject.inspection, subject.qi
        return answer_items(inspection.audit(qi), inspection.audit_row(qi, subject.mi))


class PromptWanted(Message):
    """The prompt is to be assembled in another way: ``name`` is turned by ``step``, or with None typed or next."""

    def __init__(self, name: str, step: int | None) -> None:
        super().__init__()
        self.name = name
        self.step = step


class PromptUsual(Message):
    """One way of assembling is to go back to what it is by default."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class PromptTab(AuditTab):
    """What was in the prompt beside what our verdicts would have put in; how they do is turned here."""

    TITLE: ClassVar[str] = "Prompt"
    READER: ClassVar[str] = "prompt"
    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt", footer=False)

    def items(self, subject: Subject) -> Sequence[Item]:
        """Settings, both prompts, texts."""
        inspection, qi = subject.inspection, subject.qi
        return prompt_items(inspection.audit(qi), inspection.queries[qi], subject.mi)

    def keeps(self, before: Subject | None, subject: Subject) -> bool:
        """The prompt is the query's: another memory of it leaves the view where it was."""
        return before is not None and before.qi == subject.qi

    def choose(self, key: object) -> None:
        """Turn a setting, type a budget, or go to a memory."""
        if isinstance(key, Setting):
            self.post_message(PromptWanted(key.name, None))
        else:
            super().choose(key)

    def _step(self, step: int) -> None:
        if isinstance(self.reader.key, Setting):
            self.post_message(PromptWanted(self.reader.key.name, step))

    def action_less(self) -> None:
        """The choice before; one memory fewer in the budget."""
        self._step(-1)

    def action_more(self) -> None:
        """The next choice; one memory more in the budget."""
        self._step(1)

    def action_usual(self) -> None:
        """The setting under the cursor as it is by default."""
        if isinstance(self.reader.key, Setting):
            self.post_message(PromptUsual(self.reader.key.name))
