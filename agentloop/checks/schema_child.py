"""A child of `bounded`: holds a document against a JSON Schema (draft 2020-12).

Reads `data` with its `format` (json or yaml), and `schema` as a value or `schema_data` with `schema_format`, as JSON
from stdin. Writes ``{"verdict": …, "reason": …}``: `passed`, `failed` (the document does not parse or does not fit)
or `error` (the schema itself is wrong). Imports nothing of agentloop.
"""

import base64
import json
import math
import re
import resource
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import jsonschema_specifications  # type: ignore[import-untyped]
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing.exceptions import Unresolvable

MEMORY = 2 * 1024**3
"""Bytes of address space."""

MAX_DIGITS = 1_000
MAX_ERRORS = 3
IDLE = {"$ref", "$dynamicRef", "$defs", "format"}


def judged(request: dict[str, Any]) -> tuple[str, str]:
    """The verdict and its reason."""
    try:
        rule: Any = request.get("schema")
        if "schema_data" in request:
            rule = parsed(base64.b64decode(request["schema_data"]), request["schema_format"])
        if found := problems(rule):
            return "error", "schema: " + "; ".join(found)
        Draft202012Validator.check_schema(rule)
    except (ValueError, RecursionError, SchemaError) as error:
        return "error", f"schema: {short(error)}"
    try:
        document = parsed(base64.b64decode(request["data"]), request["format"])
    except (ValueError, RecursionError) as error:
        return "failed", short(error)
    validator = Draft202012Validator(rule, registry=jsonschema_specifications.REGISTRY)
    try:
        errors = [f"{error.json_path}: {short(error)}" for error in islice(validator.iter_errors(document), MAX_ERRORS)]
    except (re.error, Unresolvable, RecursionError) as error:
        return "error", f"schema: {short(error)}"
    return ("failed" if errors else "passed"), "; ".join(errors)


def problems(rule: Any) -> list[str]:
    """What is wrong with a schema beyond JSON Schema's own rules: it accepts everything, or looks elsewhere."""
    if not isinstance(rule, dict | bool):
        return [f"it must be a map; found {type(rule).__name__}"]
    refs = [ref for ref in references(rule) if not ref.startswith("#")]
    if refs:
        return [f"$ref may point into the schema itself only ('#/…'); found {refs[0]!r}"]
    keywords = Draft202012Validator.VALIDATORS.keys() - IDLE | {"$ref", "$dynamicRef"}
    if rule is True or (isinstance(rule, dict) and not rule.keys() & keywords):
        return ["it has no keyword that could refuse anything, so the check can't fail"]
    return []


def references(rule: Any) -> Iterator[str]:
    """All references in a schema."""
    for value in rule.values() if isinstance(rule, dict) else rule if isinstance(rule, list) else ():
        yield from references(value)
    if isinstance(rule, dict):
        yield from (ref for key in ("$ref", "$dynamicRef") if isinstance(ref := rule.get(key), str))


def parsed(data: bytes, form: str) -> Any:
    """The document in `data`. Raises ValueError where it is not strict JSON or YAML."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error}") from error
    if form == "yaml":
        try:
            return plain(yaml.load(text, Loader=Strict))  # noqa: S506  a SafeLoader that allows less
        except yaml.YAMLError as error:
            raise ValueError(f"not YAML: {short(error)}") from error
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refused, parse_int=whole, parse_float=fraction)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A map whose keys occur once."""
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice")
    return result


def refused(text: str) -> None:
    """NaN and the infinities are Python's, not JSON's."""
    raise ValueError(f"{text} is not JSON")


def whole(text: str) -> int:
    """An integer of bearable length."""
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has {len(text)} digits; at most {MAX_DIGITS} are allowed")
    return int(text)


def fraction(text: str) -> float:
    """A finite number."""
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{short(text)} is too large a number")
    return value


class Strict(yaml.SafeLoader):
    """YAML without aliases, merge keys and repeated keys; a date stays the text it is."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases: a few of them can unfold to gigabytes."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise ValueError(f"line {mark.line + 1}: aliases are refused")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Refuse a key that occurs twice."""
        unique([(str(self.construct_object(key, deep=True)), None) for key, _ in node.value])
        return super().construct_mapping(node, deep)


Strict.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers if not tag.endswith((":timestamp", ":merge"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def plain(value: Any) -> Any:
    """`value`, if JSON could hold it."""
    if isinstance(value, dict):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise ValueError(f"key {odd[0]!r} is not text; put it in quotes")
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return fraction(repr(value))
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 10**MAX_DIGITS else whole("9" * (MAX_DIGITS + 1))
    raise ValueError(f"{type(value).__name__} is nothing that JSON has")


def short(what: object) -> str:
    """One line of bearable length."""
    text = str(getattr(what, "message", what)).replace("\n", " ")
    return text if len(text) <= 300 else text[:299] + "…"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    verdict, reason = judged(json.load(sys.stdin))
    json.dump({"verdict": verdict, "reason": reason}, sys.stdout)
