"""Graphiti: what its own models write with `model_dump_json`; it has no export of a file."""
import importlib.metadata
import json
import os
import sys
import uuid
from datetime import datetime, timedelta, timezone

FOLDER = os.path.abspath(sys.argv[2])

from graphiti_core.edges import EntityEdge  # noqa: E402
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode  # noqa: E402

from made import Made  # noqa: E402


def main(what, seed):
    made = Made(f"graphiti {seed}")
    r = made.random

    def time():
        return datetime.fromtimestamp(made.second(), timezone.utc)

    def name():
        # The same on both runs, as it is where somebody edits what is there.
        return str(uuid.UUID(int=r.getrandbits(128)))

    nodes = [EntityNode(uuid=name(), name=f"{made.name()} {n}", group_id="g", created_at=time(), summary="") for n in range(30)]
    made_all, items = [], []
    for number in range(150):
        start = time()
        ended = start + timedelta(days=r.randint(1, 900)) if r.random() < 0.3 else None
        expired = ended + timedelta(days=1) if ended and r.random() < 0.5 else None
        a, b = r.choice(nodes), r.choice(nodes)
        edge = EntityEdge(uuid=name(), group_id="g", source_node_uuid=a.uuid, target_node_uuid=b.uuid, created_at=time(), name="KNOWS",
                          fact=made.text(), episodes=[], expired_at=expired, valid_at=start, invalid_at=ended)
        made_all.append(edge)
        one = {"id": edge.uuid, "text": edge.fact, "valid_from": edge.valid_at.isoformat(), "type": "fact", "layer": "semantic"}
        if ended:
            one["valid_to"] = ended.isoformat()
        one["status"] = "superseded" if expired else "active"
        items.append(one)
    for number in range(100):
        kind = r.choice([EpisodeType.message, EpisodeType.text])
        words, speaker = made.text().replace("\n", " "), made.name()
        episode = EpisodicNode(uuid=name(), name=f"episode {number}", group_id="g", created_at=time(), source=kind, source_description="slack",
                               content=f"{speaker}: {words}" if kind == EpisodeType.message else words, valid_at=time())
        made_all.append(episode)
        one = {"id": episode.uuid, "text": words, "time": episode.valid_at.isoformat()}
        items.append({**one, **({"speaker": speaker} if kind == EpisodeType.message else {})})
    if what == "edit":
        for at in made.some(range(150), 10):
            made_all[at].fact = items[at]["text"] = made.text()
    with open(f"{FOLDER}/graph.jsonl", "w") as out:
        for one in [*nodes, *made_all]:
            out.write(one.model_dump_json() + "\n")
    about = {"peer": "graphiti-core", "version": importlib.metadata.version("graphiti-core"), "source": "graph.jsonl"}
    json.dump({**about, "options": ["--with-chats"], "items": items, "edits": {"new": 0, "changed": 10}}, open(f"{FOLDER}/peer.json", "w"))


main(sys.argv[1], sys.argv[3])
