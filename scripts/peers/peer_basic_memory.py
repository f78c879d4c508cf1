"""basic-memory: notes as its own tool writes them; the counts are those of its own database."""
import asyncio
import importlib.metadata
import json
import os
import re
import subprocess
import sys

FOLDER = os.path.abspath(sys.argv[2])
os.environ.update(HOME=FOLDER, BASIC_MEMORY_HOME=f"{FOLDER}/usual", BASIC_MEMORY_CONFIG_DIR=f"{FOLDER}/config",
                  BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="false", BASIC_MEMORY_SYNC_CHANGES="false")

from made import Made  # noqa: E402


def note(made, titles):
    r = made.random
    body, items = [], []
    for _ in range(r.randint(1, 5)):
        words = re.sub(r"\s+", " ", re.sub(r"[#\[\]()`|<>*]", "", made.text()[:400])).strip()
        category, tags = r.choice(["decision", "fact", "two words", "idée"]), [t.replace("è", "e") for t in made.tags()]
        context = f"told by {made.name()}" if r.random() < 0.3 else None
        body.append(f"- [{category}] {words}" + "".join(f" #{tag}" for tag in tags) + (f" ({context})" if context else ""))
        items.append({"text": words, "category": category, "tags": tags})
    if titles and r.random() < 0.5:
        body.append(f"- leads to [[{r.choice(titles)}]]")
    return "\n".join(body), items


async def main(what, seed):
    from basic_memory.mcp.tools import write_note
    made = Made(f"basic-memory {what} {seed}")
    write = getattr(write_note, "fn", write_note)
    path = f"{FOLDER}/items.json"
    all_items = json.load(open(path)) if os.path.exists(path) else {}
    new = 0
    if what == "make":
        program = os.path.join(os.path.dirname(sys.executable), "basic-memory")
        subprocess.run([program, "project", "add", "seed", f"{FOLDER}/notes"], capture_output=True)
        for number in range(70):
            title = f"Note {number} of {made.name()}"
            body, items = note(made, list(all_items))
            await write(title=title, content=f"# {title}\n\n{body}\n", directory="notes", project="seed")
            all_items[title] = items
    elif what == "edit":
        for title in made.some(list(all_items), 10):
            body, items = note(made, [])
            await write(title=title, content=f"# {title}\n\n{body}\n", directory="notes", project="seed", overwrite=True)
            all_items[title] = items
            new += len(items)
    json.dump(all_items, open(path, "w"))
    version = importlib.metadata.version("basic-memory")
    about = {"peer": "basic-memory", "version": version, "source": "notes", "edits": {"new": new, "changed": 0}}
    items = [one for all in all_items.values() for one in all]
    json.dump({**about, "items": items}, open(f"{FOLDER}/peer.json", "w"))


asyncio.run(main(sys.argv[1], sys.argv[3]))
