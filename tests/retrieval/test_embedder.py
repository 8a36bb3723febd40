"""The embedder and its process. Tests marked ``encodes`` load the real model once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from inspector.errors import Cancelled, InspectorError
from inspector.records import Progress
from inspector.retrieval import embedder as module
from inspector.retrieval.embedder import Embedder
from inspector.retrieval.models import BUNDLED_SHA256, bundled_folder, check_weights, file_sha256, find_model

TEXTS = ["the old address", "the guest's anniversary", "", "a", "the old address", "street " * 400, "who asked? \udcff"]


@pytest.fixture(scope="module")
def shared_embedder() -> Iterator[Embedder]:
    with Embedder() as embedder:
        yield embedder


def worker_pid(embedder: Embedder) -> int:
    assert embedder._worker is not None
    return embedder._worker.process.pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_the_bundled_weights_are_the_expected_ones() -> None:
    assert file_sha256(bundled_folder() / "model.safetensors") == BUNDLED_SHA256
    assert BUNDLED_SHA256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_a_model_is_meant_by_nothing_by_name_or_by_folder(tmp_path: Path) -> None:
    assert find_model() == find_model("all-MiniLM-L6-v2") == find_model("sentence-transformers/all-MiniLM-L6-v2")
    assert find_model("some/model").sha256 is None
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    found = find_model(str(tmp_path))
    # printf weights | sha256sum
    assert found.key == f"{tmp_path.name}@9a129038d9a00aed"
    assert found.sha256 is None


@pytest.mark.parametrize("wanted", ["./absent", "/absent/model", "~/absent-model"])
def test_an_absent_folder_is_refused(wanted: str) -> None:
    with pytest.raises(InspectorError, match="no such folder"):
        find_model(wanted)


def test_a_folder_without_safe_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(InspectorError, match=r"no model\.safetensors"):
        find_model(str(tmp_path))


def test_other_weights_are_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(InspectorError, match=f"expected {BUNDLED_SHA256}"):
        check_weights(tmp_path, BUNDLED_SHA256)
    embedder = Embedder()
    embedder.model = replace(embedder.model, load=str(tmp_path))
    with pytest.raises(InspectorError, match="SHA-256 is"):
        embedder.encode_all(["text"])
    assert embedder._worker is None


def test_nothing_to_encode_starts_nothing() -> None:
    embedder = Embedder()
    assert embedder.encode_all([]).shape == (0, 0)
    assert embedder._worker is None


def test_a_cancel_is_obeyed_while_the_model_is_loading() -> None:
    embedder = Embedder()
    embedder.start()
    pid = worker_pid(embedder)
    with pytest.raises(Cancelled):
        list(embedder.encode(["text"], cancelled=lambda: True))
    assert not is_alive(pid)


def test_a_killed_process_is_reported_and_the_next_call_starts_another() -> None:
    embedder = Embedder()

    def kill(_: Progress) -> None:
        os.kill(worker_pid(embedder), signal.SIGKILL)

    with pytest.raises(InspectorError, match="ended unexpectedly"):
        list(embedder.encode(["text"], kill))
    assert embedder._worker is None
    embedder.start()
    assert is_alive(worker_pid(embedder))
    embedder.close()


def test_a_killed_parent_leaves_no_orphan() -> None:
    program = (
        "import time\nfrom inspector.retrieval.embedder import Embedder\nembedder = Embedder()\nembedder.start()\n"
        "print(embedder._worker.process.pid, flush=True)\ntime.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(pid)


@pytest.mark.encodes
def test_vectors_are_unit_and_the_same_in_any_company(shared_embedder: Embedder) -> None:
    seen: list[Progress] = []
    rows = np.zeros((len(TEXTS), 384), dtype=np.float32)
    positions: list[int] = []
    truncated: list[int] = []
    for batch in shared_embedder.encode(TEXTS, seen.append):
        rows[batch.positions] = batch.vectors
        positions += batch.positions.tolist()
        truncated += batch.truncated
    assert sorted(positions) == list(range(len(TEXTS)))
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1.0] * len(TEXTS), abs=1e-6)
    assert truncated == [5]
    assert shared_embedder.max_tokens == 256
    assert seen[-1] == Progress("encoding", len(TEXTS), len(TEXTS), "texts")
    pid = worker_pid(shared_embedder)
    alone = np.vstack([shared_embedder.encode_all([text]) for text in TEXTS])
    assert alone.tobytes() == rows.tobytes()
    assert (rows[0] == rows[4]).all()
    assert shared_embedder.encode_all(TEXTS[::-1])[::-1].tobytes() == rows.tobytes()
    assert worker_pid(shared_embedder) == pid


@pytest.mark.encodes
def test_similar_texts_are_nearer(shared_embedder: Embedder) -> None:
    texts = ["Where does she live?", "Her address is 5 Hill Road.", "The soup was too salty."]
    near, far = shared_embedder.encode_all(texts)[1:] @ shared_embedder.encode_all(texts[:1])[0]
    assert near > far


@pytest.mark.encodes
def test_what_was_yielded_before_a_cancel_stays_good(
    shared_embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"memory number {i} of the guest" for i in range(60)]
    whole = shared_embedder.encode_all(texts)
    monkeypatch.setattr(module, "JOB", 8)
    got: dict[int, npt.NDArray[np.float32]] = {}

    def take() -> None:
        for batch in shared_embedder.encode(texts, cancelled=lambda: len(got) >= 16):
            got.update(zip(batch.positions.tolist(), batch.vectors, strict=True))

    with pytest.raises(Cancelled):
        take()
    assert 16 <= len(got) < 60
    assert all((vector == whole[place]).all() for place, vector in got.items())
    assert shared_embedder._worker is None
    rest = [place for place in range(60) if place not in got]
    assert (shared_embedder.encode_all([texts[place] for place in rest]) == whole[rest]).all()


@pytest.mark.encodes
def test_a_damaged_model_is_reported(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    (tmp_path / "config.json").write_text("{}")
    with Embedder(str(tmp_path)) as embedder, pytest.raises(InspectorError, match="cannot load the embedding model"):
        embedder.encode_all(["text"])
