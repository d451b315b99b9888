"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any


def table(heads: list[str], rows: Iterable[Iterable[Any]], caption: str = "") -> str:
    """A table; None is an empty cell."""
    out = ["<table>"]
    if caption:
        out.append(f"<caption>{escape(caption)}</caption>")
    out.append(
        "<thead><tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr></thead>"
    )
    out.append("<tbody>")
    for row in rows:
        out.append("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>")
    out.append("</tbody></table>")
    return "".join(out)


def pairs(items: Iterable[tuple[str, Any]], caption: str = "") -> str:
    """A table of names and values."""
    rows = "".join(
        f"<tr><th>{escape(str(name))}</th><td>{_cell(value)}</td></tr>" for name, value in items
    )
    head = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def _cell(value: Any) -> str:
    return "" if value is None else escape(str(value))
