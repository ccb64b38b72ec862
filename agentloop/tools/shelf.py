"""Results that are too long for a conversation: it gets a preview, and the whole can be read in pages."""

from __future__ import annotations

from agentloop.core.digest import sha256
from agentloop.ports import DeskError

LONGEST = 8_000
"""Characters of a result that goes into a conversation whole, and of a page."""

HEAD, TAIL = 4_000, 1_500
"""Characters of a preview, from the beginning and from the end."""


class Shelf:
    """The long results of one task, by the first digits of their digest."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def place(self, text: str) -> str:
        """`text` itself where it is short; else its preview, which says how to read the rest."""
        if len(text) <= LONGEST:
            return text
        name = sha256(text.encode("utf-8", "surrogateescape"))[:12]
        self._texts[name] = text
        left = len(text) - HEAD - TAIL
        middle = f'… {left} characters left out; read on with fetch_artifact {{"id": "{name}", "offset": {HEAD}}} …'
        return f"{text[:HEAD]}\n{middle}\n{text[-TAIL:]}"

    def page(self, name: str, offset: int) -> str:
        """LONGEST characters of a text from `offset`, with where it goes on. Raises DeskError."""
        text = self._texts.get(name)
        if text is None:
            known = ", ".join(self._texts) or "none yet"
            raise DeskError(f"there is no artifact {name!r}; known: {known}")
        if not 0 <= offset < len(text):
            raise DeskError(f"offset {offset} is outside the {len(text)} characters of {name}")
        end = min(len(text), offset + LONGEST - 100)
        more = f"it goes on at offset {end}" if end < len(text) else "this is its end"
        return f"[characters {offset} to {end} of {len(text)}; {more}]\n{text[offset:end]}"
