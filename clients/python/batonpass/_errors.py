"""What is raised: one class for each way in which a caller goes on."""

from __future__ import annotations

from typing import Any, Dict

from ._types import Handoff


class BatonError(Exception):
    """Base of everything that this package raises. `code` says what it is."""

    code: str = "error"


class BatonRefusal(BatonError):
    """The server refused, and nothing was changed. `details` holds what belongs to the code."""

    def __init__(self, code: str, message: str, status: int, details: Dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return bool(self.details.get("retryable", False))


class HandoffNotCompleted(BatonError):
    """The handoff was waited for, and it ended in another state than `completed`."""

    def __init__(self, handoff: Handoff) -> None:
        failure = handoff.get("failure")
        says = "" if failure is None else f": {failure.get('code')}: {failure.get('message')}"
        super().__init__(f"{handoff['id']} {handoff['state']}{says}")
        self.handoff = handoff
        self.code = handoff["state"].upper() if failure is None else failure.get("code", "FAILED")


class BatonTimeout(BatonError):
    """Time was up before the handoff was settled. It goes on: wait again, or cancel it."""

    code = "timed-out"


class HandlerFailure(BatonError):
    """Raised by a handler: the attempt has failed with this code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
