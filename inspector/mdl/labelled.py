"""Labelled rows for the calibration: M, R, A or a query id, and the oracle action, from CSV, JSONL or Parquet."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.errors import InputError
from inspector.i18n import _, _d
from inspector.mdl.decision import Action
from inspector.mdl.encoder import Floats

#: Looks a query id up: its M, R, A; None where the query has no vectors; raises KeyError for an unknown id.
Resolve = Callable[[str], tuple[float, float, float] | None]

_SIGNALS = ("M", "R", "A")
_ACTION = ("oracle_action", "action", "oracle")
_QUERY = ("query_id", "query")
_ACTION_WORDS = ", ".join(action.word for action in reversed(Action))


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Labelled rows: float64 M, R, A in [0, 1] and uint8 codes of :class:`Action`, all of one length.

    ``file`` is the name as given, ``digest`` the SHA-256 of its bytes.
    """

    file: str
    digest: str
    M: Floats
    R: Floats
    A: Floats
    oracle: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return int(self.oracle.size)


def labelled(
    m: npt.ArrayLike, r: npt.ArrayLike, a: npt.ArrayLike, oracle: npt.ArrayLike, file: str = "rows"
) -> Labelled:
    """Labelled rows from arrays of one length; ``oracle`` are codes of :class:`Action`."""
    arrays: list[Floats] = [np.asarray(x, np.float64) for x in (m, r, a)]
    codes = np.asarray(oracle, np.uint8)
    digest = hashlib.sha256(b"".join([x.tobytes() for x in arrays] + [codes.tobytes()])).hexdigest()
    return Labelled(file, digest, arrays[0], arrays[1], arrays[2], codes)


def read_labelled(path: Path | str, resolve: Resolve | None = None) -> Labelled:
    """Read a labelled file (DESIGN 6, 12); ``.csv``, ``.jsonl``/``.ndjson`` or ``.parquet`` says its kind.

    Columns, whatever their case: ``M``, ``R``, ``A``, or ``query_id`` where ``resolve`` can look ids up; and
    ``action`` (or ``oracle_action``). Other columns are ignored. Raises InputError with file, line and column for the
    first bad row; a row of a Parquet file has a number instead of a line.
    """
    path = Path(path)
    readers = {".csv": _csv, ".jsonl": _jsonl, ".ndjson": _jsonl, ".parquet": _parquet}
    reader = readers.get(path.suffix.lower())
    file = str(path)
    if reader is None:
        raise InputError.at(
            file,
            None,
            "",
            _("{suffix!r} is not known").format(suffix=path.suffix or _("no suffix")),
            _(".csv, .jsonl or .parquet"),
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError.at(file, None, "", error.strerror or _("cannot be read"), _("a labelled file")) from None
    signals: list[tuple[float, float, float]] = []
    oracle: list[Action] = []
    for place, row in reader(path, content):
        signals.append(_signals(place, row, resolve))
        oracle.append(_oracle(place, row))
    if not signals:
        raise InputError.at(file, None, "", _("the file has no rows"), _("rows with M, R, A and action"))
    m, r, a = np.array(signals, np.float64).T.copy()
    return Labelled(file, hashlib.sha256(content).hexdigest(), m, r, a, np.array(oracle, np.uint8))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row stands, for messages."""

    file: str
    line: int | None
    prefix: str = ""

    def error(self, column: str, wrong: str, expected: str) -> InputError:
        return InputError.at(self.file, self.line, f"{self.prefix}{column}", wrong, expected)


_Rows = Iterator[tuple[_Place, Mapping[str, Any]]]


def _csv(path: Path, content: bytes) -> _Rows:
    file = str(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError.at(file, line, "", _("the file is not UTF-8"), _("a CSV file in UTF-8")) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    start = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_columns(_Place(file, 1), header)
        start = reader.line_num + 1
        for values in reader:
            place, start = _Place(file, start), reader.line_num + 1
            if not values:
                continue
            if len(values) != len(header):
                raise place.error(
                    "",
                    _("{count} values for {count2} columns").format(count=len(values), count2=len(header)),
                    _("one value for each column"),
                )
            # An empty cell of a CSV file is no value.
            yield place, {name: value if value.strip() else None for name, value in zip(header, values, strict=True)}
    except csv.Error as error:
        raise InputError.at(file, start, "", str(error), _("a CSV file")) from None


def _jsonl(path: Path, content: bytes) -> _Rows:
    for number, line in enumerate(content.split(b"\n"), 1):
        place = _Place(str(path), number)
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            wrong = _(error.msg) if isinstance(error, json.JSONDecodeError) else _("not readable as JSON in UTF-8")
            raise place.error("", wrong, _("one JSON object a line")) from None
        if not isinstance(row, dict):
            raise place.error("", _("the line is no object"), _("one JSON object a line"))
        yield place, row


def _parquet(path: Path, content: bytes) -> _Rows:  # noqa: ARG001 - the file is read by DuckDB
    import duckdb

    file = str(path)
    try:
        with duckdb.connect(":memory:") as connection:
            relation = connection.execute("SELECT * FROM read_parquet($1)", [file])
            names = [column[0] for column in relation.description or ()]
            rows = relation.fetchall()
    except duckdb.Error as error:
        raise InputError.at(file, None, "", str(error).splitlines()[0], _("a Parquet file")) from None
    _check_columns(_Place(file, None), names)
    for number, values in enumerate(rows, 1):
        yield _Place(file, None, _d("row {number}, ").format(number=number)), dict(zip(names, values, strict=True))


def _check_columns(place: _Place, header: Sequence[str]) -> None:
    """Refuse a table without the columns that are needed, before its first row is read."""
    known = [name.casefold() for name in header]
    for name in known:
        if name and known.count(name) > 1:
            raise place.error(name, _("the column stands there twice"), _("each column once"))
    if not any(name in known for name in _ACTION):
        raise place.error("action", _("there is no such column"), _("a column action or oracle_action"))
    if not all(name.casefold() in known for name in _SIGNALS) and not any(name in known for name in _QUERY):
        raise place.error("M, R, A", _("there are no such columns"), _("columns M, R, A, or query_id"))


def _pick(row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, Any]:
    """The first of several columns that has a value, its name as the file writes it; None where none has one."""
    present = [key for name in names for key in row if key.casefold() == name.casefold()]
    for key in present:
        if row[key] is not None:
            return key, row[key]
    return (present or names)[0], None


def _signals(place: _Place, row: Mapping[str, Any], resolve: Resolve | None) -> tuple[float, float, float]:
    found = [_pick(row, (name,)) for name in _SIGNALS]
    column, query = _pick(row, _QUERY)
    if query is not None and all(value is None for _, value in found):
        return _looked_up(place, column, str(query), resolve)
    m, r, a = (_unit(place, name, value) for name, value in found)
    return m, r, a


def _looked_up(place: _Place, column: str, query: str, resolve: Resolve | None) -> tuple[float, float, float]:
    if resolve is None:
        raise place.error(
            column, _("an id needs a source to look it up in"), _("values M, R, A, or a source of queries")
        )
    try:
        signals = resolve(query)
    except KeyError:
        raise place.error(
            column, _("{query!r} is no query of the source").format(query=query), _("the id of a query")
        ) from None
    if signals is None:
        raise place.error(column, _("query {query!r} has no vectors").format(query=query), _("a query with M, R, A"))
    return signals


def _unit(place: _Place, column: str, value: Any) -> float:
    expected = _("a number from 0 to 1")
    if value is None:
        raise place.error(column, _("the value is missing"), expected)
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 <= number <= 1.0:
        raise place.error(column, _("{short} does not fit").format(short=_short(value)), expected)
    return number


def _oracle(place: _Place, row: Mapping[str, Any]) -> Action:
    column, value = _pick(row, _ACTION)
    action = Action.of(value) if isinstance(value, str) else None
    if action is None:
        wrong = _("the value is missing") if value is None else _("{short} is no action").format(short=_short(value))
        raise place.error(column, wrong, _("one of {names}").format(names=_ACTION_WORDS))
    return action


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
