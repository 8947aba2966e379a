"""The methods of the client. Names of agents are written with or without `@`; durations are seconds."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence
from urllib.parse import quote

from . import _worker
from ._errors import BatonTimeout, HandoffNotCompleted
from ._http import GRACE, Connection, refusal_of
from ._types import Event, Fact, Handoff, Json, Page

# How long the server holds a wait open.
WAIT_SECONDS = 20
# The server gives a sign of life every 15 seconds.
SILENCE_SECONDS = 60.0
LINE_MAX = 16 * 1024 * 1024


class Baton:
    """A server, and the agent that a token belongs to.

    Every method raises errors that extend `BatonError`: `BatonRefusal` with a code where something is refused and nothing
    was changed.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None) -> None:
        """Without arguments: `BATON_URL` and `BATON_TOKEN` of the environment."""
        self._connection = Connection(
            url if url is not None else os.environ.get("BATON_URL", "http://127.0.0.1:22866"),
            token if token is not None else os.environ.get("BATON_TOKEN", ""),
        )

    def send(self, to: str, input: Json = None, *, request_id: Optional[str] = None, **options: Any) -> Handoff:
        """Offers work to an agent. Once it returns, the handoff survives a power cut.

        `options` are the fields of `POST /api/handoffs`, such as `title`, `priority`, `retry`, `onFailed`, `dependsOn`. A
        request that gets lost on the way is repeated, with one effect: that is what `request_id` is for, and without one a
        new one is made.
        """
        body: Dict[str, Any] = {"to": to, **options}
        if input is not None:
            body["input"] = input
        headers = {"Idempotency-Key": request_id or str(uuid.uuid4())}
        return self._answer("POST", "/handoffs", body, headers=headers, repeat=True)

    def wait(self, id: str, timeout: Optional[float] = None) -> Handoff:
        """Waits until a handoff is completed. Raises `HandoffNotCompleted` when it ends otherwise."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = WAIT_SECONDS if until is None else min(WAIT_SECONDS, max(0.0, until - time.monotonic()))
            query = {"timeoutSeconds": max(0.001, round(left, 3))}
            handoff = self._answer("GET", f"/handoffs/{_part(id)}/wait", query=query, patience=left, repeat=True)
            if handoff.get("settled") is True:
                if handoff["state"] == "completed":
                    return handoff
                raise HandoffNotCompleted(handoff)
            if until is not None and time.monotonic() >= until:
                raise BatonTimeout(f"{id} was not settled within {timeout} s")

    def work(
        self,
        handler: _worker.Handler,
        *,
        stop: Optional[threading.Event] = None,
        lease: int = 60,
        attempts_max: Optional[int] = None,
    ) -> int:
        """Runs `handler` on everything that is offered to the agent, one at a time, until `stop` is set.

        What it returns is the result; what it raises is a failed attempt (`HandlerFailure` names its code). Execution is at
        least once: an attempt whose process dies is made again, with the same id. Answers the number of attempts. For
        several at a time, call this in several threads.
        """
        return _worker.work(self, handler, stop or threading.Event(), lease, attempts_max)

    def claim(self, *, wait: float = 0, lease: int = 60) -> Optional[Handoff]:
        """Takes the next handoff that is offered to the agent, with its input; None: there was none in that time."""
        body = {"waitSeconds": wait, "leaseSeconds": lease}
        return self._answer("POST", "/claims", body, patience=wait)

    def accept(self, id: str, **options: Any) -> Handoff:
        return self._move(id, "accept", options)

    def renew(self, id: str, fence: int, lease: int = 60) -> Handoff:
        return self._move(id, "renew", {"fence": fence, "leaseSeconds": lease})

    def progress(self, id: str, fence: int, fraction: Optional[float] = None, says: Optional[str] = None) -> Handoff:
        said = {"fence": fence, "fraction": fraction, "says": says}
        return self._move(id, "progress", {key: value for key, value in said.items() if value is not None})

    def deliver(
        self, id: str, fence: Optional[int], result: Json = None, evidence: Sequence[Mapping[str, str]] = ()
    ) -> Handoff:
        said: Dict[str, Any] = {"result": result}
        if fence is not None:
            said["fence"] = fence
        if evidence:
            said["evidence"] = [dict(each) for each in evidence]
        return self._move(id, "deliver", said)

    def fail(self, id: str, fence: Optional[int], code: str, message: str) -> Handoff:
        said: Dict[str, Any] = {"code": code, "message": message}
        if fence is not None:
            said["fence"] = fence
        return self._move(id, "fail", said)

    def release(self, id: str, fence: int) -> Handoff:
        """Gives it back; the attempt does not count."""
        return self._move(id, "release", {"fence": fence})

    def reject(self, id: str, type: str, reason: str, **options: Any) -> Handoff:
        return self._move(id, "reject", {"type": type, "reason": reason, **options})

    def cancel(self, id: str, reason: Optional[str] = None) -> Handoff:
        return self._move(id, "cancel", {} if reason is None else {"reason": reason})

    def verify(self, id: str, **options: Any) -> Handoff:
        return self._move(id, "verify", options)

    def retry(self, id: str, *, request_id: Optional[str] = None, **options: Any) -> Handoff:
        """Makes a new handoff out of one that did not succeed."""
        headers = {"Idempotency-Key": request_id or str(uuid.uuid4())}
        return self._answer("POST", f"/handoffs/{_part(id)}/retry", options, headers=headers, repeat=True)

    def load(self, id: str) -> Handoff:
        """One handoff with its input and result."""
        return self._answer("GET", f"/handoffs/{_part(id)}", repeat=True)

    def list(self, **filter: Any) -> Page:
        """A page of handoffs; `next` is the `after` of the next page."""
        return self._answer("GET", "/handoffs", query=filter, repeat=True)

    def facts(self, id: str) -> List[Fact]:
        """Everything that has happened to it, oldest first."""
        return self._answer("GET", f"/handoffs/{_part(id)}/facts", repeat=True)["items"]

    def events(self, after: Optional[str] = None, **filter: Any) -> Iterator[Event]:
        """Everything that happens, without end and without a gap: after a break it goes on where it was."""
        cursor = after
        while True:
            connection = self._connection.open(SILENCE_SECONDS)
            try:
                headers = {} if cursor is None else {"Last-Event-ID": cursor}
                response = self._connection.start(
                    connection, "GET", "/api/v1/events", query=filter, headers={"Accept": "text/event-stream", **headers}
                )
                if response.status != 200:
                    raise refusal_of(response)
                for name, cursor, text in _events_in(response):
                    if name == "fact":
                        told = json.loads(text)
                        yield {"cursor": cursor, "fact": told["fact"], "handoff": told["handoff"]}
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            time.sleep(1.0)

    def _move(self, id: str, move: str, body: Mapping[str, Any]) -> Handoff:
        return self._answer("POST", f"/handoffs/{_part(id)}/{move}", dict(body))

    def _answer(self, method: str, path: str, body: Any = None, *, patience: float = 0.0, **more: Any) -> Any:
        status, answer = self._connection.ask(method, f"/api/v1{path}", body, patience=patience, **more)
        return None if status == 204 else answer


def _part(id: str) -> str:
    return quote(id, safe="")


def _events_in(response: http.client.HTTPResponse) -> Iterator["tuple[str, str, str]"]:
    """Name, id and data of each event of a stream."""
    name, cursor, data = "message", "", []  # type: str, str, List[str]
    while True:
        line = response.readline(LINE_MAX)
        if not line.endswith(b"\n"):
            return
        text = line.decode().rstrip("\r\n")
        if text == "":
            if data:
                yield name, cursor, "\n".join(data)
            name, data = "message", []
            continue
        field, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "id":
            cursor = value
        elif field == "data":
            data.append(value)
