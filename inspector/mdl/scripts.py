"""Which scripts a text is written in, and which lexicon's language that makes it (DESIGN 6).

No model: the share of letters in a lexicon's scripts, and where a script serves many languages the words that the
lexicon knows. What is not plainly one of the loaded languages is no language, and is "not judged".
"""

from __future__ import annotations

import re

#: Letters of the scripts that a lexicon may name.
SCRIPTS: dict[str, str] = {
    "arabic": "\u0600-\u06ff\u0750-\u077f",
    "cyrillic": "\u0400-\u052f",
    "devanagari": "\u0900-\u097f",
    "greek": "\u0370-\u03ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "hangul": "\u1100-\u11ff\uac00-\ud7a3",
    "hebrew": "\u0590-\u05ff",
    "kana": "\u3040-\u30ff",
    "latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f",
    "thai": "\u0e00-\u0e7f",
}
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_OTHERS = {name: re.compile(f"[^{letters}]+") for name, letters in SCRIPTS.items()}


def shares(text: str) -> dict[str, float]:
    """The share of the text's letters in each script that it uses; empty where the text has no letters."""
    letters = _NOT_LETTERS.sub("", text)
    if not letters:
        return {}
    if letters.isascii():
        return {"latin": 1.0}
    counts = {name: len(pattern.sub("", letters)) for name, pattern in _OTHERS.items()}
    return {name: count / len(letters) for name, count in counts.items() if count}
