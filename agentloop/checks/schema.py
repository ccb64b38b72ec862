"""The kind `schema`: a document of the tree, or an artifact's findings, fits a JSON Schema."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from agentloop.checks.answer import answer
from agentloop.checks.bounded import Unbounded, bounded
from agentloop.checks.parameters import key_problems, normal, path_problems
from agentloop.checks.subject import NoSubject, file_of, findings_of, subject_problems
from agentloop.core.check import CheckResult, CheckSpec
from agentloop.ports import Bench

LOOK = 30.0
"""Seconds for a look at a schema alone."""


class Schema:
    """``schema: {file: PATH, schema: PATH or map}`` or ``{artifact: findings, schema: …}``, draft 2020-12.

    PATH ends in .yaml or .yml for YAML (no aliases, no repeated keys); all else is read as strict JSON (no repeated
    keys, NaN, infinities, or numbers of more than 1,000 digits). A `$ref` may point into the schema itself only.
    Findings are a list of maps with `text`, `command` and `output`.
    """

    kind = "schema"

    def problems(self, params: Any) -> list[str]:
        """What is wrong with the parameters, or with a schema that stands in them."""
        if not isinstance(params, dict):
            return [f"schema wants a map with file (or artifact) and schema; found {params!r}"]
        found = key_problems(params, ("file", "artifact", "schema"))
        found += subject_problems(params, ("file", "artifact"))
        if "schema" not in params:
            return [*found, "schema is missing: a path in the tree, or the JSON Schema itself"]
        rule = params["schema"]
        if isinstance(rule, str):
            return found + path_problems("schema", rule)
        try:
            return found + list(_inline_problems(json.dumps(rule)))
        except (TypeError, ValueError) as error:
            return [*found, f"schema holds what JSON does not have: {error}"]

    def files(self, params: Any) -> list[str]:
        """The schema's file: the document is what the run may write."""
        return [normal(params["schema"])] if isinstance(params["schema"], str) else []

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        """Validate in a child of our own interpreter."""
        params = spec.params
        try:
            rule = _rule(bench, params["schema"])
            form, data = "json", b""
            if "file" in params:
                form, data = _form(params["file"]), file_of(bench, params["file"])
            else:
                data = json.dumps(findings_of(bench)).encode()
            reply = bounded("schema", data, spec.timeout, format=form, **rule)
        except NoSubject as none:
            return answer(spec, bench, "failed" if none.failed else "error", none.reason)
        except Unbounded as none:
            return answer(spec, bench, "failed" if none.timed_out else "error", none.reason, timed_out=none.timed_out)
        return answer(spec, bench, reply["verdict"], reply["reason"])


def _rule(bench: Bench, rule: Any) -> dict[str, Any]:
    """The schema as the child takes it. Raises NoSubject where its file is absent."""
    if not isinstance(rule, str):
        return {"schema": rule}
    try:
        return {"schema_data": file_of(bench, rule), "schema_format": _form(rule)}
    except NoSubject as none:
        raise NoSubject(f"schema: {none.reason}", failed=False) from None


def _form(path: str) -> str:
    return "yaml" if path.lower().endswith((".yaml", ".yml")) else "json"


@lru_cache(maxsize=64)
def _inline_problems(text: str) -> tuple[str, ...]:
    try:
        reply = bounded("schema", b"null", LOOK, format="json", schema=json.loads(text))
    except Unbounded as none:
        return (f"schema: {none.reason}",)
    return (reply["reason"],) if reply["verdict"] == "error" else ()
