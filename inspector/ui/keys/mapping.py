"""Keys of the mapping assistant."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action, actions_of


def mapping() -> Iterator[Action]:
    """The screen of the mapping assistant."""

    act = actions_of("mapping", "Mapping")
    yield act("write", "ctrl+s", "Write", "write mapping.toml and open the store with it", "write and open")
    yield act("clear", "backspace,delete", "Leave out", "leave the field under the cursor out", "leave out")
    yield act("record", "t", "Record in full", "the record under the cursor, as the source has it and as it is read")
    yield act("propose", "P", "Propose again", "back to what was proposed")
