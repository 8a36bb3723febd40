"""Sentences: an explanation in lines, what an edit moved, an edit in words (DESIGN 3, 10, 12).

What comes from the store is passed on as it is, except by :func:`why_text`, whose result is safe to print.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.i18n import _d
from inspector.records import AXES, presence_of
from inspector.text import counted, padded, visible
from inspector.trit import Trit
from inspector.views import Flip

#: How a record of a trace was matched (DESIGN 8).
_MATCHES = ("exact", "strong", "weak")
_SIGNS = {"admit": "✓", "exclude": "✗", "unresolved": "?"}


def show_value(presence: str, value: Any) -> str:
    """A field's value for people: absent, null and empty are told apart, texts stand in quotes."""
    if presence in ("absent", "null"):
        return f"∅ {presence}"
    shown = json.dumps(value, ensure_ascii=False)
    if presence == "empty":
        return _d("{shown} (empty)").format(shown=shown)
    return shown if len(shown) <= 200 else f"{shown[:199]}…"


def _read(read: Mapping[str, Any]) -> str:
    return f"{read['of']}.{read['field']} = {show_value(read['presence'], read['value'])}  ({read['origin']})"


def _axis(name: str, axis: Mapping[str, Any]) -> Iterator[str]:
    marks = "".join(f" [{mark}]" for mark in ("assumed", "judged") if axis[mark])
    yield f"{name:<10} {axis['value']}  {axis['reason']}{marks}"
    for read in axis["reads"]:
        yield f"             {_read(read)}"
    if axis["missing"]:
        yield _d("             missing: {missing}").format(missing=", ".join(axis["missing"]))


def _decision(why: Mapping[str, Any]) -> Iterator[str]:
    """The decision layer: of the pair, then of the query, with what R and A rest on and the pairs that conflict."""
    for title, decision in (("memory", why["mdl"]), ("query", (why["mdl_query"] or {}).get("decision"))):
        if decision is not None:
            signals = " ".join(f"{name} {decision[name]:.2f}" for name in ("M", "R", "A"))
            found = f"C {decision['C']:.2f} α {decision['alpha']:.2f} → {decision['C_final']:.2f} {decision['action']}"
            yield f"{'mdl':<10} {_d(title)}: {signals} → {found}"
    query = why["mdl_query"]
    if query is not None:
        yield f"             R: {query['reliability']['reason']}"
        yield f"             A: {query['risk']['reason']}"
        for pair in query["conflicts"]:
            said = " | ".join(", ".join(words) for words in pair["words"])
            yield _d("             conflict ({rule}): {memories}: {said}").format(
                rule=pair["rule"], memories=_d(" and ").join(pair["memories"]), said=said
            )


def _lines(why: Mapping[str, Any]) -> Iterator[str]:
    verdict = why["verdict"]
    yield _d("{SIGNS} {verdict}: memory {memory_id} for query {query_id}  ({origin})").format(
        SIGNS=_SIGNS[verdict],
        verdict=verdict,
        memory_id=why["memory_id"],
        query_id=why["query_id"],
        origin=why["origin"],
    )
    rank = (
        _d("rank {rank}, score {score}").format(rank=why["rank"], score=why["score"])
        if why["rank"]
        else _d("not retrieved")
    )
    by = _d(" by {path}").format(path=why["path"]) if why["path"] not in (None, why["route"]) else ""
    yield _d("{rank} on route {route}{by}").format(rank=rank, route=why["route"], by=by)
    if why["decided_by"]:
        yield _d("decided by {decided_by}").format(decided_by=", ".join(why["decided_by"]))
    yield ""
    for name in (*AXES, "relevance"):
        yield from _axis(name, why[name])
    yield f"{padded(_d('usable'), 10)} {why['usable']}"
    pair = why["session_tag"]
    if pair is not None:
        both = f"{pair['session']} × {pair['tag']} = {pair['both']}"
        yield f"{_d('session × tag')}  {both}  {pair['words']}"
        yield _d("exact key  {exact_key}").format(exact_key=pair["exact_key"])
    state, intent = why["table_cell"]
    yield _d("state {state} × intent {intent}").format(state=state, intent=intent)
    for note in why["notes"]:
        yield _d("note: {note}").format(note=note)
    yield from _decision(why)
    if why["unread"]:
        yield ""
        yield _d("present, read by no rule:")
        for read in why["unread"]:
            yield f"  {_read(read)}"
    for target, search in why["flips"].items():
        yield ""
        yield _d("smallest edits that make the verdict {target}:").format(target=target)
        for flip in search["sets"]:
            yield f"  {flip['words']}"
        if search["note"]:
            yield f"  {search['note']}"
    yield ""
    yield from _trail(why)


def _trail(why: Mapping[str, Any]) -> Iterator[str]:
    """The trail of the pair, how each step was matched, where the chain breaks, and the query's failure stages."""
    for step in why["trail"]:
        when = _d(", at {at}").format(at=step["at"]) if step["at"] and step["step"] != "stored" else ""
        told = (
            _d(" (match {match})").format(match=step["match"])
            if step["step"] == "disclosed" and step["match"] in _MATCHES
            else ""
        )
        wrong = _d("  ← should not have happened") if step["broken"] else ""
        yield f"{step['step']:<10} {step['value']}  {step['detail']}{told}{when}{wrong}"
    for words in why["breaks"]:
        yield f"{padded(_d('break'), 10)} {words}"
    stages = ", ".join(
        f"{stage} ({', '.join(why['proof'][stage])})" if why["proof"].get(stage) else stage
        for stage in why["failure_stages"]
    )
    yield f"{padded(_d('query'), 10)} {why['query_id']}: {stages if stages != 'none' else _d('no stage failed')}"


def why_text(why: Mapping[str, Any]) -> str:
    """The lines of one explanation, safe to print; ``why`` is the object of :func:`inspector.rows.why`."""
    return "\n".join(visible(line) for line in _lines(why))


def share(value: float | None) -> str:
    """A share as the screens write it: two decimals without the leading zero; "–" where there is none."""
    if value is None:
        return "–"
    text = f"{value:.2f}"
    return text[1:] if text.startswith("0.") else text


def change_sentence(
    flips: Sequence[Flip],
    recall_before: float | None,
    recall_after: float | None,
    gate_actions: int = 0,
    came: int = 0,
    gone: int = 0,
) -> str:
    """The one line that says what an edit moved across all queries (DESIGN 10).

    ``gate_actions`` is the number of candidates whose action after the gate is another one; ``came`` and ``gone``
    count the candidates that queries have now and had not before, and the reverse.
    """
    if flips:
        queries = len({flip.qi for flip in flips})
        moved = Counter(flip.after for flip in flips)
        moved.subtract(Counter(flip.before for flip in flips))
        words = {Trit.YES: _d("admitted"), Trit.NO: _d("excluded"), Trit.UNKNOWN: _d("unresolved")}
        net = ", ".join(f"{'+' if n > 0 else '−'}{abs(n)} {words[v]}" for v in words if (n := moved[v]))
        said = _d("flips {many} in {many2}").format(
            many=counted(len(flips), "verdict", "verdicts"), many2=counted(queries, "query", "queries")
        )
        said += f": {net}" if net else ""
    else:
        said = _d("no verdict flips")
    if came or gone:
        moves = [f"+{came:,}"] * bool(came) + [f"−{gone:,}"] * bool(gone)
        said += _d("; candidates {moves}").format(moves=" ".join(moves))
    if gate_actions:
        said += _d("; moves {many}").format(many=counted(gate_actions, "gate action", "gate actions"))
    if recall_before != recall_after:
        said += _d("; recall {share} → {share2}").format(share=share(recall_before), share2=share(recall_after))
    return said


def edit_words(kind: str, target: Sequence[str], field: str, old: Any, new: Any) -> str:
    """One edit in words: what it belongs to, the field, the value before and after."""
    if kind == "ask":
        asked = new if isinstance(new, dict) else old
        text = show_value("value", asked.get("text")) if isinstance(asked, dict) else ""
        return _d("query {target} {value}: {text}").format(
            target=target[-1], value=_d("asked") if isinstance(new, dict) else _d("taken away"), text=text
        )
    if kind == "setting":
        owner = _d("setting")
    elif kind == "judgment":
        owner = _d("judgment of memory {target} for query {target2}").format(target=target[-1], target2=target[0])
    else:
        owner = f"{_d(kind)} {target[-1]}"
    before, after = (show_value(presence_of(value).value, value) for value in (old, new))
    return f"{owner}: {field} {before} → {after}"


def coverage_text(covered: Mapping[str, Any], shown: int = 8) -> str:
    """The coverage map as text, safe to print; ``covered`` is the object that ``coverage --json`` prints (DESIGN 7)."""
    counts = {cell["protection"]: cell for cell in covered["cells"]}

    def cell(name: str) -> str:
        return f"{counts[name]['count']:,} ({_d(name)})"

    rows = (
        ("", _d("authority absent"), _d("authority present")),
        (_d("governs absent"), cell("none"), cell("retrieval-time only")),
        (_d("governs present"), cell("gate rescues"), cell("full chain")),
    )
    grid = ("".join(padded(text, width) for text, width in zip(row, (16, 32, 32), strict=True)) for row in rows)
    lines = [counted(covered["memories"], "memory", "memories"), "", *grid, ""]

    def listed(title: str, records: Sequence[Mapping[str, Any]]) -> None:
        names = [record["id"] + (f" ({record['reason']})" if "reason" in record else "") for record in records[:shown]]
        more = _d(", … {count:,} more").format(count=len(records) - shown) if len(records) > shown else ""
        lines.append(f"{title}: {len(records):,}" + (f": {', '.join(names)}{more}" if names else ""))

    for one in covered["cells"]:
        for key, title in (
            ("declared_but_not_enforced", _d("declared but not enforced")),
            ("gate_cannot_fire", _d("gate cannot fire")),
        ):
            if one[key]:
                listed(f"{_d(one['protection'])}, {title}", one[key])
    listed(_d("sensitive with neither"), covered["sensitive_with_neither"])
    listed(_d("malformed governs"), covered["malformed_governs"])
    return "\n".join(visible(line).rstrip() for line in lines)
