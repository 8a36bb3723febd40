"""Comparisons on the public data: what its README says must come out, and what must hold whatever the encoder.

The texts' vectors are noise made of their hashes: encoding them takes a quarter of an hour, and nothing here depends
on what is found, only on whose it is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inspector.compare.comparison import Comparison, Request, compare
from inspector.compare.corruption import RATES
from inspector.comparing import SensitivityRequest, run_source, sensitivity
from inspector.comparing.sensitive import sensitivity_source
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.retrieval.models import find_model
from inspector.text import content_hash

pytestmark = pytest.mark.shared
ROUTES = ("global_dense", "namespace_dense", "postfilter:500", "random_partition")


def with_noise(source: Path, kept: Path, **assume: str) -> Inspection:
    """The source opened with a vector for every text, made of the text's hash."""
    inspection = open_sources([source], OpenOptions(workspace=kept, assume=assume))
    texts = sorted({record.text for record in (*inspection.memories, *inspection.queries)})
    hashes = [content_hash(text) for text in texts]
    seeds = np.array([[int(digest[i : i + 4], 16) for i in range(0, 64, 4)] for digest in hashes], dtype=np.float32)
    inspection.workspace.put_vectors(hashes, find_model().key, seeds - np.float32(32_768))
    return inspection


@pytest.fixture(scope="module")
def rhelm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "rhelm.duckdb"


def compared(shared: Path, kept: Path, **assume: str) -> Comparison:
    request = Request(ROUTES)
    with with_noise(shared / "rhelm", kept, **assume) as inspection:
        return compare(request, [run_source(inspection, request)])


def test_rhelm(shared: Path, rhelm: Path) -> None:
    found = compared(shared, rhelm, status="current", policy="allow")
    source = found.sources[0]
    # data/README.md: 862 questions, 293 without turn evidence; seven characters are seven groups
    assert (source.queries, len(source.not_evaluable), len(source.groups)) == (862, 293, 7)
    whole, own, after, drawn = (found.route(name).figures for name in ROUTES)
    assert whole["recall"].queries == 862 - 293
    # A namespace holds the asker's own turns alone, all allowed and current here: nothing in it is a violation.
    assert own["conditional_upper"].value == 0
    assert whole["violations"].value is not None
    assert whole["violations"].value > 0
    assert (own["recall"].value or 0) > (whole["recall"].value or 0)
    # A namespace costs its share of the similarities, a draw of its size the same, deleting afterwards all of them.
    assert own["similarities"].value == drawn["similarities"].value
    assert after["similarities"].value == whole["similarities"].value
    assert 5 < (whole["similarities"].value or 0) / (own["similarities"].value or 1) < 9
    # With seven groups the smallest exact p is 2/2^7.
    delta = found.route("namespace_dense").deltas["recall"]
    assert delta.p == pytest.approx(2 / 128)


def test_rhelm_without_assumptions(shared: Path, rhelm: Path) -> None:
    found = compared(shared, rhelm)
    # The data states no policy and no state, so nothing is admitted: what is not known to be a violation is unknown.
    for name in ROUTES:
        figures = found.route(name).figures
        assert figures["ranking_upper"].value == 1
        assert figures["conditional_upper"].value in (None, 1)  # None where noise reaches no recall
        assert figures["risk_upper"].value == 1
    assert found.route("namespace_dense").figures["conditional_lower"].value == 0


def test_hiding_on_gatemem_only_widens(shared: Path, tmp_path: Path) -> None:
    kinds = ("hidden_scope", "hidden_policy", "hidden_lifecycle", "hidden_all")
    request = SensitivityRequest(Request(("namespace_dense",)), kinds=kinds, seeds=3)
    with with_noise(shared / "gatemem", tmp_path / "gatemem.duckdb") as inspection:
        found = sensitivity(request, [sensitivity_source(inspection, request)])
    for kind in kinds:
        points = found.curve("namespace_dense", kind).points
        assert [point.rate for point in points] == list(RATES)
        assert points[0].recall is None  # the data names no required evidence: bounds are over whole rankings
        lowers = [point.lower or 0 for point in points]
        uppers = [point.upper or 0 for point in points]
        assert lowers == sorted(lowers, reverse=True)
        assert uppers == sorted(uppers)
    assert (found.curve("namespace_dense", "hidden_all").points[-1].lower or 0) < lowers[0]
