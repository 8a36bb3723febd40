"""The bundled incidents fail where their README says, and an edit moves what it should."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.auditing import Auditor
from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources

FOLDER = demo_folder("incidents")


def promised(folder: Path) -> list[list[str]]:
    """The rows of the README's second table: query, stages, the proof of each."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    table = text[text.index("| query | stages | proof |") :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


@pytest.fixture
def inspection() -> Iterator[Inspection]:
    with open_sources([FOLDER], OpenOptions(temporary=True)) as opened:
        opened.evaluate()
        yield opened


def test_every_incident_fails_where_the_readme_says(inspection: Inspection) -> None:
    auditor = Auditor(inspection)
    rows = promised(FOLDER)
    assert [row[0] for row in rows] == [query.id for query in inspection.queries]
    assert len(rows) >= 12
    for qi, (_, stages, proof) in enumerate(rows):
        done = auditor.audit(qi)
        assert ", ".join(done.stages.all) == stages, rows[qi]
        found = [", ".join(finding.ids) for finding in done.stages.findings]
        assert "; ".join(found or dict.fromkeys(one.id for one in done.stages.open)) == proof, rows[qi]


def test_each_stage_is_there(inspection: Inspection) -> None:
    firsts = {done.stages.first for done in Auditor(inspection).all()}
    assert firsts == {"trace", "candidate", "verification", "assembly", "disclosure", "none", "undecided"}


def test_an_owner_decides_the_undecided(inspection: Inspection) -> None:
    auditor = Auditor(inspection)
    qi, mi = inspection.find_pair("umbrella", "umbrella")
    assert auditor.audit(qi).stages.first == "undecided"
    auditor.changed(inspection.edit("memory", [mi], "namespace", ["guest", "lind"]))
    assert auditor.audit(qi).stages.first == "none"
    auditor.changed(inspection.edit("memory", [mi], "namespace", ["guest", "park"]))
    # Exposed to another guest; the answer shares three words with it, too few to say that it was told.
    assert auditor.audit(qi).stages.all == ("verification",)


def test_audits_kept_after_edits_equal_fresh_ones(inspection: Inspection) -> None:
    auditor = Auditor(inspection)
    auditor.all()
    memories = {memory.id: mi for mi, memory in enumerate(inspection.memories)}
    queries = {query.id: qi for qi, query in enumerate(inspection.queries)}
    inspection.subscribe(auditor.changed)
    inspection.edit("memory", [memories["house-pool"]], "status", "archived")
    inspection.edit("memory", [memories["park-code"]], "text", "The Parks chose 1234 as the code of their room safe.")
    inspection.edit("query", [queries["missed-ferry"]], "required", ["house-pool"])
    recorded = {**inspection.queries[queries["quiet-room"]].value("recorded"), "answer": "Ask for 1234 at the desk."}
    inspection.edit("query", [queries["quiet-room"]], "leak_targets", ["1234"])
    inspection.edit("query", [queries["quiet-room"]], "recorded", recorded)
    fresh = Auditor(inspection)
    for qi in range(len(inspection.queries)):
        assert auditor.audit(qi).stages == fresh.audit(qi).stages
        assert auditor.audit(qi).rows == fresh.audit(qi).rows
    assert auditor.audit(queries["safe-code"]).stages.first == "none"
    assert auditor.audit(queries["quiet-room"]).stages.first == "disclosure"
    assert auditor.audit(queries["pool-hours"]).stages.first == "verification"
