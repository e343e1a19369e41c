import { cpSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { root } from "../../../support/tree.js"

it("of the demo shows around its hub what texts mention most, and not what is linked most", async () => {
  const vault = temporaryFolder("hub")
  cpSync(join(root, "demo", "vault"), vault, { recursive: true })
  const engine = await createEngine({ vault })
  try {
    await engine.ingest()
    const [hub] = (await engine.entities.resolve("KT-1500")).candidates
    if (hub === undefined) throw new Error("The demo has no KT-1500.")
    const { nodes } = await engine.entities.neighborhood(hub.id, { depth: 1, perHopCap: 5 })
    const around = nodes.filter(({ id }) => id !== hub.id)
    const counts = around.map(({ mentionCount }) => mentionCount)
    expect(around.map(({ name }) => name)).toEqual(expect.arrayContaining(["Lantern", "Veck Sound"]))
    expect(around.map(({ name }) => name)).not.toContain("Gearbox oil")
    expect(counts).toEqual([...counts].sort((a, b) => b - a))
  } finally {
    await engine.close()
  }
})
