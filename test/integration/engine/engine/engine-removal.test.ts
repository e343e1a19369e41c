import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

const demo = fileURLToPath(new URL("../../../../demo/vault", import.meta.url))
const files = readdirSync(demo, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
  .map((entry) => relative(demo, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .sort()

const questions = [
  "emergency feathering of a blade",
  "hotel limit in Britain",
  "Urlaubstage im Werk Bremerhaven",
  "vidange du réducteur",
  "Heron",
  "KT-2200 installation"
]
const newFolder = () => temporaryFolder("removal")

const put = (vault: string, paths: ReadonlyArray<string>) => {
  for (const path of paths) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    cpSync(join(demo, path), join(vault, path))
  }
}

/** All pages of a list. */
const whole = async <Item>(page: (offset: number) => Promise<ReadonlyArray<Item>>) => {
  const items: Array<Item> = []
  for (;;) {
    const next = await page(items.length)
    if (next.length === 0) return items
    items.push(...next)
  }
}

/** All that a user can see, without ids and times; lists whose equal members have no order are sorted. */
const visible = async (engine: Engine) => {
  const entities = await whole(
    async (offset) => (await engine.entities.list({ limit: 200, offset })).entities
  )
  const relations = await whole(async (offset) => (await engine.relations.list({ limit: 200, offset })).items)
  const results = await Promise.all(
    questions.map(async (question) => {
      const found = await engine.search(question, { limit: 50 })
      const seen = found.results.map(({ channels, docPath, headingPath, score, snippet }) =>
        JSON.stringify([score, channels, docPath, headingPath, snippet])
      )
      return { total: found.total, seen: seen.sort() }
    })
  )
  const sentences = await Promise.all(
    questions.map(async (question) => (await engine.ask(question)).claims.map(({ text }) => text))
  )
  return {
    documents: (await engine.documents.list({ limit: 200 })).items.map(({ contentHash, path, title }) => [
      path,
      title,
      contentHash
    ]),
    entities: entities.map(({ name, pagerank, type }) => JSON.stringify([name, type, pagerank])).sort(),
    relations: relations
      .map(({ dstName, evidence, mentionCount, srcName, type }) =>
        JSON.stringify([srcName, type, dstName, mentionCount, evidence.map(({ quote }) => quote).sort()])
      )
      .sort(),
    results,
    sentences
  }
}

const freshBuild = async (paths: ReadonlyArray<string>) => {
  const vault = newFolder()
  put(vault, paths)
  const engine = await createEngine({ vault, data: ":memory:" })
  try {
    await engine.ingest()
    return await visible(engine)
  } finally {
    await engine.close()
  }
}

describe("what was removed", () => {
  it("leaves no trace in any index: index(A + B) - B = index(A)", () =>
    fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(files, { minLength: 12, maxLength: 60 }),
        fc.nat({ max: 1000 }),
        fc.boolean(),
        async (chosen, cut, byApi) => {
          const stays = chosen.slice(0, Math.max(4, cut % chosen.length))
          const goes = chosen.slice(stays.length)
          const vault = newFolder()
          put(vault, stays)
          const engine = await createEngine({ vault, data: ":memory:" })
          try {
            await engine.ingest()
            put(vault, goes)
            await engine.ingest()
            for (const path of goes) {
              if (byApi) await engine.documents.remove((await engine.documents.getByPath(path)).id)
              else rmSync(join(vault, path))
            }
            const report = await engine.ingest()
            expect(report.errors).toEqual([])
            expect(await visible(engine)).toEqual(await freshBuild(stays))
          } finally {
            await engine.close()
          }
        }
      ),
      { numRuns: runs(2), endOnFailure: true }
    ))
})
