"""Put vectors into the bundled stores that are read on a dense route, so that they open at once and offline.

Run it after a bundled text was changed: ``python tests/tools/embed_fixtures.py [STORE…]``. Vectors come from the
product's own encoder, rounded to five decimals; a test checks that they still belong to their texts.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from inspector.retrieval.embedder import Embedder

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def dense_stores() -> list[Path]:
    """The bundled stores whose own route is a dense one."""
    stores = ((path.parent, tomllib.loads(path.read_text("utf-8"))) for path in sorted(FIXTURES.glob("*/bundle.toml")))
    return [folder for folder, settings in stores if settings.get("route", "").endswith("_dense")]


def main(names: Sequence[str] = ()) -> None:
    """Encode every text of the named dense stores, else of all, and write it back with its vector as the last field."""
    stores = [folder for folder in dense_stores() if not names or folder.name in names]
    if missing := set(names) - {folder.name for folder in stores}:
        raise SystemExit(f"no dense store is called {', '.join(sorted(missing))}")
    with Embedder() as embedder:
        for folder in stores:
            for name in ("memories.jsonl", "queries.jsonl"):
                path = folder / name
                records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
                vectors: dict[int, list[float]] = {}
                for batch in embedder.encode([record["text"] for record in records]):
                    for position, vector in zip(batch.positions.tolist(), batch.vectors, strict=True):
                        vectors[position] = np.round(vector.astype(np.float64), 5).tolist()
                with path.open("w", encoding="utf-8", newline="\n") as out:
                    for position, record in enumerate(records):
                        record.pop("embedding", None)
                        record["embedding"] = vectors[position]
                        out.write(json.dumps(record, ensure_ascii=False) + "\n")
            print(folder.name)


if __name__ == "__main__":
    main(sys.argv[1:])
