import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type EndedSpan, recordingTracer } from "../../../../adapters/host/span-tracer.js"
import { sqliteClient } from "../../../../adapters/sqlite/client.js"
import { traced, withSpan } from "../../../../core/platform/kernel/index.js"
import { runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const spanOfParent = Effect.map(Effect.serviceOption(Tracer.ParentSpan), Option.isSome)
const inner = traced("inner")(function* (by: number) {
  return { isSpanned: yield* spanOfParent, sum: by + 1 }
})
const outer = withSpan("outer")(inner(1))

/** The spans that somebody takes who listens. */
const taken = async (work: Effect.Effect<unknown, unknown>): Promise<ReadonlyArray<EndedSpan>> => {
  const spans: Array<EndedSpan> = []
  const tracer = recordingTracer({ ratio: 1, put: (span) => spans.push(span) })
  const request = Effect.withSpan(work, "request", { root: true, kind: "consumer" })
  await runEffect(Effect.provide(request, Layer.setTracer(tracer)))
  return spans
}

/** Names of the spans below one. */
const below = (spans: ReadonlyArray<EndedSpan>, name: string): ReadonlyArray<string> => {
  const parents = new Set(spans.filter((span) => span.name === name).map(({ spanId }) => spanId))
  return spans
    .filter(({ parentSpanId }) => parentSpanId !== null && parents.has(parentSpanId))
    .map((span) => span.name)
}

/** The same work where nobody listens and where somebody does. */
const either = async <A>(work: Effect.Effect<A, unknown, SqlClient.SqlClient>) => {
  const once = Effect.provide(work, sqliteClient({ filename: ":memory:" }))
  const alone = await runEffect(once)
  const found: Array<A> = []
  const spans = await taken(Effect.map(once, (one) => found.push(one)))
  expect(found).toEqual([alone])
  return { found: alone, spans }
}

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table item (n integer primary key)`
  return {
    sql,
    add: (n: number) => sql`insert into item ${sql.insert({ n })}`,
    all: Effect.map(sql<{ n: number }>`select n from item order by n`, (rows) => rows.map(({ n }) => n))
  }
})

describe("spans of our own work", () => {
  it("are made where somebody takes them, and are not in the way elsewhere", async () => {
    expect(await runEffect(outer)).toEqual({ isSpanned: false, sum: 2 })
    const spans = await taken(outer)
    expect(below(spans, "request")).toEqual(["outer"])
    expect(below(spans, "outer")).toEqual(["inner"])
    const found: Array<unknown> = []
    await taken(Effect.map(outer, (one) => found.push(one)))
    expect(found).toEqual([{ isSpanned: true, sum: 2 }])
  })

  it("are none where tracing is off, though somebody would take them", async () => {
    const spans = await taken(Effect.withTracerEnabled(outer, false))
    expect(spans.map(({ name }) => name)).toEqual(["request"])
  })
})

describe("statements and units of work, listened to or not", () => {
  it("end alike: committed, undone as a whole, undone in part", async () => {
    const { found, spans } = await either(
      Effect.gen(function* () {
        const { add, all, sql } = yield* table
        yield* sql.withTransaction(Effect.zipRight(add(1), add(2)))
        const failed = yield* Effect.exit(sql.withTransaction(Effect.zipRight(add(3), Effect.fail("no"))))
        const died = yield* Effect.exit(sql.withTransaction(Effect.zipRight(add(4), Effect.die("no"))))
        yield* sql.withTransaction(
          Effect.zipRight(
            add(5),
            Effect.ignore(sql.withTransaction(Effect.zipRight(add(6), Effect.fail("no"))))
          )
        )
        const twice = yield* Effect.either(sql.withTransaction(Effect.zipRight(add(7), add(7))))
        return { rows: yield* all, ends: [failed, died].map(Exit.isSuccess), twice: twice._tag }
      })
    )
    expect(found).toEqual({ rows: [1, 2, 5], ends: [false, false], twice: "Left" })
    expect(below(spans, "sql.transaction")).toContain("sql.execute")
  })

  it("leave nothing when they are interrupted, and the next one has its turn", async () => {
    const { found } = await either(
      Effect.gen(function* () {
        const { add, all, sql } = yield* table
        const held = yield* Effect.fork(sql.withTransaction(Effect.zipRight(add(1), Effect.never)))
        const waiting = yield* Effect.fork(sql.withTransaction(add(2)))
        yield* Effect.sleep(5)
        yield* Fiber.interrupt(held)
        yield* Fiber.join(waiting)
        return yield* all
      })
    )
    expect(found).toEqual([2])
  })

  it("keep to a bound limit and offset, and to any number of texts", () =>
    runEffect(
      Effect.gen(function* () {
        const { add, sql } = yield* table
        for (let n = 0; n < 12; n++) yield* add(n)
        const bound = fc.nat({ max: 14 })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(bound, bound, async (limit, offset) => {
              const rows = await runEffect(
                sql<{ n: number }>`select n from item order by n limit ${limit} offset ${offset}`
              )
              const wanted = Array.from({ length: 12 }, (_, n) => n).slice(offset, offset + limit)
              expect(rows.map(({ n }) => n)).toEqual(wanted)
            }),
            { numRuns: runs(50) }
          )
        )
        // More than a connection keeps prepared.
        for (let text = 0; text < 450; text++)
          expect(yield* sql.unsafe(`select ${text} as n where 1 = ?`, [1])).toEqual([{ n: text }])
        expect(yield* sql.unsafe("select 0 as n where 1 = ?", [1])).toEqual([{ n: 0 }])
      }).pipe(Effect.provide(sqliteClient({ filename: ":memory:" })))
    ))
})
