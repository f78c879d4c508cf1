"""Exports of chats as ChatGPT and Claude write them, made by a program that shares nothing with the readers, and the turns
that they hold by the way they were made. Usage: chats.py FOLDER SEED"""
import json
import os
import sys
from datetime import datetime, timezone

from made import Made


def chatgpt(made, number):
    """A tree: the path to its newest leaf was kept, what forks from it was not."""
    r, now, nodes, turns = made.random, made.second(), {}, []

    def node(id, parent, role, text, **more):
        message = {"id": f"{number}-{id}", "author": {"role": role, "name": None}, "create_time": r.choice([now, now, None]),
                   "content": {"content_type": more.pop("kind", "text"), "parts": [text]}, "recipient": more.pop("to", "all"),
                   "weight": more.pop("weight", 1.0), "metadata": more.pop("metadata", {}), "channel": None, "status": None}
        nodes[id] = {"id": id, "parent": parent, "children": [], "message": message}
        if parent and r.random() < 0.8:
            nodes[parent]["children"].append(id)
        return id

    nodes["root"] = {"id": "root", "parent": None, "children": [], "message": None}
    at = node("s", "root", "system", "You are a helpful assistant.")
    for n in range(r.randint(1, 8)):
        now += 60
        text = made.text()
        for fork in range(r.randint(0, 2)):
            other = node(f"f{n}{fork}", at, "user", made.text())
            node(f"g{n}{fork}", other, "assistant", made.text())
        at = node(f"u{n}", at, "user", text)
        turns.append(["user", text])
        if r.random() < 0.3:
            at = node(f"t{n}", at, "assistant", "search(\"x\")", to="browser")
            at = node(f"r{n}", at, "tool", made.text())
        if r.random() < 0.2:
            at = node(f"h{n}", at, "user", made.text(), metadata={"is_visually_hidden_from_conversation": True})
        if r.random() < 0.2:
            at = node(f"k{n}", at, "assistant", made.text(), kind="thoughts")
        answer = made.text()
        at = node(f"a{n}", at, "assistant", answer)
        turns.append(["assistant", answer])
    forgotten = r.random() < 0.1
    return {"id": f"c{number}", "conversation_id": f"c{number}", "title": r.choice(["A talk", None, ""]),
            "create_time": r.choice([now, None]), "update_time": now, "current_node": at, "mapping": nodes,
            "is_do_not_remember": forgotten}, [] if forgotten else turns


def claude(made, number):
    """Messages with parents: the newest leaf is where the conversation went on."""
    r, now, messages, turns, parent = made.random, made.second(), [], [], None

    def message(id, parent, sender, blocks):
        nonlocal now
        now += 5
        time = datetime.fromtimestamp(now, timezone.utc).isoformat().replace("+00:00", "Z")
        text = "\n\n".join(block.get("text", "") for block in blocks if block["type"] == "text")
        messages.append({"uuid": f"{number}-{id}", "text": text, "content": blocks, "sender": sender, "created_at": time, "updated_at": time,
                         "attachments": [], "files": [], **({"parent_message_uuid": f"{number}-{parent}"} if parent else {})})
        return id

    for n in range(r.randint(1, 6)):
        if parent and r.random() < 0.3:
            message(f"x{n}", parent, "human", [{"type": "text", "text": made.text()}])
        said, answer = made.text(), made.text()
        parent = message(f"u{n}", parent, "human", [{"type": "text", "text": said}])
        thinking = [{"type": "thinking", "thinking": made.text()}, {"type": "tool_use", "name": "x", "input": {}}]
        parent = message(f"a{n}", parent, "assistant", [*(thinking if r.random() < 0.4 else []), {"type": "text", "text": answer}])
        turns += [["human", said], ["assistant", answer]]
    time = messages[0]["created_at"]
    return {"uuid": f"k{number}", "name": r.choice(["", "A talk"]), "created_at": time, "updated_at": time, "account": {"uuid": "me"},
            "chat_messages": messages}, turns


def main(folder, seed):
    made, all_turns = Made(f"chats {seed}"), {}
    for name, make, shards in [("chatgpt", chatgpt, 3), ("claude", claude, 1)]:
        os.makedirs(f"{folder}/{name}")
        made_all = [make(made, number) for number in range(60)]
        for shard in range(shards):
            file = "conversations.json" if shards == 1 else f"conversations-{shard:03}.json"
            json.dump([one for one, _ in made_all[shard::shards]], open(f"{folder}/{name}/{file}", "w"))
        all_turns[name] = [turn for _, turns in made_all for turn in turns]
    json.dump(all_turns, open(f"{folder}/turns.json", "w"))


main(sys.argv[1], sys.argv[2])
