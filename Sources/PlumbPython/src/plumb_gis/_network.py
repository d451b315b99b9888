"""Utility networks and their traces."""

from __future__ import annotations

import ctypes
import functools
import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _native
from ._checks import flags
from ._closing import Closing
from ._crs import crs_text
from ._error import PlumbError, PlumbTypeError, PlumbValueError
from ._paths import absolute, text_of
from ._rows import Rows
from ._tabular import needed

if TYPE_CHECKING:
    import geopandas as gpd

    from ._typing import Progress

    Refs = str | Iterable[str]


class NetworkElement:
    """A junction, device or line found by a trace."""

    __slots__ = ("about", "why")

    def __init__(self, about: dict[str, Any], why: str | None = None) -> None:
        #: All properties, as in the trace's JSON.
        self.about = about
        #: The reason why a valve must be closed, or need not be.
        self.why = why

    @property
    def id(self) -> str:
        """The element's id within its source."""
        return str(self.about["globalId"])

    @property
    def source(self) -> str:
        """The name of its source, such as ``Pipeline Device``."""
        return str(self.about["sourceName"])

    @property
    def terminal(self) -> str | None:
        """The terminal, if there are several."""
        name: str | None = self.about["terminalName"]
        return name

    @property
    def asset_group(self) -> str | None:
        """The name of its asset group."""
        name: str | None = self.about["assetGroupName"]
        return name

    @property
    def asset_type(self) -> str | None:
        """The name of its asset type."""
        name: str | None = self.about["assetTypeName"]
        return name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetworkElement) and self.about == other.about

    def __hash__(self) -> int:
        return hash((self.source, self.id, self.terminal))

    def __repr__(self) -> str:
        end = f":{self.terminal}" if self.terminal else ""
        return f"<{self.source}:{self.id}{end}>"


class Trace(Rows):
    """The result of a trace."""

    def __init__(self, text: str, again: Any) -> None:
        #: The result as JSON, as the command prints it.
        self.json = text
        self._again = again
        self._about = json.loads(text)
        results = self._about["traceResults"]
        #: The elements found. For an isolation, these are the valves to close, followed by the
        #: isolated elements if ``include_isolated`` is true.
        self.elements: list[NetworkElement] = [NetworkElement(one) for one in results["elements"]]
        #: Elements that may belong to the result; a warning gives the reason.
        self.possible: list[NetworkElement] = [NetworkElement(one) for one in results["possible"]]
        #: The warnings.
        self.warnings: list[str] = results["warnings"]
        #: The values of the trace's functions.
        self.function_results: list[Any] = results["globalFunctionResults"]

    @property
    def ids(self) -> list[str]:
        """The ids of the elements, each once."""
        return list(dict.fromkeys(element.id for element in self.elements))

    def __len__(self) -> int:
        return len(self.elements)

    def rows(self) -> list[dict[str, Any]]:
        """The properties of each element."""
        return [element.about for element in self.elements]

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """A frame with the elements' shapes and, in ``role``, their role in the trace."""
        geopandas = needed("geopandas", "to_geopandas")
        features = json.loads(self._again("geojson"))["features"]
        frame: gpd.GeoDataFrame = geopandas.GeoDataFrame.from_features(features, crs="EPSG:4326")
        return frame

    def __repr__(self) -> str:
        return f"<plumb.Trace: {len(self.elements)} elements>"

    def _repr_html_(self) -> str:
        from ._html import table

        counts: dict[tuple[str, str | None, str | None], int] = {}
        for element in self.elements:
            key = (element.source, element.asset_group, element.asset_type)
            counts[key] = counts.get(key, 0) + 1
        rows = [[*key, count] for key, count in counts.items()]
        return table(["source", "asset group", "asset type", "elements"], rows, repr(self)[1:-1])


class Isolation(Trace):
    """The valves to close to isolate a location, and the elements that lose supply."""

    def __init__(self, text: str, again: Any, is_isolated: bool) -> None:
        super().__init__(text, again)
        part = self._about["isolation"]
        #: Whether closing the valves cuts the location off from every source.
        self.is_isolated = is_isolated
        #: The valves to close, each with ``why``.
        self.valves = [NetworkElement(one["element"], one["why"]) for one in part["isolating"]]
        #: Valves that also bound the area but need not be operated.
        self.bounding = [NetworkElement(one["element"], one["why"]) for one in part["boundingOnly"]]
        #: The isolated elements, by element and terminal.
        self.isolated = [NetworkElement(one) for one in part["isolated"]]
        #: Elements that had no supply before, by element and terminal; none of them is isolated.
        self.already_without_supply = [NetworkElement(one) for one in part["alreadyWithoutSupply"]]
        #: The number of isolated elements of each type.
        self.lost: list[dict[str, Any]] = part["lost"]
        #: The check valves, pumps and other elements that must hold.
        self.held_by: list[Any] = part["heldBy"]
        #: The sources that no valve cuts off.
        self.controllers: list[Any] = part["controllersNotIsolated"]
        #: The plan if a source cannot be cut off, or None.
        self.partial_plan: Any = part["partialPlan"]

    def __repr__(self) -> str:
        if not self.is_isolated:
            return f"<plumb.Isolation: not isolated, {len(self.controllers)} sources uncut>"
        names = ", ".join(valve.id for valve in self.valves)
        return f"<plumb.Isolation: close {names or 'nothing'}>"


class Segment:
    """A connected part of the network with all valves closed."""

    def __init__(self, about: dict[str, Any]) -> None:
        #: Junctions and devices, lines, and the valves at its border, as ``source:id``.
        self.nodes: list[str] = about["nodes"]
        self.links: list[str] = about["links"]
        self.valves: list[str] = about["valves"]

    def __repr__(self) -> str:
        return (
            f"<plumb.Segment: {len(self.nodes)} nodes, {len(self.links)} links, "
            f"{len(self.valves)} valves>"
        )


class Segments(list[Segment], Rows):
    """The segments of a network, with a row of tables for each of their elements: ``segment``, from
    1, ``kind`` (``node``, ``link`` or ``valve``) and ``element``."""

    def __init__(self, segments: Iterable[Segment], again: Any) -> None:
        super().__init__(segments)
        self._again = again

    def rows(self) -> list[dict[str, Any]]:
        """The segment, the kind and the reference of each element."""
        return [
            {"segment": number, "kind": kind, "element": element}
            for number, segment in enumerate(self, 1)
            for kind, elements in (
                ("node", segment.nodes), ("link", segment.links), ("valve", segment.valves)
            )
            for element in elements
        ]  # fmt: skip

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """A frame with the elements' shapes and properties, ``segment`` and ``kind``."""
        geopandas = needed("geopandas", "to_geopandas")
        features = json.loads(self._again("geojson"))["features"]
        frame: gpd.GeoDataFrame = geopandas.GeoDataFrame.from_features(features, crs="EPSG:4326")
        return frame


class Network(Closing):
    """A utility network: an EPANET file, or a JSON document with layers.

    Threads may share it.

    >>> import plumb_gis as plumb
    >>> gas = plumb.Network("rasters/gas.json")
    >>> gas.isolate("M0054:Load", filter_category="Isolating")
    <plumb.Isolation: close V0031, V0045, V0049>
    >>> len(gas.trace("upstream", "M0054:Load").ids)
    286
    """

    def __init__(
        self, path: str | os.PathLike[str], *, crs: Any = None,
        valve_layer: str | os.PathLike[str] | None = None, anywhere: bool = False,
        strict: bool = False,
    ) -> None:  # fmt: skip
        flags(anywhere=anywhere, strict=strict)
        given = text_of(path)
        reference = crs_text(crs)
        valves = text_of(valve_layer, "valve_layer") if valve_layer is not None else None
        options = _native.options(
            crs=reference,
            valve_layer=valves,
            access="anywhere" if anywhere else None,
            strict=strict or None,
        )
        self._arguments = (
            (absolute(given),),
            {
                "crs": reference, "anywhere": anywhere, "strict": strict,
                "valve_layer": absolute(valves) if valves is not None else None,
            },
        )  # fmt: skip
        polling = _native.Polling()
        self._handle = _native.opened(
            "plumb_network_open", "plumb_network_close", "the network", os.fsencode(given),
            options, *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn()
        text = _native.text_call("plumb_network_describe", self._handle.pointer)
        #: The description, as ``plumb info --of json`` prints it.
        self.info: dict[str, Any] = json.loads(text.splitlines()[0])
        #: The path of the document.
        self.path: str = self.info["path"]
        #: The CRS of the coordinates, or None.
        self.crs: str | None = self.info.get("crs")
        #: The number of junctions and devices, and the number of lines.
        self.junctions: int = self.info["junctions"]
        self.edges: int = self.info["edges"]

    def isolate(
        self, start: Refs, *, filter_category: str | None = None, filter: str | None = None,
        filter_barrier: Refs | None = None, inoperable: Refs | None = None,
        barrier: Refs | None = None, condition: str | None = None, one_way: str = "hold",
        include_isolated: bool = False, domain: str | None = None, tier: str | None = None,
        progress: Progress = None,
    ) -> Isolation:  # fmt: skip
        """Returns the unique smallest set of valves that isolates a location.

        Args:
            start: An element or point where the trace starts, or a list of several. The location to
                isolate: an id that is unique among the sources, ``source:id``,
                ``source:id:terminal``, or a point ``@x,y`` or ``@x,y,tolerance``.
            filter_category: A category whose elements may be closed.
            filter: A condition; elements that meet it may be closed.
            filter_barrier: An element that may be closed, a valve or a point on a pipe, or a list
                of several.
            inoperable: A valve that cannot be closed; the isolation uses valves beyond it. A list
                for several.
            barrier: An element that stops the trace, or a list of several.
            condition: A condition that stops the trace, in addition to the tier's configuration.
            one_way: Whether check valves, pumps, pressure reducing and sustaining valves and
                directional devices hold against reverse flow or are open in both directions.
                Default: hold. One of ``hold``, ``open``.
            include_isolated: List the isolated elements instead of their number. They are added to
                ``elements``.
            domain: The domain network; needed when there are several.
            tier: The tier; needed when there are several.
            progress: True for a bar, or a function that is called with the completed share.
        """
        result = self.trace(
            "isolation", start, filter_category=filter_category, filter=filter,
            filter_barrier=filter_barrier, inoperable=inoperable, barrier=barrier,
            condition=condition, one_way=one_way, include_isolated=include_isolated,
            domain=domain, tier=tier, progress=progress,
        )  # fmt: skip
        assert isinstance(result, Isolation)
        return result

    def trace(
        self, type: str, start: Refs, *, barrier: Refs | None = None,
        condition: str | None = None, cost: str | None = None,
        filter_category: str | None = None, filter: str | None = None,
        filter_barrier: Refs | None = None, inoperable: Refs | None = None,
        one_way: str | None = None, include_isolated: bool = False, domain: str | None = None,
        tier: str | None = None, progress: Progress = None,
    ) -> Trace:  # fmt: skip
        """Traces the network from a start.

        Args:
            type: The type of the trace. One of ``connected``, ``subnetwork``,
                ``subnetwork-controllers``, ``upstream``, ``downstream``, ``loops``,
                ``shortest-path``, ``isolation``.
            start: An element or point where the trace starts, or a list of several. As for
                `isolate`; a shortest path has two.
            barrier: An element that stops the trace, or a list of several.
            condition: A condition that stops the trace, in addition to the tier's configuration.
            cost: The network attribute that shortest-path sums.
            filter_category: A category whose elements may be closed. A trace of a type other than
                isolation stops at them once the sources are found; likewise for the next two.
            filter: A condition; elements that meet it may be closed.
            filter_barrier: An element that may be closed, a valve or a point on a pipe, or a list
                of several.
            inoperable: A valve that cannot be closed; the isolation uses valves beyond it. A list
                for several.
            one_way: Whether check valves, pumps, pressure reducing and sustaining valves and
                directional devices hold against reverse flow or are open in both directions.
                Default: hold. One of ``hold``, ``open``.
            include_isolated: List the isolated elements instead of their number. They are added to
                ``elements``.
            domain: The domain network; needed when there are several.
            tier: The tier; needed when there are several.
            progress: True for a bar, or a function that is called with the completed share.

        Returns:
            A `Trace`, or an `Isolation` for the type ``isolation``.
        """
        flags(include_isolated=include_isolated)
        return self._trace(
            type, start, progress, barrier=_refs(barrier, "barrier"), condition=condition,
            cost=cost, filter_category=filter_category, filter=filter,
            filter_barrier=_refs(filter_barrier, "filter_barrier"),
            inoperable=_refs(inoperable, "inoperable"), one_way=one_way,
            include_isolated=include_isolated or None, domain=domain, tier=tier,
        )  # fmt: skip

    def segments(
        self, *, filter_category: str | None = None, filter: str | None = None,
        progress: Progress = None,
    ) -> Segments:  # fmt: skip
        """Returns all segments of the network with all valves closed.

        >>> import plumb_gis as plumb
        >>> plumb.Network("rasters/gas.json").segments(filter_category="Isolating")[0]
        <plumb.Segment: 33 nodes, 25 links, 4 valves>
        """
        options = {"segments": True, "filter_category": filter_category, "filter": filter}
        text, _ = self._text(progress, **options)
        found = [Segment(one) for one in json.loads(text)["segments"]]
        return Segments(found, functools.partial(self._formatted, options))

    def request(self, path: str | os.PathLike[str], *, progress: Progress = None) -> Trace:
        """Runs a trace request of UtilityNetworkServer from a file."""
        return self._answer(progress, request=text_of(path))

    def _trace(self, type: str, start: Any, progress: Any, **options: Any) -> Trace:
        starts = _refs(start, "start")
        if not isinstance(type, str):
            raise PlumbTypeError("type is not text: give upstream, isolation or another trace")
        if not starts:
            raise PlumbValueError("start is empty: give the id of an element, or @x,y")
        try:
            return self._answer(progress, type=type, start=starts, **options)
        except PlumbError as error:
            if error.code != "not_found" or isinstance(error, ValueError):
                raise
            # Invalid ids are argument errors of the call.
            raise PlumbValueError(str(error), error.code) from None

    def _answer(self, progress: Any, **options: Any) -> Trace:
        text, isolated = self._text(progress, **options)

        again = functools.partial(self._formatted, options)
        if "isolation" in json.loads(text):
            return Isolation(text, again, isolated)
        return Trace(text, again)

    def _formatted(self, options: dict[str, Any], layout: str) -> str:
        return self._text(None, **options, format=layout)[0]

    def _text(self, progress: Any, **options: Any) -> tuple[str, bool]:
        polling = _native.Polling(progress, "trace")
        out = ctypes.c_void_p()
        isolated = ctypes.c_int(1)
        try:
            _native.call(
                "plumb_network_trace", self._handle.pointer, _native.options(**options),
                *_native.polled(polling), ctypes.byref(out), ctypes.byref(isolated),
                polling=polling,
            )  # fmt: skip
            text = _native.taken(out)
        finally:
            _native.freed(out)
        _native.warn(5)
        return text, isolated.value != 0

    def close(self) -> None:
        """Closes the network; running calls finish first."""
        self._handle.close()

    def __repr__(self) -> str:
        return f"<plumb.Network {self.path}: {self.junctions} junctions, {self.edges} edges>"

    def _repr_html_(self) -> str:
        from ._html import pairs

        items = [(key, value) for key, value in self.info.items() if not isinstance(value, list)]
        return pairs(items, self.path)


def _refs(given: Any, name: str) -> list[str] | None:
    if given is None:
        return None
    if isinstance(given, str):
        return [given]
    try:
        out = list(given)
    except TypeError:
        raise PlumbTypeError(f"{name} is {given!r}: give an id, or a list of them") from None
    for one in out:
        if not isinstance(one, str):
            raise PlumbTypeError(f"{name} contains {one!r}: give ids as text")
    return out
