import * as Effect from "effect/Effect"
import type { Passage } from "../documents/index.js"
import type { WorkspaceScope } from "../kernel/index.js"
import { phraseLabels } from "../lexical/index.js"
import { type Retrieval, SearchCache } from "../retrieval/index.js"
import { amendmentIn, type TextCache } from "../text-analysis/index.js"
import { analyseForIndex } from "../tokenization/index.js"

/** Documents whose amendments are looked for: the first ones that were found. */
const documentsMax = 2
/** A title that more passages mention is a common word. */
const mentionsMax = 40
const passagesMax = 12

/**
 * Passages that mention the title of a document that was found and replace words of another text: amendments, which
 * rarely share a word with the question.
 */
export const amendmentsTo = (workspace: WorkspaceScope, { passages, stamp }: Retrieval, texts: TextCache) =>
  Effect.gen(function* () {
    const known = new Set(passages.map(({ passage }) => passage.label))
    const titles = new Map<string, string>(
      passages.map(({ passage }) => [passage.documentId, passage.docTitle])
    )
    const found: Array<Passage> = []
    for (const title of [...titles.values()].slice(0, documentsMax)) {
      const words = analyseForIndex(title).filter(({ kind }) => kind === "word")
      const first = words[0]?.position ?? 0
      if (words.length === 0) continue
      const labels = yield* phraseLabels(
        workspace,
        words.map(({ position, term }) => ({ term, position: position - first })),
        stamp
      )
      const unread = labels.filter((label) => !known.has(label))
      if (labels.length > mentionsMax || unread.length === 0) continue
      const read = yield* (yield* SearchCache).passages(workspace, stamp, unread.slice(0, passagesMax))
      for (const passage of read.values())
        if (texts.passage(passage.text).units.some((unit) => amendmentIn(unit) !== null)) found.push(passage)
    }
    return found
  })
