import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Engine, KanonError } from "../../../../adapters/sqlite/index.js"
import { EntityId } from "../../../../core/platform/kernel/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { burnHealthy, withPatient } from "../../../support/patient.js"
import { runs } from "../../../support/runs.js"
import { startServer, type TestServer } from "../../../support/server.js"
import { exported, linesOf } from "../../../support/transfer.js"

const vault = temporaryFolder("rules")
let engine: Engine
let server: TestServer
beforeAll(async () => {
  engine = await createEngine({ vault, data: ":memory:", worker: false })
  server = await startServer()
})
afterAll(async () => {
  await engine.close()
  await server.close()
  await burnHealthy()
})

let made = 0
const enter = async (given: { readonly aliases?: ReadonlyArray<string>; readonly name?: string } = {}) => {
  made += 1
  return engine.entities.create({ name: `Thing ${made}`, type: "thing", ...given })
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof KanonError ? error.code : error)
  )
const revisionsOf = async (id: string) => (await engine.entities.revisions(id)).revisions

/** Returns the exported state without change requests, their audit events and the length of the audit. */
const approvedState = async () =>
  linesOf(await exported(engine))
    .filter(({ action, kind }) => kind !== "request" && !String(action).startsWith("change_request."))
    .map(({ auditHead: _, ...line }) => line)

describe("a change request", () => {
  it("leaves the approved state untouched while it is open, and when it is rejected or withdrawn", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("reject" as const, "withdraw" as const),
        fc.oneof(
          fc.record({
            kind: fc.constant("update" as const),
            payload: fc.record({ name: fc.constantFrom("Other", "Thing 1"), description: fc.string() })
          }),
          fc.record({
            kind: fc.constantFrom("deprecate" as const, "delete" as const),
            payload: fc.constant({})
          })
        ),
        async (how, asked) => {
          const { id } = await enter()
          const before = await approvedState()
          const request = await engine.changeRequests.propose({ ...asked, entityId: id, note: "why" })
          expect(await approvedState()).toEqual(before)
          await engine.changeRequests.get(request.id)
          await engine.as("somebody").changeRequests[how](request.id)
          expect(await approvedState()).toEqual(before)
        }
      ),
      { numRuns: runs(6) }
    ))

  it("is refused when its payload is not that of its kind, with the place of what is wrong", async () => {
    const { id } = await enter()
    const refused = async (asked: Parameters<Engine["changeRequests"]["propose"]>[0]) => {
      const error = await engine.changeRequests.propose(asked).catch((one: unknown) => one)
      expect(error).toMatchObject({ code: "invalid_body", fault: { _tag: "InvalidInput" } })
      return error instanceof KanonError && error.fault._tag === "InvalidInput"
        ? error.fault.issues.map(({ path }) => path.join("."))
        : []
    }
    expect(await refused({ kind: "create", payload: { name: "A" } })).toEqual(["payload.type"])
    expect(await refused({ kind: "create", payload: { name: "A", type: "t", owner: "x" } })).toEqual([
      "payload.owner"
    ])
    expect(
      await refused({ kind: "create", payload: { name: "A", type: "t", lifecycle: "deprecated" } })
    ).toEqual(["payload.lifecycle"])
    expect(await refused({ kind: "create", entityId: id, payload: { name: "A", type: "t" } })).toEqual([
      "entityId"
    ])
    expect(await refused({ kind: "update", entityId: id, payload: {} })).toEqual(["payload"])
    expect(await refused({ kind: "update", payload: { name: "A" } })).toEqual(["entityId"])
    expect(await refused({ kind: "delete", entityId: id, payload: { name: "A" } })).toEqual(["payload.name"])
    expect(await refused({ kind: "supersede", entityId: id, payload: { supersededBy: id } })).toEqual([
      "payload.supersededBy"
    ])
    expect(await engine.changeRequests.list({ status: "open" })).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ entityId: id })])
    )
    const ghost = "ent_01arz3ndektsv4rrffq69g5fav"
    expect(await codeOf(engine.changeRequests.propose({ kind: "delete", entityId: ghost }))).toBe("not_found")
    expect(
      await codeOf(
        engine.changeRequests.propose({ kind: "supersede", entityId: id, payload: { supersededBy: ghost } })
      )
    ).toBe("not_found")
  })

  it("shows its difference also to who may not approve it, and where its name is taken", async () => {
    const [one, other] = [await enter(), await enter()]
    const asked = { kind: "update", entityId: one.id, payload: { name: other.name } } as const
    const { id } = await engine.changeRequests.propose(asked)
    const diff = { name: { from: one.name, to: other.name } }
    const shown = async (by: string) => (await engine.as(by).changeRequests.get(id)).preview
    expect(await shown("ann")).toEqual({ diff, applicable: false, blockedBy: "conflict" })
    await engine.entities.setOwner(one.id, "ann", ["bob"])
    expect(await shown("cyd")).toEqual({ diff, applicable: false, blockedBy: "reviewer_required" })
    expect(await codeOf(engine.as("cyd").changeRequests.approve(id))).toBe("reviewer_required")
    expect(await shown("bob")).toEqual({ diff, applicable: false, blockedBy: "conflict" })
    await engine.entities.update(other.id, { name: `${other.name} of old` })
    expect(await shown("bob")).toEqual({ diff, applicable: true, blockedBy: null })
    const { discussion } = await engine.changeRequests.get(id)
    expect(discussion.map(({ changeKind }) => changeKind)).toEqual(["set_owner"])
    const done = await engine.as("bob").changeRequests.approve(id, "so be it")
    expect(done).toMatchObject({
      appliedEntityId: one.id,
      request: { status: "approved", reviewedBy: "bob", reviewNote: "so be it", entityName: other.name }
    })
    const [last] = await revisionsOf(one.id)
    expect(last).toMatchObject({ changedBy: "bob", activity: `change_request:${id}`, changeKind: "update" })
    expect(await shown("bob")).toEqual({ diff: {}, applicable: false, blockedBy: "not_open" })
  })

  it("means the head of what was merged, and says so when it is applied", async () => {
    const [one, other] = [await enter(), await enter()]
    const { id } = await engine.changeRequests.propose({ kind: "deprecate", entityId: one.id })
    await engine.entities.merge(one.id, other.id)
    expect((await engine.changeRequests.get(id)).request).toMatchObject({ entityName: other.name })
    expect((await engine.changeRequests.approve(id)).appliedEntityId).toBe(other.id)
  })
})

describe("an earlier revision", () => {
  it("is restored as a new version, whose fields are those of then, and twice is once", async () => {
    const { id } = await enter({ aliases: ["First"] })
    const then = await engine.entities.get(id)
    await engine.entities.update(id, { name: "Something else", aliases: [], description: "New." })
    await engine.entities.certify(id)
    const back = await engine.entities.restoreRevision(id, 1)
    expect(back).toMatchObject({ name: then.name, aliases: ["First"], description: null })
    const [last] = await revisionsOf(id)
    expect(last).toMatchObject({ version: 4, changeKind: "restore", note: "revision 1" })
    expect(last?.snapshot).toMatchObject({ authority: "certified" })
    await engine.entities.restoreRevision(id, 1)
    expect(await revisionsOf(id)).toHaveLength(4)
    for (const none of [5, 99])
      expect(await codeOf(engine.entities.restoreRevision(id, none))).toBe("not_found")
    expect(await codeOf(engine.entities.restoreRevision(id, 0))).toBe("invalid_body")
  })

  it("is not restored over a name that somebody else has by now", async () => {
    const { id, name } = await enter()
    await engine.entities.update(id, { name: `${name} renamed` })
    const { id: holder } = await enter({ name })
    const error = await engine.entities.restoreRevision(id, 1).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: "conflict", fault: { existingId: holder } })
    expect(await revisionsOf(id)).toHaveLength(2)
  })

  it("leaves aliases that documents give to the documents", () =>
    withPatient(({ using }) =>
      using(async (patient) => {
        const { candidates } = await patient.entities.resolve("Orchard")
        const id = candidates[0]?.id ?? ""
        expect((await patient.entities.get(id)).aliases).not.toEqual([])
        await patient.entities.restoreRevision(id, (await patient.entities.get(id)).curation.version)
        await patient.entities.update(id, { description: "Trees." })
        await patient.entities.restoreRevision(id, 1)
        const { revisions } = await patient.entities.revisions(id)
        expect(revisions[0]?.diff).toEqual({ description: { from: "Trees.", to: null } })
      })
    ))
})

describe("notes for stewards", () => {
  it("are read by those who may write alone, in the entity and in every revision of it", async () => {
    const workspace = await server.workspace("notes")
    const [writer, reader] = [await server.key(workspace), await server.key(workspace, ["kb:read"])]
    const secret = "Ask legal first."
    const created = await server.call("POST", "/api/v1/entities", {
      key: writer,
      body: { name: "Merger", type: "plan" }
    })
    const id = EntityId.parse(Reflect.get(Object(created.body), "id"))
    const asked = await server.call("POST", "/api/v1/change-requests", {
      key: writer,
      body: { kind: "delete", entityId: id, payload: {} }
    })
    await server.call("PATCH", `/api/v1/entities/${id}`, { key: writer, body: { editorialNote: secret } })
    const request = String(Reflect.get(Object(asked.body), "id"))
    for (const path of [
      `/api/v1/entities/${id}`,
      `/api/v1/entities/${id}/revisions`,
      `/api/v1/change-requests/${request}`
    ]) {
      const [full, without] = await Promise.all(
        [writer, reader].map((key) => server.call("GET", path, { key }))
      )
      expect([full?.status, without?.status]).toEqual([200, 200])
      expect([path, JSON.stringify(full?.body).includes(secret)]).toEqual([path, true])
      expect([path, JSON.stringify(without?.body).includes(secret)]).toEqual([path, false])
    }
  })
})

describe("in whose name it is done", () => {
  it("is a member's, who is named without blanks around, or nobody's", async () => {
    const { id } = await enter()
    for (const none of ["", " \t"]) expect(() => engine.as(none)).toThrowError(KanonError)
    await engine.as(" ann ").entities.setOwner(id, " ann ")
    expect((await revisionsOf(id))[0]).toMatchObject({ changedBy: "ann" })
    expect(await codeOf(engine.entities.merge((await enter()).id, id))).toBe("reviewer_required")
    expect(await codeOf(engine.as("ann").entities.merge((await enter()).id, id))).toBe("done")
  })
})

describe("texts that no file can hold", () => {
  it("are refused on the way in, so that history, doctor and export agree", async () => {
    const { id } = await enter()
    const asked = { name: "A \ud800", type: "thing", description: "\udfff" }
    for (const refused of [
      enter({ name: "Half \ud83d a bird" }),
      enter({ aliases: ["\udc00x"] }),
      engine.entities.certify(id, "why \ud800"),
      engine.entities.setOwner(id, "ann\0", []),
      engine.changeRequests.propose({ kind: "create", payload: asked })
    ])
      expect(await codeOf(refused)).toBe("invalid_body")
    expect((await exported(engine)).toString()).not.toMatch(/\\ud[89a-f]/i)
    expect(await engine.doctor()).toMatchObject({ differences: 0 })
  })
})

describe("a proposal to delete", () => {
  it("does not delete what its entity was merged into since, and applies again once it is split out", async () => {
    const [{ id }, { id: head }] = [await enter(), await enter()]
    const asked = await engine.changeRequests.propose({ kind: "delete", entityId: id, payload: {} })
    await engine.entities.merge(id, head)
    expect((await engine.changeRequests.get(asked.id)).preview).toEqual({
      diff: {},
      applicable: false,
      blockedBy: "conflict"
    })
    expect(await codeOf(engine.changeRequests.approve(asked.id))).toBe("conflict")
    expect(await codeOf(engine.entities.get(head))).toBe("done")
    expect((await engine.changeRequests.get(asked.id)).request.status).toBe("open")
    await engine.trash.restore(id)
    expect(await codeOf(engine.changeRequests.approve(asked.id))).toBe("done")
    expect([await codeOf(engine.entities.get(id)), await codeOf(engine.entities.get(head))]).toEqual([
      "not_found",
      "done"
    ])
  })
})
