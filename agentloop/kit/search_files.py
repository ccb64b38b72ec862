"""Searches files for a pattern, for the tool `search`; in the user's Python, as the first one that is found.

Takes one JSON argument: `pattern`, `paths`, `limit` (hits), `room` (bytes of the hits), `line` (characters of a line
that are looked at), `shown` (characters of it that are told) and `file` (bytes of a file). Prints one JSON object:
`hits` (path, line number, text), `skipped` (files that are too large, binary or not to be read), `full` where it
stopped early, and `bad`, which says what is wrong with the pattern.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys


def main(wanted):
    try:
        pattern = re.compile(wanted["pattern"])
    except (re.error, OverflowError, RecursionError) as error:
        return {"hits": [], "skipped": 0, "full": False, "bad": str(error)}
    hits: list[list[object]] = []
    skipped, room = 0, wanted["room"]
    for path in wanted["paths"]:
        text = contents(path, wanted["file"])
        skipped += text is None
        for number, line in enumerate(text.split("\n") if text else (), 1):
            if not pattern.search(line[: wanted["line"]].rstrip("\r")):
                continue
            hit = [path, number, line[: wanted["shown"] + 1]]
            room -= len(told(hit))
            if len(hits) == wanted["limit"] or room < 0:
                return {"hits": hits, "skipped": skipped, "full": True, "bad": ""}
            hits.append(hit)
    return {"hits": hits, "skipped": skipped, "full": False, "bad": ""}


def contents(path, most):
    """The text of a plain file that is not too large; None for links, pipes, binary files and what can't be read."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            return None
        with open(path, "rb") as file:
            data = file.read(most)
    except OSError:
        return None
    if b"\0" in data[:8192]:
        return None
    text = data.decode("utf-8", "replace")
    return text[:-1] if text.endswith("\n") else text


def told(value):
    """JSON as UTF-8; undecodable bytes of a path stay what they were."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


if __name__ == "__main__":
    sys.stdout.buffer.write(told(main(json.loads(sys.argv[1]))))
