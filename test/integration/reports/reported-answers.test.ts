import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { openVault } from "../../support/reported-checks.js"

/** Questions over a small vault: what the claims must say (`NONE` where there are none), and what they must not. */
const Cases = z.record(
  z.string(),
  z.object({
    files: z.record(z.string(), z.string()),
    checks: z.array(
      z.object({
        /** Questions of the same conversation that come first. */
        after: z.array(z.string()).default([]),
        ask: z.string(),
        want: z.string(),
        never: z.string().optional()
      })
    )
  })
)
const cases = Cases.parse(
  JSON.parse(readFileSync(new URL("../../fixtures/reports/answers.json", import.meta.url), "utf8"))
)

describe.each(Object.entries(cases))("reported answers: %s", (name, { checks, files }) => {
  let world: Awaited<ReturnType<typeof openVault>>
  beforeAll(async () => {
    world = await openVault(files)
  })
  afterAll(() => world.close())

  it.each(checks.map((check) => [check.ask, check] as const))(
    "%s",
    async (_, { after, ask, never, want }) => {
      const conversation =
        after.length === 0 ? {} : { conversationId: `${name}-${checks.findIndex((one) => one.ask === ask)}` }
      for (const question of after) await world.engine.ask(question, conversation)
      const { claims } = await world.engine.ask(ask, conversation)
      const said = claims.length === 0 ? "NONE" : claims.map(({ text }) => text).join(" ")
      expect(said).toMatch(new RegExp(want, "su"))
      if (never !== undefined && said !== "NONE") expect(said).not.toMatch(new RegExp(never, "su"))
    }
  )
})
