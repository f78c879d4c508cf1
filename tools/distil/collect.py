"""Collect licence-clean training text into one TSV (kind, group, text).

Kinds: d dialogue turn, w WordNet sentence, h heading, p paragraph, c code block.
Rows of one group stand in reading order (a page, a crate, a run of dialogue).
"""
import argparse
import glob
import gzip
import hashlib
import html
import os
import random
import re
import zipfile

from selectolax.lexbor import LexborHTMLParser

# Debian package -> (licence of its text, cap in characters).
PACKAGES = {
    "rust-doc": ("MIT OR Apache-2.0", 9_000_000),
    "python3.11-doc": ("PSF-2.0", 6_000_000),
    "postgresql-doc-15": ("PostgreSQL", 5_000_000),
    "sqlite3-doc": ("public domain", 4_000_000),
    "nodejs-doc": ("MIT", 2_500_000),
    "golang-1.19-doc": ("BSD-3-Clause", 1_000_000),
    "apache2-doc": ("Apache-2.0", 2_500_000),
    "docker-doc": ("Apache-2.0", 1_500_000),
    "python-django-doc": ("BSD-3-Clause", 4_000_000),
    "python-sqlalchemy-doc": ("MIT", 3_000_000),
    "python-flask-doc": ("BSD-3-Clause", 800_000),
    "python-werkzeug-doc": ("BSD-3-Clause", 600_000),
    "python-jinja2-doc": ("BSD-3-Clause", 600_000),
    "python-click-doc": ("BSD-3-Clause", 600_000),
    "python-requests-doc": ("Apache-2.0", 600_000),
    "python-aiohttp-doc": ("Apache-2.0", 800_000),
    "python-tornado-doc": ("Apache-2.0", 800_000),
    "python-pytest-doc": ("MIT", 1_500_000),
    "python-attr-doc": ("MIT", 500_000),
    "python-celery-doc": ("BSD-3-Clause; docs CC BY-SA 4.0", 1_500_000),
    "python-cryptography-doc": ("Apache-2.0 OR BSD-3-Clause", 800_000),
    "python-bottle-doc": ("MIT", 400_000),
    "python-markdown-doc": ("BSD-3-Clause", 400_000),
    "python-rdflib-doc": ("BSD-3-Clause", 500_000),
    "python-ipython-doc": ("BSD-3-Clause", 1_000_000),
    "python-sklearn-doc": ("BSD-3-Clause", 3_000_000),
    "python-scipy-doc": ("BSD-3-Clause", 1_500_000),
    "python-statsmodels-doc": ("BSD-3-Clause", 1_000_000),
    "python-sympy-doc": ("BSD-3-Clause", 1_500_000),
    "python-pandas-doc": ("BSD-3-Clause", 2_000_000),
    "python-dask-doc": ("BSD-3-Clause", 1_200_000),
    "python-xarray-doc": ("Apache-2.0", 800_000),
    "erlang-doc": ("Apache-2.0", 2_000_000),
    "llvm-14-doc": ("Apache-2.0 WITH LLVM-exception", 2_000_000),
    "cmake-doc": ("BSD-3-Clause", 1_000_000),
    "sphinx-doc": ("BSD-2-Clause", 1_000_000),
}
SPACE = re.compile(r"\s+")
MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])")


def clean(text):
    return SPACE.sub(" ", text.replace("\u00b6", " ").replace("\uf0c1", " ")).strip()


class Writer:
    def __init__(self, path):
        self.out = gzip.open(path, "wt", encoding="utf-8", compresslevel=6)
        self.seen = set()
        self.count = {}
        self.chars = 0

    def put(self, kind, group, text):
        text = clean(text)
        if len(text) < 3 or sum(ch.isascii() for ch in text) < 0.9 * len(text):
            return 0
        if kind == "p" and len(text) < 25:
            return 0
        text = text[:2400]
        key = hashlib.blake2b(text.lower().encode(), digest_size=8).digest()
        if key in self.seen and kind != "h":
            return 0
        self.seen.add(key)
        self.out.write(f"{kind}\t{group}\t{text}\n")
        self.count[kind] = self.count.get(kind, 0) + 1
        return len(text)


def dialogue(writer, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.txt.gz"))):
        name = os.path.basename(path).split("-")[0]
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                writer.put("d", f"{name}:{number // 40}", line)


def chatterbot(writer, wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/english/" not in name or not name.endswith(".yml"):
                continue
            group = 0
            for line in archive.read(name).decode().splitlines():
                if line.startswith("- - "):
                    group += 1
                match = re.match(r"^(- -|  -) (.*)$", line)
                if match and group:
                    text = match.group(2).strip().strip("'\"")
                    writer.put("d", f"cb:{os.path.basename(name)}:{group}", text)


def wordnet(writer, folder):
    for part in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(folder, f"data.{part}"), encoding="latin-1") as lines:
            for line in lines:
                if line.startswith("  ") or "|" not in line:
                    continue
                fields, gloss = line.split("|", 1)
                fields = fields.split()
                words = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
                pieces = [p.strip() for p in re.split(r';\s+(?=")', gloss.strip())]
                group = f"wn:{part}:{fields[0]}"
                writer.put("w", group, f"{', '.join(words[:4])}: {pieces[0]}")
                for example in pieces[1:]:
                    writer.put("w", group, example.strip('"; '))


def page(writer, group, source):
    tree = LexborHTMLParser(source)
    for node in tree.css("nav,script,style,footer,.sidebar,.sphinxsidebar,.related,.headerlink,.src,.srclink"):
        node.decompose()
    total = 0
    for node in tree.css("h1,h2,h3,h4,p,li,dd,pre"):
        tag = node.tag
        if tag in ("li", "dd") and node.css_first("p,li,pre,dl,dd") is not None:
            continue
        text = node.text()
        if tag == "pre":
            if len(text) < 900:
                total += writer.put("c", group, text)
        elif tag[0] == "h":
            total += writer.put("h", group, text[:160])
        else:
            total += writer.put("p", group, text)
    return total


def packages(writer, folder):
    rng = random.Random(7)
    for name, (_, cap) in PACKAGES.items():
        files = sorted(
            p
            for ext in ("html", "md", "txt")
            for p in glob.glob(os.path.join(folder, name, "**", f"*.{ext}"), recursive=True)
        )
        files = [
            p for p in files
            if not re.search(r"/(core|alloc|src|_sources|_modules|fr|de|es|ja|ko|tr|da|zh-cn|pt-br|compiler)/|genindex|print\.html|/all\.html|core_arch|/simd", p)
            and not re.search(r"\.html\.(de|es|fr|ja|ko|tr|da|zh-cn|pt-br)", p)
        ]
        rng.shuffle(files)
        if name == "rust-doc":  # the books before the API pages
            files.sort(key=lambda p: not re.search(r"/(book|reference|nomicon|rust-by-example|cargo|rustc|edition-guide|embedded-book|rustdoc|unstable-book|style-guide)/", p))
        total = 0
        for number, path in enumerate(files):
            if total > cap:
                break
            with open(path, "rb") as handle:
                data = handle.read(1_500_000)
            if path.endswith(".html"):
                total += page(writer, f"{name}:{number}", data)
            else:
                total += markdown(writer, f"{name}:{number}", data.decode("utf-8", "replace"))
        print(f"{name}: {total} characters")


def markdown(writer, group, text):
    total = 0
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    fence = False
    block = []

    def flush(kind="p"):
        nonlocal total
        if block:
            body = "\n".join(block)
            if kind == "p":
                body = html.unescape(re.sub(r"<[^>]+>", " ", MARKDOWN_LINK.sub(r"\1", body)))
            if kind == "p" or len(body) < 900:
                total += writer.put(kind, group, body)
            block.clear()

    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            flush("c" if fence else "p")
            fence = not fence
        elif fence:
            block.append(line)
        elif line.startswith("#"):
            flush()
            total += writer.put("h", group, line.lstrip("# ")[:160])
        elif not line.strip() or re.match(r"\s*([-*+]|\d+\.)\s", line):
            flush()
            if line.strip():
                block.append(re.sub(r"^\s*([-*+]|\d+\.)\s", "", line))
        elif not line.startswith("[") and "shields.io" not in line:
            block.append(line)
    flush("c" if fence else "p")
    return total


def crates(writer, folder):
    for root in sorted(glob.glob(os.path.join(folder, "*", "*"))):
        manifest = os.path.join(root, "Cargo.toml")
        if not os.path.exists(manifest):
            continue
        with open(manifest, encoding="utf-8", errors="replace") as handle:
            licence = re.search(r'^license\s*=\s*"([^"]*)"', handle.read(), re.M)
        if not licence or not re.search(r"MIT|Apache", licence.group(1)):
            continue
        name, total = os.path.basename(root), 0
        for readme in glob.glob(os.path.join(root, "README*")):
            with open(readme, encoding="utf-8", errors="replace") as handle:
                total += markdown(writer, f"crate:{name}", handle.read())
        for path in sorted(glob.glob(os.path.join(root, "src", "**", "*.rs"), recursive=True)):
            if total > 250_000:
                break
            comment = []
            with open(path, encoding="utf-8", errors="replace") as handle:
                for line in handle:
                    match = re.match(r"\s*//[/!] ?(.*)$", line)
                    if match:
                        comment.append(match.group(1))
                    elif comment:
                        total += markdown(writer, f"crate:{name}:{os.path.basename(path)}", "\n".join(comment))
                        comment = []


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--packages", required=True, help="folder of extracted Debian packages, one sub-folder each")
    args.add_argument("--dialogue", required=True, help="folder of *.txt.gz utterance files")
    args.add_argument("--chatterbot", required=True, help="chatterbot-corpus wheel (BSD-3-Clause)")
    args.add_argument("--crates", required=True, help="cargo registry src folder")
    args.add_argument("--out", required=True)
    args = args.parse_args()
    writer = Writer(args.out)
    dialogue(writer, args.dialogue)
    chatterbot(writer, args.chatterbot)
    wordnet(writer, os.path.join(args.packages, "wordnet-base", "usr", "share", "wordnet"))
    crates(writer, args.crates)
    packages(writer, args.packages)
    writer.out.close()
    print(writer.count)


if __name__ == "__main__":
    main()
