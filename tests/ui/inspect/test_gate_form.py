"""The lines of the short form and the edits that they mean, without a screen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import FieldError
from inspector.records import ABSENT, Memory, Origin
from inspector.ui.widgets.gate_form import GovernsForm, join_terms, split_terms

TERM = st.text(min_size=1, max_size=12).map(str.strip).filter(lambda term: term and not set("\r\n\0") & set(term))


def form(**fields: Any) -> GovernsForm:
    return GovernsForm.of(Memory({"id": "m", "text": "t", **fields}, Origin("here")))


def edits(opened: GovernsForm, **typed: str) -> dict[str, Any]:
    return opened.edits({**opened.lines, **typed})


@given(st.lists(TERM, max_size=6))
def test_terms_come_back_as_they_were(terms: list[str]) -> None:
    assert split_terms(join_terms(terms)) == terms


def test_terms_by_hand() -> None:
    assert join_terms(["refund", "payout"]) == "refund, payout"
    assert split_terms(" refund ,payout,, ") == ["refund", "payout"]
    assert split_terms('"a, b", c') == ["a, b", "c"]
    with pytest.raises(FieldError):
        split_terms('"a')


GOVERNS = {"any_terms": ["pay"], "action_types": ["execute"], "note": "mine"}
VALUES: list[Any] = [ABSENT, None, {}, {"action_types": []}, GOVERNS]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_an_untouched_form_means_nothing(value: Any) -> None:
    fields = {} if value is ABSENT else {"governs": value}
    assert edits(form(**fields, status="active", memory_type=None)) == {}


def test_keys_that_the_gate_does_not_know_stay() -> None:
    assert edits(form(governs=GOVERNS), any_terms="pay, refund") == {
        "governs": {
            "any_terms": ["pay", "refund"],
            "all_terms": [],
            "excluded_terms": [],
            "action_types": ["execute"],
            "note": "mine",
        }
    }


def test_blanking_all_takes_the_block_away() -> None:
    plain = form(governs={"any_terms": ["pay"], "action_types": ["execute"]})
    assert edits(plain, any_terms="", action_types=" ") == {"governs": ABSENT}


def test_a_malformed_block_opens_as_what_it_plainly_says() -> None:
    opened = form(governs={"any_terms": "pay", "action_types": [["Execute"], "fly"]})
    assert opened.repairs
    assert (opened.lines["any_terms"], opened.lines["action_types"]) == ("pay", "execute")
    assert edits(opened)["governs"]["action_types"] == ["execute"]


@pytest.mark.parametrize("value", [None, 7])
def test_a_malformed_block_that_says_nothing_is_left_alone(value: Any) -> None:
    assert edits(form(governs=value)) == {}


@pytest.mark.parametrize("action_types", ["fly", "execute, Write"])
def test_unknown_operations_are_refused(action_types: str) -> None:
    with pytest.raises(FieldError, match="no known operation"):
        edits(form(), action_types=action_types)


def test_authority_lines() -> None:
    opened = form(verification_required=True, allowed_action_hint="warn")
    assert edits(opened, verification_required="false", allowed_action_hint="", epistemic_status="contested") == {
        "verification_required": False,
        "allowed_action_hint": ABSENT,
        "epistemic_status": "contested",
    }
    with pytest.raises(FieldError, match="truth value"):
        edits(opened, verification_required="maybe")


def test_control_characters_are_shown_by_signs() -> None:
    opened = form(governs={"any_terms": ["a\x1bb"], "action_types": ["read"]})
    assert opened.lines["any_terms"] == "a␛b"
    # The line was not touched, so the term keeps its character.
    assert edits(opened, action_types="write")["governs"]["any_terms"] == ["a\x1bb"]
