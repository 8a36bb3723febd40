"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.i18n import set_language

ROOT = Path(__file__).resolve().parents[1]
_HOMES = itertools.count()

# Many tests start the program anew: without bytecode on disk each would compile all of it again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two workers a core: screens, terminals and disks are waited for half of the time."""
    return min(8, 2 * (os.cpu_count() or 1))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs the real model runs in one worker, which loads it once."""
    for item in items:
        if item.get_closest_marker("encodes") is not None:
            item.add_marker(pytest.mark.xdist_group("encodes"))


def pytest_collection_finish() -> None:
    """What was imported and collected is not searched for garbage again, and what tests leave not after every step.

    A worker holds a million objects by then, and a screen makes and drops objects by the hundred thousand.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 50)


def shared_dir() -> Path:
    """The folder with the public data: INSPECTOR_SHARED, else ``shared`` beside the checkout."""
    return Path(os.environ.get("INSPECTOR_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The public data's folder; the test is skipped, and says so, where it is absent."""
    folder = shared_dir() / "data"
    if not folder.is_dir():
        words = f"public data not found at {folder}: set INSPECTOR_SHARED to the folder that holds data/"
        if os.environ.get("INSPECTOR_REQUIRE_SHARED"):
            pytest.fail(words)
        pytest.skip(words)
    return folder


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where every test of this worker has its own home."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_folders(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's own settings and workspaces out of every test.

    The home is counted here: pytest looks through all folders made before for the next free name.
    """
    home = homes / str(next(_HOMES))
    home.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test begins in English, whatever the developer's locale, and leaves no other language behind."""
    for name in ("LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield
    set_language("en", data="en")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: exit code, stdout, stderr."""

    def call(*args: object) -> tuple[int, str, str]:
        from inspector import cli

        monkeypatch.setattr(sys, "argv", ["inspector", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return int(stop.value.code or 0), out, err

    return call
