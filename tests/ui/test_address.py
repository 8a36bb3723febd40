"""A database opened by its address from the start, and a recent workspace opened again as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

import inspector.inspection as door
from inspector.errors import Cancelled
from inspector.requests import OpenOptions
from inspector.ui.app import InspectorApp
from inspector.ui.screens.address import AddressDialog
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.error import ErrorDialog
from inspector.ui.widgets.inputs import SafeInput
from inspector.views import Recent


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, config_home: Path) -> list[tuple[list[str], OpenOptions]]:
    """What the loading thread was asked to open; nothing is."""
    seen: list[tuple[list[str], OpenOptions]] = []

    def opened(sources: Any, options: OpenOptions, *_: Any, **_kept: Any) -> Any:
        seen.append(([str(source) for source in sources], options))
        raise Cancelled("not in this test")

    monkeypatch.setattr(door, "open_sources", opened)
    return seen


async def test_an_address_and_a_mapping(asked: list[Any], tmp_path: Path, until: Any) -> None:
    mapping = tmp_path / "mapping.toml"
    mapping.write_text("")
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, ChooserScreen) and app.screen.query("#files"))
        await pilot.press("d")
        await until(lambda: isinstance(app.screen, AddressDialog))

        async def entered(address: str, mapping: str) -> str:
            dialog = app.screen
            dialog.query_one("#address", SafeInput).value = address
            dialog.query_one("#mapping", SafeInput).value = mapping
            await pilot.press("enter")
            await pilot.pause()
            found = dialog.query("#trouble")
            return str(found.first(Static).content) if found else ""

        assert "is no address of a database" in await entered("data.json", "")
        told = await entered("postgresql://ana:p4ss@h/db", "")
        assert "holds a password" in told
        assert "p4ss" not in told
        assert "is not a file" in await entered("postgresql://ana@h/db", str(tmp_path / "none.toml"))
        assert not asked
        await entered("postgresql://ana@h/db", str(mapping))
        await until(lambda: bool(asked))
        assert asked == [(["postgresql:/ana@h/db"], OpenOptions(mapping=mapping))]


async def test_a_recent_workspace_is_read_as_it_was(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, until: Any
) -> None:
    options = OpenOptions(mapping=tmp_path / "m.toml", lenient=True, assume={"status": "current"}, as_of="2026-01-01")
    said = options.remembered()
    assert said == {
        "mapping": str(tmp_path / "m.toml"),
        "lenient": True,
        "assume": {"status": "current"},
        "as_of": "2026-01-01",
    }
    hostile = {**said, "queries": 7, "as_format": ["x"], "other": "x"}  # a broken line costs what cannot be read
    recent = [Recent("/w/1", ("postgresql://ana@h/db",), "notes", "2026-05-01T10:00:00Z", 2, 0, hostile)]
    monkeypatch.setattr(door, "recent", lambda: recent)
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: app.screen.query("#recent") and app.screen.query_one("#recent").row_count)  # type: ignore[attr-defined]
        await pilot.press("r", "enter")
        await until(lambda: bool(asked))
        ((sources, got),) = asked
        assert sources == ["postgresql:/ana@h/db"]
        assert got == OpenOptions(
            workspace=Path("/w/1"),
            mapping=tmp_path / "m.toml",
            lenient=True,
            assume={"status": "current"},
            as_of="2026-01-01",
        )
        assert not isinstance(app.screen, ErrorDialog)
