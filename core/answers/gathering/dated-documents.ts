import * as Effect from "effect/Effect"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { pageContentAsked, type Question } from "../../language/questions/index.js"
import type { DocumentId, WorkspaceScope } from "../../platform/kernel/index.js"

/** Pages of a date, and the last ones of a folder, that join the candidates. */
const pagesMax = 5
/** Folders in which the latest page is looked for. */
const foldersMax = 2
const isoDay = /\d{4}-\d{2}-\d{2}/u

const twoDigits = (part: number | null): string => String(part ?? 0).padStart(2, "0")

/**
 * Returns pages for whose content a question asks by their date: those with the date in title or path, or the last ones
 * of the folders in which the search found pages named by dates. Empty for other questions.
 */
export const datedDocuments = (
  workspace: WorkspaceScope,
  question: Question,
  found: ReadonlyArray<Passage>
): Effect.Effect<ReadonlyArray<DocumentId>, never, DocumentStore> =>
  Effect.gen(function* () {
    const pageQuestion = pageContentAsked(question)
    if (pageQuestion === null) return []
    const store = yield* DocumentStore
    if (pageQuestion.day !== "newest") {
      const days = pageQuestion.day.map(
        ({ day, month, year }) => `${year ?? ""}-${twoDigits(month)}-${twoDigits(day)}`
      )
      const pages = yield* Effect.forEach(days, (q) =>
        store.list(workspace, { limit: pagesMax, offset: 0 }, { q })
      )
      return pages.flatMap(({ items }) => items.map(({ id }) => id))
    }
    const folders = found
      .filter(({ docPath }) => isoDay.test(docPath.split("/").at(-1) ?? ""))
      .map(({ docPath }) => docPath.split("/").slice(0, -1).join("/"))
    const last = yield* Effect.forEach([...new Set(folders)].slice(0, foldersMax), (folder) =>
      Effect.gen(function* () {
        const { total } = yield* store.list(workspace, { limit: 1, offset: 0 }, { folder })
        return yield* store.list(
          workspace,
          { limit: pagesMax, offset: Math.max(0, total - pagesMax) },
          { folder }
        )
      })
    )
    return last.flatMap(({ items }) => items.map(({ id }) => id))
  })
