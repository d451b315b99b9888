"""How far the answers of all contenders agree."""

from dataclasses import dataclass, field


@dataclass
class Agreement:
    """How many values were compared, and who differed in how many."""

    values: int = 0
    with_value: int = 0
    differing: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What was compared, where that is not one value a cell."""
    against: str = ""
    """Whose answers the others were compared with, where no rival's."""

    @property
    def holds(self) -> bool:
        return not any(self.differing.values())

    def add(self, name: str, count: int) -> None:
        """`count` more values in which somebody differs."""
        self.differing[name] = self.differing.get(name, 0) + int(count)

    def compare(self, name: str, expected, found) -> None:
        """Arrays of numpy, value by value."""
        if expected.shape != found.shape:
            self.add(name, max(expected.size, found.size))
        else:
            self.add(name, (expected != found).sum())
