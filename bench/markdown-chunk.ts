import MarkdownIt from "markdown-it"
import { documentLinks } from "../core/files/links/index.js"
import { chunkDocument } from "../core/files/markdown/chunk.js"
import { parseFrontMatter, parseMarkdown } from "../core/files/markdown/index.js"
import { dataFolder, readCorpus } from "./data.js"
import { type Cost, compare, costOf, interleaved } from "./measure.js"
import { optional } from "./peers/optional.js"
import { shuffled } from "./random.js"
import type { RunBench, Size } from "./result.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 20, full: 60 }
/** Documents of one window: enough for some hundred milliseconds of the slowest peer. */
const documentsPerWindow: Readonly<Record<Size, number>> = { small: 3, default: 48, full: 48 }
const bounds = { maxChars: 1500, overlapChars: 200 }

type Work = (text: string) => unknown

/** Front matter, blocks, passages and links: all that an ingest takes from a document before it is indexed. */
const takeApart = (text: string) => {
  const { bodyStart } = parseFrontMatter(text)
  const parsed = parseMarkdown(text, bodyStart)
  return { chunks: chunkDocument(parsed, bounds), links: documentLinks(parsed) }
}

/** Cuts at headings and at blank lines once a passage is long, and matches links in each line. */
const scanLines = (text: string) => {
  const chunks: Array<string> = []
  const links: Array<string> = []
  let open = ""
  for (const line of text.split("\n")) {
    if (open !== "" && (line.startsWith("#") || open.length + line.length > bounds.maxChars)) {
      chunks.push(open)
      open = ""
    }
    open += `${line}\n`
    for (const [link] of line.matchAll(/\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)/g)) links.push(link)
  }
  if (open.trim() !== "") chunks.push(open)
  return { chunks, links }
}

const remark = async (): Promise<Work> => {
  const [{ unified }, { default: remarkParse }] = await Promise.all([
    import("unified"),
    import("remark-parse")
  ])
  const processor = unified().use(remarkParse)
  return (text) => processor.parse(text)
}

export const markdownChunk: RunBench = async (context) => {
  const { report, say, seed, size } = context
  const documents = readCorpus("eips")
  if (documents === null) return context.skip(`no eips in ${dataFolder}`)
  const texts = shuffled(documents, seed).map(({ text }) => text)
  const all = texts.map(takeApart)
  const count = (of: "chunks" | "links") => all.reduce((sum, one) => sum + one[of].length, 0)
  say(`${texts.length} documents, ${count("chunks")} passages, ${count("links")} links to other documents`)

  const windowOf = (window: number) =>
    Array.from(
      { length: documentsPerWindow[size] },
      (_, i) => texts[(window * documentsPerWindow[size] + i) % texts.length] ?? ""
    )
  const against = async (peer: string, floor: Work, target?: string): Promise<void> => {
    const run = (work: Work) => (window: number) =>
      costOf(() => {
        for (const text of windowOf(window)) work(text)
      })
    const pairs = await interleaved(pairsWanted[size], run(takeApart), run(floor))
    const line = (cost: keyof Cost) => ({ ...compare(pairs, (one) => one[cost]), unit: "ms", peer })
    report({
      metric: "passages and links, CPU",
      ...line("cpuMs"),
      ...(target === undefined ? {} : { target })
    })
    report({ metric: "passages and links, wall", ...line("wallMs") })
  }
  const markdown = new MarkdownIt("default", { html: true })
  await against("line scan", scanLines)
  await against("markdown-it, parsing alone", (text) => markdown.parse(text, {}), "<= 1.5")
  const parse = await optional(context, "remark-parse", remark)
  if (parse !== null) await against("remark-parse, parsing alone", parse, "<= 0.2")
}
