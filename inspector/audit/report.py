"""Reports written out: Markdown, one self-contained HTML file, JSON (issue 5).

Texts of the store and the trace are data in every form: in HTML they are escaped, in Markdown every sign that could act
is, and characters that could act on a terminal are shown as what they are. Nothing is loaded from outside.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.audit.blocks import Block, Bullets, Heading, Marked, Paragraph, Table, blocks
from inspector.i18n import _d, data_language
from inspector.text import visible

#: Signs that act anywhere in a line of Markdown, addresses that become links by themselves, signs at a line's start.
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~$&@]|:(?=//)|(?<=www)\.|^[#+\-=]|^[0-9]+[.)]", re.IGNORECASE)
_VALUES = {"1": "yes", "0": "no", "?": "open"}
_STYLE = """
:root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--line:#bbb;--soft:#f2f2f2;--yes:#00519e;--no:#a33c00;
--open:#555;--mark:#ffe08a}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--line:#555;--soft:#242424;--yes:#7db8f7;
--no:#ff9d66;--open:#b0b0b0;--mark:#6b5200}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:75rem;margin:2rem auto;
padding:0 1rem}
h2{border-top:2px solid var(--line);padding-top:1rem;margin-top:2.5rem}
table{border-collapse:collapse;display:block;overflow-x:auto;margin:.75rem 0}
th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{background:var(--soft);white-space:nowrap}
td:not([class]){min-width:4.75em}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:.75rem;margin:.25rem 0 1rem}
mark{background:var(--mark);color:inherit;outline:1px solid currentColor}
.yes{color:var(--yes)}.no{color:var(--no);font-weight:bold}.open{color:var(--open)}
.label{font-size:.85rem;margin:1rem 0 0}
"""


def to_json(report: Mapping[str, Any]) -> str:
    """The report as JSON, for machines."""
    return json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False, default=str) + "\n"


def to_markdown(report: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    return "\n".join(_lines(blocks(report))) + "\n"


def _lines(found: Iterator[Block]) -> Iterator[str]:
    for block in found:
        if isinstance(block, Heading):
            yield f"{'#' * block.level} {_inline(block.text)}"
        elif isinstance(block, Paragraph):
            yield _inline(block.text)
        elif isinstance(block, Bullets):
            yield from (f"- {_inline(item)}" for item in block.items)
        elif isinstance(block, Table):
            yield _row(block.columns)
            yield "|" + "---|" * len(block.columns)
            yield from map(_row, block.rows)
        else:
            yield from _fenced(block)
        yield ""


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(_inline(cell) for cell in cells)} |"


def _inline(text: str) -> str:
    """Text that stays text in Markdown and in the HTML that Markdown becomes."""
    return _MARKDOWN.sub(_escaped, visible(text))


def _escaped(found: re.Match[str]) -> str:
    sign = found[0]
    if sign[0].isdecimal():
        return f"{sign[:-1]}\\{sign[-1]}"
    return {"<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(sign, f"\\{sign}")


def _fenced(block: Marked) -> Iterator[str]:
    yield f"{_inline(block.label)}:"
    yield ""
    text = visible(block.text, newlines=True)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield text
    yield fence
    yield from (f"- {_inline(_told(block, span))}" for span in block.spans)


def _told(block: Marked, span: tuple[int, int, str]) -> str:
    """A marked stretch in words: its place, what it is, and where the text is shown what stands there."""
    start, end, label = span
    if block.masked:
        return _d("characters {start} to {end}, {label}").format(start=start, end=end, label=label)
    return _d("characters {start} to {end}, {label}: “{text}”").format(
        start=start, end=end, label=label, text=block.text[start:end]
    )


def to_html(report: Mapping[str, Any]) -> str:
    """The report as one HTML file without scripts and without anything from outside."""
    title = _text(_d("Audit of {store}").format(store=report["store"]))
    body = "\n".join(_elements(blocks(report)))
    # The policy is belt and braces: nothing in the file asks for anything, and nothing could.
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return (
        f'<!DOCTYPE html>\n<html lang="{data_language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _elements(found: Iterator[Block]) -> Iterator[str]:
    for block in found:
        if isinstance(block, Heading):
            yield f"<h{block.level}>{_text(block.text)}</h{block.level}>"
        elif isinstance(block, Paragraph):
            yield f"<p>{_text(block.text)}</p>"
        elif isinstance(block, Bullets):
            yield f"<ul>{''.join(f'<li>{_text(item)}</li>' for item in block.items)}</ul>"
        elif isinstance(block, Table):
            yield _html_table(block)
        else:
            yield f'<p class="label">{_text(block.label)}</p><pre>{"".join(_html_marked(block))}</pre>'
            if block.masked and block.spans:
                yield f"<ul>{''.join(f'<li>{_text(_told(block, span))}</li>' for span in block.spans)}</ul>"


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{_text(column)}</th>" for column in table.columns)
    rows = []
    for row in table.rows:
        cells = []
        for column, cell in zip(table.columns, row, strict=True):
            kind = _VALUES.get(cell, "") if column in table.marks else ""
            cells.append(f'<td class="{kind}">{_text(cell)}</td>' if kind else f"<td>{_text(cell)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _html_marked(block: Marked) -> Iterator[str]:
    at = 0
    for start, end, label in () if block.masked else block.spans:
        yield _text(block.text[at:start], newlines=True)
        yield f'<mark title="{_text(label)}">{_text(block.text[start:end], newlines=True)}</mark>'
        at = end
    yield _text(block.text[at:], newlines=True)


def _text(text: str, newlines: bool = False) -> str:
    return html.escape(visible(text, newlines=newlines), quote=True)


#: The forms in which a report can be written, by name.
FORMS: dict[str, Callable[[Mapping[str, Any]], str]] = {"markdown": to_markdown, "html": to_html, "json": to_json}
