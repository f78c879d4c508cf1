"""Dense-only recall of a packed table (or any embedder) on neutral benchmark folders.

A folder holds corpus.jsonl and questions.jsonl; each space is searched alone.
Memories are embedded as "speaker: text" (--plain: text alone), their pieces fading as in Quipu (--fading 0: none).
Letters of other scripts, which Quipu adds by themselves, are left out.
"""
import argparse
import json
import os
import struct

import numpy as np

FADING = 24.0  # as in quipu-embed: the piece at this place of a memory counts half


def load_bench(folder, plain=False):
    def rows(name):
        with open(os.path.join(folder, name), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    corpus, questions = rows("corpus.jsonl"), rows("questions.jsonl")
    texts = [m["text"] if plain or not m.get("speaker") else f'{m["speaker"]}: {m["text"]}' for m in corpus]
    return corpus, questions, texts


def recall(corpus, questions, memory_vectors, question_vectors, cuts=(5, 10, 20)):
    """Share of gold memories among the first k, averaged over questions, in per cent."""
    spaces = {}
    for i, memory in enumerate(corpus):
        spaces.setdefault(memory["space"], []).append(i)
    totals = np.zeros(len(cuts))
    for q, vector in zip(questions, question_vectors):
        members = spaces[q["space"]]
        order = np.argsort(-(memory_vectors[members] @ vector), kind="stable")[: max(cuts)]
        found = [corpus[members[i]]["id"] for i in order]
        gold = set(q["gold"])
        totals += [len(gold & set(found[:k])) / len(gold) for k in cuts]
    return np.round(100 * totals / len(questions), 1).tolist()


def read_table(path):
    """The packed file: (dims, token texts, scales, rows)."""
    with open(path, "rb") as handle:
        data = handle.read()
    assert data[:8] == b"QUIPUEMB"
    version, dims, vocab, slots, strings, _ = struct.unpack_from("<6I", data, 8)
    assert version == 1
    at = 64 + 2 * slots
    offsets = np.frombuffer(data, "<u4", vocab + 1, at)
    at += 4 * (vocab + 1)
    area = data[at : at + strings]
    at += strings
    scales = np.frombuffer(data, "<f4", vocab, at)
    at += 4 * vocab
    rows = np.frombuffer(data, "i1", vocab * dims, at).reshape(vocab, dims)
    assert at + vocab * dims == len(data)
    tokens = [area[offsets[i] : offsets[i + 1]].decode() for i in range(vocab)]
    return dims, tokens, scales, rows


def wordpiece(tokens):
    """A BERT uncased WordPiece tokenizer over the given vocabulary, without specials."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    tok = Tokenizer(WordPiece({t: i for i, t in enumerate(tokens)}, unk_token="[UNK]", max_input_chars_per_word=100))
    tok.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True)
    tok.pre_tokenizer = BertPreTokenizer()
    return tok


def embed(tok, table, texts, fading=None):
    """Sums of rows; with `fading`, the piece at that place counts half."""
    out = np.zeros((len(texts), table.shape[1]), np.float32)
    for i, code in enumerate(tok.encode_batch(texts)):
        if code.ids:
            weights = np.ones(len(code.ids), np.float32)
            if fading:
                weights /= 1 + np.arange(len(code.ids), dtype=np.float32) / fading
            out[i] = weights @ table[code.ids]
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--table", required=True)
    args.add_argument("--plain", action="store_true")
    args.add_argument("--fading", type=float, default=FADING)
    args.add_argument("bench", nargs="+")
    args = args.parse_args()
    _, tokens, scales, rows = read_table(args.table)
    table = rows.astype(np.float32) * scales[:, None]
    tok = wordpiece(tokens)
    for folder in args.bench:
        corpus, questions, texts = load_bench(folder, args.plain)
        result = recall(corpus, questions, embed(tok, table, texts, args.fading), embed(tok, table, [q["question"] for q in questions]))
        print(os.path.basename(folder.rstrip("/")), dict(zip(("R@5", "R@10", "R@20"), result)))


if __name__ == "__main__":
    main()
