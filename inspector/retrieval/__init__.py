"""Retrieval: the embedder, the lexical index and the routes (DESIGN 4).

Importing this package is cheap: nothing here imports torch or sentence_transformers. They are loaded only by
:mod:`inspector.retrieval.encode_worker`, in a process of its own.
"""
