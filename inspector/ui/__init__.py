"""The terminal UI: the only part of the product that imports Textual (DESIGN 13). It knows ``inspection`` alone."""
