"""What a report says, as blocks that every output form writes in its own way: headings, tables, texts with marks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from inspector.i18n import _d
from inspector.text import counted

_LETTERS = {"stored": "S", "retrieved": "R", "verified": "V", "exposed": "E", "disclosed": "D"}
_SIGNS = {"admit": "✓ admit", "exclude": "✗ exclude", "unresolved": "? unresolved"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` 1 is the report's."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of plain texts."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; rows are as long as ``columns``. ``marks`` names the columns whose cells are 1, 0 or ?."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Marked:
    """A whole text of the store or the trace, with marked stretches (start, end, what they are) that do not overlap.

    ``masked`` says that a token stands for the text: then the stretches can be told and not shown.
    """

    label: str
    text: str
    spans: tuple[tuple[int, int, str], ...] = field(default=())
    masked: bool = False


Block = Heading | Paragraph | Bullets | Table | Marked


def blocks(report: Mapping[str, Any]) -> Iterator[Block]:
    """Every block of a report made by :func:`inspector.reporting.report`."""
    incidents = report["incidents"]
    many = counted(len(incidents), "incident")
    yield Heading(1, _d("Audit of {store}: {many}").format(store=report["store"], many=many))
    settings = _d("route {route}, top {top_k}, let through: {let_through}").format(
        route=report["route"], top_k=report["top_k"], let_through=report["let_through"]
    )
    yield Paragraph(
        _d("{settings}, isolation {isolation}, unknown intent {unknown_intent}.").format(
            settings=settings, isolation=report["isolation"], unknown_intent=report["unknown_intent"]
        )
    )
    said = list(report["header"])
    if report.get("redacted"):
        said.append(_d("redacted: tokens in ⟨…⟩ stand for texts and ids; equal tokens mean equal strings"))
    if said:
        yield Bullets(tuple(said))
    if len(incidents) > 1:
        rows = tuple((one["query"]["id"], ", ".join(one["stages"]), _proving(one)) for one in incidents)
        yield Table((_d("query"), _d("stages"), _d("proof")), rows)
    masked = bool(report.get("redacted"))
    for one in incidents:
        for block in _incident(one):
            yield replace(block, masked=masked) if isinstance(block, Marked) else block


def _proving(incident: Mapping[str, Any]) -> str:
    return ", ".join(dict.fromkeys(proof["id"] for proof in incident["proofs"] or incident["open"]))


def _incident(incident: Mapping[str, Any]) -> Iterator[Block]:
    query = incident["query"]
    yield Heading(2, f"{query['id']}: {', '.join(incident['stages'])}")
    yield Marked(_d("question"), query["text"])
    rows = [(read["field"], _value(read), read["origin"]) for read in query["bundle"]]
    rows.append((_d("required"), ", ".join(query["required"]) or "∅ absent", query["origin"]))
    yield Table((_d("query field"), _d("value"), _d("from")), tuple(rows))
    yield Heading(3, _d("What failed"))
    proofs = [f"{proof['stage']}: {proof['id']}: {proof['words']}" for proof in incident["proofs"]]
    proofs += [
        _d("open ({stage}): {id}: {words}").format(stage=proof["stage"], id=proof["id"], words=proof["words"])
        for proof in incident["open"]
    ]
    proofs += [
        _d("answered from short-term context: {id}: {words}").format(id=one["id"], words=one["words"])
        for one in incident["short_term"]
    ]
    proofs += [
        _d("not in the store: {id}, named by {event}").format(id=one["id"], event=one["event"])
        for one in incident["not_stored"]
    ]
    yield Bullets(tuple(proofs)) if proofs else Paragraph(_d("No stage failed."))
    yield Bullets(tuple(_figures(incident["figures"])))
    if incident["eligible_missing"]:
        names = ", ".join(_named(one) for one in incident["eligible_missing"])
        yield Paragraph(
            _d("Eligible but missing (verdict 1, relevance 1, not retrieved): {names}.").format(names=names)
        )
    yield from _events(incident["events"])
    yield from _candidates(incident)
    yield from _prompt(incident)
    for candidate in incident["candidates"]:
        if _in_question(candidate, incident):
            yield from _memory(candidate)
    if incident["unknown"]:
        yield Heading(3, _d("What remains unknown"))
        yield Bullets(tuple(incident["unknown"]))
    if incident["notes"]:
        yield Heading(3, _d("Notes"))
        yield Bullets(tuple(incident["notes"]))


def _figures(figures: Mapping[str, Any]) -> Iterator[str]:
    """Contamination and loss, always two figures, and both counts of what is let through."""
    if figures["contamination"] is None:
        yield _d("contamination not evaluable: nothing was exposed")
    else:
        yield (
            _d("contamination {bounds} of {exposed} exposed (inadmissible {bounds2}, irrelevant {bounds3})").format(
                bounds=_bounds(figures["contamination"]),
                exposed=figures["exposed"],
                bounds2=_bounds(figures["inadmissible"]),
                bounds3=_bounds(figures["irrelevant"]),
            )
        )
    if figures["loss"] is None:
        yield _d("loss not evaluable: no evidence is required")
    else:
        yield _d("loss {bounds} of {required} required").format(
            bounds=_bounds(figures["loss"]), required=figures["required"]
        )
    through = figures["let_through"]
    yield _d("let through: {admit} by admit, {unresolved} with unresolved").format(
        admit=through["admit"], unresolved=through["unresolved"]
    )


def _bounds(bounds: Sequence[float] | None) -> str:
    if bounds is None:
        return _d("not evaluable")
    low, high = (f"{value:.2f}" for value in bounds)
    return low if low == high else f"[{low}, {high}]"


def _events(events: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    if not events:
        return
    yield Heading(3, _d("Retrieval events"))
    rows = []
    for event in events:
        filtered = _d("unfiltered retrieval") if event["unfiltered"] else _json(event["filter"])
        if event["kind"] == "rerank":
            filtered = _d("dropped: {named}").format(
                named=", ".join(_named(item) for item in event["dropped"]) or _d("nothing")
            )
        items = ", ".join(
            _named(item) if item["stored"] else _d("{name} (not stored)").format(name=_named(item))
            for item in event["items"]
        )
        rows.append((event["name"], event["at"] or "–", filtered, event["score_kind"], items or _d("nothing")))
    yield Table((_d("event"), _d("at"), _d("filter"), _d("score"), _d("returned")), tuple(rows))


def _candidates(incident: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading(3, _d("Memories"))
    usable = _d("usable")
    columns = (
        *(_d("rank"), _d("memory"), _d("owner"), _d("score"), "S", "P", "L"),
        *(_d("verdict"), usable, _d("trail"), _d("text")),
    )
    rows = tuple(
        (
            str(one["rank"] or "–"),
            one["id"],
            one["namespace"] or "∅",
            "–" if one["score"] is None else f"{one['score']:.4f}",
            str(one["scope"]),
            str(one["policy"]),
            str(one["lifecycle"]),
            _SIGNS.get(one["verdict"], one["verdict"]),
            str(one["usable"]),
            letters(one["trail"]),
            _short(one["text"]),
        )
        for one in incident["candidates"]
    )
    yield Table(columns, rows, frozenset(("S", "P", "L", usable)))


def letters(trail: Sequence[Mapping[str, Any]]) -> str:
    """The trail as five letters: happened, ``·`` did not, ``?`` unknown; ``!`` after a step that should not have."""
    out = []
    for step in trail:
        sign = {1: _LETTERS.get(step["step"], "?"), 0: "·"}.get(step["value"], "?")
        out.append(sign + ("!" if step["broken"] else ""))
    return "".join(out)


def _prompt(incident: Mapping[str, Any]) -> Iterator[Block]:
    exposure = incident["exposure"]
    yield Heading(3, _d("Prompt and answer"))
    yield Paragraph(
        _d("What our verdicts would have put into the prompt: {assembled}.").format(assembled=exposure["assembled"])
    )
    lines = ", ".join(exposure["lines"]) or _d("nothing")
    cut = _d("; cut: {cut}").format(cut=", ".join(exposure["cut"])) if exposure["cut"] else ""
    yield Paragraph(_d("In order: {lines}{cut}.").format(lines=lines, cut=cut))
    if incident["prompt"] is not None:
        yield Marked(_d("recorded prompt"), incident["prompt"])
    elif not exposure["recorded"]:
        yield Paragraph(_d("No prompt was recorded."))
    if incident["answer"] is None:
        yield Paragraph(_d("No answer was recorded: what was disclosed is unknown."))
        return
    spans = [
        (*span["in_answer"], candidate["id"]) for candidate in incident["candidates"] for span in candidate["spans"]
    ]
    yield Marked(_d("answer"), incident["answer"], _apart(spans))


def _apart(spans: Sequence[tuple[int, int, str]]) -> tuple[tuple[int, int, str], ...]:
    """Spans that do not overlap: what several memories say is marked once, with all their names."""
    cuts = sorted({end for span in spans for end in span[:2]})
    out: list[tuple[int, int, str]] = []
    for start, end in pairwise(cuts):
        names = dict.fromkeys(name for low, high, name in spans if low <= start and end <= high)
        if names:
            label = ", ".join(names)
            if out and out[-1][1] == start and out[-1][2] == label:
                out[-1] = (out[-1][0], end, label)
            else:
                out.append((start, end, label))
    return tuple(out)


def _in_question(candidate: Mapping[str, Any], incident: Mapping[str, Any]) -> bool:
    """Whether a memory is shown in full: it proves or leaves open something, is required, was exposed, or was told."""
    named = {proof["id"] for proof in (*incident["proofs"], *incident["open"])} | set(incident["query"]["required"])
    happened = {step["step"] for step in candidate["trail"] if step["value"] != 0}
    return candidate["id"] in named or bool(candidate["spans"]) or "exposed" in happened


def _memory(candidate: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading(
        3,
        _d("Memory {named}: {get}").format(
            named=_named(candidate), get=_SIGNS.get(candidate["verdict"], candidate["verdict"])
        ),
    )
    spans = [(*span["in_memory"], _d(span["by"])) for span in candidate["spans"] if span["in_memory"] is not None]
    yield Marked(_d("text ({origin})").format(origin=candidate["origin"]), candidate["text"], _apart(spans))
    yield Bullets(tuple(_axis(axis) for axis in candidate["axes"]))
    rows = [
        (axis["axis"], f"{read['of']}.{read['field']}", _value(read), read["origin"])
        for axis, read in _reads(candidate)
    ]
    if rows:
        yield Table((_d("axis"), _d("field read"), _d("value"), _d("from")), tuple(rows))
    steps = []
    for step in candidate["trail"]:
        when = _d(" at {at}").format(at=step["at"]) if step["at"] else ""
        wrong = _d(" — should not have happened") if step["broken"] else ""
        steps.append(f"{step['step']} {step['value']}{when}: {step['detail']}{wrong}")
    yield Bullets((*steps, *(one["words"] for one in candidate["breaks"]), *candidate["notes"]))
    if candidate["fixes"]:
        yield Bullets(
            tuple(
                _d("edit that gives {verdict}: {words}").format(verdict=fix["verdict"], words=fix["words"])
                for fix in candidate["fixes"]
            )
        )
    if candidate["unread"]:
        unread = ", ".join(f"{read['of']}.{read['field']}" for read in candidate["unread"])
        yield Paragraph(_d("Present, read by no rule: {unread}.").format(unread=unread))


def _reads(candidate: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for axis in candidate["axes"]:
        for read in axis["reads"]:
            yield axis, read


def _axis(axis: Mapping[str, Any]) -> str:
    marks = "".join(f" [{mark}]" for mark in ("assumed", "judged") if axis[mark])
    missing = _d("; missing: {missing}").format(missing=", ".join(axis["missing"])) if axis["missing"] else ""
    return f"{axis['axis']} {axis['value']}: {axis['reason']}{missing}{marks}"


def _named(one: Mapping[str, Any]) -> str:
    return f"{one['namespace']} / {one['id']}" if one.get("namespace") else str(one["id"])


def _value(read: Mapping[str, Any]) -> str:
    if read["presence"] in ("absent", "null"):
        return f"∅ {read['presence']}"
    return _json(read["value"]) + (" (empty)" if read["presence"] == "empty" else "")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"
