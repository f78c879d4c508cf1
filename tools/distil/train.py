"""Fit a static token table to the vectors of teach.py.

Begins with the teachers' vector of each token alone, projected to `dims`, SIF weighted;
then a fit with a cosine loss to the teachers' text vectors, similarity distillation in
batches of alike texts, question <-> statement pairs and sentence <-> chunk pairs.
Every result is measured as int8 rows, the way it is shipped.
"""
import argparse
import json
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from evaluate import FADING, load_bench, recall
from teach import DEV, LONGEST, UNK, Ragged, log, ragged, tokenizer

MIX = {"d": 0.16, "w": 0.2, "p": 0.24, "h": 0.06, "c": 0.04, "chunk": 0.2, "pair": 0.1}  # of a batch
SHIPPED = [{"name": "quipu-static-3", "teachers": [1, 0.5], "cos": 0.5, "kl": 0.5, "lex": 0.05, "pair": 0.3, "ict": 0.2, "pull": 0.05,
            "turn": 0.4, "prefix": 0.3, "coarse": 0.5}]


class Lessons:
    """What teach.py wrote, with the teachers' vectors side by side: the n-th counts `weights[n]`."""

    def __init__(self, cache, weights, which, dims, tok):
        self.data = Ragged(cache["flat"].to(DEV), cache["start"].to(DEV), cache["end"].to(DEV))
        self.by = {k: v.to(DEV) for k, v in cache["by"].items()}
        self.pairs = cache["pairs"][which].to(DEV)
        flat = self.pairs.flatten()
        self.by["pair"] = flat[self.data.len[flat] > 0]
        self.members = cache["members"].to(DEV)
        beside = lambda parts: F.normalize(torch.cat([w * p.to(DEV) for w, p in zip(weights, parts) if w], 1).float())
        self.teacher = beside(cache["vectors"]).half()
        # the leading directions of the teachers' text vectors (no centring: cosine stays cosine)
        sample = self.teacher[torch.randperm(len(self.teacher), device=DEV)[:400_000]].float()
        value, vector = torch.linalg.eigh(sample.T @ sample)
        project = vector[:, -dims:].flip(1)
        log("kept energy", float(value[-dims:].sum() / value.sum()))
        self.target = F.normalize(torch.cat([part.float() @ project for part in self.teacher.split(200_000)])).half()
        p = cache["counts"].to(DEV).float()
        p /= p.sum()
        special = [i for t, i in tok.get_vocab().items() if t.startswith("[") and t.endswith("]") and len(t) > 2]
        self.keep = torch.ones(len(p), 1, device=DEV)
        self.keep[special] = 0
        single = beside(cache["single"]) @ project
        self.raw = single * self.keep
        self.init = F.normalize(single) * self.keep * (1e-3 / (1e-3 + p))[:, None]
        self.close = clusters(self.teacher)


def clusters(vectors, k=1024, rounds=8):
    k = min(k, len(vectors) // 200 + 1)
    centre = vectors[torch.randperm(len(vectors), device=DEV)[:k]].float()
    for _ in range(rounds):
        label = torch.cat([(part.float() @ centre.T).argmax(1) for part in vectors.split(200_000)])
        centre = torch.zeros_like(centre).index_add_(0, label, vectors.float())
        centre = F.normalize(centre)
    order = torch.argsort(label)
    count = torch.bincount(label, minlength=k)
    return order, torch.cumsum(count, 0) - count, count


def quantise(table):
    scale = table.abs().amax(1) / 127
    q = torch.round(table / scale.clamp(min=1e-12)[:, None]).clamp(-127, 127)
    return q, scale


def two_bits(vectors):
    """As two bits a number would keep them; the gradient passes straight through."""
    mean = vectors.mean(1, keepdim=True)
    spread = vectors.std(1, keepdim=True).clamp(min=1e-9)
    z = (vectors - mean) / spread
    coarse = torch.where(z.abs() < 0.9816, 0.4528, 1.510) * torch.where(z < 0, -1.0, 1.0)
    return vectors + (mean + coarse * spread - vectors).detach()


class Bench:
    def __init__(self, folder, tok):
        self.sets = []
        for name in sorted(os.listdir(folder)):
            corpus, questions, texts = load_bench(os.path.join(folder, name))
            flat, lens = ragged(tok, texts + [q["question"] for q in questions])
            end = np.cumsum(lens)
            data = Ragged(*(torch.tensor(part, device=DEV) for part in (flat, end - lens, end)))
            self.sets.append((name, corpus, questions, data))

    def table(self, label, table, ask=None):
        """R@5, R@10, R@20 as shipped, with a plain sum, with fewer dimensions, and with memories of two bits."""
        q, scale = quantise(table)
        deq = q * scale[:, None]
        result = {}
        for name, corpus, questions, data in self.sets:
            told = len(corpus)

            def encode(idx, table, place=None):
                ids, offsets, lens = data.gather(idx)
                weight = None
                if place:
                    weight = 1 / (1 + (torch.arange(len(ids), device=DEV) - torch.repeat_interleave(offsets, lens)) / place)
                return F.embedding_bag(ids.long(), table, offsets, mode="sum", per_sample_weights=weight)

            every = torch.arange(len(data.len), device=DEV)
            memories, plain = encode(every[:told], deq, FADING), encode(every[:told], deq)
            asked = encode(every[told:], deq if ask is None else deq * ask[:, None])
            find = lambda m, q: recall(corpus, questions, *(F.normalize(v).cpu().numpy() for v in (m, q)))
            result[name] = {"shipped": find(memories, asked), "plain": find(plain, asked), "two bits": find(two_bits(F.normalize(memories)), asked)}
            for dims in (64, 128):
                result[name][f"first {dims}"] = find(memories[:, :dims], asked[:, :dims])
        log(label, json.dumps(result))
        return result


def fit(name, lessons, steps=5000, lr=2e-3, batch=4096, block=512, cos=1.0, kl=0.0, lex=0.0, pair=0.0, ict=0.0, pull=0.02, turn=0.0,
        hard=0.5, sharp=0.05, ask=0.0, prefix=0.0, coarse=0.0, drop=0.0, seed=0):
    """Adam over the table; the weights of the losses:

    cos  student against projected teacher vector, texts of all kinds
    kl   in-batch similarities against the teacher's, in batches of alike texts
    lex  a random 30 % of a text's tokens must find the text among alike ones
    pair generated question must find its statement (half teacher, half known partner)
    ict  a row of a document must find the chunk it was (mostly) taken out of
    pull, turn  distance of a row, and of its direction alone, from where it began
    prefix  kl and pair again with the first 64 or 128 dimensions alone
    and what changes them:
    ask  learning rate of a second weight a token, for questions only
    coarse  share of steps in which statements are kept with two bits a number
    drop  share of a statement's tokens that are left out
    """
    torch.manual_seed(seed)
    data, by, pairs, teacher, target = lessons.data, lessons.by, lessons.pairs, lessons.teacher, lessons.target
    init = lessons.init
    E = init.clone().requires_grad_(True)
    temp = torch.tensor(np.log(1 / 0.05), device=DEV, dtype=torch.float32, requires_grad=True)
    asking = torch.zeros(len(E), device=DEV, requires_grad=bool(ask))
    groups = [{"params": [E], "lr": lr}, {"params": [temp], "lr": 1e-3}] + ([{"params": [asking], "lr": ask}] if ask else [])
    opt = torch.optim.Adam(groups, betas=(0.9, 0.99), fused=DEV == "cuda")
    warm = min(200, steps // 10 + 1)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / warm) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * s / steps))))
    norm0, unit0 = init.norm(dim=1).mean(), F.normalize(init)
    order, first, count = lessons.close
    filled = torch.nonzero(count)[:, 0]

    def sums(idx, keep=None, question=False):
        ids, offsets, _ = data.gather(idx, LONGEST)
        weight = None if keep is None else (torch.rand(len(ids), device=DEV) < keep).float()
        if question and ask:
            weight = asking[ids.long()].exp() * (1 if weight is None else weight)
        return F.embedding_bag(ids.long(), E, offsets, mode="sum", per_sample_weights=weight, padding_idx=UNK), ids

    def partner(a, b, ta, tb):
        """The student's choice of b for each a against the teacher's, mixed with the known partner."""
        want = F.softmax(ta.float() @ tb.float().T / sharp, 1)
        want = (1 - hard) * want + hard * torch.eye(len(a), device=DEV)
        got = F.log_softmax(F.normalize(a) @ F.normalize(b).T * temp.exp(), 1)
        return (torch.special.xlogy(want, want) - want * got).sum(1).mean()

    def alike(vec, t):
        """The student's similarities within a batch against the teacher's."""
        self_ = torch.eye(len(vec), device=DEV, dtype=torch.bool)
        want = F.softmax((t @ t.T / sharp).masked_fill(self_, -1e4), 1)
        got = F.log_softmax((vec @ vec.T * temp.exp()).masked_fill(self_, -1e4), 1)
        return (torch.special.xlogy(want, want) - want * got).sum(1).mean()

    for step in range(steps):
        losses = {}
        short = (64, 128)[step % 2]
        idx = torch.cat([by[k][torch.randint(len(by[k]), (int(batch * share),), device=DEV)] for k, share in MIX.items()])
        raw, ids = sums(idx)
        losses["cos"] = cos * (1 - F.cosine_similarity(raw, target[idx].float())).mean()
        seen = ids[torch.randint(len(ids), (20_000,), device=DEV)].long().unique()
        losses["pull"] = pull * ((E[seen] - init[seen]) ** 2).sum(1).mean() / norm0**2
        if turn:
            losses["turn"] = turn * ((F.normalize(E[seen]) - unit0[seen]) ** 2).sum(1).mean()
        if kl or lex:
            chosen = filled[torch.randint(len(filled), (8,), device=DEV)].repeat_interleave(batch * 3 // 64)
            near = order[first[chosen] + (torch.rand(len(chosen), device=DEV) * count[chosen]).long()]
            near = torch.cat([near, idx[torch.randint(len(idx), (batch // 8,), device=DEV)]]).unique()
            sum_, t = sums(near)[0], teacher[near].float()
            vec = F.normalize(sum_)
            losses["kl"] = kl * alike(vec, t)
            if prefix:
                losses["kl, prefix"] = prefix * kl * alike(F.normalize(sum_[:, :short]), t)
            if lex:
                few = F.normalize(sums(near, keep=0.3, question=True)[0])
                losses["lex"] = lex * F.cross_entropy(few @ vec.T * temp.exp(), torch.arange(len(near), device=DEV))
        if pair:
            at = torch.randint(len(pairs) // block, (1,)).item() * block
            q, s = pairs[at : at + block].T
            a, b = sums(q, question=True)[0], sums(s, keep=1 - drop if drop else None)[0]
            if coarse and torch.rand(()).item() < coarse:
                b = two_bits(F.normalize(b))
            losses["pair"] = pair * partner(a, b, teacher[q], teacher[s])
            if prefix:
                losses["pair, prefix"] = prefix * pair * partner(a[:, :short], b[:, :short], teacher[q], teacher[s])
        if ict:
            pick = torch.randint(len(lessons.members), (block,), device=DEV)
            span, whole = lessons.members[pick], by["chunk"][pick]
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
    return E.detach() * lessons.keep, asking.detach().exp() if ask else None


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--lessons", required=True, help="file of teach.py")
    args.add_argument("--teacher", required=True, help="folder with the tokenizer")
    args.add_argument("--bench", help="folder of benchmark folders, to measure only")
    args.add_argument("--dims", type=int, default=256)
    args.add_argument("--recipes", default=json.dumps(SHIPPED), help="JSON list of {name, teachers (weights), use (which pairs), and arguments of fit}")
    args.add_argument("--steps", type=int, help="instead of the recipes' own")
    args.add_argument("--batch", type=int, help="instead of the recipes' own")
    args.add_argument("--out", required=True)
    args = args.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    tok = tokenizer(args.teacher)
    bench = Bench(args.bench, tok) if args.bench else None
    cache = torch.load(args.lessons, mmap=True)
    log("loaded")
    results = {}
    for recipe in json.loads(args.recipes):
        torch.manual_seed(1)
        name, weights, which = recipe.pop("name"), recipe.pop("teachers", [1]), recipe.pop("use", 0)
        recipe |= {k: v for k, v in (("steps", args.steps), ("batch", args.batch)) if v}
        lessons = Lessons(cache, weights, which, args.dims, tok)
        if bench and recipe.pop("starts", False):
            bench.table("token vectors, no weights", lessons.raw)
            bench.table("init (SIF)", lessons.init)
        began = time.time()
        table, ask = fit(name, lessons, **recipe)
        log(name, f"took {time.time() - began:.0f} s")
        if bench:
            results[name] = bench.table(name, table, ask)
            with open(os.path.join(args.out, f"{name}.json"), "w", encoding="utf-8") as handle:
                json.dump(results[name], handle, indent=1)
        q, scale = quantise(table)
        more = {} if ask is None else {"ask": ask.cpu().numpy()}
        np.savez_compressed(os.path.join(args.out, f"{name}.npz"), rows=q.to(torch.int8).cpu().numpy(), scales=scale.cpu().numpy(), **more)


if __name__ == "__main__":
    main()
