"""Prints results as a Markdown table, row by row as they come, and what they come to."""

from __future__ import annotations

import math
import statistics
from collections import Counter

from bench.repair.case import Mended


class Table:
    """Rows of results. `plausible` counts patches that held in a fresh process with the whole suite."""

    def __init__(self, what: str, judged: str) -> None:
        self.judged = judged
        self.results: list[tuple[str, Mended, bool | None]] = []
        print(f"| {what} | plausible | {judged} | seconds | CPU s | candidates | step | template or reason |")
        print("| --- | --- | --- | ---: | ---: | ---: | --- | --- |", flush=True)

    def add(self, name: str, found: Mended, right: bool | None) -> None:
        """One row; `right` is None where nobody judged."""
        self.results.append((name, found, right))
        marks = ("yes" if found.held else "no", {True: "yes", False: "no", None: "–"}[right])
        numbers = f"{found.seconds:.1f} | {found.cpu:.1f} | {found.tried}"
        print(f"| {name} | {' | '.join(marks)} | {numbers} | {found.step} | {reason(found)} |", flush=True)

    def end(self) -> None:
        """The sums, and the median and 90th percentile of those that were mended."""
        held = [found for _, found, _ in self.results if found.held]
        right = sum(verdict is True for _, _, verdict in self.results)
        count = len(self.results)
        print(f"\n{len(held)} of {count} plausible ({len(held) / max(1, count):.0%})", end="")
        if any(verdict is not None for _, _, verdict in self.results):
            print(f", {right} {self.judged} at first choice ({right / max(1, count):.0%})", end="")
        print(".\n")
        if held:
            print("| of those that were mended | median | 90th percentile |\n| --- | ---: | ---: |")
            for label, values in (
                ("seconds of search", [found.seconds for found in held]),
                ("CPU seconds of search", [found.cpu for found in held]),
                ("seconds of tracing before it", [found.tracing for found in held]),
                ("seconds of the whole suite after it", [found.gate for found in held]),
                ("candidates", [float(found.tried) for found in held]),
            ):
                print(f"| {label} | {statistics.median(values):.1f} | {percentile(values, 0.9):.1f} |")
            templates = Counter(found.template for found in held).most_common()
            print("\nMended by: " + ", ".join(f"{name} {number}" for name, number in templates) + ".")


def reason(found: Mended) -> str:
    """What mended it, or why nothing did."""
    if found.held:
        return found.template
    if found.broken:
        return f"{found.template}, but {len(found.broken)} other tests fail in a fresh process"
    if found.plausible:
        return f"{found.template}, but still red in a fresh process"
    return (found.why or "nothing found")[:100].replace("|", "/").replace("\n", " ")


def percentile(values: list[float], share: float) -> float:
    """The smallest value that so large a share does not exceed."""
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered)) - 1]
