"""Sends, does and awaits work through the queue folder, with nothing but Python 3.

    python3 handoffs.py send @from @to '{"text": "two words"}'        (in the workspace)
    python3 handoffs.py work @counter
    python3 handoffs.py wait ID
"""
import json
import os
import sys
import time
import uuid


def send(source, target, data):
    handoff_id = f"py-{uuid.uuid4().hex}"
    write(f"handoffs/pending/{handoff_id}.json", {
        "handoff_id": handoff_id,
        "status": "pending",
        "source": {"agent_id": source},
        "target": {"agent_id": target},
        "input": {"data": data},
        "timeout_seconds": 300,
    })
    return handoff_id


def work(agent, do):
    """Does once what lies in pending/ for this agent."""
    for name in sorted(os.listdir("handoffs/pending")):
        if name.startswith(".") or not name.endswith(".json"):
            continue
        mine = f"handoffs/in-progress/{name}"
        try:
            if target_of(read(f"handoffs/pending/{name}")) != agent.lstrip("@"):
                continue
            # Of all who try, one rename succeeds; the others go on to the next.
            os.rename(f"handoffs/pending/{name}", mine)
        except (FileNotFoundError, ValueError):
            continue
        handoff = read(mine)
        try:
            answer = do(handoff["input"]["data"])
            end = "completed"
            handoff.update(status=end, output={"artifact_type": "result", "content": answer})
        except Exception as error:
            end = "failed"
            handoff.update(status=end, error={"code": "PROCESSING_ERROR", "message": str(error)})
        # The file may have been taken back because our time was over: then the answer does not count.
        if not os.path.exists(mine):
            continue
        # First the content, then the place: whoever waits sees the whole answer or none.
        write(mine, handoff)
        os.rename(mine, f"handoffs/{end}/{name}")


def wait(handoff_id, seconds=300):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for end in ("completed", "failed"):
            try:
                handoff = read(f"handoffs/{end}/{handoff_id}.json")
            except (FileNotFoundError, ValueError):
                continue
            # Some programs move first and write after, so the word inside counts too.
            if handoff.get("status") == "completed":
                output = handoff["output"]
                path = output.get("artifact_path")
                return read(path)["content"] if path and os.path.isfile(path) else output.get("content")
            if handoff.get("status") == "failed":
                raise RuntimeError(f"{handoff['error']['code']}: {handoff['error']['message']}")
        time.sleep(0.2)
    raise TimeoutError(handoff_id)


def target_of(handoff):
    target = handoff["target"]
    return (target["agent_id"] if isinstance(target, dict) else target).lstrip("@")


def read(path):
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)


def write(path, handoff):
    """Whole or not at all; nobody looks at hidden names."""
    draft = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.draft")
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(handoff, file, indent=2)
    os.replace(draft, path)


def count_words(data):
    return {"words": len(data["text"].split())}


if __name__ == "__main__":
    what, *args = sys.argv[1:]
    if what == "send":
        print(send(args[0], args[1], json.loads(args[2])))
    elif what == "work":
        work(args[0], count_words)
    elif what == "wait":
        try:
            print(json.dumps(wait(args[0])))
        except RuntimeError as failure:
            sys.exit(str(failure))
