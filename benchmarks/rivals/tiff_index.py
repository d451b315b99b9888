"""The positions of tiles in a TIFF file."""

import struct
from dataclasses import dataclass
from pathlib import Path

OFFSETS, COUNTS = (273, 324), (279, 325)
"""The tags of strips and of tiles."""
FORMATS = {1: "B", 3: "H", 4: "I", 16: "Q"}


@dataclass(frozen=True)
class TileIndex:
    """The tiles of the first image, in the order of their numbers."""

    offsets: tuple[int, ...]
    counts: tuple[int, ...]
    header: int
    """The number of bytes before the first tile of any image."""

    def runs(self, tiles: set[int]) -> int:
        """The number of contiguous runs of the tiles in the file: neighbours
        without another tile between them form one run."""
        order = sorted((offset, number) for number, offset
                       in enumerate(self.offsets) if self.counts[number])
        inside = [number in tiles for _, number in order]
        return sum(now and not before
                   for before, now in zip([False, *inside], inside))

    def size(self, tiles: set[int]) -> int:
        """The total number of bytes of the tiles."""
        return sum(self.counts[number] for number in tiles)


def read(path: Path) -> TileIndex:
    """The index of a classic TIFF or a BigTIFF."""
    data = path.read_bytes()
    order = {b"II": "<", b"MM": ">"}[data[:2]]
    big = struct.unpack_from(order + "H", data, 2)[0] == 43
    images = list(_images(data, order, big))
    first = images[0]
    starts = [offset for offsets, counts in images
              for offset, count in zip(offsets, counts) if count]
    return TileIndex(*first, min(starts))


def _images(data, order, big):
    """Offsets and byte counts of each directory."""
    word = order + ("Q" if big else "I")
    width = 8 if big else 4
    at = struct.unpack_from(word, data, width)[0]
    while at:
        count = struct.unpack_from(order + ("Q" if big else "H"), data, at)[0]
        at += 8 if big else 2
        tags = {}
        for _ in range(count):
            tag, kind = struct.unpack_from(order + "HH", data, at)
            if tag in OFFSETS + COUNTS:
                tags[tag] = _values(data, order, word, at + 4, kind, width)
            at += 4 + 2 * width
        yield tuple(next(tags[tag] for tag in pair if tag in tags)
                    for pair in (OFFSETS, COUNTS))
        at = struct.unpack_from(word, data, at)[0]


def _values(data, order, word, at, kind, width):
    """The values of an entry: in place if they fit, else elsewhere."""
    count = struct.unpack_from(word, data, at)[0]
    form = f"{order}{count}{FORMATS[kind]}"
    at += width
    if struct.calcsize(form) > width:
        at = struct.unpack_from(word, data, at)[0]
    return struct.unpack_from(form, data, at)
