"""Dask: one machine's answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, STACK, around

dd = pytest.importorskip("dask.dataframe")

PATHS = {name: str(ROOT / path) for name, path in STACK.items()}


def frame() -> pd.DataFrame:
    x, y = around(2000, 8)
    return pd.DataFrame({"lon": x, "lat": y, "n": np.arange(2000)}, index=np.arange(2000) * 3)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_equals_one_machine(scheduler: str) -> None:
    import plumb.dask

    whole = frame()
    out = plumb.dask.sample(dd.from_pandas(whole, npartitions=5), PATHS, status=True)
    expected = plumb.sample(PATHS, whole, status=True)
    assert out.dtypes.to_dict() == expected.dtypes.to_dict()
    pd.testing.assert_frame_equal(out.compute(scheduler=scheduler), expected)


def test_parquet_in_and_out(tmp_path: Any) -> None:
    import plumb.dask

    whole = frame()
    whole.to_parquet(tmp_path / "in.parquet")
    out = plumb.dask.sample(dd.read_parquet(tmp_path / "in.parquet"), PATHS)
    out.to_parquet(tmp_path / "out")
    back = pd.read_parquet(tmp_path / "out")
    pd.testing.assert_frame_equal(back, plumb.sample(PATHS, whole), check_names=False)


def test_arguments() -> None:
    import plumb.dask

    with pytest.raises(plumb.PlumbError, match="dataframe is of type int"):
        plumb.dask.sample(3, PATHS)
