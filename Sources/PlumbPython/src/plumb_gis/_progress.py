"""The bar for progress=True: tqdm's if installed, otherwise text on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any


class Bar:
    """Shows the completed share of a call."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.shown = 0.0
        self.last = 0.0
        self.tqdm: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self.tqdm = tqdm(
            total=100,
            desc=label or None,
            unit="%",
            bar_format="{l_bar}{bar}| {elapsed}<{remaining}",
        )

    def update(self, fraction: float) -> None:
        percent = min(100.0, 100 * fraction)
        if self.tqdm is not None:
            self.tqdm.update(percent - self.shown)
            self.shown = percent
            return
        now = time.monotonic()
        if percent < 100 and now - self.last < 0.2:
            return
        self.last, self.shown = now, percent
        sys.stderr.write(f"\r{self.label} {percent:3.0f} %")
        sys.stderr.flush()

    def close(self) -> None:
        if self.tqdm is not None:
            self.tqdm.close()
        elif self.shown:
            sys.stderr.write("\n")
