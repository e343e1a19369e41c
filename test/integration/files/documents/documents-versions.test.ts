import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { documentOperations } from "../../../../core/files/documents/index.js"
import { syncVault } from "../../../../core/files/vault-sync/index.js"
import { now, runOperation } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { createEngine, rowsBeside } from "../../../support/database.js"
import { documentsLayer, LabelledTexts, withFolder } from "../../../support/documents.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const { createDocument, listDocumentVersions, replaceDocument } = documentOperations

/** Few texts, so that they come back. */
const text = fc.oneof(
  fc.constantFrom("# A\n", "# B\n\nMore.\n", "\ufeff# C\r\n"),
  fc.string({ unit: "grapheme", maxLength: 60 }).map((noise) => noise.replaceAll("\0", "").toWellFormed())
)

interface World {
  readonly engine: Engine
  readonly root: string
  readonly id: string
  path: string
  isGone: boolean
  /** Every text that the document had, oldest first. */
  readonly texts: Array<string>
}
type Step = (world: World) => Promise<void>

/** The text is a new version unless it is the present one. */
const became = (world: World, content: string) => {
  if (world.texts.at(-1) !== content) world.texts.push(content)
}

const step: fc.Arbitrary<Step> = fc.oneof(
  text.map(
    (content): Step =>
      async (world) => {
        if (world.isGone) return
        await world.engine.documents.replace(world.id, content)
        became(world, content)
      }
  ),
  text.map(
    (content): Step =>
      async (world) => {
        if (world.isGone) return
        writeFileSync(join(world.root, world.path), content)
        await world.engine.ingest({ wait: false })
        became(world, content)
      }
  ),
  text.map(
    (content): Step =>
      async (world) => {
        if (world.isGone) return
        // Taken in by the replace, so that both are versions.
        writeFileSync(join(world.root, world.path), content)
        became(world, content)
        await world.engine.documents.replace(world.id, `${content}!`)
        became(world, `${content}!`)
      }
  ),
  fc.constantFrom("a.md", "b.md", "c/d.md").map(
    (path): Step =>
      async (world) => {
        if (world.isGone) return
        await world.engine.documents.move(world.id, path)
        world.path = path
      }
  ),
  fc.constant<Step>(async (world) => {
    await (world.isGone ? world.engine.documents.restore(world.id) : world.engine.documents.remove(world.id))
    world.isGone = !world.isGone
  })
)

const everyText = async ({ engine, id, texts }: World) => {
  const { items, total } = await engine.documents.versions(id, { limit: 200 })
  expect(total).toBe(texts.length)
  expect(items.map(({ version }) => version)).toEqual(texts.map((_, place) => texts.length - place))
  for (const [place, content] of texts.entries()) {
    const one = await engine.documents.versions(id, { version: place + 1 })
    expect(one.items).toEqual([{ ...items[texts.length - 1 - place], content }])
    expect(one.items[0]?.size).toBe(Buffer.byteLength(content))
  }
  const page = await engine.documents.versions(id, { limit: 2, offset: 1 })
  expect(page).toEqual({ items: items.slice(1, 3), total })
}

describe("versions of a document", () => {
  it("are every text that it ever had, however that came, byte by byte", () =>
    fc.assert(
      fc.asyncProperty(text, fc.array(step, { maxLength: 12 }), (first, steps) =>
        withFolder(async (root) => {
          mkdirSync(join(root, "vault"))
          const place = { vault: join(root, "vault"), data: join(root, "data"), worker: false }
          const engine = await createEngine(place)
          const { docId } = await engine.documents.create({ path: "a.md", content: first })
          const world: World = {
            engine,
            root: place.vault,
            id: docId,
            path: "a.md",
            isGone: false,
            texts: [first]
          }
          for (const work of steps) await work(world)
          if (world.isGone) await engine.documents.restore(docId)
          await everyText(world)
          expect((await engine.doctor()).differences).toBe(0)
          await engine.close()
          await expectHeldOnce(place.data, world.texts)
        })
      ),
      { numRuns: runs(12) }
    ))

  it("are known by who made them and how, and are gone to whom the document is", () =>
    withFolder(async (root) => {
      writeFileSync(join(root, "a.md"), "# One\n")
      const engine = await createEngine({ vault: root, worker: false })
      await engine.ingest()
      const { id } = await engine.documents.getByPath("a.md")
      await engine.documents.replace(id, "# Two\n")
      const said = { changedBy: "local", activity: "ui", verification: "unverified" }
      expect((await engine.documents.versions(id)).items).toEqual([
        expect.objectContaining({ version: 2, origin: "upload", size: 6, ...said }),
        expect.objectContaining({ version: 1, origin: "vault", size: 6, ...said })
      ])
      const refusal = (version: number) =>
        engine.documents.versions(id, { version }).then(
          () => "found",
          ({ code }: { code: string }) => code
        )
      expect(await refusal(3)).toBe("not_found")
      await engine.documents.remove(id)
      expect(await refusal(1)).toBe("not_found")
      await engine.documents.restore(id)
      expect(await refusal(1)).toBe("found")
      await engine.close()
    }))

  it("are as many as the workspace keeps: older ones are not there, nor their texts", () =>
    withFolder((root) =>
      runEffect(
        Effect.gen(function* () {
          const workspace = yield* makeWorkspace()
          const as = asCaller(workspace)
          const workspaces = yield* WorkspaceStore
          const whole = yield* workspaces.get(workspace)
          const retention = { ...whole.settings.retention, versionsPerDocument: 3 }
          yield* workspaces.update({ ...whole, settings: { ...whole.settings, retention } }, yield* now)
          const { docId: id } = yield* as(runOperation(createDocument, { path: "a.md", content: "# 1" }))
          // The text of its second version is one that the other document goes on having.
          const other = yield* as(runOperation(createDocument, { path: "b.md", content: "# 2" }))
          yield* as(runOperation(replaceDocument, { id: other.docId, content: "# other" }))
          for (let version = 2; version <= 6; version++)
            yield* as(runOperation(replaceDocument, { id, content: `# ${version}` }))
          writeFileSync(join(root, "a.md"), "# 7")
          yield* as(syncVault())
          const { items, total } = yield* as(runOperation(listDocumentVersions, { id }))
          expect([total, items.map(({ version }) => version)]).toEqual([3, [7, 6, 5]])
          const fault = yield* Effect.flip(as(runOperation(listDocumentVersions, { id, version: 4 })))
          expect(fault._tag).toBe("NotFound")
          for (const version of [5, 6, 7]) {
            const one = yield* as(runOperation(listDocumentVersions, { id, version }))
            expect(one.items[0]?.content).toBe(`# ${version}`)
          }
          const kept = yield* as(runOperation(listDocumentVersions, { id: other.docId, version: 1 }))
          expect(kept.items[0]?.content).toBe("# 2")
        }).pipe(Effect.provide(documentsLayer(root, new LabelledTexts())))
      )
    ))
})

/** Texts that are put aside are those of older versions, each once; the present one is not among them for itself. */
const expectHeldOnce = async (data: string, texts: ReadonlyArray<string>): Promise<void> => {
  const held = await rowsBeside(data, "select content_hash from document_text")
  expect(held).toHaveLength(new Set(texts.slice(0, -1)).size)
}
