"""The limit that a Python helper cannot beat: read the same files and count the references.

Run in a workspace. It does none of the checks; it merely reads what lint reads and counts.
"""
import glob
import re

HEADING = re.compile(r"(?m)^## +Memory References[ \t]*$")
ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")

uses = {}
for folder in ("memory", "memory/archive", "memory/sessions"):
    for path in sorted(glob.glob(folder + "/*.md")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        heading = HEADING.search(text)
        if heading and folder.endswith("sessions"):
            for fact in set(ID.findall(text[heading.end():])):
                uses[fact] = uses.get(fact, 0) + 1
print(len(uses))
