"""Action, attribution and execution gate: what authorised an action, and was it enough (DESIGN 7)."""
