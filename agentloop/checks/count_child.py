"""A child of `bounded`: counts a pattern. Reads `data` and `pattern` as JSON from stdin, writes ``{"count": N}``."""

import base64
import json
import re
import resource
import sys

MEMORY = 2 * 1024**3
"""Bytes of address space."""

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    request = json.load(sys.stdin)
    text = base64.b64decode(request["data"]).decode("utf-8", "replace")
    found = re.finditer(request["pattern"], text, re.MULTILINE)
    json.dump({"count": sum(1 for _ in found)}, sys.stdout)
