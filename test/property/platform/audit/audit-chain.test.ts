import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import {
  auditHead,
  type ChainFinding,
  chainStart,
  linked,
  listAudit,
  record,
  type StoredEvent,
  verifyAudit
} from "../../../../core/platform/audit/index.js"
import {
  type AuditId,
  atomically,
  Caller,
  Ids,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { asCaller, baseLayer, makeWorkspace } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

/** Every example has workspaces of its own. */
const runtime = ManagedRuntime.make(baseLayer())
afterAll(() => runtime.dispose())

const deed = fc.record({
  action: fc.constantFrom("document.create", "entity.update", "relation.delete"),
  subjectId: fc.constantFrom("doc_1", "doc_2", "ent_1"),
  details: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { maxKeys: 3 })
})
/** A unit of work: how many actions it records at a time, and whether it is rolled back. */
const unit = fc.record({
  batches: fc.array(fc.array(deed, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  fails: fc.boolean(),
  isMine: fc.boolean(),
  actor: fc.string({ unit: "binary", maxLength: 5 }),
  requestId: fc.option(fc.stringMatching(/^[\w.:-]{1,12}$/), { nil: undefined })
})

describe("any history of units of work", () => {
  it("leaves a chain that verifies, in every workspace, and units that fail leave nothing in it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 12 }), (units) =>
        runtime.runPromise(
          Effect.gen(function* () {
            const [mine, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
            yield* Effect.forEach(
              units,
              ({ actor, batches, fails, isMine, requestId }) =>
                atomically(
                  Effect.zipRight(
                    Effect.forEach(batches, record),
                    fails ? Effect.fail("given up") : Effect.void
                  )
                ).pipe(
                  Effect.provideService(Caller, {
                    workspace: isMine ? mine : other,
                    actor,
                    activity: "ui",
                    ...(requestId === undefined ? {} : { requestId })
                  }),
                  Effect.ignore
                ),
              { concurrency: 4 }
            )
            for (const workspace of [mine, other]) {
              const kept = units.filter(({ fails, isMine }) => !fails && isMine === (workspace === mine))
              const events = kept.flatMap(({ batches }) => batches.flat()).length
              const asked = kept.filter(({ requestId }) => requestId !== undefined)
              yield* asCaller(workspace)(
                Effect.gen(function* () {
                  expect(yield* verifyAudit()).toMatchObject({
                    ok: true,
                    events,
                    findings: [],
                    differences: 0
                  })
                  expect(yield* auditHead).toMatchObject({ position: events })
                  const { chain, items, total } = yield* listAudit({}, { cursor: undefined, limit: 200 })
                  expect([total, items.length, chain.verified]).toEqual([events, events, true])
                  expect(items.filter(({ requestId }) => requestId !== null)).toHaveLength(
                    asked.flatMap(({ batches }) => batches.flat()).length
                  )
                })
              )
            }
          })
        )
      ),
      { numRuns: runs(40) }
    )
  })
})

/** A row of the trail, as a tamperer finds it. */
type Row = Readonly<Record<string, string | number | null>>

const columns = [
  "workspace_id",
  "id",
  "action",
  "actor",
  "activity",
  "subject_id",
  "at",
  "details",
  "request_id",
  "prev_hash",
  "hash"
] as const

const place = fc.nat({ max: 1_000_000 })
const tampering = fc.oneof(
  fc.record({ kind: fc.constant("update" as const), at: place, column: fc.constantFrom(...columns) }),
  fc.record({ kind: fc.constant("renumber" as const), at: place, to: fc.constantFrom(-3, 0, 0.5, 1000) }),
  fc.record({ kind: fc.constant("delete" as const), at: place, closes: fc.boolean() }),
  fc.record({ kind: fc.constant("swap" as const), at: place, by: place }),
  fc.record({ kind: fc.constant("insert" as const), at: place, fits: fc.boolean() }),
  fc.record({ kind: fc.constant("head" as const), column: fc.constantFrom("seq", "hash", "both", "row") })
)
type Tampering = typeof tampering extends fc.Arbitrary<infer One> ? One : never

/** Expected finding: the kind of fault, its position, and the event. */
type Expected = Pick<ChainFinding, "fault"> & Partial<Pick<ChainFinding, "position" | "id" | "count">>

/** Tampers with the trail of a workspace as somebody who may write to the file; gives what must be found. */
const tamper = (workspace: WorkspaceScope, one: Tampering) =>
  Effect.gen(function* () {
    const [sql, ids] = [yield* SqlClient.SqlClient, yield* Ids]
    const rows = yield* sql<Row>`select * from audit where workspace_id = ${workspace} order by seq`
    const at = (number: number) => (number % rows.length) + 1
    const idAt = (position: number) => (rows[position - 1]?.["id"] ?? null) as AuditId | null
    const shift = (from: number, by: number) =>
      Effect.zipRight(
        sql`update audit set seq = -seq where workspace_id = ${workspace} and seq >= ${from}`,
        sql`update audit set seq = -seq + ${by} where workspace_id = ${workspace} and seq <= ${-from}`
      )
    const row = (position: number) => sql`workspace_id = ${workspace} and seq = ${position}`
    switch (one.kind) {
      case "update": {
        const position = at(one.at)
        const value =
          one.column === "details" ? `${rows[position - 1]?.["details"]} ` : `${ids.make("audit")}`
        yield* sql`update audit set ${sql(one.column)} = ${value} where ${row(position)}`
        if (one.column === "workspace_id") return [{ fault: "removed", position, count: 1 }]
        return [{ fault: "changed", position, id: one.column === "id" ? value : idAt(position) }]
      }
      case "renumber": {
        const [position, last] = [at(one.at), rows.length]
        const to = one.to === 0.5 ? position + 0.5 : one.to
        yield* sql`update audit set seq = ${to} where ${row(position)}`
        const stays = one.to === 0.5 || (position === 1 && to < 2) || (position === last && to > last)
        if (stays) return [{ fault: "misnumbered", position: to, id: idAt(position) }]
        const moved = { fault: "reordered" as const, position: to, id: idAt(position) }
        const neighbour = (other: number) => ({ ...moved, position: other, id: idAt(other) })
        // Who moves by one place changes places with a neighbour, and nobody can tell which of them it was.
        if (to > last) return position === last - 1 ? [neighbour(last), moved] : [moved]
        return position === 2 ? [moved, neighbour(1)] : [moved]
      }
      case "delete": {
        const position = at(one.at)
        yield* sql`delete from audit where ${row(position)}`
        if (!one.closes || position === rows.length)
          return [{ fault: "removed", position, count: 1, id: null }]
        yield* shift(position + 1, -1)
        return [{ fault: "removed", position, id: idAt(position + 1) }]
      }
      case "swap": {
        const [a, b] = [at(one.at), at(one.by)]
        if (a === b) return []
        yield* sql`update audit set seq = 0 where ${row(a)}`
        yield* sql`update audit set seq = ${a} where ${row(b)}`
        yield* sql`update audit set seq = ${b} where ${row(0)}`
        return [
          { fault: "reordered", position: Math.min(a, b), id: idAt(Math.max(a, b)) },
          { fault: "reordered", position: Math.max(a, b), id: idAt(Math.min(a, b)) }
        ]
      }
      case "insert": {
        const position = at(one.at + 1)
        const isLast = position === 1 && one.at % 2 === 0
        const where = isLast ? rows.length + 1 : position
        const before =
          where === 1 ? chainStart(workspace, ids.sha256).hash : String(rows[where - 2]?.["hash"])
        const [forged] = linked(
          { position: where - 1, hash: one.fits ? before : ids.sha256("nobody") },
          [
            {
              id: ids.make("audit"),
              action: "member.add",
              actor: "local",
              activity: "ui",
              subjectId: "usr_1",
              at: "2026-01-01T00:00:00.000Z",
              details: {},
              requestId: null
            }
          ],
          ids.sha256
        )
        if (!isLast) yield* shift(where, 1)
        yield* insertForged(workspace, forged)
        return [{ fault: "inserted", position: where, id: forged?.id ?? null, count: 1 }]
      }
      case "head": {
        const head = sql`workspace_id = ${workspace}`
        if (one.column === "row") yield* sql`delete from audit_head where ${head}`
        if (one.column === "seq" || one.column === "both")
          yield* sql`update audit_head set seq = seq + 5 where ${head}`
        if (one.column === "hash" || one.column === "both")
          yield* sql`update audit_head set hash = ${ids.sha256("nobody")} where ${head}`
        // A head ahead of the events looks as if the newest of them were gone.
        if (one.column === "both") return [{ fault: "removed", position: rows.length + 1, count: 5 }]
        return [{ fault: "head", position: rows.length }]
      }
    }
  }).pipe(Effect.map((expected): ReadonlyArray<Expected> => expected as ReadonlyArray<Expected>))

const insertForged = (workspace: WorkspaceScope, forged: StoredEvent | undefined) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    forged === undefined
      ? Effect.void
      : sql`insert into audit ${sql.insert({
          workspace_id: workspace,
          seq: forged.position,
          id: forged.id,
          action: forged.action,
          actor: forged.actor,
          activity: forged.activity,
          subject_id: forged.subjectId,
          at: forged.at,
          details: forged.details,
          request_id: forged.requestId,
          prev_hash: forged.prevHash,
          hash: forged.hash
        })}`
  )

const recordSome = (count: number) =>
  atomically(
    record(
      Array.from({ length: count }, (_, number) => ({
        action: "document.create",
        subjectId: `doc_${number % 3}`,
        details: { version: number }
      }))
    )
  )

describe("any single tampering", () => {
  it("is found, named at the right event, and nothing else is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), tampering, (count, one) =>
        runtime.runPromise(
          Effect.gen(function* () {
            const workspace = yield* makeWorkspace()
            const mine = asCaller(workspace)
            yield* mine(recordSome(count))
            const { hash } = yield* mine(auditHead)
            const expected = yield* tamper(workspace, one)
            const report = yield* mine(verifyAudit())
            expect([report.findings, report.ok]).toMatchObject([expected, expected.length === 0])
            const kept = yield* mine(verifyAudit({ head: hash }))
            expect(kept.ok).toBe(expected.length === 0)
          })
        )
      ),
      { numRuns: runs(150) }
    )
  })
})

/** Events of the trail that are gone, by their places; with the places of the others closed up, or left as they were. */
const removal = fc.record({
  gone: fc.array(fc.boolean(), { minLength: 1, maxLength: 12, size: "max" }),
  closes: fc.boolean()
})

describe("any events that were deleted", () => {
  const found = ({ closes, gone }: typeof removal extends fc.Arbitrary<infer One> ? One : never) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const [workspace, sql] = [yield* makeWorkspace(), yield* SqlClient.SqlClient]
        const mine = asCaller(workspace)
        yield* mine(recordSome(gone.length))
        let kept = 0
        for (const [place, isGone] of gone.entries()) {
          const row = sql`workspace_id = ${workspace} and seq = ${place + 1}`
          if (isGone) yield* sql`delete from audit where ${row}`
          else kept += 1
          if (!isGone && closes) yield* sql`update audit set seq = ${kept} where ${row}`
        }
        return (yield* mine(verifyAudit())).findings
      })
    )
  const told = (findings: ReadonlyArray<ChainFinding>) =>
    findings.map(({ count, fault, position }) => ({ fault, position, count }))

  it.each([[[5, 7]], [[3, 5]], [[3, 5, 7]], [[2, 4, 6]], [[1, 3]], [[6, 8]]])(
    "are told as gone where they left one between them: %j of eight",
    async (places) => {
      const gone = Array.from({ length: 8 }, (_, place) => places.includes(place + 1))
      expect(told(await found({ gone, closes: false }))).toEqual(
        places.map((position) => ({ fault: "removed", position, count: 1 }))
      )
    }
  )

  it("are told as removals and none that is left as put there", async () => {
    await fc.assert(
      fc.asyncProperty(removal, async (one) => {
        const findings = told(await found(one))
        const starts = one.gone.flatMap((isGone, place) =>
          isGone && one.gone[place - 1] !== true ? [place] : []
        )
        const gaps = starts.map((start) => {
          const end = one.gone.indexOf(false, start)
          return {
            fault: "removed" as const,
            position: start + 1,
            count: (end < 0 ? one.gone.length : end) - start
          }
        })
        if (!one.closes) expect(findings).toEqual(gaps)
        expect(findings.map(({ fault }) => fault)).toEqual(gaps.map(({ fault }) => fault))
      }),
      { numRuns: runs(150) }
    )
  })
})
