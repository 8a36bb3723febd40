"""The HTML report in a real Chromium: tables and marked spans are seen, nothing is loaded, text stays text (issue 5).

Skipped, with words, where no Chromium is installed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from inspector.audit.report import to_html
from inspector.inspection import OpenOptions, demo_folder, open_sources
from inspector.reporting import report
from tests.audit.chromium import Browser, browser

#: Both ends of what may act: a closing tag that would leave the element, and addresses that would be asked for.
ACTS = (
    "</pre></td><script>document.title='owned';fetch('{url}/script')</script><img src='{url}/image' "
    "onerror=\"document.title='owned'\"><style>@import '{url}/style';</style><iframe src='{url}/frame'></iframe>"
    "<link rel=stylesheet href='{url}/link'><meta http-equiv=refresh content='0;url={url}/refresh'> one two three"
)


pytestmark = pytest.mark.xdist_group("chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a local server and the paths that anybody asked it for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    server.server_close()


def requested(events: list[dict[str, Any]]) -> list[str]:
    """Every address that the page asked for, blocked or not."""
    return [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]


def made(folder: Path, redact: bool = False) -> str:
    with open_sources([folder], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        return to_html(report(inspection, inspection.auditor, range(len(inspection.queries)), redact=redact))


def test_tables_and_marks_are_seen_and_nothing_is_loaded(page: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(made(demo_folder("incidents")), encoding="utf-8")
    events = page.open(file.as_uri())
    assert requested(events) == [file.as_uri()]
    seen = page.evaluate(
        """[...document.querySelectorAll('table')].map(table => ({
            columns: [...table.querySelectorAll('th')].map(cell => cell.innerText),
            rows: [...table.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.innerText)),
            high: table.getBoundingClientRect().height,
            shown: table.checkVisibility({visibilityProperty: true, opacityProperty: true})}))"""
    )
    candidates = [table for table in seen if table["columns"][:2] == ["rank", "memory"]]
    assert len(candidates) == 17
    assert all(table["shown"] and table["high"] > 20 for table in candidates)
    rows = [row for table in candidates for row in table["rows"]]
    assert ["1", "park-boat", "guest / park", "0.9000", "0", "1", "1", "✗ exclude", "0", "SR·E!D!"] in [
        row[:10] for row in rows
    ]
    marks = page.evaluate(
        """[...document.querySelectorAll('mark')].map(mark => [mark.innerText, mark.getBoundingClientRect().width > 0,
            getComputedStyle(mark).backgroundColor !== getComputedStyle(mark.parentElement).backgroundColor,
            mark.parentElement.tagName])"""
    )
    told = "celebrate their tenth anniversary with a surprise boat trip on Friday"
    assert [one[0] for one in marks].count(told) == 2  # in the answer and in the memory
    assert {"１２０３호", "1203호"} <= {one[0] for one in marks}
    assert all(one[1:] == [True, True, "PRE"] for one in marks)
    # A refusal of the style or a console message would stand here.
    assert [one for one in events if one["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")] == []


@pytest.mark.parametrize("redact", [False, True])
def test_what_would_act_stays_text(page: Browser, tmp_path: Path, asked: tuple[str, list[str]], redact: bool) -> None:
    url, paths = asked
    acts = ACTS.replace("{url}", url)
    memory = {"id": f"m{acts}", "text": f"{acts} four five six seven", "namespace": acts, "status": "active"}
    recorded = {
        "events": [{"name": acts, "filter": {acts: acts}, "retrieved": [{"id": memory["id"]}, {"id": f"ghost{acts}"}]}],
        "prompt": memory["text"],
        "answer": f"I say {memory['text']}",
    }
    query = {"id": f"q{acts}", "text": acts, "principal": {"namespaces": ["me"]}, "recorded": recorded}
    (tmp_path / "memories.jsonl").write_text(json.dumps(memory) + "\n", encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(json.dumps(query) + "\n", encoding="utf-8")
    file = tmp_path / "report.html"
    file.write_text(made(tmp_path, redact), encoding="utf-8")
    events = page.open(file.as_uri())
    assert requested(events) == [file.as_uri()]
    assert paths == []
    count = "document.querySelectorAll('script, img, iframe, link, a, form, object, embed').length"
    assert page.evaluate(count) == 0
    assert page.evaluate("document.title").startswith("Audit of ")
    assert ("<script>document.title='owned'" in page.evaluate("document.body.innerText")) is not redact


def test_the_policy_in_the_document_would_stop_what_got_in(
    page: Browser, tmp_path: Path, asked: tuple[str, list[str]]
) -> None:
    """Without the policy the same elements load and act: so the checks above can fail."""
    url, paths = asked
    acts = ACTS.replace("{url}", url).replace("refresh content", "none content")
    whole = made(demo_folder("no-owner"))
    start = whole.index('<meta http-equiv="Content-Security-Policy"')
    bare = whole[:start] + whole[whole.index(">", start) + 1 :]
    file = tmp_path / "report.html"
    file.write_text(whole.replace("</body>", f"{acts}</body>"), encoding="utf-8")
    page.open(file.as_uri())
    assert paths == []
    assert page.evaluate("document.title") != "owned"
    file.write_text(bare.replace("</body>", f"{acts}</body>"), encoding="utf-8")
    page.open(file.as_uri())
    assert {"/script", "/image", "/style", "/frame", "/link"} <= set(paths)
    assert page.evaluate("document.title") == "owned"
