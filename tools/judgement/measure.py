#!/usr/bin/env python3
"""Measures what a built `quipu` decides, from the outside, on the labelled sets.

    tools/judgement/measure.py path/to/quipu [--half dev|test] [--only uses,asks,…] [--show]

Prints one line for each goal: what it is, the share, and the counts. `--show` also prints what is wrong,
which is for the dev half only. Needs Python alone; each case gets a folder and a home of its own.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import tempfile

SETS = os.path.join(os.path.dirname(__file__), "../../crates/quipu-testkit/judgement")
EARLIER, LATER, ASKED = "2026-11-10T10:00:00Z", "2026-11-18T10:00:00Z", "2026-11-19T12:00:00Z"


class Place:
    """Folders that are gone afterwards, and the program that is measured."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.root = tempfile.mkdtemp()
        self.count = 0
        self.empty = os.path.join(self.root, "empty")
        os.makedirs(self.empty)
        self.run(self.empty, "init")

    def run(self, folder, *arguments, text=None):
        names = ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
        home = {name: os.path.join(self.root, name) for name in names}
        done = subprocess.run([self.program, "-C", folder, *arguments], input=text,
                              capture_output=True, text=True, env={**os.environ, **home})
        return done.returncode, done.stdout, done.stderr

    def json(self, folder, *arguments):
        code, out, error = self.run(folder, *arguments, "--json")
        if not out:
            raise SystemExit(f"{arguments}: {code} {error}")
        return json.loads(out)

    def folder(self):
        self.count += 1
        folder = os.path.join(self.root, f"w{self.count}")
        shutil.copytree(self.empty, folder)
        return folder

    def facts(self, facts):
        folder = self.folder()
        path = os.path.join(folder, "memory/continuity.md")
        with open(path, encoding="utf-8") as file:
            before, heading, after = file.read().partition("## Conventions")
        for name, text in facts:
            before += (f"- {text}\n  <!-- id: {name} | created: 2026-11-10 | last_used: 2026-11-10"
                       " | uses: 1 | tier: working -->\n")
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + "\n" + heading + after)
        return folder


def lines(name):
    with open(os.path.join(SETS, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def table(name):
    with open(os.path.join(SETS, name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


class Score:
    """What is counted, and what is shown."""

    def __init__(self, name, show):
        self.name, self.show = name, show
        self.counts = collections.Counter()

    def note(self, *words):
        if self.show:
            print("   ", *words, sep=" | ")

    def share(self, what, part, whole, goal):
        part, whole = self.counts[part], self.counts[whole]
        share = part / whole if whole else 0
        print(f"{self.name}: {what} {share:.3f} ({part} of {whole}), goal {goal}", flush=True)


def contradictions(place, half, show, name):
    score = Score(name, show)
    count = score.counts
    for case in lines(f"{name}.{half}.jsonl"):
        folder = place.facts((f"f{at}", text) for at, text in enumerate(case["existing"]))
        answer = place.json(folder, "fact", "add", case["new"], "--dry-run")
        stops = [one["id"] for one in answer.get("candidates", [])]
        near = [one["id"] for one in answer.get("nearest", [])]
        partner = f"f{case.get('with')}"
        is_wrong = case["label"] in ("conflict", "update")
        count["cases"] += 1
        count["stops"] += bool(stops)
        count["right"] += is_wrong and partner in stops
        count["wrong"] += is_wrong
        count["shown"] += is_wrong and partner in stops + near
        count["unrelated"] += case["label"] == "unrelated"
        count["noise"] += case["label"] == "unrelated" and bool(near)
        if is_wrong != (partner in stops) or bool(stops) > is_wrong:
            older = case["existing"][case["with"]] if "with" in case else case["existing"]
            score.note(case["label"], older, case["new"], answer.get("candidates"))
        shutil.rmtree(folder)
    score.share("stops that are right", "right", "stops", "≥ 0.85")
    score.share("conflicts that stop", "right", "wrong", "≥ 0.75")
    score.share("conflicts that stop or are shown", "shown", "wrong", "≥ 0.95")
    score.share("unrelated writes that show anything", "noise", "unrelated", "≤ 0.2")


def updates(place, half, show):
    score = Score("updates", show)

    def is_noticed(older, newer):
        folder = place.folder()
        place.run(folder, "remember", older, "--now", EARLIER)
        answer = place.json(folder, "remember", newer, "--now", LATER)
        shutil.rmtree(folder)
        found = [one["relation"] for one in answer["nearest"]]
        return bool(answer["contradicts"]) or "update" in found or "conflict" in found

    for case in lines(f"fresh-updates.{half}.jsonl"):
        noticed = is_noticed(case["old"], case["new"])
        score.counts["updates"] += 1
        score.counts["noticed"] += noticed
        if not noticed:
            score.note("missed", case["old"], case["new"])
    for case in lines(f"fresh-contradictions.{half}.jsonl"):
        if case["label"] == "compatible":
            noticed = is_noticed(case["existing"][case["with"]], case["new"])
            score.counts["others"] += 1
            score.counts["false"] += noticed
            if noticed:
                score.note("false", case["existing"][case["with"]], case["new"])
    score.share("noticed", "noticed", "updates", "≥ 0.8")
    score.share("false", "false", "others", "≤ 0.1")


def siblings(place, _half, show):
    score = Score("siblings", show)
    for case in lines("fresh-siblings.jsonl"):
        folder = place.folder()
        place.run(folder, "remember", case["older"], "--now", EARLIER)
        place.run(folder, "remember", case["newer"], "--now", LATER)
        for dreams in (False, True):
            if dreams:
                place.run(folder, "dream", "--now", "2026-11-19T03:00:00Z")
            for count in ("1", "2", "10"):
                for which in ("older", "newer"):
                    answer = place.json(folder, "recall", case[f"ask_{which}"], "-k", count, "--now", ASKED)
                    first = answer["results"][0]["text"] if answer["results"] else ""
                    score.counts["asked"] += 1
                    score.counts["confused"] += first != case[which]
                    if first != case[which]:
                        score.note(case[f"ask_{which}"], count, first)
        shutil.rmtree(folder)
    score.share("confused, before and after a dream, at any -k", "confused", "asked", "0")


def confidence(place, half, show, name, now):
    score = Score(name, show)
    count = score.counts
    rows = table(f"{name}.memories.tsv")
    folder = place.folder()
    batch = [json.dumps({"text": text, "category": category, "time": f"{day}T09:00:00Z"})
             for _, day, category, text in rows]
    path = os.path.join(place.root, "batch.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(batch) + "\n")
    place.json(folder, "remember", "--batch", path, "--now", now)
    names = {text: number for number, _, _, text in rows}
    for row in table(f"{name}.{half}.tsv"):
        sort, question, answers, _ = (row + [""] * 3)[:4]
        answers = [one for one in answers.split(",") if one]
        answer = place.json(folder, "recall", question, "--now", now)
        first = answer["results"][0]["text"] if answer["results"] else ""
        said, right = answer["confidence"], names.get(first) in answers
        count["sure"] += said == "sure"
        count["sure right"] += said == "sure" and right
        if answers:
            count["answerable"] += 1
            count["answerable sure"] += said == "sure"
            count["denied"] += said == "none"
            count["first"] += right
            count["current"] += sort == "current"
            count["current first"] += sort == "current" and right
        else:
            count["unanswerable"] += 1
            count["admitted"] += said == "none"
        if right < bool(answers) or (said == "none") == bool(answers):
            score.note(said, question, first)
    shutil.rmtree(folder)
    score.share("unanswerable, `none`", "admitted", "unanswerable", "≥ 0.9")
    score.share("answerable, `none`", "denied", "answerable", "≤ 0.05")
    score.share("answerable, `sure`", "answerable sure", "answerable", "≥ 0.6")
    score.share("`sure` of all questions, right", "sure right", "sure", "≥ 0.95")
    score.share("current value first", "current first", "current", "≥ 0.9")
    score.share("right answer first", "first", "answerable", "-")


WRITES = ("edit", "write", "patch", "replace", "create")


def told(turn):
    """Returns a turn as Claude Code writes it into its transcript."""
    def agent(part):
        return [{"type": "assistant", "message": {"role": "assistant", "content": [part]}}]

    def result(text):
        return [{"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "content": text}]}}]

    text = turn.get("text", "")
    if turn["role"] == "user":
        return [{"type": "user", "message": {"role": "user", "content": text}}]
    if turn["role"] == "assistant":
        return agent({"type": "text", "text": text})
    if turn.get("path") and any(verb in turn.get("name", "").lower() for verb in WRITES):
        return agent({"type": "tool_use", "name": "Write",
                      "input": {"file_path": turn["path"], "content": text}})
    if turn.get("path"):
        return agent({"type": "tool_use", "name": "Read",
                      "input": {"file_path": turn["path"]}}) + result(text)
    ran = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    command = turn.get("command") or "\n".join(ran)
    returned = "\n".join(line for line in text.splitlines() if not line.startswith("$ "))
    return agent({"type": "tool_use", "name": "Bash", "input": {"command": command}}) + result(returned)


def session(place, folder, turns, name):
    """Plays a whole session to the hooks of Claude Code."""
    path = os.path.join(place.root, f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for turn in turns:
            for line in told(turn):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    for event in ("SessionStart", "Stop", "SessionEnd"):
        payload = {"session_id": name, "transcript_path": path, "cwd": folder,
                   "hook_event_name": event, "source": "startup"}
        place.run(folder, "hook", "claude-code", event, text=json.dumps(payload))


def references(folder):
    """Returns the ids that the session logs of a folder name as used."""
    used, at = set(), os.path.join(folder, "memory/sessions")
    for name in sorted(os.listdir(at)) if os.path.isdir(at) else []:
        with open(os.path.join(at, name), encoding="utf-8") as file:
            _, _, rest = file.read().partition("## Memory References")
        for line in rest.splitlines():
            if line.lower().lstrip("-* ").replace("*", "").startswith(("referenced", "used")):
                used |= {word.strip(" `[],*") for word in line.partition(":")[2].split(",")}
    return used


def uses(place, half, show, name):
    score = Score(name, show)
    for number, case in enumerate(lines(f"{name}.{half}.jsonl")):
        folder = place.facts((fact["id"], fact["text"]) for fact in case["facts"])
        session(place, folder, case["turns"], f"s{number}")
        ids = {fact["id"] for fact in case["facts"]}
        used, unsure = set(case["used"]), set(case.get("borderline", []))
        found = (references(folder) & ids) - unsure
        score.counts["found"] += len(found)
        score.counts["used"] += len(used - unsure)
        score.counts["right"] += len(found & used)
        if found != used - unsure:
            score.note(case["id"], "wrong", sorted(found - used), "missed", sorted(used - unsure - found))
        shutil.rmtree(folder)
    score.share("counted uses that are right", "right", "found", "≥ 0.9")
    score.share("uses that are counted", "right", "used", "≥ 0.8")


def plain(text):
    return "".join(one for one in text.lower() if one.isalnum())


def are_alike(one, other):
    short, long = sorted((plain(one), plain(other)), key=len)
    return short in long and len(short) * 10 >= len(long) * 4


def asks(place, half, show, name):
    score = Score(name, show)
    for number, case in enumerate(lines(f"{name}.{half}.jsonl")):
        folder = place.folder()
        answer = "I had a look and changed what was needed; the details are in the files."
        turns = [{"role": "user", "text": case["text"]}, {"role": "assistant", "text": answer}]
        session(place, folder, turns, f"a{number}")
        records = place.json(folder, "journal", "list")["records"]
        kept = [one["text"] for one in records if one["category"] != "session"]
        right = [one for one in kept if any(are_alike(one, wanted) for wanted in case["remember"])]
        found = [one for one in case["remember"] if any(are_alike(one, text) for text in kept)]
        score.counts["kept"] += len(kept)
        score.counts["kept right"] += len(right)
        score.counts["wanted"] += len(case["remember"])
        score.counts["found"] += len(found)
        if len(right) < len(kept) or len(found) < len(case["remember"]):
            score.note(case["text"], "kept", kept, "wanted", case["remember"])
        shutil.rmtree(folder)
    score.share("kept as asked", "kept right", "kept", "-")
    score.share("asked and kept", "found", "wanted", "-")


MEASURES = {
    "contradictions": lambda *a: [contradictions(*a, name) for name in ("contradictions", "fresh-contradictions")],
    "updates": updates,
    "siblings": siblings,
    "confidence": lambda *a: [confidence(*a, "project", ASKED),
                              confidence(*a, "fresh-shop", "2026-09-14T12:00:00Z")],
    "uses": lambda *a: [uses(*a, name) for name in ("transcripts", "fresh-transcripts")],
    "asks": lambda *a: [asks(*a, name) for name in ("asks", "fresh-asks")],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the quipu to measure")
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--only", default=",".join(MEASURES), help="names, with commas between them")
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    arguments = parser.parse_args()
    place = Place(arguments.program)
    try:
        for name in arguments.only.split(","):
            MEASURES[name](place, arguments.half, arguments.show)
    finally:
        shutil.rmtree(place.root)


if __name__ == "__main__":
    main()
