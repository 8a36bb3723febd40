"""Inspector: why an agent's answer came from the wrong memory, and what would have prevented it."""

__version__ = "0.1.0"
