import { parentPort } from "node:worker_threads"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { parseContent } from "../../core/files/documents/index.js"
import { relinked, relinkingOf } from "../../core/files/links/index.js"
import { draftHtml } from "../../core/files/markdown/index.js"
import type { ThesaurusFiles } from "../../core/language/word-relations/index.js"
import type { LongTextJob, PartsReply } from "./long-texts.js"
import { lowerPriority } from "./lower-priority.js"
import type { PoolReply } from "./thread-pool.js"

// Main program of the threads that parse long texts, read their facts, rewrite their links, render them and check what
// they state.

const reply = (message: PoolReply<unknown>): void => parentPort?.postMessage(message)

const partsOf = (given: Parameters<typeof parseContent>): PartsReply => {
  const { passages, ...rest } = parseContent(...given)
  return { ...rest, passages: JSON.stringify(passages.map(({ text: _text, ...bare }) => bare)) }
}

const factsOf = async (given: Extract<LongTextJob, { readonly kind: "facts" }>["given"]) => {
  // Loaded when it is needed: it holds a lexicon.
  const { loadTagger, readFacts } = await import("../../core/knowledge/extraction/index.js")
  await loadTagger()
  return readFacts(...given)
}

type ClaimsJob = Extract<LongTextJob, { readonly kind: "claims" }>["given"]

/** Reads each thesaurus once; all jobs name the same folder. */
let thesauri: ManagedRuntime.ManagedRuntime<ThesaurusFiles, never> | undefined

const checkedOf = async ([asked, thesaurusFolder]: ClaimsJob) => {
  // Loaded when they are needed: they hold word lists.
  const { checkStatements } = await import("../../core/answers/answering/index.js")
  const { thesaurusFiles } = await import("./thesaurus-files.js")
  thesauri ??= ManagedRuntime.make(thesaurusFiles(thesaurusFolder))
  return thesauri.runPromise(checkStatements(asked))
}

const resultOf = (job: LongTextJob): unknown => {
  switch (job.kind) {
    case "parts":
      return partsOf(job.given)
    case "facts":
      return factsOf(job.given)
    case "links": {
      const [source, moved, relocation] = job.given
      return relinked(source, moved, relinkingOf(relocation))
    }
    case "html":
      return draftHtml(...job.given)
    case "claims":
      return checkedOf(job.given)
  }
}

lowerPriority()
parentPort?.on("message", async (job: LongTextJob) => {
  try {
    reply({ result: await resultOf(job) })
  } catch (error) {
    reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
reply({ ready: true })
