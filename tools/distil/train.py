"""Fit a static token table to all-MiniLM-L6-v2 on one GPU.

Begins with the teacher's vector of each token alone, projected to `dims`, SIF weighted;
then a fit with a cosine loss to the teacher's sentence vectors, similarity distillation in
batches of alike texts, question <-> statement pairs and sentence <-> chunk pairs.
Every result is measured as int8 rows, the way it is shipped.
"""
import argparse
import gzip
import json
import lzma
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from evaluate import load_bench, recall

DEV = "cuda"
BLOCK = 512  # pairs of one block of pairs.py
UNK = 100  # [UNK]: counts for nothing
MIX = {"d": 0.16, "w": 0.2, "p": 0.24, "h": 0.06, "c": 0.04, "chunk": 0.2, "pair": 0.1}  # of a batch
SHIPPED = [{"name": "quipu-static-2", "cos": 0.5, "kl": 0.5, "lex": 0.05, "pair": 0.3, "ict": 0.2, "pull": 0.05, "turn": 0.4}]
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


def load_teacher(folder):
    config = BertConfig.from_json_file(os.path.join(folder, "config.json"))
    model = BertModel(config, add_pooling_layer=False)
    state = {k.removeprefix("bert."): v for k, v in load_file(os.path.join(folder, "teacher-fp16.safetensors")).items()}
    missing, _ = model.load_state_dict(state, strict=False)
    assert not [m for m in missing if "position_ids" not in m], missing
    return model.half().to(DEV).eval()


@torch.no_grad()
def teach(model, data, window=254, budget=160_000):
    """Teacher vectors (float16, normalised) of all units; long ones as the mean of their windows."""
    parts = torch.div(data.len + window - 1, window, rounding_mode="floor").clamp(min=1)
    owner = torch.repeat_interleave(torch.arange(len(parts), device=DEV), parts)
    first = torch.cumsum(parts, 0) - parts
    nth = torch.arange(len(owner), device=DEV) - first[owner]
    lo = data.start[owner] + data.len[owner] * nth // parts[owner]
    hi = data.start[owner] + data.len[owner] * (nth + 1) // parts[owner]
    lens = hi - lo
    order = torch.argsort(lens)
    out = torch.zeros(len(data.len), 384, device=DEV)
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
        ids[:, 0] = 101
        ids.scatter_(1, (lens[sel] + 1)[:, None], 102)
        full = torch.arange(width + 2, device=DEV)[None] < (lens[sel] + 2)[:, None]
        hidden = model(input_ids=ids, attention_mask=full.long()).last_hidden_state
        vec = (hidden * full[..., None]).sum(1, dtype=torch.float32) / full.sum(1, keepdim=True)
        out.index_add_(0, owner[sel], F.normalize(vec) * lens[sel][:, None].clamp(min=1).float())
        at += n
    return F.normalize(out).half()


def build(args, tok):
    """Tokenise rows and pairs; make chunk spans. Returns data and index ranges by kind."""
    kinds, groups, texts = [], [], []
    with open_text(args.corpus) as lines:
        for line in lines:
            kind, group, text = line.rstrip("\n").split("\t", 2)
            kinds.append(kind)
            groups.append(group)
            texts.append(text)
    rows = len(texts)
    blocks = []
    with open_text(args.pairs) as lines:
        for line in lines:
            block, question, statement = line.rstrip("\n").split("\t", 2)
            blocks.append(int(block))
            texts += [question, statement]
    log("texts", len(texts), "pairs", len(blocks))
    ids, lens = [], []
    for at in range(0, len(texts), 100_000):
        for code in tok.encode_batch_fast(texts[at : at + 100_000], add_special_tokens=False):
            ids.append(np.asarray(code.ids[:700], np.int32))
            lens.append(len(ids[-1]))
    flat = np.concatenate(ids)
    lens = np.asarray(lens)
    log("tokens", len(flat))
    end = np.cumsum(lens)
    start = end - lens
    kinds = np.asarray(kinds)
    # chunks: runs of rows of one group, of a random size
    rng = np.random.default_rng(3)
    group_id = np.unique(np.asarray(groups), return_inverse=True)[1]
    edge = np.flatnonzero(np.r_[True, group_id[1:] != group_id[:-1], True])
    cs, ce, members = [], [], []
    for a, b in zip(edge[:-1], edge[1:]):
        if b - a < 2 or kinds[a] == "w":
            continue
        for _ in range(args.passes):
            i = a
            while i < b:
                want = rng.integers(20, 120) if kinds[a] == "d" else int(np.exp(rng.uniform(np.log(60), np.log(650))))
                j = i + 1
                while j < b and end[j] - start[i] <= want:
                    j += 1
                if j - i > 1:
                    cs.append(start[i])
                    ce.append(end[j - 1])
                    members.append((i, j))
                i = j
    log("chunks", len(cs), "mean tokens", float(np.mean(np.asarray(ce) - np.asarray(cs))))
    all_start = torch.tensor(np.r_[start, cs], device=DEV)
    all_end = torch.tensor(np.r_[end, ce], device=DEV)
    data = Ragged(torch.tensor(flat, device=DEV), all_start, all_end)
    ok = lens > 0
    by = {k: torch.tensor(np.flatnonzero((kinds == k) & ok[:rows] & ((lens[:rows] > 2) | (k != "h"))), device=DEV) for k in "dwhpc"}
    n = len(texts)
    by["chunk"] = torch.arange(n, n + len(cs), device=DEV)
    by["pair"] = torch.tensor(np.arange(rows, n)[ok[rows:]], device=DEV)
    pairs = torch.arange(rows, n, device=DEV).view(-1, 2)
    return data, by, pairs, torch.tensor(np.asarray(members), device=DEV), np.bincount(flat, minlength=tok.get_vocab_size())


def quantise(table):
    scale = table.abs().amax(1) / 127
    q = torch.round(table / scale.clamp(min=1e-12)[:, None]).clamp(-127, 127)
    return q, scale


class Bench:
    def __init__(self, folder, tok):
        self.sets = []
        for name in sorted(os.listdir(folder)):
            corpus, questions, texts = load_bench(os.path.join(folder, name))
            texts = texts + [q["question"] for q in questions]
            codes = [np.asarray(c.ids, np.int32) for c in tok.encode_batch_fast(texts, add_special_tokens=False)]
            lens = np.asarray([len(c) for c in codes])
            end = np.cumsum(lens)
            data = Ragged(torch.tensor(np.concatenate(codes), device=DEV), torch.tensor(end - lens, device=DEV), torch.tensor(end, device=DEV))
            self.sets.append((name, corpus, questions, data))

    def score(self, label, encode):
        result = {}
        for name, corpus, questions, data in self.sets:
            vectors = encode(data).float().cpu().numpy()
            result[name] = recall(corpus, questions, vectors[: len(corpus)], vectors[len(corpus) :])
        log(label, json.dumps(result))
        return result

    def table(self, label, table):
        q, scale = quantise(table)
        deq = q * scale[:, None]

        def encode(data, place=None):
            ids, offsets, lens = data.gather(torch.arange(len(data.len), device=DEV))
            weight = None
            if place:
                weight = 1 / (1 + (torch.arange(len(ids), device=DEV) - torch.repeat_interleave(offsets, lens)) / place)
            return F.normalize(F.embedding_bag(ids.long(), deq, offsets, mode="sum", per_sample_weights=weight))

        result = self.score(label, encode)
        self.score(label + ", weights 1/(1+i/64)", lambda data: encode(data, 64))
        return result


def clusters(vectors, k=1024, rounds=8):
    centre = vectors[torch.randperm(len(vectors), device=DEV)[:k]].float()
    for _ in range(rounds):
        label = torch.cat([(part.float() @ centre.T).argmax(1) for part in vectors.split(200_000)])
        centre = torch.zeros_like(centre).index_add_(0, label, vectors.float())
        centre = F.normalize(centre)
    order = torch.argsort(label)
    count = torch.bincount(label, minlength=k)
    return order, torch.cumsum(count, 0) - count, count


def fit(name, table, init, data, by, pairs, members, teacher, target, close, steps=5000, lr=2e-3,
        cos=1.0, kl=0.0, lex=0.0, pair=0.0, ict=0.0, pull=0.02, turn=0.0, hard=0.5, sharp=0.05, seed=0):
    """Adam over the table; the weights of the losses:

    cos  student against projected teacher vector, texts of all kinds
    kl   in-batch similarities against the teacher's, in batches of alike texts
    lex  a random 30 % of a text's tokens must find the text among alike ones
    pair generated question must find its statement (half teacher, half known partner)
    ict  a row of a document must find the chunk it was (mostly) taken out of
    pull, turn  distance of a row, and of its direction alone, from where it began
    """
    torch.manual_seed(seed)
    E = table.clone().requires_grad_(True)
    temp = torch.tensor(np.log(1 / 0.05), device=DEV, dtype=torch.float32, requires_grad=True)
    opt = torch.optim.Adam([{"params": [E], "lr": lr}, {"params": [temp], "lr": 1e-3}], betas=(0.9, 0.99), fused=True)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * s / steps))))
    norm0, unit0 = init.norm(dim=1).mean(), F.normalize(init)
    order, first, count = close
    filled = torch.nonzero(count)[:, 0]

    def sums(idx, keep=None):
        ids, offsets, _ = data.gather(idx, 700)
        weight = None if keep is None else (torch.rand(len(ids), device=DEV) < keep).float()
        return F.embedding_bag(ids.long(), E, offsets, mode="sum", per_sample_weights=weight, padding_idx=UNK), ids

    def partner(a, b, ta, tb):
        """The student's choice of b for each a against the teacher's, mixed with the known partner."""
        want = F.softmax(ta.float() @ tb.float().T / sharp, 1)
        want = (1 - hard) * want + hard * torch.eye(len(a), device=DEV)
        got = F.log_softmax(F.normalize(a) @ F.normalize(b).T * temp.exp(), 1)
        return (torch.special.xlogy(want, want) - want * got).sum(1).mean()

    for step in range(steps):
        losses = {}
        idx = torch.cat([by[k][torch.randint(len(by[k]), (int(4096 * share),), device=DEV)] for k, share in MIX.items()])
        raw, ids = sums(idx)
        losses["cos"] = cos * (1 - F.cosine_similarity(raw, target[idx].float())).mean()
        seen = ids[torch.randint(len(ids), (20_000,), device=DEV)].long().unique()
        losses["pull"] = pull * ((E[seen] - init[seen]) ** 2).sum(1).mean() / norm0**2
        if turn:
            losses["turn"] = turn * ((F.normalize(E[seen]) - unit0[seen]) ** 2).sum(1).mean()
        if kl or lex:
            chosen = filled[torch.randint(len(filled), (8,), device=DEV)].repeat_interleave(192)
            near = order[first[chosen] + (torch.rand(len(chosen), device=DEV) * count[chosen]).long()]
            near = torch.cat([near, idx[torch.randint(len(idx), (512,), device=DEV)]]).unique()
            vec, t = F.normalize(sums(near)[0]), teacher[near].float()
            self_ = torch.eye(len(near), device=DEV, dtype=torch.bool)
            want = F.softmax((t @ t.T / sharp).masked_fill(self_, -1e4), 1)
            got = F.log_softmax((vec @ vec.T * temp.exp()).masked_fill(self_, -1e4), 1)
            losses["kl"] = kl * (torch.special.xlogy(want, want) - want * got).sum(1).mean()
            if lex:
                few = F.normalize(sums(near, keep=0.3)[0])
                losses["lex"] = lex * F.cross_entropy(few @ vec.T * temp.exp(), torch.arange(len(near), device=DEV))
        if pair:
            at = torch.randint(len(pairs) // BLOCK, (1,)).item() * BLOCK
            q, s = pairs[at : at + BLOCK].T
            losses["pair"] = pair * partner(sums(q)[0], sums(s)[0], teacher[q], teacher[s])
        if ict:
            pick = torch.randint(len(members), (BLOCK,), device=DEV)
            span, whole = members[pick], by["chunk"][pick]
            row = span[:, 0] + (torch.rand(len(pick), device=DEV) * (span[:, 1] - span[:, 0])).long()
            a, b = sums(row)[0], sums(whole)[0]
            gone = (torch.rand(len(pick), 1, device=DEV) < 0.7).float()
            losses["ict"] = ict * partner(a, b - gone * a, teacher[row], teacher[whole])
        opt.zero_grad(set_to_none=True)
        sum(losses.values()).backward()
        opt.step()
        sched.step()
        if step % 1000 == 0 or step == steps - 1:
            log(name, step, {k: round(v.item(), 4) for k, v in losses.items()}, f"temp {temp.exp().item():.1f}")
    return E.detach()


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--teacher", required=True, help="folder with teacher-fp16.safetensors, config.json, tokenizer.json")
    args.add_argument("--corpus", required=True)
    args.add_argument("--pairs", required=True)
    args.add_argument("--bench", help="folder of benchmark folders, to measure only")
    args.add_argument("--dims", type=int, default=256)
    args.add_argument("--passes", type=int, default=2, help="chunk passes over the corpus")
    args.add_argument("--recipes", default=json.dumps(SHIPPED), help="JSON list of {name, from, save, and arguments of fit}")
    args.add_argument("--out", required=True)
    args = args.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    tok = Tokenizer.from_file(os.path.join(args.teacher, "tokenizer.json"))
    tok.no_padding()
    tok.no_truncation()
    bench = Bench(args.bench, tok) if args.bench else None
    model = load_teacher(args.teacher)
    log("loaded")
    if bench:
        bench.score("teacher, windows of 254", lambda data: teach(model, data))
        bench.score("teacher, first 254", lambda data: teach(model, Ragged(data.flat, data.start, data.start + data.len.clamp(max=254))))
    data, by, pairs, members, counts = build(args, tok)
    log({k: len(v) for k, v in by.items()})
    teacher = teach(model, data)
    log("taught", tuple(teacher.shape))
    # projection: the leading directions of the teacher's sentence vectors (no centring: cosine stays cosine)
    sample = teacher[torch.randperm(len(teacher), device=DEV)[:400_000]].float()
    value, vector = torch.linalg.eigh(sample.T @ sample)
    project = vector[:, -args.dims :].flip(1)
    log("kept energy", float(value[-args.dims :].sum() / value.sum()))
    target = F.normalize(torch.cat([part.float() @ project for part in teacher.split(200_000)])).half()
    vocab = tok.get_vocab_size()
    every = torch.arange(vocab, device=DEV, dtype=torch.int32)
    single = teach(model, Ragged(every, every.long(), every.long() + 1)).float() @ project
    p = torch.tensor(counts / counts.sum(), device=DEV, dtype=torch.float32)
    special = [i for t, i in tok.get_vocab().items() if t.startswith("[") and t.endswith("]") and len(t) > 2]
    keep = torch.ones(vocab, 1, device=DEV)
    keep[special] = 0
    raw = single * keep
    init = F.normalize(single) * keep * (1e-3 / (1e-3 + p))[:, None]
    tables = {"init": init}
    results = {}
    if bench:
        bench.table("token vectors, no weights", raw)
        results["init"] = bench.table("init (SIF)", init)
    close = clusters(teacher)
    log("clustered")
    for recipe in json.loads(args.recipes):
        name, base = recipe.pop("name"), recipe.pop("from", "init")
        save = recipe.pop("save", True)
        began = time.time()
        table = fit(name, tables[base], init, data, by, pairs, members, teacher, target, close, **recipe) * keep
        tables[name] = table
        log(name, f"took {time.time() - began:.0f} s")
        if bench:
            results[name] = bench.table(name, table)
        if save:
            q, scale = quantise(table)
            np.savez_compressed(os.path.join(args.out, f"{name}.npz"), rows=q.to(torch.int8).cpu().numpy(), scales=scale.cpu().numpy())
        with open(os.path.join(args.out, "results.json"), "w", encoding="utf-8") as handle:
            json.dump(results, handle, indent=1)


if __name__ == "__main__":
    main()
