"""engram: its own store, without a model."""
import importlib.metadata
import json
import os
import sys
import uuid
from datetime import datetime, timezone

FOLDER = os.path.abspath(sys.argv[2])
os.environ["HOME"] = FOLDER

import numpy  # noqa: E402
from engram.config import Config  # noqa: E402
from engram.store import Memory, Store  # noqa: E402

from made import Made  # noqa: E402


def opened():
    config = Config.load() if hasattr(Config, "load") else Config()
    config.db_path = f"{FOLDER}/memory.db"
    if hasattr(config, "ann"):
        config.ann.enabled = False
    store = Store(config)
    store.init_db()
    return store


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


def day(text):
    return text if len(text) == 10 else f"{text}-01"


def expected(store):
    """Every memory that is to be taken, as the peer's own table has it."""
    rows = store.conn.execute("SELECT * FROM memories")
    names = [one[0] for one in rows.description]
    items = []
    for row in (dict(zip(names, row)) for row in rows.fetchall()):
        metadata = json.loads(row["metadata"] or "{}")
        if row["layer"] == "codebase" or row["source_type"] == "code_scan":
            continue
        text, negative = row["content"], row["content"].startswith("NEGATIVE KNOWLEDGE: ")
        text = text.removeprefix("NEGATIVE KNOWLEDGE: ")
        status = row["status"] or "active"
        # One that was taken back and forgotten is both: that it is wrong says more.
        if metadata.get("invalidated"):
            status = "invalidated"
        elif row["forgotten"]:
            status = "archived"
        one = {"id": row["id"], "text": text, "layer": row["layer"], "type": row["memory_type"], "importance": row["importance"],
               "time": iso(row["created_at"]), "tags": metadata.get("tags", []), "negative": negative, "status": status}
        if row["fact_date"]:
            one["valid_from"] = day(row["fact_date"])
        if row["fact_date_end"]:
            one["valid_to"] = day(row["fact_date_end"])
        items.append(one)
    return items


def main(what, seed):
    made = Made(f"engram {what} {seed}")
    store = opened()
    vector = numpy.zeros(384, dtype=numpy.float32)
    if what == "make":
        for number in range(260):
            r = made.random
            text = made.text()
            if r.random() < 0.05:
                text = f"NEGATIVE KNOWLEDGE: {text}"
            memory = Memory(id=str(uuid.UUID(int=r.getrandbits(128))), content=text, source_type=r.choice(["ingest", "remember:human", "remember:ai", "dream", "interaction"]),
                            layer=r.choice(["working", "episodic", "semantic", "procedural", "codebase"]), importance=r.random())
            memory.embedding = vector + number
            memory.created_at = memory.last_accessed = made.second()
            if hasattr(memory, "memory_type"):
                memory.memory_type = r.choice(["fact", "procedure", "narrative"])
            memory.metadata = {"tags": made.tags()}
            if r.random() < 0.1:
                memory.metadata["annotations"] = [{"note": made.text(), "timestamp": made.second()}]
            if r.random() < 0.1:
                memory.metadata.update(invalidated=True, invalidation_reason="wrong", invalidated_at=made.second())
            if r.random() < 0.2:
                memory.fact_date = made.day()
            store.save_memory(memory)
        ids = [row[0] for row in store.conn.execute("SELECT id FROM memories ORDER BY id").fetchall()]
        for one in made.some(ids, 30):
            store.update_status(one, made.random.choice(["challenged", "invalidated", "superseded"]), "the seed says so")
        for one in made.some(ids, 15):
            store.forget_memory(one)
    elif what == "edit":
        rows = store.conn.execute("SELECT id FROM memories WHERE forgotten = 0 AND layer != 'codebase' ORDER BY id").fetchall()
        for (one,) in made.some(rows, 10):
            store.conn.execute("UPDATE memories SET content = ? WHERE id = ?", (made.text(), one))
        store.conn.commit()
    store.conn.commit()
    # It fills in types when it is opened again.
    items = expected(opened())
    about = {"peer": "engram-memory-system", "version": importlib.metadata.version("engram-memory-system"), "source": "memory.db"}
    json.dump({**about, "items": items, "edits": {"new": 0, "changed": 10}}, open(f"{FOLDER}/peer.json", "w"))


main(sys.argv[1], sys.argv[3])
