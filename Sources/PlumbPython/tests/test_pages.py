"""The examples of the pages are executed, with their outputs."""

from __future__ import annotations

import doctest
import warnings

import pytest
from conftest import ROOT

PAGES = (
    "README.md", "Sources/Plumb/Plumb.docc/use-from-python.md",
    "Sources/Plumb/Plumb.docc/coming-from-python.md", "Sources/PlumbPython/README.md",
)  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str) -> None:
    for package in ("pyproj", "rasterio", "rasterstats", "rioxarray", "xvec"):
        if package in (ROOT / page).read_text():
            pytest.importorskip(package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed, tried = doctest.testfile(str(ROOT / page), module_relative=False)
    assert tried > 0 and failed == 0
