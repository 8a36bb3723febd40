"""Running checked rules in a closed DuckDB (DESIGN 3, Policy).

The connection is in memory, sees no file and no extension, and its configuration is locked. The optimiser is off, so
that a pair's value does not depend on the other pairs of its batch.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inspector.axes.policy_file import RuleSource
from inspector.axes.policy_sql import Column, Compiled, RuleRefusedError, compile_rule
from inspector.axes.policy_values import SqlValue
from inspector.axes.watchdog import Watchdog
from inspector.errors import InputError
from inspector.i18n import _, _d
from inspector.trit import Trit, TritArray

if TYPE_CHECKING:
    import duckdb

#: Seconds that one batch of one rule may take.
TIME_LIMIT = 2.0
#: Pairs of one batch, given one by one or as a grid; the limit holds for each batch, so that a rule over a large
#: store is not refused for the store's size.
BATCH = 16_384
GRID = 1 << 18
Values = tuple[SqlValue, ...]
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_unsigned_extensions": "false",
    "threads": "1",
    "memory_limit": "512MB",
}
_ON_CONNECT = ("SET TimeZone = 'UTC'", "PRAGMA disable_optimizer", "SET lock_configuration = true")
#: Rules and statements kept, so that a new engine over the same policy costs little.
_KEPT = 512
_TRIT = {None: Trit.UNKNOWN, False: Trit.NO, True: Trit.YES}


class Sandbox:
    """The closed connection. It keeps no state of a rule's, so one serves every engine, a statement at a time."""

    def __init__(self) -> None:
        import duckdb

        self._duckdb = duckdb
        self._connection: duckdb.DuckDBPyConnection = duckdb.connect(":memory:", config=_SETTINGS)
        for statement in _ON_CONNECT:
            self._connection.execute(statement)
        self._watchdog = Watchdog(TIME_LIMIT, self._connection.interrupt)
        self._statements: dict[str, duckdb.Statement] = {}
        self._compiled: dict[str, Compiled] = {}
        self._lock = threading.RLock()

    def _parse(self, sql: str, parameters: list[str]) -> str:
        """Run one of DuckDB's own parser functions and give its text."""
        row = self._connection.execute(sql, parameters).fetchone()
        return str(row[0]) if row is not None else ""

    def compile(self, rule: RuleSource, file: str) -> Compiled:
        """Check a rule and bind it. Raises InputError that names file, rule and character."""
        with self._lock:
            if rule.when not in self._compiled:
                compiled = self._compile(rule, file)
                if len(self._compiled) >= _KEPT:
                    self._compiled.clear()
                self._compiled[rule.when] = compiled
            return self._compiled[rule.when]

    def _compile(self, rule: RuleSource, file: str) -> Compiled:
        try:
            compiled = compile_rule(rule.when, self._parse)
        except RuleRefusedError as error:
            at = "" if error.at is None else _d(" (at character {at} of when)").format(at=error.at)
            raise _refusal(rule, file, error.wrong + at, error.expected) from None
        except self._duckdb.Error as error:
            raise _refusal(rule, file, _first_line(error), _("one SQL boolean expression")) from None
        try:
            cursor = self._connection.execute(_select(compiled, trial=False), _lists(compiled, []))
            kind = str(cursor.description[0][1]) if cursor.description else ""
        except self._duckdb.Error as error:
            raise _refusal(rule, file, _first_line(error), _("an expression that DuckDB can bind")) from None
        if kind not in ("BOOLEAN", "bool") and compiled.sql.strip("() ").upper() != "NULL":
            raise _refusal(
                rule, file, _("gives {kind}, not a truth value").format(kind=kind), _("one SQL boolean expression")
            )
        return compiled

    def run(self, rule: RuleSource, file: str, compiled: Compiled, rows: Sequence[Values]) -> list[Trit]:
        """The rule's value for each tuple of its columns; a pair that DuckDB cannot evaluate is ?.

        Raises InputError, naming the rule, where a batch takes longer than the time limit.
        """
        values: list[Trit] = []
        for start in range(0, len(rows), BATCH):
            values.extend(self._batch(rule, file, compiled, rows[start : start + BATCH]))
        return values

    def _batch(self, rule: RuleSource, file: str, compiled: Compiled, rows: Sequence[Values]) -> list[Trit]:
        try:
            found = self._timed(rule, file, _select(compiled, trial=True), _lists(compiled, rows))
        except self._duckdb.Error:
            # TRY covers what a value can do; what is left (memory, say) is halved down to the pair that causes it.
            if len(rows) == 1:
                return [Trit.UNKNOWN]
            half = len(rows) // 2
            first = self._batch(rule, file, compiled, rows[:half])
            return [*first, *self._batch(rule, file, compiled, rows[half:])]
        return [_TRIT[row[0]] for row in found]

    def run_grid(
        self, rule: RuleSource, file: str, compiled: Compiled, mine: Sequence[Values], theirs: Sequence[Values]
    ) -> TritArray:
        """The rule's values for every tuple of memory columns (axis 1) with every tuple of query columns (axis 0).

        DuckDB joins the two sides itself, so that a whole store costs the reading of its distinct tuples, not of
        its pairs. Raises InputError as :meth:`run` does.
        """
        out = np.ones((len(theirs), len(mine)), np.uint8)
        step = max(1, GRID // max(1, len(theirs)))
        sql = _select_grid(compiled)
        asked = [list(range(len(theirs))), *_columns(compiled, "q", theirs)]
        for start in range(0, len(mine), step):
            part = mine[start : start + step]
            places = list(range(start, start + len(part)))
            with self._lock, self._watched(rule, file):
                statement = self._prepared(sql)
                parameters = [places, *_columns(compiled, "m", part), *asked]
                found = self._connection.execute(statement, parameters).fetchnumpy()
            known = np.ma.asarray(found["v"])
            trits = np.where(np.ma.getmaskarray(known), 1, 2 * known.filled(False).astype(np.uint8))
            out[found["q"], found["m"]] = trits
        return out

    def fault(self, rule: RuleSource, file: str, compiled: Compiled, row: Values) -> str | None:
        """Why a pair cannot be evaluated, in DuckDB's words; None where it can."""
        try:
            self._timed(rule, file, _select(compiled, trial=False), _lists(compiled, [row]))
        except self._duckdb.Error as error:
            return _first_line(error)
        return None

    def _timed(self, rule: RuleSource, file: str, sql: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
        with self._lock, self._watched(rule, file):
            return self._connection.execute(self._prepared(sql), parameters).fetchall()

    @contextlib.contextmanager
    def _watched(self, rule: RuleSource, file: str) -> Iterator[None]:
        """The time limit around one statement of a rule, which an excess names."""
        try:
            with self._watchdog:
                yield
        except self._duckdb.InterruptException:
            wrong = _("takes longer than {TIME_LIMIT:g} seconds").format(TIME_LIMIT=TIME_LIMIT)
            raise _refusal(rule, file, wrong, _("an expression that is quickly evaluated")) from None

    def _prepared(self, sql: str) -> duckdb.Statement:
        """The parsed statement, kept: parsing it anew would cost a third of a small evaluation."""
        found = self._statements.get(sql)
        if found is None:
            if len(self._statements) >= _KEPT:
                self._statements.clear()
            found = self._statements[sql] = self._connection.extract_statements(sql)[0]
        return found


@functools.cache
def sandbox() -> Sandbox:
    """The process's sandbox, made when the first rule needs it: importing duckdb costs a tenth of a second."""
    return Sandbox()


def _select(compiled: Compiled, *, trial: bool) -> str:
    """The statement over lists of column values, one row for each place in them; NULL for an error where ``trial``."""
    names = [_unnested(column, place + 1, place) for place, column in enumerate(compiled.columns)]
    source = ", ".join(names) or "unnest($1::BIGINT[]) AS c"
    expression = f"TRY(({compiled.sql})::BOOLEAN)" if trial else f"({compiled.sql})"
    return f"SELECT {expression} FROM (SELECT {source})"  # noqa: S608 - built from the checked tree alone


def _select_grid(compiled: Compiled) -> str:
    """The statement over two lists of tuples: places m and q, and v, the rule's value or NULL."""
    sides, parameter = [], 0
    for owner in ("m", "q"):
        parameter += 1
        names = [f"unnest(${parameter}::BIGINT[]) AS {owner}"]
        for place, column in enumerate(compiled.columns):
            if column.owner == owner:
                parameter += 1
                names.append(_unnested(column, parameter, place))
        sides.append(f"(SELECT {', '.join(names)})")
    return f"SELECT m, q, TRY(({compiled.sql})::BOOLEAN) AS v FROM {sides[0]} CROSS JOIN {sides[1]}"  # noqa: S608


def _unnested(column: Column, parameter: int, place: int) -> str:
    kind = "BIGINT" if column.type == "TIMESTAMPTZ" else column.type
    value = f"unnest(${parameter}::{kind}[])"
    value = f"make_timestamp({value})::TIMESTAMPTZ" if column.type == "TIMESTAMPTZ" else value
    return f"{value} AS c{place}"


def _lists(compiled: Compiled, rows: Sequence[Values]) -> list[Any]:
    if not compiled.columns:
        return [list(range(len(rows)))]
    return _turned(rows, len(compiled.columns))


def _columns(compiled: Compiled, owner: str, rows: Sequence[Values]) -> list[Any]:
    return _turned(rows, sum(column.owner == owner for column in compiled.columns))


def _turned(rows: Sequence[Values], width: int) -> list[Any]:
    """Rows as lists of column values, tuples among them as lists for DuckDB."""
    columns = zip(*rows, strict=True) if rows else [()] * width
    return [[list(value) if isinstance(value, tuple) else value for value in values] for values in columns]


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _refusal(rule: RuleSource, file: str, wrong: str, expected: str) -> InputError:
    return InputError.at(file, rule.line, f"rules.{rule.id}", wrong, expected)
