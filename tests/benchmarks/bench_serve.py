"""``inspector serve`` under a class of visitors: key to screen, and memory a visitor. Figures, no assertions.

``python tests/benchmarks/bench_serve.py [VISITORS [KEYS]]``: the server and all visitors' processes run on this machine
(``taskset -c 0,1`` for two cores). Every visitor has a lesson open and presses a key a second, at their own moments, as
people do; from the key to the first bytes of the answer is what is measured, at the end of the websocket.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

ROOT = Path(__file__).resolve().parents[2]
DOWN, UP = "\x1b[B", "\x1b[A"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Visitor:
    """One page: its websocket, when its screen came, and how long each key took."""

    def __init__(self) -> None:
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.came = asyncio.Event()
        self.seen = bytearray()
        self.taken: list[float] = []
        self.opened = 0.0

    async def open(self, session: aiohttp.ClientSession, url: str) -> None:
        begun = time.perf_counter()
        page = await (await session.get(url)).text()
        found = re.search(r'websocket-url="(ws://[^"]+)"', page)
        assert found is not None, page
        self.socket = await session.ws_connect(f"{found[1]}?width=120&height=36", max_msg_size=0)
        self.reader = asyncio.create_task(self._read())
        while b"step 1 of" not in self.seen:
            await self._next(120)
        self.opened = time.perf_counter() - begun

    async def _read(self) -> None:
        assert self.socket is not None
        async for message in self.socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                self.seen += message.data
                self.came.set()

    async def _next(self, seconds: float) -> None:
        self.came.clear()
        await asyncio.wait_for(self.came.wait(), seconds)

    async def press(self, count: int) -> None:
        assert self.socket is not None
        for number in range(count):
            await asyncio.sleep(random.uniform(0.5, 1.5))
            self.came.clear()
            begun = time.perf_counter()
            await self.socket.send_json(["stdin", DOWN if number % 8 < 4 else UP])
            await asyncio.wait_for(self.came.wait(), 30)
            self.taken.append((time.perf_counter() - begun) * 1000)


def memory(parent: int) -> list[tuple[int, int]]:
    """RSS and PSS in kB of each visitor's process."""
    found = []
    for each in Path("/proc").iterdir():
        if not each.name.isdecimal():
            continue
        try:
            line = (each / "cmdline").read_bytes()
            owner = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            if b"inspector.serving.visitor" not in line or owner != parent:
                continue
            sizes = dict(re.findall(r"^(Rss|Pss):\s+(\d+)", (each / "smaps_rollup").read_text(), re.MULTILINE))
        except OSError:
            continue
        found.append((int(sizes["Rss"]), int(sizes["Pss"])))
    return found


async def run(visitors: int, keys: int) -> dict[str, object]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "inspector",
                "serve",
                "--port",
                str(port),
                "--visitors",
                str(visitors),
                "--learn",
                "1",
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stderr is not None
        server.stderr.readline()
        async with aiohttp.ClientSession() as session:
            class_ = [Visitor() for _ in range(visitors)]
            await asyncio.gather(*(each.open(session, f"http://127.0.0.1:{port}") for each in class_))
            await asyncio.sleep(3)
            await asyncio.gather(*(each.press(keys) for each in class_))
            sizes = memory(server.pid)
            for each in class_:
                assert each.socket is not None
                await each.socket.close()
        server.send_signal(signal.SIGINT)
        server.wait(30)
        left = list(Path(folder).iterdir())
    taken = sorted(time for each in class_ for time in each.taken)
    return {
        "visitors": visitors,
        "keys": len(taken),
        "key_to_screen_ms": {
            "median": round(statistics.median(taken), 1),
            "p95": round(taken[int(len(taken) * 0.95)], 1),
            "most": round(taken[-1], 1),
        },
        "all_at_once_until_lesson_s": {
            "median": round(statistics.median(each.opened for each in class_), 1),
            "last": round(max(each.opened for each in class_), 1),
        },
        "memory_mb": {
            "rss": round(statistics.mean(rss for rss, _ in sizes) / 1024),
            "pss": round(statistics.mean(pss for _, pss in sizes) / 1024),
        },
        "left_behind": len(left),
    }


if __name__ == "__main__":
    wanted = [int(each) for each in sys.argv[1:3]]
    print(json.dumps(asyncio.run(run(*(wanted + [10, 30][len(wanted) :]))), indent=1))
