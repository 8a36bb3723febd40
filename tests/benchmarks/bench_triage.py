"""How long a queue of many incidents takes to open and to move through: ``python tests/benchmarks/bench_triage.py``.

Prints figures, of processor time; asserts nothing. The store is made here: recorded traces of every kind, on 400
memories.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from inspector.auditing import Auditor
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.triage import Triage

#: Processor time: what the work costs, whatever else the machine does meanwhile.
clock = time.process_time


def sentence(seed: int, length: int = 14) -> str:
    """A text of its own, from a vocabulary of 3,000 words."""
    draw = random.Random(seed)
    return " ".join(f"word{draw.randrange(3_000)}" for _ in range(length))


def write(folder: Path, incidents: int, memories: int = 400) -> None:
    """A bundle of recorded traces: ten retrieved, five exposed by the prompt's text, an answer that quotes one."""
    with (folder / "memories.jsonl").open("w", encoding="utf-8") as out:
        for n in range(memories):
            record = {"id": f"memory-{n}", "text": sentence(n), "namespace": f"guest-{n % 20}"}
            record |= {"created_at": "2026-01-01T00:00:00Z", "status": "active" if n % 5 else "superseded"}
            out.write(json.dumps({**record, "allowed_purposes": ["concierge"]}) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as out:
        for n in range(incidents):
            held = [(n * 13 + step * 20) % memories for step in range(10)]
            prompt = "\n".join(["Notes:", *(sentence(one) for one in held[:5]), f"user: question {n}"])
            recorded: dict[str, Any] = {
                "events": [{"name": "search", "retrieved": [{"id": f"memory-{one}", "score": 0.5} for one in held]}],
                "prompt": prompt,
                "answer": f"I think so: {sentence(held[n % 5], 8)}. Anything else?",
            }
            asked: dict[str, Any] = {"id": f"q{n}", "text": f"question {n} about {sentence(n, 3)}"}
            asked["purpose"] = "concierge"
            asked |= {"principal": {"id": "p", "namespaces": [f"guest-{(n * 13 + n % 2) % 20}"]}, "intent": "current"}
            out.write(json.dumps({**asked, "required": [f"memory-{held[0]}"], "recorded": recorded}) + "\n")


async def on_screen(inspection: Inspection) -> None:
    """The Triage screen as a user meets it: from the key to the queue, a step with its incident, grouping.

    Wall time, with the machine's load beside it: the screen is painted first, the queue is made in a thread.
    """
    from inspector.ui.app import InspectorApp
    from inspector.ui.screens.inspect import InspectScreen
    from inspector.ui.screens.triage import TriageScreen

    wall = time.perf_counter
    app = InspectorApp()
    async with app.run_test(size=(120, 40)) as pilot:
        app.show_inspection(inspection)
        await pilot.pause(0.5)
        assert isinstance(app.screen, InspectScreen)
        start = wall()
        app.screen.action_triage()
        while not isinstance(app.screen, TriageScreen) or not app.screen.is_attached:
            await asyncio.sleep(0.002)
        screen, painted = app.screen, wall()
        while screen.state.triage is None or screen.running("incidents"):
            await asyncio.sleep(0.002)
        load = os.getloadavg()[0]
        print(f"screen: shown {(painted - start) * 1e3:.0f} ms, queue {(wall() - start) * 1e3:.0f} ms, load {load:.1f}")
        await pilot.pause(0.3)
        steps = []
        for _ in range(60):
            start = wall()
            screen.action_step(1)
            await asyncio.sleep(0)
            screen.show_incident()
            steps.append(wall() - start)
            await asyncio.sleep(0.05)
        said = f"median {statistics.median(steps) * 1e3:.1f} ms, worst {max(steps) * 1e3:.1f} ms"
        print(f"a step on the screen, the incident told: {said}, load {os.getloadavg()[0]:.1f}")
        app.inspection = None


def main() -> None:
    """Measure and print."""
    incidents = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, incidents)
        with open_sources([folder], OpenOptions(temporary=True)) as inspection:
            start = clock()
            inspection.evaluate()
            print(f"evaluate {incidents:,} queries, the audit included: {clock() - start:.2f} s")
            # A store is audited when it is evaluated; what opens the queue finds the audits made.
            start = clock()
            triage = Triage(inspection, inspection.auditor)
            found = triage.queue
            print(f"open the queue: {clock() - start:.2f} s")
            start = clock()
            Auditor(inspection).all()
            print(f"the audit alone, from nothing: {clock() - start:.2f} s")
            steps = []
            here = found.incidents[0]
            while True:
                start = clock()
                after = found.beside(here.identity, 1)
                if after is None:
                    break
                here = after
                steps.append(clock() - start)
            print(f"a step: median {statistics.median(steps) * 1e3:.3f} ms, worst {max(steps) * 1e3:.3f} ms")
            start = clock()
            groups = found.groups()
            print(f"group: {(clock() - start) * 1e3:.1f} ms, {len(groups)} groups")
            start = clock()
            found.set_state([here.identity], "confirmed")
            print(f"set one state: {(clock() - start) * 1e3:.1f} ms")
            start = clock()
            inspection.edit("memory", [0], "status", "archived")
            edited = clock()
            triage.refresh()
            print(f"edit {(edited - start) * 1e3:.1f} ms, refresh {(clock() - edited) * 1e3:.1f} ms")
            asyncio.run(on_screen(inspection))


if __name__ == "__main__":
    main()
