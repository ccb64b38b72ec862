"""Is a JSON file valid against a JSON Schema?

Exit code: 0 it is; 1 it is not, is no JSON, or is missing; 2 the question can't be answered (usage, a schema that
is missing or wrong, the package jsonschema is missing). The schema's `$schema` names its draft; without it, it is
2020-12. References lead nowhere but into the schema itself: nothing is fetched.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

SHOWN = 10
"""Problems that are printed at most."""


def main(argv: list[str] | None = None) -> int:
    """Answer for the command line `argv`; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", type=Path, help="the JSON document")
    parser.add_argument("schema", metavar="SCHEMA", type=Path, help="the JSON Schema, itself JSON")
    args = parser.parse_args(argv)
    try:
        problems = list(islice(_problems(args.file, args.schema), SHOWN + 1))
    except CannotSay as reason:
        print(f"json_schema: can't say: {reason}", file=sys.stderr)
        return 2
    for problem in problems[:SHOWN]:
        print(problem)
    if len(problems) > SHOWN:
        print(f"{args.file}: and more")
    return 1 if problems else 0


class CannotSay(Exception):
    """The question can't be answered, and why."""


def _problems(file: Path, schema: Path) -> Any:
    """What is wrong with `file`, one line each: where in the document, and what. Raises CannotSay."""
    try:
        from jsonschema.exceptions import SchemaError  # noqa: PLC0415  it may be missing, and that is an answer
        from jsonschema.validators import Draft202012Validator, validator_for  # noqa: PLC0415
        from referencing import Registry  # noqa: PLC0415
        from referencing.exceptions import Unresolvable  # noqa: PLC0415
    except ImportError as error:
        raise CannotSay(f"the Python package {error.name} is not installed for {sys.executable}") from error
    try:
        rules = _read(schema)
        kind = validator_for(rules, default=Draft202012Validator)
        kind.check_schema(rules)
    except (OSError, ValueError, RecursionError, TypeError) as error:
        raise CannotSay(f"{schema}: {error}") from error
    except SchemaError as error:
        raise CannotSay(f"{schema}: {error.json_path}: {error.message}") from error
    try:
        document = _read(file)
    except (OSError, ValueError, RecursionError) as error:
        yield f"{file}: {error}"
        return
    try:
        for error in kind(rules, registry=Registry()).iter_errors(document):
            yield f"{file}: {error.json_path}: {error.message[:300]}"
    except (Unresolvable, RecursionError) as error:
        raise CannotSay(f"{schema}: {error}") from error


def _read(path: Path) -> Any:
    """The value in `path`: strict JSON in UTF-8. Raises OSError and ValueError."""
    return json.loads(path.read_bytes().decode("utf-8"), object_pairs_hook=_once, parse_constant=_refuse)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"the key {key!r} stands twice in one object")
        seen[key] = value
    return seen


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


if __name__ == "__main__":
    sys.exit(main())
