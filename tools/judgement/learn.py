#!/usr/bin/env python3
"""Learns the weights of `quipu-core/src/contradict/weights.rs`.

Reads the rows that the test `rows_for_learning` of quipu-core prints (case, label, which statement, features):

    for half in dev train; do
      ROWS=$half cargo test -p quipu-core --test contradictions -- --ignored --nocapture rows | grep '^row:' > $half.rows
    done
    tools/judgement/learn.py dev.rows train.rows --write crates/quipu-core/src/contradict/weights.rs

Fits a logistic regression in which a pair of statements counts by its most telling pair of clauses,
and prints precision and recall on the same rows, and with --write the weights as whole numbers.
"""

import argparse
import collections
import math
import re

WRONG = ("conflict", "update")
STEPS = 400
DECAY = 0.002


def load(path):
    pairs = collections.OrderedDict()
    for line in open(path, encoding="utf-8"):
        case, label, which, rows = line.removeprefix("row:").rstrip("\n").split("\t")
        rows = [[int(x) for x in row.split()] for row in rows.split(";") if row]
        pairs[case, which] = (label, rows)
    return pairs


def best(weights, rows):
    scored = [(sum(w * x for w, x in zip(weights, row)), row) for row in rows]
    return max(scored, key=lambda one: one[0]) if scored else None


def sparse(row):
    return [(at, x) for at, x in enumerate(row) if x]


def best_of(weights, rows):
    scored = [(sum(weights[at] * x for at, x in row), row) for row in rows]
    return max(scored, key=lambda one: one[0])


def learn(pairs, count, hold=lambda case: False):
    weights = [0.0] * count
    data = [(label in WRONG, [sparse(row) for row in rows])
            for (case, _), (label, rows) in pairs.items() if rows and not hold(case)]
    for step in range(STEPS):
        gradient = [0.0] * count
        for is_wrong, rows in data:
            total, top = best_of(weights, rows)
            error = 1 / (1 + math.exp(-max(-30, min(30, total)))) - is_wrong
            for at, x in top:
                gradient[at] += error * x
        rate = 2.0 if step < STEPS / 2 else 1.0
        for at in range(count):
            weights[at] -= rate * (gradient[at] / len(data) + DECAY * (weights[at] if at else 0))
    return weights


def score(pairs, weights, sure=0.0):
    cases = collections.OrderedDict()
    for (case, _), (label, rows) in pairs.items():
        top = best(weights, rows)
        stops = bool(top and top[0] > sure)
        right, stopped, wanted = cases.get(case, (False, False, False))
        is_wrong = label in WRONG
        cases[case] = (right or (stops and is_wrong), stopped or stops, wanted or is_wrong)
    right = sum(one[0] for one in cases.values())
    stopped = sum(one[1] for one in cases.values())
    wanted = sum(one[2] for one in cases.values())
    return right / max(1, stopped), right / max(1, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="+", help="files of rows; the first is also cross-validated")
    parser.add_argument("--check", help="rows that are only scored")
    parser.add_argument("--write", help="the weights.rs to change")
    arguments = parser.parse_args()
    first = load(arguments.rows[0])
    everything = collections.OrderedDict(first)
    for path in arguments.rows[1:]:
        everything.update(load(path))
    count = next(len(rows[0]) for _, rows in everything.values() if rows)
    weights = [round(w * 100) / 100 for w in learn(everything, count)]
    for sure in (-0.5, -0.25, 0.0, 0.25, 0.5):
        words = f"sure={sure:+.2f}  learned P=%.3f R=%.3f" % score(first, weights, sure)
        if arguments.check:
            words += "  checked P=%.3f R=%.3f" % score(load(arguments.check), weights, sure)
        print(words)
    if arguments.write:
        source = open(arguments.write, encoding="utf-8").read()
        numbers = iter(round(w * 100) for w in weights)
        source = re.sub(r'(\("[a-z ,]+", )-?\d+\)', lambda m: f"{m[1]}{next(numbers)})", source)
        open(arguments.write, "w", encoding="utf-8").write(source)


if __name__ == "__main__":
    main()
