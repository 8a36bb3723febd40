"""The server: who is let in, what is taken, and that nothing is left behind; and a lesson in a real browser."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from inspector.errors import InspectorError
from inspector.serving.server import ServeOptions, VisitorServer, is_loopback, serve
from inspector.serving.visitors import _NAME

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Served:
    """A running ``inspector serve``."""

    def __init__(self, tmp_path: Path, *args: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.temporary = tmp_path / "tmp"
        self.temporary.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inspector", "serve", "--port", str(self.port), "--upload-mb", "1", *args],
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.temporary), "API_KEY": "SECRET"},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()

    def folders(self) -> list[Path]:
        """The visitors' folders."""
        return [each for root in self.temporary.iterdir() for each in root.iterdir()]

    def visitors(self) -> list[int]:
        """The ids of the visitors' processes."""
        found = []
        for each in Path("/proc").iterdir():
            if each.name.isdecimal():
                try:
                    line = (each / "cmdline").read_bytes()
                    parent = (each / "stat").read_text().rpartition(")")[2].split()[1]
                except OSError:
                    continue
                if b"inspector.serving.visitor" in line and int(parent) == self.process.pid:
                    found.append(int(each.name))
        return found

    def stop(self, how: int = signal.SIGINT) -> None:
        self.process.send_signal(how)
        self.process.wait(30)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path, "--visitors", "1")
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
        made.process.communicate()


@asynccontextmanager
async def visit(served: Served, session: aiohttp.ClientSession) -> AsyncIterator[tuple[str, bytes]]:
    """Open the page and its session; the token, and what first came to the screen."""
    page = await (await session.get(served.url)).text()
    found = re.search(r'websocket-url="(ws://[^"]+/ws/([^"]+))"', page)
    assert found is not None
    async with session.ws_connect(f"{found[1]}?width=80&height=24") as socket:
        seen = b""
        while b"anniversary" not in seen:
            message = await asyncio.wait_for(socket.receive(), 60)
            assert message.type is aiohttp.WSMsgType.BINARY, (message, seen)
            seen += message.data
        yield found[2], seen


async def gone(served: Served) -> None:
    for _ in range(300):
        if not served.folders() and not served.visitors():
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"left behind: {served.folders()} {served.visitors()}")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc for the processes that are left")
async def test_one_visitor_comes_brings_a_file_and_leaves_nothing(served: Served) -> None:
    assert "serving on http://127.0.0.1:" in served.said
    async with aiohttp.ClientSession() as session:
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            assert (await session.get(served.url, headers=headers)).status == 403
        first = await session.get(served.url)
        assert "frame-ancestors 'none'" in first.headers["Content-Security-Policy"]
        body = await first.text()
        assert "googleapis" not in body
        assert (await session.put(f"{served.url}/upload/{'x' * 32}/a.jsonl", data=b"x")).status == 404
        async with visit(served, session) as (token, _):
            (folder,) = served.folders()
            (pid,) = served.visitors()
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            assert b"SECRET" not in environment
            assert folder.stat().st_mode & 0o077 == 0
            # One place, and it is taken: the page says so, and a session by another way is not begun.
            second = await session.get(served.url)
            assert (second.status, await second.text()) == (
                503,
                "All 1 places are taken. Load this page again when somebody has left.",
            )
            async with session.ws_connect(f"{served.url}/ws/{'y' * 32}") as other:
                assert b"places are taken" in (await other.receive()).data
            assert len(served.visitors()) == 1
            upload = f"{served.url}/upload/{token}"
            taken = await session.put(f"{upload}/notes.jsonl", data=b'{"id": "m", "text": "x"}\n')
            assert (taken.status, await taken.json()) == (200, {"size": 25})
            assert (folder / "files" / "notes.jsonl").is_file()
            assert (await session.put(f"{upload}/large.jsonl", data=b"x" * 1_000_001)).status == 400
            assert (await session.put(f"{upload}/..%2Fout", data=b"x")).status in (400, 404)
            assert sorted(each.name for each in (folder / "files").iterdir()) == ["notes.jsonl"]
        await gone(served)
    served.stop(signal.SIGTERM)
    assert served.process.returncode == 0
    assert list(served.temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "..", "a\\b", "*.csv", "a\x1b", "x" * 200])
def test_names_that_are_no_file_names_are_refused(name: str) -> None:
    assert _NAME.fullmatch(name) is None


def test_file_names_of_people_are_taken() -> None:
    for name in ("notes.jsonl", "my notes (2).csv", "기억.jsonl", "a-b_c.parquet"):
        assert _NAME.fullmatch(name) is not None


def test_only_this_machines_addresses_are_loopback() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.8.0.1")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "192.168.0.4", "localhost.evil.example", "")] == [False] * 5


def test_listening_beyond_this_machine_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(VisitorServer, "run", lambda self: self._tell())
    serve(ServeOptions(host="127.0.0.1", port=8123), said.append)
    assert said == ["serving on http://127.0.0.1:8123 to at most 30 visitors; ctrl+c ends it"]
    said.clear()
    serve(ServeOptions(host="0.0.0.0", port=8123), said.append)
    assert said[0].startswith("warning: anyone who can reach 0.0.0.0:8123 can use this, without a password")
    assert len(said) == 2


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        with pytest.raises(InspectorError, match=r"^cannot listen on 127\.0\.0\.1:"):
            serve(ServeOptions(port=held.getsockname()[1]), lambda _: None)


async def test_the_first_step_of_the_first_lesson_in_a_browser(tmp_path: Path) -> None:
    """Keys typed into a real page do the step; the program draws the tick into the page's terminal."""
    playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    browser_path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser_path is None:
        pytest.skip(f"no browser on this machine: one of {', '.join(BROWSERS)} is looked for")
    served = Served(tmp_path, "--learn", "1")
    seen = bytearray()
    failed: list[str] = []
    try:
        async with playwright.async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
            page = await browser.new_page(viewport={"width": 900, "height": 600})
            page.on("requestfailed", lambda request: failed.append(request.url))
            page.on("request", lambda request: failed.append(request.url) if served.url not in request.url else None)
            page.on(
                "websocket",
                lambda socket: socket.on(
                    "framereceived", lambda data: seen.extend(data if isinstance(data, bytes) else b"")
                ),
            )

            async def until(words: str) -> None:
                for _ in range(600):
                    if words.encode() in seen:
                        return
                    await asyncio.sleep(0.1)
                raise AssertionError(f"{words!r} never came: {bytes(seen[-2000:])!r}")

            await page.goto(served.url)
            await until("step 1 of 4")
            await page.keyboard.press("Shift+C")
            for _ in range(5):
                await page.keyboard.press("ArrowDown")
            await until("✓ done")
            await page.keyboard.press("F8")
            await until("step 2 of 4")
            await browser.close()
        assert failed == []
    finally:
        served.stop()
        served.process.communicate()
    assert list(served.temporary.iterdir()) == []
