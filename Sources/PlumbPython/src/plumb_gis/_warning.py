"""The category of warnings."""

from __future__ import annotations


class PlumbWarning(UserWarning):
    """Part of the input was skipped; the rest was processed."""
