"""Reports: nothing acts, nothing is loaded, marks stand where they should; redacted, nothing of the store is left."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import inspector.audit
from inspector.audit.redact import Redactor, store_strings
from inspector.audit.report import FORMS, to_html, to_json, to_markdown
from inspector.auditing import Auditor
from inspector.inspection import Inspection, OpenOptions, demo_folder, demos, open_sources
from inspector.reporting import report
from tests.audit.audit_cases import memory, query

AUDIT = Path(str(inspector.audit.__file__)).parent
SCRIPT = "<script>alert('x')</script> & <img src=http://evil.example/a.png onerror=y> ```\n# head | [a](javascript:x)"

#: Words of our own sentences and keys: where a store's value is one of them, finding it proves nothing.
PROSE = {
    word
    for module in ("assembly", "blocks", "exposure", "disclosure", "stages", "trail")
    for word in re.findall(r"\w+", (AUDIT / f"{module}.py").read_text(encoding="utf-8"))
}


def opened(folder: Path) -> Inspection:
    inspection = open_sources([folder], OpenOptions(temporary=True))
    inspection.evaluate()
    return inspection


@pytest.fixture(scope="module")
def incidents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inspection]:
    with opened(demo_folder("incidents")) as inspection:
        yield inspection


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Inspection]:
    """A store whose every text and id tries to act."""
    memories = [
        {"id": "<b>m|1</b>", "text": SCRIPT + " one two three four five", "namespace": "<i>ns</i>", "status": "active"},
        {"id": "m`2", "text": "\x1b]0;owned\x07 \u202eevil", "meta": {"note": "<u>secret note</u>"}},
    ]
    recorded = {
        "events": [{"name": "<script>", "filter": {"a": "</pre>"}, "retrieved": [{"id": "<b>m|1</b>"}, {"id": "](x"}]}],
        "prompt": f"{SCRIPT} one two three four five",
        "answer": f"</pre><script>{SCRIPT} one two three four five",
    }
    queries = [{"id": "q<1>", "text": SCRIPT[:40], "principal": {"namespaces": ["other"]}, "recorded": recorded}]
    for name, records in (("memories", memories), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    with opened(tmp_path) as inspection:
        yield inspection


class Page(HTMLParser):
    """The elements of a page, its attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.marks: list[str] = []
        self.text = ""
        self._marking = False
        self._style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self._marking = tag == "mark"
        self._style = tag == "style"
        if self._marking:
            self.marks.append("")

    def handle_endtag(self, tag: str) -> None:
        self._marking = self._style = False

    def handle_data(self, data: str) -> None:
        if self._marking:
            self.marks[-1] += data
        if not self._style:
            self.text += data


def made(inspection: Inspection, *ids: str, **given: Any) -> dict[str, Any]:
    qis = [qi for qi, one in enumerate(inspection.queries) if not ids or one.id in ids]
    return report(inspection, Auditor(inspection), qis, **given)


def test_html_holds_the_candidates_and_the_marked_spans(incidents: Inspection) -> None:
    page = Page(to_html(made(incidents, "boat-trip", "room-number", "safe-code")))
    assert "celebrate their tenth anniversary with a surprise boat trip on Friday" in page.marks
    assert page.marks.count("celebrate their tenth anniversary with a surprise boat trip on Friday") == 2
    assert {"１２０３호", "1203호", "4711"} <= set(page.marks)
    for words in ("park-boat", "✗ exclude", "SR·E!D!", "guest / park", "segment 2 differs", "set namespace to"):
        assert words in page.text


def test_html_is_self_contained_and_text_stays_text(hostile: Inspection) -> None:
    html = to_html(made(hostile))
    page = Page(html)
    allowed = set(
        re.findall(r"\w+", "html head meta title style body h1 h2 h3 p ul li table thead tbody tr th td pre mark")
    )
    assert page.tags <= allowed
    assert {name for name, _ in page.attributes} <= {
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "title",
    }
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html
    assert SCRIPT.replace("\n", "\n") in page.text
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_markdown_holds_no_markup_of_the_data(hostile: Inspection) -> None:
    text = to_markdown(made(hostile))
    inside = False
    fence = ""
    outside = []
    for line in text.splitlines():
        opens = re.match(r"(`{3,})(text)?$", line)
        if opens and not inside:
            inside, fence = True, opens[1]
        elif inside and line == fence:
            inside = False
        elif not inside:
            outside.append(line)
    assert not inside
    plain = "\n".join(outside)
    assert "<" not in plain
    assert not re.search(r"(?<!\\)\]\(", plain)
    for line in outside:
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (4, 5, 6, 12)  # the tables have 3, 4, 5 and 11 columns


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [demo.name for demo in demos()])
def test_a_redacted_report_holds_none_of_the_texts_and_ids(name: str, form: str) -> None:
    with opened(demo_folder(name)) as inspection:
        text = FORMS[form](made(inspection, redact=True))
        text = text.replace("\\_", "_")  # Markdown's own sign inside the names of fields
        originals = {one for record in (*inspection.memories, *inspection.queries) for one in store_strings(record)}
        originals -= PROSE
        assert len(originals) > 15
        for one in originals:
            found = re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) if len(one) > 2 else None
            assert found is None, (one, text[max(0, found.start() - 80) : found.end() + 20])
        assert str(demo_folder(name)) not in text


@pytest.mark.parametrize("form", FORMS)
def test_a_hostile_store_redacts_too(hostile: Inspection, form: str) -> None:
    text = FORMS[form](made(hostile, redact=True))
    for one in ("evil.example", "owned", "m|1", "m`2", "secret note", "q<1>", "</b>", "three four"):
        assert one not in text


def test_verdicts_and_structure_stay_readable(incidents: Inspection) -> None:
    plain, redacted = made(incidents, "boat-trip"), made(incidents, "boat-trip", redact=True)

    def shape(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: shape(one) for key, one in node.items() if key not in ("value", "filter")}
        if isinstance(node, list):
            return [shape(one) for one in node]
        return type(node).__name__ if isinstance(node, str) else node

    assert shape({**plain, "redacted": True}) == shape(redacted)
    one = redacted["incidents"][0]
    assert one["stages"] == ["verification", "disclosure"]
    reason = one["candidates"][0]["axes"][0]["reason"]
    assert re.fullmatch(
        r"namespace '(⟨owner \w{8}⟩) / (⟨owner \w{8}⟩)' is not among the principal's: '\1 / (⟨owner \w{8}⟩)' "
        r"\(segment 2 differs: '\2' is not '\3'\)",
        reason,
    )
    page = Page(to_html(redacted))
    assert page.marks == []
    assert "characters 15 to 84" in page.text


def test_the_same_input_redacts_to_the_same_tokens(incidents: Inspection) -> None:
    first, again = made(incidents, redact=True), made(incidents, redact=True)
    assert to_json(first) == to_json(again)
    # And in a report of another choice of queries.
    alone = made(incidents, "boat-trip", redact=True)["incidents"][0]
    assert alone == next(one for one in first["incidents"] if one["query"]["id"] == alone["query"]["id"])
    # Another store gives other tokens for the same string, so that nobody can try strings out.
    store = [memory("m1", "text")]
    assert Redactor(store, [query()]).token("lind") == Redactor(store, [query()]).token("lind")
    assert Redactor(store, [query()]).token("lind") != Redactor([memory("m2", "text")], [query()]).token("lind")


def test_the_user_s_rules_are_texts_too() -> None:
    with opened(demo_folder("purposes")) as inspection:
        plain, redacted = to_json(made(inspection)), to_json(made(inspection, redact=True))
    for words in ("highly sensitive notes are never used for marketing", "no-sensitive-marketing"):
        assert words in plain
        assert words not in redacted


def test_the_name_of_a_tool_may_hold_a_store_s(tmp_path: Path) -> None:
    events = [{"name": name, "retrieved": [{"id": "m1", "score": 0.5}]} for name in ("search acme-prod (kb)", "search")]
    asked = {"id": "q1", "text": "What now?", "recorded": {"events": events, "answer": "No."}}
    (tmp_path / "memories.jsonl").write_text('{"id": "m1", "text": "A note."}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    with opened(tmp_path) as inspection:
        plain, redacted = made(inspection), made(inspection, redact=True)
    assert "acme-prod" in to_json(plain)
    for form in FORMS.values():
        assert "acme" not in form(redacted)
    first, second = redacted["incidents"][0]["events"]
    assert re.fullmatch(r"⟨event \w{8}⟩", first["name"])
    assert second["name"] == "search"
    assert redacted["incidents"][0]["candidates"][0]["path"] == first["name"]


def test_sentences_keep_our_words() -> None:
    redactor = Redactor([memory("1", "a text")], [query()])
    redactor.learn("kim", "owner")
    redactor.learn("admit", "word")
    token = redactor.token("kim")
    assert redactor.sentence("rank 1: kim's admit, not akim") == f"rank 1: {token}'s admit, not akim"
    assert redactor.sentence("id '1' is not 'lee'") == f"id '{redactor.token('1')}' is not '{redactor.token('lee')}'"
    assert redactor.sentence("the principal's: 'current'") == "the principal's: 'current'"


def test_an_incident_names_what_it_does_not_know(incidents: Inspection) -> None:
    one = made(incidents, "umbrella")["incidents"][0]
    assert one["unknown"] == [
        "umbrella: verdict unresolved, and it was exposed",
        "umbrella: scope is ? for lack of namespace",
    ]
    assert {fix["verdict"] for fix in one["candidates"][0]["fixes"]} == {"admit", "exclude"}
    assert "no answer was recorded" in made(incidents, "quiet-room")["incidents"][0]["unknown"][-1]
