import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { SqliteConnection } from "../../../adapters/sqlite/connection.js"
import { runEffect } from "../../support/run.js"

it("a value that is no count of rows is named with its statement, and no text is", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* SqliteConnection.open(":memory:", { readonly: false })
        const select = "select ? as word limit ? offset ?"
        expect(yield* connection.run(select, ["secret", 1, 0])).toEqual([{ word: "secret" }])
        for (const limit of [Number.NaN, 2.5, null])
          expect(yield* Effect.flip(connection.run(select, ["secret", limit, 0]))).toMatchObject({
            message: `datatype mismatch: ${select} with string, ${limit ?? "object"}, 0`
          })
      })
    )
  ))
