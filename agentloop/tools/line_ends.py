"""Line ends: a model writes ``\\n``, whatever a file has."""

from __future__ import annotations


def only_crlf(data: bytes) -> bool:
    """Whether every line of `data` ends in CRLF, and there is one."""
    return 0 < data.count(b"\r\n") == data.count(b"\n")


def spelled(data: bytes, old: str, new: str) -> tuple[bytes, bytes]:
    """`old` and `new` as bytes with the line ends of the file `data`.

    In a file of CRLF lines every newline becomes one. Where line ends are mixed, the texts are taken as they are,
    unless `old` occurs with CRLF alone.
    """
    plain, ended = (old.encode(), new.encode()), (_crlf(old), _crlf(new))
    if only_crlf(data) or (plain[0] not in data and ended[0] in data):
        return ended
    return plain


def _crlf(text: str) -> bytes:
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode()
