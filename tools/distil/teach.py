"""Where the teachers put every text: token ids, spans and teacher vectors, written once for train.py.

Texts are the rows of collect.py, chunks of neighbouring rows, and the pairs of pairs.py.
"""
import argparse
import gzip
import lzma
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DEV = "cuda" if torch.cuda.is_available() else "cpu"
UNK, CLS, SEP = 100, 101, 102
LONGEST = 700  # pieces of a text that are looked at
START = time.time()


def log(*parts):
    print(f"[{time.time() - START:6.1f}]", *parts, flush=True)


def open_text(path):
    return (lzma if path.endswith(".xz") else gzip).open(path, "rt", encoding="utf-8")


class Ragged:
    """Token ids of many texts in one flat array; a unit is a span [start, end) of it."""

    def __init__(self, flat, start, end):
        self.flat, self.start, self.len = flat, start, end - start

    def gather(self, idx, limit=None):
        lens = self.len[idx] if limit is None else self.len[idx].clamp(max=limit)
        ends = torch.cumsum(lens, 0)
        offsets = ends - lens
        total = int(ends[-1])
        pos = torch.arange(total, device=DEV) + torch.repeat_interleave(self.start[idx] - offsets, lens, output_size=total)
        return self.flat[pos], offsets, lens


def tokenizer(folder):
    tok = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tok.no_padding()
    tok.no_truncation()
    return tok


def ragged(tok, texts):
    """Token ids of texts, and how many each has."""
    ids, lens = [], []
    for at in range(0, len(texts), 100_000):
        for code in tok.encode_batch_fast(texts[at : at + 100_000], add_special_tokens=False):
            ids.append(np.asarray(code.ids[:LONGEST], np.int32))
            lens.append(len(ids[-1]))
    return np.concatenate(ids), np.asarray(lens)


def load_teacher(folder):
    config = BertConfig.from_json_file(os.path.join(folder, "config.json"))
    model = BertModel(config, add_pooling_layer=False)
    state = {k.removeprefix("bert."): v for k, v in load_file(os.path.join(folder, "teacher-fp16.safetensors")).items()}
    missing, _ = model.load_state_dict(state, strict=False)
    assert not [m for m in missing if "position_ids" not in m], missing
    return (model.half() if DEV == "cuda" else model.float()).to(DEV).eval()


@torch.no_grad()
def teach(model, data, window, budget=160_000):
    """Teacher vectors (float16, normalised) of all units; long ones as the mean of their windows."""
    parts = torch.div(data.len + window - 1, window, rounding_mode="floor").clamp(min=1)
    owner = torch.repeat_interleave(torch.arange(len(parts), device=DEV), parts)
    first = torch.cumsum(parts, 0) - parts
    nth = torch.arange(len(owner), device=DEV) - first[owner]
    lo = data.start[owner] + data.len[owner] * nth // parts[owner]
    hi = data.start[owner] + data.len[owner] * (nth + 1) // parts[owner]
    lens = hi - lo
    order = torch.argsort(lens)
    out = torch.zeros(len(data.len), model.config.hidden_size, device=DEV)
    sizes = lens[order].cpu().numpy()
    at = 0
    while at < len(order):
        n = max(1, min(len(order) - at, budget // (int(sizes[at]) + 2), 8192))
        while n > 1 and n * (int(sizes[at + n - 1]) + 2) > budget:
            n = max(1, n * 3 // 4)
        sel = order[at : at + n]
        width = int(sizes[at + n - 1])
        grid = torch.arange(width, device=DEV)[None]
        mask = grid < lens[sel][:, None]
        ids = torch.where(mask, data.flat[(lo[sel][:, None] + grid).clamp(max=len(data.flat) - 1)].long(), 0)
        ids = F.pad(ids, (1, 1))
        ids[:, 0] = CLS
        ids.scatter_(1, (lens[sel] + 1)[:, None], SEP)
        full = torch.arange(width + 2, device=DEV)[None] < (lens[sel] + 2)[:, None]
        hidden = model(input_ids=ids, attention_mask=full.long()).last_hidden_state
        vec = (hidden * full[..., None]).sum(1, dtype=torch.float32) / full.sum(1, keepdim=True)
        out.index_add_(0, owner[sel], F.normalize(vec) * lens[sel][:, None].clamp(min=1).float())
        at += n
    return F.normalize(out).half()


def read_rows(path, limit):
    """Kind, group and text of every row; with a limit, of as many, taken as whole runs from all over."""
    with open_text(path) as lines:
        rows = [line.rstrip("\n").split("\t", 2) for line in lines]
    if limit and limit < len(rows):
        run = 50
        step = len(rows) // (limit // run)
        rows = [row for at in range(0, len(rows) - run, step) for row in rows[at : at + run]]
    return rows


def read_pairs(path, block, limit):
    with open_text(path) as lines:
        pairs = [tuple(line.rstrip("\n").split("\t", 2)[1:]) for line in lines]
    return pairs[: limit // block * block if limit else len(pairs)]


def chunks(rows, start, end, passes):
    """Spans of neighbouring rows of one group, of random sizes; and which rows each is made of."""
    rng = np.random.default_rng(3)
    kinds = np.asarray([row[0] for row in rows])
    group_id = np.unique(np.asarray([row[1] for row in rows]), return_inverse=True)[1]
    edge = np.flatnonzero(np.r_[True, group_id[1:] != group_id[:-1], True])
    spans, members = [], []
    for a, b in zip(edge[:-1], edge[1:]):
        if b - a < 2 or kinds[a] == "w":
            continue
        for _ in range(passes):
            i = a
            while i < b:
                want = rng.integers(20, 120) if kinds[a] == "d" else int(np.exp(rng.uniform(np.log(60), np.log(650))))
                j = i + 1
                while j < b and end[j] - start[i] <= want:
                    j += 1
                if j - i > 1:
                    spans.append((start[i], end[j - 1]))
                    members.append((i, j))
                i = j
    return np.asarray(spans), np.asarray(members)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--teacher", required=True, action="append", help="folder with teacher-fp16.safetensors, config.json, tokenizer.json; the first gives the tokens")
    args.add_argument("--window", type=int, action="append", help="pieces that each teacher reads at once (default 254)")
    args.add_argument("--corpus", required=True)
    args.add_argument("--pairs", required=True, action="append")
    args.add_argument("--block", type=int, default=512, help="pairs of one block of pairs.py")
    args.add_argument("--passes", type=int, default=2, help="chunk passes over the corpus")
    args.add_argument("--limit", type=int, default=0, help="about how many rows and pairs to use (all)")
    args.add_argument("--out", required=True)
    args = args.parse_args()
    tok = tokenizer(args.teacher[0])
    rows = read_rows(args.corpus, args.limit)
    sets = [read_pairs(path, args.block, args.limit) for path in args.pairs]
    texts = [row[2] for row in rows] + [side for pairs in sets for pair in pairs for side in pair]
    flat, lens = ragged(tok, texts)
    end = np.cumsum(lens)
    start = end - lens
    spans, members = chunks(rows, start, end, args.passes)
    log("texts", len(texts), "tokens", len(flat), "chunks", len(spans))
    data = Ragged(*(torch.tensor(part, device=DEV) for part in (flat, np.r_[start, spans[:, 0]], np.r_[end, spans[:, 1]])))
    kinds = np.asarray([row[0] for row in rows])
    by = {kind: torch.tensor(np.flatnonzero((kinds == kind) & (lens[: len(rows)] > (2 if kind == "h" else 0)))) for kind in "dwphc"}
    by["chunk"] = torch.arange(len(texts), len(texts) + len(spans))
    at, pairs = len(rows), []
    for made in sets:
        pairs.append(torch.arange(at, at + 2 * len(made)).reshape(-1, 2))
        at += 2 * len(made)
    counts = np.bincount(flat, minlength=tok.get_vocab_size())
    every = torch.arange(tok.get_vocab_size(), device=DEV, dtype=torch.int32)
    alone = Ragged(every, every.long(), every.long() + 1)
    vectors, single = [], []
    windows = (args.window or []) + [254] * len(args.teacher)
    for folder, window in zip(args.teacher, windows):
        model = load_teacher(folder)
        vectors.append(teach(model, data, window).cpu())
        single.append(teach(model, alone, window).cpu())
        log("taught by", os.path.basename(folder.rstrip("/")), tuple(vectors[-1].shape))
    torch.save({"flat": data.flat.cpu(), "start": data.start.cpu(), "end": (data.start + data.len).cpu(), "by": by,
                "pairs": pairs, "members": torch.tensor(members), "counts": torch.tensor(counts),
                "vectors": vectors, "single": single}, args.out)
    log("written")


if __name__ == "__main__":
    main()
