"""What a step can ask for, as data: each kind of condition has parameters and a pure test (issue 9).

A test sees the store under inspection and what the screen shows, and nothing else, so that a lesson can be followed by
keys, by mouse, or by a test in the same way. ``?`` is a value like the others: it is only ever compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.errors import FieldError
from inspector.gate.coverage import Protection, standing_of
from inspector.i18n import N_, _
from inspector.inspection import Inspection
from inspector.lessons.model import Condition
from inspector.records import ABSENT, Record, show_namespace
from inspector.times import parse_time
from inspector.trit import Trit, parse_trit
from inspector.views import VERDICT_WORDS, Candidate

Type = Literal["text", "trit", "truth", "number", "value", "list", "time"]
SCREENS = ("inspect", "store", "compare", "triage")
TABS = ("why", "record", "mdl", "gate", "trail", "prompt", "answer")
VIEWS = ("records", "coverage", "findings", "lanes")
COLUMNS = ("scope", "policy", "lifecycle", "relevance", "usable")
ACTIONS = ("Active", "Supp", "Silent", "Opt-Out")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the screen shows: the screen's name, the ids under its cursors, the detail tab, the routes compared.

    On the store screen ``tab`` is the view in sight.
    """

    screen: str = ""
    query: str = ""
    memory: str = ""
    tab: str = ""
    compared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a condition."""

    type: Type
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()


Test = Callable[[Inspection, Shown, Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of condition; of ``one_of`` at least one parameter has to be given."""

    help: str
    params: Mapping[str, Param]
    test: Test
    one_of: tuple[str, ...] = ()


def holds(condition: Condition, inspection: Inspection, shown: Shown) -> bool:
    """Whether the condition holds now. An id that the store lacks never holds; :func:`ids_of` finds it beforehand."""
    known = {query.id for query in inspection.queries}
    if condition.given.get("query", shown.query) not in known and "query" in condition.given:
        return False
    return KINDS[condition.kind].test(inspection, shown, condition.given)


def ids_of(condition: Condition) -> list[tuple[str, str]]:
    """The ids that the condition names: ("query", id) and ("memory", id)."""
    return [(name, str(condition.given[name])) for name in ("query", "memory") if name in condition.given]


# Tests


def _selected(_inspection: Inspection, shown: Shown, given: Mapping[str, Any]) -> bool:
    wanted = {name: given[name] for name in ("query", "memory", "screen", "tab") if name in given}
    return all(getattr(shown, name) == value for name, value in wanted.items())


def _pair(inspection: Inspection, given: Mapping[str, Any]) -> tuple[int, int]:
    return inspection.find_pair(given["query"], given["memory"], given.get("namespace"))


def _row(inspection: Inspection, given: Mapping[str, Any]) -> Candidate:
    return inspection.why_not(*_pair(inspection, given))


def _record(inspection: Inspection, given: Mapping[str, Any]) -> Record | None:
    if "memory" in given:
        owner = given.get("namespace")
        return next(
            (
                memory
                for memory in inspection.memories
                if memory.id == given["memory"] and owner in (None, show_namespace(memory.value("namespace")))
            ),
            None,
        )
    return next((query for query in inspection.queries if query.id == given["query"]), None)


def _field(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    record = _record(inspection, given)
    if record is None:
        return False
    name, path = str(given["name"]).partition(".")[::2]
    value = record.value(name)
    for part in path.split(".") if path else ():
        value = value.get(part) if isinstance(value, dict) else None
    if given.get("edited", None) is not None and (name in record.edits) is not given["edited"]:
        return False
    if "is" in given and value != given["is"]:
        return False
    if "has" in given:
        return isinstance(value, list | tuple | str) and given["has"] in value
    return True


def _as_of(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    qi = next(qi for qi, query in enumerate(inspection.queries) if query.id == given["query"])
    instant = inspection.bundle_line(qi).as_of_instant
    if instant is None:
        return False
    zone = inspection.settings.timezone
    before = "before" not in given or instant.us < parse_time(given["before"], "before", zone).us
    after = "after" not in given or instant.us > parse_time(given["after"], "after", zone).us
    return before and after


def _axis(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    value: Trit = getattr(_row(inspection, given), given["axis"])
    return value is parse_trit(given["is"], "is")


def _verdict(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    return bool(_row(inspection, given).verdict == given["is"])


def _judged(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    row = _row(inspection, given)
    if given["axis"] not in row.edited:
        return False
    return "is" not in given or getattr(row, given["axis"]) is parse_trit(given["is"], "is")


def _candidate(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    return (_row(inspection, given).rank > 0) is given["is"]


def _found(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    qi = next(qi for qi, query in enumerate(inspection.queries) if query.id == given["query"])
    matched = inspection.figures(qi).matched
    if "feasible" in given and matched.feasible is not given["feasible"]:
        return False
    return "candidates" not in given or len(inspection.candidates(qi)) == given["candidates"]


def _route(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    # The route that the candidates come from, not one that is still being evaluated.
    return bool(str(inspection.evaluation.route) == given["is"])


def _setting(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    return bool(getattr(inspection.settings, given["name"]) == given["is"])


def _gate(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    gate = _row(inspection, given).gate
    if gate is None:
        return False
    said = {"result": gate.result, "action": gate.action, "attribution": gate.attribution}
    return all(str(said[name]) == given[name] for name in said if name in given)


def _gate_mode(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    return bool(inspection.gate.mode == given["is"])


def _coverage(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    record = next((memory for memory in inspection.memories if memory.id == given["memory"]), None)
    return record is not None and standing_of(record).protection.value == given["is"]


def _decision(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    qi = next(qi for qi, query in enumerate(inspection.queries) if query.id == given["query"])
    decision = inspection.weighed(qi).decision
    return decision is not None and decision.query.action.word.endswith(given["is"])


def _layer(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    params = inspection.params
    said = {"pool": params.pool, "calibrated": params.calibrated, "switches": params.switches.words}
    return all(said[name] == given[name] for name in said if name in given)


def _stage(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    qi = next(qi for qi, query in enumerate(inspection.queries) if query.id == given["query"])
    with inspection.lock:
        return given["is"] in inspection.auditor.audit(qi).stages.all


def _compared(_inspection: Inspection, shown: Shown, given: Mapping[str, Any]) -> bool:
    return set(given["routes"]) <= set(shown.compared)


def _edits(inspection: Inspection, _shown: Shown, given: Mapping[str, Any]) -> bool:
    return bool(inspection.active_edits == given["is"])


_QUERY = Param("text", "id of a query", True)
_MEMORY = Param("text", "id of a memory", True)
_OWNER = Param("text", "the memory's namespace, where several share the id")
_PAIR = {"query": _QUERY, "memory": _MEMORY, "namespace": _OWNER}

#: Every kind of condition, by the name that a lesson's check gives it.
KINDS: Mapping[str, Kind] = {
    "selected": Kind(
        "what the cursors are on",
        {
            "query": Param("text", "id of the query"),
            "memory": Param("text", "id of the memory"),
            "screen": Param("text", "the screen", choices=SCREENS),
            "tab": Param("text", "the detail tab in sight, or the view of the store", choices=TABS + VIEWS),
        },
        _selected,
        ("query", "memory", "screen", "tab"),
    ),
    "field": Kind(
        "a field of a memory or query",
        {
            "memory": Param("text", "id of the memory"),
            "query": Param("text", "or id of the query"),
            "namespace": _OWNER,
            "name": Param("text", "the field; a dot goes into an object", True),
            "is": Param("value", "its value"),
            "has": Param("value", "something that its list or text holds"),
            "edited": Param("truth", "whether it carries an edit"),
        },
        _field,
        ("is", "has", "edited"),
    ),
    "as_of": Kind(
        "the instant that a query is judged at",
        {"query": _QUERY, "before": Param("time", "earlier than"), "after": Param("time", "later than")},
        _as_of,
        ("before", "after"),
    ),
    "axis": Kind(
        "an axis of a pair",
        {
            **_PAIR,
            "axis": Param("text", "the axis", True, COLUMNS),
            "is": Param("trit", '"1", "0" or "?"', True),
        },
        _axis,
    ),
    "verdict": Kind(
        "the verdict of a pair",
        {**_PAIR, "is": Param("text", "the verdict", True, tuple(VERDICT_WORDS.values()))},
        _verdict,
    ),
    "judged": Kind(
        "a judgment that the learner set",
        {**_PAIR, "axis": Param("text", "the axis", True, COLUMNS[:4]), "is": Param("trit", "what was judged")},
        _judged,
    ),
    "candidate": Kind(
        "whether a memory is among the candidates",
        {**_PAIR, "is": Param("truth", N_("true or false"), True)},
        _candidate,
    ),
    "found": Kind(
        "a query's figures on the route",
        {
            "query": _QUERY,
            "feasible": Param("truth", "whether the target recall is reached"),
            "candidates": Param("number", "how many candidates there are"),
        },
        _found,
        ("feasible", "candidates"),
    ),
    "route": Kind("the route in force", {"is": Param("text", "such as namespace_dense or postfilter:5", True)}, _route),
    "setting": Kind(
        "a rule of the whole store",
        {
            "name": Param("text", "the rule", True, ("isolation", "unknown_intent")),
            "is": Param("text", "its value", True),
        },
        _setting,
    ),
    "gate": Kind(
        "what the gate says of a pair",
        {
            **_PAIR,
            "result": Param("text", "such as GATE_FAIL"),
            "action": Param("text", "the final action"),
            "attribution": Param("text", "such as GOVERNED"),
        },
        _gate,
        ("result", "action", "attribution"),
    ),
    "gate_mode": Kind(
        "the gate's mode",
        {"is": Param("text", "the mode", True, ("self_description", "jurisdiction", "grants", "layered"))},
        _gate_mode,
    ),
    "coverage": Kind(
        "a memory's cell of the coverage map",
        {"memory": _MEMORY, "is": Param("text", "the cell", True, tuple(cell.value for cell in Protection))},
        _coverage,
    ),
    "decision": Kind(
        "what the decision layer says of a query",
        {"query": _QUERY, "is": Param("text", "the action", True, ACTIONS)},
        _decision,
    ),
    "layer": Kind(
        "what the decision layer decides by",
        {
            "pool": Param("text", "the pool", choices=("retrieved", "not-excluded")),
            "calibrated": Param("truth", "whether a calibration is in force"),
            "switches": Param("text", "full, or the ablation as the header names it"),
        },
        _layer,
        ("pool", "calibrated", "switches"),
    ),
    "stage": Kind(
        "a failure stage of a query",
        {
            "query": _QUERY,
            "is": Param(
                "text",
                "the stage",
                True,
                ("trace", "candidate", "verification", "assembly", "disclosure", "none", "undecided"),
            ),
        },
        _stage,
    ),
    "compared": Kind("routes compared", {"routes": Param("list", "names of routes", True)}, _compared),
    "edits": Kind("edits in force", {"is": Param("number", "how many", True)}, _edits),
}


def check_value(name: str, param: Param, value: Any) -> Any:
    """A parameter's value as it is used. Raises FieldError with what was expected."""
    if param.type == "trit":
        return parse_trit(value, name).symbol
    if param.type == "truth" and not isinstance(value, bool):
        raise FieldError(name, _("{value!r} is not a truth value").format(value=value), _("true or false"))
    if param.type == "number" and (isinstance(value, bool) or not isinstance(value, int)):
        raise FieldError(name, _("{value!r} is not a whole number").format(value=value), param.help)
    if param.type in ("text", "time") and not isinstance(value, str):
        raise FieldError(name, _("{value!r} is not a text").format(value=value), param.help)
    if param.type == "list" and not (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
        raise FieldError(name, _("{value!r} is not a list of texts").format(value=value), param.help)
    if param.type == "time":
        parse_time(value, name, "UTC")
    if param.choices and value not in param.choices:
        raise FieldError(
            name,
            _("{value!r} is not known").format(value=value),
            _("one of {choices}").format(choices=", ".join(param.choices)),
        )
    return value if value is not None else ABSENT
