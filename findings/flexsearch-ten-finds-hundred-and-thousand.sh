#!/bin/sh
# FlexSearch's default encoder writes runs of one character once, digits too, and cuts numbers into groups of three from
# the left. "100" and "1000" therefore hold the token of "10", 404 and 44 cross, and a search for a number finds numbers
# that are other ones: "10" finds 100 and 1000, "flight 12" ranks flight 1122 first, "451" finds invoice 123451.
#
# Version: flexsearch 0.8.212, Node 20.20.2; `new Index()` without options.
# Seen: the hits that are checked below. With `encoder: { dedupe: false, numeric: false }` each number finds itself.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts flexsearch@0.8.212
cat > run.mjs <<'JS'
import assert from "node:assert/strict"
import flexsearch from "flexsearch"

const texts = [
  "costs 1000 euros", "costs 10 euros", "costs 100 euros", "flight 1122", "flight 12", "invoice 123451"
]
const indexed = (options) => {
  const index = new flexsearch.Index(options)
  texts.forEach((text, at) => index.add(at, text))
  return (query) => index.search(query).map((at) => texts[at])
}
const usual = indexed()
for (const query of ["10", "100", "flight 12", "451"]) console.log(query, "finds", usual(query))
assert.deepEqual(new Set(usual("10")), new Set(["costs 1000 euros", "costs 10 euros", "costs 100 euros"]))
assert.ok(usual("100").includes("costs 10 euros"))
assert.equal(usual("flight 12")[0], "flight 1122")
assert.deepEqual(usual("451"), ["invoice 123451"])

const exact = indexed({ encoder: new flexsearch.Encoder({ dedupe: false, numeric: false }) })
assert.deepEqual(exact("10"), ["costs 10 euros"])
assert.deepEqual(exact("451"), [])
console.log("without dedupe and numeric: 10 finds", exact("10"))
JS
node run.mjs
