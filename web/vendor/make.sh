#!/bin/sh
# Makes preact.js anew: Preact and htm as one file. Needs npm, and only when a version changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent preact@11.2.0 htm@3.1.1 esbuild@0.28.2
node node_modules/esbuild/install.js
cat >entry.js <<'ENTRY'
export { h, render } from 'preact';
export { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { h } from 'preact';
import htm from 'htm';
export const html = htm.bind(h);
ENTRY
all=
for name in preact htm; do
  all="$all, $name $(node -p "require('./node_modules/$name/package.json').version")"
done
npx esbuild entry.js --bundle --minify --format=esm --target=es2022 --legal-comments=none \
  --banner:js="// ${all#, }. Licences: LICENSES.md beside this file. Made by web/vendor/make.sh." \
  --outfile="$here/preact.js"
