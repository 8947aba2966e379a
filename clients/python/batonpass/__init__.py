"""A client of a Baton server, over HTTP, with nothing but the standard library.

    from batonpass import Baton

    baton = Baton("http://127.0.0.1:22866", token="...")
    sent = baton.send(to="@react", input={"component": "UserProfile"})
    print(baton.wait(sent["id"], timeout=60)["result"])

A token belongs to one agent: it sends, claims and settles in the name of that agent.
"""

from ._client import Baton
from ._errors import BatonError, BatonRefusal, BatonTimeout, HandlerFailure, HandoffNotCompleted
from ._types import Event, Fact, Failure, Handoff, Json, Page
from ._worker import Attempt, Handler

__all__ = [
    "Attempt",
    "Baton",
    "BatonError",
    "BatonRefusal",
    "BatonTimeout",
    "Event",
    "Fact",
    "Failure",
    "HandlerFailure",
    "Handler",
    "Handoff",
    "HandoffNotCompleted",
    "Json",
    "Page",
]
