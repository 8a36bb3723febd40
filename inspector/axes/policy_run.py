"""Running checked rules in a closed DuckDB (DESIGN 3, Policy).

The connection is in memory, sees no file and no extension, and its configuration is locked. The optimiser is off, so
that a pair's value does not depend on the other pairs of its batch.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from inspector.axes.policy_file import RuleSource
from inspector.axes.policy_sql import Compiled, RuleRefusedError, compile_rule
from inspector.axes.policy_values import SqlValue
from inspector.axes.watchdog import Watchdog
from inspector.errors import InputError
from inspector.trit import Trit

if TYPE_CHECKING:
    import duckdb

#: Seconds that one batch of one rule may take.
TIME_LIMIT = 2.0
#: Pairs of one batch; the limit holds for each batch, so a rule over a large store is not refused for its size.
BATCH = 16_384
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
            at = "" if error.at is None else f" (at character {error.at} of when)"
            raise _refusal(rule, file, error.wrong + at, error.expected) from None
        except self._duckdb.Error as error:
            raise _refusal(rule, file, _first_line(error), "one SQL boolean expression") from None
        try:
            cursor = self._connection.execute(_select(compiled, trial=False), _lists(compiled, []))
            kind = str(cursor.description[0][1]) if cursor.description else ""
        except self._duckdb.Error as error:
            raise _refusal(rule, file, _first_line(error), "an expression that DuckDB can bind") from None
        if kind not in ("BOOLEAN", "bool") and compiled.sql.strip("() ").upper() != "NULL":
            raise _refusal(rule, file, f"gives {kind}, not a truth value", "one SQL boolean expression")
        return compiled

    def run(self, rule: RuleSource, file: str, compiled: Compiled, rows: Sequence[tuple[SqlValue, ...]]) -> list[Trit]:
        """The rule's value for each tuple of its columns; a pair that DuckDB cannot evaluate is ?.

        Raises InputError, naming the rule, where a batch takes longer than the time limit.
        """
        values: list[Trit] = []
        for start in range(0, len(rows), BATCH):
            values.extend(self._batch(rule, file, compiled, rows[start : start + BATCH]))
        return values

    def _batch(
        self, rule: RuleSource, file: str, compiled: Compiled, rows: Sequence[tuple[SqlValue, ...]]
    ) -> list[Trit]:
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

    def fault(self, rule: RuleSource, file: str, compiled: Compiled, row: tuple[SqlValue, ...]) -> str | None:
        """Why a pair cannot be evaluated, in DuckDB's words; None where it can."""
        try:
            self._timed(rule, file, _select(compiled, trial=False), _lists(compiled, [row]))
        except self._duckdb.Error as error:
            return _first_line(error)
        return None

    def _timed(self, rule: RuleSource, file: str, sql: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
        try:
            with self._lock, self._watchdog:
                return self._connection.execute(self._prepared(sql), parameters).fetchall()
        except self._duckdb.InterruptException:
            wrong = f"takes longer than {TIME_LIMIT:g} seconds"
            raise _refusal(rule, file, wrong, "an expression that is quickly evaluated") from None

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
    names = []
    for place, column in enumerate(compiled.columns):
        kind = "BIGINT" if column.type == "TIMESTAMPTZ" else column.type
        value = f"unnest(${place + 1}::{kind}[])"
        value = f"make_timestamp({value})::TIMESTAMPTZ" if column.type == "TIMESTAMPTZ" else value
        names.append(f"{value} AS c{place}")
    source = ", ".join(names) or "unnest($1::BIGINT[]) AS c"
    expression = f"TRY(({compiled.sql})::BOOLEAN)" if trial else f"({compiled.sql})"
    return f"SELECT {expression} FROM (SELECT {source})"  # noqa: S608 - built from the checked tree alone


def _lists(compiled: Compiled, rows: Sequence[tuple[SqlValue, ...]]) -> list[Any]:
    if not compiled.columns:
        return [list(range(len(rows)))]
    return [
        [list(value) if isinstance(value, tuple) else value for value in values]
        for values in (zip(*rows, strict=True) if rows else [()] * len(compiled.columns))
    ]


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _refusal(rule: RuleSource, file: str, wrong: str, expected: str) -> InputError:
    return InputError.at(file, rule.line, f"rules.{rule.id}", wrong, expected)
