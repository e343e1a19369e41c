import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { clientOf, createEngine, importWorkspace } from "../../../support/database.js"
import { exported, linesOf, piecesOf, refusalOf, sealed, withPlace } from "../../../support/transfer.js"

const text = "# Gone\n\nThe crane was taken down.\n"

/** A workspace with one document in the trash; `harm` is done to its data while nobody has it open. */
const withTrashed = <A>(
  harm: (place: { readonly data: string; readonly trashed: string }) => Promise<void> | void,
  use: (vault: string, id: string) => Promise<A>
): Promise<A> =>
  withPlace(async (vault) => {
    mkdirSync(vault)
    const engine = await createEngine({ vault, worker: false })
    await engine.documents.create({ path: "stays.md", content: "# Stays\n\nThe quay stays.\n" })
    const { docId } = await engine.documents.create({ path: "gone.md", content: text })
    await engine.documents.remove(docId)
    await engine.ingest()
    await engine.close()
    const data = join(vault, ".kanon")
    await harm({ data, trashed: join(data, "trash", `${docId}.md`) })
    return await use(vault, docId)
  })

const forgetKept = async (data: string): Promise<void> => {
  const forget = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`delete from document_content
      where document_id in (select id from document where deleted_at is not null)`
  )
  await Effect.runPromise(Effect.provide(forget, await clientOf(data)))
}

describe("a document in the trash whose text is lost", () => {
  it("is exported without it and taken in again, and is told to be lost where it is asked for", () =>
    withTrashed(
      async ({ data, trashed }) => {
        await forgetKept(data)
        rmSync(trashed)
      },
      async (vault, id) => {
        const engine = await createEngine({ vault, worker: false })
        const bytes = await exported(engine)
        expect(linesOf(bytes).find((line) => line["id"] === id)).toMatchObject({
          content: null,
          passages: []
        })
        expect((await engine.trash.list()).items).toMatchObject([
          { id, restorable: false, blockedBy: "its text is lost" }
        ])
        await expect(engine.trash.restore(id)).rejects.toMatchObject({
          code: "data_unreadable",
          message: expect.stringContaining("gone.md is lost")
        })
        await engine.close()
        await withPlace(async (copy) => {
          await importWorkspace(piecesOf(bytes), { vault: copy, wait: false })
          const again = await createEngine({ vault: copy, worker: false })
          expect((await exported(again)).toString()).toBe(bytes.toString())
          const report = await again.doctor()
          expect([report.ok, report.findings.map(({ code }) => code)]).toEqual([
            true,
            expect.arrayContaining(["trash_empty"])
          ])
          await again.close()
        })
        const lines = bytes.toString().trimEnd().split("\n").slice(0, -1)
        const robbed = lines.map((line) => line.replace(/"content":"# Stays[^"]*"/, '"content":null'))
        expect(await refusalOf(sealed(robbed))).toBe("invalid_record")
      }
    ))

  it("is exported with the text that its file in the trash has, where only the kept one is lost", () =>
    withTrashed(
      ({ data }) => forgetKept(data),
      async (vault, id) => {
        const engine = await createEngine({ vault, worker: false })
        const bytes = await exported(engine)
        expect(linesOf(bytes).find((line) => line["id"] === id)).toMatchObject({ content: text })
        await engine.trash.restore(id)
        await engine.close()
        expect(readFileSync(join(vault, "gone.md"), "utf8")).toBe(text)
      }
    ))

  it("is not left out where its file in the trash cannot be read: the text may be there", () =>
    withTrashed(
      async ({ data, trashed }) => {
        await forgetKept(data)
        rmSync(trashed)
        mkdirSync(trashed)
      },
      async (vault) => {
        const engine = await createEngine({ vault, worker: false })
        await expect(exported(engine)).rejects.toMatchObject({
          code: "invalid_export",
          message: expect.stringContaining("The text of gone.md is in the trash of the vault, if anywhere")
        })
        await engine.close()
      }
    ))

  it("comes back from what is kept where its file in the trash is no text any more", () =>
    withTrashed(
      ({ trashed }) => writeFileSync(trashed, Buffer.from([0xff, 0, 0xc3])),
      async (vault, id) => {
        const engine = await createEngine({ vault, worker: false })
        expect((await engine.trash.list()).items).toMatchObject([{ id, restorable: true, blockedBy: null }])
        await engine.trash.restore(id)
        expect((await engine.documents.get(id)).content).toBe(text)
        await engine.close()
      }
    ))
})
