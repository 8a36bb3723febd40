"""Fixtures of the tests of languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tools.cheap_screens import make_cheap


@pytest.fixture(scope="session", autouse=True)
def cheap_screens() -> Iterator[None]:
    """Apps that cost little to start."""
    with pytest.MonkeyPatch.context() as patch:
        make_cheap(patch)
        yield
