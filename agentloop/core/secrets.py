"""Keys and other secrets, found in whatever form they come, and replaced before anything is stored, sent or shown."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote_to_bytes

LEAST = 6
"""Characters of a value that can be told from ordinary text."""

_GAP = rb"(?:[\s\"'+\\]|\\n)*"
"""What may stand between two characters of a value that was split over lines or joined from parts."""

SHAPES: tuple[tuple[str, bytes, bytes], ...] = (
    ("Anthropic key", b"sk-ant-", rb"\bsk-ant-[\w-]{16,}"),
    ("OpenAI key", b"sk-", rb"\bsk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|[A-Za-z0-9]{32,})"),
    ("AWS access key", b"AKIA", rb"\bAKIA[0-9A-Z]{16}\b"),
    ("AWS access key", b"ASIA", rb"\bASIA[0-9A-Z]{16}\b"),
    ("GitHub token", b"gh", rb"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    ("GitHub token", b"github_pat_", rb"\bgithub_pat_\w{22,}"),
    ("GitLab token", b"glpat-", rb"\bglpat-[\w-]{20,}"),
    ("Google key", b"AIza", rb"\bAIza[\w-]{35}\b"),
    ("Slack token", b"xox", rb"\bxox[abeprs]-[\w-]{10,}"),
    ("Stripe key", b"k_live_", rb"\b[rs]k_live_[0-9A-Za-z]{16,}"),
    ("npm token", b"npm_", rb"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", b"pypi-", rb"\bpypi-AgEIcHlwaS5vcmc[\w-]{30,}"),
    ("private key", b" PRIVATE KEY-----",
     rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{40,}(?:-----END [A-Z ]+-----)?"),
)  # fmt: skip
"""Kind, what stands in each, and the form that its issuer documents."""


@dataclass(frozen=True)
class Secrets:
    """`values` maps a name (of an environment variable) to a secret value; keys of well-known SHAPES count too."""

    values: Mapping[str, str] = field(default_factory=dict)

    def clean(self, data: bytes) -> bytes:
        """`data` with each secret as ``[secret NAME]``: declared values, as they are, in base64, hex or URL
        encoding, in one piece or split over lines; and keys of well-known shapes."""
        data = self.declared(data)
        for name, hint, shape in _SHAPES:
            if hint in data:
                data = shape.sub(_mark(name), data)
        return data

    def declared(self, data: bytes) -> bytes:
        """`data` without the declared values; what merely looks like a key stays."""
        near = _near(data)
        for name, needles, pattern in self._patterns:
            if any(needle in text for needle in needles for text in near):
                data = pattern.sub(lambda found, name=name: found[1] or _mark(name), data)  # type: ignore[misc]
        return data

    def text(self, text: str) -> str:
        """Like `clean`, for text."""
        data = text.encode("utf-8", "surrogatepass")
        cleaned = self.clean(data)
        return text if cleaned == data else cleaned.decode("utf-8", "surrogatepass")

    def leak(self, before: bytes, after: bytes) -> str | None:
        """The name of a secret that `after` holds and `before` does not, be it as a mark in its place."""
        cleaned = self.clean(after)
        known = _marks(self.clean(before))
        return next((mark.decode("utf-8", "replace") for mark in _marks(cleaned) if mark not in known), None)

    @cached_property
    def _patterns(self) -> tuple[tuple[str, tuple[bytes, ...], re.Pattern[bytes]], ...]:
        found = ((name, _forms(value.encode())) for name, value in self.values.items() if len(value) >= LEAST)
        return tuple((name, tuple(map(_fold, forms)), _pattern(*forms)) for name, forms in found)


def of_environment(names: Iterable[str], environ: Mapping[str, str]) -> Secrets:
    """The values of the variables `names`, where they are set."""
    found = {name: environ[name].strip() for name in names if environ.get(name, "").strip()}
    return Secrets(dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))))


def _forms(value: bytes) -> tuple[bytes, ...]:
    """`value`, its hexadecimal digits, and what base64 makes of it at each of three offsets."""
    forms = [value, value.hex().encode()]
    for offset in range(3):
        # Three bytes are four characters: what stands before and behind the value decides on the outermost ones.
        coded = b64encode(bytes(offset) + value).rstrip(b"=")
        forms.append(coded[(0, 2, 3)[offset] : len(coded) - bool((offset + len(value)) % 3)])
    return tuple(forms)


def _pattern(value: bytes, digits: bytes, *coded: bytes) -> re.Pattern[bytes]:
    """The forms of a value, with gaps."""
    plain = _GAP.join(b"(?:%s|%%%s)" % (re.escape(bytes([c])), _either(b"%02x" % c)) for c in value)
    pairs = (_either(digits[at : at + 2]) for at in range(0, len(digits), 2))
    forms = [plain, rb"(?:[\s:]|\\n|\\x)*".join(pairs)]
    for inner in coded:
        letters = (b"[+-]" if c in b"+-" else b"[/_]" if c in b"/_" else bytes([c]) for c in inner)
        forms.append(rb"(?:\s|\\n)*".join(letters))
    return re.compile(b"|".join((rb"(\[secret [\w .-]{1,80}\])", *forms)))  # a mark keeps its words


def _near(data: bytes) -> tuple[bytes, ...]:
    """`data` without gaps, in a form that all spellings share, as it is and URL-decoded: a quick look beforehand."""
    return (_fold(data), _fold(unquote_to_bytes(data))) if b"%" in data else (_fold(data),)


def _fold(data: bytes) -> bytes:
    joined = data.translate(_FOLD, b" \t\r\n\v\f\"'+-:")
    return joined.replace(b"\\n", b"").replace(b"\\x", b"").replace(b"\\", b"")


def _either(digits: bytes) -> bytes:
    """Hexadecimal digits in either case."""
    return b"".join(b"[%c%c]" % (d, d - 32) if d >= 97 else bytes([d]) for d in digits)


def _mark(name: str) -> bytes:
    return f"[secret {name}]".encode()


def _marks(data: bytes) -> list[bytes]:
    return re.findall(rb"\[secret ([\w .-]{1,80})\]", data)


_FOLD = bytes.maketrans(b"_ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"/abcdefghijklmnopqrstuvwxyz")
_SHAPES = tuple((name, hint, re.compile(shape)) for name, hint, shape in SHAPES)
