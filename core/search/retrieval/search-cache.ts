import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { plainText } from "../../files/markdown/index.js"
import { ByteCache, bytesFor, StampedValue } from "../../platform/caching/index.js"
import {
  cacheKeyOf,
  type DocumentId,
  serviceLayer,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import { snippetLine } from "./snippet.js"

/**
 * Caches what searches read often. Entries are valid for the database stamp under which they were read; without a
 * stamp everything is read. Bounded in bytes.
 */
export class SearchCache extends Context.Tag("kanon/SearchCache")<
  SearchCache,
  {
    readonly settings: (
      workspace: WorkspaceScope,
      stamp: string | null
    ) => Effect.Effect<Settings, never, WorkspaceStore>
    /** Returns the live passages with these labels, by label. */
    readonly passages: (
      workspace: WorkspaceScope,
      stamp: string | null,
      labels: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, Passage>, never, DocumentStore>
    /** Returns when the next review of the document is due; null when none is. */
    readonly reviewDue: (
      workspace: WorkspaceScope,
      stamp: string | null,
      document: DocumentId
    ) => Effect.Effect<string | null, never, DocumentStore>
    /** Returns the plain text of a passage on one line, from which snippets are cut. */
    readonly line: (passage: Passage) => string
  }
>() {}

/** Upper bound of labels. */
const labelsMax = 2 ** 32

interface Stamped<Value> {
  readonly stamp: string
  readonly value: Value
}

/** Makes a cache of the configured size; by default about 15,000 passages with their plain text. */
export const searchCache = () =>
  serviceLayer(
    SearchCache,
    Effect.map(bytesFor("search"), (limitBytes) => {
      const settings = new StampedValue<Settings>()
      const passages = new ByteCache<Stamped<Passage>, number>(limitBytes * 0.6)
      const numbers = new Map<string, number>()
      /** Passage keys are numbers: building strings would cost more than the rest of the lookup. */
      const firstKey = (workspace: string): number => {
        const number = numbers.get(workspace) ?? numbers.size
        numbers.set(workspace, number)
        return number * labelsMax
      }
      const reviews = new ByteCache<Stamped<string | null>>(limitBytes * 0.05)
      // A passage id is derived from its text, so this cache needs no stamp.
      const lines = new ByteCache<string>(limitBytes * 0.35)
      return {
        settings: (workspace, stamp) => {
          const cached = settings.get(workspace, stamp)
          if (cached !== undefined) return Effect.succeed(cached)
          return Effect.map(
            Effect.flatMap(WorkspaceStore, (store) => store.get(workspace)),
            (read) => {
              settings.set(workspace, stamp, read.settings)
              return read.settings
            }
          )
        },
        passages: (workspace, stamp, labels) =>
          Effect.flatMap(cacheKeyOf(workspace), (key) => {
            const found = new Map<number, Passage>()
            const base = firstKey(key)
            const missing = labels.filter((label) => {
              const cached = stamp === null ? undefined : passages.get(base + label)
              if (cached === undefined || cached.stamp !== stamp) return true
              found.set(label, cached.value)
              return false
            })
            if (missing.length === 0) return Effect.succeed(found)
            return Effect.map(
              Effect.flatMap(DocumentStore, (documents) => documents.passages(workspace, missing)),
              (read) => {
                for (const passage of read) {
                  found.set(passage.label, passage)
                  if (stamp === null) continue
                  passages.set(base + passage.label, { stamp, value: passage }, sizeOf(passage))
                }
                return found
              }
            )
          }),
        reviewDue: (workspace, stamp, document) => {
          const cached = stamp === null ? undefined : reviews.get(`${workspace}/${document}`)
          if (cached !== undefined && cached.stamp === stamp) return Effect.succeed(cached.value)
          return Effect.map(
            Effect.flatMap(DocumentStore, (documents) => documents.find(workspace, document)),
            (found) => {
              const due = Option.match(found, {
                onNone: () => null,
                onSome: ({ nextVerifyAt }) => nextVerifyAt
              })
              if (stamp !== null) reviews.set(`${workspace}/${document}`, { stamp, value: due }, 200)
              return due
            }
          )
        },
        line: (passage) => {
          const cached = lines.get(passage.id)
          if (cached !== undefined) return cached
          const line = snippetLine(plainText(passage.text))
          lines.set(passage.id, line, 150 + line.length * 2)
          return line
        }
      }
    })
  )

/** Two bytes per UTF-16 unit (the widest case), plus the object and its short strings. */
const sizeOf = ({ docPath, docTitle, headingPath, text }: Passage): number =>
  headingPath.reduce((sum, heading) => sum + 40 + heading.length * 2, 600) +
  (text.length + docPath.length + docTitle.length) * 2
