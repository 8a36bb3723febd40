"""The audit trail: stored → retrieved → verified → exposed → disclosed (DESIGN 8)."""
