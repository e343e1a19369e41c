#!/bin/sh
# liteparse leaves out a whole line of a PDF of XeTeX, from its text, its Markdown and its text items, where the line holds
# a sign of a taller font (×) and raised digits. `extractTextMetadata: true`, which by its description adds fields to text
# items, brings the line back, and parts two rows of a table that were one.
#
# Versions: @llamaindex/liteparse 2.14.7, Node 20.20.2, a PDF of XeTeX 0.999994 (TeX Live 2022).
# Seen: the line "The tide lifts 3 × …" is missing without the option and there with it; pdftotext has it.
# Who reads PDFs with it asks for the metadata, and compares values with a second reading.
set -eu
pdf=$(cd "$(dirname "$0")" && pwd)/../test/fixtures/formats/made/pdf/xetex-report.pdf
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$pdf" "$folder/report.pdf"
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts @llamaindex/liteparse@2.14.7
cat > read.js <<'JS'
import { readFileSync } from "node:fs"
import { LiteParse } from "@llamaindex/liteparse"
for (const extractTextMetadata of [false, true]) {
  const parser = new LiteParse({ outputFormat: "markdown", ocrEnabled: false, quiet: true, extractTextMetadata })
  const { pages } = await parser.parse(readFileSync("report.pdf"))
  const texts = [pages[0].markdown, pages[0].text, pages[0].textItems.map(({ text }) => text).join("\n")]
  console.log(`metadata ${extractTextMetadata}: ${texts.map((text) => text.includes("The tide lifts 3"))}`)
}
JS
node read.js > seen.txt
echo "liteparse 2.14.7"
cat seen.txt
grep -qx "metadata false: false,false,false" seen.txt
grep -qx "metadata true: true,true,true" seen.txt
