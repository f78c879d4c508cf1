"""Keeps a few memories of what a peer wrote, as a sample that CI replays: keep.py FOLDER INTO. Nothing long, no secret."""
import json
import os
import shutil
import sqlite3
import sys

from made import SECRETS

MOST = 30


def dumped(path, table, column, kept):
    """The tables of a database as text, with their own words for them; indexes for searching are left out."""
    database = sqlite3.connect(path)
    lines = []
    tables = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid")
    for name, sql in tables.fetchall():
        if "fts" in name or name.startswith("sqlite_"):
            continue
        columns = [one[1] for one in database.execute(f"PRAGMA table_info({name})")]
        chosen = ", ".join("NULL" if one == "embedding" else f"quote({one})" for one in columns)
        marks = ",".join("?" * len(kept))
        where = f"WHERE {column} IN ({marks})" if name == table else "WHERE memory_id IN (%s)" % marks if "memory_id" in columns else ""
        rows = database.execute(f"SELECT {chosen} FROM {name} {where}", kept if where else []).fetchall()
        lines.append(sql + ";")
        for row in rows:
            line = f"INSERT INTO {name} VALUES({','.join(cell or 'NULL' for cell in row)});"
            if len(line) < 5000 and not any(secret[:8] in line for secret in SECRETS):
                lines.append(line)
    return "\n".join(lines) + "\n"


def left(sql, table, column):
    """The ids that a dump still has."""
    database = sqlite3.connect(":memory:")
    database.executescript(sql)
    return {one[0] for one in database.execute(f"SELECT {column} FROM {table}")}


def main(folder, into):
    about = json.load(open(f"{folder}/peer.json"))
    name, source = about["peer"], about["source"]
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    plain = [one for one in about["items"] if len(one["text"]) < 400 and not any(secret[:8] in one["text"] for secret in SECRETS)]
    items = plain[:: max(1, len(plain) // MOST)][:MOST]
    ids = [one.get("id") for one in items]
    if source == "notes":
        items = []
        for folder_, _, names in os.walk(f"{folder}/notes"):
            for number, note in enumerate(sorted(names)[:10]):
                text = open(f"{folder_}/{note}", encoding="utf-8").read()
                if len(text) < 3000 and not any(secret in text for secret in SECRETS):
                    os.makedirs(f"{into}/notes", exist_ok=True)
                    shutil.copy(f"{folder_}/{note}", f"{into}/notes/note-{number}.md")
                    items += [one for one in plain if f"[{one['category']}] {one['text']}" in text]
    elif source.endswith(".db"):
        table, column = ("observations", "'observation-' || id") if name == "claude-mem" else ("memories", "id")
        sql = dumped(f"{folder}/{source}", table, column, ids)
        open(f"{into}/{source}.sql", "w", encoding="utf-8").write(sql)
        ids = left(sql, table, column)
        items = [one for one in items if one["id"] in ids]
    elif source.endswith(".json"):
        found = json.load(open(f"{folder}/{source}"))["results"]
        json.dump({"results": [one for one in found if one["id"] in ids]}, open(f"{into}/{source}", "w"), ensure_ascii=False, indent=1)
    elif name == "graphiti-core":
        lines = [line for line in open(f"{folder}/{source}") if (one := json.loads(line))["uuid"] in ids or "summary" in one]
        open(f"{into}/{source}", "w").writelines(lines)
    else:
        lines = []
        for one in map(json.loads, open(f"{folder}/{source}")):
            if one["type"] == "entity":
                one["observations"] = [words for words in one["observations"] if f"{one['name']}\x1f{words}" in ids]
            elif "\x1f".join([one["from"], one["relationType"], one["to"], "relation"]) not in ids:
                continue
            lines.append(json.dumps(one, ensure_ascii=False))
        open(f"{into}/{source}", "w").write("\n".join(lines))
    json.dump({**{key: about[key] for key in ["peer", "version", "source"]}, "items": items}, open(f"{into}/peer.json", "w"),
              ensure_ascii=False, indent=1)


main(sys.argv[1], sys.argv[2])
