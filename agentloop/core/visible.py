"""Text from files, commands and models, made safe for a terminal."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"


def visible(text: str) -> str:
    """`text` with control characters, bidirectional marks and lone surrogates shown as escapes.

    Newlines and tabs stay. What is shown can't move the cursor, hide or reorder text.
    """
    return "".join(ch if ch in _KEPT or unicodedata.category(ch) not in _HIDDEN else _escape(ch) for ch in text)


_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escape(ch: str) -> str:
    code = ord(ch)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
