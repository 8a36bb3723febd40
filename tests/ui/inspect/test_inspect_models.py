"""What the Inspect screen is made of, without a terminal: values, wrapping, signs, filters, orders."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.compare.matched import Matched
from inspector.errors import FieldError
from inspector.records import ABSENT, MEMORY_FIELDS, QUERY_FIELDS
from inspector.text import visible
from inspector.trit import Trit
from inspector.ui.widgets.bundle_line import flow
from inspector.ui.widgets.candidates import COLUMNS, CandidateList, candidate_cells
from inspector.ui.widgets.cells import Ending, Piece, fit, pieces_of
from inspector.ui.widgets.queries import QueryFilter, QueryList
from inspector.ui.widgets.record import record_items
from inspector.ui.widgets.signs import bounds, score, share, stage, trail_cell, trit_cell, verdict_cell
from inspector.ui.widgets.values import editor_form, read_typed, show_value
from inspector.ui.widgets.wrap import wrap_lines
from inspector.views import Candidate, Figures, QueryRow

ALL = {
    **{f"memory.{name}": spec for name, spec in MEMORY_FIELDS.items()},
    **{f"query.{name}": spec for name, spec in QUERY_FIELDS.items()},
}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (ABSENT, "∅ absent"),
        (None, "∅ null"),
        ("", '"" empty'),
        ([], "[] empty"),
        ({}, "{} empty"),
        ("active", "active"),
        ("∅ absent", '"∅ absent"'),  # a text that reads like a missing value is not one
        ("1", '"1"'),
        (1, "1"),
        (True, "true"),
        ("true", '"true"'),
        (["a", "b"], "[a, b]"),
        (["a,b", ""], '["a,b", ""]'),
        ({"k": 1}, '{"k": 1}'),
        ("a\x1b[0m", "a␛[0m"),
        (0, "0"),
        (False, "false"),
    ],
)
def test_values_are_told_apart(value: Any, shown: str) -> None:
    assert show_value(value) == shown


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        ("memory.status", "active", "active"),
        ("memory.status", "", ""),
        ("memory.valid_to", " 2026-03-01 ", "2026-03-01"),
        ("memory.valid_to", "1767225600", 1767225600),
        ("memory.valid_to", "1767225600.5", 1767225600.5),
        ("memory.valid_to", "20260301", "20260301"),  # ISO's short form of a date, not seconds of 1970
        ("memory.contradiction_count", "2", 2),
        ("memory.verification_required", "True", True),
        ("memory.allowed_purposes", "care\n\n billing ", ["care", "billing"]),
        ("memory.namespace", "acme", "acme"),
        ("memory.namespaces", "acme\nother", ["acme", "other"]),
        ("query.risk", "0.5", 0.5),
        ("query.risk", "high", "high"),
        ("query.intent", "history", "history"),
    ],
)
def test_typed_text_is_read_by_the_kind_of_field(field: str, typed: str, value: Any) -> None:
    read = read_typed(ALL[field], typed)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("memory.valid_to", "yesterday"),
        ("memory.valid_to", ""),
        ("memory.valid_to", "nan"),
        ("memory.contradiction_count", "two"),
        ("memory.contradiction_count", "inf"),
        ("memory.verification_required", "1"),
        ("query.intent", "later"),
    ],
)
def test_typed_text_that_is_no_value_is_refused(field: str, typed: str) -> None:
    with pytest.raises(FieldError):
        read_typed(ALL[field], typed)


def test_json_says_where_it_is_broken() -> None:
    with pytest.raises(FieldError, match="line 1, column 2"):
        read_typed(MEMORY_FIELDS["governs"], "{oops", as_json=True)
    with pytest.raises(FieldError, match="too deeply"):
        read_typed(MEMORY_FIELDS["governs"], "[" * 100_000, as_json=True)


texts = st.text(st.characters(codec="utf-8"), max_size=30)
numbers = st.one_of(st.integers(-(10**9), 10**9), st.floats(allow_nan=False, allow_infinity=False, width=32))
jsons = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
BY_KIND: dict[str, st.SearchStrategy[Any]] = {
    "text": texts,
    "word": texts,
    "list": st.lists(texts, max_size=4),
    "number": numbers,
    "bool": st.booleans(),
    "namespace": texts,
    "time": st.one_of(
        st.datetimes(timezones=st.just(None)).map(lambda moment: moment.isoformat()),
        st.integers(0, 2 * 10**9),
        st.floats(0, 2e9),
    ),
    "vector": st.lists(st.floats(-1, 1), max_size=4),
}


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_what_the_editor_starts_with_reads_back_as_the_same_value(data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(
            [n for n, spec in ALL.items() if spec.kind in BY_KIND and not spec.closed and n != "memory.namespaces"]
        )
    )
    spec = ALL[name]
    value = data.draw(BY_KIND[spec.kind])
    form = editor_form(spec, value)
    assert visible(form.text, newlines=True) == form.text  # nothing in it acts on a terminal
    read = read_typed(spec, form.text, as_json=form.json)
    assert read == value
    assert type(read) is type(value)


@given(st.dictionaries(texts, jsons, max_size=3))
@settings(max_examples=100, deadline=None)
def test_objects_are_edited_as_inert_json(value: dict[str, Any]) -> None:
    spec = MEMORY_FIELDS["meta"]
    form = editor_form(spec, value)
    assert form.json
    assert visible(form.text, newlines=True) == form.text
    assert read_typed(spec, form.text, as_json=True) == value


@given(texts.map(lambda text: visible(text * 5, newlines=True)), st.integers(4, 40))
@settings(max_examples=300, deadline=None)
def test_wrapping_loses_nothing_and_keeps_the_width(text: str, width: int) -> None:
    lines = wrap_lines(text, width)
    assert "".join(text[start:end] for start, end in lines) == text.replace("\n", "")
    assert all(cell_len(text[start:end]) <= width for start, end in lines)
    assert len(lines) >= text.count("\n") + 1


def test_wrapping_breaks_after_spaces() -> None:
    # "one two " fits in 8 cells, "three" follows; a word longer than the line is cut.
    text = "one two three fourfivesix"
    assert [text[a:b] for a, b in wrap_lines(text, 8)] == ["one two ", "three ", "fourfive", "six"]
    # Each Hangul syllable takes two cells.
    text = "가나다 라마바"
    assert [text[a:b] for a, b in wrap_lines(text, 7)] == ["가나다 ", "라마바"]


def test_parts_flow_without_being_split() -> None:
    # Widths 4, 4, 4 in 11 cells with a gap of 2: two on the first line (4 + 2 + 4 = 10), one on the second.
    parts = [[Piece("aaaa")], [Piece("bbbb")], [Piece("cccc")]]
    assert flow(parts, 11) == [[0, 1], [2]]
    assert flow(parts, 3) == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (1.0, "1"), (0.53, ".53"), (0.001, "<.01"), (0.999, ">.99"), (0.5, ".50"), (0.9951, ">.99")],
)
def test_shares_never_round_to_certainty(value: float, words: str) -> None:
    assert share(value) == words


def test_bounds_and_scores() -> None:
    assert bounds(0.5, 0.75) == "[.50, .75]"
    assert score(None) == "–"
    assert score(math.nan) == "NaN"
    assert score(-0.0674) == "-0.067"


def candidate(mi: int = 0, **values: Any) -> Candidate:
    trits = dict.fromkeys(("scope", "policy", "lifecycle", "relevance", "admissible", "usable"), Trit.UNKNOWN)
    base: dict[str, Any] = {
        "mi": mi,
        "rank": mi + 1,
        "score": 0.5,
        "path": "",
        "memory_id": f"m{mi}",
        "namespace": "ann",
        "text": "t",
    }
    return Candidate(**{**base, **trits, "stored": Trit.YES, "retrieved": Trit.YES, **values})


def plain(pieces: Any) -> str:
    return "".join(piece.text for piece in pieces)


def test_trits_show_the_old_value_until_looked_at() -> None:
    assert plain(trit_cell(Trit.YES, Trit.UNKNOWN)) == "?→1"
    assert plain(trit_cell(Trit.UNKNOWN, Trit.UNKNOWN)) == "?"
    assert plain(trit_cell(Trit.NO, None, edited=True)) == "0✎"
    assert plain(verdict_cell(Trit.NO, Trit.YES)) == "✓→✗ exclude"
    assert plain(verdict_cell(Trit.UNKNOWN)) == "? unresolved"


def test_trail_letters() -> None:
    # By hand: stored, retrieved, verdict 0, in the prompt although excluded, answer unknown.
    row = candidate(admissible=Trit.NO, exposed=Trit.YES, disclosed=Trit.UNKNOWN)
    assert plain(trail_cell(row)) == "SR·E!?"
    # What has not been worked out has no letter.
    assert plain(trail_cell(candidate(admissible=Trit.YES, exposed=Trit.YES, disclosed=None))) == "SRVE"
    assert plain(trail_cell(candidate(admissible=Trit.UNKNOWN, exposed=Trit.NO, retrieved=Trit.NO))) == "S·?·"


def figures(**values: Any) -> Figures:
    base: dict[str, Any] = {
        "required": 1,
        "hits": 1,
        "evaluable": True,
        "recall": 1.0,
        "feasible": True,
        "prefix": 2,
        "violations": 0,
        "admitted": 2,
        "unresolved": 0,
    }
    return Figures(Matched(**{**base, **values}), 4, 4)


def query_row(qi: int = 0, **values: Any) -> QueryRow:
    base: dict[str, Any] = {
        "qi": qi,
        "query_id": f"q{qi}",
        "text": "where is the 열쇠",
        "principal": "Ann",
        "admit": 1,
        "exclude": 0,
        "unresolved": 2,
        "figures": figures(),
        "edited": frozenset(),
        "changed": False,
        "session_mismatch": False,
        "unfiltered": False,
        "stage": "none",
        "stages": ("none",),
    }
    return QueryRow(**{**base, **values})


@pytest.mark.parametrize(
    ("row", "sign"),
    [
        (query_row(), "✓"),
        (query_row(figures=figures(violations=1)), "✗"),
        (query_row(figures=figures(unresolved=1)), "?"),
        (query_row(figures=figures(feasible=False, prefix=None, violations=None, unresolved=None)), "!"),
        (query_row(figures=figures(evaluable=False, recall=None, feasible=None, prefix=None)), "–"),
        (query_row(stage="verification", stages=("verification", "assembly")), "V"),
        (query_row(stage="none", recorded=True, figures=figures(violations=1)), "✓"),
        (query_row(stage="undecided", recorded=True), "?"),
        (query_row(stage="undecided", figures=figures(violations=1)), "✗"),
        (query_row(stage=None, stages=()), "…"),
    ],
)
def test_sign_of_a_query(row: QueryRow, sign: str) -> None:
    assert stage(row)[0].text == sign


@pytest.mark.parametrize(
    ("typed", "takes"),
    [
        ("", True),
        ("WHERE 열쇠", True),
        ("q0 where", True),
        ("elsewhere", False),
        ("principal:ann", True),
        ("principal:bob", False),
        ("verdict:admit", True),
        ("verdict:?", True),
        ("verdict:ex", False),
        ("stage:admitted", True),
        ("is:edited", False),
        ("is:changed", False),
        ("verdict:", True),
        ("note:where", False),  # no facet: plain words, which the text does not hold
    ],
)
def test_query_filter(typed: str, takes: bool) -> None:
    found = QueryFilter.parse(typed)
    assert (not found or found.takes(query_row())) is takes


def test_rows_replaced_after_an_edit_keep_the_filter_and_the_selected_query() -> None:
    rows = QueryList([query_row(0), query_row(1, exclude=1), query_row(2)])
    rows.narrow(QueryFilter.parse("verdict:exclude"))
    assert rows.shown == [1]
    assert rows.counts() == "showing 1 of 3"
    # Query 0 comes in; query 1, which the cursor is on, stays though it no longer passes.
    assert rows.replace([query_row(0, exclude=1), query_row(1)], keep=1)
    assert rows.shown == [0, 1]
    assert not rows.replace([query_row(2)], keep=1)


def test_order_is_stable_and_missing_values_stand_last_both_ways() -> None:
    rows = CandidateList()
    rows.fill(
        [candidate(0, score=None), candidate(1, score=0.1), candidate(2, score=math.nan), candidate(3, score=0.9)]
    )
    rows.sort_by("score")
    assert [row.mi for row in rows.shown] == [3, 1, 0, 2]
    rows.reverse()
    assert [row.mi for row in rows.shown] == [1, 3, 0, 2]
    # Sorted by verdict next, the scores' order breaks the ties: all verdicts are equal here.
    rows.sort_by("verdict")
    assert [row.mi for row in rows.shown] == [1, 3, 0, 2]


def test_rows_that_were_not_retrieved_are_counted_apart() -> None:
    rows = CandidateList()
    rows.fill([candidate(0, admissible=Trit.YES), candidate(1, rank=0)])
    assert plain(rows.counts()) == "1 candidate  ✓ 1  ✗ 0  ? 0  + 1 not retrieved"
    assert candidate_cells(rows.rows[1])[0] == "–"


def test_cells_follow_the_columns_that_are_shown() -> None:
    assert len(candidate_cells(candidate())) == len(COLUMNS)
    assert candidate_cells(candidate(), ["rank", "text"]) == ["1", "t"]


def test_ids_that_begin_alike_are_told_apart_in_a_narrow_column() -> None:
    candidates = CandidateList()
    candidates.fill([candidate(0, memory_id="address-2023"), candidate(1, memory_id="address-2026"), candidate(2)])
    candidates.columns = ("id",)
    shown = [pieces_of(candidates.source().cells(row)[0], COLUMNS[1]) for row in range(3)]
    assert [plain(fit(pieces, 10)) for pieces in shown[:2]] == ["addre…2023", "addre…2026"]
    assert not isinstance(candidates.source().cells(2)[0], Ending)


def test_record_lists_known_fields_that_are_absent() -> None:
    from inspector.records import Memory, Origin

    memory = Memory({"id": "m", "text": "t", "status": "active"}, Origin("a.jsonl", 1), {"status": ABSENT})
    items = record_items(memory, MEMORY_FIELDS, [])
    text = "\n".join(item.shown for item in items)
    assert "✎status" in text
    assert "∅ absent\nwas active" in text
    assert "not in the record" in text
    # The id cannot be edited: its item has no key.
    assert all(getattr(item.key, "name", "") != "id" for item in items)
