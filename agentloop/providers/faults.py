"""What went wrong with an exchange, said as a ModelError: may it work later, when, and was it perhaps billed."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx2

from agentloop.ports import ModelError
from agentloop.providers.redaction import redact
from agentloop.providers.waiting import hinted_wait

RETRYABLE = (408, 409, 425, 429)
"""Beside these every status from 500 on."""

PERHAPS_BILLED = (408, 502, 504, 524)
"""A gateway gave up; the model behind it may have answered."""

_NO_MONEY_CODE = re.compile(r'"(insufficient_quota|billing_hard_limit_reached|billing_not_active|billing_error)"')
_NO_MONEY = re.compile(
    r"exceeded your current quota|credit balance is too low|spend(ing)? limit|billing hard limit"
    r"|insufficient (credit|balance|fund)|(monthly|api) usage limit",
    re.IGNORECASE,
)
_HOPELESS = re.compile(r"(invalid_request|authentication|permission|not_found|request_too_large)_error|invalid_api_key")
"""Kinds of errors that the same request meets again."""


class HttpFault(ModelError):
    """The service answered with a status other than 2xx. `text` is its answer, unredacted: never show it."""

    def __init__(self, status: int, text: str, reason: str, *, retryable: bool, retry_after: float | None) -> None:
        billed = status in PERHAPS_BILLED
        super().__init__(reason, retryable=retryable, retry_after=retry_after, billed=billed)
        self.status = status
        self.text = text

    def blames(self, parameter: str) -> bool:
        """Whether the service refused the request and named `parameter` in its refusal."""
        return self.status in (400, 422) and re.search(rf"\b{re.escape(parameter)}\b", self.text) is not None


def fault_of(error: Exception, key: str, now: float) -> ModelError:
    """The fault behind an exception of an SDK, of httpx2 or of reading the answer; `now` is in Unix seconds."""
    response, body = getattr(error, "response", None), getattr(error, "body", None)
    if isinstance(response, httpx2.Response) and not response.is_success:
        return _refusal(response, key, now)
    if isinstance(body, dict):
        return _in_stream(body, key)
    cause = error.__cause__ if isinstance(error.__cause__, httpx2.HTTPError) else error
    said = redact(str(cause) or type(cause).__name__, key)
    if isinstance(cause, httpx2.ConnectTimeout):
        return ModelError("no connection in time", retryable=True)
    if isinstance(cause, httpx2.ConnectError | httpx2.ProxyError):
        return ModelError(f"no connection: {said}", retryable="CERTIFICATE_VERIFY_FAILED" not in said)
    if isinstance(cause, httpx2.TimeoutException):
        return ModelError("no answer in time", retryable=True, billed=True)
    if isinstance(cause, httpx2.HTTPError):
        return ModelError(f"the connection was cut: {said}", retryable=True, billed=True)
    return ModelError(f"the answer can't be read: {said}", retryable=True, billed=True)


def read_object(response: httpx2.Response) -> dict[str, Any]:
    """The JSON object of a 2xx answer, with no lone surrogates in it. Raises ValueError where it is not one."""
    try:
        value = json.loads(response.text)
    except (ValueError, RecursionError):
        kind = response.headers.get("content-type", "no content type")
        raise ValueError(f"HTTP {response.status_code} with {kind} that is not JSON (is base_url right?)") from None
    if not isinstance(value, dict):
        raise ValueError("it is JSON, but not an object")
    if value.get("error"):
        raise ValueError(f"the service reports an error: {_message(value, '')}")
    return sound(value)


def sound(value: dict[str, Any]) -> dict[str, Any]:
    """`value` with every lone surrogate in it replaced: no log and no other service takes one."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        replaced: dict[str, Any] = json.loads(text.encode("utf-8", "replace"))
        return replaced
    return value


def _in_stream(body: dict[str, Any], key: str) -> ModelError:
    """An `error` event inside a stream that had begun well: the words and the kind are all there is to judge by."""
    text = json.dumps(body)
    hopeless = _NO_MONEY_CODE.search(text) or _NO_MONEY.search(text) or _HOPELESS.search(text)
    reason = redact(f"an error inside the stream: {_message(body, text)}", key)
    return ModelError(reason, retryable=not hopeless, billed=True)


def _refusal(response: httpx2.Response, key: str, now: float) -> HttpFault:
    status, text = response.status_code, response.text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    is_page = "html" in response.headers.get("content-type", "") or text.lstrip()[:1] == "<"
    message = _message(value, "an HTML page" if is_page else text.strip() or response.reason_phrase)
    wait = hinted_wait(response.headers, message, now)
    retryable = _retryable(response, text, wait)
    reason = redact(f"HTTP {status}: {message}", key)
    return HttpFault(status, text, reason, retryable=retryable, retry_after=wait if retryable else None)


def _retryable(response: httpx2.Response, text: str, wait: float | None) -> bool:
    """Some services use the words of an empty purse for a limit per minute too, but then say when to come back."""
    if _NO_MONEY_CODE.search(text) or (wait is None and _NO_MONEY.search(text)):
        return False
    told = response.headers.get("x-should-retry")
    if told in ("true", "false"):
        return told == "true"
    return response.status_code in RETRYABLE or response.status_code >= 500


def _message(value: Any, otherwise: str) -> str:
    """The words of an error answer, whichever of the usual shapes it has."""
    if isinstance(value, list) and value:
        value = value[0]
    inner = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(inner, dict):
        inner = inner.get("message") or inner.get("detail") or json.dumps(inner)
    return inner if isinstance(inner, str) and inner else otherwise
