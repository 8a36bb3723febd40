"""A policy rule's SQL, held to what a rule may say (DESIGN 3, Policy).

An expression is data from a stranger's incident bundle. It is parsed by DuckDB itself, never by a pattern; every node
of the tree must be on the lists below; and what runs later is written anew from the checked tree, parsed again and
checked again, so that nothing runs that was not read here. Columns are replaced by names of ours on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.axes.policy_words import (
    ABSENCE_COMPARISONS,
    ABSENCE_FUNCTIONS,
    ABSENCE_OPERATORS,
    ARITHMETIC,
    CASTS,
    COMPARISONS,
    CONSTANTS,
    FUNCTIONS,
    INNER_LISTS,
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_NODES,
    OPERATORS,
    REFUSED,
    TYPE_OF_KIND,
    SqlType,
)
from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.records import MEMORY_FIELDS, QUERY_FIELDS

_PREFIX = "SELECT (\n"
_SUFFIX = "\n)"

_UNSET = 18_446_744_073_709_551_615


_DOUBLE: dict[str, Any] = {
    "class": "TYPE",
    "type": "TYPE",
    "alias": "",
    "query_location": _UNSET,
    "query_location_length": 0,
    "catalog": "",
    "schema": "",
    "type_name": "DOUBLE",
    "children": [],
    "qualified_name": {"path": ["DOUBLE"]},
}


class RuleRefusedError(InspectorError):
    """An expression that a rule may not be: what is wrong, what is expected, at which character (from 1) if known."""

    def __init__(self, wrong: str, expected: str, at: int | None = None) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.expected = expected
        self.at = at


@dataclass(frozen=True, slots=True)
class Column:
    """A value that a rule reads: ``m`` or ``q``, the field and the path inside it, and its SQL type.

    A step of the path is a key, or a place in a list counted from 1 as SQL counts.
    """

    owner: Literal["m", "q"]
    path: tuple[str | int, ...]
    type: SqlType

    @property
    def field(self) -> str:
        """The record's field."""
        return str(self.path[0])

    @property
    def name(self) -> str:
        """The dotted name as a person writes it: ``keys.user_id``, of a query ``query.principal.id``."""
        dotted = ".".join(map(str, self.path))
        return f"query.{dotted}" if self.owner == "q" else dotted


@dataclass(slots=True)
class Compiled:
    """A checked expression: the SQL that runs, over columns c0, c1, …; its literals, and what it tests for absence."""

    sql: str
    columns: tuple[Column, ...]
    literals: tuple[str, ...]
    absence: frozenset[Column]


Run = Callable[[str, list[str]], str]


def compile_rule(when: str, run: Run) -> Compiled:
    """Check an expression and write it anew. ``run(sql, parameters)`` gives one text from a DuckDB connection.

    Raises RuleRefusedError, with the character where DuckDB places the fault.
    """
    if len(when) > MAX_LENGTH:
        raise RuleRefusedError(
            _("{count} characters long").format(count=len(when)),
            _("at most {MAX_LENGTH}").format(MAX_LENGTH=MAX_LENGTH),
        )
    _parse("SELECT\n" + when + "\n", len("SELECT\n"), when, run)  # alone too, so that `1) OR (1` is no expression
    tree = _parse(_PREFIX + when + _SUFFIX, len(_PREFIX), when, run)
    checker = _Checker(when, len(_PREFIX))
    expression = tree["statements"][0]["node"]["select_list"][0]
    checker.check(expression, 0)
    rewritten = checker.rewrite(expression)
    tree["statements"][0]["node"]["select_list"][0] = rewritten
    statement = run("SELECT json_deserialize_sql(?)", [json.dumps(tree)])
    # What was written is read once more: it must be one expression of ours, and nothing else.
    again = _parse(statement, 0, statement, run)
    second = _Checker(statement, 0, ours=len(checker.columns))
    second.check(again["statements"][0]["node"]["select_list"][0], 0)
    if not statement.startswith("SELECT "):
        raise RuleRefusedError(_("it cannot be written as one expression"), _("one SQL boolean expression"))
    return Compiled(
        statement.removeprefix("SELECT "),
        tuple(checker.columns),
        tuple(dict.fromkeys(checker.literals)),
        frozenset(checker.absence),
    )


def _parse(sql: str, offset: int, when: str, run: Run) -> dict[str, Any]:
    try:
        tree = json.loads(run("SELECT json_serialize_sql(?)", [sql]))
    except (ValueError, RecursionError):
        raise RuleRefusedError(_("it cannot be parsed"), _("one SQL boolean expression")) from None
    if tree.get("error"):
        position = tree.get("position")
        at = _character(when, int(position) - offset) if str(position).isdigit() else None
        message = " ".join(str(tree.get("error_message", "it cannot be parsed")).split())
        raise RuleRefusedError(message, _("one SQL boolean expression"), at)
    statements = tree.get("statements", [])
    if len(statements) != 1:
        raise RuleRefusedError(_("{count} statements").format(count=len(statements)), _("one SQL boolean expression"))
    _check_statement(statements[0])
    return dict(tree)


def _character(text: str, byte: int) -> int:
    """The character, counted from 1, at a byte offset of the text's UTF-8 form."""
    data = text.encode("utf-8", "replace")
    return len(data[: max(0, min(byte, len(data)))].decode("utf-8", "ignore")) + 1


def _check_statement(statement: dict[str, Any]) -> None:
    """One select item over nothing: every other clause must be empty."""
    node = statement.get("node", {})
    expected: dict[str, Any] = {
        "type": "SELECT_NODE",
        "modifiers": [],
        "cte_map": {"map": []},
        "where_clause": None,
        "group_expressions": [],
        "group_sets": [],
        "aggregate_handling": "STANDARD_HANDLING",
        "having": None,
        "sample": None,
        "qualify": None,
    }
    clean = (
        all(node.get(name) == value for name, value in expected.items())
        and set(node) == {*expected, "select_list", "from_table"}
        and node["from_table"].get("type") == "EMPTY"
        and not statement.get("named_param_map")
        and len(node["select_list"]) == 1
    )
    if not clean:
        raise RuleRefusedError(_("more than one expression"), _("one SQL boolean expression over m and q"))


@dataclass(slots=True)
class _Checker:
    """Walks a tree and refuses what is on no list; gathers columns, literals and tests for absence.

    ``ours`` is None on the first reading, where columns are m.… and q.…, and on the second the number of c0, c1, ….
    """

    when: str
    offset: int
    ours: int | None = None
    nodes: int = 0
    columns: list[Column] = field(default_factory=list)
    literals: list[str] = field(default_factory=list)
    absence: set[Column] = field(default_factory=set)

    def refuse(self, node: dict[str, Any], wrong: str, expected: str) -> RuleRefusedError:
        place = node.get("query_location", _UNSET)
        at = None if place == _UNSET else _character(self.when, int(place) - self.offset)
        return RuleRefusedError(wrong, expected, at)

    def check(self, node: dict[str, Any], depth: int, absent: bool = False) -> None:
        """Refuse the node, or anything under it, that a rule may not use. ``absent``: its NULL may be decided on."""
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES * (1 if self.ours is None else 4):
            raise self.refuse(
                node,
                _("nested too deep or too long"),
                _("at most {MAX_DEPTH} levels and {MAX_NODES} parts").format(MAX_DEPTH=MAX_DEPTH, MAX_NODES=MAX_NODES),
            )
        if node.get("alias") and not (self.ours is not None and depth == 0):
            raise self.refuse(node, _("an alias"), _("an expression without names of its own"))
        kind = node.get("class")
        if kind == "CONSTANT":
            self._constant(node)
        elif kind == "COLUMN_REF" or self._is_path(node):
            self._column(node, absent)
        else:
            children, absent = self._children(node, absent)
            for child in children:
                self.check(child, depth + 1, absent)

    def _constant(self, node: dict[str, Any]) -> None:
        literal = node.get("literal", {})
        if literal.get("kind") not in CONSTANTS:
            raise self.refuse(
                node,
                _("a constant of kind {get}").format(get=literal.get("kind")),
                _("a text, number, true, false or NULL"),
            )
        if literal["kind"] != "NULL_LITERAL":
            self.literals.append(str(literal["text"]))

    def _column(self, node: dict[str, Any], absent: bool) -> None:
        if self.ours is not None:
            names = node.get("column_names", [])
            if len(names) != 1 or names[0] not in {f"c{i}" for i in range(self.ours)}:
                raise self.refuse(node, _("a column that is not ours"), _("m.FIELD or q.FIELD"))
            return
        column = self._column_of(node)
        if column not in self.columns:
            self.columns.append(column)
        if absent:
            self.absence.add(column)

    def _children(self, node: dict[str, Any], absent: bool) -> tuple[list[dict[str, Any]], bool]:
        """The parts of a node that is on the lists, and whether a NULL in them may be decided on."""
        kind, kind_type = node.get("class"), str(node.get("type"))
        if kind == "CONJUNCTION" and kind_type in ("CONJUNCTION_AND", "CONJUNCTION_OR"):
            return node["children"], absent
        if kind == "COMPARISON" and kind_type in COMPARISONS:
            return [node["left"], node["right"]], absent or kind_type in ABSENCE_COMPARISONS
        if kind == "OPERATOR" and kind_type in OPERATORS:
            return node["children"], absent or kind_type in ABSENCE_OPERATORS
        if kind == "BETWEEN":
            return [node["input"], node["lower"], node["upper"]], absent
        if kind == "CASE":
            checks = [part for check in node["case_checks"] for part in (check["when_expr"], check["then_expr"])]
            return [*checks, *([node["else_expr"]] if node.get("else_expr") else [])], True
        if kind == "CAST":
            self._cast_type(node, node["type_expr"])
            return [node["child"]], absent or node.get("try_cast") is True
        if kind == "FUNCTION":
            return self._function(node), absent or node["function_name"] in ABSENCE_FUNCTIONS
        what = REFUSED.get(str(kind), f"{kind} {kind_type}".lower())
        raise self.refuse(
            node,
            _("{what} is not allowed in a rule").format(what=_(what)),
            _("comparisons, AND, OR, NOT and listed functions"),
        )

    def _function(self, node: dict[str, Any]) -> list[dict[str, Any]]:
        name = str(node.get("function_name", ""))
        plain = (
            not node.get("schema")
            and not node.get("catalog")
            and node.get("filter") is None
            and not node.get("distinct")
            and not node.get("export_state")
            and not node.get("order_bys", {}).get("orders")
            and node.get("qualified_name", {}).get("path") in ([name], None)
            and not any(argument.get("name") for argument in node.get("arguments", []))
        )
        if name not in FUNCTIONS or not plain:
            raise self.refuse(
                node, _("function {name} is not allowed in a rule").format(name=name), _("a function of the allow list")
            )
        return [argument["expression"] for argument in node["arguments"]]

    def _cast_type(self, node: dict[str, Any], kind: dict[str, Any]) -> None:
        name = str(kind.get("type_name", "")).upper()
        if kind.get("class") != "TYPE" or name not in CASTS or kind.get("schema") or kind.get("catalog"):
            raise self.refuse(
                node,
                _("a cast to {name} is not allowed").format(name=name or _("that type")),
                _("a scalar type or a list"),
            )
        for child in kind.get("children", []):
            if child.get("class") == "TYPE":
                self._cast_type(node, child)
            elif child.get("class") != "CONSTANT":
                raise self.refuse(node, _("a type with an expression in it"), _("a scalar type or a list"))

    def _is_path(self, node: dict[str, Any]) -> bool:
        """Whether a node is constant access into an object column: m.keys['user_id'], m.meta.tags[1]."""
        if self.ours is not None or node.get("type") not in ("ARRAY_EXTRACT", "STRUCT_EXTRACT"):
            return False
        base, step = node["children"][0], node["children"][1]
        if step.get("class") != "CONSTANT" or step["literal"]["kind"] not in ("STRING", "INTEGER"):
            return False
        if base.get("class") != "COLUMN_REF" and not self._is_path(base):
            return False
        steps = self._steps(base)
        if len(steps) < 2 or steps[0] not in ("m", "q"):
            return len(steps) == 1 and steps[0] in ("m", "q") and step["literal"]["kind"] == "STRING"
        specs = MEMORY_FIELDS if steps[0] == "m" else QUERY_FIELDS
        spec = specs.get(str(steps[1]))
        return spec is not None and spec.kind == "object" and tuple(steps[1:]) not in INNER_LISTS

    def _steps(self, node: dict[str, Any]) -> list[str | int]:
        if node.get("class") == "COLUMN_REF":
            # Our names are lower-case and SQL's are case-blind; what stands inside an object is the store's own.
            names = list(node["column_names"])
            return [*(name.lower() for name in names[:2]), *names[2:]]
        literal = node["children"][1]["literal"]
        step: str | int = int(literal["text"]) if literal["kind"] == "INTEGER" else str(literal["text"])
        return [*self._steps(node["children"][0]), step]

    def _column_of(self, node: dict[str, Any]) -> Column:
        owner, *path = self._steps(node)
        expected = _("m.FIELD of the memory or q.FIELD of the query")
        if owner not in ("m", "q") or not path:
            shown = ".".join(map(str, (owner, *path)))
            raise self.refuse(
                node, _("{shown} is neither a memory's nor a query's field").format(shown=shown), expected
            )
        name = str(path[0])
        spec = (MEMORY_FIELDS if owner == "m" else QUERY_FIELDS).get(name)
        if spec is None:
            raise self.refuse(
                node,
                _("{owner}.{name} is no field").format(owner=owner, name=name),
                _("a known field; an unknown one is {owner}.meta.{name}").format(owner=owner, name=name),
            )
        if spec.kind == "vector":
            raise self.refuse(
                node,
                _("{owner}.{name} is a vector").format(owner=owner, name=name),
                _("a field other than the embedding"),
            )
        side: Literal["m", "q"] = "m" if owner == "m" else "q"
        if len(path) == 1:
            kind: SqlType = "VARCHAR[]" if name == "namespaces" else TYPE_OF_KIND[spec.kind]
            return Column(side, tuple(path), kind)
        if spec.kind != "object":
            raise self.refuse(
                node,
                _("{owner}.{name} has no parts").format(owner=owner, name=name),
                _("a part of an object field such as m.keys.user_id"),
            )
        return Column(side, tuple(path), "VARCHAR[]" if tuple(path) in INNER_LISTS else "VARCHAR")

    def rewrite(self, node: Any) -> Any:
        """A copy of the checked tree with our column names, and what is compared with a number as DOUBLE.

        DuckDB reads the text '0.85' against 1 as the integer 1, a wrong answer without an error, and refuses it
        against 0.5. As DOUBLE both are right, and a text that is no number is an error of its pair.
        """
        if isinstance(node, list):
            return [self.rewrite(part) for part in node]
        if not isinstance(node, dict):
            return node
        if node.get("class") == "COLUMN_REF" or self._is_path(node):
            place = self.columns.index(self._column_of(node))
            return {**_blank(node), "class": "COLUMN_REF", "type": "COLUMN_REF", "column_names": [f"c{place}"]}
        copy = {name: self.rewrite(value) for name, value in node.items()}
        kind = node.get("class")
        names = {"COMPARISON": ("left", "right"), "BETWEEN": ("input", "lower", "upper")}.get(str(kind), ())
        if any(_is_number(node[name]) for name in names):
            for name in names:
                copy[name] = self._as_double(copy[name])
        if node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN") and any(map(_is_number, node["children"])):
            copy["children"] = [self._as_double(child) for child in copy["children"]]
        return copy

    def _as_double(self, node: dict[str, Any]) -> dict[str, Any]:
        """A rewritten number or text column as DOUBLE; anything else stays."""
        is_text = node.get("class") == "COLUMN_REF" and self.columns[int(node["column_names"][0][1:])].type == "VARCHAR"
        if not is_text and not _is_number(node):
            return node
        cast = {"class": "CAST", "type": "OPERATOR_CAST", "child": node, "try_cast": False, "type_expr": _DOUBLE}
        return {**_blank(node), **cast}


def _blank(node: dict[str, Any]) -> dict[str, Any]:
    return {name: node[name] for name in ("alias", "query_location", "query_location_length") if name in node}


def _is_number(node: dict[str, Any]) -> bool:
    if node.get("class") == "CONSTANT":
        return node["literal"]["kind"] in ("INTEGER", "NUMERIC")
    if node.get("class") == "FUNCTION" and node.get("function_name") in ARITHMETIC:
        return all(_is_number(argument["expression"]) for argument in node["arguments"])
    return False
