"""The two pictures of the results page, drawn from its tables."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import growth_picture
import words
from svg import Picture

WIDTH = 900
STEP = 21
"""The distance between the tops of consecutive bars, in pixels."""
LABELS = 470
"""The x coordinate at which labels end."""
LONGEST = 66
"""The maximum number of characters of a label."""


def of_page(rows: dict[str, str], sections: dict[str, str]
            ) -> Iterator[tuple[str, str, str]]:
    """The name, title and SVG text of each picture for which there are numbers."""
    bars = _bars(rows)
    if bars:
        picture = _ratios(bars)
        yield "ratios.svg", picture.title, str(picture)
    curves = growth_picture.curves(sections)
    if curves:
        picture = growth_picture.draw(curves)
        yield "growth.svg", picture.title, str(picture)


@dataclass(frozen=True)
class Bar:
    """A workload: the times of other contenders as multiples of Plumb's."""

    label: str
    rival: float | None
    limit: float | None

    @property
    def order(self):
        return self.rival or self.limit


def _bars(rows):
    bars = []
    for key, row in rows.items():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        ratio, limit = _value(cells[4]), _value(cells[6])
        if ratio or limit:
            bars.append(Bar(cells[0].replace("`", ""), ratio,
                            1 / limit if limit else None))
    return sorted(bars, key=lambda bar: bar.order, reverse=True)


def _value(cell):
    """A ratio, if there is one."""
    value = 0 if cell == words.NONE else float(cell.replace(",", ""))
    return value if value > 0 else None


def _ratios(bars):
    values = [value for bar in bars for value in (bar.rival, bar.limit)
              if value]
    low = min(0.1, 10 ** math.floor(math.log10(min(values))))
    high = 10 ** math.ceil(math.log10(max(values) * 1.2))
    top, right = 92, WIDTH - 30
    height = top + STEP * len(bars) + 22
    picture = Picture(WIDTH, height, "Times of the best rival and of the bare "
                      "limit, in times of Plumb's")

    def at(value):
        share = math.log10(value / low) / math.log10(high / low)
        return LABELS + 10 + share * (right - LABELS - 10)

    picture.text(16, 26, "Time of the best rival in times of "
                 "Plumb's", size=16, bold=True)
    picture.bar(16, 39, 22, 11, "better", 2)
    picture.text(44, 49, "slower than Plumb")
    picture.bar(180, 39, 22, 11, "worse", 2)
    picture.text(208, 49, "faster")
    picture.diamond(284, 45, 5, "mark")
    picture.text(296, 49, "the bare limit: libtiff's or libdeflate's "
                 "decode, or a gather, alone")
    _grid(picture, at, low, high, top, height - 20)
    for number, bar in enumerate(bars):
        y = top + STEP * number
        _label(picture, bar.label, y + 14)
        if bar.rival:
            ends = sorted((at(1), at(bar.rival)))
            picture.bar(ends[0], y + 3, ends[1] - ends[0], STEP - 7,
                        "better" if bar.rival >= 1 else "worse", 2)
            beyond = bar.rival >= 1
            picture.text(ends[1] + 5 if beyond else ends[0] - 5, y + 14,
                         words.number(bar.rival), "ink",
                         "start" if beyond else "end", 11)
        if bar.limit:
            picture.diamond(at(bar.limit), y + STEP / 2 - 0.5, 5, "mark")
    return picture


def _grid(picture, at, low, high, top, bottom):
    value = low
    while value <= high * 1.001:
        is_one = abs(value - 1) < 1e-9
        picture.line([(at(value), top - 6), (at(value), bottom)],
                     "faint" if is_one else "grid", 1.4 if is_one else 1)
        label = "as fast" if is_one else f"{value:,g} ×"
        picture.text(at(value), top - 12, label, "faint", "middle", 11)
        value *= 10


def _label(picture, text, y):
    key, _, title = text.partition(" ")
    whole = f"{title} {key}"
    if len(whole) > LONGEST:
        title = title[:LONGEST - len(key) - 2].rstrip(" ,:") + "…"
    picture.text(LABELS, y, f"{title} {key}", anchor="end", size=11.5)
