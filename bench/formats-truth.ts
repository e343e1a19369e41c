import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { LiteParse } from "@llamaindex/liteparse"
import { z } from "zod"
import { convertHere } from "../adapters/formats/convert.js"
import type { RunBench } from "./result.js"

const folder = fileURLToPath(new URL("../test/fixtures/formats/", import.meta.url))

/** The expected content of a file, as the program that made it displays it: all values, tables and sentences. */
const Truth = z.record(
  z.string(),
  z.object({
    producer: z.string(),
    tables: z.array(z.array(z.array(z.string()))),
    values: z.array(z.string()),
    text: z.array(z.string())
  })
)
/** Files of which only some texts are known. */
const Manifest = z.object({
  files: z.array(z.object({ file: z.string(), producer: z.string(), must: z.array(z.string()) }))
})

interface Known {
  readonly path: string
  readonly format: string
  readonly producer: string
  readonly values: ReadonlyArray<string>
  readonly tables: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>
  readonly text: ReadonlyArray<string>
  /** Whether `values` holds every value, so that others are changed ones. */
  readonly isWhole: boolean
}

const valuePattern = /(?:(?<![\p{L}\p{N}])[-+])?\p{Nd}+(?:[.,:'’]\p{Nd}+)*(?:\^[-−]?[\d.]+)?/gu

const plain = (text: string): string =>
  text
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/\\(?=[^\w\s])|[*`]/g, "")
    .replace(/[−–]/g, "-")

const valuesOf = (text: string): ReadonlyArray<string> =>
  Array.from(plain(text).matchAll(valuePattern), ([value]) => value)

const counted = (values: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim()

/** The tables of a Markdown text. */
const tablesOf = (markdown: string): ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> =>
  (markdown.match(/^\|.*\|$(?:\n\|.*\|$)+/gm) ?? []).map((table) =>
    table
      .split("\n")
      .filter((line) => !/^\|[-| :]+\|$/.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => plain(cell).trim())
      )
  )

/** Cells of a table that stand under their heading, in the row of their first cell; and how many there are. */
const cellsInPlace = (markdown: string, tables: Known["tables"]): readonly [number, number] => {
  const written = tablesOf(markdown)
  let [right, all] = [0, 0]
  for (const [head = [], ...rows] of tables)
    for (const row of rows)
      for (const [column, cell] of row.entries()) {
        if (cell === "") continue
        all += 1
        const isThere = written.some(([top = [], ...body]) => {
          const at = top.findIndex((one) => lettersOf(one) === lettersOf(head[column] ?? ""))
          const first = top.findIndex((one) => lettersOf(one) === lettersOf(head[0] ?? ""))
          return body.some(
            (line) =>
              plain(line[at] ?? "").replace(/\s/g, "") === plain(cell).replace(/\s/g, "") &&
              lettersOf(line[first] ?? "") === lettersOf(row[0] ?? "")
          )
        })
        if (isThere) right += 1
      }
  return [right, all]
}

const known = (): ReadonlyArray<Known> => {
  const json = (name: string): unknown => JSON.parse(readFileSync(`${folder}${name}`, "utf8"))
  const whole = Object.entries(Truth.parse(json("truth/truth.json"))).map(([name, truth]) => ({
    path: `truth/${name}`,
    format: "pdf",
    isWhole: truth.values.length > 0,
    ...truth
  }))
  const some = Manifest.parse(json("manifest.json")).files.map(({ file, must, producer }) => ({
    path: file,
    format: file.split("/", 1)[0] ?? "",
    producer,
    values: must,
    tables: [],
    text: [],
    isWhole: false
  }))
  return [...whole, ...some]
}

/** Values that are changed, lost in silence and lost with a warning, of all; and cells in place, of all. */
interface Score {
  values: number
  changed: number
  silent: number
  warned: number
  cells: number
  inPlace: number
}

const scoreOf = (file: Known, markdown: string, isWarned: boolean): Score => {
  const [want, have] = [counted(valuesOf(file.values.join("\n"))), counted(valuesOf(markdown))]
  const lost = [...want].reduce((sum, [value, count]) => sum + Math.max(0, count - (have.get(value) ?? 0)), 0)
  const other = file.isWhole ? [...have.keys()].filter((value) => !want.has(value)).length : 0
  const changed = isWarned ? 0 : Math.min(lost, other)
  const [inPlace, cells] = cellsInPlace(markdown, file.tables)
  return {
    values: [...want.values()].reduce((sum, count) => sum + count, 0),
    changed,
    silent: isWarned ? 0 : lost - changed,
    warned: isWarned ? lost : 0,
    cells,
    inPlace
  }
}

/**
 * Whether what a file says is what Kanon reads, value by value and cell by cell, for each format and producer. PDFs are
 * read by the bare library, too.
 */
export const formatsTruth: RunBench = async ({ report }) => {
  const ours = new Map<string, Score>()
  const bare = new Map<string, Score>()
  const add = (scores: Map<string, Score>, name: string, score: Score): void => {
    const sum = scores.get(name) ?? { values: 0, changed: 0, silent: 0, warned: 0, cells: 0, inPlace: 0 }
    for (const key of ["values", "changed", "silent", "warned", "cells", "inPlace"] as const)
      sum[key] += score[key]
    scores.set(name, sum)
  }
  const library = new LiteParse({
    outputFormat: "markdown",
    ocrEnabled: false,
    imageMode: "off",
    quiet: true
  })
  for (const file of known()) {
    const bytes = new Uint8Array(readFileSync(`${folder}${file.path}`))
    const { markdown, warnings } = await convertHere({ name: file.path, bytes })
    const isWarned = warnings.some(({ code }) => code === "text_uncertain")
    const names = [file.format, ...(file.isWhole ? [`${file.format}, ${file.producer}`] : [])]
    for (const name of names) add(ours, name, scoreOf(file, markdown, isWarned))
    if (file.format !== "pdf") continue
    const { pages } = await library.parse(Buffer.from(bytes))
    const text = pages.map((page) => page.markdown).join("\n\n")
    for (const name of names) add(bare, name, scoreOf(file, text, false))
  }
  const kinds = [
    ["values changed", "changed"],
    ["values lost in silence", "silent"],
    ["values lost with a warning", "warned"]
  ] as const
  for (const [name, score] of ours) {
    const floor = bare.get(name)
    for (const [what, key] of kinds)
      report({
        metric: `${name}: ${what}`,
        ours: score[key],
        floor: floor === undefined ? null : floor[key],
        ratio: null,
        n: score.values,
        unit: "values",
        peer: floor === undefined ? "none" : "liteparse alone"
      })
    if (score.cells > 0)
      report({
        metric: `${name}: cells under their headings`,
        ours: score.inPlace / score.cells,
        floor: floor === undefined ? null : floor.inPlace / floor.cells,
        ratio: null,
        n: score.cells,
        unit: "share",
        peer: "liteparse alone"
      })
  }
}
