import * as Effect from "effect/Effect"
import type { SearchOptions } from "../../core/engine/engine.js"
import type { SearchResponse } from "../../core/retrieval/index.js"
import { type Failure, wrongUsage } from "./failure.js"
import { matches, paintStretches } from "./highlight.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

/** What narrows a search or a list, as the command line gives it. */
export interface FilterInput {
  readonly pathPrefix: string | undefined
  readonly tag: string | undefined
  readonly verification: "unverified" | "verified" | "certified" | "deprecated" | undefined
}

export const filterOf = ({ pathPrefix, tag, verification }: FilterInput) => ({
  ...(pathPrefix === undefined ? {} : { pathPrefix }),
  ...(tag === undefined ? {} : { tag }),
  ...(verification === undefined ? {} : { verification })
})

/** Shows the passages that match. */
export const search = (
  input: CommonInput &
    FilterInput & { readonly query: string; readonly limit: number; readonly rerank: boolean }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    if (input.query.trim() === "") return yield* wrongUsage("The query is empty.")
    yield* withWorkspace(input, { worker: false }, ({ engine }) =>
      Effect.gen(function* () {
        const options: SearchOptions = { limit: input.limit, rerank: input.rerank, ...filterOf(input) }
        const response = yield* call(() => engine.search(input.query, options))
        yield* answer(input.json, response, () => shown(response))
      })
    )
  })

const shown = ({ query, results, total }: SearchResponse): string => {
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

/** The verification of a document where it is worth a word. */
export const standing = (verification: string | undefined): string =>
  verification === "deprecated"
    ? ` · ${paint.yellow("deprecated")}`
    : verification === "verified" || verification === "certified"
      ? ` · ${paint.green(verification)}`
      : ""
