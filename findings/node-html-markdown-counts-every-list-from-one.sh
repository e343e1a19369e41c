#!/bin/sh
# node-html-markdown numbers each ordered list from 1, whatever its `start`, `reversed` or the `value` of an item says:
# step 5 of a manual becomes step 1, and "see step 6" points nowhere. It also leaves the footer of a table where it
# stands in the source, before the rows, where browsers show it below them: a sum becomes the first row.
#
# Version: node-html-markdown 2.0.0, Node 20.20.2; `NodeHtmlMarkdown.translate(html)`.
# Seen: the texts that are checked below.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts node-html-markdown@2.0.0
cat > run.mjs <<'JS'
import assert from "node:assert/strict"
import { NodeHtmlMarkdown } from "node-html-markdown"

const markdown = (html) => NodeHtmlMarkdown.translate(html)
const lists = {
  '<ol start="5"><li>Close the valve</li><li>Open the drain</li></ol>': "1. Close the valve\n2. Open the drain",
  '<ol><li>One</li><li value="4">Four</li></ol>': "1. One\n2. Four",
  "<ol reversed><li>Third</li><li>Second</li><li>First</li></ol>": "1. Third\n2. Second\n3. First"
}
for (const [html, expected] of Object.entries(lists)) {
  console.log(JSON.stringify(markdown(html)))
  assert.equal(markdown(html), expected)
}
const table =
  "<table><thead><tr><th>Fee</th></tr></thead><tfoot><tr><td>Sum 9</td></tr></tfoot><tbody><tr><td>4</td></tr><tr><td>5</td></tr></tbody></table>"
const rows = markdown(table).split("\n").map((row) => row.replace(/[|\s]+/g, " ").trim())
console.log(rows)
assert.deepEqual(rows.filter((row) => !row.startsWith("-")), ["Fee", "Sum 9", "4", "5"])
JS
node run.mjs
