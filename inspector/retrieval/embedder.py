"""Sentence vectors from a worker process: batched by length, with progress, cancel and resume (DESIGN 4).

The model's libraries are never imported here (LIMITS: they take 6 s and stall a UI). Vectors come batch by batch, so
that the caller keeps each as it comes; what was yielded before a cancel, a crash or a kill stays valid, and encoding
the rest later gives the same vectors (:mod:`inspector.retrieval.encode_worker` says why).
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from inspector.confinement import check_encoder
from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _, _d
from inspector.records import OnProgress, Progress
from inspector.retrieval.frames import Answer, Done, Encoded, Failed, Job, Ready, read_answer, write_frame
from inspector.retrieval.models import Model, find_model

#: Texts in one job. Sorted by length, such a job falls into large groups of equal token count.
JOB = 512
#: Jobs under way at a time, so that the worker never waits for the next one.
AHEAD = 2
#: How often a cancel is looked for, in seconds.
POLL = 0.05
_STDERR_KEPT = 8_192
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONUNBUFFERED": "1",
}


class EncodedBatch(NamedTuple):
    """Some of the texts, encoded: positions in the list that was given, their unit vectors (float32, one row each).

    ``truncated`` are the positions whose text is longer than the model reads; their vector is that of the beginning.
    """

    positions: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]
    truncated: tuple[int, ...]


class _Worker:
    """One worker process, the thread that reads its answers, and the end of what it wrote to stderr."""

    def __init__(self, model: Model) -> None:
        check_encoder()
        command = [sys.executable, "-m", "inspector.retrieval.encode_worker", model.load]
        if model.sha256 is not None:
            command.append(model.sha256)
        root = str(Path(__file__).resolve().parents[2])
        path = os.environ.get("PYTHONPATH")
        env = {**os.environ, **_OFFLINE, "PYTHONPATH": root if not path else f"{root}{os.pathsep}{path}"}
        # A session of its own: an interrupt typed at the terminal is the parent's to handle.
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
        )
        self.stdin, self.stdout, self.stderr = (
            cast(BinaryIO, pipe) for pipe in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        self.answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self.words = bytearray()
        self._readers = (
            threading.Thread(target=_forward, args=(self.stdout, self.answers), daemon=True),
            threading.Thread(target=_keep_end, args=(self.stderr, self.words), daemon=True),
        )
        for reader in self._readers:
            reader.start()

    def kill(self) -> None:
        """End the process at once and free its pipes."""
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(timeout=1)
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()

    def last_words(self) -> str:
        """The last line that the process wrote to stderr, or its exit status where it wrote none."""
        self.process.wait()
        self._readers[1].join(timeout=1)
        lines = self.words.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else _d("exit status {returncode}").format(returncode=self.process.returncode)


def _forward(pipe: BinaryIO, answers: queue.SimpleQueue[Answer | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while (answer := read_answer(pipe)) is not None:
            answers.put(answer)
    answers.put(None)


def _keep_end(pipe: BinaryIO, words: bytearray) -> None:
    with contextlib.suppress(OSError, ValueError):
        while chunk := pipe.read1(4_096):  # type: ignore[attr-defined]
            words += chunk
            del words[:-_STDERR_KEPT]


class Embedder:
    """Encodes texts in a worker process that stays for the next call, so that only the first one pays its start.

    ``model`` is None for the bundled MiniLM, a folder, or the name of a model already on this machine. Nothing is
    started before the first :meth:`encode` or :meth:`start`. One job runs at a time; a second caller waits.
    Raises InspectorError where the model cannot be found.
    """

    def __init__(self, model: str | None = None) -> None:
        self.model = find_model(model)
        self.ready: Ready | None = None
        self._worker: _Worker | None = None
        self._finalizer: weakref.finalize[[], Embedder] | None = None
        self._lock = threading.Lock()
        self._jobs = 0

    @property
    def key(self) -> str:
        """The key under which this model's vectors are kept (with the text's content hash)."""
        return self.model.key

    @property
    def max_tokens(self) -> int | None:
        """Tokens after which the model cuts a text; None before the worker is ready, or where there is no limit."""
        return None if self.ready is None else self.ready.max_tokens

    def __enter__(self) -> Embedder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, at once; a later call starts another."""
        worker, self._worker, self.ready = self._worker, None, None
        if self._finalizer is not None:
            self._finalizer.detach()
            self._finalizer = None
        if worker is not None:
            worker.kill()

    def start(self) -> None:
        """Start the worker without waiting for it, so that a first query finds the model loaded."""
        with self._lock:
            self._running()

    def _running(self) -> _Worker:
        if self._worker is not None and self._worker.process.poll() is not None:
            self.close()
        if self._worker is None:
            self._worker = _Worker(self.model)
            self._finalizer = weakref.finalize(self, self._worker.kill)
        return self._worker

    def _next(self, worker: _Worker, cancelled: Callable[[], bool]) -> Answer:
        while True:
            if cancelled():
                raise Cancelled(_("encoding was cancelled: the vectors made so far are kept"))
            try:
                answer = worker.answers.get(timeout=POLL)
            except queue.Empty:
                continue
            if answer is None:
                raise InspectorError(
                    _("the embedding process ended unexpectedly: {last_words}").format(last_words=worker.last_words())
                )
            if isinstance(answer, Failed):
                raise InspectorError(answer.reason)
            return answer

    def encode(
        self,
        texts: Sequence[str],
        on_progress: OnProgress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[EncodedBatch]:
        """Yield the texts' unit vectors in batches, shortest texts first; every position comes exactly once.

        A lone surrogate is read as "?", which the model's tokenizer needs. Raises Cancelled soon after ``cancelled``
        becomes true, and InspectorError where the weights are not the expected ones, the model cannot be loaded, or
        the process dies; batches yielded before stay good. Leaving the generator early ends the process.
        """
        if not texts:
            return
        with self._lock:
            finished = False
            try:
                yield from self._encode(texts, on_progress or (lambda _: None), cancelled)
                finished = True
            finally:
                if not finished:  # jobs are still under way: their answers must not reach the next caller
                    self.close()

    def _encode(
        self, texts: Sequence[str], on_progress: OnProgress, cancelled: Callable[[], bool]
    ) -> Iterator[EncodedBatch]:
        worker = self._running()
        if self.ready is None:
            on_progress(Progress(_("loading the embedding model"), 0, None, _("model")))
            self.ready = cast(Ready, self._next(worker, cancelled))
        order = sorted(range(len(texts)), key=lambda position: (len(texts[position]), position))
        pending = {self._jobs + i: order[at : at + JOB] for i, at in enumerate(range(0, len(order), JOB))}
        self._jobs += len(pending)
        unsent, open_jobs, done = list(pending), 0, 0
        unsent.reverse()
        while pending:
            while unsent and open_jobs < AHEAD:
                number = unsent.pop()
                clean = [texts[position].encode("utf-8", "replace").decode() for position in pending[number]]
                try:
                    write_frame(worker.stdin, Job(number, clean))
                except OSError:
                    raise InspectorError(
                        _("the embedding process ended unexpectedly: {last_words}").format(
                            last_words=worker.last_words()
                        )
                    ) from None
                open_jobs += 1
            answer = self._next(worker, cancelled)
            if isinstance(answer, Done):
                del pending[answer.job]
                open_jobs -= 1
            elif isinstance(answer, Encoded):
                members = pending[answer.job]
                positions = np.array([members[place] for place in answer.positions], dtype=np.int64)
                vectors = np.frombuffer(answer.vectors, dtype="<f4").astype(np.float32)
                done += len(positions)
                yield EncodedBatch(
                    positions,
                    vectors.reshape(len(positions), self.ready.size),
                    tuple(members[place] for place in answer.truncated),
                )
                on_progress(Progress(_("encoding"), done, len(texts), _("texts")))

    def encode_all(
        self, texts: Sequence[str], cancelled: Callable[[], bool] = lambda: False
    ) -> npt.NDArray[np.float32]:
        """All vectors at once, in the order of the texts: for one query that a user types, and for tests."""
        rows: npt.NDArray[np.float32] | None = None
        for batch in self.encode(texts, None, cancelled):
            if rows is None:
                rows = np.zeros((len(texts), batch.vectors.shape[1]), dtype=np.float32)
            rows[batch.positions] = batch.vectors
        return np.zeros((0, 0), dtype=np.float32) if rows is None else rows
