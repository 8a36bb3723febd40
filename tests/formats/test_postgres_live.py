"""A live PostgreSQL database: read through a mapping, and by its own log sent nothing but reading statements."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inspector.addresses import safe_address
from inspector.cli import main
from inspector.errors import InputError
from inspector.formats import LoadOptions, fingerprint, load
from tests.store.postgres import Server, server

SETUP = """
CREATE SCHEMA agent;
CREATE DOMAIN vector AS text;
CREATE TABLE agent."mem ories" (
  id bigint, content text, owner text, made timestamptz, ends timestamptz, naive timestamp, day date,
  tags text[], extra jsonb, embedding vector, floats float4[], score numeric, code uuid, raw bytea
);
INSERT INTO agent."mem ories"
SELECT g, 'fact ' || g, CASE g % 2 WHEN 0 THEN 'ana' ELSE 'bo' END, '2026-01-05 08:00:00.25+09', 'infinity',
  '2026-01-05 08:00:00', '2026-01-05', ARRAY['a', 'b'], '{"status": "active", "n": [1, null]}', '[0.5,-1,2e-3]',
  ARRAY[0.5, 1], 1.50, '6f0f0f4e-0000-4000-8000-000000000001', 'text' FROM generate_series(1, 1203) g;
CREATE TABLE events (query_id text, words text);
INSERT INTO events VALUES ('q1', 'where does ana live?');
CREATE TABLE odd (id text, content text, data bytea);
INSERT INTO odd VALUES ('a', 'good', NULL), ('b', 'bad', '\\xff'), (NULL, 'no id', NULL);
CREATE ROLE secret LOGIN;
"""
MAPPING = """
timezone = "UTC"
[memories]
table = "agent.mem ories"
[memories.fields]
id = "id"
text = "content"
namespace = "owner"
created_at = "made"
valid_to = "ends"
valid_from = "day"
allowed_purposes = "tags"
status = "extra.status"
embedding = "embedding"
[memories.values.valid_to]
infinity = ""
[queries]
table = "events"
[queries.fields]
id = "query_id"
text = "words"
"""


@dataclass(frozen=True)
class Live:
    server: Server
    mapping: Path
    log: Path

    def url(self, user: str = "tester") -> Path:
        return Path(f"postgresql://{user}@127.0.0.1:{self.server.port}/postgres")

    def options(self, text: str = MAPPING) -> LoadOptions:
        self.mapping.write_text(text)
        return LoadOptions(mapping=self.mapping)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: the extra postgres was not tested")
    with server() as started:
        started.run(SETUP)
        log = Path(started.run("SHOW data_directory").strip()).parent / "log"
        started.run("ALTER SYSTEM SET log_statement = 'all'; ALTER SYSTEM SET log_line_prefix = '%a|'")
        started.run("SELECT pg_reload_conf()")
        yield Live(started, tmp_path_factory.mktemp("live") / "mapping.toml", log)


def test_every_column_through_the_mapping(live: Live) -> None:
    bundle = load([live.url()], live.options())
    assert (bundle.format, len(bundle.memories), len(bundle.queries)) == ("postgresql", 1203, 1)
    memory = bundle.memories[0]
    assert memory.fields == {
        "id": "1",
        "text": "fact 1",
        "namespace": "bo",
        "created_at": "2026-01-04 23:00:00.25+00",  # 08:00 at +09 is 23:00 the day before in UTC
        "valid_to": "",
        "valid_from": "2026-01-05",
        "allowed_purposes": ["a", "b"],
        "status": "active",
        "embedding": [0.5, -1, 0.002],
        "meta": {
            "naive": "2026-01-05 08:00:00",
            "extra": {"n": [1, None]},
            "floats": [0.5, 1.0],
            "score": 1.5,
            "code": "6f0f0f4e-0000-4000-8000-000000000001",
            "raw": "text",
        },
    }
    assert str(memory.origin) == f"postgresql://tester@127.0.0.1:{live.server.port}/postgres (agent.mem ories row 1)"


def statements(log: Path, start: int) -> list[str]:
    """What the server's log says that our program sent since."""
    with log.open() as file:
        file.seek(start)
        return [line.partition(": ")[2] for line in re.findall(r"^inspector\|LOG:  (.*)$", file.read(), re.MULTILINE)]


def kinds(words: list[str]) -> set[str]:
    """The statements' first words; "" for any that may never be sent."""
    allowed = r"BEGIN READ ONLY$|SET LOCAL|DECLARE|FETCH|SELECT|COMMIT$|"
    return {re.match(allowed, line)[0] for line in words}  # type: ignore[index]


def test_nothing_but_reading_is_sent(live: Live) -> None:
    start = live.log.stat().st_size
    options = live.options()
    fingerprint([live.url()], options)
    load([live.url()], options)
    words = statements(live.log, start)
    # two tables, each for the fingerprint and for the load: 4 transactions
    assert words.count("BEGIN READ ONLY") == words.count("COMMIT") == 4
    assert kinds(words) == {"BEGIN READ ONLY", "SET LOCAL", "DECLARE", "FETCH", "COMMIT"}
    declared = {line for line in words if line.startswith("DECLARE")}
    assert declared == {
        'DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM "agent"."mem ories"',
        'DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM "events"',
    }
    # 1,203 rows in batches of 500, and one empty one: 4 fetches twice; one row and an empty batch: 2 fetches twice
    assert sum(line.startswith("FETCH") for line in words) == 12
    assert len(words) == 4 * (1 + 7 + 1 + 1) + 12


def test_the_fingerprint_follows_the_rows_and_not_their_order(live: Live) -> None:
    options = live.options()
    before = fingerprint([live.url()], options)
    assert fingerprint([live.url()], options) == before
    live.server.run("UPDATE events SET words = words")  # moves the row in its file
    assert fingerprint([live.url()], options) == before
    live.server.run("INSERT INTO events VALUES ('q2', 'and bo?')")
    assert fingerprint([live.url()], options) != before
    live.server.run("DELETE FROM events WHERE query_id = 'q2'")
    assert fingerprint([live.url()], options) == before


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def inspector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process, with a home of its own."""
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))

    def run(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["inspector", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return Done(int(stop.value.code or 0), said.out, said.err)

    return run


def test_every_command_reads_a_database(live: Live, tmp_path: Path, inspector: Run) -> None:
    url = str(live.url())
    start = live.log.stat().st_size
    mapping = str(live.options().mapping)
    read = ["--mapping", mapping]
    bm25 = [*read, "--route", "global_bm25", "--top-k", "3"]
    rows = inspector("evaluate", url, *bm25, "--out", "-")
    assert rows.returncode == 0, rows.stderr
    # one query; its word "ana" is in no text, so the three best are the first three by id
    assert [json.loads(line)["query_id"] for line in rows.stdout.splitlines()] == ["q1"] * 3
    why = inspector("why", url, *bm25, "--query", "q1", "--memory", "2")
    assert "scope" in why.stdout, why.stderr
    linted = inspector("lint", url, *read)
    assert "1,203 memories" in linted.stdout
    covered = inspector("coverage", url, *read, "--json")
    assert covered.returncode == 0, covered.stderr
    exported = inspector("export", url, *read, "--out", "-")
    assert len(exported.stdout.splitlines()) == 1203
    compared = inspector("compare", url, *read, "--routes", "global_bm25,namespace_bm25", "--json")
    assert compared.returncode == 0, compared.stderr
    words = statements(live.log, start)
    assert kinds(words) == {"BEGIN READ ONLY", "SET LOCAL", "DECLARE", "FETCH", "COMMIT"}
    # one workspace for the address, whatever the folder; nothing is read twice that has not changed
    kept = list((tmp_path / "data" / "inspector" / "workspaces").iterdir())
    assert [file.suffix for file in kept] == [".duckdb"]
    assert "opening: 1,204 of 1,204 records" in covered.stderr
    (recent,) = (tmp_path / "data" / "inspector" / "recent").iterdir()
    line = json.loads(recent.read_text())
    assert (line["sources"], line["options"]) == ([safe_address(url)], {"mapping": mapping})


def test_the_assistant_reads_only(live: Live, inspector: Run, tmp_path: Path) -> None:
    start = live.log.stat().st_size
    done = inspector("map", str(live.url()), "--out", str(tmp_path / "proposed.toml"))
    assert done.returncode == 0, done.stderr
    words = statements(live.log, start)
    assert kinds(words) == {"BEGIN READ ONLY", "SET LOCAL", "DECLARE", "FETCH", "SELECT", "COMMIT"}
    assert [line for line in words if line.startswith(("DECLARE", "FETCH"))] == [
        'DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM "agent"."mem ories"',
        "FETCH 200 FROM rows",
    ]
    read = ["--mapping", str(tmp_path / "proposed.toml")]
    covered = inspector("coverage", str(live.url()), *read, "--json")
    assert json.loads(covered.stdout)["memories"] == 1203


@pytest.mark.parametrize(
    ("url", "text", "words"),
    [
        ("postgresql://tester@127.0.0.1:1/postgres", MAPPING, r"Connection refused.*: a server that can be reached"),
        ("postgresql://tester@127.0.0.1:PORT/none", MAPPING, r'database "none" does not exist'),
        ("postgresql://tester@127.0.0.1:PORT/postgres", "", r"no mapping was given: --mapping FILE; `inspector map"),
        (
            "postgresql://tester@127.0.0.1:PORT/postgres",
            MAPPING.replace("agent.mem", "agent.mam"),
            r'relation "agent.mam ories" does not exist: one of agent\.mem ories, public\.odd',
        ),
        ("postgresql://tester:p4ss@127.0.0.1:PORT/postgres", MAPPING, r"the address holds a password"),
    ],
)
def test_what_goes_wrong_is_said_in_words(
    live: Live, tmp_path: Path, inspector: Run, monkeypatch: pytest.MonkeyPatch, url: str, text: str, words: str
) -> None:
    given = ["--mapping", str(live.options(text).mapping)] if text else []
    monkeypatch.setenv("PGPASSWORD", "p4ss")
    done = inspector("coverage", url.replace("PORT", str(live.server.port)), *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(words, done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    assert "p4ss" not in done.stderr
    assert not (tmp_path / "data").exists()  # no workspace is made for what cannot be read


def test_a_bad_row_is_named_or_skipped(live: Live) -> None:
    options = live.options('[memories]\ntable = "odd"\n[memories.fields]\nid = "id"\ntext = "content"\n')
    with pytest.raises(InputError, match=r"\(odd row 2\): data: holds bytes that are not UTF-8"):
        load([live.url()], options)
    assert options.mapping is not None
    bundle = load([live.url()], LoadOptions(mapping=options.mapping, lenient=True))
    assert [memory.id for memory in bundle.memories] == ["a"]
    assert [problem.field for problem in bundle.skipped] == ["data", "id"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("nothing", 'relation "nothing" does not exist: one of agent.mem ories'),
        ('x"; DROP TABLE events; --', "does not exist"),
    ],
)
def test_a_table_that_is_not_there(live: Live, table: str, words: str) -> None:
    text = f"[memories]\ntable = '{table}'\n[memories.fields]\nid = 'id'\ntext = 'content'\n"
    with pytest.raises(InputError, match=words):
        load([live.url()], live.options(text))
    assert live.server.run("SELECT count(*) FROM events").strip() == "1"


def test_a_role_that_may_not_read(live: Live) -> None:
    with pytest.raises(InputError, match="permission denied"):
        load([live.url("secret")], live.options())


# Without a server


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:p4ss@127.0.0.1:1/db?a=b",
        "postgresql://h/db?PassWord=p4ss&a=b",
        "postgresql://h/db?pass%77ord=p4ss&a=b",
        "postgresql://h/db?a=b&sslpassword=p4ss",
    ],
)
def test_a_password_in_the_address_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING)
    with pytest.raises(InputError, match=r"the address holds a password: .* PGPASSWORD") as caught:
        load([Path(url)], LoadOptions(mapping=mapping))
    assert "p4ss" not in str(caught.value)
    assert "p4ss" not in safe_address(Path(url))
    assert safe_address(Path(url)).endswith("/db?a=b")


@pytest.mark.parametrize(
    ("url", "mapping", "expected"),
    [
        (
            "postgresql://h/db",
            None,
            "postgresql://h/db: no mapping was given: --mapping FILE; `inspector map postgresql://h/db --out "
            "mapping.toml` proposes one",
        ),
        (
            "postgresql:///db",
            MAPPING,
            "postgresql://db: names no host, or no database: postgresql://USER@HOST/DB, or "
            "postgresql:///DB?host=FOLDER for a local socket",
        ),
        (
            "postgres://h/db",
            MAPPING.replace('table = "events"', "").replace('table = "agent.mem ories"', ""),
            "MAPPING: memories.table: is missing: the table's name",
        ),
    ],
)
def test_what_must_be_said(tmp_path: Path, url: str, mapping: str | None, expected: str) -> None:
    file = tmp_path / "mapping.toml"
    if mapping is not None:
        file.write_text(mapping)
    with pytest.raises(InputError) as caught:
        load([Path(url)], LoadOptions(mapping=file if mapping is not None else None))
    assert str(caught.value) == expected.replace("MAPPING", str(file))


def test_as_another_format_is_refused() -> None:
    with pytest.raises(InputError, match="is a database, not mem0: no --as"):
        load([Path("postgresql://h/db")], LoadOptions(as_format="mem0"))
