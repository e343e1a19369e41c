import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Tracer from "effect/Tracer"
import { expect, it } from "vitest"
import { postgresPorts } from "../../../../adapters/postgres/index.js"
import { sqlitePorts } from "../../../../adapters/sqlite/index.js"
import { queryOperations } from "../../../../core/answers/answering/index.js"
import { wiring } from "../../../../core/engine/engine/index.js"
import { documentOperations } from "../../../../core/files/documents/index.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import type { Ports } from "../../../../core/ports.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeDatabase } from "../../../support/postgres.js"
import { asCaller, makeWorkspace } from "../../../support/run.js"

/** The statements that an effect runs, by their text. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.tracer, (tracer) => {
    const texts: Array<string> = []
    const listening = Tracer.make({
      context: tracer.context,
      span: (...given) => {
        const span = tracer.span(...given)
        const attribute = span.attribute.bind(span)
        span.attribute = (key, value) => {
          if (key === "db.query.text") texts.push(String(value))
          attribute(key, value)
        }
        return span
      }
    })
    return Effect.as(Effect.withTracer(effect, listening), texts)
  })

/** On SQLite, and on Postgres, where a unit of work takes its turn and rows go with those that belong to them. */
it("a question about what has not changed reads four things and writes down six", async () => {
  await asks(({ data, vault }) => sqlitePorts({ vault, data }), 6)
  const database = await makeDatabase()
  try {
    await asks(({ vault }) => postgresPorts({ vault, database, connectionsMax: 3 }), 4)
  } finally {
    await dropDatabase(database)
  }
})

const asks = async (
  ports: (place: { readonly vault: string; readonly data: string }) => Layer.Layer<Ports>,
  writesMax: number
) => {
  const folder = temporaryFolder("statements")
  mkdirSync(join(folder, "data.d"))
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(wiring, ports({ vault: folder, data: join(folder, "data.d") }))
  )
  try {
    const as = asCaller(await runtime.runPromise(makeWorkspace()))
    const documents = Array.from({ length: 7 }, (_, at) => ({
      path: `pump-${at}.md`,
      content: `# Pump ${at}\n\nThe filter of the Orlaith pump ${at} is changed every ${at + 2} weeks.\n`
    }))
    for (const document of documents)
      await runtime.runPromise(as(runOperation(documentOperations.createDocument, document)))
    const asked = as(
      runOperation(queryOperations.query, {
        question: "How often is the filter of the Orlaith pump changed, and who is Xandra Quimby?"
      })
    )
    await runtime.runPromise(asked)
    const texts = await runtime.runPromise(statementsOf(asked))
    const own = texts.filter((text) => !text.includes("pg_advisory_xact_lock"))
    const reads = own.filter((text) => /^\s*select/iu.test(text))
    // The stamp of what was read before, the calibration, the position of the entities, answers that may be given again.
    expect(reads.map((text) => /from (\w+)/u.exec(text)?.[1])).toEqual([
      "content_change",
      "calibration",
      "counter",
      "answer_cache_entry"
    ])
    expect(own.length - reads.length).toBeLessThanOrEqual(writesMax)
  } finally {
    await runtime.dispose()
  }
}
