"""Frames on the pipes between the embedder and its worker process: four bytes of length, then MessagePack.

A frame is written whole or the pipe is broken: there is nothing to resynchronise on. Both ends are ours; a frame
never comes from a store.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

import msgspec

_LENGTH = struct.Struct("<I")
_encoder = msgspec.msgpack.Encoder()


class Job(msgspec.Struct, tag="job", frozen=True):
    """Texts to encode; the worker answers with any number of :class:`Encoded` and one :class:`Done`."""

    number: int
    texts: list[str]


class Ready(msgspec.Struct, tag="ready", frozen=True):
    """The model is loaded: vector length, and the number of tokens after which it cuts a text (None: no limit)."""

    size: int
    max_tokens: int | None


class Encoded(msgspec.Struct, tag="encoded", frozen=True):
    """Unit vectors (float32, row by row) of the job's texts at ``positions``; ``truncated`` are those cut short."""

    job: int
    positions: list[int]
    vectors: bytes
    truncated: list[int]


class Done(msgspec.Struct, tag="done", frozen=True):
    """Every text of the job has been answered."""

    job: int


class Failed(msgspec.Struct, tag="failed", frozen=True):
    """The worker cannot go on; ``reason`` is for the user."""

    reason: str


Answer = Ready | Encoded | Done | Failed
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)
_jobs: msgspec.msgpack.Decoder[Job] = msgspec.msgpack.Decoder(Job)


def write_frame(pipe: BinaryIO, message: Any) -> None:
    """Write one message and flush. Raises OSError where the other end is gone."""
    payload = _encoder.encode(message)
    pipe.write(_LENGTH.pack(len(payload)) + payload)
    pipe.flush()


def _read(pipe: BinaryIO) -> bytes | None:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    payload = pipe.read(length)
    return payload if len(payload) == length else None


def read_answer(pipe: BinaryIO) -> Answer | None:
    """The worker's next message, or None where it closed the pipe, in the middle of a frame too."""
    payload = _read(pipe)
    return None if payload is None else _answers.decode(payload)


def read_job(pipe: BinaryIO) -> Job | None:
    """The embedder's next job, or None where it closed the pipe."""
    payload = _read(pipe)
    return None if payload is None else _jobs.decode(payload)
