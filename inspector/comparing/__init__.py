"""Comparing the routes of loaded stores: runs them, keeps what they returned, makes figures of it (DESIGN 5).

The command line and the Compare screen use what is exported here; the formulas are in :mod:`inspector.compare`.
"""

from inspector.comparing.opening import compare_sources, sensitivity_sources
from inspector.comparing.output import comparison_json, sensitivity_json
from inspector.comparing.resolving import Resolve, resolve_first
from inspector.comparing.running import Edited, check_request, kept_request, run_source
from inspector.comparing.sensitive import Sensitivity, SensitivityRequest, sensitivity
from inspector.comparing.texts import comparison_text, sensitivity_text

__all__ = [
    "Edited",
    "Resolve",
    "Sensitivity",
    "SensitivityRequest",
    "check_request",
    "compare_sources",
    "comparison_json",
    "comparison_text",
    "kept_request",
    "resolve_first",
    "run_source",
    "sensitivity",
    "sensitivity_json",
    "sensitivity_sources",
    "sensitivity_text",
]
