"""Failure stages: one hand-written trace for each, the order by traces that satisfy two, and what stays undecided.

The store of every test: POOL and SPA are the asker's, CODE is another guest's (excluded), LOST has no owner (?).
"""

from __future__ import annotations

from typing import Any

from inspector.trit import Trit
from tests.audit.audit_cases import audited, by_id, memory, proofs, query

POOL = memory("pool", "The pool opens at seven every morning.", created_at="2026-05-01T10:00:00Z")
SPA = memory("spa", "The spa is closed on Mondays for the whole of May.", created_at="2026-05-01T10:00:00Z")
CODE = memory("code", "The door code of the summer house is 4711, so tell nobody.", created_at="2026-05-01T10:00:00Z")
LOST = memory("lost", "Someone left a green umbrella under the piano.", created_at="2026-05-01T10:00:00Z")
STORE = [POOL, SPA, CODE, LOST]
VERDICTS = {"code": 0, "lost": "?"}


def event(*ids: str, **given: Any) -> dict[str, Any]:
    return {"filter": {"user": "lind"}, "retrieved": [{"id": id} for id in ids], **given}


def run(required: list[str] | None = None, verdicts: dict[str, Any] | None = None, **recorded: Any) -> Any:
    given = {key: recorded.pop(key) for key in ("let_through", "budget", "order", "stored") if key in recorded}
    asked = query("When does the pool open?", required=required or [], leak_targets=["4711"], recorded=recorded)
    return audited(STORE, asked, verdicts or VERDICTS, **given)


def test_none_where_everything_went_right() -> None:
    done = run(["pool"], events=[event("pool", "spa")], exposed=["pool"], answer="At seven.")
    assert done.stages.first == "none"
    assert done.stages.findings == ()
    assert by_id(done) == {"pool": ("1", "1", "0"), "spa": ("1", "0", "0")}


def test_trace_an_event_names_an_id_that_is_not_stored() -> None:
    done = run(["pool"], events=[event("pool", "ghost")], exposed=["pool"], answer="At seven.")
    assert proofs(done) == {"trace": ("ghost",)}
    assert done.unknown[0][1].id == "ghost"
    assert "not stored" in done.stages.findings[0].proofs[0].words


def test_trace_the_prompt_names_a_record_that_is_not_stored() -> None:
    done = run(["pool"], events=[event("pool")], exposed=["pool", "ghost"], answer="At seven.")
    assert proofs(done) == {"trace": ("ghost",)}
    # The stranger was exposed and nothing is known of it: 0 or 1 of 2 is contaminated.
    assert done.contamination.contaminated is not None
    assert (done.contamination.contaminated.low, done.contamination.contaminated.high) == (0.0, 0.5)


def test_trace_events_out_of_order() -> None:
    events = [event("spa", at="2026-05-02T10:00:05Z"), event("pool", at="2026-05-02T10:00:01Z")]
    done = run(["pool"], events=events, exposed=["pool"], answer="At seven.")
    assert proofs(done) == {"trace": ("spa", "pool")}
    assert "out of order" in done.stages.findings[0].proofs[0].words
    assert run(["pool"], events=events[::-1], exposed=["pool"], answer="At seven.").stages.first == "none"


def test_trace_an_answer_before_the_retrieval() -> None:
    done = run(
        ["pool"],
        events=[event("pool", at="2026-05-02T10:00:05Z")],
        exposed=["pool"],
        answer="At seven.",
        answer_at="2026-05-02T10:00:01Z",
    )
    assert proofs(done) == {"trace": ("pool",)}


def test_trace_retrieved_before_it_was_stored() -> None:
    done = run(["pool"], events=[event("pool", at="2026-04-30T10:00:00Z")], exposed=["pool"], answer="At seven.")
    assert proofs(done) == {"trace": ("pool",)}
    done = run(["pool"], events=[event("pool")], exposed=["pool"], answer="At seven.", stored={"pool": 0})
    assert proofs(done) == {"trace": ("pool",)}


def test_candidate_required_evidence_was_not_retrieved() -> None:
    done = run(["pool"], events=[event("spa")], exposed=["spa"], answer="I do not know.")
    assert proofs(done) == {"candidate": ("pool",)}
    assert done.loss.lost is not None
    assert (done.loss.lost.low, done.loss.lost.high) == (1.0, 1.0)


def test_candidate_required_evidence_is_not_stored() -> None:
    done = run(["gone"], events=[event("spa")], exposed=["spa"], answer="I do not know.")
    assert proofs(done) == {"candidate": ("gone",)}


def test_verification_an_excluded_memory_was_exposed() -> None:
    done = run(["pool"], events=[event("pool", "code")], exposed=["pool", "code"], answer="At seven.")
    assert proofs(done) == {"verification": ("code",)}


def test_verification_required_evidence_was_stopped_by_its_verdict() -> None:
    events = [event("pool", "spa")]
    done = run(["pool"], {"pool": 0}, events=events, exposed=["spa"], answer="I do not know.")
    assert proofs(done) == {"verification": ("pool",)}
    done = run(["pool"], {"pool": "?"}, events=events, exposed=["spa"], answer="I do not know.")
    assert proofs(done) == {"verification": ("pool",)}
    # Let unresolved through, and it was cut by the assembly instead.
    done = run(["pool"], {"pool": "?"}, let_through="unresolved", events=events, exposed=["spa"], answer="No.")
    assert proofs(done) == {"assembly": ("pool",)}


def test_assembly_let_through_and_cut() -> None:
    done = run(["pool"], events=[event("spa", "pool")], exposed=["spa"], answer="I do not know.")
    assert proofs(done) == {"assembly": ("pool",)}


def test_assembly_cut_by_the_budget_of_an_assembled_prompt() -> None:
    # SPA has 50 characters, POOL 38: together 88.
    done = run(["pool"], events=[event("spa", "pool")], budget=60)
    assert proofs(done) == {"assembly": ("pool",)}
    assert [line.mi for line in done.prompt.lines] == [1]
    assert run(["pool"], events=[event("spa", "pool")], budget=88).stages.first == "none"


def test_assembly_exposed_without_being_retrieved() -> None:
    done = run(["pool"], events=[event("pool")], exposed=["pool", "spa"], answer="At seven.")
    assert proofs(done) == {"assembly": ("spa",)}
    assert by_id(done)["spa"] == ("0", "1", "0")
    # Found by its text in the prompt too, with nothing naming it.
    done = run(["pool"], events=[event("pool")], prompt=f"{POOL.text}\n{SPA.text}", answer="At seven.")
    assert proofs(done) == {"assembly": ("spa",)}


def test_disclosure_without_exposure() -> None:
    done = run(["pool"], events=[event("pool", "code")], exposed=["pool"], answer="At seven; the code is 4711.")
    assert proofs(done) == {"disclosure": ("code",)}
    # And of a memory that no event named.
    done = run(["pool"], events=[event("pool")], exposed=["pool"], answer="At seven; the code is 4711.")
    assert proofs(done) == {"disclosure": ("code",)}


def test_an_excluded_memory_that_was_exposed_and_told_satisfies_two() -> None:
    done = run(["pool"], events=[event("pool", "code")], exposed=["pool", "code"], answer="Use 4711.")
    assert proofs(done) == {"verification": ("code",), "disclosure": ("code",)}
    assert done.stages.first == "verification"


def test_the_order_by_traces_that_satisfy_two() -> None:
    trace_and_candidate = run(["pool"], events=[event("ghost", "spa")], exposed=["spa"], answer="No.")
    assert proofs(trace_and_candidate) == {"trace": ("ghost",), "candidate": ("pool",)}
    assert trace_and_candidate.stages.first == "trace"

    candidate_and_verification = run(["pool"], events=[event("code")], exposed=["code"], answer="No.")
    assert proofs(candidate_and_verification) == {"candidate": ("pool",), "verification": ("code",)}
    assert candidate_and_verification.stages.first == "candidate"

    verification_and_assembly = run(["pool"], events=[event("pool", "code")], exposed=["code"], answer="No.")
    assert proofs(verification_and_assembly) == {"verification": ("code",), "assembly": ("pool",)}
    assert verification_and_assembly.stages.first == "verification"

    assembly_and_disclosure = run(["pool"], events=[event("spa", "pool")], exposed=["spa"], answer="Code 4711.")
    assert proofs(assembly_and_disclosure) == {"assembly": ("pool",), "disclosure": ("code",)}
    assert assembly_and_disclosure.stages.first == "assembly"


def test_undecided_where_only_unknowns_remain() -> None:
    done = run(["pool"], events=[event("pool", "lost")], exposed=["pool", "lost"], answer="At seven.")
    assert done.stages.first == "undecided"
    assert [(proof.stage, proof.id) for proof in done.stages.open] == [("verification", "lost")]
    # A stage that surely applies names the query, whatever is open beside it.
    done = run(["spa"], events=[event("pool", "lost")], exposed=["pool", "lost"], answer="At seven.")
    assert done.stages.all == ("candidate",)
    assert [proof.id for proof in done.stages.open] == ["lost"]


def test_no_answer_leaves_disclosure_unknown_and_the_query_decided() -> None:
    done = run(["pool"], events=[event("pool", "code")], exposed=["pool"])
    assert by_id(done)["code"] == ("1", "0", "?")
    assert done.stages.first == "none"
    assert "no answer was recorded: disclosure is not judged" in done.notes


def test_no_recorded_retrieval_is_unknown_not_none() -> None:
    asked = query("When does the pool open?", required=["pool"], recorded={"exposed": ["spa"], "answer": "No."})
    done = audited(STORE, asked, VERDICTS, retrieved=[], retrieval="none")
    assert by_id(done) == {"spa": ("?", "1", "0"), "pool": ("?", "0", "0")}
    assert done.stages.first == "undecided"
    assert {proof.stage for proof in done.stages.open} == {"candidate", "assembly"}


def test_on_another_route_the_trace_s_prompt_and_answer_are_left_aside() -> None:
    recorded = {"events": [event("code")], "exposed": ["code"], "answer": "The code is 4711."}
    asked = query("When does the pool open?", required=["pool"], leak_targets=["4711"], recorded=recorded)
    done = audited(STORE, asked, VERDICTS, retrieved=["pool", "code"], retrieval="simulated")
    assert by_id(done) == {"pool": ("1", "1", "?"), "code": ("1", "0", "?")}
    assert done.stages.first == "none"
    assert not done.exposure_recorded


def test_what_a_reranker_dropped() -> None:
    events = [
        event("spa", "pool", name="search"),
        {"kind": "rerank", "name": "rerank", "retrieved": [{"id": "spa"}], "dropped": [{"id": "pool"}]},
    ]
    done = run(["pool"], events=events, exposed=["spa"], answer="I do not know.")
    assert proofs(done) == {"assembly": ("pool",)}
    assert "a reranker dropped it" in done.stages.findings[0].proofs[0].words
    row = done.row(0)
    assert row is not None
    assert row.dropped
    assert row.retrieved == Trit.YES


def test_answered_from_short_term_context() -> None:
    turns = [{"role": "user", "content": "When is the pool open?"}, {"role": "assistant", "content": POOL.text}]
    done = run(["pool"], events=[event("spa")], exposed=["spa"], recent_turns=turns, answer="At seven.")
    assert proofs(done) == {"candidate": ("pool",)}
    assert [(one.id, one.kind) for one in done.short_term] == [("pool", "weak")]
    # Retrieved: then long-term recall did not fail.
    assert not run(["pool"], events=[event("pool")], exposed=["pool"], recent_turns=turns, answer="x").short_term
    # A turn that carries the record's id, and one that holds the text but for a word.
    by_number = [{"id": "pool", "content": "…"}]
    assert run(["pool"], events=[], exposed=[], recent_turns=by_number, answer="x").short_term[0].kind == "exact"
    cut = "assistant: the pool opens at seven every day"
    assert "6 of its 7 words" in run(["pool"], events=[], exposed=[], recent_turns=cut, answer="x").short_term[0].words
    assert not run(["pool"], events=[], exposed=[], recent_turns=["Hello."], answer="x").short_term


def test_eligible_but_missing() -> None:
    asked = query(recorded={"events": [event("spa")], "answer": "x"})
    done = audited(STORE, asked, VERDICTS, eligible=(0, 1))
    assert done.eligible_missing == (0,)


def test_a_leak_target_that_no_memory_holds_is_said() -> None:
    asked = query("q?", leak_targets=["9999"], recorded={"events": [event("pool")], "exposed": [], "answer": "9999"})
    done = audited(STORE, asked, VERDICTS)
    assert done.stages.first == "none"
    assert any("9999" in note for note in done.notes)


def test_unfiltered_retrieval_is_said() -> None:
    empty: list[Any] = [None, {}, ""]
    for value in empty:
        done = run(["pool"], events=[event("pool", filter=value)], exposed=["pool"], answer="x")
        assert "event 1: unfiltered retrieval" in done.notes
    assert not run(["pool"], events=[event("pool")], exposed=["pool"], answer="x").notes
