"""Secrets are found in every form that they are likely to take, and nothing else is touched."""

from __future__ import annotations

from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentloop.core.secrets import SHAPES, Secrets, of_environment

VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60)
AROUND = st.binary(max_size=7)
FORMS: dict[str, Callable[[bytes, bytes, bytes], bytes]] = {
    "plain": lambda value, left, right: left + value + right,
    "base64": lambda value, left, right: b64encode(left + value + right),
    "base64 in lines": lambda value, left, right: encodebytes(left * 9 + value + right * 9),
    "URL-safe base64": lambda value, left, right: urlsafe_b64encode(left + value + right),
    "hex": lambda value, left, right: (left + value + right).hex().encode(),
    "HEX": lambda value, left, right: (left + value + right).hex().upper().encode(),
    "hex in pairs": lambda value, left, right: (left + value + right).hex(":").encode(),
    "URL": lambda value, left, right: quote(value, safe="").encode(),
    "URL, each character": lambda value, left, right: b"".join(b"%%%02x" % c for c in value),
    "in two lines": lambda value, left, right: value[:4] + b"\n" + value[4:],
    "in two lines of JSON": lambda value, left, right: value[:4] + b"\\n" + value[4:],
    "joined from two texts": lambda value, left, right: value[:4] + b'" + "' + value[4:],
    "a character a line": lambda value, left, right: b"\n".join(bytes([c]) for c in value),
}


@pytest.mark.parametrize("form", FORMS)
@given(value=VALUES, left=AROUND, right=AROUND)
def test_a_declared_value_is_found_in_every_form(form: str, value: str, left: bytes, right: bytes) -> None:
    """Whatever stands around it: the mark is there, and what is left does not give the value away."""
    secrets = of_environment(["DEPLOY_TOKEN"], {"DEPLOY_TOKEN": value})
    text = FORMS[form](value.encode(), left, right)
    cleaned = secrets.clean(text)
    assert b"[secret DEPLOY_TOKEN]" in cleaned
    assert value.encode() not in cleaned.replace(b"[secret DEPLOY_TOKEN]", b"")
    assert secrets.clean(cleaned) == cleaned


@given(st.binary(max_size=300))
def test_ordinary_bytes_stay(data: bytes) -> None:
    """Nothing is changed where no secret is."""
    assert of_environment(["T"], {"T": "a-value-that-is-nowhere"}).clean(data) == data


SAMPLES = (
    "sk-ant-api03-" + "x" * 20, "sk-proj-" + "aB3_" * 8, "sk-" + "a1B2" * 12, "AKIA" + "ABCD1234EFGH5678",
    "ASIA" + "ABCD1234EFGH5678", "ghp_" + "a1" * 18, "github_pat_" + "A" * 22, "glpat-" + "x" * 20,
    "AIza" + "y" * 35, "xoxb-" + "1234567890-abc", "sk_live_" + "z" * 24, "npm_" + "q" * 36,
    "pypi-AgEIcHlwaS5vcmc" + "r" * 40,
    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIE" * 20 + "\n-----END RSA PRIVATE KEY-----",
)  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES)
def test_keys_of_known_shapes_are_found_undeclared(sample: str) -> None:
    """In the middle of a line, without being told of them."""
    cleaned = Secrets().text(f"token = '{sample}'")
    assert sample not in cleaned
    assert "[secret " in cleaned


def test_each_shape_has_a_sample_and_look_alikes_stay() -> None:
    """Words, hashes and short names are no keys."""
    found = {Secrets().text(sample).split("[secret ")[1].split("]")[0] for sample in SAMPLES}
    assert found == {name for name, _, _ in SHAPES}
    for text in (
        "sk-learn-compatible-estimators-of-all-kinds",
        "risk-" + "a" * 40,
        "task-ant-" + "b" * 20,
        "da39" * 10,
    ):
        assert Secrets().text(text) == text


def test_only_what_a_change_brings_in_is_a_leak() -> None:
    """A secret that base has already may stay where it is; a mark in its place is a leak too."""
    secrets = of_environment(["DEPLOY_TOKEN"], {"DEPLOY_TOKEN": "correct-horse"})
    old = b"token: correct-horse\n"
    assert secrets.leak(old, old + b"more\n") is None
    assert secrets.leak(b"", old) == "DEPLOY_TOKEN"
    assert secrets.leak(b"", b"token: [secret DEPLOY_TOKEN]") == "DEPLOY_TOKEN"
    assert secrets.leak(b"", b"nothing") is None


def test_the_longer_of_two_values_wins_and_unset_ones_are_none() -> None:
    """A value that holds another is not cut in two; short ones can't be told from text."""
    secrets = of_environment(["A", "B", "C", "D"], {"A": "secret", "B": "secretive-text", "C": "", "D": "abc"})
    assert secrets.text("secretive-text secret abc") == "[secret B] [secret A] abc"
