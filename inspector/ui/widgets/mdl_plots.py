"""Small bar plots of the encoder's vectors, by plotext, as lines of plain text (SCREENS, MDL).

plotext takes a while to import: :func:`load` does it in a worker, and :func:`is_loaded` says whether plots can be made.
They are plain characters: colour tells nothing that they do not.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Sequence

#: Lines of a plot: title, frame, five of bars, axis with its numbers.
HEIGHT = 9
#: Cells of a plot with single-digit marks at its axis: with D = 16 every bar is one cell and every gap another.
WIDTH = 36
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def is_loaded() -> bool:
    """Whether plots can be made without a pause."""
    return "textual_plotext" in sys.modules and "plotext" in sys.modules


def load() -> None:
    """Import what makes the plots: for a worker."""
    import textual_plotext  # noqa: F401  (the import is what it is for)


@functools.lru_cache(maxsize=128)
def bars(values: tuple[float, ...], low: int, high: int, title: str, width: int = WIDTH) -> tuple[str, ...]:
    """A bar for each value, from 0, on an axis from ``low`` to ``high``: :data:`HEIGHT` lines, each ``width`` cells."""
    from textual_plotext.plot import Plot

    plot = Plot()
    plot.theme("clear")
    plot.plotsize(width, HEIGHT)
    last = len(values) - 1
    plot.xlim(-0.5, last + 0.5)
    plot.ylim(low, high)
    plot.bar(list(range(last + 1)), list(values), width=0.4, minimum=0)
    plot.yticks(list(range(low, high + 1)))
    plot.xticks(list(range(0, last + 1, max(1, last // 3))))
    plot.title(title)
    lines = _COLOURS.sub("", plot.build()).rstrip("\n").split("\n")
    return tuple(line.rstrip().ljust(width) for line in lines)


def side_by_side(plots: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """Plots beside each other as far as they fit into ``width`` cells, then below; an empty line between rows."""
    lines: list[str] = []
    row: list[tuple[str, ...]] = []
    for plot in plots:
        if row and sum(len(one[0]) + 2 for one in row) + len(plot[0]) > width:
            lines += [*_joined(row), ""]
            row = []
        row.append(plot)
    return lines + _joined(row)


def _joined(row: Sequence[tuple[str, ...]]) -> list[str]:
    return ["  ".join(parts).rstrip() for parts in zip(*row, strict=True)]
