"""Print one of the README's two set-up commands: ``open`` or ``test``. Standard library only: it runs before set-up."""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def commands(text: str) -> dict[str, str]:
    """The README's first two ``sh`` blocks, by what they are for; each is one line."""
    blocks = [block.strip() for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]
    return {"open": blocks[0], "test": blocks[1]}


if __name__ == "__main__":
    print(commands(README.read_text(encoding="utf-8"))[sys.argv[1]])
