"""The triage queue as lines for a terminal and as an object for machines (issue 5, DESIGN 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.audit.triage import Group, Incident, Queue, Severity
from inspector.axes.ground import ASKER
from inspector.i18n import _, _d
from inspector.inspection import Inspection
from inspector.records import AXES
from inspector.text import cells, counted, padded, visible

#: What a missing field may be taken as, where the user knows that it is so.
_TAKEN = {
    "query.principal.namespaces": f"query.principal.namespaces={ASKER}",
    "policy": "policy=allow",
    "status": "status=current",
    "query.intent": "query.intent=current",
}
_ADVISED = 300
#: A question is told in at most this many characters.
_QUESTION = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """The incidents that were asked for, in the queue's order; ``left_out`` is what was not, in words."""

    queue: Queue
    shown: Sequence[Incident]
    left_out: str = ""


def states_of(queue: Queue) -> dict[str, int]:
    """How many incidents are in each state. An answer that holds up is none, unless somebody gave it a state."""
    told = Counter(one.state for one in queue.incidents if one.severity is not Severity.NONE or one.state != "open")
    return {state: told[state] for state in queue.counts()}


def to_json(store: str, listed: Listed, *, grouped: bool = False) -> dict[str, Any]:
    """The queue as an object; with ``grouped`` the causes too, each with the ids of its queries."""
    made: dict[str, Any] = {
        "store": store,
        "states": states_of(listed.queue),
        "nothing_failed": len(listed.queue.incidents) - sum(states_of(listed.queue).values()),
        "incidents": [_incident(one) for one in listed.shown],
        "not_shown": len(listed.queue.incidents) - len(listed.shown),
    }
    if grouped:
        made["groups"] = [
            {"cause": group.cause.words, "queries": [one.query_id for one in group.incidents]}
            for group in listed.queue.groups(listed.shown)
        ]
    return made


def advice(inspection: Inspection) -> list[str]:
    """For a store whose incidents are undecided: the fields whose lack is behind it, and what may be assumed.

    Only the first few hundred undecided incidents are looked at: it is told which fields lack, not how often.
    """
    undecided = 0
    lacking: Counter[str] = Counter()
    for qi in range(len(inspection.queries)):
        stages = inspection.audit(qi).stages
        if stages.first != "undecided" or undecided >= _ADVISED:
            continue
        undecided += 1
        open_ = {proof.mi for proof in stages.open if proof.mi is not None}
        explained = [inspection.explain(qi, mi) for mi in sorted(open_)]
        lacking.update({name for one in explained for axis in AXES for name in getattr(one, axis).missing})
    if not lacking:
        return []
    names = sorted(lacking, key=lambda name: (-lacking[name], name))
    said = [_("undecided for lack of: {names}").format(names=", ".join(names))]
    taken = list(dict.fromkeys(_TAKEN[name] for name in names if name in _TAKEN))
    if taken:
        flags = " ".join(f"--assume '{one}'" for one in taken)
        said.append(
            _("where it is so in this store, declare it, and it is said everywhere: {flags}").format(flags=flags)
        )
    return said


def _incident(one: Incident) -> dict[str, Any]:
    return {
        "query_id": one.query_id,
        "text": one.text,
        "principal": one.principal or None,
        "at": None if one.at is None else one.at.text,
        "state": one.state,
        "note": one.note,
        "severity": one.severity.words,
        "failure_stages": list(one.stages),
        "proof": list(one.proof),
        "cause": one.cause.words,
    }


def to_lines(listed: Listed, *, grouped: bool = False) -> Iterator[str]:
    """The queue in lines, safe to print: counts, then the worst first; with ``grouped`` by cause."""
    queue = listed.queue
    told = states_of(queue)
    states = ", ".join(f"{count:,} {state}" for state, count in told.items() if count)
    many = counted(sum(told.values()), "incident")
    lines = [f"{many}: {states}" if states else many]
    width = _width(one.query_id for one in listed.shown)
    if grouped:
        for group in queue.groups(listed.shown):
            lines.extend(_group(group, width))
    else:
        lines.extend(_by_severity(listed.shown, width))
    if listed.left_out:
        lines.extend(("", listed.left_out))
    return (visible(line) for line in lines)


def _group(group: Group, width: int) -> Iterator[str]:
    yield ""
    yield group.words
    for one in group.incidents:
        yield f"  {_placed(one, width)}  {_d(one.severity.words)}: {_proved(one)}"
        yield from _note(one, width)


def _by_severity(shown: Sequence[Incident], width: int) -> Iterator[str]:
    """Under the severity of each; what is done with comes last, under its state."""
    heading: object = None
    for one in shown:
        title = _title(one)
        if title != heading:
            count = sum(_title(each) == title for each in shown)
            yield ""
            yield f"{title}: {count:,}"
            heading = title
        yield f"  {_placed(one, width)}  {', '.join(one.stages)}: {_proved(one)}"
        indent = " " * (width + 4)
        if one.severity is not Severity.NONE:
            yield indent + _d("cause: {words}").format(words=one.cause.words)
        when = f"{one.at.text}, " if one.at is not None else ""
        asker = one.principal or _d("asker unknown")
        yield f"{indent}{when}{asker}: {_question(one.text)}"
        yield from _note(one, width)


def _width(texts: Iterable[str]) -> int:
    return max((cells(visible(text)) for text in texts), default=0)


def _placed(one: Incident, width: int) -> str:
    """An incident's name and state in columns."""
    return f"{padded(visible(one.query_id), width)}  {one.state:<9}"


def _title(one: Incident) -> str:
    return one.state if one.state in ("dismissed", "fixed by edit") else _d(one.severity.words)


def _proved(one: Incident) -> str:
    return ", ".join(one.proof) or "–"


def _note(one: Incident, width: int) -> Iterator[str]:
    if one.note:
        yield " " * (width + 4) + _d("note: {note}").format(note=one.note)


def _question(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUESTION else f"{line[: _QUESTION - 1]}…"
