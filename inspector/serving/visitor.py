"""A visitor's process: confined before anything is shown, then the terminal UI as everywhere (issue 9)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Run the UI as the server asks for it in ``INSPECTOR_VISITOR``."""
    settings: dict[str, Any] = json.loads(os.environ.pop("INSPECTOR_VISITOR"))
    folder = Path(settings["folder"])

    from inspector.confinement import confine
    from inspector.resources import resource_dir

    confine(
        folder,
        folder / "files",
        [resource_dir("fixtures"), resource_dir("themes")],
        encodes=bool(settings.get("encode")),
    )
    from inspector.i18n import set_language, speak_to_libraries

    spoken = settings.get("language", "en")
    set_language(spoken, data=spoken)
    speak_to_libraries()
    from inspector.ui.app import InspectorApp

    lesson = settings.get("learn")
    learn: Any = False
    if lesson is not None:
        from inspector.lessons import find_lesson

        learn = find_lesson(lesson) if lesson else True
    app = InspectorApp(None, learn=learn, present=bool(settings.get("present")), redact=bool(settings.get("redact")))
    app.run()
    sys.exit(app.return_code or 0)


if __name__ == "__main__":
    main()
