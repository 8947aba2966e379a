"""Requests and their answers. A request that may be repeated is repeated while the server cannot answer."""

from __future__ import annotations

import http.client
import json
import time
import urllib.parse
from typing import Any, Dict, Mapping, Optional, Tuple

from ._errors import BatonError, BatonRefusal

TRIES = 5
FIRST_PAUSE = 0.2
# How much longer than the server a client waits for an answer.
GRACE = 30.0
BODY_MAX = 64 * 1024 * 1024


class Connection:
    """Where a server is, and who asks. One connection for each request: threads share nothing."""

    def __init__(self, url: str, token: str) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError("url: http://HOST:PORT or https://HOST:PORT")
        # A header with a line break in it would be two.
        if not token or not token.isascii() or not token.isprintable():
            raise ValueError("token: the text that `baton token new` has printed")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/")
        self._token = token

    def open(self, timeout: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=timeout)

    def start(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: Optional[Any] = None,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> http.client.HTTPResponse:
        asked = {key: value for key, value in (query or {}).items() if value is not None}
        tail = f"?{urllib.parse.urlencode(asked, doseq=True)}" if asked else ""
        sent: Dict[str, str] = {"Authorization": f"Bearer {self._token}", **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = "application/json"
        connection.request(method, f"{self._path}{path}{tail}", body=data, headers=sent)
        return connection.getresponse()

    def ask(
        self,
        method: str,
        path: str,
        body: Optional[Any] = None,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        patience: float = 0.0,
        repeat: bool = False,
    ) -> Tuple[int, Any]:
        """The status and the JSON of the answer. `repeat`: to ask twice has the effect of asking once."""
        for attempt in range(TRIES):
            is_last = not repeat or attempt + 1 == TRIES
            connection = self.open(patience + GRACE)
            try:
                response = self.start(connection, method, path, body, query, headers)
                answer = _read(response)
                if response.status < 400:
                    return response.status, answer
                if is_last or not (isinstance(answer, dict) and answer.get("retryable") and response.status >= 429):
                    raise _refusal(response.status, answer)
            except (OSError, http.client.HTTPException) as error:
                if is_last:
                    raise BatonError(f"the server does not answer: {error}") from error
            finally:
                connection.close()
            time.sleep(FIRST_PAUSE * 2**attempt)
        raise AssertionError("the last try ends the loop")


def _read(response: http.client.HTTPResponse) -> Any:
    text = response.read(BODY_MAX + 1)
    if len(text) > BODY_MAX:
        raise BatonError(f"the answer is larger than {BODY_MAX} bytes")
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _refusal(status: int, answer: Any) -> BatonRefusal:
    known = answer if isinstance(answer, dict) else {}
    code = str(known.get("code", "http"))
    return BatonRefusal(code, str(known.get("detail", f"the server answered {status}")), status, known)


def refusal_of(response: http.client.HTTPResponse) -> BatonRefusal:
    return _refusal(response.status, _read(response))
