import type * as SqlClient from "@effect/sql/SqlClient"
import * as Chunks from "effect/Array"
import * as Effect from "effect/Effect"
import type { EntityChange, EntityStore, NewRevision } from "../../../../core/knowledge/entities/index.js"
import { Conflict, type EntityId, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { toJson } from "../../codec.js"
import { changing } from "../../content-changes.js"
import { isUniqueViolation } from "../../errors.js"
import { inBatches, insertRows } from "../../rows.js"
import { aliasRows, entityFeed, entityToRow, movedColumns } from "./entity-rows.js"
import { revisionToRow } from "./revision-rows.js"

type Change = Pick<EntityChange, "before" | "after"> & { readonly revision: NewRevision }

const ranksPerStatement = 500

type Writes = Pick<EntityStore["Type"], "commit" | "setHead" | "setRanks">

/** The calls that write entities, each with the next numbers of the feed of changes. */
export const entityWrites = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const { advance } = yield* WorkspaceStore

    const replaceAliases = (workspace: WorkspaceScope, changes: ReadonlyArray<Change>) =>
      Effect.gen(function* () {
        const moved = changes.filter(({ after, before }) => before === null || !sameAliases(before, after))
        if (moved.length === 0) return
        yield* inBatches(
          moved.filter(({ before }) => before !== null).map(({ after }) => after.id),
          (ids) =>
            sql`delete from entity_alias where workspace_id = ${workspace} and ${sql.in("entity_id", ids)}`
        )
        yield* insertRows(
          sql,
          "entity_alias",
          moved.flatMap(({ after }) => aliasRows(after)).map((row) => ({ workspace_id: workspace, ...row }))
        )
      })

    const writeRows = (
      workspace: WorkspaceScope,
      changes: ReadonlyArray<Change & { readonly seq: number }>
    ) =>
      Effect.gen(function* () {
        for (const { after, before, seq } of changes) {
          if (before === null) continue
          // Updating a column rewrites every index over it, even if its value is unchanged.
          const head = headAfter(before, after)
          const row = {
            ...movedColumns(before, after),
            ...(head === before.headId ? {} : { head_id: head }),
            seq
          }
          const hit = yield* sql`update entity set ${sql.update(row)}
            where workspace_id = ${workspace} and id = ${after.id} and version = ${before.version} returning id`
          if (hit.length === 0)
            return yield* new Conflict({ message: "The entity has changed in the meantime." })
        }
        yield* insertRows(
          sql,
          "entity",
          changes
            .filter(({ before }) => before === null)
            .map(({ after, seq }) => ({
              workspace_id: workspace,
              ...entityToRow(after),
              seq,
              head_id: headAfter(null, after)
            }))
        )
      })

    return {
      commit: (workspace, changes) =>
        Effect.gen(function* () {
          if (changes.length === 0) return
          const last = yield* advance(workspace, entityFeed, changes.length)
          const numbered = changes.map((change, place) => ({
            ...change,
            seq: last - changes.length + 1 + place
          }))
          yield* writeRows(workspace, numbered)
          yield* replaceAliases(workspace, changes)
          yield* insertRows(
            sql,
            "entity_revision",
            changes.map(({ after, revision }) =>
              revisionToRow(workspace, after.id, { version: after.version, ...revision })
            )
          )
        }).pipe(
          (write) =>
            changing(
              sql,
              workspace,
              { entities: changes.flatMap(({ after, before }) => (before === null ? [] : after.id)) },
              write
            ),
          Effect.catchAllDefect((defect) =>
            isUniqueViolation(defect)
              ? Effect.fail(new Conflict({ message: "The name is taken." }))
              : Effect.die(defect)
          ),
          Effect.catchTag("SqlError", (error) =>
            isUniqueViolation(error)
              ? Effect.fail(new Conflict({ message: "The name is taken." }))
              : Effect.die(error)
          )
        ),
      setHead: (workspace, ids, head) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          const last = yield* advance(workspace, entityFeed, ids.length)
          for (const [place, id] of ids.entries()) {
            yield* sql`update entity set head_id = ${head}, seq = ${last - place}
              where workspace_id = ${workspace} and id = ${id}`
          }
        }).pipe((write) => changing(sql, workspace, { entities: ids }, write), Effect.orDie),
      setRanks: (workspace, ranks) =>
        Effect.forEach(
          Chunks.chunksOf(ranks, ranksPerStatement),
          (batch) =>
            sql`update entity set pagerank = cast(ranked.column2 as double precision)
              from (values ${sql.csv(batch.map(({ id, pagerank }) => sql`(${id}, ${pagerank})`))}) as ranked
              where entity.workspace_id = ${workspace} and entity.id = ranked.column1`,
          { discard: true }
        ).pipe(Effect.orDie)
    } satisfies Writes
  })

const sameAliases = (a: Change["after"], b: Change["after"]): boolean =>
  (a.aliases === b.aliases && a.extractedAliases === b.extractedAliases) ||
  toJson([a.aliases, a.extractedAliases]) === toJson([b.aliases, b.extractedAliases])

/** Returns the head after a change of the merge; the service sets it where the chain goes further. */
const headAfter = (before: Change["before"], after: Change["after"]): EntityId =>
  before !== null && before.mergedInto === after.mergedInto ? before.headId : (after.mergedInto ?? after.id)
