"""The web server: pages, one process a visitor, uploads and downloads; on this machine only unless told otherwise.

A visitor is known by a random token that their page holds. Requests of other sites are refused by their Origin, and,
while the server listens on this machine alone, by their Host, so that no page elsewhere can reach it by a name.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import ipaddress
import logging
import os
import re
import secrets
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from aiohttp import web
from aiohttp.web_runner import GracefulExit
from textual_serve.server import Server

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.serving.visitors import UploadRefused, Visitor

log = logging.getLogger("inspector.serving")
_PAGE = Path(__file__).with_name("page.html")
_TOKEN = re.compile(r"[\w-]{20,60}")
_LEAST, _MOST = 6, 72
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How to serve. ``visitors`` at most at one time; ``upload_mb`` a visitor's files together, 0 for none.

    ``settings`` go to every visitor's process: learn, language, theme, present, redact, encode.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    visitors: int = 30
    font_size: int = 16
    upload_mb: int = 50
    settings: tuple[tuple[str, Any], ...] = ()


def is_loopback(host: str) -> bool:
    """Whether a server that listens there can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class VisitorServer(Server):
    """Serves Inspector to at most so many visitors."""

    def __init__(self, options: ServeOptions, say: Callable[[str], None]) -> None:
        super().__init__("inspector", host=options.host, port=options.port, title="Inspector")
        self.options = options
        self.visitors: dict[str, Visitor] = {}
        self._say = say
        self._root = Path(tempfile.gettempdir())

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/", self.handle_page),
                web.get("/ws/{token}", self.handle_websocket),
                web.put("/upload/{token}/{name}", self.handle_upload),
                web.get("/download/{key}", self.handle_download),
                web.static("/static", self.statics_path),
            ]
        )
        app.on_shutdown.append(self.on_shutdown)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
        """Refuse what other sites ask for; add the headers that keep the page to itself."""
        host = request.headers.get("Host", "")
        bare = re.sub(r":\d+$", "", host).strip("[]")
        if is_loopback(self.options.host) and not is_loopback(bare):
            raise web.HTTPForbidden(text=_("this server answers to localhost only"))
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise web.HTTPForbidden(text=_("requests of other sites are refused"))
        response: web.StreamResponse = await handler(request)
        if not response.prepared:
            response.headers.update(
                {
                    "Content-Security-Policy": _POLICY,
                    "X-Content-Type-Options": "nosniff",
                    "Referrer-Policy": "no-referrer",
                    "Cache-Control": "no-store",
                }
            )
        return response

    @property
    def is_full(self) -> bool:
        """Whether every place is taken."""
        return len(self.visitors) >= self.options.visitors

    async def handle_page(self, request: web.Request) -> web.Response:
        """The page of a new visitor, or the words for one too many."""
        most = self.options.visitors
        if self.is_full:
            words = _("All {count} places are taken. Load this page again when somebody has left.").format(count=most)
            return web.Response(status=503, text=words, headers={"Retry-After": "10"})
        wanted = request.query.get("fontsize", "")
        size = int(wanted) if wanted.isdecimal() and len(wanted) < 4 else self.options.font_size
        token = secrets.token_urlsafe(24)
        scheme = "wss" if request.scheme == "https" else "ws"
        page = Template(_PAGE.read_text(encoding="utf-8")).substitute(
            font_size=min(_MOST, max(_LEAST, size)),
            websocket=html.escape(f"{scheme}://{request.host}/ws/{token}"),
            upload=f"/upload/{token}" if self.options.upload_mb else "",
            upload_mb=self.options.upload_mb,
        )
        return web.Response(text=page, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A visitor's screen and keys, as long as the page is open."""
        token = request.match_info["token"]
        websocket = web.WebSocketResponse(heartbeat=15)
        await websocket.prepare(request)
        if self.is_full or token in self.visitors or not _TOKEN.fullmatch(token):
            full = _("All {count} places are taken. Try again later.").format(count=self.options.visitors)
            await websocket.send_bytes(f"{full}\r\n".encode())
            await websocket.close()
            return websocket

        async def close() -> None:
            await websocket.close()

        visitor = Visitor(
            self._root / secrets.token_hex(8),
            {**dict(self.options.settings), "font_size": self.options.font_size},
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        self.visitors[token] = visitor
        try:
            await visitor.start(_number(request, "width", 80, 500), _number(request, "height", 24, 300))
            await self._process_messages(websocket, visitor)
        except (asyncio.CancelledError, ConnectionError):
            await websocket.close()
        except Exception:  # one visitor's trouble must not end the others' sessions
            log.exception("a visitor's session failed")
        finally:
            # Shielded: a page that is closed cancels this handler, and the process must be ended all the same.
            await asyncio.shield(self._leave(token, visitor))
        return websocket

    async def _leave(self, token: str, visitor: Visitor) -> None:
        try:
            await visitor.end()
        finally:
            self.visitors.pop(token, None)

    async def handle_upload(self, request: web.Request) -> web.Response:
        """A file of the visitor's own, into their folder."""
        visitor = self.visitors.get(request.match_info["token"])
        most = self.options.upload_mb * 1_000_000
        if visitor is None or not most:
            raise web.HTTPNotFound(text=_("no session of this name"))

        async def chunks() -> AsyncIterator[bytes]:
            async for chunk in request.content.iter_chunked(1 << 16):
                yield chunk

        try:
            size = await visitor.take(request.match_info["name"], chunks(), most)
        except UploadRefused as refused:
            raise web.HTTPBadRequest(text=str(refused)) from None
        return web.json_response({"size": size})

    def _tell(self) -> None:
        host = f"[{self.host}]" if ":" in self.host else self.host
        words = _("serving on http://{host}:{port} to at most {count} visitors; ctrl+c ends it")
        self._say(words.format(host=host, port=self.port, count=self.options.visitors))

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002  (the library's signature)
        """End every visitor's process and remove what they left."""
        leaving = [self._leave(token, visitor) for token, visitor in list(self.visitors.items())]
        await asyncio.gather(*leaving, return_exceptions=True)

    def initialize_logging(self) -> None:
        """Faults go to stderr in plain words; requests are not logged."""
        logging.basicConfig(level="WARNING", format="%(name)s: %(message)s")

    def run(self) -> None:
        """Serve until interrupted. Raises InspectorError where the address cannot be had."""
        self.initialize_logging()
        self._root = Path(tempfile.mkdtemp(prefix="inspector-visitors-"))
        loop = asyncio.new_event_loop()

        def stop() -> None:
            raise GracefulExit

        for each in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(each, stop)
        try:
            web.run_app(
                self._make_app(),
                host=self.host,
                port=self.port,
                handle_signals=False,
                loop=loop,
                print=lambda *_: self._tell(),  # called once it listens
                shutdown_timeout=5,
            )
        except OSError as error:
            words = os.strerror(error.errno) if error.errno else str(error)
            said = _("cannot listen on {host}:{port}: {words}").format(host=self.host, port=self.port, words=words)
            raise InspectorError(said) from None
        finally:
            shutil.rmtree(self._root, ignore_errors=True)


def _number(request: web.Request, name: str, default: int, most: int) -> int:
    value = request.query.get(name, "")
    return min(most, max(20, int(value))) if value.isdecimal() and len(value) < 6 else default


def serve(options: ServeOptions, say: Callable[[str], None]) -> None:
    """Serve until interrupted; ``say`` is told where, and what to beware of."""
    if not is_loopback(options.host):
        words = _(
            "warning: anyone who can reach {host}:{port} can use this, without a password and without encryption: "
            "serve in a network that you trust, and not longer than needed"
        )
        say(words.format(host=options.host, port=options.port))
    VisitorServer(options, say).run()
