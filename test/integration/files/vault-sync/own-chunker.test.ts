import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { OwnChunker } from "../../../../core/files/documents/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

const place = temporaryFolder("chunker")
const vault = join(place, "vault")
mkdirSync(vault)
writeFileSync(join(vault, "a.md"), "# Meeting\n\nAda: the buoy is lit.\n\nBen: dredging begins.\n")

const byBlock = (version: string, mark: string): OwnChunker => ({
  name: "test/blocks",
  version,
  cut: ({ blocks }) =>
    blocks
      .filter(({ heading }) => heading === null)
      .map(({ end, start }) => ({ start, end, headingPath: [mark] }))
})

const opened = (chunker?: OwnChunker) =>
  createEngine({
    vault,
    data: join(place, "data"),
    worker: true,
    ...(chunker === undefined ? {} : { chunker })
  })

/** The heading paths of all passages after an ingest, and what `doctor` finds. */
const pathsAfterIngest = async (chunker?: OwnChunker) => {
  const engine = await opened(chunker)
  const { errors } = await engine.ingest()
  const { results } = await engine.search("buoy dredging meeting")
  const { ok } = await engine.doctor()
  await engine.close()
  return { errors, ok, paths: results.map(({ headingPath }) => headingPath).sort() }
}

it("cuts all documents again at the next ingest when its identity changes", { timeout: 60_000 }, async () => {
  const builtIn = { errors: [], ok: true, paths: ["Meeting"] }
  expect(await pathsAfterIngest()).toEqual(builtIn)
  const first = await pathsAfterIngest(byBlock("1", "first"))
  expect(first).toEqual({ errors: [], ok: true, paths: ["first", "first"] })
  // The same identity: nothing is cut again, whatever it would give.
  expect(await pathsAfterIngest({ ...byBlock("1", "first"), cut: byBlock("1", "first").cut })).toEqual(first)
  expect((await pathsAfterIngest(byBlock("2", "second"))).paths).toEqual(["second", "second"])
  expect(await pathsAfterIngest()).toEqual(builtIn)
})

it("reports a file that it cannot cut, and keeps the document as it was", { timeout: 60_000 }, async () => {
  const engine = await opened({
    name: "test/broken",
    version: "1",
    cut: () => [{ start: 0, end: 9999, headingPath: [] }]
  })
  writeFileSync(join(vault, "b.md"), "New.\n")
  const { errors } = await engine.ingest()
  expect(errors).toMatchObject([{ path: "b.md", code: "chunker_failed" }])
  expect((await engine.search("buoy")).results).toHaveLength(1)
  await engine.close()
})

it("needs a name", async () => {
  await expect(opened({ ...byBlock("1", "x"), name: " " })).rejects.toMatchObject({ code: "invalid_body" })
})
