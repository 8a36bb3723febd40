"""Comparing routes at matched recall (DESIGN 5)."""
