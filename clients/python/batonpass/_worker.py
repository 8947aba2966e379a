"""Does what is offered to an agent: claims, keeps the lease while the handler runs, and settles."""

from __future__ import annotations

import threading
import traceback
from typing import TYPE_CHECKING, Callable, Dict, List, Optional

from ._errors import BatonError, BatonRefusal, HandlerFailure
from ._types import Handoff, Json

if TYPE_CHECKING:
    from ._client import Baton

# How long the server holds a claim open.
CLAIM_SECONDS = 20
PAUSE_SECONDS = 1.0
MESSAGE_MAX = 4_000


class Attempt:
    """One acceptance. `lost` is set when the handoff is somebody else's: stop working, the result would be refused."""

    def __init__(self, baton: "Baton", handoff: Handoff) -> None:
        self._baton = baton
        self._handoff = handoff
        self.lost = threading.Event()
        self._evidence: List[Dict[str, str]] = []

    def progress(self, fraction: Optional[float] = None, says: Optional[str] = None) -> None:
        """How far it is, from 0 to 1 and in words. Never a reason to fail."""
        try:
            self._baton.progress(self._handoff["id"], self._handoff["fence"], fraction, says)
        except BatonError:
            pass

    def evidence(self, deliverable: str, kind: str, value: str) -> None:
        """Shown for a deliverable together with the result."""
        self._evidence.append({"deliverable": deliverable, "kind": kind, "value": value})


Handler = Callable[[Handoff, Attempt], Json]


def work(baton: "Baton", handler: Handler, stop: threading.Event, lease: int, attempts_max: Optional[int]) -> int:
    attempts = 0
    while not stop.is_set() and (attempts_max is None or attempts < attempts_max):
        try:
            handoff = baton.claim(wait=CLAIM_SECONDS, lease=lease)
        except BatonRefusal as refusal:
            if not refusal.retryable:
                raise
            stop.wait(PAUSE_SECONDS)
            continue
        except BatonError:
            # The server is gone for a moment; what it offered is still there.
            stop.wait(PAUSE_SECONDS)
            continue
        if handoff is None:
            continue
        attempts += 1
        _attend(baton, handler, handoff, lease)
    return attempts


def _attend(baton: "Baton", handler: Handler, handoff: Handoff, lease: int) -> None:
    attempt = Attempt(baton, handoff)
    over = threading.Event()
    keeper = threading.Thread(target=_keep, args=(baton, handoff, lease, attempt, over), daemon=True)
    keeper.start()
    try:
        result = handler(handoff, attempt)
    except HandlerFailure as failure:
        _settle(attempt, lambda: baton.fail(handoff["id"], handoff["fence"], failure.code, str(failure)[:MESSAGE_MAX]))
    except Exception as error:  # Whatever a handler raises is a failed attempt, and the trace tells why.
        message = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-MESSAGE_MAX:]
        _settle(attempt, lambda: baton.fail(handoff["id"], handoff["fence"], "PROCESSING_ERROR", message))
    else:
        _settle(attempt, lambda: _deliver(baton, handoff, attempt, result))
    finally:
        over.set()
        keeper.join()


def _deliver(baton: "Baton", handoff: Handoff, attempt: Attempt, result: Json) -> None:
    try:
        baton.deliver(handoff["id"], handoff["fence"], result, attempt._evidence)
    except BatonRefusal as refusal:
        # The next attempt may do better.
        if refusal.code not in ("schema-violated", "not-json", "bad-request", "evidence-missing", "evidence-false"):
            raise
        baton.fail(handoff["id"], handoff["fence"], "VALIDATION_FAILED", str(refusal)[:MESSAGE_MAX])
    except (TypeError, ValueError) as error:
        baton.fail(handoff["id"], handoff["fence"], "PROCESSING_ERROR", f"the result is not JSON: {error}")


def _settle(attempt: Attempt, act: Callable[[], object]) -> None:
    """A word that comes too late is refused by the server; without it, the lease ends and somebody else is asked."""
    try:
        act()
    except BatonError:
        attempt.lost.set()


def _keep(baton: "Baton", handoff: Handoff, lease: int, attempt: Attempt, over: threading.Event) -> None:
    while not over.wait(lease / 3):
        try:
            baton.renew(handoff["id"], handoff["fence"], lease)
        except BatonRefusal as refusal:
            if refusal.retryable:
                continue
            attempt.lost.set()
            return
        except BatonError:
            continue
