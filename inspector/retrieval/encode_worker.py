"""The process that encodes: ``python -m inspector.retrieval.encode_worker LOAD [SHA256]``, frames on stdin and stdout.

It exists because importing torch and sentence_transformers takes seconds and stalls a terminal UI, and because a
process can be killed at once. It ends as soon as its stdin closes, in the middle of a batch too, so that a killed
parent leaves no orphan.

**The same text gives the same vector whatever it is encoded with.** Texts of equal token count are encoded together,
so nothing is padded (padding moves vectors by 1e-7), and a batch has at least :data:`LEAST` tokens, its first text
repeated if need be (matrix kernels for very few rows add up in another order).
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.retrieval.frames import Done, Encoded, Failed, Job, Ready, read_job, write_frame
from inspector.retrieval.models import check_weights

BATCH = 32
LEAST = 64


def _own_stdout() -> BinaryIO:
    """The pipe to the embedder, with the process's stdout turned to stderr: libraries print what they like."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def _read_jobs(jobs: queue.SimpleQueue[Job]) -> None:
    while (job := read_job(sys.stdin.buffer)) is not None:
        jobs.put(job)
    os._exit(0)  # the embedder is gone: nobody waits for the batch in hand


def _load(load: str, sha256: str | None) -> Any:
    if sha256 is not None:
        check_weights(Path(load), sha256)
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    torch.set_grad_enabled(False)
    try:
        return SentenceTransformer(
            load,
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # whatever the library raises for a model that is absent or damaged
        first = str(error).strip().partition("\n")[0]
        raise InspectorError(
            _("cannot load the embedding model {load}: {first}").format(load=load, first=first)
        ) from error


def _token_counts(model: Any, texts: list[str]) -> list[int]:
    """Tokens of each text, special ones included, uncut; the number of characters where a model has no tokenizer."""
    try:
        return [len(ids) for ids in model.tokenizer(texts, truncation=False, verbose=False)["input_ids"]]
    except (AttributeError, TypeError, KeyError):
        return [len(text) for text in texts]


def _answer(model: Any, job: Job, limit: int | None, pipe: BinaryIO) -> None:
    groups: dict[int, list[int]] = defaultdict(list)
    truncated: set[int] = set()
    for position, count in enumerate(_token_counts(model, job.texts)):
        if limit is not None and count > limit:
            truncated.add(position)
        groups[count if limit is None else min(count, limit)].append(position)
    for count, members in sorted(groups.items()):
        least = -(-LEAST // max(count, 1))
        for start in range(0, len(members), BATCH):
            positions = members[start : start + BATCH]
            texts = [job.texts[position] for position in positions]
            texts += texts[:1] * (least - len(texts))
            vectors = model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
            rows = np.ascontiguousarray(vectors[: len(positions)], dtype="<f4")
            cut = [position for position in positions if position in truncated]
            write_frame(pipe, Encoded(job.number, positions, rows.tobytes(), cut))
    write_frame(pipe, Done(job.number))


def main(arguments: list[str]) -> int:
    """Load the model, say so, and answer jobs until stdin closes. Returns the exit status."""
    pipe = _own_stdout()
    jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_read_jobs, args=(jobs,), daemon=True).start()
    try:
        model = _load(arguments[0], arguments[1] if len(arguments) > 1 else None)
        limit = model.max_seq_length
        limit = limit if isinstance(limit, int) and limit > 0 else None
        size = int(model.encode(["size"], show_progress_bar=False).shape[1])
        write_frame(pipe, Ready(size, limit))
        while True:
            _answer(model, jobs.get(), limit, pipe)
    except InspectorError as error:
        write_frame(pipe, Failed(str(error)))
    except BrokenPipeError:
        pass
    return 1


if __name__ == "__main__":
    # Not sys.exit: torch's threads and the reader must not delay the end.
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)
