"""Loading the axes is cheap, and nothing in them reads the machine's clock or zone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_SCRIPT = """
import sys
from inspector.axes import AxisEngine
from inspector.records import Memory, Origin, Query, Settings
assert "duckdb" not in sys.modules
times = ["2026-03-01T00:00:00", "2026-03-01T12:00:00Z", "2026-02-28T09:00:00+09:00", 1772323200]
memories = [Memory({"id": f"m{i}", "text": "", "valid_to": at, "created_at": times[0], "status": "active"},
                   Origin("m", i)) for i, at in enumerate(times)]
queries = [Query({"id": f"q{i}", "text": "", "as_of": at}, Origin("q", i)) for i, at in enumerate(times)]
policies = ["", "[[rules]]\\nid='r'\\neffect='allow'\\nwhen='''m.valid_to <= '2026-03-01' AND hour(q.as_of) < 12'''"]
for policy in policies:
    engine = AxisEngine(memories, queries, [], Settings(policy=policy))
    m, q = [list(range(4))], [[i] for i in range(4)]
    print(engine.policy(m, q).tolist(), engine.lifecycle(m, q).tolist(), engine.stored(m, q).tolist())
    print([engine.explain(i, j).lifecycle.reason for i in range(4) for j in range(4)])
    assert ("duckdb" in sys.modules) == bool(policy)
"""


def _run(zone: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True, env={**os.environ, "TZ": zone}
    )
    return done.stdout


@pytest.mark.parametrize("zone", ["Pacific/Pago_Pago", "Pacific/Kiritimati"])
def test_values_do_not_depend_on_the_machines_zone(zone: str) -> None:
    assert _run(zone) == _run("UTC")
