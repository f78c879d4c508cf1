"""The official MCP memory server, spoken to as clients do: lines of JSON-RPC."""
import json
import os
import subprocess
import sys

from made import Made

FOLDER = os.environ["PEER"]


class Server:
    def __init__(self, path):
        package = f"{FOLDER}/node_modules/@modelcontextprotocol/server-memory"
        self.version = json.load(open(f"{package}/package.json"))["version"]
        self.process = subprocess.Popen(["node", f"{package}/dist/index.js"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "MEMORY_FILE_PATH": path})
        self.count = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.count += 1
        self.say({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.count:
                assert "error" not in answer, answer
                return answer["result"]

    def call(self, tool, **arguments):
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"]) if tool == "read_graph" else None

    def graph(self):
        return self.call("read_graph")

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def expected(graph):
    """What each observation and relation is to become."""
    items = []
    for entity in graph["entities"]:
        seen = {}
        for words in entity["observations"]:
            seen[words] = seen.get(words, 0) + 1
            name = entity["name"]
            text = words if name.lower() in words.lower() else f"{name}: {words}"
            key = [name, words] + ([str(seen[words])] if seen[words] > 1 else [])
            items.append({"id": "\x1f".join(key), "text": text, "type": "fact", "layer": "semantic", "source": "ai"})
    for one in graph["relations"]:
        text = f"{one['from']} {one['relationType'].replace('_', ' ')} {one['to']}"
        items.append({"id": "\x1f".join([one["from"], one["relationType"], one["to"], "relation"]), "text": text,
                      "category": "relation", "type": "fact", "layer": "semantic"})
    return items


def main(what, folder, seed):
    path = f"{folder}/memory.jsonl"
    made = Made(f"server-memory {what} {seed}")
    server = Server(path)
    if what == "make":
        names = [f"{made.name()} {n}" for n in range(60)]
        server.call("create_entities", entities=[
            {"name": name, "entityType": made.random.choice(["person", "two words", "Gerät"]),
             "observations": [made.text() for _ in range(made.random.randint(0, 8))]} for name in names])
        server.call("create_relations", relations=[
            {"from": made.random.choice(names), "to": made.random.choice([*names, "Nobody"]), "relationType": "works_with"}
            for _ in range(40)])
        server.call("delete_entities", entityNames=made.some(names, 5))
    elif what == "edit":
        graph = server.graph()
        full = [one for one in graph["entities"] if one["observations"]]
        for one in made.some(full, 10):
            server.call("delete_observations", deletions=[{"entityName": one["name"], "observations": one["observations"][:1]}])
            server.call("add_observations", observations=[{"entityName": one["name"], "contents": [made.text()]}])
    graph = server.graph()
    server.end()
    about = {"peer": "@modelcontextprotocol/server-memory", "version": server.version, "source": "memory.jsonl"}
    if what == "read":
        # What our own export became there: nothing but what it holds.
        json.dump(graph, sys.stdout)
        return
    # An observation has no id there: one that changed is another one.
    json.dump({**about, "edits": {"new": 10, "changed": 0}, "items": expected(graph)}, open(f"{folder}/peer.json", "w"))


main(sys.argv[1], sys.argv[2], sys.argv[3])
