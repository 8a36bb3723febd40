"""From C_final to an action, and the row that `evaluate` writes."""

from __future__ import annotations

import numpy as np
import pytest

from inspector.mdl.decision import Action, actions_of, decide, in_corner
from inspector.mdl.params import Params

PARAMS = Params()


@pytest.mark.parametrize(
    ("c_final", "action"),
    [
        (-0.1, Action.OPT_OUT),
        (0.2499, Action.OPT_OUT),
        (0.25, Action.SILENT),
        (0.45, Action.SUPP),
        (0.6499999, Action.SUPP),
        (0.65, Action.ACTIVE),
        (1.0, Action.ACTIVE),
        # the last bit of a sum does not decide
        (0.65 - 1e-15, Action.ACTIVE),
    ],
)
def test_thresholds_belong_to_the_action_above(c_final: float, action: Action) -> None:
    assert actions_of([c_final], PARAMS.thresholds)[0] == action


def test_worked_actions() -> None:
    """DESIGN 6: Active, Supp, Supp, Opt-Out, and the known limit Active."""
    m, r, a = np.array([(0.9, 0.8, 0.5), (0.5, 0.5, 0.85), (0.3, 0.2, 0.2), (0.3, 0.2, 0.85), (0.9, 0.8, 0.85)]).T
    found = decide(m, r, a, PARAMS)
    words = [row.action.word for row in found if row is not None]
    assert words == ["Active", "Supp", "Supp", "Opt-Out", "Active"]
    assert found.corner.tolist() == [False, False, False, False, True]


def test_the_row_of_evaluate() -> None:
    row = decide(0.9, 0.8, 0.5, PARAMS)[0]
    assert row is not None
    assert row.json() == {
        "M": 0.9,
        "R": 0.8,
        "A": 0.5,
        "C": pytest.approx(0.8356, abs=5e-5),
        "alpha": pytest.approx(0.9606, abs=5e-5),
        "C_final": pytest.approx(0.8125, abs=5e-5),
        "action": "Active",
    }


def test_corner_begins_at_its_limits() -> None:
    assert in_corner([0.7, 0.69, 0.7], [0.7, 0.85, 0.69], PARAMS).tolist() == [True, False, False]


def test_parts_and_missing_rows() -> None:
    found = decide([0.1, np.nan, 0.9], 0.5, 0.2, PARAMS)
    assert len(found) == 3
    assert found[1] is None
    part = found.part(1, 3)
    assert len(part) == 2
    assert part[0] is None
    assert part[1] == found[2]


def test_words_of_actions() -> None:
    for action in Action:
        assert Action.of(action.word) is action
        assert action.meaning
    assert Action.of("opt_out") is Action.OPT_OUT
    assert Action.of(" ACTIVE ") is Action.ACTIVE
    assert Action.of("maybe") is None
