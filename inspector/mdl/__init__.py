"""The Memory Decision Layer: whether to trust what the retriever brought back (DESIGN 6)."""
