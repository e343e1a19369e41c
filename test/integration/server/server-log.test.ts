import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { jsonLogger } from "../../../server/log.js"
import { runs } from "../../support/runs.js"

const logged = (message: string, annotations: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const logger = jsonLogger("debug", (line) => lines.push(line))
  Effect.runSync(
    Effect.logWarning(message).pipe(
      Effect.annotateLogs(annotations),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
  )
  return lines
}

describe("a line of the log", () => {
  const secret = fc.constantFrom(
    "Bearer abc.def",
    "bearer   x",
    "svc_sk_abc123",
    "https://me:hunter2@host/",
    "http://a:b"
  )
  const words = fc
    .array(fc.oneof(secret, fc.string(), fc.constantFrom('"', "\\", "@", " ", "\n")), { maxLength: 6 })
    .map((parts) => parts.join(""))

  it("is one JSON object, whatever is said and cut out of it", () =>
    fc.assert(
      fc.property(words, words, (message, note) => {
        const [line = "", ...others] = logged(message, { note, route: "query" })
        expect(others).toEqual([])
        expect(line).not.toContain("\n")
        expect(
          z.object({ level: z.literal("warning"), route: z.string() }).parse(JSON.parse(line)).route
        ).toBe("query")
      }),
      { numRuns: runs(40) }
    ))

  it("holds no key, no bearer and no password of an address", () => {
    const said = "It sent Bearer abc.def and svc_uk_Zz09 to https://me:hunter2@host/x"
    const [line = ""] = logged(said, { cause: said })
    expect(line).not.toMatch(/abc\.def|Zz09|hunter2/)
    expect(JSON.parse(line)).toMatchObject({
      message: "It sent [secret] and [secret] to https://me:[secret]@host/x"
    })
  })
})
