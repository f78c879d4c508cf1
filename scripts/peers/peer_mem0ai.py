"""mem0: memories as its own API adds, changes and deletes them, with an embedder that needs no network."""
import hashlib
import json
import os
import sys

FOLDER = os.path.abspath(sys.argv[2])
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=f"{FOLDER}/dir", OPENAI_API_KEY="none", HOME=FOLDER)

import importlib.metadata  # noqa: E402

from mem0 import Memory  # noqa: E402
from mem0.utils.factory import EmbedderFactory  # noqa: E402

from made import Made, tidy  # noqa: E402


class Embedder:
    def __init__(self):
        self.config = type("Config", (), {"embedding_dims": 32})()

    def embed(self, text, *_, **__):
        return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()]

    def embed_batch(self, texts, *_, **__):
        return [self.embed(text) for text in texts]


def opened():
    EmbedderFactory.create = classmethod(lambda cls, *_, **__: Embedder())
    return Memory.from_config({
        "vector_store": {"provider": "qdrant", "config": {"path": f"{FOLDER}/qdrant", "on_disk": True, "collection_name": "mem0",
                                                          "embedding_model_dims": 32}},
        "history_db_path": f"{FOLDER}/dir/history.db"})


def all_of(memory):
    found = []
    for user in ["ana", "björn"]:
        found += memory.get_all(filters={"user_id": user}, top_k=10**6)["results"]
    return found


def expected(found):
    items = []
    for one in found:
        metadata = one.get("metadata") or {}
        items.append({
            "id": one["id"], "text": one["memory"], "time": one["created_at"],
            "speaker": one.get("actor_id") or one.get("user_id"), "source": "human" if one.get("role") == "user" else "ai",
            "tags": sorted(metadata.get("tags", [])), "status": "active",
            **({"session": one["run_id"]} if one.get("run_id") else {}),
            **({"category": metadata["category"]} if metadata.get("category") else {}),
            **({"valid_to": one["expiration_date"]} if one.get("expiration_date") else {})})
    return items


def main(what, seed):
    made = Made(f"mem0 {what} {seed}")
    memory = opened()
    ids = [one["id"] for one in all_of(memory)]
    if what == "make":
        for number in range(220):
            metadata = {"tags": made.tags(), "number": number}
            if made.random.random() < 0.3:
                metadata["category"] = "places"
            role = made.random.choice(["user", "user", "assistant"])
            memory.add([{"role": role, "content": made.text()}], user_id=made.random.choice(["ana", "björn"]), metadata=metadata,
                       infer=False, **({"run_id": f"run-{number % 7}"} if made.random.random() < 0.5 else {}))
        ids = [one["id"] for one in all_of(memory)]
        for one in made.some(ids, 20):
            memory.update(one, made.text())
        for one in made.some(ids, 15):
            memory.delete(one)
    elif what == "edit":
        for one in made.some(ids, 10):
            memory.update(one, made.text())
    elif what == "read":
        # What our own export has, added again as its users would, and read back.
        rows = json.load(open(sys.argv[4]))["results"]
        for row in rows:
            memory.add([{"role": "user", "content": row["memory"]}], user_id="back", infer=False, metadata={"was": row["id"]})
        back = memory.get_all(filters={"user_id": "back"}, top_k=10**6)["results"]
        same = {one["metadata"]["was"]: one["memory"] for one in back}
        wrong = [row["id"] for row in rows if tidy(same.get(row["id"], "")) != tidy(row["memory"])]
        assert not wrong, wrong[:5]
        print(f"{len(rows)} memories were added there and read back")
        return
    found = all_of(memory)
    with open(f"{FOLDER}/get_all.json", "w") as out:
        json.dump({"results": found}, out)
    about = {"peer": "mem0ai", "version": importlib.metadata.version("mem0ai"), "source": "get_all.json", "edits": {"new": 0, "changed": 10}}
    json.dump({**about, "items": expected(found)}, open(f"{FOLDER}/peer.json", "w"))


main(sys.argv[1], sys.argv[3])
