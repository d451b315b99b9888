"""Text, lines and bars as SVG, for light and dark pages.

A picture has its own background, so that it can be read on any page; its
colours follow the preference of the reader's system.
"""

from xml.sax.saxutils import escape

COLOURS = {
    "ground": ("#ffffff", "#16191d"), "ink": ("#1d232a", "#e4e8ec"),
    "faint": ("#5d6874", "#98a4b0"), "grid": ("#dde2e7", "#30373f"),
    "better": ("#1a7f4b", "#3fb27a"), "worse": ("#c2571a", "#e58a4e"),
    "other": ("#8a5fbf", "#b694e0"), "mark": ("#1d232a", "#f4f6f8"),
}
"""The colours of light and of dark pages."""
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
SIZE = 12


class Picture:
    """Elements from the back to the front."""

    def __init__(self, width: float, height: float, title: str):
        self.width, self.height, self.title = width, height, title
        self._elements = []
        self.bar(0, 0, width, height, "ground")

    def bar(self, x, y, width, height, colour, radius=0):
        self._add("rect", x=x, y=y, width=max(0, width), height=height,
                  rx=radius, fill=colour)

    def line(self, points, colour, width=1.0, dash=None):
        ends = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._add("polyline", points=ends, fill="none", stroke=colour,
                  stroke_width=width, stroke_dasharray=dash)

    def dot(self, x, y, radius, colour):
        self._add("circle", cx=x, cy=y, r=radius, fill=colour)

    def diamond(self, x, y, radius, colour):
        ends = ((x, y - radius), (x + radius, y), (x, y + radius),
                (x - radius, y))
        self._add("polygon", points=" ".join(
            f"{a:.1f},{b:.1f}" for a, b in ends), fill=colour, stroke="ground",
            stroke_width=1)

    def text(self, x, y, text, colour="ink", anchor="start", size=SIZE,
             bold=False, turn=False):
        self._add("text", escape(text), x=x, y=y, fill=colour,
                  text_anchor=anchor, font_size=size,
                  font_weight="600" if bold else None,
                  transform=f"rotate(-90 {x:.1f} {y:.1f})" if turn else None)

    def _add(self, element, content=None, **attributes):
        painted = {key: value for key, value in attributes.items()
                   if value in COLOURS}
        classes = " ".join(f"{key}-{value}" for key, value in painted.items())
        words = [element, f'class="{classes}"']
        for key, value in attributes.items():
            if value is not None:
                # For readers without style sheets.
                value = COLOURS[value][0] if key in painted else _text(value)
                words.append(f'{key.replace("_", "-")}="{value}"')
        inside = "/>" if content is None else f">{content}</{element}>"
        self._elements.append(f"<{' '.join(words)}{inside}")

    def __str__(self):
        size = f'width="{self.width:g}" height="{self.height:g}"'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'font-family="{FONT}">',
            f"<title>{escape(self.title)}</title>", "<style>", _style(0),
            "@media (prefers-color-scheme: dark) {", _style(1), "}",
            "</style>", *self._elements, "</svg>", ""])


def _style(page):
    return "\n".join(f".fill-{name} {{ fill: {values[page]} }} "
                     f".stroke-{name} {{ stroke: {values[page]} }}"
                     for name, values in COLOURS.items())


def _text(value):
    return f"{value:.1f}".removesuffix(".0") if isinstance(
        value, float) else str(value)
