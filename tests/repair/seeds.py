"""The seeded faults of `bugs.yaml`, as values: a package of `data/` with one slip in its module."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
DATA = HERE / "data"


@dataclass(frozen=True)
class Bug:
    """One slip: where `right` stands in the module, `wrong` is put; two places where there are two texts."""

    number: int
    package: str
    kind: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def name(self) -> str:
        """Unique and readable."""
        return f"{self.number:02d} {self.package}: {self.kind}"

    @property
    def text(self) -> str:
        """The module with the slip. Raises ValueError where a right text does not stand there exactly once."""
        text = clean(self.package)[f"{self.package}.py"]
        for right, wrong in zip(self.right, self.wrong, strict=True):
            if text.count(right) != 1:
                raise ValueError(f"{self.name}: {right!r} stands there {text.count(right)} times")
            text = text.replace(right, wrong)
        return text

    @property
    def files(self) -> dict[str, str]:
        """The package with the slip."""
        return {**clean(self.package), f"{self.package}.py": self.text}


def clean(package: str) -> dict[str, str]:
    """The files of a package without a slip."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((DATA / package).glob("*.py"))}


def bugs() -> list[Bug]:
    """All of them, in the order of the file."""
    rows = yaml.safe_load((HERE / "bugs.yaml").read_text(encoding="utf-8"))
    return [
        Bug(number, row["package"], row["kind"], _texts(row["right"]), _texts(row["wrong"]))
        for number, row in enumerate(rows, 1)
    ]


def _texts(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
