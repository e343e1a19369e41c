import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { ChainFinding, ChainHead } from "./model.js"
import { AuditLog } from "./store.js"

/** A head that is kept beside the database. */
export interface KeptHead extends ChainHead {
  /** The file that holds it, for people. */
  readonly file: string
}

/**
 * The head of each chain, kept outside of the database after each commit. A chain that ends before its kept head has
 * lost its tail, which no chain can show of itself. A kept head may be behind, since a crash can come between the two.
 * By default nothing is kept.
 */
export class KeptHeads extends Context.Reference<KeptHeads>()("kanon/KeptHeads", {
  defaultValue: (): {
    readonly read: (workspace: WorkspaceScope) => Effect.Effect<KeptHead | null>
    /** Keeps a head durably, unless a later one is kept. Never fails: what cannot be written is logged. */
    readonly write: (workspace: WorkspaceScope, head: ChainHead) => Effect.Effect<void>
    /** Forgets the kept head, for a chain that an import replaces. */
    readonly forget: (workspace: WorkspaceScope) => Effect.Effect<void>
  } => ({
    read: () => Effect.succeed(null),
    write: () => Effect.void,
    forget: () => Effect.void
  })
}) {}

const accepting = "After an older backup was restored on purpose, remove that file"

/** Describes the events that a chain, which ends at a position, lost up to a kept head. */
const tailIsLost = (end: number, { file, position }: KeptHead): ChainFinding => {
  const count = Math.max(1, position - end)
  const gone =
    end >= position
      ? `event ${position} is another one than the head that is kept in ${file} names: the end of the trail was lost, and later events took its place`
      : `${count === 1 ? "1 event" : `${count} events`} at the end, up to event ${position} that the head kept in ${file} names, ${count === 1 ? "is" : "are"} gone, with the changes that ${count === 1 ? "it records" : "they record"}`
  return {
    fault: "removed",
    position: position - count + 1,
    id: null,
    count,
    message: `${gone}. ${accepting}`
  }
}

/**
 * Compares the end of the workspace's chain with the head that is kept beside the database. Returns null where they
 * agree; the chain may have grown since.
 */
export const lostTail = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    // Read first: the chain holds an event before its head is kept.
    const kept = yield* (yield* KeptHeads).read(workspace)
    if (kept === null) return null
    const { events, head } = yield* (yield* AuditLog).page(workspace, kept.position - 1, 1)
    if (events[0]?.hash === kept.hash && events[0].position === kept.position) return null
    return tailIsLost(head?.position ?? 0, kept)
  })
