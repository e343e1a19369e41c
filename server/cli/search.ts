import * as Effect from "effect/Effect"
import { isRemote } from "../../adapters/vault/vault-address.js"
import { operations } from "../../core/operations.js"
import type { SearchResponse } from "../../core/search/retrieval/index.js"
import { operationCommand } from "./command.js"
import { wrongUsage } from "./failure.js"
import { matches, paintStretches } from "./highlight.js"
import { call } from "./session.js"
import { paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, indexingLine, wrap } from "./text.js"

export const searchCommand = operationCommand("search", operations.search, {
  description: "Find passages by their words and their meaning.",
  arguments: {
    q: { name: "query", optional: false, description: "What to look for: plain text, no syntax." }
  },
  flags: {
    asOf: { placeholder: "DAY" },
    limit: { description: "Maximum number of passages to show" },
    rerank: { description: "Let the reranker order the passages, and drop near-duplicates." }
  },
  prepare: (given) =>
    String(given["q"]).trim() === "" ? wrongUsage("The query is empty.") : Effect.succeed(given),
  run: function* ({ engine, json, perform, place }) {
    const output = yield* perform
    const unsynced =
      json || place.fresh || isRemote(place.vault) ? 0 : yield* call(() => engine.unsyncedFiles())
    return { output, text: () => [describe(output), ...notes(output, unsynced)].join("\n\n") }
  }
})

/** Returns notes on changes that the results may lack. */
const notes = ({ historyIncomplete, indexing }: SearchResponse, unsynced: number): ReadonlyArray<string> =>
  historyIncomplete === true
    ? [paint.yellow("Retention has removed texts of that time; they are not found.")]
    : indexing !== undefined
      ? [paint.dim(indexingLine(indexing))]
      : unsynced === 0
        ? []
        : [
            paint.yellow(
              `${counted(unsynced, "file has", "files have")} changed since the last ingest and may not be found: kanon ingest`
            )
          ]

const describe = ({ query, results, total }: SearchResponse): string => {
  if (results.length === 0) return "Nothing found."
  const blocks = results.map((result, index) => {
    const rank = `${index + 1}.`.padStart(`${results.length}.`.length)
    const indent = " ".repeat(rank.length + 1)
    const place = placeText(result.docPath, result.docTitle, result.headingPath, result.page)
    const snippet = cleanLine(result.snippet)
    const wrapped = wrap(snippet, proseColumns(), indent)
    const score = `${result.channels.join("+")} ${result.score.toPrecision(3)}${
      result.rerankScore === undefined ? "" : `, reranked ${result.rerankScore.toPrecision(3)}`
    }`
    return [
      `${paint.dim(rank)} ${paint.bold(cleanLine(result.docTitle))}${standing(result.verification)}`,
      paint.dim(wrap(place, proseColumns(), indent)),
      ...originalLines(result, indent),
      paintStretches(snippet, matches(snippet, cleanLine(query)), wrapped, paint.yellow),
      indent + paint.dim(score)
    ].join("\n")
  })
  return [...blocks, paint.dim(`${results.length} of ${counted(total, "passage")}`)].join("\n\n")
}

/** A document's path, the page, and the headings above a passage, outermost first; a first one that is the title says nothing. */
export const placeText = (path: string, title: string, headingPath: string, page?: number): string => {
  const headings = headingPath.split(" > ").map(cleanLine)
  const telling = headings[0] === cleanLine(title) ? headings.slice(1) : headings
  return [cleanLine(path), page === undefined ? "" : `page ${page}`, ...telling]
    .filter((part) => part !== "")
    .join(" › ")
}

/** Returns the line with the address of the original, at its page if it has pages; empty without an address. */
export const originalLines = (
  { page, sourceUrl }: { readonly page?: number | undefined; readonly sourceUrl?: string | undefined },
  indent: string
): ReadonlyArray<string> =>
  sourceUrl === undefined
    ? []
    : [paint.dim(`${indent}${cleanLine(sourceUrl)}${page === undefined ? "" : `#page=${page}`}`)]

/** The verification of a document where it is worth a word. */
export const standing = (verification: string | undefined): string =>
  verification === "deprecated"
    ? ` · ${paint.yellow("deprecated")}`
    : verification === "verified" || verification === "certified"
      ? ` · ${paint.green(verification)}`
      : ""
