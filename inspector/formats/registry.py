"""What can be read, in the words of ``inspector formats``."""

from __future__ import annotations

from inspector.formats import gatemem, mapping, packets, postgres, rhelm
from inspector.formats.base import Format
from inspector.formats.importers import IMPORTERS

#: What our own forms hold, whatever the container (DESIGN 2, 3).
_SCOPE = "namespace, namespaces; session_id where isolation asks for it"
_POLICY = "rules of policy.toml; allowed_purposes"
_LIFECYCLE = "deleted_at, boundary_log, created_at, valid_from, superseded_by, valid_to, status"

FORMATS: tuple[Format, ...] = (
    Format(
        name="bundle",
        summary="a folder with memories.*, queries.*, judgments.*, bundle.toml, policy.toml, mapping.toml",
        recognised_by="a folder that holds memories.*, or mapping.toml; each part in any of the four forms below",
        example='memories.jsonl:\n{"id": "m1", "text": "Ana lives in Porto.", "namespace": "ana"}\nqueries.jsonl:\n'
        '{"id": "q1", "text": "Where does Ana live?", "principal": {"id": "ana", "namespaces": ["ana"]}}',
        loss="nothing; unknown keys are kept in meta",
        scope=_SCOPE,
        policy=_POLICY,
        lifecycle=_LIFECYCLE,
    ),
    Format(
        name="jsonl",
        summary="JSON Lines: one memory on each line",
        recognised_by="an object with id and text on the first line",
        example='{"id": "m1", "text": "Ana lives in Porto.", "namespace": "ana"}',
        loss="nothing; unknown keys are kept in meta",
        scope=_SCOPE,
        policy=_POLICY,
        lifecycle=_LIFECYCLE,
    ),
    Format(
        name="json",
        summary="a JSON array of memories, or an object with memories and optionally queries and judgments",
        recognised_by="a document that begins with [, or an object with one of these keys",
        example='{"memories": [{"id": "m1", "text": "Ana lives in Porto."}], '
        '"queries": [{"id": "q1", "text": "Where does Ana live?"}]}',
        loss="nothing; unknown keys are kept in meta; a document that breaks off is refused whole",
        scope=_SCOPE,
        policy=_POLICY,
        lifecycle=_LIFECYCLE,
    ),
    Format(
        name="csv",
        summary="a table with a header of field names, separated by commas, semicolons or tabs",
        recognised_by="a first line that names the columns id and text",
        example='id,text,namespace,allowed_purposes\nm1,Ana lives in Porto.,ana,"[""booking""]"',
        loss="an empty cell is an absent key: null and empty cannot be told from it; lists and objects are JSON cells",
        scope=_SCOPE,
        policy=_POLICY,
        lifecycle=_LIFECYCLE,
    ),
    Format(
        name="parquet",
        summary="a Parquet table whose columns are named after the fields",
        recognised_by="the mark PAR1, and columns id and text",
        example="columns id VARCHAR, text VARCHAR, namespace VARCHAR, allowed_purposes VARCHAR[]",
        loss="a row cannot lack a column: a key that is absent reads as null; rows have numbers, not lines",
        scope=_SCOPE,
        policy=_POLICY,
        lifecycle=_LIFECYCLE,
    ),
    mapping.FORMAT,
    postgres.FORMAT,
    rhelm.FORMAT,
    gatemem.FORMAT,
    packets.FORMAT,
    *(one.format for one in IMPORTERS),
)
