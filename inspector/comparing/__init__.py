"""Comparing the routes of loaded stores: runs them, keeps what they returned, makes figures of it (DESIGN 5).

The command line and the Compare screen use what is exported here; the formulas are in :mod:`inspector.compare`.
"""

from inspector.comparing.keeping import (
    Kept,
    KeptResolve,
    keep_again,
    keep_labels,
    keep_resolve,
    kept_comparison,
    kept_labels,
    kept_request,
    kept_resolve,
    made_under,
    stale_words,
)
from inspector.comparing.opening import compare_opened, compare_sources, sensitivity_sources, shown_again
from inspector.comparing.output import comparison_json, sensitivity_json
from inspector.comparing.resolving import Resolve, resolve_first
from inspector.comparing.running import Edited, check_request, run_source
from inspector.comparing.sensitive import Sensitivity, SensitivityRequest, sensitivity, sensitivity_source
from inspector.comparing.texts import comparison_text, sensitivity_text

__all__ = [
    "Edited",
    "Kept",
    "KeptResolve",
    "Resolve",
    "Sensitivity",
    "SensitivityRequest",
    "check_request",
    "compare_opened",
    "compare_sources",
    "comparison_json",
    "comparison_text",
    "keep_again",
    "keep_labels",
    "keep_resolve",
    "kept_comparison",
    "kept_labels",
    "kept_request",
    "kept_resolve",
    "made_under",
    "resolve_first",
    "run_source",
    "sensitivity",
    "sensitivity_json",
    "sensitivity_source",
    "sensitivity_sources",
    "sensitivity_text",
    "shown_again",
    "stale_words",
]
