"""Against a real server: BATON_URL, and a token for @me and one for @worker in the environment."""

from __future__ import annotations

import os
import threading
import unittest
from typing import Any, List

from batonpass import (
    Attempt,
    Baton,
    BatonError,
    BatonRefusal,
    BatonTimeout,
    HandlerFailure,
    Handoff,
    HandoffNotCompleted,
)

URL = os.environ["BATON_URL"]
ME = Baton(URL, os.environ["BATON_TOKEN_ME"])
WORKER = Baton(URL, os.environ["BATON_TOKEN_WORKER"])


class ClientTest(unittest.TestCase):
    def work(self, handler: Any, attempts: int = 1) -> threading.Thread:
        stop = threading.Event()
        thread = threading.Thread(target=lambda: WORKER.work(handler, stop=stop, attempts_max=attempts))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(stop.set)
        return thread

    def test_sends_works_and_waits(self) -> None:
        seen: List[Handoff] = []

        def double(handoff: Handoff, attempt: Attempt) -> Any:
            seen.append(handoff)
            attempt.progress(0.5, "half")
            return {"doubled": handoff["input"]["n"] * 2}

        sent = ME.send("@worker", {"n": 21}, title="Ümläute")
        self.work(double)
        done = ME.wait(sent["id"], timeout=300)
        self.assertEqual(done["result"], {"doubled": 42})
        self.assertEqual(seen[0]["title"], "Ümläute")
        self.assertEqual(ME.load(sent["id"])["state"], "completed")
        deeds = [fact["deed"] for fact in ME.facts(sent["id"])]
        self.assertEqual([deeds[0], deeds[-1]], ["create", "complete"])
        self.assertIn("progress", deeds)
        self.assertIn(sent["id"], [each["id"] for each in ME.list(to="@worker", state="completed")["items"]])

    def test_a_failure_is_told_with_its_code(self) -> None:
        def broken(handoff: Handoff, attempt: Attempt) -> Any:
            raise HandlerFailure("BAD_INPUT", "no such order")

        sent = ME.send("@worker", {}, retry={"max": 0})
        self.work(broken)
        with self.assertRaises(HandoffNotCompleted) as raised:
            ME.wait(sent["id"], timeout=300)
        self.assertEqual(raised.exception.code, "BAD_INPUT")
        self.assertEqual(raised.exception.handoff["failure"]["message"], "no such order")

    def test_what_a_handler_raises_and_what_is_no_json_fail_the_attempt(self) -> None:
        answers: List[Any] = [lambda: 1 / 0, lambda: {1, 2}]

        def strange(handoff: Handoff, attempt: Attempt) -> Any:
            return answers.pop(0)()

        ids = [ME.send("@worker", {}, retry={"max": 0})["id"] for _ in range(2)]
        self.work(strange, attempts=2)
        says = []
        for each in ids:
            with self.assertRaises(HandoffNotCompleted) as raised:
                ME.wait(each, timeout=300)
            says.append(str(raised.exception))
        self.assertIn("ZeroDivisionError", says[0])
        self.assertIn("not JSON", says[1])

    def test_the_same_request_has_one_effect(self) -> None:
        key = f"order-{os.getpid()}"
        first = ME.send("@nobody", {"n": 1}, request_id=key)
        self.assertEqual(ME.send("@nobody", {"n": 1}, request_id=key)["id"], first["id"])
        with self.assertRaises(BatonRefusal) as raised:
            ME.send("@nobody", {"n": 2}, request_id=key)
        self.assertEqual(raised.exception.code, "request-reused")
        ME.cancel(first["id"], "enough")
        self.assertEqual(ME.load(first["id"])["state"], "cancelled")

    def test_refusals_and_timeouts(self) -> None:
        sent = ME.send("@nobody", {})
        with self.assertRaises(BatonTimeout):
            ME.wait(sent["id"], timeout=0.05)
        for act, code in [
            (lambda: ME.send("../x"), "bad-request"),
            (lambda: ME.load("hoff-nothing"), "no-such-handoff"),
            (lambda: ME.load("../../session"), "bad-request"),
            (lambda: WORKER.cancel(sent["id"]), "no-such-handoff"),
            (lambda: Baton(URL, "wrong").load(sent["id"]), "token-refused"),
        ]:
            with self.assertRaises(BatonRefusal) as raised:
                act()
            self.assertEqual(raised.exception.code, code)
        with self.assertRaises(ValueError):
            Baton(URL, "a\r\nX: b")
        with self.assertRaises(ValueError):
            Baton("ftp://somewhere", "x")

    def test_by_hand_and_the_fence(self) -> None:
        sent = ME.send("@worker", {})
        taken = WORKER.claim(lease=60)
        assert taken is not None
        self.assertEqual(taken["id"], sent["id"])
        WORKER.renew(sent["id"], taken["fence"])
        with self.assertRaises(BatonRefusal) as raised:
            WORKER.deliver(sent["id"], taken["fence"] + 1, None)
        self.assertEqual(raised.exception.code, "lease-lost")
        WORKER.deliver(sent["id"], taken["fence"], {"by": "hand"})
        self.assertEqual(ME.wait(sent["id"], timeout=300)["result"], {"by": "hand"})
        self.assertIsNone(WORKER.claim())

    def test_events_come_in_order(self) -> None:
        cursor = ME.list(limit=1)["cursor"]
        sent = ME.send("@nobody", {})
        ME.cancel(sent["id"])
        heard = []
        for event in ME.events(after=cursor):
            if event["handoff"]["id"] == sent["id"]:
                heard.append((event["fact"]["deed"], event["fact"]["state"]))
            if len(heard) == 2:
                break
        self.assertEqual(heard, [("create", "offered"), ("cancel", "cancelled")])

    def test_a_schema_that_a_worker_has_registered_refuses_the_input(self) -> None:
        with self.assertRaises(BatonRefusal) as raised:
            ME.send("@typed", {"order": "one"})
        self.assertEqual(raised.exception.code, "schema-violated")
        self.assertIn("@typed.input", str(raised.exception))
        self.assertEqual(ME.send("@typed", {"order": 1})["state"], "offered")

    def test_a_server_that_is_not_there_is_an_error_of_this_package(self) -> None:
        with self.assertRaises(BatonError):
            Baton("http://127.0.0.1:9", "x").claim()


if __name__ == "__main__":
    unittest.main()
