import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { sqliteClient } from "../../../adapters/sqlite/client.js"
import { movable } from "../../support/clocked-server.js"
import { temporaryFolder } from "../../support/folders.js"
import { runEffect } from "../../support/run.js"

const hourMs = 3_600_000

const withClock = async (
  use: (filename: string, move: (millis: number) => void) => Effect.Effect<void, never, SqlClient.SqlClient>
) => {
  const folder = temporaryFolder("sqlite-clock")
  const filename = join(folder, "kanon.sqlite")
  const { clock, move } = movable()
  await runEffect(
    use(filename, move).pipe(
      Effect.provide(Layer.provideMerge(sqliteClient({ filename }), Layer.setClock(clock)))
    )
  )
}

describe("a write during which somebody sets the clock", () => {
  it.each([
    ["on by a year", 24 * 365 * hourMs],
    ["back by a day", -24 * hourMs]
  ])("waits for its turn as it would, when it is set %s", (_how, by) =>
    withClock((filename, move) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const other = new Sqlite(filename)
        other.exec("begin immediate")
        const write = yield* Effect.fork(sql.withTransaction(Effect.succeed("written")))
        yield* Effect.sleep(50)
        move(by)
        yield* Effect.sleep(50)
        other.exec("commit")
        other.close()
        expect(yield* Effect.orDie(Fiber.join(write))).toBe("written")
      })
    )
  )

  it("follows at once upon a long one, when it is set back in between", () =>
    withClock((_filename, move) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Effect.orDie(sql.withTransaction(Effect.sleep(120)))
        move(-hourMs)
        // Would come after that hour, which no test waits for.
        yield* Effect.orDie(sql.withTransaction(Effect.void))
      })
    ))
})
