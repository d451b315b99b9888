"""The modules of the package."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import plumb_gis as plumb


def imports(node: ast.AST) -> set[str]:
    """The package's modules that a module imports, including imports in functions.

    Imports under `if TYPE_CHECKING` are omitted.
    """
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and child.level == 1:
            found |= {child.module} if child.module else {alias.name for alias in child.names}
        found |= imports(child)
    return found


def test_modules_have_an_order() -> None:
    folder = Path(plumb.__file__).parent
    modules = {path.stem: path.read_text() for path in folder.glob("*.py")}
    graph = {
        name: imports(ast.parse(text)) & modules.keys()
        for name, text in modules.items()
        if name != "__init__"
    }
    assert {"_crs", "_columns"} <= graph["_native"] | graph["_arrow"]
    order = list(TopologicalSorter(graph).static_order())
    assert order.index("_arrow_types") < order.index("_arrow")
