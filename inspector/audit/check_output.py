"""The check's outcome as text, JSON or JUnit XML (DESIGN 12). Deterministic: no clock, no host."""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from inspector.audit.check import CheckResult, Part
from inspector.i18n import _d
from inspector.text import visible


def to_text(result: CheckResult) -> str:
    """One line a reason, then the figures and the outcome; safe to print."""
    lines = [*result.lines, *result.said]
    failed = sum(not part.holds for part in result.parts)
    lines.append(
        _d("holds")
        if result.holds
        else _d("falls short: {failed} of {count} checks").format(failed=failed, count=len(result.parts))
    )
    return "".join(visible(line) + "\n" for line in lines)


def to_json(result: CheckResult) -> str:
    """The outcome as one object."""
    made = {
        "holds": result.holds,
        "store": result.store,
        "figures": list(result.said),
        "checks": [
            {"group": part.group, "name": part.name, "holds": part.holds, "reasons": list(part.lines)}
            for part in result.parts
        ],
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def to_junit(result: CheckResult) -> str:
    """The outcome as JUnit XML: one test case a query or threshold, failures with their reasons."""
    groups: dict[str, list[Part]] = {}
    for part in result.parts:
        groups.setdefault(part.group, []).append(part)
    failed = sum(not part.holds for part in result.parts)
    total = f'tests="{len(result.parts)}" failures="{failed}" errors="0" skipped="0" time="0"'
    out = ['<?xml version="1.0" encoding="utf-8"?>', f"<testsuites name={_attribute(result.store)} {total}>"]
    for group, parts in groups.items():
        short = sum(not part.holds for part in parts)
        count = f'tests="{len(parts)}" failures="{short}" errors="0" skipped="0" time="0"'
        out.append(f"  <testsuite name={_attribute(group)} {count}>")
        out.extend(_case(result.store, group, part) for part in parts)
        out.append("  </testsuite>")
    out.append("</testsuites>")
    return "\n".join(out) + "\n"


def _case(store: str, group: str, part: Part) -> str:
    head = f'    <testcase classname={_attribute(f"{store}.{group}")} name={_attribute(part.name)} time="0"'
    if part.holds:
        return f"{head}/>"
    said = escape("\n".join(visible(line) for line in part.lines))
    first = _attribute(part.lines[0])
    return f'{head}>\n      <failure message={first} type="{group}">{said}</failure>\n    </testcase>'


def _attribute(text: str) -> str:
    """Quoted for XML, without the characters that XML cannot hold: ``visible`` shows them as what they are."""
    return quoteattr(visible(text))


FORMS: dict[str, Callable[[CheckResult], str]] = {"text": to_text, "json": to_json, "junit": to_junit}
