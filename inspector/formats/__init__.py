"""Reading a store into records, and writing records back (DESIGN 2, 12).

:func:`load` recognises what a source is by its content; :data:`FORMATS` lists what can be read; and
:mod:`inspector.formats.canonical` writes.
"""

from __future__ import annotations

from inspector.formats.base import Format, LoadOptions
from inspector.formats.loading import fingerprint, load, source_holding
from inspector.formats.registry import FORMATS

__all__ = ["FORMATS", "Format", "LoadOptions", "fingerprint", "load", "source_holding"]
