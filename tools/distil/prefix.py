"""What the first dimensions of a vector find alone: as packed, and after a turn of the whole table.

The turn is the eigenvectors of the second moment of vectors of other texts (one text a line), so that the first
dimensions hold most. It changes no angle between whole vectors. Memories fade by place, as Quipu embeds them.
"""
import argparse
import os

import numpy as np

from evaluate import FADING, embed, load_bench, read_table, recall, wordpiece


def quantised(table):
    scales = np.maximum(np.abs(table).max(1, keepdims=True) / 127, 1e-12)
    return np.round(table / scales) * scales


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--table", required=True)
    args.add_argument("--texts", required=True, help="texts that are in no benchmark, to find the turn by")
    args.add_argument("bench", nargs="+")
    args = args.parse_args()
    _, tokens, scales, rows = read_table(args.table)
    table = rows.astype(np.float32) * scales[:, None]
    tok = wordpiece(tokens)
    with open(args.texts, encoding="utf-8") as lines:
        texts = [line.strip() for line in lines if line.strip()]
    seen = embed(tok, table, texts, FADING).astype(np.float64)
    values, vectors = np.linalg.eigh(seen.T @ seen)
    turn = vectors[:, np.argsort(-values)]
    turned = quantised(table @ turn.astype(np.float32))
    for folder in args.bench:
        corpus, questions, memories = load_bench(folder)
        asked = [q["question"] for q in questions]
        for name, rows in (("as packed", table), ("turned", turned)):
            told, wanted = embed(tok, rows, memories, FADING), embed(tok, rows, asked)
            for dims in (32, 64, 128, 192, 256):
                cut = lambda v: v[:, :dims] / np.maximum(np.linalg.norm(v[:, :dims], axis=1, keepdims=True), 1e-12)
                result = recall(corpus, questions, cut(told), cut(wanted))
                print(os.path.basename(folder.rstrip("/")), name, dims, dict(zip(("R@5", "R@10", "R@20"), result)))


if __name__ == "__main__":
    main()
