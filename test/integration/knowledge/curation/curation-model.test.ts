import * as fc from "fast-check"
import { describe, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { type Bench, compare, curationCommands } from "../../../support/curation-commands.js"
import { checkRecord } from "../../../support/curation-record.js"
import type { World } from "../../../support/curation-world.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

const vault = temporaryFolder("curation")

/** Each storage by its name: an engine on an empty workspace of it. */
const storages: Readonly<Record<string, () => Promise<Engine>>> = {
  SQLite: () => createEngine({ vault, data: ":memory:", worker: false })
}

describe.each(Object.entries(storages))("curation on %s", (_, open) => {
  it("does what a simple model does, step by step, and keeps every rule of history and audit", () =>
    fc.assert(
      fc.asyncProperty(curationCommands(40), async (commands) => {
        const engine = await open()
        const bench: Bench = { engine, entities: [], requests: [] }
        const model: World = { entities: [], requests: [] }
        try {
          await fc.asyncModelRun(() => ({ model, real: bench }), commands)
          await compare(model, bench)
          await checkRecord(engine)
        } finally {
          await engine.close()
        }
      }),
      { numRuns: runs(20) }
    ))
})
