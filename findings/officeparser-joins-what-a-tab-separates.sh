#!/bin/sh
# officeparser reads the text of a Word file without its tabs, line breaks and non-breaking hyphens, and puts nothing in
# their place: "Room 4", a tab and "0 beds" become "Room 40 beds". In a workbook it appends the phonetic reading (rPh) of
# a string to the string, and gives dates and percentages as the numbers behind them.
#
# Version: officeparser 7.8.0, Node 20.20.2; `parseOffice(file)` and `toText()`.
# Seen: "Room 40 beds", "first linesecond line", and for the workbook "東京トウキョウ", 45292 for 2024-01-01, 0.05 for 5%.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts officeparser@7.8.0 fflate@0.8.2
cat > run.mjs <<'JS'
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { strToU8, zipSync } from "fflate"
import { parseOffice } from "officeparser"

const office = "http://schemas.openxmlformats.org"
const pack = (name, kind, parts) => {
  const types = Object.entries(parts)
    .filter(([, { type }]) => type !== undefined)
    .map(([path, { type }]) => `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`)
  const files = {
    "[Content_Types].xml": `<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join("")}</Types>`,
    "_rels/.rels": `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="${kind}"/></Relationships>`
  }
  for (const [path, { xml }] of Object.entries(parts)) files[path] = xml
  writeFileSync(name, zipSync(Object.fromEntries(Object.entries(files).map(([path, xml]) => [path, strToU8(xml)]))))
}

const words = (...runs) => `<w:p><w:r>${runs.join("")}</w:r></w:p>`
const text = (value) => `<w:t xml:space="preserve">${value}</w:t>`
pack("room.docx", "word/document.xml", {
  "word/document.xml": {
    type: "wordprocessingml.document.main",
    xml: `<w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>${words(text("Room 4"), "<w:tab/>", text("0 beds"))}${words(text("first line"), "<w:br/>", text("second line"))}</w:body></w:document>`
  }
})
const sheet = `xmlns="${office}/spreadsheetml/2006/main"`
const relation = (id, part) => `<Relationship Id="${id}" Type="${office}/officeDocument/2006/relationships/${part}" Target="${part === "worksheet" ? "worksheets/sheet1" : part}.xml"/>`
pack("book.xlsx", "xl/workbook.xml", {
  "xl/workbook.xml": {
    type: "spreadsheetml.sheet.main",
    xml: `<workbook ${sheet} xmlns:r="${office}/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`
  },
  "xl/_rels/workbook.xml.rels": {
    xml: `<Relationships xmlns="${office}/package/2006/relationships">${relation("r1", "worksheet")}${relation("r2", "styles")}${relation("r3", "sharedStrings")}</Relationships>`
  },
  "xl/styles.xml": {
    type: "spreadsheetml.styles",
    xml: `<styleSheet ${sheet}><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="9" applyNumberFormat="1"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`
  },
  "xl/sharedStrings.xml": {
    type: "spreadsheetml.sharedStrings",
    xml: `<sst ${sheet} count="1"><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>`
  },
  "xl/worksheets/sheet1.xml": {
    type: "spreadsheetml.worksheet",
    xml: `<worksheet ${sheet}><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="2"><v>45292</v></c><c r="C1" s="1"><v>0.05</v></c></row></sheetData></worksheet>`
  }
})

const read = async (file) => (await parseOffice(file)).toText().trim()
const word = await read("room.docx")
const book = await read("book.xlsx")
console.log(JSON.stringify({ word, book }))
assert.equal(word, "Room 40 beds\nfirst linesecond line")
assert.equal(book, "東京トウキョウ\n45292\n0.05")
JS
node run.mjs
