"""Imports exports of chats and compares the turns with those that chats.py made. Usage: compare_chats.py QUIPU FOLDER WORKSPACE"""
import collections
import json
import os
import subprocess
import sys

from made import SECRETS, tidy

QUIPU, FOLDER, WORKSPACE = (os.path.abspath(path) for path in sys.argv[1:4])
wrong = 0
for name, turns in json.load(open(f"{FOLDER}/turns.json")).items():
    run = [QUIPU, "-C", WORKSPACE, "import", f"{FOLDER}/{name}", "--with-chats", "--yes", "--json"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    subprocess.run([QUIPU, "-C", WORKSPACE, "export", f"{WORKSPACE}.export"], check=True, capture_output=True)
    items = [json.loads(line) for line in open(f"{WORKSPACE}.export", encoding="utf-8", newline="\n")]
    texts = [one["text"] for one in items if one["t"] == "item" and one.get("channel") == f"import:{name}"]
    secret = [text for _, text in turns if any(one in text for one in SECRETS)]
    there = collections.Counter(tidy(text) for _, text in turns if text not in secret)
    here = collections.Counter(text for text in texts if "(REDACTED)" not in text)
    missing, more = there - here, here - there
    print(f"  {name}: {len(turns)} turns made, {len(texts)} imported, {plan['skipped']}; {len(missing)} missing, {len(more)} too many")
    for text in [*missing][:3] + [*more][:3]:
        print(f"  differs: {text[:100]!r}")
    wrong += len(missing) + len(more)
sys.exit(1 if wrong else 0)
