"""The category of warnings."""

from __future__ import annotations


class PlumbWarning(UserWarning):
    """Something in the input was passed over, and the rest was answered."""
