import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type AuditDraft,
  type AuditFilter,
  AuditLog,
  type AuditSlice,
  type ChainHead,
  chainStart,
  eventOf,
  KeptHeads,
  type ListedEvent,
  linked,
  type StoredEvent
} from "../../../../core/platform/audit/index.js"
import { Ids, serviceLayer, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { afterCommit, asUnit, OnRollback, Unsynced } from "../../atomic.js"
import { toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { hasRows, inBatches, insertRows, readAll, readFirst } from "../../rows.js"
import { withWorkspaceLock } from "../../workspace-lock.js"

/** Columns of the table `audit`, the chain of events of each workspace. */
const columns = columnsOf<StoredEvent>({
  position: number("seq"),
  id: text(),
  action: text(),
  actor: text(),
  activity: text(),
  subjectId: text(),
  at: text(),
  details: text(),
  requestId: text(),
  prevHash: text(),
  hash: text()
})

export const storedFromRow = columns.read

interface HeadRow {
  readonly head_seq: unknown
  readonly head_hash: string | null
}

/** Number of cached chain heads. */
const endsMax = 1_000

/** Positions scanned at a time if no index matches the filter. */
const placesPerLook = 20_000

export const sqlAuditLog = serviceLayer(
  AuditLog,
  Effect.gen(function* () {
    const [sql, { sha256 }] = [yield* SqlClient.SqlClient, yield* Ids]
    const inTurn = withWorkspaceLock(sql)

    /** Chain heads after this process's last append; only a hint, because others append too. */
    const ends = new Map<WorkspaceScope, ChainHead>()
    const remember = (workspace: WorkspaceScope, end: ChainHead): Effect.Effect<void> =>
      Effect.zipRight(noteEnd(workspace, end), keepAfterCommit(workspace, end))
    const noteEnd = (workspace: WorkspaceScope, end: ChainHead): Effect.Effect<void> =>
      Effect.withFiberRuntime((fiber) => {
        const before = ends.get(workspace)
        const undoing = Option.getOrNull(Context.getOption(fiber.currentContext, OnRollback))
        undoing?.add(() => {
          if (before === undefined) ends.delete(workspace)
          else ends.set(workspace, before)
        })
        const [oldest] = ends.keys()
        if (before === undefined && ends.size >= endsMax && oldest !== undefined) ends.delete(oldest)
        ends.set(workspace, end)
        return Effect.void
      })

    const kept = yield* KeptHeads
    /** Workspaces whose kept head is in the chain, so that it may be replaced by a later one. */
    const trusted = new Set<WorkspaceScope>()
    /** Whether the kept head may be replaced. One that the chain lost stays until a person removes it. */
    const isReplaceable = (workspace: WorkspaceScope) =>
      Effect.gen(function* () {
        if (trusted.has(workspace)) return true
        const head = yield* kept.read(workspace)
        const isThere =
          head === null ||
          (yield* sql`select 1 as one from audit where workspace_id = ${workspace} and seq = ${head.position}
            and hash = ${head.hash}`.pipe(hasRows))
        if (isThere) trusted.add(workspace)
        return isThere
      })
    /** The last events of each unit of work that has begun. */
    const units = new WeakMap<object, Map<WorkspaceScope, ChainHead>>()
    /**
     * Keeps the head beside the database once the unit of work is committed. A commit that becomes durable later keeps
     * none: a power cut would leave the head ahead of the chain.
     */
    const keepAfterCommit = (workspace: WorkspaceScope, end: ChainHead): Effect.Effect<void> =>
      Effect.withFiberRuntime((fiber) => {
        const undoing = Option.getOrNull(Context.getOption(fiber.currentContext, OnRollback))
        if (undoing === null || Context.get(fiber.currentContext, Unsynced)) return Effect.void
        const known = units.get(undoing)
        if (known !== undefined) {
          known.set(workspace, end)
          return Effect.void
        }
        const ended = new Map([[workspace, end]])
        units.set(undoing, ended)
        undoing.add(() => ended.clear())
        const keep = Effect.suspend(() =>
          Effect.forEach(ended, ([scope, head]) => kept.write(scope, head), { discard: true })
        )
        return Effect.flatMap(isReplaceable(workspace), (may) => (may ? afterCommit(keep) : Effect.void))
      })

    /**
     * Returns the event to link to. If the trail was damaged (the head is missing or behind existing events), it
     * continues after the last event with a broken link, which every verification reports; work goes on.
     */
    const lastHead = (workspace: WorkspaceScope) =>
      Effect.map(
        sql<{ seq: unknown; hash: string | null; last: unknown }>`select h.seq, h.hash,
            (select max(a.seq) from audit a where a.workspace_id = ${workspace}) as last
          from (select 1 as one) o left join audit_head h on h.workspace_id = ${workspace}`,
        ([row]): ChainHead => {
          const [start, last] = [chainStart(workspace, sha256), toNumber(row?.last)]
          if (row?.hash == null)
            return last === 0 ? start : { position: last, hash: sha256(`${start.hash}:${last}`) }
          const position = toNumber(row.seq)
          return { position: position >= last ? position : last, hash: row.hash }
        }
      )

    const insert = (workspace: WorkspaceScope, events: ReadonlyArray<StoredEvent>) =>
      insertRows(
        sql,
        "audit",
        events.map((event) => ({ workspace_id: workspace, ...columns.write(event) }))
      )

    const moveHead = (workspace: WorkspaceScope, { hash, position }: ChainHead) =>
      sql`insert into audit_head (workspace_id, seq, hash) values (${workspace}, ${position}, ${hash})
        on conflict (workspace_id) do update set seq = excluded.seq, hash = excluded.hash
          where excluded.seq > audit_head.seq`

    /** Links events to a head that was read. */
    const follow = (workspace: WorkspaceScope, drafts: ReadonlyArray<AuditDraft>) =>
      Effect.flatMap(lastHead(workspace), (head) => {
        const events = linked(head, drafts, sha256)
        const end = events.at(-1) ?? head
        return Effect.all([remember(workspace, end), moveHead(workspace, end), insert(workspace, events)], {
          discard: true
        })
      })

    /** Links events to the cached head, if the chain still ends there; saves a read. */
    const followEnd = (workspace: WorkspaceScope, drafts: ReadonlyArray<AuditDraft>, head: ChainHead) => {
      const events = linked(head, drafts, sha256)
      const end = events.at(-1) ?? head
      return Effect.flatMap(
        sql`update audit_head set seq = ${end.position}, hash = ${end.hash}
          where workspace_id = ${workspace} and seq = ${head.position} and hash = ${head.hash} returning seq`,
        (moved) => {
          if (moved.length === 0) return follow(workspace, drafts)
          return Effect.zipRight(remember(workspace, end), insert(workspace, events))
        }
      )
    }

    const range = (workspace: WorkspaceScope) =>
      Effect.map(
        sql<{ first: unknown; last: unknown }>`select min(seq) as first, max(seq) as last from audit
          where workspace_id = ${workspace}`,
        ([row]) => ({ first: toNumber(row?.first), last: toNumber(row?.last) })
      )

    const listed = (
      workspace: WorkspaceScope,
      conditions: ReadonlyArray<Fragment>,
      slice: AuditSlice,
      limit: number
    ) =>
      Effect.gen(function* () {
        const rows = yield* sql<{ seq: unknown; hash: string }>`select a.* from audit a
          where a.workspace_id = ${workspace} and ${sql.and(conditions)}
          order by a.seq ${sql.literal(slice.order === "newest_first" ? "desc" : "asc")} limit ${limit}`
        const hashes = new Map(rows.map(({ hash, seq }) => [Number(seq), hash]))
        const missing = rows.map(({ seq }) => Number(seq) - 1).filter((seq) => !hashes.has(seq))
        const before =
          missing.length === 0
            ? []
            : yield* sql<{ seq: unknown; hash: string }>`select seq, hash from audit
                where workspace_id = ${workspace} and ${sql.in("seq", missing)}`
        for (const { hash, seq } of before) hashes.set(Number(seq), hash)
        return rows.map(
          (row): ListedEvent => ({
            ...storedFromRow(row),
            hashBefore: hashes.get(Number(row.seq) - 1) ?? null
          })
        )
      })

    return {
      append: (workspace, drafts) =>
        drafts.length === 0
          ? Effect.void
          : asUnit(
              sql,
              // Other appends wait from here until this unit of work ends. A missing head row cannot be locked, so
              // the workspace lock is taken.
              Effect.flatMap(Effect.orDie(inTurn(workspace)), () => {
                const end = ends.get(workspace)
                return end === undefined ? follow(workspace, drafts) : followEnd(workspace, drafts, end)
              })
            ),
      adopt: (workspace, events, head) =>
        asUnit(
          sql,
          head === null
            ? insert(workspace, events)
            : Effect.zipRight(
                Effect.zipRight(insert(workspace, events), moveHead(workspace, head)),
                afterCommit(kept.forget(workspace))
              )
        ),
      // Select positions first: otherwise SQLite reads the workspace's whole trail for one subject.
      ofSubject: (workspace, subjectId, limit) =>
        sql`select * from audit where workspace_id = ${workspace} and seq in (
            select seq from audit where workspace_id = ${workspace} and subject_id = ${subjectId})
          order by seq desc limit ${limit}`.pipe(readAll((row) => eventOf(storedFromRow(row)))),
      // There is no index by time: the trail is in the order of time, so its end is read until it is older.
      subjectsSince: (workspace, idPrefix, at) =>
        Effect.gen(function* () {
          const found = new Set<string>()
          for (const { first, last } of positionRanges(yield* range(workspace), true, undefined)) {
            const rows = yield* sql<{ id: string }>`select distinct subject_id as id from audit
              where workspace_id = ${workspace} and seq between ${first} and ${last} and at > ${at}`
            for (const { id } of rows) if (id.startsWith(idPrefix)) found.add(id)
            if (rows.length === 0) break
            yield* Effect.sleep(0)
          }
          return [...found]
        }).pipe(Effect.orDie),
      ofSubjectsUntil: (workspace, ids, at) =>
        Effect.map(
          inBatches(ids, (batch) =>
            sql`select * from audit where workspace_id = ${workspace} and seq in (
                select seq from audit where workspace_id = ${workspace} and ${sql.in("subject_id", batch)})
              and at <= ${at} order by seq`.pipe(readAll(storedFromRow))
          ),
          (events) => [...events].sort((a, b) => a.position - b.position).map(eventOf)
        ),
      // One statement, so that events and head are consistent despite concurrent appends.
      page: (workspace, after, limit) =>
        sql<
          HeadRow & { readonly id: string | null }
        >`select a.*, h.seq as head_seq, h.hash as head_hash from (select 1 as one) o
          left join audit_head h on h.workspace_id = ${workspace}
          left join audit a on a.workspace_id = ${workspace} and a.seq > ${after}
          order by a.seq limit ${limit}`.pipe(
          Effect.map((rows) => ({
            events: rows.filter(({ id }) => id !== null).map(storedFromRow),
            head: headOf(rows[0])
          })),
          Effect.orDie
        ),
      isOwed: (workspace) =>
        sql`select 1 as one where exists (select 1 from entity_revision where workspace_id = ${workspace})
          or exists (select 1 from document_version where workspace_id = ${workspace})`.pipe(hasRows),
      list: (workspace, slice) =>
        Effect.gen(function* () {
          const [wanted, { after, order }] = [conditionsOf(sql, slice), slice]
          const isDown = order === "newest_first"
          if (isIndexed(slice) || wanted.length === 0) {
            const behind = after === undefined ? [] : [isDown ? sql`a.seq < ${after}` : sql`a.seq > ${after}`]
            return yield* listed(workspace, [...wanted, ...behind, sql`1 = 1`], slice, slice.limit)
          }
          const found: Array<ListedEvent> = []
          for (const look of positionRanges(yield* range(workspace), isDown, after)) {
            const here = [...wanted, sql`a.seq between ${look.first} and ${look.last}`]
            found.push(...(yield* listed(workspace, here, slice, slice.limit - found.length)))
            if (found.length >= slice.limit) break
            yield* Effect.sleep(0)
          }
          return found
        }).pipe(Effect.orDie),
      count: (workspace, filter) =>
        Effect.gen(function* () {
          const conditions = conditionsOf(sql, filter)
          const counted = (bounds: ReadonlyArray<Fragment>) =>
            Effect.map(
              sql<{ n: unknown }>`select count(*) as n from audit a
                where a.workspace_id = ${workspace} and ${sql.and([...conditions, ...bounds])}`,
              ([row]) => toNumber(row?.n)
            )
          if (isIndexed(filter) || conditions.length === 0) return yield* counted([sql`1 = 1`])
          let total = 0
          for (const { first, last } of positionRanges(yield* range(workspace), true, undefined)) {
            total += yield* counted([sql`a.seq between ${first} and ${last}`])
            yield* Effect.sleep(0)
          }
          return total
        }).pipe(Effect.orDie),
      positionOf: (workspace, id) =>
        sql<{ seq: unknown }>`select seq from audit where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(({ seq }) => toNumber(seq))
        )
    }
  })
)

const headOf = (row: HeadRow | undefined): ChainHead | null =>
  row === undefined || row.head_hash === null
    ? null
    : { position: toNumber(row.head_seq), hash: row.head_hash }

/** Returns whether an index matches the filter. */
const isIndexed = ({ subjectId }: AuditFilter): boolean => subjectId !== undefined

const conditionsOf = (
  sql: SqlClient.SqlClient,
  { action, actor, from, subjectId, to }: AuditFilter
): ReadonlyArray<Fragment> => [
  ...(subjectId === undefined ? [] : [sql`a.subject_id = ${subjectId}`]),
  ...(action === undefined ? [] : [sql`a.action = ${action}`]),
  ...(actor === undefined ? [] : [sql`a.actor = ${actor}`]),
  ...(from === undefined ? [] : [sql`a.at >= ${from}`]),
  ...(to === undefined ? [] : [sql`a.at < ${to}`])
]

/** Splits the positions of a chain into ranges, so that a long scan does not block others. */
const positionRanges = (
  { first, last }: { readonly first: number; readonly last: number },
  isDown: boolean,
  after: number | undefined
): ReadonlyArray<{ readonly first: number; readonly last: number }> => {
  const [low, high] = [
    isDown || after === undefined ? first : after + 1,
    isDown && after !== undefined ? after - 1 : last
  ]
  const count = Math.max(0, Math.ceil((high - low + 1) / placesPerLook))
  const stretches = Array.from({ length: count }, (_, place) => ({
    first: low + place * placesPerLook,
    last: Math.min(high, low + (place + 1) * placesPerLook - 1)
  }))
  return isDown ? stretches.reverse() : stretches
}
