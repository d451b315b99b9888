"""Numbers and rows in the format of the page."""

import re

UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
NONE = "–"


def row(*cells) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def time(seconds: float | None) -> str:
    if seconds is None:
        return NONE
    for unit, size in UNITS.items():
        if seconds >= size or unit == "ns":
            return f"{seconds / size:.3g} {unit}"


def seconds(text: str) -> float | None:
    """Parses a time in the format of `time`."""
    match = re.fullmatch(r"([\d.e+-]+) (s|ms|µs|ns)", text)
    return float(match[1]) * UNITS[match[2]] if match else None


def number(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
