"""Imports what a peer wrote and compares every memory with what the peer's own API says about it.

Usage: compare.py QUIPU FOLDER WORKSPACE [STEP]   (STEP: first | again | edited | undone)
"""
import glob
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone

from made import SECRETS, tidy

QUIPU, FOLDER, WORKSPACE = (os.path.abspath(path) for path in sys.argv[1:4])
STEP = sys.argv[4]


def quipu(*arguments):
    done = subprocess.run([QUIPU, "-C", WORKSPACE, *arguments], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"quipu {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout


def fields(comment):
    """The fields of a record's comment, as docs/spec/journal.md has them: ` | ` between, a backslash before what is meant."""
    found, field, escaped = [], "", False
    for sign in comment:
        if escaped:
            field += {"n": "\n", "r": "\r", "t": "\t", "s": " "}.get(sign, sign)
            escaped = False
        elif sign == "\\":
            escaped = True
        elif sign == "|":
            found.append(field)
            field = ""
        else:
            field += sign
    return dict(one.strip().split(": ", 1) for one in [*found, field] if ": " in one)


def imported():
    """What is in the memory, by the id that it has in the peer."""
    origins = {}
    for path in glob.glob(f"{WORKSPACE}/memory/imports/*.md"):
        for comment in re.findall(r"^ *<!-- (id: .*) -->$", open(path, encoding="utf-8", newline="").read(), re.M):
            record = fields(comment)
            if "origin" in record:
                origins[record["id"]] = json.loads(record["origin"])
    items = {}
    file = f"{WORKSPACE}.export"
    quipu("export", file)
    for line in open(file, encoding="utf-8", newline="\n"):
        one = json.loads(line)
        if one["t"] == "item" and one["id"] in origins:
            items.setdefault(origins[one["id"]].get("id"), []).append(one)
    return items


def moment(text):
    """A time as milliseconds; a day is its first moment."""
    if isinstance(text, (int, float)):
        return round(text * 1000)
    if len(text) == 10:
        text += "T00:00:00+00:00"
    text = re.sub(r"(\.\d{6})\d+", r"\1", text.replace("Z", "+00:00"))
    time = datetime.fromisoformat(text)
    return round((time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp() * 1000)


def holds_secret(text):
    return any(secret in text for secret in SECRETS)


def differences(expected, found):
    wrong, by_text = [], {}
    for item in (item for items in found.values() for item in items):
        by_text.setdefault(item["text"], []).append(item)
    for one in expected:
        if not any(c.isalnum() for c in one["text"]):
            continue
        if "id" not in one:
            # The peer's items have no ids: their words are all that they are known by.
            if holds_secret(one["text"]):
                continue
            one = {"id": one["text"], **one}
            all_found = by_text.get(tidy(one["text"]), [])
        elif holds_secret(one["id"]):
            # What something is called goes as a whole where it holds a credential, and its id here is another.
            continue
        else:
            all_found = found.get(one["id"], [])
        all_found = [item for item in all_found if item["status"] != "superseded"] or all_found
        if not all_found:
            wrong.append(f"missing: {one['id']!r} {one['text'][:60]!r}")
            continue
        item = all_found[-1]
        for key, value in one.items():
            got = item.get(key)
            if key == "id" or (key == "text" and holds_secret(value)):
                continue
            if key == "text":
                same = tidy(value) == got
            elif key in ("time", "valid_from", "valid_to"):
                same = got is not None and abs(moment(value) - moment(got)) <= 1
            elif key == "tags":
                same = set(value) <= set(got or [])
            elif key == "source":
                # This program is no person, and brings no person's words along.
                same = got == {"human": "interaction"}.get(value, value)
            elif key == "importance":
                same = got is not None and abs(min(value, 0.8) - got) < 0.002
            else:
                same = (got or None) == (value or None)
            if not same:
                wrong.append(f"{key} of {one['id']!r}: there {str(value)[:80]!r}, here {str(got)[:80]!r}")
    return wrong


def snapshot():
    """Every file of the memory but what Quipu keeps about itself."""
    files = {}
    for root, folders, names in os.walk(WORKSPACE):
        folders[:] = [one for one in folders if one not in (".git", ".quipu", "events")]
        # The folder of imports stays, with the file that keeps it out of git.
        for name in (one for one in names if one != ".gitignore"):
            path = os.path.join(root, name)
            files[os.path.relpath(path, WORKSPACE)] = open(path, "rb").read()
    return files


about = json.load(open(f"{FOLDER}/peer.json"))
source = [f"{FOLDER}/{path}" for path in about["source"].split()]
if "as" in about:
    source += ["--as", about["as"]]
about_run = f"{about['peer']} {about['version']}"
before = snapshot()
if STEP == "undone":
    # What was here before comes back when the import is taken back.
    plain = WORKSPACE + ".before"
    expected = json.load(open(plain))
    quipu("undo")
    after = {path: bytes.hex() for path, bytes in snapshot().items()}
    wrong = [path for path in set(after) | set(expected) if after.get(path) != expected.get(path)]
    assert not wrong, f"{about_run}: after undo these differ: {wrong[:5]}"
    print(f"  undo: {len(after)} files are as before")
    sys.exit()
if STEP == "first":
    json.dump({path: bytes.hex() for path, bytes in before.items()}, open(WORKSPACE + ".before", "w"))
run = json.loads(quipu("import", *source, "--yes", "--json", *about.get("options", [])))
skipped = sum(run["skipped"].get(why, 0) for why in ["repeat", "noise", "too-long", "secret", "filtered", "purged"])
assert run["read"] == run["new"] + run["changed"] + run["known"] + skipped, run
if STEP == "again":
    assert run["new"] == run["changed"] == 0, run
    print(f"  again: nothing new, {run['known']} known")
    sys.exit()
wrong = differences(about["items"], imported())
for one in wrong[:12]:
    print(f"  differs: {one}")
if STEP == "edited":
    edits = about["edits"]
    have = (run["new"], run["changed"])
    assert have == (edits["new"], edits["changed"]), f"{about_run}: new and changed {have}, expected {edits}"
print(f"  {STEP}: {about_run}: {len(about['items'])} there; {run['read']} read, {run['new']} new, {run['changed']} changed, "
      f"{run['known']} known, {run['skipped']}; {len(wrong)} fields differ")
leaked = [path for path, bytes in snapshot().items() if any(secret.encode() in bytes for secret in SECRETS)]
assert not leaked, f"{about_run}: a credential is in {leaked}"
sys.exit(1 if wrong else 0)
