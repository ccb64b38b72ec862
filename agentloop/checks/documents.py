"""Strict JSON and YAML as plain values. (`schema_child` has its own: it imports nothing of agentloop.)"""

from __future__ import annotations

import json
import math
from typing import Any

import yaml


def document(data: bytes, form: str) -> Any:
    """What `data` holds, `form` being json or yaml. Raises ValueError for repeated keys, NaN and infinities, YAML's
    aliases and tags, and values that JSON does not have."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error}") from None
    try:
        if form == "json":
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)
        return _plain(yaml.load(text, Loader=_Strict))  # noqa: S506  a SafeLoader that allows less
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())[:300]}") from None
    except RecursionError:
        raise ValueError(f"not {form.upper()}: nested too deep") from None


class _Strict(yaml.SafeLoader):
    """YAML without aliases and repeated keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise ValueError(f"line {mark.line + 1}: aliases are refused")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        _unique([(str(self.construct_object(key, deep=True)), None) for key, _ in node.value])
        return super().construct_mapping(node, deep)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice")
    return dict(pairs)


def _refused(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise ValueError(f"key {odd[0]!r} is not text; put it in quotes")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(f"{value} is nothing that JSON has; put it in quotes")
