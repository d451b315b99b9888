"""Paths as given by users, and as needed by the library and other processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ._error import PlumbTypeError, PlumbValueError

# The protocols of fsspec for object stores, and their schemes in URLs.
_STORES = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "az": "az", "abfs": "az"}
_WILD = set("*?[")


class Source(NamedTuple):
    """A raster's path, and its name unless it is the default."""

    name: str | None
    path: str

    def absolute(self) -> Source:
        """The same, valid for a process with another working folder."""
        return Source(self.name, absolute(self.path))


def text_of(path: Any, name: str = "path") -> str:
    """A path or URL as text, from text, an os.PathLike, an open file, or a file of fsspec."""
    if _has_filesystem(path):
        path = _filesystem_path(path, name)
    elif not isinstance(path, (str, bytes, os.PathLike)) and hasattr(path, "read"):
        path = _opened(path, name)
    try:
        given = os.fspath(path)
    except TypeError:
        raise PlumbTypeError(f"{name} is of type {type(path).__name__}: give a path") from None
    text = os.fsdecode(given)
    if "\0" in text:
        raise PlumbValueError(f"{name} contains a zero byte")
    if not text:
        raise PlumbValueError(f"{name} is empty: give a path")
    return _local(text, name)


def is_path(thing: Any) -> bool:
    """Whether an object is the path of a file, or an open file."""
    return isinstance(thing, (str, os.PathLike)) or _has_filesystem(thing) or (
        hasattr(thing, "read") and not hasattr(thing, "__arrow_c_stream__")
        and not hasattr(thing, "read_all")
    )  # fmt: skip


def bytes_of(path: Any, name: str = "path") -> bytes:
    """A path in the encoding of the library."""
    return os.fsencode(text_of(path, name))


def _opened(file: Any, name: str) -> Any:
    """The path of an open file."""
    path = getattr(file, "name", None)
    if isinstance(path, int) and not isinstance(path, bool):
        return f"/dev/fd/{path}"
    if path == "<stdin>":
        return "-"
    if isinstance(path, (str, bytes, os.PathLike)) and os.path.exists(path):
        return path
    raise PlumbTypeError(
        f"{name} is an open {type(file).__name__} without a path: write it to a file, and give the "
        "file's path"
    )


def _has_filesystem(thing: Any) -> bool:
    """Whether an object is a file of fsspec, open or not."""
    return hasattr(getattr(thing, "fs", None), "protocol") and hasattr(thing, "path")


def _filesystem_path(file: Any, name: str) -> str:
    """The path or URL of a file of fsspec, open or not."""
    protocols = file.fs.protocol
    protocol = protocols if isinstance(protocols, str) else protocols[0]
    path = file.path
    if getattr(file, "mode", "rb") not in ("r", "rb", "rt"):
        raise PlumbTypeError(f"{name} is {path}, open for writing: close it, and give its path")
    if getattr(file, "compression", None) is not None:
        raise PlumbTypeError(
            f"{name} is {path}, which fsspec decompresses: write it to a file, and give the file's "
            "path"
        )
    if protocol in ("file", "local"):
        return str(path)
    options = getattr(file.fs, "storage_options", {})
    if "endpoint_url" in options or "endpoint_url" in (options.get("client_kwargs") or {}):
        raise PlumbTypeError(
            f"{name} is {path} of the endpoint of a file system of fsspec: set the endpoint in the "
            f"environment, and give the URL, {protocol}://{path}"
        )
    if protocol in ("http", "https"):
        return str(path)
    if protocol not in _STORES:
        raise PlumbTypeError(
            f"{name} is {path} in the file system {protocol} of fsspec, which only fsspec can "
            "open: write it to a file, and give the file's path"
        )
    return f"{_STORES[protocol]}://{str(path).lstrip('/')}"


def _local(text: str, name: str) -> str:
    """A file URL as a path; other URLs unchanged."""
    scheme, mark, rest = text.partition("://")
    if not mark or not scheme.isalnum():
        return text
    scheme = scheme.lower()
    if scheme == "gcs":
        return f"gs://{rest}"
    if scheme != "file":
        return text
    host, slash, path = rest.partition("/")
    if host not in ("", "localhost") or not slash:
        raise PlumbValueError(f"{name} is {text!r}: a file's URL is file:///folder/name")
    from urllib.parse import unquote

    return "/" + unquote(path, errors="surrogateescape")


def source_of(path: Any, what: str) -> Source:
    """The raster of an argument: an existing path, otherwise ``NAME=PATH``, otherwise a path."""
    named, equals, rest = "", "", ""
    if isinstance(path, str) and not os.path.exists(path):
        named, equals, rest = path.partition("=")
    if equals and named and rest and "/" not in named:
        return Source(named, text_of(rest, what))
    return Source(None, text_of(path, what))


def absolute(path: str) -> str:
    """The absolute path; URLs and GDAL-specific names are unchanged."""
    if path.startswith("/") or "://" in path or path == "-":
        return path
    if os.path.exists(path) or _WILD & set(path):
        return os.path.join(os.getcwd(), path)
    inner = _inner_file(path)
    if inner is not None and not inner.startswith("/"):
        return path.replace(inner, os.path.join(os.getcwd(), inner), 1)
    return path if ":" in path else os.path.join(os.getcwd(), path)


def _inner_file(path: str) -> str | None:
    """The file in a GDAL name such as ``NETCDF:"a.nc":band``."""
    for part in path.replace('"', "").split(":")[1:]:
        if part and os.path.isfile(part):
            return part
    return None


# Identifies a file, so that a replaced one is detected.
Stamp = tuple[str, int, int, int, int]

_SIDECARS = (".aux.xml", ".ovr", ".msk")


def stamps(paths: Iterable[str]) -> tuple[Stamp, ...]:
    """Every file that the paths refer to, by its absolute path, device, inode, size and
    modification
    time. URLs have no stamp."""
    seen: dict[str, Stamp] = {}
    for path in paths:
        for file in _files(path, 0):
            if file in seen:
                continue
            try:
                about = os.stat(file)
            except OSError:
                continue
            seen[file] = (
                file, about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
            )  # fmt: skip
    return tuple(sorted(seen.values()))


def _files(path: str, depth: int) -> Iterator[str]:
    path = absolute(path)
    if os.path.isdir(path):
        for folder, _, names in os.walk(path):
            yield folder
            for name in names:
                yield os.path.join(folder, name)
    elif os.path.exists(path):
        yield path
        for ending in _SIDECARS:
            yield path + ending
        if depth < 8:
            for part in _parts(path):
                yield from _files(part, depth + 1)
    elif _WILD & set(path):
        import glob

        for match in glob.glob(path):
            yield from _files(match, depth)
    elif path.startswith("/vsi") and path.count("/") > 2:
        # The path of the archive is part of the name, as in /vsizip//data/a.zip/b.tif.
        inner = "/" + path.split("/", 2)[2].lstrip("/{").replace("}", "/")
        while len(inner) > 1 and not os.path.isfile(inner):
            inner = os.path.dirname(inner)
        if len(inner) > 1:
            yield inner
    else:
        named = _inner_file(path)
        if named is not None:
            yield named


def _parts(path: str) -> Iterator[str]:
    """The files that a virtual raster refers to."""
    try:
        with open(path, "rb") as file:
            if not file.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
                return
            file.seek(0)
            text = file.read(64 << 20).decode("utf-8", "replace")
    except OSError:
        return
    import re
    from html import unescape

    for name in re.findall(r"<Source(?:Filename|Dataset|VRT)[^>]*>([^<]+)<", text):
        yield os.path.join(os.path.dirname(path), unescape(name.strip()))
