import * as Either from "effect/Either"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  DocumentVerification,
  type Verification,
  Verification as Verifications,
  verificationTable
} from "../../../../core/files/documents/index.js"
import { create, decide } from "../../../../core/files/documents/machine.js"
import { operations } from "../../../../core/operations.js"
import { DocumentId, runOperation, terminalOf } from "../../../../core/platform/kernel/index.js"
import { DocumentLineage } from "../../../../core/upkeep/overview/index.js"
import { atMoment } from "../../../support/clock-at.js"
import { runs } from "../../../support/runs.js"
import { startServer, type TestServer } from "../../../support/server.js"

const dayMs = 24 * 60 * 60 * 1000
const begin = Date.UTC(2026, 0, 1)
const isoOf = (millis: number): string => new Date(millis).toISOString()
const anyVerification = fc.constantFrom<Verification>(...Verifications.options)
const isVouchedFor = (verification: Verification) =>
  verification === "verified" || verification === "certified"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const content = (text: string) => ({
  contentHash: text,
  sizeBytes: 1,
  mtimeMs: 0,
  title: "T",
  frontMatter: { title: null, aliases: [], tags: [], type: null, other: {} }
})
const born = create({
  id: DocumentId.parse("doc_00000000000000000000000000"),
  path: "a.md",
  content: content("first"),
  at: isoOf(begin)
})

describe("the verification of a document", () => {
  it("has a way from every state by every trigger, and none that ends", () => {
    for (const from of verificationTable.states)
      for (const on of Object.keys(verificationTable.triggers))
        expect(verificationTable.steps.filter((step) => step.from === from && step.on === on)).toHaveLength(1)
    expect(terminalOf(verificationTable)).toEqual([])
  })

  it("follows its table, and bears stamps exactly while somebody vouches for it", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            anyVerification.map((verification) => ({ verification })),
            fc.constant({ verification: null })
          )
        ),
        (steps) => {
          let [now, expected]: [typeof born, Verification] = [born, "unverified"]
          for (const [i, { verification }] of steps.entries()) {
            const at = isoOf(begin + i * dayMs)
            const before = now
            now = Either.getOrThrow(
              decide(
                now,
                verification === null
                  ? { _tag: "ReplaceContent", content: content(`text ${i}`) }
                  : {
                      _tag: "Verify",
                      verification,
                      by: `ada ${i}`,
                      nextVerifyAt: isoOf(begin + (i + 9) * dayMs)
                    },
                at
              )
            )
            expected = verification ?? (isVouchedFor(expected) ? "unverified" : expected)
            expect(now.verification).toBe(expected)
            expect(now.version - before.version).toBe(verification === null ? 1 : 0)
            if (verification !== null)
              expect([now.verifiedBy, now.verifiedAt]).toEqual(
                isVouchedFor(verification) ? [`ada ${i}`, at] : [null, null]
              )
            const stamps = [now.verifiedBy, now.verifiedAt, now.nextVerifyAt]
            expect(stamps.map((stamp) => stamp !== null)).toEqual(stamps.map(() => isVouchedFor(expected)))
          }
        }
      )
    )
    const gone = Either.getOrThrow(decide(born, { _tag: "Delete" }, isoOf(begin)))
    const verify = {
      _tag: "Verify",
      verification: "verified",
      by: "ada",
      nextVerifyAt: isoOf(begin)
    } as const
    expect(Either.isLeft(decide(gone, verify, isoOf(begin)))).toBe(true)
  })

  it("is stamped at every saying, until the review interval is over, with one audit event each", async () => {
    const workspace = await server.workspace("verify")
    const key = await server.key(workspace)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyVerification, fc.nat(500)), { minLength: 1, maxLength: 5 }),
        async (sayings) => {
          const made = await server.call("POST", "/api/v1/documents", { key, body: { title: "Note" } })
          const id = DocumentId.parse(Reflect.get(Object(made.body), "docId"))
          let millis = begin
          for (const [verification, days] of sayings) {
            millis += days * dayMs
            const said = await server.as(
              workspace,
              atMoment(millis)(runOperation(operations.verifyDocument, { id, verification }))
            )
            expect(said).toEqual({
              docId: id,
              verification,
              ...(isVouchedFor(verification)
                ? {
                    verifiedBy: "local",
                    verifiedAt: isoOf(millis),
                    nextVerifyAt: isoOf(millis + 180 * dayMs)
                  }
                : { verifiedBy: null, verifiedAt: null, nextVerifyAt: null })
            })
          }
          const { body } = await server.call("GET", `/api/v1/documents/${id}/lineage`, { key })
          const { audit, governance } = DocumentLineage.parse(body)
          expect(audit.map(({ action }) => action)).toEqual([
            ...sayings.map(() => "document.verify"),
            "document.create"
          ])
          const said = sayings.map(([verification]) => verification)
          expect(audit.slice(0, -1).map(({ details }) => details["verification"])).toEqual(
            said.map((to, i) => ({ from: said[i - 1] ?? "unverified", to })).reverse()
          )
          expect(governance.verification).toBe(said.at(-1))
        }
      ),
      { numRuns: runs(10) }
    )
  })

  it("falls with the text that was verified, while a deprecation stays; a move changes nothing", async () => {
    const workspace = await server.workspace("falls")
    const key = await server.key(workspace)
    for (const verification of Verifications.options) {
      const made = await server.call("POST", "/api/v1/documents", { key, body: { title: verification } })
      const path = `/api/v1/documents/${Reflect.get(Object(made.body), "docId")}`
      const send = (method: string, end: string, body?: unknown) =>
        server.call(method, `${path}${end}`, { key, ...(body === undefined ? {} : { body }) })
      const said = DocumentVerification.parse((await send("POST", "/verify", { verification })).body)
      const governanceNow = async () => DocumentLineage.parse((await send("GET", "/lineage")).body).governance
      expect((await send("POST", "/move", { path: `moved/${verification}.md` })).status).toBe(200)
      const { docId: _, ...stamps } = said
      expect(await governanceNow()).toEqual({ ...stamps, reviewDue: false })
      await send("PATCH", "", { content: "# Another\n\nText.\n" })
      const expected = verification === "deprecated" ? "deprecated" : "unverified"
      expect(await governanceNow()).toEqual({
        verification: expected,
        verifiedBy: null,
        verifiedAt: null,
        nextVerifyAt: null,
        reviewDue: false
      })
      await send("DELETE", "")
      for (const [method, end, body] of [
        ["POST", "/verify", { verification }],
        ["GET", "/lineage", undefined]
      ] as const)
        expect((await send(method, end, body)).status).toBe(404)
    }
  })
})
