"""claude-mem: observations as its own store writes them."""
import json
import os
import subprocess
import sys

from made import Made

FOLDER, PEER = os.path.abspath(sys.argv[2]), os.environ["PEER"]


def main(what, seed):
    made = Made(f"claude-mem {what} {seed}")
    observations, edits = [], []
    for _ in range(200 if what == "make" else 0):
        r = made.random
        observations.append({"session": f"s{r.randint(1, 12)}", "time": round(made.second() * 1000), "observation": {
            "type": r.choice(["decision", "bugfix", "feature", "refactor", "discovery", "change"]), "title": made.text().replace("\n", " "),
            "subtitle": "in short", "facts": [made.text() for _ in range(r.randint(0, 3))], "narrative": made.text(),
            "concepts": ["why-it-exists"] if r.random() < 0.5 else [], "files_read": [], "files_modified": ["net.rs"]}})
    if what == "edit":
        rows = json.load(open(f"{FOLDER}/rows.json"))
        edits = [[row["id"], made.text()] for row in made.some(rows, 10)]
    done = subprocess.run([f"{PEER}/bun/package/bin/bun", os.path.join(os.path.dirname(__file__), "peer_claude_mem.mjs"), what,
                           f"{FOLDER}/claude-mem.db"], input=json.dumps({"observations": observations, "edits": edits}),
                          capture_output=True, text=True, env={**os.environ, "HOME": FOLDER, "CLAUDE_MEM_DATA_DIR": FOLDER})
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    json.dump(answer["rows"], open(f"{FOLDER}/rows.json", "w"))
    items = [{"id": f"observation-{row['id']}", "text": f"{row['title']}\n\n{row['narrative']}", "time": row["created_at_epoch"] / 1000,
              "session": row["content_session_id"], "source": "ai",
              "category": {"decision": "decision", "discovery": "learned"}.get(row["type"], "note"),
              "tags": json.loads(row["concepts"] or "[]")} for row in answer["rows"]]
    about = {"peer": "claude-mem", "version": answer["version"], "source": "claude-mem.db"}
    json.dump({**about, "items": items, "edits": {"new": 0, "changed": 10}}, open(f"{FOLDER}/peer.json", "w"))


main(sys.argv[1], sys.argv[3])
