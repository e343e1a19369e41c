import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { KanonError } from "../../../../adapters/sqlite/index.js"
import { loadWorkspace } from "../../../../core/engine/engine/index.js"
import { type DocumentId, Ids, scopeOf } from "../../../../core/platform/kernel/index.js"
import { Settings } from "../../../../core/platform/workspace/index.js"
import {
  type ArchiveRecord,
  exportWorkspace,
  loadExport,
  verifyExport,
  WorkspaceArchive
} from "../../../../core/upkeep/transfer/index.js"
import { createEngine, portsOf, rowsBeside } from "../../../support/database.js"
import { testDatabase } from "../../../support/runs.js"
import { exported, linesOf, piecesOf, withPlace } from "../../../support/transfer.js"

const at = "2026-01-01T00:00:00.000Z"

/** An archive of so many documents that makes each record when it is asked for, and counts them. */
const synthetic = (count: number, onRecord: () => void) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const workspaceId = ids.make("workspace")
    const content = "# A page\n\nWith a line of text.\n"
    const contentHash = ids.sha256(content)
    const first: ArchiveRecord = {
      kind: "workspace",
      id: workspaceId,
      name: "large",
      settings: Settings.parse({}),
      revision: 1,
      createdAt: at,
      updatedAt: at,
      positions: { documents: count, entities: 0, passages: count },
      extraction: { documents: 0, entities: 0, relink: false },
      auditHead: null
    }
    const documentIds = Array.from({ length: count }, () => ids.make("document"))
    const document = (id: DocumentId, before: number): ArchiveRecord => {
      const place = before + 1
      return {
        kind: "document",
        id,
        path: `${Math.floor(place / 100)}/${place}.md`,
        title: "A page",
        contentHash,
        version: 1,
        seq: place,
        verification: "unverified",
        verifiedBy: null,
        verifiedAt: null,
        nextVerifyAt: null,
        createdAt: at,
        updatedAt: at,
        deletedAt: null,
        content,
        passages: [{ id: ids.derive("chunk", id), label: place, headings: ["A page"], start: 10, end: 30 }]
      }
    }
    const version = (documentId: DocumentId): ArchiveRecord => ({
      kind: "version",
      documentId,
      version: 1,
      contentHash,
      sizeBytes: content.length,
      origin: "upload",
      changedBy: "local",
      activity: "ui",
      createdAt: at,
      verification: null
    })
    const oneByOne = (recordOf: (id: DocumentId, place: number) => ArchiveRecord) =>
      Stream.rechunk(
        Stream.map(Stream.zipWithIndex(Stream.fromIterable(documentIds)), ([id, place]) =>
          recordOf(id, place)
        ),
        1
      )
    const read = () =>
      Stream.succeed(first).pipe(
        Stream.concat(oneByOne(document)),
        Stream.concat(oneByOne(version)),
        Stream.tap(() => Effect.sync(onRecord))
      )
    const unused = () => Effect.dieMessage("An export writes nothing.")
    const archive = { read, sound: unused, dangling: unused, write: unused, settle: unused }
    return { workspace: scopeOf(workspaceId), archive }
  })

describe("memory", () => {
  it("holds one record of an export at a time, and one batch of an import, however large they are", () =>
    withPlace((vault) => {
      const count = 3000
      let [made, written, aheadOfExport, aheadOfImport, largestBatch] = [0, 0, 0, 0, 0]
      const trial = Effect.gen(function* () {
        const { archive, workspace } = yield* synthetic(count, () => {
          made += 1
        })
        const lines = Stream.provideService(exportWorkspace(workspace), WorkspaceArchive, archive)
        let taken = 0
        yield* Stream.runForEach(lines, () =>
          Effect.sync(() => {
            taken += 1
            aheadOfExport = Math.max(aheadOfExport, made - taken)
          })
        )
        made = 0
        const real = yield* WorkspaceArchive
        const counted: WorkspaceArchive["Type"] = {
          ...real,
          write: (scope, records) =>
            Effect.tap(real.write(scope, records), () =>
              Effect.sync(() => {
                aheadOfImport = Math.max(aheadOfImport, made - written)
                written += records.length
                largestBatch = Math.max(largestBatch, records.length)
              })
            )
        }
        const { records } = yield* Effect.provideService(
          loadExport(lines, () => Effect.void, "."),
          WorkspaceArchive,
          counted
        )
        expect([records.document, written]).toEqual([count, 2 * count + 1])
        const again = Stream.provideService(exportWorkspace(workspace), WorkspaceArchive, real)
        expect((yield* verifyExport(again)).records).toEqual(records)
      })
      mkdirSync(vault)
      return Effect.runPromise(Effect.provide(trial, portsOf({ vault, data: ":memory:" }))).then(() => {
        expect(largestBatch).toBeLessThanOrEqual(200)
        expect(aheadOfExport).toBeLessThanOrEqual(2)
        expect(aheadOfImport).toBeLessThanOrEqual(210)
      })
    }))
})

const small = async (vault: string) => {
  mkdirSync(vault)
  const engine = await createEngine({ vault })
  for (const name of ["Crane", "Quay", "Beacon"])
    await engine.documents.create({ path: `${name}.md`, content: `# ${name}\n\nBeside the [[Quay]].\n` })
  await engine.ingest()
  return engine
}

describe("an import that does not come to its end", () => {
  it("leaves nothing of a file that changes or breaks off between its two readings, and can be tried again", () =>
    withPlace((from) =>
      withPlace(async (vault) => {
        const engine = await small(from)
        const bytes = await exported(engine)
        await engine.close()
        mkdirSync(vault)
        const ports = portsOf({ vault, data: join(vault, ".kanon") })
        mkdirSync(join(vault, ".kanon"))
        const cut = loadWorkspace(ports, () => piecesOf(bytes.subarray(0, bytes.length - 80)), vault)
        await expect(cut).rejects.toMatchObject({ code: "invalid_export", fault: { reason: "cut_short" } })
        await expect(loadWorkspace(ports, () => breaking(bytes), vault)).rejects.toThrow("the disk is gone")
        expect((await loadWorkspace(ports, () => piecesOf(bytes), vault)).records.document).toBe(3)
        const other = await createEngine({ vault, worker: false })
        expect((await exported(other)).toString()).toBe(bytes.toString())
        await other.close()
      })
    ))

  it("is finished by the next start when the process died before the files were written", () =>
    withPlace((from) =>
      withPlace(async (vault) => {
        const engine = await small(from)
        const bytes = await exported(engine)
        const question = "Beside the quay"
        const found = await engine.search(question)
        await engine.close()
        mkdirSync(join(vault, ".kanon"), { recursive: true })
        await recordsOnly(vault, bytes)
        expect(readdirSync(vault)).toEqual([".kanon"])
        const other = await createEngine({ vault })
        expect(other.repairs.filter(({ code }) => code === "write_finished")).toHaveLength(3)
        expect(readFileSync(join(vault, "Crane.md"), "utf8")).toBe("# Crane\n\nBeside the [[Quay]].\n")
        expect((await other.ingest()).documents).toMatchObject({
          unchanged: 3,
          created: 0,
          updated: 0,
          failed: 0
        })
        expect(await other.search(question)).toEqual(found)
        await other.close()
      })
    ))

  it("never writes over a file that came to the vault meanwhile", () =>
    withPlace((from) =>
      withPlace(async (vault) => {
        const engine = await small(from)
        const bytes = await exported(engine)
        await engine.close()
        mkdirSync(join(vault, ".kanon"), { recursive: true })
        await recordsOnly(vault, bytes)
        writeFileSync(join(vault, "Crane.md"), "# Mine")
        const other = await createEngine({ vault })
        expect(readFileSync(join(vault, "Crane.md"), "utf8")).toBe("# Mine")
        await other.close()
      })
    ))
})

describe("a workspace to export", () => {
  it("whose kept text is damaged is refused in words that help", () =>
    withPlace(async (vault) => {
      await (await small(vault)).close()
      const bytes = testDatabase === "sqlite" ? "x'00'" : "'\\x00'::bytea"
      await rowsBeside(
        join(vault, ".kanon"),
        `update document_content set bytes = ${bytes}
          where document_id = (select min(document_id) from document_content)`
      )
      const engine = await createEngine({ vault, worker: false })
      const error = await exported(engine).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(KanonError)
      expect(error).toMatchObject({ code: "invalid_export", fault: { reason: "damaged_workspace" } })
      await engine.close()
    }))

  it("is exported as often as it is read, also while others write, and may be left half read", () =>
    withPlace(async (vault) => {
      const engine = await small(vault)
      const before = await exported(engine)
      const pieces = engine.export()
      const seen: Array<Uint8Array> = []
      for await (const piece of pieces) {
        if (seen.length === 0) await engine.documents.create({ path: "late.md", content: "# Late" })
        seen.push(piece)
      }
      expect(Buffer.concat(seen).toString()).toBe(before.toString())
      for await (const piece of pieces) {
        expect(piece.byteLength).toBeGreaterThan(0)
        break
      }
      const paths = linesOf(await exported(engine)).map((line) => line["path"])
      expect(paths).toContain("late.md")
      await engine.close()
      expect(() => engine.export()).toThrow("closed")
    }))
})

/** Imports only the records, as if the process died right after they were committed. */
const recordsOnly = (vault: string, bytes: Buffer) => {
  const source = Stream.orDie(Stream.fromAsyncIterable(piecesOf(bytes), (error) => error))
  return Effect.runPromise(
    Effect.provide(
      loadExport(source, () => Effect.void, vault),
      portsOf({ vault })
    )
  )
}

async function* breaking(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, bytes.byteLength / 2)
  throw new Error("the disk is gone")
}
