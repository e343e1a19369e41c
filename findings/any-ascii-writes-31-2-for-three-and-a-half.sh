#!/bin/sh
# any-ascii replaces each character alone, so a fraction or a raised digit joins the digit before it: "3½ litres" becomes
# "31/2 litres" (fifteen and a half), "10²" "102" and "10⁻³" "10-3". Search indexes and slugs that are folded with it
# find 102 for a hundred.
#
# Version: any-ascii 0.3.3, Node 20.20.2.
# Seen: the strings that are checked below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts any-ascii@0.3.3
cat > run.mjs <<'JS'
import assert from "node:assert/strict"
import anyAscii from "any-ascii"

for (const [text, ascii] of [["3½ litres", "31/2 litres"], ["10²", "102"], ["10⁻³", "10-3"], ["1¼", "11/4"]]) {
  assert.equal(anyAscii(text), ascii)
  console.log(`${text} -> ${ascii}`)
}
JS
node run.mjs
