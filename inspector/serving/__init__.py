"""Inspector in a browser: a process of its own for each visitor, confined to bundled stores and uploads (issue 9)."""

from inspector.serving.server import ServeOptions, serve

__all__ = ["ServeOptions", "serve"]
