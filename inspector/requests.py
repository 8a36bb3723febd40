"""What is asked to be opened, and the bundled stores: light to import, so that the first paint waits for nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from inspector.addresses import absolute
from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.resources import resource_dir

if TYPE_CHECKING:
    from inspector.audit.assembly import Order, Unit
    from inspector.audit.exposure import LetThrough
    from inspector.formats import LoadOptions
    from inspector.gate.gate import Mode
    from inspector.mdl import Pool


Place = Literal["inspect", "triage", "compare", "store"]


@dataclass(frozen=True, slots=True)
class Demo:
    """A bundled store: its name, what it teaches in one line, its folder, its language."""

    name: str
    lesson: str
    folder: str
    language: str


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """The flags of DESIGN 12 that say how a store is read and on which route it is evaluated.

    None means: as the store says, else the default. ``temporary`` works in a private workspace that is removed at the
    end; ``no_edits`` leaves the workspace's edits out. ``ablate`` are names of :data:`inspector.mdl.ABLATIONS`;
    ``uncalibrated`` leaves out the calibration of the workspace and of the store; ``encode`` encodes for the decision
    layer where the route needs no vectors. ``prompt_order``, ``prompt_budget`` and ``prompt_measure`` shape the prompt
    that our verdicts would make; a budget without a measure is in tokens where a tokenizer is at hand.
    ``planes`` takes several sources for exports of one store.
    """

    as_format: str | None = None
    queries: Path | None = None
    judgments: Path | None = None
    policy: Path | None = None
    mapping: Path | None = None
    trace: Path | None = None
    lenient: bool = False
    assume: Mapping[str, Any] = field(default_factory=dict)
    as_of: str | None = None
    workspace: Path | None = None
    temporary: bool = False
    no_edits: bool = False
    model: str | None = None
    route: str | None = None
    k: int = 20
    lexical_text: Literal["text", "metadata"] | None = None
    tau: float = 0.8
    let_through: LetThrough = "admit"
    prompt_order: Order = "rank"
    prompt_budget: int | None = None
    prompt_measure: Unit | None = None
    gate: Mode = "layered"
    lexicons: tuple[Path, ...] = ()
    pool: Pool = "retrieved"
    ablate: tuple[str, ...] = ()
    calibration: Path | None = None
    uncalibrated: bool = False
    encode: bool = False
    planes: bool = False

    def load_options(self) -> LoadOptions:
        """The part that the importers read."""
        from inspector.formats import LoadOptions

        return LoadOptions(
            as_format=self.as_format,
            queries=self.queries,
            judgments=self.judgments,
            policy=self.policy,
            mapping=self.mapping,
            trace=self.trace,
            lenient=self.lenient,
            assume=self.assume,
            as_of=self.as_of,
        )

    def remembered(self) -> dict[str, Any]:
        """How the source is read, as JSON values: what the list of recent workspaces keeps to open it the same way."""
        said: dict[str, Any] = {}
        for name in _REMEMBERED:
            value = getattr(self, name)
            if isinstance(value, Path):
                value = absolute(value)
            if value:
                said[name] = dict(value) if isinstance(value, Mapping) else value
        return said

    @classmethod
    def as_remembered(cls, workspace: Path, said: Mapping[str, Any]) -> OpenOptions:
        """The options that open a recent workspace as it was opened last; what is not understood is left out."""
        values: dict[str, Any] = {}
        for name in _REMEMBERED:
            value = said.get(name)
            if isinstance(value, str) and name not in _KINDS:
                values[name] = Path(value) if name in _FILES else value
            elif name in _KINDS and isinstance(value, _KINDS[name]):
                values[name] = value
        return cls(workspace=workspace, **values)


#: Options that are files, and all that say how a source is read.
_FILES = ("queries", "judgments", "policy", "mapping")
_REMEMBERED = (*_FILES, "as_format", "as_of", "lenient", "assume", "planes")
_KINDS: dict[str, type] = {"lenient": bool, "assume": dict, "planes": bool}  # the others are texts


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What the terminal UI is asked to open: sources and options; ``demo`` names a bundled store, ``place`` the screen
    that is shown first, with Inspect behind it."""

    sources: tuple[Path, ...]
    options: OpenOptions = field(default_factory=OpenOptions)
    demo: str | None = None
    place: Place = "inspect"


def demos() -> list[Demo]:
    """The bundled stores, in the order in which they are best met. Raises InspectorError where they are missing."""
    folder = resource_dir("fixtures")
    listed = tomllib.loads((folder / "stores.toml").read_text(encoding="utf-8"))["stores"]
    return [Demo(one["name"], one["lesson"], str(folder / one["name"]), one["language"]) for one in listed]


def demo_folder(name: str) -> Path:
    """The folder of a bundled store. Raises InspectorError that lists the names where there is none of this one."""
    known = {demo.name: Path(demo.folder) for demo in demos()}
    if name not in known:
        raise InspectorError(
            _("no bundled store is called {name!r}: one of {known}").format(name=name, known=", ".join(known))
        )
    return known[name]
