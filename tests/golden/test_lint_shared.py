"""Lint on the public data: no crash, and counts that a few lines of plain Python over the raw files give too."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from inspector.inspection import OpenOptions
from inspector.linting import lint_sources

pytestmark = pytest.mark.shared


def counts(*sources: Path) -> dict[str, int]:
    report = lint_sources(sources, OpenOptions(temporary=True))
    assert not report.failed
    json.dumps(report.to_json(), allow_nan=False)
    assert report.text()
    return report.counts()


def repeats(texts: Iterable[tuple[str, str]]) -> int:
    """Texts that their owner has had before, white space, width and case aside."""
    seen: set[tuple[str, str]] = set()
    count = 0
    for owner, text in texts:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        key = owner, " ".join(folded.split())
        count += key in seen
        seen.add(key)
    return count


def mostly_foreign(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    latin = [char for char in letters if "LATIN" in unicodedata.name(char, "")]
    return bool(letters) and len(latin) * 2 < len(letters)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def test_rhelm(shared: Path) -> None:
    folder = shared / "rhelm"
    turns = []
    for file in sorted(folder.glob("conversations/*/*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        turns += [(told["character"], f"{turn['user']}\n{turn['assistant']}") for turn in told["conversation"]]
    asked = sum(len(lines(file)) for file in folder.glob("QA_final/*.jsonl"))
    assert (len(turns), asked) == (8_082, 862)
    found = counts(folder)
    # The stamps have no zone, of turns and of questions alike; owners, dates and words are in order.
    assert found.pop("naive-time") == len(turns) + asked == 8_944
    assert found.pop("untrained-text") == sum(mostly_foreign(text) for _, text in turns) == 2
    assert repeats(turns) == 0
    assert found == {}


@pytest.mark.parametrize(("domain", "duplicates", "unknown"), [("medical", 138, 369), ("office", 2_944, 393)])
def test_gatemem(shared: Path, domain: str, duplicates: int, unknown: int) -> None:
    folder = shared / "gatemem" / domain
    turns = [(one["episode_id"], turn["text"]) for one in lines(folder / "episodes.jsonl") for turn in one["turns"]]
    asked = lines(folder / "checkpoints.jsonl")
    ours = ("archive_only", "answer_context", "answer", "warn", "verify_first", "block")
    found = counts(folder)
    assert found.pop("duplicate-text") == repeats(turns) == duplicates
    assert found.pop("unknown-action") == sum(one["expected_action"] not in ours for one in asked) == unknown
    assert found.pop("naive-time") == len(turns) + len(asked)
    assert found == {}


def authority(memory: dict[str, Any]) -> bool:
    """DESIGN 7, the coverage map: what counts as an authority signal."""
    return (
        memory.get("verification_required") is True
        or memory.get("memory_type") in ("policy", "credential", "correction")
        or memory.get("allowed_action_hint") in ("block", "verify_first", "warn")
        or memory.get("epistemic_status") in ("unresolved", "contested")
        or (memory.get("contradiction_count") or 0) >= 2
    )


def governs(memory: dict[str, Any]) -> bool:
    held = memory.get("governs") or {}
    return any(held.get(name) for name in ("any_terms", "all_terms", "action_types"))


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ("claim15_governance_stress_v0_1", {"authority-without-governs": 3}),
        ("claim16_action_type_mismatch_v0_1", {"authority-without-governs": 4, "unknown-status": 2}),
        ("claim17_authority_absent_boundary_v0_1", {"sensitive-unguarded": 2}),
        ("claim17_resource_sensitivity_v0_1", {"authority-without-governs": 6, "unknown-status": 2}),
        ("claim20_execution_gate_v0_1", {"governs-without-authority": 3}),
    ],
)
def test_authority_packets(shared: Path, packet: str, expected: dict[str, int]) -> None:
    file = shared / "authority_packets" / f"{packet}.json"
    memories = [m for one in json.loads(file.read_text(encoding="utf-8"))["scenarios"] for m in one["memory_store"]]
    found = counts(file)
    assert found == expected
    assert found.get("governs-without-authority", 0) == sum(governs(m) and not authority(m) for m in memories)
    assert found.get("authority-without-governs", 0) == sum(authority(m) and not governs(m) for m in memories)
    known = ["active", "current", "verified", "stale", "expired", "deprecated", "archived", "superseded", "replaced"]
    known += ["invalidated", "deleted", "erased", "forgotten"]
    assert found.get("unknown-status", 0) == sum(m.get("status", "active") not in known for m in memories)
    ordinary = ("low", "none", "public", "ordinary_fact", None)
    bare = [m for m in memories if not governs(m) and not authority(m)]
    assert found.get("sensitive-unguarded", 0) == sum(m.get("resource_sensitivity") not in ordinary for m in bare)
