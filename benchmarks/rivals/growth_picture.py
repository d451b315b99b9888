"""The picture of growth: the time per point, and the total memory."""

import math
import re

import words
from rivals import OURS
from svg import Picture

WIDTH = 900
COLUMN = {OURS: "better"}
"""The colours of contenders; the others use `OTHERS` in turn."""
OTHERS = ("worse", "other")


def curves(sections: dict[str, str]) -> dict[str, list[tuple]]:
    """The points, seconds and peak megabytes of each contender."""
    found = {}
    for key, section in sections.items():
        match = re.fullmatch(r"growth-1e(\d+)", key)
        if not match:
            continue
        count = 10 ** int(match[1])
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 8 and (time := words.seconds(cells[1])):
                peak = re.match(r"([\d,]+) MB", cells[5])
                memory = peak and float(peak[1].replace(",", ""))
                found.setdefault(cells[0], []).append((count, time, memory))
    return found


def draw(curves: dict[str, list[tuple]]) -> Picture:
    counts = sorted({count for curve in curves.values()
                     for count, _, _ in curve})
    picture = Picture(WIDTH, 420, "Time per point and peak memory by the "
                      "number of points, CSV to CSV")
    picture.text(16, 26, "CSV to CSV: time per point, and peak "
                 "memory", size=16, bold=True)
    x = 16
    colours = dict(COLUMN)
    for name in curves:
        if name not in colours:
            colours[name] = OTHERS[(len(colours) - 1) % len(OTHERS)]
        picture.bar(x, 41, 18, 5, colours[name], 2)
        picture.text(x + 24, 49, name)
        x += 50 + 7 * len(name)
    panels = (("µs a point", 70, [
        {count: 1e6 * time / count for count, time, _ in curve}
        for curve in curves.values()]),
        ("peak memory, MB", WIDTH / 2 + 66, [
            {count: memory for count, _, memory in curve if memory}
            for curve in curves.values()]))
    for title, left, values in panels:
        _panel(picture, title, left, WIDTH / 2 - 100, counts,
               list(zip(values, (colours[name] for name in curves))))
    return picture


def _panel(picture, title, left, width, counts, curves):
    """One curve per contender over the number of points, both logarithmic."""
    top, bottom = 90, 360
    found = [value for curve, _ in curves for value in curve.values()]
    low = math.floor(math.log10(min(found)))
    high = math.ceil(math.log10(max(found) * 1.05))
    first, last = math.log10(counts[0]), math.log10(counts[-1])

    def at(count, value):
        across = (math.log10(count) - first) / ((last - first) or 1)
        up = (math.log10(value) - low) / ((high - low) or 1)
        return left + across * width, bottom - up * (bottom - top)

    for power in range(low, high + 1):
        y = at(counts[0], 10 ** power)[1]
        picture.line([(left, y), (left + width, y)], "grid")
        picture.text(left - 8, y + 4, f"{10.0 ** power:,g}", "faint", "end",
                     11)
    for count in counts:
        x = at(count, 10 ** low)[0]
        picture.line([(x, top), (x, bottom)], "grid")
        picture.text(x, bottom + 18, _count(count), "faint", "middle", 11)
    picture.text(left - 46, top - 14, title, bold=True)
    picture.text(left + width / 2, bottom + 40, "points", "faint", "middle")
    for curve, colour in curves:
        ends = [at(*item) for item in sorted(curve.items())]
        picture.line(ends, colour, 2)
        for (x, y), value in zip(ends, [value for _, value
                                        in sorted(curve.items())]):
            picture.dot(x, y, 3.5, colour)
            # Keep the first one clear of the axis.
            picture.text(x - 4 if x == left else x, y - 8,
                         f"{value:,.3g}" if value < 1000 else f"{value:,.0f}",
                         colour, "start" if x == left else "middle", 10.5)


def _count(count):
    for size, letter in ((10 ** 6, " M"), (10 ** 3, " k")):
        if count >= size:
            return f"{count // size}{letter}"
    return str(count)
