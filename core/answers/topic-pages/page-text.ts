import { folderOf } from "../../files/markdown/index.js"
import type { DocumentId } from "../../platform/kernel/index.js"
import type { Evidence } from "../evidence/index.js"
import type { CitedSentence, PageStatements } from "./model.js"

/** A document that a page cites. */
export interface PageSource {
  readonly docId: DocumentId
  readonly path: string
  readonly title: string
  readonly version: number
}

/** An open contradiction as a page shows it: two quotes, each with its document. */
export interface PageContradiction {
  readonly sides: ReadonlyArray<{ readonly docId: DocumentId; readonly quote: string }>
}

/** Everything that a page is written from. */
export interface PageContent {
  readonly topic: string
  readonly path: string
  readonly statements: PageStatements
  /** Whether a chat model wrote the facts, as paragraphs. */
  readonly isProse: boolean
  readonly contradictions: ReadonlyArray<PageContradiction>
}

/** Sentences of one paragraph. */
const sentencesPerParagraph = 4

/**
 * Returns the page as Markdown, and the documents that it cites in the order of their footnotes. Front matter lists
 * them with their versions.
 *
 * @param sourceOf The document of a source, or of a side of a contradiction.
 */
export const pageText = (
  { contradictions, isProse, path, statements, topic }: PageContent,
  evidence: Pick<Evidence, "sources">,
  sourceOf: (id: DocumentId) => PageSource | undefined
): { readonly content: string; readonly sources: ReadonlyArray<PageSource> } => {
  const cited = new Map<DocumentId, { readonly number: number; readonly source: PageSource }>()
  const note = (ids: ReadonlyArray<DocumentId>): string =>
    [...new Set(ids)]
      .flatMap((id) => {
        const source = sourceOf(id)
        if (source === undefined) return []
        const known = cited.get(id) ?? { number: cited.size + 1, source }
        cited.set(id, known)
        return [`[^${known.number}]`]
      })
      .join("")
  const documentsOf = ({ citations }: CitedSentence): ReadonlyArray<DocumentId> =>
    citations.flatMap((id) => evidence.sources.find((one) => one.id === id)?.passage.documentId ?? [])
  const line = (one: CitedSentence): string => `${inline(one.text)}${note(documentsOf(one))}`
  const { facts, timeline, values } = statements
  const blocks = [
    `# ${inline(topic)}`,
    ...(isProse ? paragraphs(facts.map(line)) : [facts.map(line).map(item).join("\n")]),
    ...section(
      "Values",
      values.map((one) => `| ${inline(one.value)} | ${inline(one.text)} | ${note(documentsOf(one))} |`),
      ["| Value | Statement | Source |", "|---|---|---|"]
    ),
    ...section(
      "Timeline",
      timeline.map((one) => item(`**${inline(one.date)}:** ${line(one)}`))
    ),
    ...section(
      "Open contradictions",
      contradictions.map(({ sides }) =>
        item(sides.map(({ docId, quote }) => `“${inline(quote)}”${note([docId])}`).join(" – "))
      )
    )
  ]
  const sources = [...cited.values()].map(({ source }) => source)
  const footnotes = sources.map(
    (source, at) =>
      `[^${at + 1}]: [${inline(source.title)}](${link(path, source.path)}), version ${source.version}`
  )
  const body = [...blocks, footnotes.join("\n")].filter((block) => block !== "").join("\n\n")
  return { content: `${frontMatter(topic, sources)}\n\n${body}\n`, sources }
}

const item = (text: string): string => `- ${text}`

const paragraphs = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(lines.length / sentencesPerParagraph) }, (_, at) =>
    lines.slice(at * sentencesPerParagraph, (at + 1) * sentencesPerParagraph).join(" ")
  )

const section = (
  heading: string,
  lines: ReadonlyArray<string>,
  before: ReadonlyArray<string> = []
): ReadonlyArray<string> => (lines.length === 0 ? [] : [`## ${heading}`, [...before, ...lines].join("\n")])

/** Text of a document as it stands in Markdown: nothing of it is markup. */
const inline = (text: string): string =>
  text
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[\\`*[\]<|~$]/gu, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/^(?=[#>+-]|\d+[.)]\s)/u, "\\")

/** A relative link between two paths of the vault. */
const link = (from: string, to: string): string => {
  const folders = folderOf(from)
    .split("/")
    .filter((part) => part !== "")
  const target = to.split("/")
  let shared = 0
  while (shared < folders.length && shared < target.length - 1 && folders[shared] === target[shared])
    shared += 1
  const path = [...folders.slice(shared).map(() => ".."), ...target.slice(shared)].join("/")
  return /[\s()]/u.test(path) ? `<${path}>` : path
}

/** A text in quotes of JSON is the same text in YAML. */
const frontMatter = (topic: string, sources: ReadonlyArray<PageSource>): string =>
  [
    "---",
    `title: ${JSON.stringify(topic)}`,
    "compiled: true",
    `topic: ${JSON.stringify(topic)}`,
    "sources:",
    ...sources.flatMap(({ docId, path, version }) => [
      `  - id: ${docId}`,
      `    path: ${JSON.stringify(path)}`,
      `    version: ${version}`
    ]),
    "---"
  ].join("\n")
