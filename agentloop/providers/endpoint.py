"""Where a model is reached and with which key."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agentloop.core.goal import ModelSpec
from agentloop.errors import Refused

NO_KEY = "none"
"""Sent to a server on this machine that was given no key: the SDKs insist on some text."""


@dataclass(frozen=True)
class Endpoint:
    """`own` means the provider's own service, `loopback` a server on this machine."""

    base_url: str
    key: str = field(repr=False)
    own: bool
    loopback: bool


def resolve(spec: ModelSpec, key_env: str, base_url: str, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint of `spec`; `key_env` and `base_url` are its provider's defaults.

    Raises Refused where the address can't be used or the key is missing or has characters that no key has.
    """
    url = (spec.base_url or base_url).rstrip("/")
    host = host_of(url)
    if host is None:
        raise Refused(f"models: {spec.model}: base_url {url!r} is not an address", "write it like http://HOST:PORT/v1")
    variable = spec.key_env or key_env
    key = environ.get(variable, "").strip()
    loopback = is_loopback(host)
    if not key and (spec.key_env or not loopback):
        raise Refused(
            f"models: {spec.model} needs a key, and the environment variable {variable} is not set",
            f"set {variable}, or name the variable that holds the key with `key_env:`",
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise Refused(f"models: {spec.model}: the value of {variable} can't be a key", "check for stray characters")
    return Endpoint(url, key or NO_KEY, host == host_of(base_url), loopback)


def host_of(url: str) -> str | None:
    """The host of an http or https URL, in lower case; None where `url` is not one."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        return None
    return parts.hostname if usable else None


def is_loopback(host: str) -> bool:
    """Whether `host` names this machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
