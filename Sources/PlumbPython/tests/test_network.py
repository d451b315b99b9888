"""Networks: the command's results."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pytest
from conftest import Command

import plumb_gis as plumb

GAS = "rasters/gas.json"


@pytest.fixture(scope="module")
def gas() -> Any:
    from conftest import ROOT

    with plumb.Network(ROOT / GAS) as made:
        yield made


@pytest.mark.parametrize(
    ("asked", "flags"),
    [
        ({"filter_category": "Isolating"}, ["--filter-category", "Isolating"]),
        ({"filter_category": "Isolating", "include_isolated": True},
         ["--filter-category", "Isolating", "--include-isolated"]),
        ({"filter": "category('Isolating') AND Operable = 1"},
         ["--filter", "category('Isolating') AND Operable = 1"]),
        ({"filter_category": "Isolating", "inoperable": "V0031"},
         ["--filter-category", "Isolating", "--inoperable", "V0031"]),
        ({"filter_category": "Isolating", "one_way": "open"},
         ["--filter-category", "Isolating", "--one-way", "open"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", ["M0054:Load", "M0001:Load", "V0031"])
def test_isolation_equals_the_command(
    command: Command, gas: Any, start: str, asked: dict[str, Any], flags: list[str]
) -> None:
    seen = command("trace", GAS, "--type", "isolation", "--start", start, *flags, "--of", "json")
    found = gas.isolate(start, **asked)
    assert found.json == seen.rstrip("\n")
    assert isinstance(found, plumb.Isolation)


@pytest.mark.parametrize(
    "type", ["connected", "subnetwork", "subnetwork-controllers", "upstream", "downstream", "loops"]
)
def test_traces_equal_the_command(command: Command, gas: Any, type: str) -> None:
    seen = command("trace", GAS, "--type", type, "--start", "M0054:Load", "--of", "json")
    assert gas.trace(type, "M0054:Load").json == seen.rstrip("\n")


def test_segments_equal_the_command(command: Command, gas: Any) -> None:
    seen = command.json("trace", GAS, "--segments", "--filter-category", "Isolating")
    found = gas.segments(filter_category="Isolating")
    assert [segment.nodes for segment in found] == [one["nodes"] for one in seen["segments"]]
    assert [segment.valves for segment in found] == [one["valves"] for one in seen["segments"]]


def test_isolation(gas: Any) -> None:
    found = gas.isolate("M0054:Load", filter_category="Isolating", include_isolated=True)
    assert found.is_isolated and [valve.id for valve in found.valves] == ["V0031", "V0045", "V0049"]
    assert "close it" in found.valves[0].why
    assert len({(one.source, one.id) for one in found.isolated}) == 113
    assert "Isolation" in found._repr_html_()
    shapes = found.to_geopandas()
    assert isinstance(shapes, gpd.GeoDataFrame) and shapes.crs == "EPSG:4326"
    assert (shapes["role"] == "isolating").sum() == 3
    frame = found.to_pandas()
    assert len(frame) == len(found.elements) and "globalId" in frame


def test_network_says_what_info_says(command: Command, gas: Any) -> None:
    seen = command.json("info", GAS, "--of", "json")
    assert gas.junctions == seen["junctions"] == 1652 and gas.edges == seen["edges"]
    assert "1652" in gas._repr_html_()


def test_threads_agree(gas: Any) -> None:
    from concurrent.futures import ThreadPoolExecutor

    starts = [f"M{number:04}:Load" for number in range(1, 33)]

    def asked(start: str) -> str:
        return str(gas.isolate(start, filter_category="Isolating").json)

    alone = [asked(start) for start in starts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(asked, starts)) == alone


def test_arguments(gas: Any) -> None:
    for call, words in (
        (lambda: gas.isolate("Z9:Load", filter_category="Isolating"), "Z9"),
        (lambda: gas.isolate([], filter_category="Isolating"), "start is empty"),
        (lambda: gas.isolate(3, filter_category="Isolating"), "start is 3"),
        (lambda: gas.isolate([3], filter_category="Isolating"), "start contains 3"),
        (lambda: gas.isolate("M0054:Load"), "."),
        (lambda: gas.trace("sideways", "M0054:Load"), "sideways"),
        (lambda: gas.trace("upstream", "M0054:Load", inoperable="V0031"), "inoperable needs"),
        (lambda: gas.trace("isolation", "M0054:Load", cost="length"), "cost needs"),
        (lambda: plumb.Network("rasters/none.json"), "none.json"),
    ):
        with pytest.raises(plumb.PlumbError, match=words) as caught:
            call()
        assert "--" not in str(caught.value)
    closed = plumb.Network(GAS)
    closed.close()
    with pytest.raises(plumb.PlumbError) as caught:
        closed.isolate("M0054:Load", filter_category="Isolating")
    assert caught.value.code == "closed_handle"
