import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { AnswerStore } from "../../core/answers/answering/index.js"
import { PolicyStore } from "../../core/answers/policy/index.js"
import { ChunkIndex, DocumentStore } from "../../core/files/documents/index.js"

import { EntityStore } from "../../core/knowledge/entities/index.js"

import { GraphStore } from "../../core/knowledge/graph/index.js"
import { VocabularyStore } from "../../core/knowledge/vocabulary/index.js"
import { AuditLog } from "../../core/platform/audit/index.js"
import { PostingStore } from "../../core/search/lexical/index.js"
import { VectorIndex } from "../../core/search/vectors/index.js"
import { OverviewStore } from "../../core/upkeep/overview/index.js"

import { MayReadReplica } from "./replicas.js"

/**
 * The ports whose reads may go to a replica: documents and their index, the graph, and what was recorded. Keys, members,
 * settings, credentials, jobs and runs are in none of them. The feed of vectors is not either, because an index of this
 * process would begin anew when it is ahead of the feed.
 */
const replicaPorts: ReadonlySet<string> = new Set([
  ...[
    DocumentStore,
    ChunkIndex,
    PostingStore,
    EntityStore,
    GraphStore,
    VocabularyStore,
    OverviewStore,
    AuditLog,
    AnswerStore
  ].map(({ key }) => key),
  ...["unresolved", "records", "claims", "extraction"].map((part) => `${GraphStore.key}.${part}`),
  `${EntityStore.key}.requests`,
  `${PolicyStore.key}.decisions`,
  `${OverviewStore.key}.trash`
])
/** Only method of the vector index in the database that reads at a replica; its other methods may change the index. */
const searchAlone = "search"

/** Lets the methods of these ports read at a replica, within operations that change nothing. */
export const bindReplicaReads = <Services>(services: Context.Context<Services>): Context.Context<Services> =>
  Context.unsafeMake(
    new Map(
      [...services.unsafeMap].map(([key, service]) => [
        key,
        replicaPorts.has(key)
          ? withReads(service, key, () => true)
          : key === VectorIndex.key
            ? withReads(service, key, (method) => method === searchAlone)
            : service
      ])
    )
  )

const withReads = (service: unknown, key: string, mayRead: (method: string) => boolean): unknown => {
  if (typeof service !== "object" || service === null) return service
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      typeof member === "function" && mayRead(name)
        ? (...given: ReadonlyArray<unknown>) => reading(member.apply(service, given))
        : replicaPorts.has(`${key}.${name}`)
          ? withReads(member, `${key}.${name}`, () => true)
          : mayRead(name)
            ? reading(member)
            : member
    ])
  )
}

const reading = (made: unknown): unknown =>
  Effect.isEffect(made) ? Effect.provideService(made, MayReadReplica, true) : made
