"""Memory folders of Markdown files: those of Letta's agents, of Claude Code's projects, and of OpenAI's agents.

**Letta** (``…/agents/<id>/memory`` with ``system/*.md``): a file is a block, its front matter ``description``,
``read_only``, ``limit``. The namespace is the agent's id, the folder's name above ``memory``.

**Claude** (``…/projects/<slug>/memory/*.md`` with a ``MEMORY.md`` index): a file is a memory, the index too, since it
is always in the prompt. The namespace is the project's slug, the working directory with dashes: projects started from
one directory share it (#91738), and a moved project has two. A front matter's ``project`` takes its place where there
is one. Given are one memory folder, one project's folder, or the folder of all projects.

**OpenAI** (``memories`` of Codex or of the Agents SDK's sandbox: ``memory_summary.md``, ``MEMORY.md``,
``raw_memories.md``, ``rollout_summaries/*.md``): a summary of a run is a memory, and so is each thread of
``raw_memories.md`` and each task group of ``MEMORY.md``. The namespace is ``cwd``, the session ``thread_id``; the
overall summary names neither.

None keeps access rules or states. Their history is the folder's git log, which is not read; a file's time on disk
changes with every copy and is not read either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inspector.errors import InputError
from inspector.formats import frontmatter
from inspector.formats.base import Format, Watch, name_of, os_fault, read_text
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, as_word
from inspector.formats.importer import Importer
from inspector.i18n import D_, _
from inspector.records import ABSENT, Origin

_EMPTY = D_("{name} is empty")

LOSS = [
    D_("policy: a folder of files keeps no purposes and no access rules"),
    D_("status: a file has no state; its history is in git and not read"),
]
LETTA = Format(
    name="letta-memory",
    summary="Letta: an agent's memory folder of Markdown files",
    recognised_by="a folder with system/*.md",
    example="agents/agent-1/memory/system/human.md:\n---\ndescription: who the user is\nlimit: 5000\n---\n"
    "Ana lives in Porto.",
    loss="no access rules, no state, no times",
    scope="the agent's id, the name of the folder above memory",
    policy="",
    lifecycle="",
)
CLAUDE = Format(
    name="claude-memory",
    summary="Claude Code: a project's memory folder of Markdown files, or the folder of all projects",
    recognised_by="a folder with MEMORY.md, memory/MEMORY.md, or <project>/memory/*.md",
    example="projects/-home-ana-house/memory/MEMORY.md:\n- [Home](home.md): where Ana lives",
    loss="no user, no access rules, no state, no times; projects started from one directory cannot be told apart",
    scope="a front matter's project, else the project's slug",
    policy="",
    lifecycle="",
)
OPENAI = Format(
    name="openai-memory",
    summary="OpenAI: the memories folder of Codex or of the Agents SDK's sandbox",
    recognised_by="a folder with memory_summary.md, raw_memories.md or rollout_summaries/",
    example="memories/raw_memories.md:\n# Raw Memories\n\n## Thread `t1`\nupdated_at: 2026-01-05T08:00:00Z\n"
    "cwd: /home/ana/house\n\nAna lives in Porto.",
    loss="no user, no access rules, no state, no creation times",
    scope="cwd",
    policy="",
    lifecycle="updated_at",
)
#: A folder may hold no more files than this: someone gave a whole disk.
_MOST = 50_000
_THREAD = re.compile(r"^## Thread `([^`\n]+)`[ \t]*$", re.MULTILINE)
_GROUP = re.compile(r"^# Task Group:[ \t]*(.+)$", re.MULTILINE)
_CWD = re.compile(r"\bcwd\s*[=:]\s*`?([^\s;`,]+)")


def _markdown(folder: Path) -> tuple[Path, ...]:
    """The Markdown files under a folder, hidden ones left out, in the order of their names."""
    found: list[Path] = []
    try:
        for file in folder.rglob("*.md"):
            inside = file.relative_to(folder).parts
            if not any(part.startswith(".") for part in inside) and file.is_file():
                found.append(file)
            if len(found) > _MOST:
                raise InputError.at(name_of(folder), None, "", _("holds more than 50,000 files"), _("a memory folder"))
    except OSError as error:
        raise os_fault(error, name_of(folder)) from None
    return tuple(sorted(found))


def find_letta(path: Path) -> tuple[Path, ...]:
    """The files of a Letta agent's memory folder, or of a folder that holds one as ``memory``."""
    for folder in (path, path / "memory"):
        if any((folder / "system").glob("*.md")):
            return _markdown(folder)
    return ()


def find_claude(path: Path) -> tuple[Path, ...]:
    """The files of one project's memory, or of all projects' below a folder."""
    for folder in (path, path / "memory"):
        if (folder / "MEMORY.md").is_file():
            return _markdown(folder)
    for folder in (path, path / "projects"):
        memories = sorted(one for one in folder.glob("*/memory") if one.is_dir())
        files = tuple(file for one in memories for file in _markdown(one))
        if files:
            return files
    return ()


def find_openai(path: Path) -> tuple[Path, ...]:
    """The files of a memories folder, or of a folder that holds one."""
    for folder in (path, path / "memories"):
        marks = (folder / "memory_summary.md", folder / "raw_memories.md")
        if any(one.is_file() for one in marks) or (folder / "rollout_summaries").is_dir():
            return tuple(file for file in _markdown(folder) if "skills" not in file.relative_to(folder).parts)
    return ()


def _each(files: tuple[Path, ...], collector: Collector, watch: Watch) -> Iterator[tuple[Path, str]]:
    """The files with their text; one that cannot be read is a fault."""
    for file in files:
        watch.begin(name_of(file))
        try:
            text = read_text(file)
        except InputError as error:
            collector.fault(error)
            continue
        watch.advance(len(text))
        if text.strip():
            yield file, text
        else:
            collector.notes.append(_EMPTY.format(name=name_of(file)))


def _above(file: Path, name: str) -> tuple[str, Path]:
    """The name of the folder above the nearest one called ``name``, and that folder; else of the file's own folder."""
    for parent in file.parents:
        if parent.name == name:
            return (parent.resolve().parent.name, parent)
    return (file.resolve().parent.name, file.parent)


def read_letta(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read a Letta agent's memory folder."""
    for file, text in _each(files, collector, watch):
        agent, root = _above(file, "memory")
        if file.parent.name == "system" and root == file.parent:
            agent, root = file.parent.resolve().parent.name, file.parent.parent
        head, body = frontmatter.split(text)
        _add(file, name_of(file.relative_to(root)), body, head, agent, collector)


def read_claude(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read Claude Code's memory folders."""
    for file, text in _each(files, collector, watch):
        slug, root = _above(file, "memory")
        head, body = frontmatter.split(text)
        project = as_word(head.pop("project", None))
        if project is not None:
            head["slug"] = slug
        _add(file, name_of(file.relative_to(root)), body, head, project or slug, collector)


def _add(
    file: Path, memory_id: str, text: str, head: dict[str, Any], owner: str, collector: Collector, **more: Any
) -> None:
    """Collect one memory of a file."""
    draft = Draft(head, collector.mapped)
    draft.put("id", memory_id)
    draft.put("text", text)
    if owner:
        draft.put("namespace", owner)
    else:
        draft.lose(D_("namespace: neither the folder nor the file names an owner"))
    for field, value in more.items():
        draft.put(field, value)
    for name in ("created_at", "updated_at"):
        draft.time(name, name)
    collector.memory(draft.done(LOSS), Origin(name_of(file)), suspect=True)


def read_openai(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read a memories folder."""
    for file, text in _each(files, collector, watch):
        inside = file.parent.name == "rollout_summaries"
        name = name_of(Path(file.parent.name, file.name) if inside else Path(file.name))
        seen: Counter[str] = Counter()
        for label, head, body in _PARTS.get(file.name, _summary)(text):
            slug = re.sub(r"[^\w.-]+", "-", label)[:80]
            seen[slug] += 1
            again = f"-{seen[slug]}" if seen[slug] > 1 else ""
            cwd, session = head.pop("cwd", None), head.pop("thread_id", None)
            memory_id = f"{name}#{slug}{again}" if label else name
            _add(file, memory_id, body, head, str(cwd or ""), collector, session_id=_word(session))


def _word(value: Any) -> Any:
    return ABSENT if value is None else str(value)


#: A part of a file: its label within the file ("" for the whole), the keys of its head, its text.
_Part = tuple[str, dict[str, Any], str]


def _summary(text: str) -> Iterator[_Part]:
    """A file of one memory, with a head of either kind."""
    head, body = frontmatter.split(text)
    if not head:
        head, body = frontmatter.split_bare(text)
    yield "", head, body


def _threads(text: str) -> Iterator[_Part]:
    """The threads of raw_memories.md."""
    marks = list(_THREAD.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        inner = text[mark.end() : following.start() if following else len(text)].strip("\n")
        head, body = frontmatter.split_bare(inner)
        yield mark[1], {"thread_id": mark[1], **head}, body
    if not marks:
        yield from _summary(text)


def _groups(text: str) -> Iterator[_Part]:
    """The task groups of MEMORY.md; what stands before the first, or all of it where there is none, is one memory."""
    marks = list(_GROUP.finditer(text))
    start = text[: marks[0].start()].strip() if marks else text.strip()
    if start:
        yield "", {}, start
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        inner = text[mark.start() : following.start() if following else len(text)].strip()
        cwd = _CWD.search(inner)
        label = mark[1].strip()
        yield label, {"task_group": label, **({"cwd": cwd[1]} if cwd else {})}, inner


_PARTS: dict[str, Callable[[str], Iterator[_Part]]] = {"raw_memories.md": _threads, "MEMORY.md": _groups}
LETTA_IMPORTER = Importer(LETTA, read_letta, folder=find_letta)
CLAUDE_IMPORTER = Importer(CLAUDE, read_claude, folder=find_claude)
OPENAI_IMPORTER = Importer(OPENAI, read_openai, folder=find_openai)
