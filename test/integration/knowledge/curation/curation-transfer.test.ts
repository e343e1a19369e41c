import { mkdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { canonicalJson, escapeControls } from "../../../../core/platform/kernel/index.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { exported, linesOf, piecesOf, sealed, withPlace } from "../../../support/transfer.js"

/** Requests of every kind and every status, in the care of somebody. */
const fill = async (engine: Engine): Promise<void> => {
  const { changeRequests, entities } = engine
  const [crane, hoist] = await Promise.all(
    ["Crane", "Hoist"].map(async (name) => (await entities.create({ name, type: "machine" })).id)
  )
  if (crane === undefined || hoist === undefined) throw new RangeError("There are no entities.")
  const made = await changeRequests.propose({ kind: "create", payload: { name: "Quay", type: "place" } })
  await engine.as("ann").changeRequests.approve(made.id, "good")
  const renamed = await changeRequests.propose({
    kind: "update",
    entityId: crane,
    payload: { name: "Big crane", aliases: ["Ölkran"], description: "" },
    note: "\u2028"
  })
  await changeRequests.reject(renamed.id, "no")
  const retired = await changeRequests.propose({
    kind: "deprecate",
    entityId: hoist,
    payload: { note: "old" }
  })
  await changeRequests.withdraw(retired.id)
  await changeRequests.propose({ kind: "supersede", entityId: hoist, payload: { supersededBy: crane } })
  await changeRequests.propose({ kind: "delete", entityId: crane })
  await entities.setOwner(crane, "ann", ["bob"])
}

/** An export, as bytes, of a workspace with requests. */
const withExport = (use: (bytes: Buffer, copy: string) => Promise<void>): Promise<void> =>
  withPlace((vault) =>
    withPlace(async (copy) => {
      mkdirSync(vault, { recursive: true })
      const engine = await createEngine({ vault, worker: false })
      await fill(engine)
      const bytes = await exported(engine)
      await engine.close()
      await use(bytes, copy)
    })
  )

describe("an export with change requests", () => {
  it("keeps them, so that an import has the same ones, and writes the same bytes", () =>
    withExport(async (bytes, copy) => {
      const { records } = await importWorkspace(piecesOf(bytes), { vault: copy, wait: false })
      expect(records.request).toBe(5)
      expect(sealed(linesOf(bytes).map((line) => escapeControls(canonicalJson(line)))).toString()).toBe(
        bytes.toString()
      )
      const engine = await createEngine({ vault: copy, worker: false })
      expect((await exported(engine)).toString()).toBe(bytes.toString())
      const all = await engine.changeRequests.list()
      expect(all.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
        "delete open",
        "supersede open",
        "deprecate withdrawn",
        "update rejected",
        "create approved"
      ])
      const [removal, successor] = all
      await expect(engine.changeRequests.approve(removal?.id ?? "")).rejects.toMatchObject({
        code: "reviewer_required"
      })
      await engine.changeRequests.approve(successor?.id ?? "")
      await engine.as("bob").changeRequests.approve(removal?.id ?? "")
      const { differences, findings } = await engine.doctor()
      expect(differences).toBe(0)
      expect(findings.map(({ code }) => code)).not.toContain("request_astray")
      await engine.close()
    }))

  const forgeries: Readonly<Record<string, (request: Record<string, unknown>) => Record<string, unknown>>> = {
    "a payload of another kind": (request) => ({ ...request, change: "delete" }),
    "a field that there is not": (request) => ({ ...request, payload: { name: "A", owner: "me" } }),
    "no entity where one is needed": (request) => ({ ...request, entityId: null }),
    "a decision and yet open": (request) => ({ ...request, status: "open" }),
    "a status that there is not": (request) => ({ ...request, status: "merged" }),
    "a member more": (request) => ({ ...request, votes: 3 })
  }

  it.each(Object.entries(forgeries))("is refused where somebody put in %s", (_, forge) =>
    withExport(async (bytes, copy) => {
      const lines = linesOf(bytes).map((line) =>
        canonicalJson(line["kind"] === "request" && line["change"] === "update" ? forge(line) : line)
      )
      await expect(importWorkspace(piecesOf(sealed(lines)), { vault: copy })).rejects.toMatchObject({
        code: "invalid_export",
        fault: { reason: "invalid_record" }
      })
    })
  )
})
