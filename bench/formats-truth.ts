import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { convertHere } from "../adapters/formats/convert.js"
import { otherReaders } from "./formats-readers.js"
import { added, type Known, noScore, type Score, scoreOf } from "./formats-score.js"
import type { RunBench } from "./result.js"

const folder = fileURLToPath(new URL("../test/fixtures/formats/", import.meta.url))

const Table = z.array(z.array(z.string()))
/** Expected content by file: the texts, tables and list items that its author gave to the program that made it. */
const Truth = z.record(
  z.string(),
  z.object({
    format: z.string(),
    producer: z.string(),
    text: z.array(z.string()),
    tables: z.array(Table),
    ruled: z.array(z.boolean()),
    items: z.array(z.tuple([z.string(), z.string()]))
  })
)
/** The PDFs that came before, each of one trait. */
const Traits = z.record(
  z.string(),
  z.object({ producer: z.string(), tables: z.array(Table), values: z.array(z.string()), kind: z.string() })
)
/** Files of which only some texts are known. */
const Manifest = z.object({
  files: z.array(z.object({ file: z.string(), producer: z.string(), must: z.array(z.string()) }))
})

/** Producers whose files no rule was made on: every third by name of those of `made/`. */
const heldBack = new Set([
  "asciidoctor-pdf",
  "docutils",
  "ebooklib",
  "excel4node",
  "ghostscript",
  "gnumeric",
  "jspdf",
  "nodemailer",
  "pandoc",
  "pdftex",
  "perl-xlsx",
  "python-docx",
  "r-openxlsx",
  "s-nail",
  "tcpdf",
  "weasyprint",
  "writer-html",
  "xlsx-populate"
])

interface TrueFile extends Known {
  readonly path: string
  readonly format: string
  readonly producer: string
  /** Files that were made for the bench, of producers on which rules were made or not; and those that came before. */
  readonly set: "open" | "held back" | "before"
}

const trueFiles = (): ReadonlyArray<TrueFile> => {
  const json = (name: string): unknown => JSON.parse(readFileSync(`${folder}${name}`, "utf8"))
  const made = Object.entries(Truth.parse(json("made/truth.json"))).map(
    ([name, truth]): TrueFile => ({
      ...truth,
      path: `made/${name}`,
      isWhole: true,
      set: heldBack.has(truth.producer) ? "held back" : "open"
    })
  )
  const traits = Object.entries(Traits.parse(json("truth/truth.json"))).map(
    ([name, { kind, producer, tables, values }]): TrueFile => ({
      path: `truth/${name}`,
      format: "pdf",
      producer,
      text: values,
      isWhole: values.length > 0,
      tables,
      ruled: tables.map(() => kind !== "unruled"),
      items: [],
      set: "before"
    })
  )
  const some = Manifest.parse(json("manifest.json")).files.map(
    ({ file, must, producer }): TrueFile => ({
      path: file,
      format: file.split("/", 1)[0] ?? "",
      producer,
      text: must,
      isWhole: false,
      tables: [],
      ruled: [],
      items: [],
      set: "before"
    })
  )
  return [...made, ...traits, ...some]
}

const shares = [
  ["cells of ruled tables under their headings", "ruledRight", "ruled"],
  ["cells of tables without rules under their headings", "unruledRight", "unruled"],
  ["items with their numbers", "itemsRight", "items"],
  ["words lost", "wordsLost", "words"],
  ["values changed", "changed", "values"],
  ["values lost in silence", "silent", "values"],
  ["values lost with a warning", "warned", "values"]
] as const

/**
 * Whether what a file says is what Kanon reads, value by value, cell by cell and item by item, for each format, beside
 * other readers. The line of each producer is said to the person who waits.
 */
export const formatsTruth: RunBench = async ({ report, say, skip }) => {
  const scores = new Map<string, Score>()
  const add = (name: string, score: Score): void => {
    scores.set(name, added(scores.get(name) ?? noScore, score))
  }
  const producers = new Map<string, { readonly files: number; readonly score: Score }>()
  for (const file of trueFiles()) {
    const bytes = new Uint8Array(readFileSync(`${folder}${file.path}`))
    const { markdown, warnings } = await convertHere({ name: file.path, bytes })
    const isWarned = warnings.some(({ code }) => code === "text_uncertain")
    const score = scoreOf(file, markdown, isWarned)
    add(`${file.format}, ${file.set}`, score)
    if (file.set === "before") continue
    const line = `${file.format} | ${file.producer}${file.set === "open" ? "" : " *"}`
    const before = producers.get(line) ?? { files: 0, score: noScore }
    producers.set(line, { files: before.files + 1, score: added(before.score, score) })
    if (process.env["FORMATS_TRUTH_FILES"] === "1" && (file.set === "open" || process.env["HELD"]))
      say(lineOf(file.path, 1, score))
    for (const reader of otherReaders) {
      if (!reader.formats.includes(file.format)) continue
      const text = await reader.read(`${folder}${file.path}`, bytes)
      if (text === null) continue
      add(`${file.format}, ${file.set}: ${reader.name}`, scoreOf(file, text, false))
    }
  }
  for (const reader of otherReaders)
    if (![...scores.keys()].some((name) => name.endsWith(`: ${reader.name}`)))
      skip(`${reader.name} is not installed`)
  say(
    "| Format | Producer | Files | Values | Changed | Lost in silence | Lost with a warning | Words lost | Cells, ruled | Cells, not ruled | Items |"
  )
  say("|---|---|---|---|---|---|---|---|---|---|---|")
  for (const [line, { files, score }] of [...producers].sort(([a], [b]) => (a < b ? -1 : 1)))
    say(lineOf(line, files, score))
  for (const [name, score] of scores) {
    const [, format = "", peer = "none"] = /^(.*?)(?:: (.*))?$/.exec(name) ?? []
    const ours = scores.get(format) ?? noScore
    const isPeer = peer !== "none"
    for (const [what, right, all] of shares) {
      if (score[all] === 0) continue
      report({
        metric: `${format}: ${what}`,
        ours: ours[right] / ours[all],
        floor: isPeer ? score[right] / score[all] : null,
        ratio: null,
        n: score[all],
        unit: "share",
        peer
      })
    }
  }
}

/** One line of the table of producers. */
const lineOf = (name: string, files: number, score: Score): string => {
  const share = (right: number, all: number): string =>
    all === 0 ? "–" : `${Math.floor((100 * right) / all)} % of ${all}`
  return `| ${[
    name,
    files,
    score.values,
    score.changed,
    score.silent,
    score.warned,
    `${score.wordsLost} of ${score.words}`,
    share(score.ruledRight, score.ruled),
    share(score.unruledRight, score.unruled),
    share(score.itemsRight, score.items)
  ].join(" | ")} |`
}
