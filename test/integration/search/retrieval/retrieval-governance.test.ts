import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Verification, Verification as Verifications } from "../../../../core/files/documents/index.js"
import { operations } from "../../../../core/operations.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import { changeSettings, Settings } from "../../../../core/platform/workspace/index.js"
import { runs } from "../../../support/runs.js"
import { startServer, type TestServer } from "../../../support/server.js"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** A workspace of one-passage documents, each with its standing. */
const open = async (
  documents: ReadonlyArray<{ readonly title: string; readonly text: string; readonly is: Verification }>
) => {
  const workspace = await server.workspace("governed")
  const ids = new Map<string, string>()
  for (const { is, text, title } of documents) {
    const content = `---\ntitle: ${title}\n---\n\n${text}\n`
    const path = `${title}.md`
    const { docId } = await server.as(workspace, runOperation(operations.createDocument, { path, content }))
    ids.set(title, docId)
    if (is !== "unverified")
      await server.as(workspace, runOperation(operations.verifyDocument, { id: docId, verification: is }))
  }
  return {
    search: async (q: string) =>
      (await server.as(workspace, runOperation(operations.search, { q, limit: 50 }))).results,
    set: (governance: Partial<Settings["retrieval"]["governance"]>) =>
      server.as(
        workspace,
        changeSettings({
          retrieval: { governance: { ...Settings.parse({}).retrieval.governance, ...governance } }
        })
      ),
    verify: (title: string, verification: Verification) =>
      server.as(workspace, runOperation(operations.verifyDocument, { id: ids.get(title), verification }))
  }
}

const anyState = fc.constantFrom<Verification>(...Verifications.options)
const filler = fc.constantFrom("copper", "harbour", "willow", "engine", "letter", "marble", "signal")

describe("governance in a search", () => {
  it("never buries the one passage that holds the sought phrase, whatever anybody said of any document", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyState,
        fc.array(
          fc.tuple(
            fc.array(filler, { minLength: 3, maxLength: 8 }),
            fc.constantFrom("", "amber", "falcon"),
            anyState
          ),
          {
            minLength: 2,
            maxLength: 12
          }
        ),
        async (is, others) => {
          const workspace = await open([
            { title: "sought", text: "The amber falcon stands by the harbour.", is },
            ...others.map(([words, half, state], i) => ({
              title: `other ${i}`,
              text: `${words.join(" ")} ${half} stands by the harbour.`,
              is: state
            }))
          ])
          const [first] = await workspace.search("the amber falcon")
          expect([first?.docTitle, first?.verification]).toEqual(["sought", is])
        }
      ),
      { numRuns: runs(12) }
    )
  })

  it("puts ahead what is vouched for where the words tie, labels all, and demotes what is out of use", async () => {
    const text = "The valve closes when the pump stops."
    const workspace = await open(
      (["deprecated", "unverified", "verified", "certified"] as const).map((is) => ({ title: is, text, is }))
    )
    const order = async () => (await workspace.search("pump valve")).map(({ verification }) => verification)
    expect(await order()).toEqual(["certified", "verified", "unverified", "deprecated"])
    await workspace.verify("certified", "deprecated")
    await workspace.verify("deprecated", "certified")
    const found = await workspace.search("pump valve")
    expect(found.map(({ docTitle }) => docTitle)).toEqual([
      "deprecated",
      "verified",
      "unverified",
      "certified"
    ])
    expect(found.map(({ verification }) => verification)).toEqual([
      "certified",
      "verified",
      "unverified",
      "deprecated"
    ])
  })

  it("decides a tie of any size, and moves nothing that tied with nobody past what answers better", async () => {
    const text = "The valve closes when the pump stops."
    const tied = Array.from({ length: 12 }, (_, i) => ({
      title: `tied ${i}`,
      text,
      is: "unverified" as const
    }))
    const better = {
      title: "better",
      text: "Pump valve: the pump valve of the valve pump.",
      is: "unverified" as const
    }
    const workspace = await open([...tied, better])
    const order = async () => (await workspace.search("pump valve")).map(({ docTitle }) => docTitle)
    const [first, ...others] = await order()
    const last = others.at(-1) ?? ""
    expect([first, others.length]).toEqual(["better", 12])
    await workspace.verify(last, "certified")
    const governed = await order()
    expect(governed.filter((title) => title !== "better")[0]).toBe(last)
    expect(governed.filter((title) => title !== last)).toEqual([first, ...others.slice(0, -1)])
  })

  it("does as much as the workspace says, down to nothing", async () => {
    const text = "The valve closes when the pump stops."
    const workspace = await open(
      ["a", "b", "c"].map((title, i) => ({
        title,
        text,
        is: (["deprecated", "unverified", "certified"] as const)[i] ?? "unverified"
      }))
    )
    const order = async () => (await workspace.search("pump valve")).map(({ docTitle }) => docTitle)
    expect(await order()).toEqual(["c", "b", "a"])
    await workspace.set({ deprecated: 1, verified: 1, certified: 1, reviewOverdue: 1 })
    const plain = await order()
    await workspace.set({ deprecated: 10, certified: 0.1 })
    expect(await order()).toEqual(["a", "b", "c"])
    await workspace.set({ deprecated: 1, certified: 1 })
    expect(await order()).toEqual(plain)
  })

  it("names what is out of use behind what stands, of entities that a name may mean alike", async () => {
    const workspace = await server.workspace("concepts")
    const make = async (type: string) =>
      (await server.as(workspace, runOperation(operations.createEntity, { name: "Mercury", type }))).id
    const [planet, metal] = [await make("planet"), await make("metal")]
    const order = async () =>
      (await server.as(workspace, runOperation(operations.resolveEntities, { q: "mercury" }))).candidates.map(
        ({ id }) => id
      )
    for (const [gone, stays] of [
      [planet, metal],
      [metal, planet]
    ] as const) {
      if (gone === metal) {
        await server.as(workspace, runOperation(operations.createEntity, { name: "Mercury", type: "god" }))
      }
      await server.as(workspace, runOperation(operations.deprecateEntity, { id: gone }))
      const found = await order()
      expect(found).toHaveLength(gone === planet ? 2 : 3)
      expect(found.at(-1) === gone || found.slice(-2).includes(gone)).toBe(true)
      if (gone === planet) expect(found).toEqual([stays, gone])
    }
  })
})
