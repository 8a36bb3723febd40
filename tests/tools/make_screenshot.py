"""Make the README's screenshot: the Inspect screen on a bundled store, as SVG.

``python tests/tools/make_screenshot.py`` writes ``fixtures/screenshot.svg``.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "fixtures" / "screenshot.svg"


async def take() -> str:
    """Open the first bundled store, wait for its candidates, and draw what is seen."""
    from inspector.inspection import OpenOptions, OpenRequest, demo_folder
    from inspector.ui.app import InspectorApp
    from inspector.ui.screens.inspect import InspectScreen

    request = OpenRequest((demo_folder("anniversary"),), OpenOptions(temporary=True), demo="anniversary")
    app = InspectorApp(request)
    async with app.run_test(size=(140, 38)) as pilot:
        for _ in range(200):
            await pilot.pause(0.05)
            if isinstance(app.screen, InspectScreen):
                break
        await pilot.pause(0.5)
        return app.export_screenshot(title="inspector demo anniversary")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = home
        TARGET.write_text(asyncio.run(take()), encoding="utf-8")
