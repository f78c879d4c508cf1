"""Pack int8 rows and the vocabulary into the data file Quipu embeds, and write test vectors."""
import argparse
import json
import os
import struct

import numpy as np

from evaluate import embed, read_table, wordpiece

SLOTS = 65536
BASIS = 0x811C9DC5
CONTINUED = BASIS ^ 0x5BD1E995
TEXTS = [
    "",
    "Hello, world!",
    "When did the gardener prune the old apple tree?",
    "We store session tokens in PostgreSQL with a TTL of 30 minutes.",
    "retry_backoff_ms=250",
    "std::collections::HashMap::entry() returns Entry<'_, K, V>",
    "Caf\u00e9 na\u00efve r\u00e9sum\u00e9 \u00c5ngstr\u00f6m",
    "\u6211\u4eec\u5728\u4e1c\u4eac\u5403\u62c9\u9762",
    "great job \U0001f389 party at 7pm \U0001f600",
    "... --- !!! ???",
    "x" * 101 + " supercalifragilisticexpialidocious",
    "\u201cquoted\u201d \u2014 it\u2019s  tabbed\tand\nbroken \u00a0 up\u200b now",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e \u0ba4\u0bae\u0bbf\u0bb4\u0bcd",
    "\u0130stanbul \u1e9eTRASSE \u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3 \ud55c\uad6d\uc5b4 \ufb01ne",
]


def special(token):
    return token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") or (token.startswith("[unused") and token.endswith("]"))


def fnv(token):
    value, body = (CONTINUED, token[2:]) if token.startswith("##") and len(token) > 2 else (BASIS, token)
    for byte in body.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--vocab", required=True, help="vocab.txt of the teacher")
    args.add_argument("--rows", required=True, help="npz of train.py")
    args.add_argument("--model", default="quipu-static-3")
    args.add_argument("--out", required=True)
    args.add_argument("--golden", help="where to write test vectors")
    args = args.parse_args()
    with open(args.vocab, encoding="utf-8") as lines:
        tokens = [line.rstrip("\n") for line in lines]
    data = np.load(args.rows)
    rows, scales = data["rows"].copy(), data["scales"].astype("<f4")
    assert rows.dtype == np.int8 and len(rows) == len(tokens) < 65535
    assert len(set(tokens)) == len(tokens)
    table = np.zeros(SLOTS, "<u2")
    for i, token in enumerate(tokens):
        if special(token):
            rows[i] = 0
            scales[i] = 0
            continue
        slot = fnv(token) & (SLOTS - 1)
        while table[slot]:
            slot = (slot + 1) & (SLOTS - 1)
        table[slot] = i + 1
    encoded = [t.encode() for t in tokens]
    offsets = np.cumsum([0] + [len(t) for t in encoded]).astype("<u4")
    strings = b"".join(encoded)
    head = b"QUIPUEMB" + struct.pack("<6I", 1, rows.shape[1], len(tokens), SLOTS, len(strings), tokens.index("[UNK]"))
    head += args.model.encode().ljust(32, b"\0")
    assert len(head) == 64
    temporary = args.out + ".tmp"
    with open(temporary, "wb") as out:
        for part in (head, table.tobytes(), offsets.tobytes(), strings, scales.tobytes(), rows.tobytes()):
            out.write(part)
    os.replace(temporary, args.out)
    print(os.path.getsize(args.out), "bytes")
    if args.golden:
        _, names, scales, rows = read_table(args.out)
        tok = wordpiece(names)
        vectors = embed(tok, rows.astype(np.float32) * scales[:, None], TEXTS)
        cases = [
            {"text": text, "ids": tok.encode(text).ids, "head": [round(float(x), 6) for x in vector[:8]]}
            for text, vector in zip(TEXTS, vectors)
        ]
        with open(args.golden + ".tmp", "w", encoding="utf-8") as out:
            json.dump({"model": args.model, "cases": cases}, out, ensure_ascii=True, indent=1)
            out.write("\n")
        os.replace(args.golden + ".tmp", args.golden)


if __name__ == "__main__":
    main()
