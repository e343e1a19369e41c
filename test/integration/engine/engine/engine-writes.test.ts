import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { beforeEach, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

let vault: string
beforeEach(() => {
  vault = temporaryFolder("writes")
})

const put = (path: string, content: string | Uint8Array) => writeFileSync(join(vault, path), content)
const text = (path: string) => readFileSync(join(vault, path), "utf8")

/** Opens the vault without background work, which these tests do not need. */
const using = async (use: (engine: Engine) => Promise<void>) => {
  const engine = await createEngine({ vault, worker: false })
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

const refusal = (pending: Promise<unknown>) =>
  pending.then(
    () => "done",
    (error: { readonly code?: string; readonly name: string }) => `${error.name} ${error.code}`
  )

describe("a write that the files cannot take", () => {
  it("is refused before anything is committed, and the next start is as if it had not been tried", async () => {
    await using(async (engine) => {
      const { docId } = await engine.documents.create({ path: "a.md", content: "# A" })
      await engine.documents.create({ path: "file.md", content: "# File" })
      mkdirSync(join(vault, "folder.md"))
      for (const path of ["file.md/under.md", "folder.md"]) {
        const create = engine.documents.create({ path, content: "# B" })
        expect([path, await refusal(create)]).toEqual([path, "KanonError vault_unavailable"])
        const move = engine.documents.move(docId, path)
        expect([path, await refusal(move)]).toEqual([path, "KanonError vault_unavailable"])
      }
      expect(await engine.documents.get(docId)).toMatchObject({ path: "a.md", missing: false })
    })
    await using(async (engine) => {
      expect(engine.repairs).toEqual([])
      const { documents, errors } = await engine.ingest()
      expect([documents.unchanged, errors]).toEqual([2, []])
    })
  })

  it("puts back a file that was lost", () =>
    using(async (engine) => {
      const { docId } = await engine.documents.create({ path: "a.md", content: "# A" })
      rmSync(join(vault, "a.md"))
      await engine.documents.replace(docId, "# A")
      expect(text("a.md")).toBe("# A")
      rmSync(join(vault, "a.md"))
      await engine.documents.move(docId, "b.md")
      expect(text("b.md")).toBe("# A")
      rmSync(join(vault, "b.md"))
      await engine.documents.remove(docId)
      await engine.documents.restore(docId)
      expect(text("b.md")).toBe("# A")
    }))

  it("destroys nothing of somebody else's unseen", () =>
    using(async (engine) => {
      const { docId } = await engine.documents.create({ path: "a.md", content: "# A" })
      put("A.md", "# Not yours")
      await refusal(engine.documents.move(docId, "A.md"))
      expect(text("A.md")).toBe("# Not yours")
      rmSync(join(vault, "A.md"))
      put("b.md", "# Nor this")
      expect(await refusal(engine.documents.move(docId, "b.md"))).toBe("KanonError conflict")
      expect(text("b.md")).toBe("# Nor this")
      const torn = new Uint8Array([0x61, 0xff, 0xfe])
      put("a.md", torn)
      expect(await refusal(engine.documents.replace(docId, "# New"))).toBe("KanonError conflict")
      expect(new Uint8Array(readFileSync(join(vault, "a.md")))).toEqual(torn)
    }))

  it("finds each of several that name no path one of its own, past files that nobody has taken in", () =>
    using(async (engine) => {
      put("minutes-2.md", "# Not yet seen")
      const made = await Promise.all(
        Array.from({ length: 8 }, () => engine.documents.create({ title: "Minutes" }))
      )
      expect(new Set(made.map(({ path }) => path)).size).toBe(8)
      expect(text("minutes-2.md")).toBe("# Not yet seen")
      // A path that the caller names is never replaced by another.
      expect(await refusal(engine.documents.create({ path: "minutes.md" }))).toBe("KanonError conflict")
    }))

  it("and those beside it leave one text, the same in the file and in the catalog", () =>
    using(async (engine) => {
      const { docId } = await engine.documents.create({ path: "a.md", content: "# A" })
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, at) => refusal(engine.documents.replace(docId, `# Version ${at}`)))
      )
      expect(outcomes).toEqual(Array.from(outcomes, () => "done"))
      expect((await engine.documents.versions(docId)).total).toBe(9)
      expect((await engine.documents.get(docId)).content).toBe(text("a.md"))
      const { documents } = await engine.ingest()
      expect(documents).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 1, failed: 0 })
    }))
})

describe("an ingest", () => {
  it("takes in every front matter, however long and alike its lines are", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a: 1", "- b", `c: ${"d ".repeat(900)}`, "---", "", "x"), { maxLength: 12 }),
        async (lines) => {
          put("a.md", `---\n${lines.join("\n")}\n---\n\na: 1\n\n- b\n`)
          put("b.md", "# Beside it\n")
          const engine = await createEngine({ vault, data: ":memory:", worker: false })
          try {
            const { documents, errors } = await engine.ingest()
            expect([documents.created, errors]).toEqual([2, []])
          } finally {
            await engine.close()
          }
        }
      ),
      { numRuns: runs(12) }
    ))
})

describe("whatever a program hands over", () => {
  const junk: ReadonlyArray<unknown> = [
    undefined,
    null,
    "",
    "\0",
    "\ud800",
    "../x",
    "x".repeat(20_000),
    -1,
    Number.NaN,
    1e308,
    true,
    [],
    {},
    Symbol.iterator,
    10n,
    () => 1,
    "doc_00000000000000000000000000",
    "ent_00000000000000000000000000",
    "rel_00000000000000000000000000"
  ]

  /** Every method, with the junk where its input goes. */
  const calls = (engine: Engine, id: string, junk: never): ReadonlyArray<() => Promise<unknown>> => [
    () => engine.documents.list(junk),
    () => engine.documents.list({ limit: junk }),
    () => engine.documents.list({ offset: junk }),
    () => engine.documents.list({ tag: junk, pathPrefix: junk }),
    () => engine.documents.get(junk),
    () => engine.documents.getByPath(junk),
    () => engine.documents.create(junk),
    () => engine.documents.create({ path: junk, title: junk, content: junk }),
    () => engine.documents.replace(id, junk),
    () => engine.documents.replace(junk, "# A"),
    () => engine.documents.move(junk, "b.md"),
    () => engine.documents.remove(junk),
    () => engine.documents.restore(junk, junk),
    () => engine.search(junk),
    () => engine.search("a", { limit: junk }),
    () => engine.search("a", junk),
    () => engine.ask(junk),
    () => engine.ask("a", { maxSources: junk }),
    () => engine.entities.list({ limit: junk, type: junk }),
    () => engine.entities.get(junk),
    () => engine.entities.create({ name: "a", type: junk, aliases: junk }),
    () => engine.entities.update(junk, { name: "a" }),
    () => engine.entities.remove(junk),
    () => engine.entities.resolve(junk, { limit: junk }),
    () => engine.entities.neighborhood(junk, { depth: junk }),
    () => engine.entities.mentions(junk, { limit: junk }),
    () => engine.entities.merge(junk, junk),
    () => engine.relations.list({ entityId: junk }),
    () => engine.relations.create({ srcEntityId: junk, dstEntityId: junk, type: "a" }),
    () => engine.relations.remove(junk),
    () => engine.jobs.list({ status: junk, limit: junk }),
    () => engine.jobs.retry(junk),
    () => engine.ingest(junk),
    () => engine.ingest({ path: junk })
  ]

  it("is taken or refused with a code, and no refusal tells of the machine", () =>
    using(async (engine) => {
      const { docId } = await engine.documents.create({ path: "a.md", content: "# A" })
      for (const given of junk) {
        for (const [at, call] of calls(engine, docId, given as never).entries()) {
          const error: unknown = await call().then(
            () => null,
            (caught: unknown) => caught
          )
          if (error === null) continue
          const { code, message, name } = error as { code?: string; message: string; name: string }
          expect({ at, given: typeof given, name, code }).toMatchObject({
            name: "KanonError",
            code: expect.stringMatching(/^(invalid_body|not_found|conflict)$/)
          })
          expect(message).not.toMatch(/node_modules|\.js:\d|\bselect\b.*\bfrom\b|\binsert into\b/i)
          expect(message.includes(vault) || message.length > 1000).toBe(false)
        }
      }
    }))
})
