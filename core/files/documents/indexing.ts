import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { StampedValue } from "../../platform/caching/index.js"
import { Caller, now, type WorkspaceScope } from "../../platform/kernel/index.js"
import { DocumentStore } from "./store.js"

/** How far a running ingest has come with the files of a vault. */
export const Indexing = z
  .object({
    done: z.int().min(0).describe("Files that are searchable."),
    total: z.int().min(0).describe("Files of the vault; 0 while they are being counted.")
  })
  .describe("New files are still being taken in, so results may be incomplete. Absent otherwise.")
export type Indexing = z.infer<typeof Indexing>

/** Progress of the ingests that run in this process, by workspace. */
export class IndexingProgress extends Context.Reference<IndexingProgress>()("kanon/IndexingProgress", {
  defaultValue: () => {
    const running = new Map<WorkspaceScope, Indexing>()
    return {
      /** Sets or, with null, ends the progress of a workspace. */
      set: (workspace: WorkspaceScope, progress: Indexing | null): void => {
        if (progress === null) running.delete(workspace)
        else running.set(workspace, progress)
      },
      get: (workspace: WorkspaceScope): Indexing | null => running.get(workspace) ?? null,
      /** Stamps of content at which no other process was taking in files. */
      idle: new StampedValue<true>()
    }
  }
}) {}

/**
 * Returns a result with `indexing` while new files of the caller's workspace are being taken in, by this process or by
 * another one. Other processes are looked for when the content has changed: `stamp` is that of the result.
 */
export const withIndexing = Effect.fnUntraced(function* <A extends object>(
  result: A,
  stamp: string | null
): Effect.fn.Return<A & { readonly indexing?: Indexing }, never, Caller> {
  const { view, workspace } = yield* Caller
  // The numbers count files of which the caller may not know.
  if (view != null) return result
  const { get, idle } = yield* IndexingProgress
  const own = get(workspace)
  if (own !== null) return { ...result, indexing: own }
  if (idle.get(workspace, stamp) === true) return result
  const store = Option.getOrNull(yield* Effect.serviceOption(DocumentStore))
  if (store === null) return result
  const other = Option.getOrNull(yield* store.indexing(workspace, yield* now))
  if (other !== null) return { ...result, indexing: other }
  idle.set(workspace, stamp, true)
  return result
})
