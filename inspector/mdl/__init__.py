"""The Memory Decision Layer: whether to trust what the retriever brought back (DESIGN 6).

The way of one evaluation::

    reader = SignalReader(load_lexicons(paths))
    signals = [reader.read(cosines=…, vectors=…, texts=…, admissible=…, query_text=…, risk=…, params=params) for …]
    decisions = decide_queries(signals, params)       # again for every move of a slider; the signals stay
    encode(m, r, a, params)                           # one decision with every intermediate, for the plots

``C`` and ``α`` are separately auditable, not independent: :data:`AUDIT_NOTE` is the sentence that the screens show.
"""

from __future__ import annotations

from inspector.i18n import N_
from inspector.mdl.calibration import CalibrationReport, calibrate
from inspector.mdl.calibration_file import (
    Calibration,
    load_calibration,
    parse_calibration,
    read_calibration,
    save_calibration,
)
from inspector.mdl.conflict import Conflict, ConflictDetector, Judged
from inspector.mdl.decision import Action, Decision, Decisions, QueryDecision, action_counts, decide, decide_queries
from inspector.mdl.encoder import Encoding, bounds, encode, encode_many
from inspector.mdl.labelled import Labelled, read_labelled
from inspector.mdl.lexicon import Lexicons, default_lexicons, load_lexicons
from inspector.mdl.params import ABLATIONS, PARAM_SPECS, POOLS, Params, Pool, Switches, switches_of
from inspector.mdl.signals import QuerySignals, SignalReader

AUDIT_NOTE = N_("C and α can be audited separately; they are not independent (the paper: r = .902)")

__all__ = [
    "ABLATIONS",
    "AUDIT_NOTE",
    "PARAM_SPECS",
    "POOLS",
    "Action",
    "Calibration",
    "CalibrationReport",
    "Conflict",
    "ConflictDetector",
    "Decision",
    "Decisions",
    "Encoding",
    "Judged",
    "Labelled",
    "Lexicons",
    "Params",
    "Pool",
    "QueryDecision",
    "QuerySignals",
    "SignalReader",
    "Switches",
    "action_counts",
    "bounds",
    "calibrate",
    "decide",
    "decide_queries",
    "default_lexicons",
    "encode",
    "encode_many",
    "load_calibration",
    "load_lexicons",
    "parse_calibration",
    "read_calibration",
    "read_labelled",
    "save_calibration",
    "switches_of",
]
