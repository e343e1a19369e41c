import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openVault, readCases, seenBy } from "../../support/reported-checks.js"

describe.each(Object.entries(readCases("search.json")))("reported: %s", (_, { checks, files }) => {
  let world: Awaited<ReturnType<typeof openVault>>
  beforeAll(async () => {
    world = await openVault(files)
  })
  afterAll(() => world.close())

  it.each(checks.map((check) => [JSON.stringify(check), check] as const))("%s", async (_, check) => {
    const seen = await seenBy(world.engine, check)
    if (check.first !== undefined) expect(seen).toEqual([check.first])
    if (check.includes !== undefined) expect(seen.join().split("\n")).toContain(check.includes)
    if (check.want != null) expect(seen.some((text) => check.want?.test(text))).toBe(true)
    for (const text of seen) if (check.never != null) expect(text).not.toMatch(check.never)
    expect(seen.length).toBeGreaterThan(0)
  })
})
