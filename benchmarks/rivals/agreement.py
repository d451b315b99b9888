"""The agreement of the results of all contenders."""

from dataclasses import dataclass, field


@dataclass
class Agreement:
    """The number of compared values, and of values that differ, by contender."""

    values: int = 0
    with_value: int = 0
    differing: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """The compared values, if they are not one value per cell."""
    against: str = ""
    """The source of the expected results, if it is not a rival."""

    @property
    def holds(self) -> bool:
        return not any(self.differing.values())

    def add(self, name: str, count: int) -> None:
        """Adds `count` values in which a contender differs."""
        self.differing[name] = self.differing.get(name, 0) + int(count)

    def compare(self, name: str, expected, found) -> None:
        """Compares numpy arrays, value by value."""
        if expected.shape != found.shape:
            self.add(name, max(expected.size, found.size))
        else:
            self.add(name, (expected != found).sum())
