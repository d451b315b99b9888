"""The style of the gallery's pictures, and their output folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[3]
INK, PALE, WATER, GREEN, RED, GOLD, BLUE = (
    "#22303c", "#d8dee3", "#a9cce3", "#5d9b62", "#c0392b", "#d99a1c", "#2e6da4"
)  # fmt: skip

plt.rcParams.update(
    {
        "figure.dpi": 110, "savefig.dpi": 110, "font.size": 9, "axes.titlesize": 12,
        "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.edgecolor": "#8b97a1",
        "axes.labelcolor": INK, "text.color": INK, "xtick.color": "#5b6770",
        "ytick.color": "#5b6770", "axes.grid": True,
        "grid.color": "#eceff1", "axes.axisbelow": True,
        "legend.frameon": False, "axes.formatter.useoffset": False,
    }
)  # fmt: skip


def begin() -> None:
    """Changes to the repository's root, to which the paths of the samples are relative."""
    os.chdir(ROOT)


def degrees(axes: plt.Axes, latitude: float) -> None:
    """Draws longitudes and latitudes so that a kilometre has the same length in both directions."""
    from math import cos, radians

    axes.set_aspect(1 / cos(radians(latitude)))
    axes.set_xlabel("longitude")
    axes.set_ylabel("latitude")


def save(figure: plt.Figure, name: str) -> None:
    """Writes the picture into the folder given on the command line, otherwise into
    ``pictures`` next to the scripts."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", bbox_inches="tight")
    print(folder / f"{name}.png")
