/** Who may read the items of a source: what a crawler names becomes principals, which are stored for the documents. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import { AccessStore, Principal, userPrincipal } from "../../platform/access/index.js"
import { IdentityStore } from "../../platform/identity/index.js"
import {
  atomically,
  type DocumentId,
  type SyncRunId,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import type { ActiveSync, SourceReaders } from "./active-sync.js"
import type { ItemReaders } from "./crawler.js"
import { SourceStore } from "./store.js"

const emailPrefix = "email:"
const Email = z.string().regex(/^email:[^\s@]{1,200}@[^\s@]{1,200}$/u)
const NamedReaders = z
  .array(z.union([Principal, Email]))
  .max(10_000)
  .nullable()

/** Why an item is not brought over whose readers cannot be read. */
export const unreadableReaders =
  "The source names the readers of the item in an unknown form: nobody reads its document until it names them again."

/** Whether readers are in the form that the port asks for; a crawler of a third party may give anything. */
export const areReaders = (readers: unknown): readers is ItemReaders =>
  NamedReaders.safeParse(readers).success

/**
 * Makes the store of the readers that the source of a run names. A person is the member with the e-mail address, without
 * regard to case; a group is the group of that name. Whoever is not found is left out.
 */
export const sourceReaders = (workspace: WorkspaceScope, run: SyncRunId) =>
  Effect.gen(function* () {
    const [access, identity, workspaces] = [yield* AccessStore, yield* IdentityStore, yield* WorkspaceStore]
    const { runs } = yield* SourceStore
    const members = yield* Effect.cached(identity.memberEmails(workspace))
    const principalsOf = (readers: ItemReaders) =>
      readers === null
        ? Effect.succeed(null)
        : Effect.map(members, (ids) => {
            const found = readers.flatMap((reader) => {
              if (!reader.startsWith(emailPrefix)) return [reader]
              const id = ids.get(reader.slice(emailPrefix.length).toLowerCase())
              return id === undefined ? [] : [userPrincipal(id)]
            })
            return [...new Set(found)].sort()
          })
    return {
      set: (readers) =>
        Effect.gen(function* () {
          const source = new Map<DocumentId, ReadonlyArray<string> | null>()
          for (const [id, named] of readers) source.set(id, yield* principalsOf(named))
          const { folders } = (yield* workspaces.get(workspace)).settings.access
          const accessChanged = yield* access.setSource(workspace, source, folders)
          if (accessChanged > 0) yield* runs.count(workspace, run, { accessChanged })
        })
    } satisfies SourceReaders
  })

/** Lets nobody read the documents of an item, since the source no longer says who may. */
export const hideItem = ({ connector, readers, run, workspace }: ActiveSync, externalId: string) =>
  Effect.gen(function* () {
    if (run.dryRun) return
    const { items } = yield* SourceStore
    const known = [
      ...(yield* items.find(workspace, connector.id, [externalId])),
      ...(yield* items.attached(workspace, connector.id, externalId))
    ].flatMap(({ documentId }) => (documentId === null ? [] : [[documentId, []] as const]))
    yield* atomically(readers.set(new Map(known)))
  })
