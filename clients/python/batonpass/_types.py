"""What a server answers. Fields that are not there were not said; new ones may be added."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

# Anything that is JSON.
Json = Any


class Failure(TypedDict, total=False):
    code: str
    message: str
    violations: List[Dict[str, str]]


# Written as a call, because `from` is no name that a class could have.
Handoff = TypedDict(
    "Handoff",
    {
        "id": str,
        "state": str,
        "from": str,
        "to": str,
        "kind": str,
        "priority": str,
        "title": Optional[str],
        "task": Optional[str],
        "revision": int,
        "attempt": int,
        "fence": int,
        "createdAt": str,
        "since": str,
        "notBefore": str,
        "until": str,
        "root": str,
        "parent": str,
        "retryOf": str,
        "heldBy": str,
        "onFailed": str,
        "dependsOn": List[str],
        "deliverables": List[str],
        "criteria": List[str],
        "verifiers": List[str],
        "assurance": str,
        "input": Json,
        "context": Dict[str, Json],
        "result": Json,
        "failure": Failure,
        "settled": bool,
    },
    total=False,
)


class Fact(TypedDict, total=False):
    handoff: str
    revision: int
    at: str
    by: str
    proof: str
    deed: str
    stateBefore: Optional[str]
    state: str
    attempt: int
    fence: int
    detail: Json
    hash: str


class Event(TypedDict):
    """What happened, and the handoff as it is now. `cursor` is where to go on."""

    cursor: str
    fact: Fact
    handoff: Handoff


class Page(TypedDict):
    items: List[Handoff]
    next: Optional[str]
    cursor: str
