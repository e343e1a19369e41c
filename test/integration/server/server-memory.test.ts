import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { bundledInParts } from "../../support/bundled.js"
import { postgresEnvironment } from "../../support/postgres.js"
import { isLong, propertyRuns } from "../../support/runs.js"

describe("a server that is asked anything for long", () => {
  /**
   * Growth of caches in bytes that is allowed between the two measurements; a kilobyte kept of each request is more.
   */
  const slackBytes = 16 * 1024 * 1024

  it("keeps none of it in memory, and fails at nothing", async ({ onTestFinished }) => {
    const child = await bundledInParts("test/support/fuzz-child.ts")
    onTestFinished(child.drop)
    const requests = isLong ? 12 * propertyRuns : 400
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--expose-gc", child.file, String(requests), "1"],
      { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...postgresEnvironment() } }
    )
    const found = z
      .object({
        requests: z.number(),
        failures: z.array(z.string()),
        atThirdBytes: z.number(),
        atEndBytes: z.number()
      })
      .parse(JSON.parse(stdout))
    expect(found.failures).toEqual([])
    expect(found.requests).toBe(requests)
    expect(found.atEndBytes - found.atThirdBytes).toBeLessThan(slackBytes)
  })
})
