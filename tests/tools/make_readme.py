"""Fill the README's generated sections from the program itself: formats, traces, stores, routes, keys, commands.

Run it after any of them changed: ``python tests/tools/make_readme.py``. A test fails while the README is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click

#: As the program itself: click keeps the option of a command once it was made, so both must say the same.
HELP = ["-h", "--help"]
README = Path(__file__).resolve().parents[2] / "README.md"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def formats() -> Iterator[str]:
    """A row a format: what each axis is read from, by precedence, and what is left unknown."""
    from inspector.formats import FORMATS

    yield "| format | what it is | scope from | policy from | lifecycle from | what it cannot say |"
    yield "|---|---|---|---|---|---|"
    for one in FORMATS:
        axes = " | ".join(_cell(said) or "–" for said in (one.scope, one.policy, one.lifecycle))
        yield f"| `{one.name}` | {_cell(one.summary)} | {axes} | {_cell(one.loss)} |"


def traces() -> Iterator[str]:
    """A row a form of trace."""
    from inspector.formats.traces import TRACE_FORMATS

    yield "| trace | what it is | what it cannot say |"
    yield "|---|---|---|"
    for one in TRACE_FORMATS:
        yield f"| `{one.name}` | {_cell(one.summary)} | {_cell(one.loss)} |"


def stores() -> Iterator[str]:
    """A row a bundled store."""
    from inspector.inspection import demos

    yield "| `inspector demo …` | what it teaches |"
    yield "|---|---|"
    for demo in demos():
        yield f"| `{demo.name}` | {_cell(demo.lesson)} |"


def routes() -> Iterator[str]:
    """A row a route."""
    from inspector.retrieval.specs import ROUTES

    yield "| route | candidates |"
    yield "|---|---|"
    for route in ROUTES.values():
        yield f"| `{route.name}` | {_cell(route.summary)} |"


def lessons() -> Iterator[str]:
    """A row a condition that a step of a lesson can ask for."""
    from inspector.lessons.conditions import KINDS

    yield "| `check.…` | what it asks | its keys (optional ones in brackets) |"
    yield "|---|---|---|"
    for name, kind in KINDS.items():
        params = ", ".join(f"`{each}`" if param.required else f"[`{each}`]" for each, param in kind.params.items())
        yield f"| `{name}` | {_cell(kind.help)} | {params} |"


def keys() -> Iterator[str]:
    """A table of keys a place, from the registry of actions."""
    from inspector.ui.actions import PLACES, for_place, show_key

    for place, (title, _) in PLACES.items():
        actions = [action for action in for_place(place) if action.keys]
        if not actions:
            continue
        yield f"**{title}**"
        yield ""
        yield "| key | action | id |"
        yield "|---|---|---|"
        for action in actions:
            shown = " ".join(f"`{_cell(show_key(key))}`" for key in action.key_list())
            yield f"| {shown} | {_cell(action.help)} | `{action.id}` |"
        yield ""


def commands() -> Iterator[str]:
    """Each command's own help."""
    from inspector.cli import cli

    for name, command in cli.commands.items():
        context = click.Context(
            command, info_name=f"inspector {name}", terminal_width=100, max_content_width=100, help_option_names=HELP
        )
        yield f"<details><summary><code>inspector {name}</code>: {command.get_short_help_str(100)}</summary>"
        yield ""
        yield "```text"
        yield from (line.rstrip() for line in command.get_help(context).splitlines())
        yield "```"
        yield ""
        yield "</details>"
        yield ""


SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    "formats": formats,
    "traces": traces,
    "lessons": lessons,
    "stores": stores,
    "routes": routes,
    "keys": keys,
    "commands": commands,
}


def filled(text: str) -> str:
    """The README with every generated section made anew."""
    for name, make in SECTIONS.items():
        body = "\n".join(make()).strip()
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, count = pattern.subn(lambda match, body=body: f"{match[1]}{body}\n{match[2]}", text)  # type: ignore[misc]
        if count != 1:
            raise SystemExit(f"README.md: the section {name} is not marked exactly once")
    return text


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
