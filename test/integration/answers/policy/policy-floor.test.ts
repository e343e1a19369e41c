import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

describe("the floor of confidence", () => {
  const vault = temporaryFolder("floor")
  const question = "How long does the archive keep invoices?"
  let engine: Engine
  beforeAll(async () => {
    writeFileSync(join(vault, "archive.md"), "# Archive\n\nThe archive keeps invoices for ten years.\n")
    engine = await createEngine({ vault, data: ":memory:" })
    await engine.ingest()
  })
  afterAll(() => engine.close())

  it("leaves out what is below it where the gate enforces, and only says so in shadow", async () => {
    const answered = await engine.ask(question, { policyMode: "enforce" })
    expect(answered.answer).toContain("ten years")
    await engine.updateWorkspace({ policy: { thresholds: { floor: 0.999 } } })
    const below = await engine.ask(question, { policyMode: "enforce" })
    expect(below).toMatchObject({ claims: [], policy: { verdict: "abstain_with_pointers" } })
    expect(below.answer).not.toContain("ten years")
    expect(below.sources.length).toBeGreaterThan(0)
    expect(below.policy.reasons).toContain("confidence_floor")
    const shadow = await engine.ask(question, { policyMode: "shadow" })
    expect(shadow.answer).toContain("ten years")
    expect(shadow.policy.verdict).toBe("abstain_with_pointers")
  })
})
