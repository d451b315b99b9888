"""Coordinate reference systems as text."""

from __future__ import annotations

import operator
from typing import Any

from ._checks import article
from ._error import PlumbTypeError, PlumbValueError


def crs_text(crs: Any, name: str = "crs") -> str | None:
    """A CRS as text for PROJ: a code, WKT or PROJJSON."""
    if crs is None:
        return None
    if isinstance(crs, str):
        if not crs.strip():
            raise PlumbValueError(f"{name} is empty: give a CRS, such as EPSG:4326")
        return crs
    if isinstance(crs, bool) or type(crs).__name__ in ("bool_", "bool"):
        raise PlumbTypeError(f"{name} is a bool: give a CRS, such as EPSG:4326")
    if hasattr(crs, "__index__"):
        return f"EPSG:{operator.index(crs)}"
    if isinstance(crs, dict):
        code = crs.get("id")
        if isinstance(code, dict) and "authority" in code and "code" in code:
            return f"{code['authority']}:{code['code']}"
        import json

        return json.dumps(crs)
    source = getattr(crs, "srs", None)
    if isinstance(source, str) and _is_code(source):
        return source
    for method in ("to_wkt", "to_string"):
        if hasattr(crs, method):
            text = getattr(crs, method)()
            if isinstance(text, str) and text:
                return text
    raise PlumbTypeError(
        f"{name} is {article(crs)}: give a CRS, such as EPSG:4326, WKT or a pyproj CRS"
    )


def _is_code(text: str) -> bool:
    authority, colon, code = text.partition(":")
    return bool(colon) and authority.isalpha() and code.isalnum()
